/* The right answer: ranks by counting the keys that come before, and a merge sort. */
#include "oracle.h"

#include "data.h"

#include <stdlib.h>
#include <string.h>

/*
 * A float key is a sign and a magnitude. Magnitudes 0 to infinity are numbers, those above are NaNs. The orders are told
 * as the blocks in which the keys come; a rank is the place in the block after the lengths of the blocks before it.
 */
static uint64_t float_rank(const struct oracle_order *order, uint64_t key_bits)
{
    uint64_t infinity = key_facts(order->type)->infinity;
    uint64_t largest = key_mask(order->type) / 2;
    bool negative = key_bits > largest;
    uint64_t magnitude = negative ? key_bits - largest - 1 : key_bits;
    uint64_t numbers = infinity + 1; /* of one sign, the infinity among them */
    uint64_t nans = largest - infinity;
    if (order->total_order) {
        /* negative NaNs, negative numbers, both from the largest magnitude down; positive numbers, positive NaNs */
        return negative ? largest - magnitude : nans + numbers + magnitude;
    }
    /* negative numbers down; positive numbers; positive NaNs; negative NaNs down */
    if (magnitude > infinity) {
        if (order->merged) {
            return 2 * numbers + nans - 1; /* as the last positive one */
        }
        return negative ? 2 * numbers + nans + (largest - magnitude) : 2 * numbers + (magnitude - infinity - 1);
    }
    if (magnitude == 0 && order->merged) {
        return numbers;
    }
    return negative ? infinity - magnitude : numbers + magnitude;
}

uint64_t oracle_rank(const struct oracle_order *order, uint64_t key_bits)
{
    uint64_t half = key_mask(order->type) / 2 + 1;
    switch (key_facts(order->type)->kind) {
    case KIND_UNSIGNED:
        return key_bits;
    case KIND_SIGNED:
        return key_bits >= half ? key_bits - half : key_bits + half;
    default:
        return float_rank(order, key_bits);
    }
}

uint64_t oracle_compared(const struct oracle_order *order, uint64_t key_bits)
{
    uint32_t n_bits = order->end_bit - order->begin_bit;
    if (n_bits == 0) {
        return 0;
    }
    uint64_t largest = n_bits == 64 ? UINT64_MAX : (UINT64_C(1) << n_bits) - 1;
    uint64_t compared = oracle_rank(order, key_bits) >> order->begin_bit & largest;
    return order->descending ? largest - compared : compared;
}

struct ranked {
    uint64_t compared;
    uint64_t position;
};

/* Merges the sorted runs [0, middle) and [middle, count) of from into to; ties are taken from the first. */
static void merge(const struct ranked *from, uint64_t middle, uint64_t count, struct ranked *to)
{
    uint64_t a = 0, b = middle;
    for (uint64_t i = 0; i < count; i++) {
        if (b == count || (a < middle && from[a].compared <= from[b].compared)) {
            to[i] = from[a++];
        } else {
            to[i] = from[b++];
        }
    }
}

void oracle_sort(const struct oracle_order *order, const void *keys, uint64_t count, uint64_t *positions)
{
    struct ranked *from = malloc((count + 1) * sizeof *from);
    struct ranked *to = malloc((count + 1) * sizeof *to);
    if (!from || !to) {
        abort();
    }
    for (uint64_t i = 0; i < count; i++) {
        from[i].compared = oracle_compared(order, get_key(keys, order->type, i));
        from[i].position = i;
    }
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t first = 0; first < count; first += 2 * run) {
            uint64_t length = count - first < 2 * run ? count - first : 2 * run;
            merge(from + first, length < run ? length : run, length, to + first);
        }
        struct ranked *swap = from;
        from = to;
        to = swap;
    }
    for (uint64_t i = 0; i < count; i++) {
        positions[i] = from[i].position;
    }
    free(from);
    free(to);
}

void oracle_sort_segments(const struct oracle_order *order, const void *keys, uint64_t count, uint64_t n,
                          const uint64_t *begins, const uint64_t *ends, uint64_t *positions)
{
    const size_t key_bytes = key_facts(order->type)->bytes;
    for (uint64_t i = 0; i < count; i++) {
        positions[i] = ORACLE_NO_SEGMENT;
    }
    for (uint64_t s = 0; s < n; s++) {
        uint64_t begin = begins[s] < count ? begins[s] : count, end = ends[s] < count ? ends[s] : count;
        if (begin < end) {
            oracle_sort(order, (const unsigned char *)keys + begin * key_bytes, end - begin, positions + begin);
        }
        for (uint64_t i = begin; i < end; i++) {
            positions[i] += begin;
        }
    }
}
