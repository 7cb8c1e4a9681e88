/* Small sorts whose result was worked out by hand: for the oracle first, then for every algorithm and device. */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include <clsort/clsort.h>

#define VECTOR_LARGEST 12

struct vector {
    const char *name;
    clsort_operation operation; /* KEYS: result has the keys; else it has the input positions */
    clsort_key_type key_type;
    uint32_t flags;
    uint32_t begin_bit, end_bit; /* with CLSORT_BIT_RANGE */
    uint32_t count;
    uint64_t keys[VECTOR_LARGEST];   /* bits; those above the key's width do not count */
    uint64_t result[VECTOR_LARGEST]; /* keys as bits, or positions */
};

extern const struct vector vectors[];
extern const size_t n_vectors;

#endif
