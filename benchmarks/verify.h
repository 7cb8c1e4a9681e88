/* Checks a sorted result on the host. */
#ifndef BENCHMARKS_VERIFY_H
#define BENCHMARKS_VERIFY_H

#include "case.h"

/* Up to this count the keys are sorted on the host too and compared; above it, order and a sum over all keys are. */
#define VERIFY_REFERENCE_LIMIT ((uint64_t)1 << 22)

/* What went in and what came out. Arrays that the operation does not have are NULL. The values of pairs were numbered by
   data_number_values(). */
struct verify_data {
    const void *keys_in;
    const void *keys_out;
    const void *values_in;
    const void *values_out;
};

/* 1 if the result is right; else 0, and text says what is wrong. */
int verify(const struct sort_case *c, const struct verify_data *data, char *text, size_t text_bytes);

#endif
