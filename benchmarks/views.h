/* Which plots a set of rows gives. */
#ifndef BENCHMARKS_VIEWS_H
#define BENCHMARKS_VIEWS_H

#include "collection.h"
#include "plot.h"

/* The plots of one heading. */
struct view_section {
    const char *heading;
    const char *what; /* a sentence that says how to read them */
    struct plot_list plots;
};

#define VIEW_SECTIONS 8

/* Makes the plots of a device, or with device == collection->n_devices those that compare devices. 1 on success, 0 if
   there is no memory; the caller frees the plots of all sections in both cases. */
int views_make(const struct collection *collection, size_t device, struct view_section sections[VIEW_SECTIONS]);

/* What is sorted, on one line. */
void views_describe(const struct result_row *row, char *text, size_t text_bytes);

#endif
