/* Compiled programs on disk. */
#ifndef CLSORT_PROGRAM_CACHE_H
#define CLSORT_PROGRAM_CACHE_H

#include "program.h"

/* The folder for the cache, made if need be and to be freed: asked for, else $CLSORT_CACHE_DIR, else the user's. NULL if
   there is none or it cannot be made; a cache is never worth a failure. */
char *clsort__program_cache_directory(const char *asked_for);

/* The ending of the files, for clearing the cache. */
#define PROGRAM_CACHE_SUFFIX ".clsort"

/*
 * Text that names a program wholly: its sources' hashes, options, platform, device, driver and library versions. To be
 * freed; NULL if there is no memory.
 */
char *clsort__program_cache_key(const struct programs *programs, const char *name, const char *options);

/* The binary stored under a key, to be freed; NULL if there is none or the entry is not whole. */
unsigned char *clsort__program_cache_load(const struct programs *programs, const char *key, size_t *bytes);

/* Stores a binary; returns 0 if that could be done. */
int clsort__program_cache_store(const struct programs *programs, const char *key, const unsigned char *binary,
                                size_t bytes);

#endif
