/* Whole files in memory. */
#ifndef BENCHMARKS_LOAD_H
#define BENCHMARKS_LOAD_H

#include <stddef.h>

/* The content with a '\0' behind it, to be freed by the caller; length may be NULL. On failure NULL, and text says
   what is wrong with which file. */
char *load_file(const char *path, size_t *length, char *text, size_t text_bytes);

#endif
