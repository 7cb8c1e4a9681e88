/* A plot as numbers and texts, before it is drawn. */
#ifndef BENCHMARKS_PLOT_H
#define BENCHMARKS_PLOT_H

#include <stddef.h>

#define PLOT_SERIES 8 /* as many colours can be told apart */
#define PLOT_TEXT 192

/* y with the range that half of the measurements lie in. */
struct plot_point {
    double x, y, low, high;
};

struct plot_series {
    char label[PLOT_TEXT];
    unsigned colour; /* below PLOT_SERIES */
    size_t n_points, room;
    struct plot_point *points;
};

struct plot {
    char title[PLOT_TEXT];
    char subtitle[PLOT_TEXT];
    char name[PLOT_TEXT]; /* of its file, without the ending */
    const char *y_label;
    double line; /* a level to be drawn; 0: none */
    int is_kept; /* for those who choose among plots */
    size_t n_series;
    struct plot_series series[PLOT_SERIES];
};

struct plot_list {
    size_t n_plots, room;
    struct plot *plots;
};

/* Adds a plot with these texts; NULL if there is no memory. Plots move when one is added. */
struct plot *plot_add(struct plot_list *list, const char *title, const char *subtitle, const char *name);

/* The series of that label, a new one if there is none; NULL if there is no room for one. */
struct plot_series *plot_find_series(struct plot *plot, const char *label);

/* 1 on success. Of two points with the same x the later one stays. */
int plot_add_point(struct plot_series *series, const struct plot_point *point);

/* Puts the points of all series into the order of x. */
void plot_sort(struct plot *plot);

/* Takes the last plot away. */
void plot_drop(struct plot_list *list);

void plot_free(struct plot_list *list);

/* Gives series of the same label the same colour in all plots, where there are not more labels than colours. The one
   called first has the first colour. */
void plot_colour(struct plot_list *list, const char *first);

/* Whether each series has one point, at about the same x: bars say more than lines then. Counts of segments are whole
   multiples of their lengths, so that they differ a little. */
int plot_is_bars(const struct plot *plot);

#endif
