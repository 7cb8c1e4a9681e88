/* Test data: key patterns and values. */
#include "data.h"

#include <stdlib.h>
#include <string.h>

const struct key_facts key_table[] = {
#define KEY_ROW(name, text, number, bytes, kind, infinity) {CLSORT_##name, text, bytes, KIND_##kind, infinity},
    CLSORT_KEY_TYPE_TABLE(KEY_ROW)
#undef KEY_ROW
};
const size_t n_key_types = sizeof key_table / sizeof key_table[0];

const struct key_facts *key_facts(clsort_key_type type)
{
    for (size_t i = 0; i < n_key_types; i++) {
        if (key_table[i].type == type) {
            return &key_table[i];
        }
    }
    abort();
}

uint64_t key_mask(clsort_key_type type)
{
    size_t bytes = key_facts(type)->bytes;
    return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * bytes)) - 1;
}

uint64_t get_key(const void *keys, clsort_key_type type, uint64_t i)
{
    size_t bytes = key_facts(type)->bytes;
    const unsigned char *key = (const unsigned char *)keys + i * bytes;
    uint64_t u64;
    uint32_t u32;
    uint16_t u16;
    switch (bytes) {
    case 1:
        return *key;
    case 2:
        memcpy(&u16, key, 2);
        return u16;
    case 4:
        memcpy(&u32, key, 4);
        return u32;
    default:
        memcpy(&u64, key, 8);
        return u64;
    }
}

void set_key(void *keys, clsort_key_type type, uint64_t i, uint64_t bits)
{
    size_t bytes = key_facts(type)->bytes;
    unsigned char *key = (unsigned char *)keys + i * bytes;
    uint32_t u32 = (uint32_t)bits;
    uint16_t u16 = (uint16_t)bits;
    switch (bytes) {
    case 1:
        *key = (unsigned char)bits;
        break;
    case 2:
        memcpy(key, &u16, 2);
        break;
    case 4:
        memcpy(key, &u32, 4);
        break;
    default:
        memcpy(key, &bits, 8);
    }
}

/* Bits of mantissa of a float type: its +infinity is all exponent bits, just above them. */
static unsigned mantissa_bits(const struct key_facts *key)
{
    unsigned bits = 0;
    while (!(key->infinity >> bits & 1)) {
        bits++;
    }
    return bits;
}

uint64_t key_of_number(clsort_key_type type, uint64_t number)
{
    const struct key_facts *key = key_facts(type);
    if (key->kind != KIND_FLOAT) {
        return number & key_mask(type);
    }
    if (number == 0) {
        return 0;
    }
    unsigned mantissa = mantissa_bits(key);
    uint64_t bias = (key->infinity >> mantissa) / 2;
    unsigned exponent = 0;
    while (number >> exponent > 1) {
        exponent++;
    }
    number ^= UINT64_C(1) << exponent;
    number = exponent > mantissa ? number >> (exponent - mantissa) : number << (mantissa - exponent);
    return (bias + exponent) << mantissa | number;
}

uint64_t smallest_key(clsort_key_type type)
{
    const struct key_facts *key = key_facts(type);
    uint64_t sign = key_mask(type) / 2 + 1;
    return key->kind == KIND_UNSIGNED ? 0 : key->kind == KIND_SIGNED ? sign : sign | key->infinity;
}

uint64_t largest_key(clsort_key_type type)
{
    return key_facts(type)->kind == KIND_UNSIGNED ? key_mask(type) : key_mask(type) / 2;
}

uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint64_t random_bits(clsort_key_type type, uint32_t *state)
{
    uint64_t bits = next_random(state);
    if (key_facts(type)->bytes == 8) {
        bits = bits << 32 | next_random(state);
    }
    return bits & key_mask(type);
}

/* A corner case of the type: ends of the order, zero and its neighbours; floats: both signs of each, NaNs of several kinds. */
static uint64_t special_bits(clsort_key_type type, uint32_t *state)
{
    const struct key_facts *key = key_facts(type);
    uint64_t mask = key_mask(type), sign = mask / 2 + 1, draw = next_random(state) >> 8;
    if (key->kind != KIND_FLOAT) {
        const uint64_t cases[] = {0, 1, mask, mask - 1, sign, sign - 1, sign + 1, mask / 255};
        return cases[draw % 8];
    }
    uint64_t infinity = key->infinity, nan_step = (sign - infinity) / 4;
    const uint64_t magnitudes[] = {0,
                                   0,
                                   1,
                                   infinity,
                                   infinity,
                                   infinity - 1,
                                   infinity + 1,
                                   infinity + nan_step,
                                   sign - 1,
                                   infinity / 2,
                                   infinity / 2 + 1,
                                   infinity + 2 * nan_step};
    return magnitudes[draw % 12] | (draw / 12 % 2 ? sign : 0);
}

/* The i-th number of a row 0, 1, 2, ... of count numbers, slowed down so that the type can hold the last one in order. */
static uint64_t step_of_row(clsort_key_type type, uint64_t i, uint64_t count)
{
    uint64_t limit = key_facts(type)->bytes == 1 ? 0x7f : key_facts(type)->bytes == 2 ? 0x7fff : 0x7fffffff;
    while (count > limit) {
        count >>= 1;
        i >>= 1;
    }
    return i;
}

const char *shape_name(enum data_shape shape)
{
    static const char *const names[] = {"random", "few",         "all",     "ascending", "descending", "last-minimum",
                                        "pipe",   "maximum-mix", "special", "low-bits",  "given"};
    return names[shape];
}

void make_keys(clsort_key_type type, struct data data, uint64_t count, void *keys)
{
    const struct key_facts *key = key_facts(type);
    uint32_t state = data.seed;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        uint64_t row = i;
        switch (data.shape) {
        case DATA_RANDOM:
            bits = random_bits(type, &state);
            break;
        case DATA_FEW:
            bits = key_of_number(type, next_random(&state) % data.parameter);
            break;
        case DATA_ALL:
            bits = data.parameter;
            break;
        case DATA_DESCENDING:
            row = count - 1 - i;
            bits = key_of_number(type, step_of_row(type, row, count));
            break;
        case DATA_LAST_MINIMUM:
            row = i + 1 == count ? 0 : i + 1;
            bits = key_of_number(type, step_of_row(type, row, count));
            break;
        case DATA_PIPE:
            row = i < count / 2 ? i : count - 1 - i;
            bits = key_of_number(type, step_of_row(type, row, count));
            break;
        case DATA_ASCENDING:
            bits = key_of_number(type, step_of_row(type, row, count));
            break;
        case DATA_MAXIMUM_MIX:
            bits = random_bits(type, &state);
            if (i % 4 == 0) {
                bits = key->kind == KIND_FLOAT && i % 8 == 0 ? key->infinity : largest_key(type);
            }
            break;
        case DATA_SPECIAL:
            bits = next_random(&state) >> 31 ? special_bits(type, &state) : random_bits(type, &state);
            break;
        case DATA_LOW_BITS:
            bits = random_bits(type, &state) & data.parameter;
            break;
        case DATA_GIVEN:
            return;
        }
        set_key(keys, type, i, bits);
    }
}

void make_value(uint64_t position, uint64_t value_bytes, unsigned char *value)
{
    unsigned char whole[8];
    for (unsigned b = 0; b < 8; b++) {
        whole[b] = (unsigned char)(position >> 8 * b);
    }
    memcpy(value, whole, value_bytes < 8 ? value_bytes : 8);
    uint32_t state = (uint32_t)position * 2654435761u + 1;
    for (uint64_t b = 8; b < value_bytes; b++) {
        value[b] = (unsigned char)(next_random(&state) >> 11);
    }
}
