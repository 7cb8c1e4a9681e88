/* Draws plots as SVG by the program gnuplot. */
#ifndef BENCHMARKS_GNUPLOT_H
#define BENCHMARKS_GNUPLOT_H

#include "plot.h"
#include <stdio.h>

/* 1 if gnuplot can be run; else 0 and a line of text about what to do. */
int gnuplot_find(char *text, size_t text_bytes);

/* A running gnuplot; NULL if it cannot be started. */
FILE *gnuplot_open(void);

/* Has a plot drawn into an SVG file. */
void gnuplot_draw(FILE *gnuplot, const struct plot *plot, const char *path);

/* Waits for all plots. 1 if they were drawn. */
int gnuplot_close(FILE *gnuplot);

#endif
