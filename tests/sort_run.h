/* Inside of the sort check: the buffers of one sort, before and after, shared by sort_run.c and sort_compare.c. */
#ifndef TESTS_SORT_RUN_H
#define TESTS_SORT_RUN_H

#include "sort_check.h"

/* A buffer as it is before the sort and as it has to be after it. */
struct image {
    const char *name;
    size_t element_bytes;
    size_t bytes;
    unsigned char *before, *after;
    unsigned char *host; /* memory of a buffer that uses the host's */
    cl_mem buffer;
    bool written;
};

struct run {
    const struct device *device;
    const struct sort_case *c;
    uint64_t start, value_bytes, index_bytes;
    struct oracle_order order;
    uint64_t *positions;
    struct segment_list {
        uint64_t n;
        uint64_t *begins, *ends;
        cl_mem buffers[2];
    } segments;
    struct image keys_in, keys_out, values_in, values_out, workspace;
    clsort_request request;
    char *message;
    size_t message_bytes;
};

/* Notes what is wrong with the case in the run's message. */
enum sort_outcome sort_is_wrong(const struct run *run, const char *what);
/* Element i of an image's side, before or after. */
unsigned char *image_element(const struct run *run, const struct image *image, unsigned char *side, uint64_t i);
/* Compares all buffers with what they have to be: after the sort, or untouched if it was not sorted. */
enum sort_outcome compare_buffers(const struct run *run, bool sorted);

#endif
