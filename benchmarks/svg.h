/* Images that gnuplot has drawn, as parts of a page and as files of their own. */
#ifndef BENCHMARKS_SVG_H
#define BENCHMARKS_SVG_H

#include <stdio.h>

/* The text of a file, to be freed by the caller; NULL if it cannot be read. */
char *svg_read(const char *path);

/* Writes the image into a page. number tells its definitions from those of other images there; title is read to those
   who do not see it. */
void svg_write_inline(FILE *page, const char *svg, unsigned number, const char *title);

/* Writes the image to a file again, with a title and the colours of dark pages. 1 on success. */
int svg_write_styled(const char *path, const char *svg, const char *title);

/* Writes a text so that HTML does not take any of it for markup. */
void svg_write_escaped(FILE *page, const char *text);

#endif
