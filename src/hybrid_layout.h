/* What the hybrid radix sorts share on the host: sizes, the layout of their workspace, launches. */
#ifndef CLSORT_HYBRID_LAYOUT_H
#define CLSORT_HYBRID_LAYOUT_H

#include "job.h"

/* As struct layout in cl/hybrid.cl, from its member count on. */
struct layout {
    cl_uint count;
    cl_uint first_bits, second_bits;
    cl_uint first_capacity, second_capacity;
    cl_uint block;
    cl_uint bucket_capacity;
    cl_uint giant_limit;
    cl_uint n_ranges;
    cl_uint y_is_output;
    cl_uint write_keys;
    cl_uint generate_index;
    cl_uint control;
    struct level_areas {
        cl_uint ranges, map, counts, cursors, bits;
    } levels[2];
    cl_uint medium, tasks, hard;
    cl_uint first_cursors, first_offsets, first_tiles;
    cl_uint second_cursors, second_offsets, second_sizes;
    cl_uint x_keys, y_keys;
    cl_uint table, tile_table, x_values;
    cl_uint narrow_bits;
    cl_uint bucket_groups;
    cl_uint histogram_groups;
    cl_uint register_limit, segments_of_group;
    cl_uint parted[4], parted_end;
    cl_uint part_bits;
};

/* What the launches of a sort have in common. */
struct run {
    struct job *job;
    struct layout layout;
    struct program *partition, *bucket;
};

/* Work-groups for each compute unit in kernels that loop; measured on an NVIDIA H200, driver 580. */
enum {
    histogram_groups = 4,
    table_groups = 16,
    scan_groups = 8,
    partition_groups = 4,
    deep_groups = 12,
    medium_groups = 4,
    task_groups = 8,
    hard_groups = 12
};

/* Levels whose giant ranges have a work-group for each tile; for those that seldom have any, idle ones would take time. */
enum { hybrid_sure_levels = 2 };

/* Bytes of local memory for single variables of kernels, and for what compilers may take for themselves. */
enum { hybrid_local_bytes_reserved = 160 };

/* Bytes of cl/hybrid.cl's struct range. */
enum { hybrid_range_bytes = 32 };

/* STACKED_CHILDREN of cl/hybrid_ranges.cl, bytes of one, and bits of where it starts. */
enum { hybrid_most_stacked = 256, hybrid_stacked_bytes = 8, hybrid_stacked_bits = 28 };

/* What a bucket of uniform keys may have where so many are expected. */
uint64_t clsort__hybrid_with_slack(uint64_t mean);

/* Elements of a bucket for each work-item, where they have element_bytes in local memory, and others are needed besides. */
uint32_t clsort__hybrid_bucket_items(const struct job *job, uint32_t element_bytes, uint32_t other_bytes);

/* Items for each work-item of a partition, most or fewer: its kernels have used bytes of local memory, and item_bytes for each. */
uint32_t clsort__hybrid_partition_items(const struct job *job, uint32_t most, uint64_t used, uint64_t item_bytes);

/* Whether the kernels can do the job with so many items. */
int clsort__hybrid_fits(const struct job *job, uint32_t partition_items, uint32_t bucket_items);

/* Ranges above it are giant, where tasks have this capacity. */
uint32_t clsort__hybrid_giant_limit(const struct job *job, uint32_t capacity);

/* Begins a layout: ranges are divided into blocks of so many keys, and tasks have bucket_capacity at most. Areas have room for what
   least_capacity would need, so that they never fall when count grows. */
void clsort__hybrid_begin_layout(const struct job *job, uint64_t block, uint32_t bucket_capacity,
                                 uint32_t least_capacity, struct layout *layout);
/* Takes the areas for ranges and tasks: the ranges of a level have n_blocks at most, ranges are taken apart n_levels times at most,
   tasks have least_capacity at least, and there are n_tasks besides those of ranges. */
void clsort__hybrid_lay_out_lists(const struct job *job, uint64_t n_blocks, uint32_t n_levels, uint32_t least_capacity,
                                  uint64_t n_tasks, struct layout *layout, uint64_t *used);

/* Of keys alone, in hybrid.c: whether their kernels can do the job, their programs (for partitions, and for buckets), elements of a tile
   and of a bucket, and levels after which no range is giant. */
int clsort__hybrid_fits_keys(const struct job *job);
uint32_t clsort__hybrid_uses(const struct job *job, struct program_use used[job_max_programs]);
uint32_t clsort__hybrid_tile(const struct job *job);
uint32_t clsort__hybrid_capacity(const struct job *job);
uint32_t clsort__hybrid_levels(const struct job *job);
/* Takes the areas of exact partitions, with room for n_tasks besides the tasks of ranges. */
void clsort__hybrid_lay_out_ranges(const struct job *job, uint64_t n_tasks, struct layout *layout, uint64_t *used);

/* Of pairs, in hybrid_stable.c: whether the kernels for their partitions can do the job beside buckets of so many items, their program, and
   the elements of a block, where tasks have this capacity. */
int clsort__hybrid_fits_pairs(const struct job *job, uint32_t capacity, uint32_t n_bucket_items);
struct program_use clsort__hybrid_stable_use(const struct job *job);
uint64_t clsort__hybrid_stable_block(const struct job *job, uint32_t capacity);
/* Takes the areas of stable partitions, with room for n_tasks besides the tasks of ranges. */
void clsort__hybrid_stable_lay_out_ranges(const struct job *job, uint32_t capacity, uint64_t n_tasks,
                                          struct layout *layout, uint64_t *used);
/* Takes X and, where Y has no keys in the output, those of Y. */
void clsort__hybrid_stable_lay_out_pairs(const struct job *job, struct layout *layout, uint64_t *used);
/* Launches what partitions the giant ranges of a level, by a work-group for each tile of n_ranges of them; 0: there is seldom any. */
void clsort__hybrid_stable_launch_level(const struct run *run, uint32_t level, uint64_t n_ranges);

/* Begins the launch of a kernel, whose arguments all are set but for those that it has besides the others. */
void clsort__hybrid_begin_launch(const struct run *run, struct program *program, const char *kernel_name,
                                 uint32_t level, struct launch *launch);
/* Launches a kernel of one of the run's programs, with n_groups of the size that the program has. */
void clsort__hybrid_launch_partition(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups);
void clsort__hybrid_launch_bucket(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups);

/* Compute units of the device. */
uint64_t clsort__hybrid_units(const struct run *run);

#endif
