/* What the fuzz targets share: a check that stays in every build, and memory from the input. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The entry point of a target, as libFuzzer and replay.c call it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A copy of exactly that many bytes, so that a sanitizer sees the first read behind them. */
static inline unsigned char *fuzz_copy(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    FUZZ_CHECK(copy);
    if (size) {
        memcpy(copy, data, size);
    }
    return copy;
}

#endif
