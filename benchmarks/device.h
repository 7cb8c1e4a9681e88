/* The device under test: its sorter and queue, and a second pair that tells the time of each phase. */
#ifndef BENCHMARKS_DEVICE_H
#define BENCHMARKS_DEVICE_H

#include "copy.h"
#include "options.h"
#include "phases.h"

struct bench_device {
    clsort_sorter *sorter;
    cl_command_queue queue;
    clsort_sorter *phase_sorter; /* NULL unless phases are wanted */
    cl_command_queue phase_queue;
    struct phases phases;
    struct copy copy;
    char name[256];
    char vendor[256];
    char platform[256];
    char driver[256];
    const char *type; /* gpu, cpu, accelerator or other */
    cl_uint compute_units;
    cl_ulong memory_bytes;
};

/* Opens the device that spec names, as clsort_create_default() does. On failure text says why; device_close() is due
   in both cases. */
clsort_status device_open(struct bench_device *device, const char *spec, const struct options *options, char *text,
                          size_t text_bytes);

void device_close(struct bench_device *device);

#endif
