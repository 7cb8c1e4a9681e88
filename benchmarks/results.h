/* Rows of measured cases: what the files of clsort-bench and of its peers hold. */
#ifndef BENCHMARKS_RESULTS_H
#define BENCHMARKS_RESULTS_H

#include "json.h"
#include "statistics.h"

#define RESULTS_FORMAT "clsort-bench"
#define RESULTS_VERSION 1

struct result_device {
    const char *name;
    const char *vendor;
    const char *platform; /* of OpenCL; "host" for a library that runs on the processor itself */
    const char *driver;
    const char *type; /* gpu, cpu, accelerator or other */
    uint64_t compute_units;
    uint64_t memory_bytes;
};

/* One case of one library on one device. Numbers that were not measured are 0, texts that are not known "". */
struct result_row {
    const char *library;
    size_t device; /* place in the list */
    const char *operation;
    const char *key;
    const char *value;
    const char *order;
    const char *data;
    uint64_t n;
    struct spread ms;
    uint64_t runs;
    uint64_t moved_bytes; /* each input read once and each output written once */
    double copy_ms;       /* of a copy that moves as many bytes */
    uint64_t workspace_bytes;
    const char *checksum;
    const char *algorithm;
    const char *tuning;
};

/* What a file holds. */
struct results {
    const char *path;
    const char *date;    /* these four are "" where they are not known */
    const char *version; /* of the library */
    const char *machine;
    const char *note;
    size_t n_devices, n_rows;
    struct result_device *devices;
    struct result_row *rows;
    struct json_document document; /* owns the texts */
};

/* Reads a JSON file of a bench, or a CSV file if its name ends so. On failure 0, and text says the file, the line and
   what is wrong; results_free() is due in both cases. path is kept. */
int results_read(struct results *results, const char *path, char *text, size_t text_bytes);

void results_free(struct results *results);

/* Keys per second in units of 10^9. */
double results_rate(const struct result_row *row);

/* Moved bytes per second in units of 10^9. */
double results_bandwidth(const struct result_row *row);

/* The time of the copy over that of the case; 0 if no copy was measured. */
double results_copy_fraction(const struct result_row *row);

#endif
