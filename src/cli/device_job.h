/* device_job.h: one sort of host arrays on a device, each step timed. */
#ifndef CLI_DEVICE_JOB_H
#define CLI_DEVICE_JOB_H

#include <clsort/clsort.h>
#include <stdbool.h>

struct device_job {
    clsort_request request; /* what to sort; the ranges are filled in */
    const void *keys;
    const void *values;              /* of pairs */
    const uint64_t *segment_offsets; /* segment_count and one more, of 8 bytes; NULL: none */
    void *keys_out;                  /* of keys and pairs */
    void *values_out;                /* of pairs and argsort */
    double prepare_seconds;
    double upload_seconds;
    double sort_seconds;
    double download_seconds;
};

/* Runs it and waits for the end; with prepare, compiling is a step of its own. Says on standard error what failed. */
bool device_job_run(clsort_sorter *sorter, bool prepare, struct device_job *job);

#endif
