/* The table of algorithms, the choice among them, and what surrounds the one chosen. */
#ifndef CLSORT_ALGORITHM_H
#define CLSORT_ALGORITHM_H

#include "job.h"

/* How a job is to be done. */
struct method {
    const struct algorithm *algorithm;
    struct job job;
    /* 1: an index is sorted, and then values are moved by it once, or it is narrowed. So are done values of a size that has no
       type in the kernels, and 4-byte indices where positions have 8 bytes. */
    int is_indexed;
};

/* Chooses the first of the table that pays and whose workspace is within the job's limit (none with CLSORT_LOW_MEMORY), else the
   one with the least; or takes the algorithm with this name (NULL: any). */
clsort_status clsort__method_choose(const struct job *job, const char *name, struct method *method,
                                    struct failure *failure);

/* Counts at which the choice changes, those on both sides of it where algorithms are chosen from a count on; returns how many. */
enum { method_max_switches = 20 };
size_t clsort__method_switches(const struct job *job, uint64_t at[method_max_switches]);

uint64_t clsort__method_workspace(const struct method *method);

/* Replaces the method by one with less workspace; *is_smaller receives whether there is one. */
clsort_status clsort__method_choose_smaller(const char *name, struct method *method, int *is_smaller,
                                            struct failure *failure);

/* The least workspace with which the job can be done, and that of the fastest way; for any count up to its own, so that they never
   fall when the count grows. name as above. */
void clsort__method_workspaces(const struct job *job, const char *name, uint64_t *least, uint64_t *best);

enum { method_max_programs = job_max_programs + 1 };

/* The programs it needs; returns how many. */
uint32_t clsort__method_uses(const struct method *method, struct program_use uses[method_max_programs]);

/* Enqueues it, once the job has its sequence, ranges and workspace. */
clsort_status clsort__method_enqueue(struct method *method, struct program *const programs[method_max_programs]);

#endif
