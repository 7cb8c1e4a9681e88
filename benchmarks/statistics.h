/* Order statistics of measured times. */
#ifndef BENCHMARKS_STATISTICS_H
#define BENCHMARKS_STATISTICS_H

#include <stdlib.h>

static inline int statistics_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts n > 0 times and gives the middle one, the greater of two. */
static inline double statistics_median(double *times, size_t n)
{
    qsort(times, n, sizeof *times, statistics_compare);
    return times[n / 2];
}

/* Times of one case in milliseconds: half of them lie between the quartiles. */
struct spread {
    double median, best, lower_quartile, upper_quartile;
};

static inline struct spread statistics_spread(double *times, size_t n)
{
    struct spread spread;
    spread.median = statistics_median(times, n);
    spread.best = times[0];
    spread.lower_quartile = times[n / 4];
    spread.upper_quartile = times[n - 1 - n / 4];
    return spread;
}

#endif
