/* What the hybrid radix sorts share on the host: sizes, the layout of their workspace, launches. */
#include "hybrid_layout.h"

/* The vectors that kernels get struct layout as. */
static const size_t layout_vectors[] = {sizeof(cl_uint16), sizeof(cl_uint16), sizeof(cl_uint16)};

/* Bytes of cl/hybrid.cl's struct task, of a giant range's words of bits, and of the control area. */
enum { task_bytes = 16, bit_words_bytes = 16, control_bytes = 832 };

/* Buckets of a range, at most, that one work-group takes apart. */
enum { most_buckets_of_medium = 63 };

/* Above that, starts in a range would meet the flags of cl/hybrid_ranges.cl. */
const uint64_t clsort__hybrid_limit = ((uint64_t)1 << 30) - 1;

/* Six standard deviations and a little: a bucket of uniform keys gets more than that once in many millions. */
uint64_t clsort__hybrid_with_slack(uint64_t mean)
{
    uint64_t root = (uint64_t)1 << (clsort__bits_for(mean) + 1) / 2;
    for (int i = 0; i < 5; i++) {
        root = (root + mean / root) / 2 + 1; /* Newton's method, from above */
    }
    return mean + 7 * root + 8;
}

/* Of struct code in cl/coded_bins.cl: two digits a byte, with 16 parts and 4 counters each, 8 counters of candidates, and a sample. */
static uint64_t code_local_bytes(uint64_t group_size, uint32_t element_bytes)
{
    const uint64_t n_samples = group_size < 256 ? (group_size + 1) / 2 : 128;
    return element_bytes * (2 * (16 * 8 + 4 * 4) + n_samples) + 4 * 8;
}

/* Local memory of a bucket's kernels with this many items. */
static uint64_t bucket_local_bytes(const struct job *job, uint32_t element_bytes, uint32_t items)
{
    const uint64_t tile = (uint64_t)job->tuning.bucket_group_size * items;
    const uint64_t slots = tile + 32;
    const uint64_t gap = element_bytes == 4 ? 4 : 2;
    uint64_t bins = 16;
    while (2 * bins <= tile) {
        bins *= 2;
    }
    /* Counters of 4 bytes, or half as many of 2. A place is left out for each work-item. */
    const uint64_t bin_words = element_bytes == 4 ? bins : bins / 4;
    const uint64_t slot_bytes = (slots + slots / 16 * gap + gap) * element_bytes;
    const uint64_t code_bytes = code_local_bytes(job->tuning.bucket_group_size, element_bytes);
    return (slot_bytes > code_bytes ? slot_bytes : code_bytes) + (bin_words + job->tuning.bucket_group_size + 1) * 4 +
           (uint64_t)job->tuning.bucket_group_size * 8 + hybrid_local_bytes_reserved;
}

uint32_t clsort__hybrid_bucket_items(const struct job *job, uint32_t element_bytes, uint32_t other_bytes)
{
    uint32_t items = job->tuning.bucket_items;
    while (items > 0 && bucket_local_bytes(job, element_bytes, items) + other_bytes > job->caps->local_bytes) {
        items--;
    }
    return items;
}

uint32_t clsort__hybrid_partition_items(const struct job *job, uint32_t most, uint64_t used, uint64_t item_bytes)
{
    const uint64_t room = job->caps->local_bytes > used ? job->caps->local_bytes - used : 0;
    const uint64_t items = room / item_bytes / job->tuning.hybrid_group_size;
    return items < most ? (uint32_t)items : most;
}

int clsort__hybrid_fits(const struct job *job, uint32_t partition_items, uint32_t bucket_items)
{
    const struct tuning *t = &job->tuning;
    /* Loops over keys take up to eight iterations for each that a work-item has, and all may be one's. */
    const uint64_t limit = job->caps->loop_limit ? job->caps->loop_limit / 8 : clsort__hybrid_limit;
    return t->hybrid_group_size > 1 && t->bucket_group_size > 1 && partition_items > 0 &&
           (uint32_t)2 << t->hybrid_bits <= t->bucket_group_size * bucket_items && job->index_bytes == 4 &&
           job->count <= limit && job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes;
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Ranges above it are partitioned by many work-groups: there are enough of those below it for all compute units. */
enum { enough_ranges = 1024 };

uint32_t clsort__hybrid_giant_limit(const struct job *job, uint32_t capacity)
{
    const uint32_t limit = (uint32_t)(job->count / enough_ranges);
    const uint32_t least = 4 * capacity, most = most_buckets_of_medium * capacity;
    return limit < least ? least : limit < most ? limit : most;
}

/* Ranges above the giant limit, at most. */
static uint64_t n_giant_ranges(const struct job *job, uint32_t capacity)
{
    const uint64_t of_least = job->count / (4 * (uint64_t)capacity);
    const uint64_t of_most = job->count / ((uint64_t)most_buckets_of_medium * capacity);
    const uint64_t n = of_least < enough_ranges + 1 ? of_least : enough_ranges + 1;
    return (n > of_most ? n : of_most) + 1;
}

void clsort__hybrid_begin_layout(const struct job *job, uint64_t block, uint32_t bucket_capacity,
                                 uint32_t least_capacity, struct layout *layout)
{
    *layout = (struct layout){.count = (cl_uint)job->count, .block = (cl_uint)block};
    layout->giant_limit = clsort__hybrid_giant_limit(job, bucket_capacity);
    layout->bucket_capacity = bucket_capacity;
    layout->n_ranges = (cl_uint)n_giant_ranges(job, least_capacity);
    layout->write_keys = (cl_uint)job->write_keys;
    layout->generate_index = clsort__job_index_kind(job);
}

/*
 * Tasks that there can be: of a partitioned range, children above a quarter of the capacity (4 for each capacity of keys), a run
 * of small ones behind each of those, a new one for each window of three quarters; besides, in each level, one for each
 * child that is a range again, one behind it, and one at the start of each range. The 8 covers what of the latter comes thrice.
 */
static uint64_t n_range_tasks(uint64_t count, uint32_t n_levels, uint32_t capacity)
{
    const uint64_t of_capacity = 4 + 4 + 2 + 2 * ((uint64_t)n_levels + 8);
    return of_capacity * (count / capacity + 2);
}

void clsort__hybrid_lay_out_lists(const struct job *job, uint64_t n_blocks, uint32_t n_levels, uint32_t least_capacity,
                                  uint64_t n_tasks, struct layout *layout, uint64_t *used)
{
    const uint64_t radix = (uint64_t)1 << job->tuning.hybrid_bits;
    n_tasks += n_range_tasks(job->count, n_levels, least_capacity);
    for (int i = 0; i < 2; i++) {
        struct level_areas *level = &layout->levels[i];
        level->ranges = clsort__job_take(used, (uint64_t)layout->n_ranges * hybrid_range_bytes);
        level->map = clsort__job_take(used, n_blocks * 4);
        level->counts = clsort__job_take(used, layout->n_ranges * radix * 4);
        level->bits = clsort__job_take(used, (uint64_t)layout->n_ranges * bit_words_bytes);
    }
    layout->control = clsort__job_take(used, control_bytes);
    layout->medium = clsort__job_take(used, (job->count / least_capacity + radix + 1) * hybrid_range_bytes);
    layout->tasks = clsort__job_take(used, n_tasks * task_bytes);
    layout->hard = clsort__job_take(used, n_tasks * 4);
}

/* ---------------------------------------------------------------------------------------------------------- launches */

void clsort__hybrid_begin_launch(const struct run *run, struct program *program, const char *kernel_name,
                                 uint32_t level, struct launch *launch)
{
    const struct job *job = run->job;
    clsort__launch_begin(launch, job->sequence, program, kernel_name, job->index_bytes);
    clsort__launch_arrays(launch, job);
    clsort__launch_range(launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_order(launch, &job->order);
    const char *vector = (const char *)&run->layout;
    for (size_t i = 0; i < sizeof layout_vectors / sizeof layout_vectors[0]; i++) {
        clsort__launch_bytes(launch, vector, layout_vectors[i]);
        vector += layout_vectors[i];
    }
    clsort__launch_uint(launch, level);
}

static void launch_kernel(const struct run *run, struct program *program, const char *kernel_name, uint32_t level,
                          uint64_t n_groups, uint32_t group_size)
{
    struct launch launch;
    clsort__hybrid_begin_launch(run, program, kernel_name, level, &launch);
    clsort__launch_run(&launch, n_groups, group_size);
}

void clsort__hybrid_launch_partition(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups)
{
    launch_kernel(run, run->partition, kernel_name, level, n_groups, run->job->tuning.hybrid_group_size);
}

void clsort__hybrid_launch_bucket(const struct run *run, const char *kernel_name, uint32_t level, uint64_t n_groups)
{
    launch_kernel(run, run->bucket, kernel_name, level, n_groups, run->job->tuning.bucket_group_size);
}

uint64_t clsort__hybrid_units(const struct run *run)
{
    return run->job->caps->compute_units;
}
