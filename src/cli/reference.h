/* reference.h: the order that every algorithm has to give, worked out on the host from the definition alone. */
#ifndef CLI_REFERENCE_H
#define CLI_REFERENCE_H

#include "key.h"

#include <stdbool.h>

struct reference_item {
    uint64_t order;    /* of the key as a number: zeros are equal, NaNs are equal and above all others */
    uint64_t tie;      /* order among equal numbers that differ in their bits */
    uint64_t position; /* in the input */
};

/*
 * Fills items with the keys in sorted order. Keys alone are told apart by their bits (-0 before +0; positive NaNs by
 * rising and then negative ones by falling magnitude); for pairs and argsort, with is_stable, numbers that are equal
 * keep their input order instead.
 */
void reference_sort(const struct key_info *info, const void *keys, uint64_t count, bool is_stable, bool is_descending,
                    struct reference_item *items);

#endif
