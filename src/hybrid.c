/* Hybrid radix sort of keys alone: partitions by the highest digits until ranges fit local memory, where they are finished. */
#include "hybrid_layout.h"

/*
 * After Stehle and Jacobsen, A memory bandwidth-efficient hybrid radix sort on GPUs, 2017. There are two forms. The exact one
 * counts digits before it moves anything. The optimistic one trusts in a sample: two levels of buckets with some slack, filled
 * without counting; what does not fit is done again by the exact one. All is decided on the device: the launches are always the
 * same, and those that have nothing to do end at once.
 */

/* Places with slack are 32-bit. */
static const uint64_t optimistic_limit = (uint64_t)1 << 28;

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Of a rank in local memory. */
static uint32_t element_bytes(const struct job *job)
{
    return job->key->bytes < 4 ? 4 : job->key->bytes;
}

/* The kernel medium in cl/hybrid_partition.cl needs the most. */
static uint32_t partition_items(const struct job *job)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    const uint64_t used = (4 * radix + 3 * (uint64_t)job->tuning.hybrid_group_size) * 4 +
                          hybrid_most_stacked * hybrid_stacked_bytes + hybrid_local_bytes_reserved;
    return clsort__hybrid_partition_items(job, job->tuning.hybrid_items, used, element_bytes(job));
}

static uint32_t bucket_items(const struct job *job)
{
    return clsort__hybrid_bucket_items(job, element_bytes(job), 0);
}

uint32_t clsort__hybrid_tile(const struct job *job)
{
    return job->tuning.hybrid_group_size * partition_items(job);
}

uint32_t clsort__hybrid_capacity(const struct job *job)
{
    return job->tuning.bucket_group_size * bucket_items(job);
}

/* About the BIN_BITS of cl/hybrid_bins.cl. */
static uint32_t bin_bits(const struct job *job)
{
    return clsort__bits_for(clsort__hybrid_capacity(job) + 1) - 1 - (element_bytes(job) > 4);
}

uint32_t clsort__hybrid_levels(const struct job *job)
{
    return (8 * job->key->bytes + job->tuning.hybrid_bits - 1) / job->tuning.hybrid_bits;
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
    buckets.first_capacity = first_mean + first_mean / 32 + clsort__hybrid_tile(job);
    buckets.second_capacity = clsort__hybrid_with_slack(second_mean);
    /* A bucket of the first level that is given up is partitioned again to where its children were. */
    if (buckets.second_capacity * n_children < buckets.first_capacity) {
        buckets.second_capacity = (buckets.first_capacity + n_children - 1) / n_children;
    }
    return buckets;
}

static uint32_t most_optimistic_bits(const struct job *job)
{
    const uint32_t of_levels = 2 * job->tuning.hybrid_bits, of_key = 8 * job->key->bytes;
    return of_levels < of_key ? of_levels : of_key;
}

/* Local memory has room for the buckets of the second level, and for the list of what a first one that is given up may leave. */
static int buckets_fit(const struct job *job, uint32_t bits)
{
    const struct buckets buckets = buckets_of(job, bits);
    return buckets.second_capacity <= clsort__hybrid_capacity(job) &&
           buckets.first_capacity / clsort__hybrid_capacity(job) <= hybrid_most_stacked;
}

/* Bits of digits with which buckets of uniform keys fit; 0 if there are none such. */
static uint32_t optimistic_bits(const struct job *job)
{
    for (uint32_t bits = 2; bits <= most_optimistic_bits(job); bits++) {
        if (buckets_fit(job, bits)) {
            return bits;
        }
    }
    return 0;
}

uint64_t clsort__hybrid_most(const struct job *job)
{
    struct job counted = *job;
    uint64_t low = 0, high = optimistic_limit;
    while (low < high) {
        counted.count = (low + high + 1) / 2;
        if (buckets_fit(&counted, most_optimistic_bits(job))) {
            low = counted.count;
        } else {
            high = counted.count - 1;
        }
    }
    return low;
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

static int is_optimistic(const struct layout *layout)
{
    return layout->first_bits > 0;
}

/* X, and Y where that is not the output. */
static void lay_out_keys(const struct job *job, struct layout *layout, uint64_t *used)
{
    uint64_t n_x = job->count, n_y = job->count;
    layout->y_is_output = !is_optimistic(layout);
    if (is_optimistic(layout)) {
        const uint64_t in_x = (uint64_t)layout->first_capacity << layout->first_bits;
        const uint64_t in_y = (uint64_t)layout->second_capacity << (layout->first_bits + layout->second_bits);
        n_x = in_x > n_x ? in_x : n_x;
        n_y = in_y > n_y ? in_y : n_y;
    }
    layout->x_keys = clsort__job_take(used, n_x * job->key->bytes);
    layout->y_keys = clsort__job_take(used, layout->y_is_output ? 0 : n_y * job->key->bytes);
}

void clsort__hybrid_lay_out_ranges(const struct job *job, uint64_t n_tasks, struct layout *layout, uint64_t *used)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    clsort__hybrid_lay_out_lists(job, job->count / layout->block + layout->n_ranges + 1, clsort__hybrid_levels(job),
                                 clsort__hybrid_capacity(job), n_tasks, layout, used);
    for (int i = 0; i < 2; i++) {
        layout->levels[i].cursors = clsort__job_take(used, layout->n_ranges * radix * 4);
    }
}

/* Lays out everything; returns the bytes. */
static uint64_t lay_out(const struct job *job, int optimistic, struct layout *layout)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    uint64_t used = 0;
    clsort__hybrid_begin_layout(job, clsort__hybrid_tile(job), clsort__hybrid_capacity(job),
                                clsort__hybrid_capacity(job), layout);
    layout->narrow_bits = bin_bits(job);
    if (optimistic) {
        lay_out_buckets(job, layout);
    }
    const uint64_t n_buckets = optimistic ? (uint64_t)1 << (layout->first_bits + layout->second_bits) : 0;
    /* As many as tasks of uniform keys: small neighbours are joined where they begin in the same three quarters of the capacity. */
    const uint64_t n_tasks = job->count / (clsort__hybrid_capacity(job) * 3 / 4) + 1;
    layout->bucket_groups = (cl_uint)(n_tasks > n_buckets ? n_tasks : n_buckets);
    clsort__hybrid_lay_out_ranges(job, n_buckets, layout, &used);
    layout->first_cursors = clsort__job_take(&used, radix * 4);
    layout->first_offsets = clsort__job_take(&used, radix * 4);
    layout->first_tiles = clsort__job_take(&used, (radix + 1) * 4);
    layout->second_cursors = clsort__job_take(&used, n_buckets * 4);
    layout->second_offsets = clsort__job_take(&used, n_buckets * 4);
    layout->second_sizes = clsort__job_take(&used, n_buckets * 4);
    lay_out_keys(job, layout, &used);
    return used;
}

/* ---------------------------------------------------------------------------------------------------------- launches */

/* Levels that are partitioned: the last digit is counted with the medium ranges and expanded with the tasks. */
static uint32_t n_partitioned(const struct job *job)
{
    return clsort__hybrid_levels(job) - 1;
}

/* Levels of which the optimistic way has a work-group for each tile, and the exact one for each block. */
static void enqueue_levels(const struct run *run)
{
    const struct job *job = run->job;
    const uint32_t n_exact = n_partitioned(job), n_optimistic = is_optimistic(&run->layout) ? 2 : 0;
    const uint64_t units = clsort__hybrid_units(run), n_tiles = job->count / clsort__hybrid_tile(job) + 1;
    const uint64_t n_first = is_optimistic(&run->layout) ? (uint64_t)1 << run->layout.first_bits : 0;
    /* A work-group for each tile, of which each range may have a last one that is not whole, and one for each range. */
    const uint64_t n_sure = n_tiles + 2 * (uint64_t)run->layout.n_ranges;
    for (uint32_t level = 0; level < n_exact || level < n_optimistic; level++) {
        uint64_t n_begin = run->layout.histogram_groups;
        if (level < n_optimistic && n_begin < n_tiles + n_first) {
            n_begin = n_tiles + n_first;
        }
        clsort__hybrid_launch_partition(run, "begin_level", level, n_begin);
        if (level < hybrid_sure_levels) {
            clsort__hybrid_launch_partition(run, "end_level", level, n_sure > n_first ? n_sure : n_first);
        } else {
            clsort__hybrid_launch_partition(run, "deep_partition", level, units * deep_groups);
        }
    }
    clsort__hybrid_launch_partition(run, "medium", n_exact, units * medium_groups);
    clsort__hybrid_launch_bucket(run, "bucket", 0, run->layout.bucket_groups);
    clsort__hybrid_launch_bucket(run, "task", n_exact, units * task_groups);
    clsort__hybrid_launch_bucket(run, "hard", n_exact, units * hard_groups);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs], int optimistic)
{
    struct run run = {job, {0}, programs[0], programs[1]};
    lay_out(job, optimistic || job->is_warm_up, &run.layout);
    run.layout.histogram_groups = (cl_uint)(clsort__hybrid_units(&run) * histogram_groups);
    clsort__hybrid_launch_partition(&run, "plan", is_optimistic(&run.layout),
                                    clsort__hybrid_units(&run) * partition_groups);
    enqueue_levels(&run);
    return job->failure->status;
}

/* --------------------------------------------------------------------------------------------------------- algorithms */

static uint64_t workspace_bytes(const struct job *job, int optimistic)
{
    struct layout layout;
    return lay_out(job, optimistic || job->is_warm_up, &layout);
}

int clsort__hybrid_fits_keys(const struct job *job)
{
    return job->operation == CLSORT_KEYS && clsort__hybrid_fits(job, partition_items(job), bucket_items(job));
}

static int fits_optimistic(const struct job *job)
{
    return clsort__hybrid_fits_keys(job) && job->count <= optimistic_limit && optimistic_bits(job) > 0;
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

uint32_t clsort__hybrid_uses(const struct job *job, struct program_use used[job_max_programs])
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

const struct algorithm clsort__hybrid = {
    "hybrid", fits_optimistic, pays_optimistic, workspace_optimistic, clsort__hybrid_uses, enqueue_hybrid, FOR_ARRAYS};
const struct algorithm clsort__hybrid_exact = {"hybrid_exact",  clsort__hybrid_fits_keys, pays_exact,
                                               workspace_exact, clsort__hybrid_uses,      enqueue_hybrid_exact,
                                               FOR_ARRAYS};
