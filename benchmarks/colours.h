/* The colours of plots, each with its counterpart on a dark page. */
#ifndef BENCHMARKS_COLOURS_H
#define BENCHMARKS_COLOURS_H

#include <stdio.h>

struct colour {
    unsigned light, dark; /* 0xRRGGBB */
    int point;            /* gnuplot's shape of points: series differ in more than colour */
};

/* Of series, in their order: PLOT_SERIES of them. */
extern const struct colour colours_series[];

/* Of what surrounds them. */
extern const struct colour colours_grid, colours_background;

/* Writes the rules of CSS that give an SVG image of gnuplot its dark colours where the page is dark. */
void colours_write_style(FILE *file);

#endif
