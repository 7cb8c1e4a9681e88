/* One sort, checked and resolved: what algorithms are given. */
#ifndef CLSORT_JOB_H
#define CLSORT_JOB_H

#include "sequence.h"
#include "tuning.h"

/* The segments of a job; all 0 where it has none. */
struct segments {
    int are_given;
    uint64_t count;
    uint64_t length, stride; /* of segments of one length, else 0 */
    uint64_t longest;        /* that there can be */
    clsort_range begins, ends;
    uint32_t offset_bytes; /* 4 or 8 */
};

struct job {
    const struct device_caps *caps;
    struct programs *programs;
    struct tuning tuning;
    struct sequence *sequence; /* NULL while only sizes and programs are asked for */
    struct failure *failure;

    clsort_operation operation;
    const struct key_info *key;
    struct key_order order;
    uint32_t begin_bit, end_bit;
    uint32_t flags;
    uint64_t count;
    uint32_t index_bytes;     /* of the kernels' positions, 4 or 8 */
    uint64_t value_bytes;     /* of a value or of argsort's index; 0: keys only */
    int keys_in_place;        /* keys_out is keys_in, or it is not known */
    int values_in_place;      /* likewise */
    int write_keys;           /* 0: argsort without keys_out */
    int has_workspace;        /* the caller gave one */
    uint64_t workspace_limit; /* bytes of it, or UINT64_MAX */
    int is_warm_up;           /* count is 0 and every kernel is to be launched once */
    int is_estimate;          /* buffers are not known and any choice of them has to be provided for */

    struct segments segments;
    clsort_range keys_in, keys_out, values_in, values_out;
    cl_mem workspace;
    uint64_t workspace_offset; /* bytes, a multiple of CLSORT_WORKSPACE_ALIGNMENT */
};

/* A program that a job needs. */
struct program_use {
    const char *name;
    struct program_options options;
};

enum { job_max_programs = 4 };

/* What an algorithm is for: bits. */
enum { FOR_ARRAYS = 1, FOR_SEGMENTS = 2 };

/* One way to sort. */
struct algorithm {
    const char *name; /* also of its .cl file */
    /* Whether it can do the job. */
    int (*fits)(const struct job *job);
    /* Whether the library takes it by itself where it fits. */
    int (*pays)(const struct job *job);
    /* Workspace it needs; never falls when count grows. */
    uint64_t (*workspace_bytes)(const struct job *job);
    /* Its programs for this job; returns how many. */
    uint32_t (*uses)(const struct job *job, struct program_use uses[job_max_programs]);
    /* Enqueues the sort with these programs, built. */
    clsort_status (*enqueue)(struct job *job, struct program *const programs[job_max_programs]);
    uint32_t kinds; /* of jobs that it is for, by whether they have segments */
};

extern const struct algorithm clsort__bitonic, clsort__bitonic_global, clsort__chunked_radix, clsort__counting,
    clsort__hybrid, clsort__hybrid_exact, clsort__hybrid_stable, clsort__quicksort, clsort__radix_local, clsort__radix,
    clsort__rank, clsort__samplesort, clsort__segmented, clsort__segmented_hybrid, clsort__segmented_pairs,
    clsort__segmented_serial, clsort__serial_radix;

/* The largest count that samplesort is chosen for. */
uint64_t clsort__samplesort_most(const struct job *job);

/* The largest count that the hybrid sorts do. */
extern const uint64_t clsort__hybrid_limit;
/* The largest count that hybrid itself does, for whole keys alone; hybrid_exact does larger ones with less workspace. */
uint64_t clsort__hybrid_most(const struct job *job);

/* For tests: where the counters of hybrid or hybrid_exact, and of hybrid_stable lie in the workspace, in bytes; words as in cl/hybrid.cl. */
uint64_t clsort__hybrid_control(const struct job *job, int optimistic);
uint64_t clsort__hybrid_stable_control(const struct job *job);
uint64_t clsort__segmented_control(const struct job *job);
uint64_t clsort__segmented_pairs_control(const struct job *job);

/* Whether a value of that many bytes has a type in the kernels, for positions of index_bytes. */
int clsort__value_has_type(uint64_t value_bytes, uint32_t index_bytes);

/* Largest power of two that divides bytes, 8 at most: the unit values of any size are moved in. */
uint32_t clsort__value_unit(uint64_t bytes);

/* Options that follow from the job alone; group_size and items are left to the algorithm. */
struct program_options clsort__job_options(const struct job *job);

/* Workspace is laid out from its start on: takes bytes off it, as elements of element_bytes. */
clsort_range clsort__job_carve(const struct job *job, uint64_t *used, uint64_t bytes, uint32_t element_bytes);
/* The same for sizes alone. */
uint64_t clsort__job_carved(uint64_t bytes);
/* The same; returns where the bytes are, in units of CLSORT_WORKSPACE_ALIGNMENT. */
cl_uint clsort__job_take(uint64_t *used, uint64_t bytes);

/* Bits in which count numbers can be told apart. */
uint32_t clsort__bits_for(uint64_t count);

/* Of the values of pairs in place, where they have to be read from a copy; 0 for others. */
uint64_t clsort__job_value_copy_bytes(const struct job *job);

/* Work-groups for a loop over n_items in which each takes group_size at a time. */
uint64_t clsort__job_loop_groups(const struct job *job, uint64_t n_items, uint32_t group_size);
/* Work-groups that take one block after the other; where loops end early, one for each block. */
uint64_t clsort__job_block_groups(const struct job *job, uint64_t n_blocks);
/* Work-groups of samplesort, of which there are as many as buckets, and two. */
enum { samplesort_most_groups = 1026 };
/* The most that any of the job's grids has that gets wider with count. */
uint64_t clsort__job_most_groups(const struct job *job);

/* The program of an algorithm whose work-groups have one work-item, and no tuning. */
uint32_t clsort__single_use(const struct job *job, const char *name, struct program_use used[job_max_programs]);

/* The program of an algorithm whose one work-group has a whole small array in local memory, and no workspace for it. */
uint32_t clsort__local_use(const struct job *job, const char *name, struct program_use used[job_max_programs]);
uint64_t clsort__no_workspace(const struct job *job);

/* Of algorithms for what no other one is better at. */
int clsort__always_pays(const struct job *job);

/* The program of an algorithm that spreads a small array over many work-groups. */
uint32_t clsort__spread_use(const struct job *job, const char *name, struct program_use used[job_max_programs]);

/* The keys and values of a job, as arguments. */
void clsort__launch_arrays(struct launch *launch, const struct job *job);

/* What the kernels are told of the values: 0 where they are read, else where argsort's indices count from. */
uint32_t clsort__job_index_kind(const struct job *job);
/* The segments of a job, as SEGMENT_PARAMETERS of cl/segments.cl. */
void clsort__launch_segments(struct launch *launch, const struct job *job);

/* Steps that algorithms share, in gather.c. Offsets of values count units of clsort__value_unit(value_bytes). */
struct program_use clsort__gather_use(const struct job *job, uint32_t unit);
clsort_status clsort__gather(struct job *job, struct program *program, clsort_range values_in, clsort_range values_out,
                             clsort_range index, uint64_t value_bytes);
/* Copies bytes of a range to workspace, from *used on, and has it stand for the copy; nothing for 0 bytes. */
void clsort__read_from_copy(const struct job *job, clsort_range *range, uint64_t bytes, uint32_t element_bytes,
                            uint64_t *used);
/* Marks all as no position, which gather and narrow_index leave out: that is what elements in no segment have. */
clsort_status clsort__clear_index(struct job *job, struct program *program, clsort_range index);
clsort_status clsort__fill_index(struct job *job, struct program *program, clsort_range index);
clsort_status clsort__narrow_index(struct job *job, struct program *program, clsort_range index, clsort_range narrow);

#endif
