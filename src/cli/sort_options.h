/* sort_options.h: what the arguments of clsort sort ask for. */
#ifndef CLI_SORT_OPTIONS_H
#define CLI_SORT_OPTIONS_H

#include "format.h"
#include "key.h"

#include <stdbool.h>

struct sort_options {
    const char *input;         /* "-": standard input */
    const char *output;        /* "-": standard output */
    const char *values;        /* NULL: none */
    const char *values_output; /* given when values is */
    enum format format;        /* FORMAT_NONE: to be found out */
    clsort_key_type key_type;  /* 0: not given */
    uint64_t value_bytes;      /* 0: not given */
    unsigned index_bytes;      /* 0: not given */
    const char *segments;      /* a file of offsets; NULL: none */
    uint64_t segment_length;   /* 0: not given */
    bool index_in_segment;
    bool has_bits;
    uint32_t begin_bit;
    uint32_t end_bit;
    bool descending;
    bool argsort;
    bool float_total_order;
    bool unstable;
    bool low_memory;
    bool no_cache;
    bool progress;
    bool stats;
    bool help;
    const char *device;
    const char *algorithm;
    const char *tuning;
};

/* Reads and checks the arguments. Says on standard error what is wrong with them. */
bool sort_options_read(struct sort_options *options, int n_arguments, char **arguments);

#endif
