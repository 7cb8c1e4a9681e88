/* The experiment "histograms": counting in local memory against counting by global atomics. */
#ifndef BENCHMARKS_HISTOGRAMS_H
#define BENCHMARKS_HISTOGRAMS_H

#include "bench.h"

/* Counts the low bytes of u32 keys in both ways, for all counts and shapes of the options. 1 on success, 0 if there
   is no memory. */
int histograms_run(struct bench *bench);

#endif
