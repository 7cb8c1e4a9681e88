/* key.c: facts of the key types, and keys in arrays. */
#include "key.h"

static const struct key_info key_infos[] = {
#define KEY_ROW(name, text, number, bytes, kind, infinity) {CLSORT_##name, text, bytes, KEY_KIND_##kind, infinity},
    CLSORT_KEY_TYPE_TABLE(KEY_ROW)
#undef KEY_ROW
};

const struct key_info *key_info_at(size_t i)
{
    return i < sizeof key_infos / sizeof *key_infos ? &key_infos[i] : NULL;
}

const struct key_info *key_info_of(clsort_key_type type)
{
    const struct key_info *info = NULL;
    for (size_t i = 0; (info = key_info_at(i)) != NULL; i++) {
        if (info->type == type)
            return info;
    }
    return NULL;
}

uint64_t key_load(const struct key_info *info, const void *keys, uint64_t i)
{
    switch (info->n_bytes) {
    case 1:
        return ((const uint8_t *)keys)[i];
    case 2:
        return ((const uint16_t *)keys)[i];
    case 4:
        return ((const uint32_t *)keys)[i];
    default:
        return ((const uint64_t *)keys)[i];
    }
}

void key_store(const struct key_info *info, void *keys, uint64_t i, uint64_t bits)
{
    switch (info->n_bytes) {
    case 1:
        ((uint8_t *)keys)[i] = (uint8_t)bits;
        break;
    case 2:
        ((uint16_t *)keys)[i] = (uint16_t)bits;
        break;
    case 4:
        ((uint32_t *)keys)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)keys)[i] = bits;
        break;
    }
}
