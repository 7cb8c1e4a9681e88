/* What a program that times another library gives to the part that all of them share. */
#ifndef BENCHMARKS_PEER_H
#define BENCHMARKS_PEER_H

#include <clsort/clsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be sorted, ascending. Keys are integers; arrays that the operation does not have are NULL. */
struct peer_case {
    clsort_operation operation;
    clsort_key_type key_type;
    uint64_t n;
    uint64_t value_bytes; /* of a value or an index: 4 or 8 */
    const void *keys_in;
    const void *values_in;
    void *keys_out;
    void *values_out;
};

/* A sort of another library. Functions return 1 on success. */
struct peer_library {
    const char *name;
    int is_stable;
    /* Makes ready to sort the case again and again; NULL if the library cannot do it. */
    void *(*open)(const struct peer_case *c);
    int (*restore)(void *state); /* brings the input back, before each run */
    int (*sort)(void *state);    /* what is timed: comes back when all is sorted */
    int (*fetch)(void *state);   /* writes the outputs of the case */
    uint64_t (*workspace_bytes)(void *state);
    void (*close)(void *state);
};

/* Where it runs; texts stay where they are. */
struct peer_device {
    const char *name, *vendor, *platform, *driver, *type;
    uint64_t compute_units, memory_bytes;
};

/* Each program has these. The libraries end with one without a name. */
extern const struct peer_library peer_libraries[];
int peer_open_device(const char *spec, struct peer_device *device, char *text, size_t text_bytes);
void peer_close_device(void);

#ifdef __cplusplus
}
#endif

#endif
