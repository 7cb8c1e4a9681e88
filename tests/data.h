/* Test data: key types by their facts, key patterns and values, the same on every machine. */
#ifndef TESTS_DATA_H
#define TESTS_DATA_H

#include <clsort/clsort.h>

enum number_kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT };

struct key_facts {
    clsort_key_type type;
    const char *name;
    size_t bytes;
    enum number_kind kind;
    uint64_t infinity; /* of KIND_FLOAT: the pattern of +infinity */
};

/* All key types of the public table, and how many they are. */
extern const struct key_facts key_table[];
extern const size_t n_key_types;

/* Facts of a key type, which has to exist. */
const struct key_facts *key_facts(clsort_key_type type);
/* The key's bits below its width. */
uint64_t key_mask(clsort_key_type type);

/* The key at position i of an array as an integer of its bits, and the way back. */
uint64_t get_key(const void *keys, clsort_key_type type, uint64_t i);
void set_key(void *keys, clsort_key_type type, uint64_t i, uint64_t bits);
/* Bits of the key of this type whose value is the whole number, rounded towards 0 where the type is too narrow. */
uint64_t key_of_number(clsort_key_type type, uint64_t number);
/* Bits of the key that comes first or last in its type's numeric order (for floats last is a NaN). */
uint64_t smallest_key(clsort_key_type type);
uint64_t largest_key(clsort_key_type type);

enum data_shape {
    DATA_RANDOM,    /* xorshift32 from the seed on; 64-bit keys are two draws, the first one high */
    DATA_FEW,       /* random numbers modulo the parameter */
    DATA_ALL,       /* every key has the parameter's bits */
    DATA_ASCENDING, /* 0, 1, 2, ...; types that are too narrow count more slowly */
    DATA_DESCENDING,
    DATA_LAST_MINIMUM, /* 1, 2, 3, ..., and 0 at the end */
    DATA_PIPE,         /* up to the middle, then down again */
    DATA_MAXIMUM_MIX,  /* every fourth key is the type's largest (floats: +infinity in turn with it), else random */
    DATA_SPECIAL,      /* random, but half of the keys are drawn from the type's corner cases */
    DATA_LOW_BITS,     /* random & the parameter */
    DATA_GIVEN         /* the keys are the test's own */
};

struct data {
    enum data_shape shape;
    uint32_t seed;
    uint64_t parameter;
};

/* Next draw of xorshift32 with shifts 13, 17, 5. */
uint32_t next_random(uint32_t *state);
const char *shape_name(enum data_shape shape);
void make_keys(clsort_key_type type, struct data data, uint64_t count, void *keys);

/* The value that belongs to input position i: the position, then bytes that depend on it, cut to value_bytes. */
void make_value(uint64_t position, uint64_t value_bytes, unsigned char *value);

#endif
