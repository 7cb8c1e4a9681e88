/* Checks a sorted result on the host. */
#ifndef BENCHMARKS_VERIFY_H
#define BENCHMARKS_VERIFY_H

#include "case.h"

/*
 * Up to this count a result is compared element by element: keys with a sort on the host, pairs and argsort through the
 * position in each value (with the host's sort where values are too small for one). Above it, order, order of ties
 * and a sum of hashes over all elements are checked.
 */
#define VERIFY_REFERENCE_LIMIT ((uint64_t)1 << 22)

/* What went in and what came out. Arrays that the operation does not have are NULL. The values of pairs were numbered
   by data_number_values(). */
struct verify_data {
    const void *keys_in;
    const void *keys_out;
    const void *values_in;
    const void *values_out;
};

/* What outputs were filled with, for elements in no segment. */
#define VERIFY_POISON 0xa5

/* 1 if the result is right; else 0, and text says what is wrong. segments is NULL for a whole array; of segments order, order
   of ties and sums are checked. */
int verify(const struct sort_case *c, const struct verify_data *data, const struct segments *segments, char *text,
           size_t text_bytes);

#endif
