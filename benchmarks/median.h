/* Order statistics of measured times. */
#ifndef BENCHMARKS_MEDIAN_H
#define BENCHMARKS_MEDIAN_H

#include <stdlib.h>

static inline int median_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts n > 0 times and gives the middle one, the greater of two. */
static inline double median_of(double *times, size_t n)
{
    qsort(times, n, sizeof *times, median_compare);
    return times[n / 2];
}

#endif
