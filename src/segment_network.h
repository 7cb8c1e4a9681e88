/* The launch that sorts short segments in registers and lists the others, of cl/segmented_network.cl, and what follows from their lengths. */
#ifndef CLSORT_SEGMENT_NETWORK_H
#define CLSORT_SEGMENT_NETWORK_H

#include "hybrid_layout.h"

/* As in cl/segmented_network.cl: what becomes of segments that are not sorted in registers. */
enum listing { copy_others = 0, list_parted = 1, list_all = 2 };

/* As in cl/segment_parts.cl: what the kernel `middle` sorts. */
enum { sort_parted = 1, sort_tasks = 2 };

/* Keys of a row, which a work-item sorts. */
enum { network_row_keys = 16 };

/* Work-items of its work-groups; 0 if there is too little local memory. */
uint32_t clsort__network_group_size(const struct job *job);

struct program_use clsort__network_use(const struct job *job);

/* What is done with segments, where a work-group's local memory has `capacity` elements. */
enum listing clsort__segments_listing(const struct job *job, uint32_t capacity);

/*
 * Levels, of n_levels, at which many work-groups partition the longest segments together. Deeper ranges are one work-group's each: its
 * stack has room for the children of one level, or of any number in a range of so few keys; those of the last level need none.
 */
uint32_t clsort__segments_shared_levels(const struct job *job, uint32_t capacity, uint32_t n_levels);

/*
 * Whether long segments, if there are any, have one work-group each: there is likely none where so few keys are divided among so many
 * segments, and then launches that find nothing to do take longer than the rest. The stack of a work-group has room
 * for all ranges that so few keys can make.
 */
int clsort__segments_have_few_launches(const struct job *job, uint32_t capacity);

/* Sets what of a layout the launch needs, and takes the lists of segments for parts of a work-group; returns their entries. */
uint64_t clsort__network_lay_out(const struct job *job, uint32_t capacity, struct layout *layout, uint64_t *used);

/* Clears the counters of the lists. */
void clsort__network_launch_begin(const struct run *run, struct program *program);
void clsort__network_launch(const struct run *run, struct program *program, enum listing listing);

#endif
