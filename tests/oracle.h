/* The right answer, computed on the host without the library: the rank of a key and a stable sort by it. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <clsort/clsort.h>
#include <stdbool.h>

/* Which order a request asks for. */
struct oracle_order {
    clsort_key_type type;
    bool descending;
    bool total_order; /* of float keys, else numeric */
    bool merged;      /* numeric order of floats: both zeros are one rank, all NaNs are one; for pairs and argsort */
    uint32_t begin_bit;
    uint32_t end_bit; /* bits [begin_bit, end_bit) of the rank are compared */
};

/* Place of a key in its type's ascending order, counted from 0. */
uint64_t oracle_rank(const struct oracle_order *order, uint64_t key_bits);
/* What the request compares of a key: equal for keys that tie, smaller for those that come first. */
uint64_t oracle_compared(const struct oracle_order *order, uint64_t key_bits);
/* positions[i] receives the input position of the key that belongs at i; ties keep their input order. */
void oracle_sort(const struct oracle_order *order, const void *keys, uint64_t count, uint64_t *positions);

/* Position of an element that belongs to no segment. */
#define ORACLE_NO_SEGMENT UINT64_MAX
/* The same for n segments [begins[i], ends[i]) of an array of count keys, cut to it; they do not overlap. */
void oracle_sort_segments(const struct oracle_order *order, const void *keys, uint64_t count, uint64_t n,
                          const uint64_t *begins, const uint64_t *ends, uint64_t *positions);

#endif
