/* The device under test: its sorter and queue, and a second pair that tells the time of each phase. */
#ifndef BENCHMARKS_DEVICE_H
#define BENCHMARKS_DEVICE_H

#include "options.h"
#include "phases.h"

struct bench_device {
    clsort_sorter *sorter;
    cl_command_queue queue;
    clsort_sorter *phase_sorter; /* NULL unless phases are wanted */
    cl_command_queue phase_queue;
    struct phases phases;
    char name[256]; /* fit for a CSV field */
    char driver[256];
};

/* Opens the device that the options name. On failure text says why; device_close() is due in both cases. */
clsort_status device_open(struct bench_device *device, const struct options *options, char *text, size_t text_bytes);

void device_close(struct bench_device *device);

/* Milliseconds since some moment. */
double device_clock(void);

#endif
