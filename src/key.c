/* Key types, and the constants by which kernels turn a key into its rank. */
#include "key.h"

#include <string.h>

static const struct key_info keys[] = {
#define KEY_ROW(name, text, number, bytes, kind, infinity) {CLSORT_##name, text, bytes, KEY_##kind, infinity},
    CLSORT_KEY_TYPE_TABLE(KEY_ROW)
#undef KEY_ROW
};

enum { n_keys = sizeof keys / sizeof keys[0] };

const struct key_info *clsort__key_find(clsort_key_type type)
{
    for (size_t i = 0; i < n_keys; i++) {
        if (keys[i].type == type) {
            return &keys[i];
        }
    }
    return NULL;
}

const char *clsort_key_type_name(clsort_key_type key_type)
{
    const struct key_info *key = clsort__key_find(key_type);
    return key ? key->name : NULL;
}

size_t clsort_key_type_bytes(clsort_key_type key_type)
{
    const struct key_info *key = clsort__key_find(key_type);
    return key ? key->bytes : 0;
}

clsort_key_type clsort_key_type_from_name(const char *name)
{
    for (size_t i = 0; name && i < n_keys; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return keys[i].type;
        }
    }
    return (clsort_key_type)0;
}

struct key_order clsort__key_order(const struct key_info *key, uint32_t flags, int merge_ties)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * key->bytes);
    const uint64_t sign = all ^ all >> 1;
    const int numeric = key->kind == KEY_FLOAT && !(flags & CLSORT_FLOAT_TOTAL_ORDER);
    struct key_order order = {0};
    order.infinity = key->infinity;
    order.merge = numeric && merge_ties;
    /* There are sign - 1 - infinity negative NaNs, and totalOrder puts them first. */
    order.bias = numeric ? sign - 1 - key->infinity : 0;
    order.flip = key->kind == KEY_SIGNED ? sign : 0;
    if (flags & CLSORT_DESCENDING) {
        order.flip ^= all;
    }
    return order;
}
