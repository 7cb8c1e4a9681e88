/* Input data: hashed words and shapes of keys, as other libraries' benches make them. */
#include "data.h"
#include "order.h"
#include <math.h>

#define FIRST_SEED 1

const char *data_shape_name(enum data_shape shape)
{
    static const char *const names[] = {
#define DATA_SHAPE_NAME(name, text) text,
        DATA_SHAPE_TABLE(DATA_SHAPE_NAME)
#undef DATA_SHAPE_NAME
    };
    return names[shape];
}

size_t data_room(uint64_t bytes)
{
    return (size_t)((bytes + 7) / 8 * 8 + 8);
}

/* The output function of splitmix64 (Steele, Lea, Flood, 2014) on multiples of its step, cut to 32 bits. */
static uint32_t hash(uint64_t i)
{
    uint64_t z = i * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

void data_fill(void *p, uint64_t bytes, uint64_t seed)
{
    uint32_t *words = p;
    const uint64_t n = (bytes + 3) / 4;
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        words[i] = hash(i + seed);
}

/* Bits of key i in the words of data_fill(): part of a word, a word or two. */
static uint64_t uniform(uint64_t i, const struct key_order *order, uint64_t seed)
{
    if (order->bytes == 8)
        return hash(2 * i + seed) | (uint64_t)hash(2 * i + 1 + seed) << 32;
    uint64_t byte = i * order->bytes;
    return (hash(byte / 4 + seed) >> (byte % 4 * 8)) & order->mask;
}

/* The i-th of n keys that go up evenly. Narrow keys repeat. */
static uint64_t ramp(uint64_t i, uint64_t n, const struct key_order *order)
{
    uint64_t step = order->mask / n;
    uint64_t rank = order->bytes < 4 ? (i << (8 * order->bytes)) / n : i * step;
    return order_key(order, rank);
}

/* Log-uniform: the chance of k is about 1/k. */
static uint64_t zipf(uint64_t x, const struct key_order *order)
{
    double bits = 8.0 * order->bytes;
    double key = exp2(((double)x + 0.5) / exp2(bits) * bits);
    return key < exp2(bits) ? (uint64_t)key : order->mask;
}

/* The i-th of n ranks for which a quicksort by the median of the first, middle and last key takes the square of n (Musser, Introspective
   sorting and selection algorithms, 1997). */
static uint64_t median_killer(uint64_t i, uint64_t n)
{
    uint64_t half = n / 2;
    if (i >= half)
        return 2 * (i - half) + 1;
    return i % 2 ? half + i - 1 : i;
}

/* A random key for number i of a set: the same number has the same key. */
static uint64_t key_of_number(uint64_t i, const struct key_order *order)
{
    return (hash(2 * i + FIRST_SEED) | (uint64_t)hash(2 * i + 1 + FIRST_SEED) << 32) & order->mask;
}

/* Of 2^k numbers each stands 2^k times, for k from 0 on. */
static uint64_t staircase(uint64_t i, const struct key_order *order)
{
    uint64_t first = 0, width = 1;
    while (i - first >= width * width) {
        first += width * width;
        width *= 2;
    }
    return key_of_number((width << 32) + (i - first) / width, order);
}

/* The bytes between the first and the last are one of two patterns. */
static uint64_t two_middles(uint64_t i, const struct key_order *order)
{
    unsigned top = 8 * order->bytes - 8;
    uint64_t bits = hash(i + FIRST_SEED);
    uint64_t middle = (bits & 1 ? 0x5a5a5a5a5a5a5a5au : 0x5b5a5b5a5b5a5b5au) & (order->mask >> 8) & ~(uint64_t)0xff;
    return ((bits >> 1 & 3) * 0x3f) << top | middle | (bits >> 8 & 0xff);
}

/* Each byte is the given one in `of` of 65536 cases, and else random below the limit. */
static uint64_t bytes_often(uint64_t i, const struct key_order *order, uint64_t byte, uint64_t of, uint64_t limit)
{
    uint64_t key = 0;
    for (unsigned b = 0; b < order->bytes; b++) {
        uint64_t bits = hash(8 * i + b + FIRST_SEED);
        key |= ((bits & 0xffff) < of ? byte : (bits >> 16) % limit) << (8 * b);
    }
    return key;
}

/* The sum of four, each of a quarter of the range. */
static uint64_t bell(uint64_t i, uint64_t n, const struct key_order *order)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < 4; k++)
        sum += uniform(i, order, FIRST_SEED + k * 2 * n) >> 2;
    return sum;
}

/* One of so many is one key, the rest uniform. */
static uint64_t with_hot_key(uint64_t i, uint64_t n, const struct key_order *order, uint32_t one_of)
{
    return hash(i + 5 + n) % one_of ? uniform(i, order, FIRST_SEED) : 0xddddddddddddddddu & order->mask;
}

static uint64_t shaped(uint64_t i, uint64_t n, const struct key_order *order, enum data_shape shape)
{
    switch (shape) {
    case DATA_SORTED:
        return ramp(i, n, order);
    case DATA_REVERSED:
        return ramp(n - 1 - i, n, order);
    case DATA_EQUAL:
        return 0x5555555555555555u & order->mask;
    case DATA_FEW16:
        return (uniform(i, order, FIRST_SEED) & 15) * ((order->top >> 3) + 1) & order->mask;
    case DATA_LOW16:
        return uniform(i, order, FIRST_SEED) & 0xffff;
    case DATA_AND3:
        return uniform(i, order, FIRST_SEED) & uniform(i, order, 77 + n) & uniform(i, order, 99 + 2 * n);
    case DATA_QUARTER_EQUAL:
        return hash(i + 5 + n) & 3 ? uniform(i, order, FIRST_SEED) : order->top;
    case DATA_ZIPF:
        return zipf(uniform(i, order, FIRST_SEED), order);
    case DATA_TWO_VALUES:
        return hash(i + FIRST_SEED) & 1 ? order->top : 0x5555555555555555u & order->mask;
    case DATA_ORGAN_PIPE:
        return ramp(2 * (i < n - 1 - i ? i : n - 1 - i), n, order);
    case DATA_LAST_MINIMUM:
        return ramp((i + 1) % n, n, order);
    case DATA_MEDIAN_KILLER:
        return ramp(median_killer(i, n), n, order);
    case DATA_ONE_OUTLIER:
        return i == n / 3 ? 7 : 0x5555555555555555u & order->mask;
    case DATA_STAIRCASE:
        return staircase(i, order);
    case DATA_TWO_MIDDLES:
        return two_middles(i, order);
    case DATA_TWO_ENDS:
        return (uniform(i, order, FIRST_SEED) & ~(order->mask >> 16)) | (hash(i + 5 + n) & 1) * (order->mask >> 18);
    case DATA_HOT_500:
        return with_hot_key(i, n, order, 500);
    case DATA_HOT_20000:
        return with_hot_key(i, n, order, 20000);
    case DATA_ZERO_BYTES:
        return bytes_often(i, order, 0, 39322, 256);
    case DATA_FIXED_BYTES:
        return bytes_often(i, order, 0x55, 32768, 4);
    case DATA_BELL:
        return bell(i, n, order);
    case DATA_RUNS_10000:
        return key_of_number(i / 10000, order);
    case DATA_MODULO_1000:
        return i % 1000 * (order->mask / 1000 + 1) & order->mask;
    default:
        return uniform(i, order, FIRST_SEED);
    }
}

void data_fill_keys(void *keys, uint64_t n, clsort_key_type key_type, enum data_shape shape)
{
    struct key_order order = order_of(key_type, 0);
    if (shape == DATA_UNIFORM) {
        data_fill(keys, n * order.bytes, FIRST_SEED);
        return;
    }
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        order_store(&order, keys, i, shaped(i, n, &order, shape));
}

void data_number_values(void *values, uint64_t n, uint64_t value_bytes)
{
    unsigned char *p = values;
    for (uint64_t i = 0; i < n; i++, p += value_bytes) {
        uint32_t word = (uint32_t)i;
        if (value_bytes >= 8)
            memcpy(p, &i, 8);
        else if (value_bytes >= 4)
            memcpy(p, &word, 4);
        else
            for (unsigned b = 0; b < value_bytes; b++)
                p[b] = (unsigned char)(i >> (8 * b));
    }
}

uint64_t data_positions(uint64_t value_bytes)
{
    if (value_bytes >= 8)
        return UINT64_MAX;
    return (uint64_t)1 << (value_bytes >= 4 ? 32 : 8 * value_bytes);
}

uint64_t data_position(const void *value, uint64_t value_bytes)
{
    const unsigned char *p = value;
    uint64_t position = 0;
    uint32_t word;
    if (value_bytes >= 8) {
        memcpy(&position, p, 8);
    } else if (value_bytes >= 4) {
        memcpy(&word, p, 4);
        position = word;
    } else {
        for (unsigned b = 0; b < value_bytes; b++)
            position |= (uint64_t)p[b] << (8 * b);
    }
    return position;
}

uint64_t data_checksum(const void *p, uint64_t bytes)
{
    const uint32_t *words = p;
    uint64_t sum = 0, whole = bytes / 4;
#pragma omp parallel for reduction(+ : sum)
    for (uint64_t i = 0; i < whole; i++)
        sum += words[i] * (2 * i + 1);
    uint32_t last = 0;
    memcpy(&last, words + whole, (size_t)(bytes % 4));
    return sum + last * (2 * whole + 1);
}
