/* The options that host and kernels share: each is one #define, checked again by cl/base.cl. */
#ifndef CLSORT_PROGRAM_OPTIONS_H
#define CLSORT_PROGRAM_OPTIONS_H

#include <stdint.h>

/* X(field, define) */
#define PROGRAM_OPTIONS(X)                                                                                             \
    X(key_bytes, "KEY_BYTES")                                                                                          \
    X(key_is_float, "KEY_IS_FLOAT")                                                                                    \
    X(value_bytes, "VALUE_BYTES")                                                                                      \
    X(index_bytes, "INDEX_BYTES")                                                                                      \
    X(group_size, "GROUP_SIZE")                                                                                        \
    X(items, "ITEMS")                                                                                                  \
    X(radix_bits, "RADIX_BITS")                                                                                        \
    X(rank_bits, "RANK_BITS")                                                                                          \
    X(element_words, "ELEMENT_WORDS")                                                                                  \
    X(unroll, "UNROLL_LOOPS")                                                                                          \
    X(ptx, "PTX")

struct program_options {
#define PROGRAM_OPTION_MEMBER(field, define) uint32_t field;
    PROGRAM_OPTIONS(PROGRAM_OPTION_MEMBER)
#undef PROGRAM_OPTION_MEMBER
};

#endif
