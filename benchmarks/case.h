/* One case of the benchmark: what is sorted, and how. */
#ifndef BENCHMARKS_CASE_H
#define BENCHMARKS_CASE_H

#include "data.h"
#include "segments.h"

struct sort_case {
    clsort_operation operation;
    const char *operation_name;
    clsort_key_type key_type;
    uint64_t value_bytes; /* of a value or an index; 0 for keys alone */
    const char *value_name;
    int descending;
    enum data_shape shape;
    struct segment_shape segments; /* kind SEGMENTS_NONE: a whole array */
    const char *data_name;
    const char *algorithm; /* NULL: the library chooses */
    uint32_t flags;        /* of the request, without the order */
    int promises_length;   /* the longest segment is told */
    uint64_t n;
};

#endif
