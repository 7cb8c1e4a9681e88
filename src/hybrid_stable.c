/* Hybrid radix sort of pairs and argsort: stable partitions by the highest digits until ranges fit local memory. */
#include "hybrid_layout.h"

/*
 * As hybrid.c's exact form, but that a partition keeps the order of equal keys: before it, the digits of each block of tiles are
 * counted, so that every block knows where its keys go (Merrill and Grimshaw, High performance and scalable radix sorting,
 * 2011). No work-group waits for another. Keys and values go from the input to X in the workspace and to the output in turn;
 * without keys in the output, those go to Y in the workspace.
 */

/* ----------------------------------------------------------------------------------------------------------- shapes */

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Of the kernel medium in cl/hybrid_stable_partition.cl, which needs the most. */
static uint32_t partition_items(const struct job *job)
{
    const struct tuning *t = &job->tuning;
    const uint64_t radix = (uint64_t)1 << t->hybrid_bits, group_size = t->hybrid_group_size;
    const uint64_t used =
        (5 * radix + 2 * group_size) * 4 + hybrid_most_stacked * hybrid_stacked_bytes + hybrid_local_bytes_reserved;
    const uint32_t item_bytes = max_u32(max_u32(job->key->bytes, (uint32_t)job->value_bytes), 1);
    /* In place of keys and values there are counters: of each warp, or those of cl/group.cl beside entries of 4 bytes. */
    const uint64_t rows = ((uint64_t)1 << t->rank_bits) / 2;
    const uint64_t columns = group_size + (rows ? group_size / rows : 0);
    const int has_warps = t->ptx && group_size % 32 == 0; /* as WARP of cl/group.cl */
    const uint64_t counters = has_warps ? 0 : rows * columns * 4 + group_size * 4;
    const uint32_t items = clsort__hybrid_partition_items(job, t->stable_items, used + counters,
                                                          has_warps ? item_bytes : max_u32(item_bytes, 4));
    const uint64_t of_warps = group_size / 32 * radix * 8;
    return has_warps && used + of_warps > job->caps->local_bytes ? 0 : items;
}

/* Of an element in 32 bits, or in 64 where those do not hold all; tasks of both have the same capacity. */
static uint32_t bucket_items(const struct job *job)
{
    return clsort__hybrid_bucket_items(job, job->key->bytes <= 2 ? 4 : 8, 0);
}

static uint32_t tile_count(const struct job *job)
{
    return job->tuning.hybrid_group_size * partition_items(job);
}

/* Smaller buckets, of so many items each, take less time and are for keys of 32 bits: digits of these leave buckets of some size at
   most, so that their elements have 32 bits. Small ones have room for what full ones have on average, not much more. */
enum { small_ninths = 5, least_items_of_full = 17 };

static uint32_t small_bucket_items(const struct job *job)
{
    return (bucket_items(job) * small_ninths + 8) / 9;
}

static int has_small_buckets(const struct job *job)
{
    return job->key->bytes == 4 && bucket_items(job) >= least_items_of_full &&
           job->tuning.bucket_group_size * small_bucket_items(job) >= (uint32_t)2 << job->tuning.hybrid_bits;
}

static uint32_t full_capacity(const struct job *job)
{
    return job->tuning.bucket_group_size * bucket_items(job);
}

static uint32_t least_capacity(const struct job *job)
{
    return has_small_buckets(job) ? job->tuning.bucket_group_size * small_bucket_items(job) : full_capacity(job);
}

/* Bits of SLOT_BITS in cl/hybrid_stable_bucket.cl. */
static uint32_t slot_bits(uint32_t capacity)
{
    const uint32_t bits = clsort__bits_for(capacity);
    return bits <= 8 ? 8 : bits <= 10 ? 10 : bits <= 13 ? bits : 16;
}

/* Bits of the first two digits: so many that uniform keys leave buckets that fit, and elements of 32 bits if they may. */
static uint32_t choose_bits(const struct job *job, uint32_t capacity)
{
    const uint32_t key_bits = 8 * job->key->bytes, most = 2 * job->tuning.hybrid_bits;
    const uint32_t narrow = key_bits == 32 ? key_bits + slot_bits(capacity) - 32 : 0;
    uint32_t bits = narrow < 2 ? 2 : narrow < most ? narrow : most;
    while (bits < most && clsort__hybrid_with_slack((job->count >> bits) + 1) > capacity) {
        bits++;
    }
    return bits;
}

/* Whether small buckets hold uniform keys and are no more than full ones would be. */
static int is_small(const struct job *job)
{
    const uint32_t capacity = least_capacity(job), bits = choose_bits(job, capacity);
    return has_small_buckets(job) && bits <= choose_bits(job, full_capacity(job)) &&
           clsort__hybrid_with_slack((job->count >> bits) + 1) <= capacity;
}

static uint32_t bucket_capacity(const struct job *job)
{
    return is_small(job) ? least_capacity(job) : full_capacity(job);
}

/* Blocks of tiles that the whole input is divided into, at most: enough for all compute units. */
static uint64_t n_whole_blocks(const struct job *job)
{
    return (uint64_t)job->caps->compute_units * job->tuning.blocks_per_unit;
}

/* Of a block, which is no larger than a giant range: what those leave of their last blocks is no more than they have. */
static uint64_t block_tiles(const struct job *job, uint32_t capacity)
{
    const uint64_t of_units = job->count / tile_count(job) / n_whole_blocks(job) + 1;
    const uint64_t of_giant = clsort__hybrid_giant_limit(job, capacity) / tile_count(job);
    return of_giant == 0 ? 1 : of_units < of_giant ? of_units : of_giant;
}

/* Levels after which keys of a range are equal. */
static uint32_t n_levels(const struct job *job, const struct layout *layout)
{
    const uint32_t bits = 8 * job->key->bytes, first_two = layout->first_bits + layout->second_bits;
    if (bits <= layout->first_bits) {
        return 1;
    }
    return 2 + (bits > first_two ? (bits - first_two + job->tuning.hybrid_bits - 1) / job->tuning.hybrid_bits : 0);
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Of n_ranges giant ranges, at most: each may end in a part of a block, and whole ones have half the giant limit or more. */
static uint64_t n_blocks(const struct job *job, uint64_t n_ranges)
{
    const uint64_t n_tiles = job->count / tile_count(job), n = n_whole_blocks(job) + 2 * n_ranges;
    return (n_tiles < n ? n_tiles : n) + n_ranges + 1;
}

static uint64_t n_tiles(const struct job *job, uint64_t block, uint64_t n_ranges)
{
    return job->count / tile_count(job) + (n_ranges + 1) * (block / tile_count(job));
}

/* Whether keys do not go to an output, or may not: then they have an array of their own. */
static int may_lack_keys_out(const struct job *job)
{
    return !job->write_keys || (job->is_estimate && job->operation == CLSORT_ARGSORT);
}

uint64_t clsort__hybrid_stable_block(const struct job *job, uint32_t capacity)
{
    return block_tiles(job, capacity) * tile_count(job);
}

void clsort__hybrid_stable_lay_out_ranges(const struct job *job, uint32_t capacity, uint64_t n_tasks,
                                          struct layout *layout, uint64_t *used)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    const uint32_t most_levels = 2 + (8 * job->key->bytes + job->tuning.hybrid_bits - 1) / job->tuning.hybrid_bits;
    const uint64_t n = n_blocks(job, layout->n_ranges);
    clsort__hybrid_lay_out_lists(job, n, most_levels, capacity, n_tasks, layout, used);
    layout->table = clsort__job_take(used, n * radix * 4);
    layout->tile_table = clsort__job_take(used, n_tiles(job, layout->block, layout->n_ranges) * radix * 4);
}

void clsort__hybrid_stable_lay_out_pairs(const struct job *job, struct layout *layout, uint64_t *used)
{
    layout->y_is_output = 1;
    layout->x_keys = clsort__job_take(used, job->count * job->key->bytes);
    layout->y_keys = clsort__job_take(used, may_lack_keys_out(job) ? job->count * job->key->bytes : 0);
    layout->x_values = clsort__job_take(used, job->count * job->value_bytes);
}

static uint64_t lay_out(const struct job *job, struct layout *layout)
{
    const uint32_t capacity = bucket_capacity(job), bits = choose_bits(job, capacity);
    uint64_t used = 0;
    clsort__hybrid_begin_layout(job, clsort__hybrid_stable_block(job, capacity), capacity, least_capacity(job), layout);
    layout->first_bits = (bits + 1) / 2;
    layout->second_bits = bits / 2;
    layout->narrow_bits = 32 - slot_bits(capacity);
    clsort__hybrid_stable_lay_out_ranges(job, least_capacity(job), 0, layout, &used);
    clsort__hybrid_stable_lay_out_pairs(job, layout, &used);
    return used;
}

/* ---------------------------------------------------------------------------------------------------------- launches */

/* Tasks of uniform keys: each range that is partitioned leaves an empty one behind those of its children, where the digit is narrow. */
static uint64_t n_uniform_tasks(const struct layout *layout)
{
    const uint64_t n_first = (uint64_t)1 << layout->first_bits;
    return (n_first << layout->second_bits) + n_first + (n_first + 1);
}

/* Tasks for elements of 32 bits come first, and those of 64 where there are both. */
static void enqueue_tasks(struct run *run, struct program *program, struct program *wide)
{
    const uint64_t units = clsort__hybrid_units(run), n_uniform = n_uniform_tasks(&run->layout);
    run->bucket = program;
    clsort__hybrid_launch_bucket(run, "bucket", 0, n_uniform);
    clsort__hybrid_launch_bucket(run, "task", (uint32_t)n_uniform, units * task_groups);
    if (wide) {
        run->bucket = wide;
        clsort__hybrid_launch_bucket(run, "task", 0, units * task_groups);
    }
    run->bucket = program;
    clsort__hybrid_launch_bucket(run, "hard", 0, units * hard_groups);
}

void clsort__hybrid_stable_launch_level(const struct run *run, uint32_t level, uint64_t n_ranges)
{
    const uint64_t units = clsort__hybrid_units(run);
    clsort__hybrid_launch_partition(run, "histogram", level, units * table_groups);
    clsort__hybrid_launch_partition(run, "scan", level, units * scan_groups);
    if (n_ranges > 0) {
        clsort__hybrid_launch_partition(run, "move", level, n_tiles(run->job, run->layout.block, n_ranges));
    } else {
        clsort__hybrid_launch_partition(run, "deep_move", level, units * partition_groups);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct run run = {job, {0}, programs[0], NULL};
    struct program *const wide = job->key->bytes == 4 ? programs[2] : NULL;
    lay_out(job, &run.layout);
    const uint32_t n = n_levels(job, &run.layout);
    const uint64_t units = clsort__hybrid_units(&run);
    clsort__hybrid_launch_partition(&run, "begin", 0, units * partition_groups);
    for (uint32_t level = 0; level < n; level++) {
        const uint64_t n_second = (uint64_t)1 << run.layout.first_bits, n_most = run.layout.n_ranges;
        const uint64_t n_of_level = level == 0 ? 1 : n_second < n_most ? n_second : n_most;
        clsort__hybrid_stable_launch_level(&run, level, level < hybrid_sure_levels ? n_of_level : 0);
    }
    clsort__hybrid_launch_partition(&run, "medium", n, units * medium_groups);
    if (!is_small(job) || job->is_warm_up) {
        enqueue_tasks(&run, programs[1], wide);
    }
    if (has_small_buckets(job) && (is_small(job) || job->is_warm_up)) {
        enqueue_tasks(&run, programs[3], wide);
    }
    return job->failure->status;
}

/* ---------------------------------------------------------------------------------------------------------- algorithm */

static uint64_t workspace_bytes(const struct job *job)
{
    struct layout layout;
    return lay_out(job, &layout);
}

uint64_t clsort__hybrid_stable_control(const struct job *job)
{
    struct layout layout;
    lay_out(job, &layout);
    return (uint64_t)layout.control * CLSORT_WORKSPACE_ALIGNMENT;
}

/* Whether places in the table of tiles are 32-bit, where tasks have this capacity, or for some counts `least`. */
static int has_small_tables(const struct job *job, uint32_t capacity, uint32_t least)
{
    struct layout layout;
    clsort__hybrid_begin_layout(job, clsort__hybrid_stable_block(job, capacity), capacity, least, &layout);
    return n_tiles(job, layout.block, layout.n_ranges) << job->tuning.hybrid_bits <= UINT32_MAX;
}

static int fits_with(const struct job *job, uint32_t capacity, uint32_t least, uint32_t n_bucket_items)
{
    return job->operation != CLSORT_KEYS && clsort__hybrid_fits(job, partition_items(job), n_bucket_items) &&
           clsort__value_has_type(job->value_bytes, job->index_bytes) && has_small_tables(job, capacity, least);
}

int clsort__hybrid_fits_pairs(const struct job *job, uint32_t capacity, uint32_t n_bucket_items)
{
    return fits_with(job, capacity, capacity, n_bucket_items);
}

static int fits(const struct job *job)
{
    return fits_with(job, bucket_capacity(job), least_capacity(job), bucket_items(job));
}

static int pays(const struct job *job)
{
    return job->tuning.stable_count > 0 && job->count >= job->tuning.stable_count;
}

struct program_use clsort__hybrid_stable_use(const struct job *job)
{
    struct program_options options = clsort__job_options(job);
    options.radix_bits = job->tuning.hybrid_bits;
    options.rank_bits = job->tuning.rank_bits < options.radix_bits ? job->tuning.rank_bits : options.radix_bits;
    options.group_size = job->tuning.hybrid_group_size;
    options.items = partition_items(job);
    return (struct program_use){"hybrid_stable_partition", options};
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    uint32_t n = 0;
    used[n++] = clsort__hybrid_stable_use(job);
    struct program_options options = used[0].options;
    options.group_size = job->tuning.bucket_group_size;
    options.items = bucket_items(job);
    if (job->key->bytes <= 4) {
        options.element_words = 1;
        used[n++] = (struct program_use){"hybrid_stable_bucket", options};
    }
    if (job->key->bytes >= 4) {
        options.element_words = 2;
        used[n++] = (struct program_use){"hybrid_stable_bucket", options};
    }
    if (has_small_buckets(job)) {
        options.element_words = 1;
        options.items = small_bucket_items(job);
        used[n++] = (struct program_use){"hybrid_stable_bucket", options};
    }
    return n;
}

const struct algorithm clsort__hybrid_stable = {"hybrid_stable", fits,      pays, workspace_bytes, uses,
                                                enqueue,         FOR_ARRAYS};
