/* Where the rows go: CSV to standard output and a file, JSON to a file. */
#ifndef BENCHMARKS_OUTPUT_H
#define BENCHMARKS_OUTPUT_H

#include "results.h"
#include <stdio.h>

struct output {
    FILE *csv;  /* NULL unless asked for */
    FILE *json; /* NULL unless asked for; a whole document after each row */
    int failed;
    size_t n_devices, n_rows;
    struct output_device *devices;
};

/* Opens the files, whose names may be NULL. note says what is to be known about these rows; NULL or "" for nothing.
   On failure 0 and a line of text; output_close() is due in both cases. */
int output_open(struct output *output, const char *csv, const char *json, const char *note, char *text,
                size_t text_bytes);

/* Adds a device, whose texts are copied, for rows to name it by its place; the first one also writes the CSV's head. 1 on
   success. */
int output_device(struct output *output, const struct result_device *device, size_t *place);

void output_row(struct output *output, const struct result_row *row);

/* 1 if all has been written. */
int output_close(struct output *output);

#endif
