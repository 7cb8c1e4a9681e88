/* Hybrid radix sort: partitions by the highest digits until ranges fit local memory, where they are finished. */
#include "job.h"

/*
 * After Stehle and Jacobsen, A memory bandwidth-efficient hybrid radix sort on GPUs, 2017. There are two forms. The exact one
 * counts digits before it moves anything. The optimistic one trusts in a sample: two levels of buckets with some slack, filled
 * without counting; what does not fit is done again by the exact one. All is decided on the device: the launches are always the
 * same, and those that have nothing to do end at once.
 */

/* As struct layout in cl/hybrid.cl, from its member count on. */
struct layout {
    cl_uint count;
    cl_uint position_bits;
    cl_uint first_bits, second_bits;
    cl_uint first_capacity, second_capacity;
    cl_uint tile;
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
    cl_uint x_keys, x_positions, y_keys, y_positions;
    cl_uint unused[3];
};

/* The vectors that kernels get it as. */
static const size_t layout_vectors[] = {sizeof(cl_uint16), sizeof(cl_uint16), sizeof(cl_uint8)};

/* Bytes of cl/hybrid.cl's struct range and struct task, of a giant range's words of bits, and of the control area. */
enum { range_bytes = 32, task_bytes = 16, bit_words_bytes = 32, control_bytes = 832 };

/* STACK_RANGES of cl/hybrid_partition.cl, less the range that is taken apart. */
enum { most_buckets_of_medium = 63 };

/* Counts are 32-bit, and so are places with slack. */
static const uint64_t count_limit = (uint64_t)1 << 30;
const uint64_t clsort__hybrid_optimistic_limit = (uint64_t)1 << 28;

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

static int has_positions(const struct job *job)
{
    return job->value_bytes != 0;
}

/* Of an element in local memory: ELEMENT_WORDS of cl/hybrid.cl. */
static uint32_t element_bytes(const struct job *job)
{
    const uint32_t key_bytes = job->key->bytes < 4 ? 4 : job->key->bytes;
    if (!has_positions(job)) {
        return key_bytes;
    }
    return key_bytes == 4 ? 8 : 12;
}

/* Single variables of the kernels, and what compilers may take for themselves. */
enum { local_bytes_reserved = 160 };

/* Local memory of the kernel medium in cl/hybrid_partition.cl, which needs the most, but for its tile. */
static uint64_t partition_local_bytes(const struct tuning *t)
{
    const uint64_t radix = (uint64_t)1 << t->hybrid_bits;
    return (4 * radix + 3 * (uint64_t)t->hybrid_group_size) * 4 + 64 * range_bytes + local_bytes_reserved;
}

static uint32_t partition_items(const struct job *job)
{
    const struct tuning *t = &job->tuning;
    const uint64_t used = partition_local_bytes(t);
    const uint64_t room = job->caps->local_bytes > used ? job->caps->local_bytes - used : 0;
    return min_u32(t->hybrid_items, (uint32_t)(room / element_bytes(job) / t->hybrid_group_size));
}

/* Local memory of the kernel task in cl/hybrid_bucket.cl with this many items. */
static uint64_t bucket_local_bytes(const struct job *job, uint32_t items)
{
    const uint64_t tile = (uint64_t)job->tuning.bucket_group_size * items;
    const uint64_t slots = tile + 32;
    const uint64_t gap = element_bytes(job) == 4 ? 4 : element_bytes(job) == 8 ? 2 : 1;
    uint64_t bins = 16;
    while (2 * bins <= tile) {
        bins *= 2;
    }
    /* Counters of 4 bytes, or half as many of 2. A place is left out for each work-item. */
    const uint64_t bin_words = element_bytes(job) == 4 ? bins : bins / 4;
    const uint64_t places = slots + slots / 16 * gap + gap, merged = tile + job->tuning.bucket_group_size;
    return (places > merged ? places : merged) * element_bytes(job) +
           (bin_words + job->tuning.bucket_group_size + 1) * 4 + (uint64_t)job->tuning.bucket_group_size * 8 +
           local_bytes_reserved;
}

static uint32_t bucket_items(const struct job *job)
{
    uint32_t items = job->tuning.bucket_items;
    while (items > 0 && bucket_local_bytes(job, items) > job->caps->local_bytes) {
        items--;
    }
    return items;
}

static uint32_t tile_count(const struct job *job)
{
    return job->tuning.hybrid_group_size * partition_items(job);
}

static uint32_t bucket_capacity(const struct job *job)
{
    return job->tuning.bucket_group_size * bucket_items(job);
}

/* A range above it is partitioned by many work-groups: there are enough of those below it for all compute units. */
static uint32_t giant_limit(const struct job *job)
{
    const uint32_t capacity = bucket_capacity(job);
    const uint32_t limit = (uint32_t)(job->count / 1024);
    const uint32_t least = 4 * capacity, most = most_buckets_of_medium * capacity;
    return limit < least ? least : min_u32(limit, most);
}

static uint64_t n_giant_ranges(const struct job *job)
{
    return job->count / giant_limit(job) + 1;
}

static uint32_t bits_for(uint64_t count)
{
    uint32_t bits = 0;
    while (count > (uint64_t)1 << bits) {
        bits++;
    }
    return bits;
}

/* A position has a digit's bits at least, for element_with_digit(). */
static uint32_t position_bits(const struct job *job)
{
    const uint32_t bits = bits_for(job->count);
    return !has_positions(job) ? 0 : bits > job->tuning.hybrid_bits ? bits : job->tuning.hybrid_bits;
}

/* Levels after which no range is giant. Elements with positions differ, so that few bits are few elements. */
static uint32_t n_levels(const struct job *job)
{
    uint32_t bits = 8 * job->key->bytes + position_bits(job);
    if (has_positions(job)) {
        const uint32_t few = bits_for(giant_limit(job) / 2 + 1);
        bits = bits > few ? bits - few : 1;
    }
    return (bits + job->tuning.hybrid_bits - 1) / job->tuning.hybrid_bits;
}

/* Six standard deviations and a little: a bucket of uniform keys gets more than that once in many millions. */
static uint64_t slack(uint64_t mean)
{
    uint64_t root = (uint64_t)1 << (bits_for(mean) + 1) / 2;
    for (int i = 0; i < 5; i++) {
        root = (root + mean / root) / 2 + 1; /* Newton's method, from above */
    }
    return 7 * root + 8;
}

/* Buckets of the two optimistic levels, for so many bits of digits together. */
struct buckets {
    uint32_t first_bits, second_bits;
    uint64_t first_capacity, second_capacity;
};

static struct buckets buckets_of(const struct job *job, uint32_t bits)
{
    struct buckets buckets = {(bits + 1) / 2, bits / 2, 0, 0};
    const uint64_t first_mean = (job->count >> buckets.first_bits) + 1;
    const uint64_t second_mean = (job->count >> bits) + 1;
    const uint64_t n_children = (uint64_t)1 << buckets.second_bits;
    buckets.first_capacity = first_mean + first_mean / 32 + tile_count(job);
    buckets.second_capacity = second_mean + slack(second_mean);
    /* A bucket of the first level that is given up is partitioned again to where its children were. */
    if (buckets.second_capacity * n_children < buckets.first_capacity) {
        buckets.second_capacity = (buckets.first_capacity + n_children - 1) / n_children;
    }
    return buckets;
}

/* Bits of digits with which buckets of uniform keys fit local memory; 0 if there are none such. */
static uint32_t optimistic_bits(const struct job *job)
{
    const uint32_t most = min_u32(2 * job->tuning.hybrid_bits, 8 * job->key->bytes);
    for (uint32_t bits = 2; bits <= most; bits++) {
        if (buckets_of(job, bits).second_capacity <= bucket_capacity(job)) {
            return bits;
        }
    }
    return 0;
}

static void lay_out_buckets(const struct job *job, struct layout *layout)
{
    const struct buckets buckets = buckets_of(job, optimistic_bits(job));
    layout->first_bits = buckets.first_bits;
    layout->second_bits = buckets.second_bits;
    layout->first_capacity = (cl_uint)buckets.first_capacity;
    layout->second_capacity = (cl_uint)buckets.second_capacity;
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Takes bytes off the workspace; returns where, in the units of struct layout. */
static cl_uint take(uint64_t *used, uint64_t bytes)
{
    const cl_uint at = (cl_uint)(*used / CLSORT_WORKSPACE_ALIGNMENT);
    *used += clsort__job_carved(bytes);
    return at;
}

static void lay_out_levels(const struct job *job, struct layout *layout, uint64_t *used)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    const uint64_t n_tiles = job->count / tile_count(job) + n_giant_ranges(job) + 1;
    for (int i = 0; i < 2; i++) {
        struct level_areas *level = &layout->levels[i];
        level->ranges = take(used, n_giant_ranges(job) * range_bytes);
        level->map = take(used, n_tiles * 4);
        level->counts = take(used, n_giant_ranges(job) * radix * 4);
        level->cursors = take(used, n_giant_ranges(job) * radix * 4);
        level->bits = take(used, n_giant_ranges(job) * bit_words_bytes);
    }
}

/*
 * Tasks that there can be: of a partitioned range, children above a quarter of the capacity (4 for each capacity of elements), a
 * run of small ones behind each of those, a new one for each window of three quarters; besides, in each level, one behind
 * each child that is a range again, and one at the start of each range.
 */
static uint64_t n_tasks(const struct job *job)
{
    const uint64_t of_capacity = 4 + 4 + 2 + 2 * ((uint64_t)n_levels(job) + 8);
    return of_capacity * (job->count / bucket_capacity(job) + 2);
}

static int is_optimistic(const struct layout *layout)
{
    return layout->first_bits > 0;
}

static void lay_out_lists(const struct job *job, struct layout *layout, uint64_t *used)
{
    const uint64_t n_buckets = is_optimistic(layout) ? (uint64_t)1 << (layout->first_bits + layout->second_bits) : 0;
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    layout->control = take(used, control_bytes);
    layout->medium = take(used, (job->count / bucket_capacity(job) + radix + 1) * range_bytes);
    layout->tasks = take(used, (n_tasks(job) + n_buckets) * task_bytes);
    layout->hard = take(used, (n_tasks(job) + n_buckets) * 4);
    layout->first_cursors = take(used, radix * 4);
    layout->first_offsets = take(used, radix * 4);
    layout->first_tiles = take(used, (radix + 1) * 4);
    layout->second_cursors = take(used, n_buckets * 4);
    layout->second_offsets = take(used, n_buckets * 4);
    layout->second_sizes = take(used, n_buckets * 4);
}

/* X, and of Y what is not the output. */
static void lay_out_elements(const struct job *job, struct layout *layout, uint64_t *used)
{
    uint64_t n_x = job->count, n_y = job->count;
    layout->y_is_output = !is_optimistic(layout);
    if (is_optimistic(layout)) {
        const uint64_t in_x = (uint64_t)layout->first_capacity << layout->first_bits;
        const uint64_t in_y = (uint64_t)layout->second_capacity << (layout->first_bits + layout->second_bits);
        n_x = in_x > n_x ? in_x : n_x;
        n_y = in_y > n_y ? in_y : n_y;
    }
    const int y_keys_are_output = layout->y_is_output && job->write_keys && !job->is_estimate;
    const int y_positions_are_output = layout->y_is_output && job->value_bytes == 4;
    layout->x_keys = take(used, n_x * job->key->bytes);
    layout->y_keys = take(used, y_keys_are_output ? 0 : n_y * job->key->bytes);
    layout->x_positions = take(used, has_positions(job) ? n_x * 4 : 0);
    layout->y_positions = take(used, has_positions(job) && !y_positions_are_output ? n_y * 4 : 0);
}

/* Lays out all but the copy of values; returns the bytes. */
static uint64_t lay_out(const struct job *job, int optimistic, struct layout *layout)
{
    uint64_t used = 0;
    *layout = (struct layout){.count = (cl_uint)job->count, .position_bits = position_bits(job)};
    layout->tile = tile_count(job);
    layout->bucket_capacity = bucket_capacity(job);
    layout->giant_limit = giant_limit(job);
    layout->n_ranges = (cl_uint)n_giant_ranges(job);
    layout->write_keys = (cl_uint)job->write_keys;
    layout->generate_index = job->operation == CLSORT_ARGSORT;
    if (optimistic) {
        lay_out_buckets(job, layout);
    }
    lay_out_levels(job, layout, &used);
    lay_out_lists(job, layout, &used);
    lay_out_elements(job, layout, &used);
    return used;
}

/* ---------------------------------------------------------------------------------------------------------- launches */

/* What the launches have in common. */
struct run {
    struct job *job;
    struct layout layout;
    clsort_range values_in;
    struct program *partition, *bucket;
};

/* Work-groups for each compute unit in kernels that loop; measured on an NVIDIA H200, driver 580. */
enum { histogram_groups = 4, partition_groups = 2, medium_groups = 2, task_groups = 4, hard_groups = 7 };

static void launch(const struct run *run, struct program *program, const char *kernel_name, uint32_t level,
                   uint64_t n_groups, uint32_t group_size)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, kernel_name, job->index_bytes);
    clsort__launch_range(&launch, job->keys_in);
    clsort__launch_range(&launch, job->keys_out);
    clsort__launch_range(&launch, run->values_in);
    clsort__launch_range(&launch, job->values_out);
    clsort__launch_range(&launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_order(&launch, &job->order);
    const char *vector = (const char *)&run->layout;
    for (size_t i = 0; i < sizeof layout_vectors / sizeof layout_vectors[0]; i++) {
        clsort__launch_bytes(&launch, vector, layout_vectors[i]);
        vector += layout_vectors[i];
    }
    clsort__launch_uint(&launch, level);
    clsort__launch_run(&launch, n_groups, group_size);
}

static void launch_partition(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups)
{
    launch(run, run->partition, kernel_name, level, n_groups, run->job->tuning.hybrid_group_size);
}

static void launch_bucket(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups)
{
    launch(run, run->bucket, kernel_name, level, n_groups, run->job->tuning.bucket_group_size);
}

static uint64_t units(const struct run *run)
{
    return run->job->caps->compute_units;
}

/* Levels that are partitioned: the last digit of keys alone is counted with the medium ranges and expanded with the tasks. */
static uint32_t n_partitioned(const struct job *job)
{
    return n_levels(job) - (has_positions(job) ? 0 : 1);
}

/* Where its buckets are finished, giant ranges of level 0 are counted. */
static void enqueue_optimistic(const struct run *run)
{
    const struct job *job = run->job;
    const uint64_t n_tiles = (job->count + tile_count(job) - 1) / tile_count(job);
    const uint64_t n_first = (uint64_t)1 << run->layout.first_bits;
    launch_partition(run, "first_partition", 0, n_tiles ? n_tiles : 1);
    launch_partition(run, "first_scan", 0, 1);
    launch_partition(run, "second_partition", 0, n_tiles + n_first);
    launch_partition(run, "second_scan", 0, n_first);
    launch_bucket(run, "bucket", n_partitioned(job) > 0 ? (uint32_t)(units(run) * histogram_groups) : 0,
                  n_first << run->layout.second_bits);
}

static void enqueue_exact(const struct run *run)
{
    const struct job *job = run->job;
    const uint32_t n = n_partitioned(job);
    for (uint32_t level = 0; level < n; level++) {
        if (level > 0 || !is_optimistic(&run->layout) || job->is_warm_up) {
            launch_partition(run, "giant_histogram", level, units(run) * histogram_groups);
        }
        launch_partition(run, "giant_partition", level, units(run) * partition_groups);
    }
    launch_partition(run, "medium", n, units(run) * medium_groups);
    launch_bucket(run, "task", n, units(run) * task_groups);
    launch_bucket(run, "hard", n, units(run) * hard_groups);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs], int optimistic)
{
    struct run run = {job, {0}, job->values_in, programs[0], programs[1]};
    uint64_t used = lay_out(job, optimistic || job->is_warm_up, &run.layout);
    clsort__read_from_copy(job, &run.values_in, clsort__job_value_copy_bytes(job), (uint32_t)job->value_bytes, &used);
    launch_partition(&run, "plan", is_optimistic(&run.layout), units(&run) * partition_groups);
    if (is_optimistic(&run.layout)) {
        enqueue_optimistic(&run);
    }
    enqueue_exact(&run);
    return job->failure->status;
}

/* --------------------------------------------------------------------------------------------------------- algorithms */

static uint64_t workspace_bytes(const struct job *job, int optimistic)
{
    struct layout layout;
    return lay_out(job, optimistic || job->is_warm_up, &layout) + clsort__job_carved(clsort__job_value_copy_bytes(job));
}

/* The merged order of floats has to read some keys again at the end, so they must still be there. */
static int loses_keys(const struct job *job)
{
    return has_positions(job) && job->order.merge && job->write_keys && job->keys_in_place && !job->is_warm_up &&
           !job->is_estimate;
}

static int fits_exact(const struct job *job)
{
    const struct tuning *t = &job->tuning;
    /* Loops over elements take up to eight iterations for each that a work-item has, and all may be one's. */
    const uint64_t limit = job->caps->loop_limit ? job->caps->loop_limit / 8 : count_limit;
    return t->hybrid_group_size > 1 && t->bucket_group_size > 1 && partition_items(job) > 0 &&
           (uint32_t)2 << t->hybrid_bits <= bucket_capacity(job) && job->index_bytes == 4 && job->count <= limit &&
           job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes &&
           clsort__value_has_type(job->value_bytes, job->index_bytes) && !loses_keys(job);
}

static int fits_optimistic(const struct job *job)
{
    return fits_exact(job) && !has_positions(job) && job->count <= clsort__hybrid_optimistic_limit &&
           optimistic_bits(job) > 0;
}

static int pays_exact(const struct job *job)
{
    return job->tuning.hybrid_count > 0 && job->count >= job->tuning.hybrid_count;
}

/* It has more launches, which smaller arrays do not pay back. */
static int pays_optimistic(const struct job *job)
{
    return job->tuning.hybrid_count > 0 && job->count >= 4 * (uint64_t)job->tuning.hybrid_count;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    struct program_options options = clsort__job_options(job);
    options.radix_bits = job->tuning.hybrid_bits;
    options.rank_bits = 1;
    options.group_size = job->tuning.hybrid_group_size;
    options.items = partition_items(job);
    used[0] = (struct program_use){"hybrid_partition", options};
    options.group_size = job->tuning.bucket_group_size;
    options.items = bucket_items(job);
    used[1] = (struct program_use){"hybrid_bucket", options};
    return 2;
}

static uint64_t workspace_optimistic(const struct job *job)
{
    return workspace_bytes(job, 1);
}

static uint64_t workspace_exact(const struct job *job)
{
    return workspace_bytes(job, 0);
}

uint64_t clsort__hybrid_control(const struct job *job, int optimistic)
{
    struct layout layout;
    lay_out(job, optimistic, &layout);
    return (uint64_t)layout.control * CLSORT_WORKSPACE_ALIGNMENT;
}

static clsort_status enqueue_hybrid(struct job *job, struct program *const programs[job_max_programs])
{
    return enqueue(job, programs, 1);
}

static clsort_status enqueue_hybrid_exact(struct job *job, struct program *const programs[job_max_programs])
{
    return enqueue(job, programs, 0);
}

const struct algorithm clsort__hybrid = {"hybrid", fits_optimistic, pays_optimistic, workspace_optimistic,
                                         uses,     enqueue_hybrid};
const struct algorithm clsort__hybrid_exact = {"hybrid_exact",  fits_exact, pays_exact,
                                               workspace_exact, uses,       enqueue_hybrid_exact};
