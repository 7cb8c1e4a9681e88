/* sort_task.h: one run of clsort sort: what was read, what is to be sorted, what comes out. */
#ifndef CLI_SORT_TASK_H
#define CLI_SORT_TASK_H

#include "device_job.h"
#include "npy.h"
#include "segments.h"
#include "sort_options.h"
#include "text.h"

struct sort_task {
    struct sort_options options;
    enum format format;
    const struct key_info *key;
    struct input input;
    struct npy_array array;       /* of an npy input */
    struct text_lines lines;      /* of a text input */
    struct input values;          /* of pairs */
    uint64_t values_header_bytes; /* of npy values; they are written again as they are */
    struct segment_offsets segments;
    struct output output;
    struct output values_output;
    struct device_job job;
    double read_seconds;
    double write_seconds;
};

/* Reads the inputs and fills in job's request, keys and values. Says on standard error what is wrong. */
bool sort_load(struct sort_task *task);

/* Opens the outputs, before the work whose result they take. */
bool sort_open_outputs(struct sort_task *task);

/* Writes the results and puts all outputs in place. */
bool sort_store(struct sort_task *task);

#endif
