/* The experiments that textbooks on sorting describe, for any device. */
#ifndef BENCHMARKS_EXPERIMENT_H
#define BENCHMARKS_EXPERIMENT_H

#include "bench.h"

/* Runs the one that the options name on the open device. 1 on success, 0 if there is no memory for it. */
int experiment_run(struct bench *bench);

#endif
