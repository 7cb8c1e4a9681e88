/* Segments by classes of length, and the sort of those that fit local memory: what sorts of segments share on the host. */
#ifndef CLSORT_SEGMENT_CLASSES_H
#define CLSORT_SEGMENT_CLASSES_H

#include "job.h"

/* Where the list of segments is, class by class as in cl/segment_classes.cl, and what is done with long ones. */
struct segment_classes {
    struct program *program;
    uint32_t slots; /* of a tile in local memory: the longest of the short segments */
    clsort_range control, list;
    /* Long segments are given numbers of blocks; n_long 0: they are only listed. */
    uint64_t block_items;
    uint64_t n_long, n_blocks; /* at most */
    clsort_range first_blocks;
};

/* The largest power of two that a tile has room for, and that loops of the device can do. */
uint32_t clsort__segment_slots(const struct job *job);
/* Whether there may be segments that are too long for it. */
int clsort__segments_have_long(const struct job *job);
/* Whether all segments have the same class, so that no list of them is needed; and whether one is made. */
int clsort__segments_have_one_class(const struct job *job);
int clsort__segments_are_listed(const struct job *job);

/* Takes what the list needs off the workspace. */
void clsort__segment_classes_lay_out(const struct job *job, struct segment_classes *classes, uint64_t *used);
/* The program; returns that it is one. */
uint32_t clsort__segment_classes_use(const struct job *job, struct program_use used[job_max_programs]);
/* Lists the segments and sorts the short ones. */
void clsort__segment_classes_enqueue(const struct job *job, const struct segment_classes *classes);

#endif
