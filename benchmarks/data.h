/* Input data: the same bytes on every machine, for any library that is compared. */
#ifndef BENCHMARKS_DATA_H
#define BENCHMARKS_DATA_H

#include <clsort/clsort.h>

/* X(name, text) */
#define DATA_SHAPE_TABLE(X)                                                                                            \
    X(UNIFORM, "uniform")                                                                                              \
    X(SORTED, "sorted")                                                                                                \
    X(REVERSED, "reversed")                                                                                            \
    X(EQUAL, "equal")                                                                                                  \
    X(FEW16, "few16")                                                                                                  \
    X(LOW16, "low16")                                                                                                  \
    X(AND3, "and3")                                                                                                    \
    X(QUARTER_EQUAL, "quarter_equal")                                                                                  \
    X(ZIPF, "zipf")                                                                                                    \
    X(TWO_VALUES, "two_values")                                                                                        \
    X(ORGAN_PIPE, "organ_pipe")                                                                                        \
    X(LAST_MINIMUM, "last_minimum")                                                                                    \
    X(MEDIAN_KILLER, "median_killer")                                                                                  \
    X(ONE_OUTLIER, "one_outlier")                                                                                      \
    X(STAIRCASE, "staircase")                                                                                          \
    X(TWO_MIDDLES, "two_middles")                                                                                      \
    X(TWO_ENDS, "two_ends")                                                                                            \
    X(HOT_500, "hot_500")                                                                                              \
    X(HOT_20000, "hot_20000")                                                                                          \
    X(ZERO_BYTES, "zero_bytes")                                                                                        \
    X(FIXED_BYTES, "fixed_bytes")                                                                                      \
    X(BELL, "bell")                                                                                                    \
    X(RUNS_10000, "runs_10000")                                                                                        \
    X(MODULO_1000, "modulo_1000")

enum data_shape {
#define DATA_SHAPE_ENUM(name, text) DATA_##name,
    DATA_SHAPE_TABLE(DATA_SHAPE_ENUM)
#undef DATA_SHAPE_ENUM
        DATA_SHAPES
};

/* Name of a shape. */
const char *data_shape_name(enum data_shape shape);

/* Bytes to allocate for data of this size: the fills write whole 32-bit words. */
size_t data_room(uint64_t bytes);

/* Fills bytes of p with the words hash(i + seed). */
void data_fill(void *p, uint64_t bytes, uint64_t seed);

/* Fills n keys. Uniform keys of any type are words of data_fill() with seed 1; the other shapes are shapes of the key's
   bits, and of its order where they are sorted or reversed. */
void data_fill_keys(void *keys, uint64_t n, clsort_key_type key_type, enum data_shape shape);

/* Writes into each value its own position, as far as it fits. */
void data_number_values(void *values, uint64_t n, uint64_t value_bytes);

/* How many positions values of this size can tell apart. */
uint64_t data_positions(uint64_t value_bytes);

/* The position that data_number_values() wrote into value. */
uint64_t data_position(const void *value, uint64_t value_bytes);

/* Sum of word[i] * (2 i + 1) modulo 2^64 over the 32-bit words of p, the last one filled up with 0: depends on the
   order of the words and can be computed in parallel. */
uint64_t data_checksum(const void *p, uint64_t bytes);

#endif
