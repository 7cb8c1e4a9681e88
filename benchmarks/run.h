/* Runs one case: makes its data, checks its result, takes its time. */
#ifndef BENCHMARKS_RUN_H
#define BENCHMARKS_RUN_H

#include "case.h"
#include "device.h"
#include "statistics.h"

/* What was found out about a case. */
struct run_result {
    uint64_t checksum; /* of the keys */
    uint64_t workspace_bytes;
    struct spread ms;
    double copy_ms; /* of a copy that moves as many bytes; 0: not measured */
    char algorithm[64];
    char tuning[1024];
};

enum run_outcome {
    RUN_DONE,
    RUN_SKIPPED, /* the algorithm that was asked for cannot do the case */
    RUN_WRONG,   /* the result was not right */
    RUN_FAILED
};

/* text says why where the outcome is not RUN_DONE. With the options' phases they are left in the device's. */
enum run_outcome run_case(struct bench_device *device, const struct options *options, const struct sort_case *c,
                          struct run_result *result, char *text, size_t text_bytes);

#endif
