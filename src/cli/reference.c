/* reference.c: sorts on the host by the definition of the order, with nothing in common with the library. */
#include "reference.h"

#include <stdlib.h>

static const uint64_t middle = (uint64_t)1 << 63; /* makes signed numbers unsigned in the same order */

static void describe_float(const struct key_info *info, uint64_t bits, struct reference_item *item)
{
    uint64_t sign = (uint64_t)1 << (8 * info->n_bytes - 1);
    uint64_t magnitude = bits & (sign - 1);
    bool is_negative = (bits & sign) != 0;
    if (magnitude > info->infinity) {
        item->order = UINT64_MAX;
        item->tie = is_negative ? middle + (sign - magnitude) : magnitude;
    } else {
        item->order = is_negative ? middle - magnitude : middle + magnitude;
        item->tie = is_negative ? 0 : 1;
    }
}

static void describe(const struct key_info *info, uint64_t bits, struct reference_item *item)
{
    item->tie = 0;
    if (info->kind == KEY_KIND_FLOAT) {
        describe_float(info, bits, item);
    } else if (info->kind == KEY_KIND_SIGNED) {
        uint64_t sign = (uint64_t)1 << (8 * info->n_bytes - 1);
        /* In two's complement the sign bit counts minus its weight. */
        item->order = middle + (bits & (sign - 1)) - (bits & sign);
    } else {
        item->order = bits;
    }
}

static int compare(const void *left_item, const void *right_item)
{
    const struct reference_item *left = left_item;
    const struct reference_item *right = right_item;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    if (left->tie != right->tie)
        return left->tie < right->tie ? -1 : 1;
    return left->position < right->position ? -1 : left->position > right->position;
}

void reference_sort(const struct key_info *info, const void *keys, uint64_t count, bool is_stable, bool is_descending,
                    struct reference_item *items)
{
    for (uint64_t i = 0; i < count; i++) {
        describe(info, key_load(info, keys, i), &items[i]);
        if (is_descending) {
            items[i].order = ~items[i].order;
            items[i].tie = ~items[i].tie;
        }
        if (is_stable)
            items[i].tie = 0;
        items[i].position = i;
    }
    qsort(items, (size_t)count, sizeof *items, compare);
}
