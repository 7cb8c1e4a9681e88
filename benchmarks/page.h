/* The page of a report. */
#ifndef BENCHMARKS_PAGE_H
#define BENCHMARKS_PAGE_H

#include "collection.h"
#include "views.h"
#include <stdio.h>

void page_begin(FILE *page, const struct collection *collection, const char *title);

/* The heading of a device, or with device == collection->n_devices of all together. */
void page_device(FILE *page, const struct collection *collection, size_t device);

void page_section(FILE *page, const struct view_section *section);

/* What a plot shows, in words. */
void page_describe(const struct plot *plot, char *text, size_t text_bytes);

/* A plot of a section; number is another one for each plot of the page. */
void page_plot(FILE *page, const struct plot *plot, const char *svg, unsigned number);

void page_section_end(FILE *page);

/* The rows of a device as a table. */
void page_rows(FILE *page, const struct collection *collection, size_t device);

void page_end(FILE *page);

#endif
