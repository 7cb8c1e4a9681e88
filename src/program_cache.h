/* Compiled programs on disk. */
#ifndef CLSORT_PROGRAM_CACHE_H
#define CLSORT_PROGRAM_CACHE_H

#include <stddef.h>

/* The folder for the cache, made if need be and to be freed: asked for, else $CLSORT_CACHE_DIR, else the user's. NULL if
   there is none or it cannot be made; a cache is never worth a failure. */
char *clsort__program_cache_directory(const char *asked_for);

/* The ending of the files, for clearing the cache. */
#define PROGRAM_CACHE_SUFFIX ".clsort"

/* The binary stored under a key, to be freed; NULL if there is none. *is_damaged: there is an entry, but it is not whole or of
   another key. */
unsigned char *clsort__program_cache_load(const char *directory, const char *key, size_t *bytes, int *is_damaged);

/* Stores a binary; returns 0 if that could be done. */
int clsort__program_cache_store(const char *directory, const char *key, const unsigned char *binary, size_t bytes);

#endif
