/* What other algorithms take of the segmented sort by classes. */
#ifndef CLSORT_SEGMENTED_H
#define CLSORT_SEGMENTED_H

#include "job.h"

int clsort__segmented_fits(const struct job *job);
uint64_t clsort__segmented_workspace(const struct job *job);
uint32_t clsort__segmented_uses(const struct job *job, struct program_use used[job_max_programs]);

/* Sorts the segments of more than n_done elements; not if all have one length of so many. */
clsort_status clsort__segmented_enqueue_longer(struct job *job, struct program *const programs[job_max_programs],
                                               uint32_t n_done);

#endif
