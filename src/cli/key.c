/* key.c: facts of the key types, and keys in arrays. */
#include "key.h"

#include <string.h>

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

/* Keys of a file may lie anywhere in it, so they are copied. */
uint64_t key_load(const struct key_info *info, const void *keys, uint64_t i)
{
    const unsigned char *key = (const unsigned char *)keys + i * info->n_bytes;
    uint8_t bits_8;
    uint16_t bits_16;
    uint32_t bits_32;
    uint64_t bits_64;
    switch (info->n_bytes) {
    case 1:
        memcpy(&bits_8, key, sizeof bits_8);
        return bits_8;
    case 2:
        memcpy(&bits_16, key, sizeof bits_16);
        return bits_16;
    case 4:
        memcpy(&bits_32, key, sizeof bits_32);
        return bits_32;
    default:
        memcpy(&bits_64, key, sizeof bits_64);
        return bits_64;
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
