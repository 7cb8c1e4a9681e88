/* key.h: facts of the key types that the command needs to read, write and check keys. */
#ifndef CLI_KEY_H
#define CLI_KEY_H

#include <clsort/clsort.h>

enum key_kind { KEY_KIND_UNSIGNED, KEY_KIND_SIGNED, KEY_KIND_FLOAT };

struct key_info {
    clsort_key_type type;
    const char *name;
    unsigned n_bytes;
    enum key_kind kind;
    uint64_t infinity; /* bits of +infinity of a float */
};

/* Facts of key type number i, NULL from the last on. */
const struct key_info *key_info_at(size_t i);

/* Facts of a key type, NULL if there is no such type. */
const struct key_info *key_info_of(clsort_key_type type);

/* The bits of key number i of an array, as an unsigned integer. */
uint64_t key_load(const struct key_info *info, const void *keys, uint64_t i);
void key_store(const struct key_info *info, void *keys, uint64_t i, uint64_t bits);

#endif
