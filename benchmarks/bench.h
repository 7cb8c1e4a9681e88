/* What the ways to use clsort-bench share: a device, where the rows go, and one case after the other. */
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H

#include "device.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "run.h"

struct bench {
    struct options options;
    struct bench_device device;
    struct output output;
    size_t place; /* of the device among those of the output */
    struct progress progress;
    unsigned done, skipped, failed;
    unsigned beaten; /* choices that were not the best */
};

/* Runs a case, prints its notes and its row, and counts it. */
enum run_outcome bench_case(struct bench *bench, const struct sort_case *c, struct run_result *result);

/* Runs all cases of the options. 1 on success, 0 if there is no memory for them. */
int bench_sweep(struct bench *bench);

#endif
