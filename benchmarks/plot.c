/* Collects what is to be plotted. */
#include "plot.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plot *plot_add(struct plot_list *list, const char *title, const char *subtitle, const char *name)
{
    if (list->n_plots == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        struct plot *plots = realloc(list->plots, room * sizeof *plots);
        if (!plots)
            return NULL;
        list->plots = plots;
        list->room = room;
    }
    struct plot *plot = &list->plots[list->n_plots++];
    memset(plot, 0, sizeof *plot);
    snprintf(plot->title, sizeof plot->title, "%s", title);
    snprintf(plot->subtitle, sizeof plot->subtitle, "%s", subtitle);
    snprintf(plot->name, sizeof plot->name, "%s", name);
    return plot;
}

struct plot_series *plot_find_series(struct plot *plot, const char *label)
{
    for (size_t i = 0; i < plot->n_series; i++)
        if (!strcmp(plot->series[i].label, label))
            return &plot->series[i];
    if (plot->n_series == PLOT_SERIES)
        return NULL;
    struct plot_series *series = &plot->series[plot->n_series];
    series->colour = (unsigned)plot->n_series++;
    snprintf(series->label, sizeof series->label, "%s", label);
    return series;
}

int plot_add_point(struct plot_series *series, const struct plot_point *point)
{
    for (size_t i = 0; i < series->n_points; i++)
        if (series->points[i].x == point->x) {
            series->points[i] = *point;
            return 1;
        }
    if (series->n_points == series->room) {
        size_t room = series->room ? 2 * series->room : 32;
        struct plot_point *points = realloc(series->points, room * sizeof *points);
        if (!points)
            return 0;
        series->points = points;
        series->room = room;
    }
    series->points[series->n_points++] = *point;
    return 1;
}

static int compare_points(const void *a, const void *b)
{
    const struct plot_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

void plot_sort(struct plot *plot)
{
    for (size_t i = 0; i < plot->n_series; i++)
        qsort(plot->series[i].points, plot->series[i].n_points, sizeof *plot->series[i].points, compare_points);
}

void plot_drop(struct plot_list *list)
{
    struct plot *plot = &list->plots[--list->n_plots];
    for (size_t i = 0; i < plot->n_series; i++)
        free(plot->series[i].points);
}

void plot_free(struct plot_list *list)
{
    while (list->n_plots)
        plot_drop(list);
    free(list->plots);
    memset(list, 0, sizeof *list);
}

void plot_colour(struct plot_list *list, const char *first)
{
    const char *labels[PLOT_SERIES] = {first};
    unsigned n_labels = 1;
    for (int is_enough = 0; is_enough < 2; is_enough++)
        for (size_t i = 0; i < list->n_plots; i++)
            for (size_t j = 0; j < list->plots[i].n_series; j++) {
                struct plot_series *series = &list->plots[i].series[j];
                unsigned colour = 0;
                while (colour < n_labels && strcmp(labels[colour], series->label) != 0)
                    colour++;
                if (colour == PLOT_SERIES)
                    return;
                if (colour == n_labels)
                    labels[n_labels++] = series->label;
                if (is_enough)
                    series->colour = colour;
            }
}

int plot_is_bars(const struct plot *plot)
{
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct plot_series *series = &plot->series[i];
        double first = plot->series[0].points[0].x;
        if (series->n_points != 1 || series->points[0].x < 0.95 * first || series->points[0].x > 1.05 * first)
            return 0;
    }
    return plot->n_series > 0;
}
