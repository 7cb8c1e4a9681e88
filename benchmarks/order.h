/* The order of keys, written down apart from the library so that its results can be held against it. */
#ifndef BENCHMARKS_ORDER_H
#define BENCHMARKS_ORDER_H

#include <clsort/clsort.h>
#include <string.h>

enum key_kind { KEY_UNSIGNED, KEY_SIGNED, KEY_FLOAT };

struct key_order {
    enum key_kind kind;
    unsigned bytes;
    uint64_t mask;     /* all bits of a key */
    uint64_t top;      /* its highest bit */
    uint64_t infinity; /* bits of +infinity of a float key */
    uint64_t flip;     /* mask for descending order, else 0 */
};

/* The numeric order of a key type; the type must exist. */
struct key_order order_of(clsort_key_type key_type, int descending);

/* Bits of key number i. */
static inline uint64_t order_load(const struct key_order *order, const void *keys, uint64_t i)
{
    if (order->bytes == 4)
        return ((const uint32_t *)keys)[i];
    if (order->bytes == 8)
        return ((const uint64_t *)keys)[i];
    if (order->bytes == 2)
        return ((const uint16_t *)keys)[i];
    return ((const uint8_t *)keys)[i];
}

static inline void order_store(const struct key_order *order, void *keys, uint64_t i, uint64_t bits)
{
    if (order->bytes == 4)
        ((uint32_t *)keys)[i] = (uint32_t)bits;
    else if (order->bytes == 8)
        ((uint64_t *)keys)[i] = bits;
    else if (order->bytes == 2)
        ((uint16_t *)keys)[i] = (uint16_t)bits;
    else
        ((uint8_t *)keys)[i] = (uint8_t)bits;
}

/* The unsigned integer whose ascending order is the order of keys alone; different bits have different ranks. */
static inline uint64_t order_rank(const struct key_order *order, uint64_t bits)
{
    uint64_t rank = bits;
    if (order->kind == KEY_SIGNED)
        rank = bits ^ order->top;
    if (order->kind == KEY_FLOAT)
        rank = (bits ^ (bits & order->top ? order->mask : order->top)) - (order->top - 1 - order->infinity);
    return (rank & order->mask) ^ order->flip;
}

/* As the rank, but the same for keys that compare equal: -0 and +0, and all NaNs. */
static inline uint64_t order_class(const struct key_order *order, uint64_t bits)
{
    if (order->kind == KEY_FLOAT) {
        uint64_t magnitude = bits & (order->mask ^ order->top);
        if (magnitude == 0)
            bits = 0;
        if (magnitude > order->infinity)
            bits = order->infinity + 1;
    }
    return order_rank(order, bits);
}

/* The key that has this rank in ascending order. */
static inline uint64_t order_key(const struct key_order *order, uint64_t rank)
{
    if (order->kind == KEY_SIGNED)
        return rank ^ order->top;
    if (order->kind == KEY_UNSIGNED)
        return rank;
    uint64_t image = (rank + (order->top - 1 - order->infinity)) & order->mask;
    return image ^ (image & order->top ? order->top : order->mask);
}

#endif
