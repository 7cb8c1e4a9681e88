/* Key types, and the constants by which kernels turn a key into its rank. */
#ifndef CLSORT_KEY_H
#define CLSORT_KEY_H

#include "clsort/clsort.h"

enum key_kind { KEY_UNSIGNED, KEY_SIGNED, KEY_FLOAT };

struct key_info {
    clsort_key_type type;
    const char *name;
    unsigned bytes;
    enum key_kind kind;
    uint64_t infinity; /* bits of +infinity, 0 if the kind is not KEY_FLOAT */
};

/* The key type, NULL if there is no such type. */
const struct key_info *clsort__key_find(clsort_key_type type);

/* The arguments of key_rank() in cl/base.cl. */
struct key_order {
    uint64_t flip;     /* bits inverted at the end: the sign of integers, all for descending */
    uint64_t bias;     /* taken off the rank of floats, so that negative NaNs wrap to the end */
    uint64_t infinity; /* greater magnitudes are NaNs */
    uint32_t merge;    /* 1: -0 ranks as +0 and all NaNs rank alike */
};

/* merge_ties: keys that are equal in numeric order get one rank (pairs and argsort), else ranks are as distinct as keys. */
struct key_order clsort__key_order(const struct key_info *key, uint32_t flags, int merge_ties);

#endif
