/* Compiled programs on disk: one file an entry, checked on loading, replaced as a whole. */
#include "program_cache.h"

#include "platform.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A file holds this header, the key and the binary. The key is compared on loading, so that two keys with one file name
 * only cost a rebuild; numbers are in the machine's byte order, as the binary is of this machine anyway.
 */
struct entry_header {
    char magic[8];
    uint64_t key_bytes;
    uint64_t binary_bytes;
    uint64_t checksum; /* of key and binary */
};

static const char entry_magic[8] = {'c', 'l', 's', 'o', 'r', 't', '0', '1'};

/* FNV-1a, 64 bits: draft-eastlake-fnv. Against damage, not against malice. */
static uint64_t hash_bytes(uint64_t hash, const void *content, size_t bytes)
{
    const unsigned char *at = content;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3;
    }
    return hash;
}

static const uint64_t hash_start = 0xcbf29ce484222325;

static char *print(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return text;
}

int clsort__program_cache_find(const char *asked_for, char **path)
{
    const char *variable = clsort__platform_variable("CLSORT_CACHE_DIR");
    *path = NULL;
    if (asked_for && *asked_for) {
        *path = clsort__platform_join(asked_for, "");
    } else if (variable) {
        *path = clsort__platform_join(variable, "");
    } else {
        char *of_user = NULL;
        if (clsort__platform_cache_directory(&of_user)) {
            return -1;
        }
        if (!of_user) {
            return 0;
        }
        *path = clsort__platform_join(of_user, "/clsort");
        free(of_user);
    }
    return *path ? 0 : -1;
}

const char *clsort__program_cache_open(const char *path)
{
    if (clsort__platform_make_directories(path)) {
        return "it cannot be made";
    }
    return clsort__platform_is_private_directory(path) ? NULL : "it is no folder that only this user may write to";
}

static char *entry_path(const char *directory, const char *key)
{
    const size_t bytes = strlen(key);
    const uint64_t first = hash_bytes(hash_start, key, bytes);
    const uint64_t second = hash_bytes(~hash_start, key, bytes);
    return print("%s/%016llx%016llx" PROGRAM_CACHE_SUFFIX, directory, (unsigned long long)first,
                 (unsigned long long)second);
}

static uint64_t checksum_of(const char *key, size_t key_bytes, const unsigned char *binary, size_t bytes)
{
    return hash_bytes(hash_bytes(hash_start, key, key_bytes), binary, bytes);
}

/* Whether a file's content is a whole entry for the key. */
static int is_entry(const unsigned char *file, size_t file_bytes, const char *key, struct entry_header *header)
{
    const size_t key_bytes = strlen(key);
    if (file_bytes < sizeof *header) {
        return 0;
    }
    memcpy(header, file, sizeof *header);
    const size_t rest = file_bytes - sizeof *header;
    return memcmp(header->magic, entry_magic, sizeof entry_magic) == 0 && header->key_bytes == key_bytes &&
           rest >= key_bytes && header->binary_bytes == rest - key_bytes && header->binary_bytes > 0 &&
           memcmp(file + sizeof *header, key, key_bytes) == 0 &&
           header->checksum == checksum_of(key, key_bytes, file + sizeof *header + key_bytes, rest - key_bytes);
}

unsigned char *clsort__program_cache_load(const char *directory, const char *key, size_t *bytes, int *is_damaged)
{
    char *path = entry_path(directory, key);
    size_t file_bytes = 0;
    unsigned char *file = path ? clsort__platform_read_private_file(path, &file_bytes) : NULL;
    free(path);
    struct entry_header header;
    *is_damaged = file && !is_entry(file, file_bytes, key, &header);
    if (!file || *is_damaged) {
        free(file);
        return NULL;
    }
    memmove(file, file + sizeof header + header.key_bytes, header.binary_bytes);
    *bytes = (size_t)header.binary_bytes;
    return file;
}

int clsort__program_cache_store(const char *directory, const char *key, const unsigned char *binary, size_t bytes)
{
    const size_t key_bytes = strlen(key);
    struct entry_header header = {{0}, key_bytes, bytes, checksum_of(key, key_bytes, binary, bytes)};
    memcpy(header.magic, entry_magic, sizeof entry_magic);
    const size_t file_bytes = sizeof header + key_bytes + bytes;
    char *path = entry_path(directory, key);
    unsigned char *file = malloc(file_bytes);
    int failed = 1;
    if (path && file) {
        memcpy(file, &header, sizeof header);
        memcpy(file + sizeof header, key, key_bytes);
        memcpy(file + sizeof header + key_bytes, binary, bytes);
        failed = clsort__platform_replace_file(path, file, file_bytes);
        clsort__platform_bound_files(directory, PROGRAM_CACHE_SUFFIX, program_cache_most_bytes);
    }
    free(file);
    free(path);
    return failed;
}
