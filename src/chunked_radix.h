/* Where chunked_radix has what in the workspace, and its launches for an array or a range of it. */
#ifndef CLSORT_CHUNKED_RADIX_H
#define CLSORT_CHUNKED_RADIX_H

#include "job.h"

/* Sizes, and areas of the workspace in units of CLSORT_WORKSPACE_ALIGNMENT bytes from its start. */
struct chunked_layout {
    uint32_t n_chunks, bits, n_passes;
    uint64_t slab_count, skew_limit;
    int in_place, use_buffers;
    uint32_t control, ranges, surveys, table, starts, workers, worker_units;
    uint32_t x_keys, x_values, y_keys;
    uint64_t bytes;
};

/* Lays out what chunked_radix needs for a job; n_passes is that of a skewed array, 0: none. What the caller puts in front of it has
   used bytes, and its first CLSORT_WORKSPACE_ALIGNMENT are the kernels' control words. has_x: with an area for all elements. */
void clsort__chunked_lay_out(const struct job *job, uint32_t n_passes, int has_x, uint64_t used,
                             struct chunked_layout *layout);

/* Bytes of a work-item's counters, at the begin of its memory. */
uint64_t clsort__chunked_counter_bytes(const struct job *job);

/* The least elements of a bucket's copy; never changes with count. */
uint64_t clsort__chunked_least_slab(const struct job *job);

/* Enqueues the sort of range number range_number, from 1 on, of those that the area `ranges` has as pairs of begin and length;
   0: of the whole array. index_kind says where argsort's indices count from, as in cl/segments.cl. */
void clsort__chunked_enqueue(struct job *job, struct program *program, const struct chunked_layout *layout,
                             uint32_t range_number, uint32_t index_kind);

#endif
