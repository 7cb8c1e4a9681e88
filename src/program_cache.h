/* Compiled programs on disk. */
#ifndef CLSORT_PROGRAM_CACHE_H
#define CLSORT_PROGRAM_CACHE_H

#include <stddef.h>

/* The path of the folder for the cache, to be freed: asked for, else $CLSORT_CACHE_DIR, else the user's; *path is NULL where there
   is none. 0 on success, else there is no memory. */
int clsort__program_cache_find(const char *asked_for, char **path);

/* Makes the folder if need be; returns why it cannot be used, NULL if it can. */
const char *clsort__program_cache_open(const char *path);

/* The ending of the files, for clearing the cache. */
#define PROGRAM_CACHE_SUFFIX ".clsort"

/* What all entries together may have; from there on those that were not used for longest are dropped. As Mesa's and NVIDIA's caches
   of compiled programs. */
enum { program_cache_most_bytes = 1 << 30 };

/* The binary stored under a key, to be freed; NULL if there is none. *is_damaged: there is an entry, but it is not whole or of
   another key. */
unsigned char *clsort__program_cache_load(const char *directory, const char *key, size_t *bytes, int *is_damaged);

/* Stores a binary and drops old entries where there are too many; returns 0 if that could be done. */
int clsort__program_cache_store(const char *directory, const char *key, const unsigned char *binary, size_t bytes);

#endif
