/* The launch that sorts short segments in registers and lists the others, of cl/segmented_network.cl, and what follows from their lengths. */
#include "segment_network.h"

/* Work-items that sort a segment at most, and of a work-group at most: smaller ones wait less for each other. */
enum { most_lanes = 32, most_items = 128 };

/* Rows of a work-group's work-items that it sorts one after the other, if segments are of medium length. */
enum { rounds_of_group = 2 };

/* Bits of a work-group's parts at most, and work-items that shuffles need. */
enum { most_part_bits = 3, warp_items = 32 };

/* Bytes of cl/hybrid.cl's struct task. */
enum { listed_bytes = 16 };

static int has_wide_elements(const struct job *job)
{
    return job->key->bytes > 4 || job->operation != CLSORT_KEYS;
}

/* Slots for rows, with gaps, and 37 bytes of tables for each work-item. */
static uint64_t local_bytes(const struct job *job, uint64_t group_size)
{
    const int has_values = job->operation != CLSORT_KEYS;
    const uint64_t gap = has_wide_elements(job) ? 2 : 4;
    const uint64_t entry_bytes = has_values && job->key->bytes > 4 ? 16 : has_wide_elements(job) ? 8 : 4;
    return (network_row_keys + gap + 1) * group_size * entry_bytes + 38 * group_size +
           2 * (uint64_t)hybrid_local_bytes_reserved;
}

uint32_t clsort__network_group_size(const struct job *job)
{
    uint32_t group_size = job->tuning.hybrid_group_size;
    group_size = group_size < most_items ? group_size : most_items;
    while (group_size > 0 && local_bytes(job, group_size) > job->caps->local_bytes) {
        group_size /= 2;
    }
    return group_size;
}

/* The longest segment that is sorted in registers. */
static uint32_t register_limit(const struct job *job)
{
    const uint32_t group_size = clsort__network_group_size(job);
    const uint32_t most = network_row_keys * (group_size < most_lanes ? group_size : most_lanes);
    return job->tuning.network_keys < most ? job->tuning.network_keys : most;
}

/* Segments that a work-group takes, two for each work-item at most: a power of two. */
static uint32_t segments_of_group(const struct job *job)
{
    const uint64_t group_size = clsort__network_group_size(job);
    const uint64_t keys = rounds_of_group * network_row_keys * group_size;
    uint64_t n = 2 * group_size;
    while (n > 1 && n > group_size / 8 && n * (job->count / (job->segments.count + 1)) > keys) {
        n /= 2;
    }
    return (uint32_t)n;
}

/* The longest segment for one of 1 << bits parts of a work-group. */
static uint32_t part_capacity(uint32_t capacity, uint32_t bits)
{
    const uint32_t room = ((capacity + 2 * network_row_keys) >> bits) / network_row_keys * network_row_keys;
    const uint32_t in_room = room > 2 * network_row_keys ? room - 2 * network_row_keys : 0;
    return bits == 0 ? capacity : in_room < capacity >> bits ? in_room : capacity >> bits;
}

/* The smallest parts that take longer segments than registers do. */
static uint32_t part_bits(const struct job *job, uint32_t capacity)
{
    const uint32_t least_lanes = job->tuning.ptx ? warp_items : 1;
    uint32_t bits = most_part_bits;
    while (bits > 0 && (job->tuning.bucket_group_size >> bits < least_lanes ||
                        part_capacity(capacity, bits) <= register_limit(job))) {
        bits--;
    }
    return bits;
}

/* Entries of a list that fills whole units of the workspace: the device finds its room by where it ends. */
static uint64_t whole_units(uint64_t n_entries)
{
    const uint64_t of_unit = CLSORT_WORKSPACE_ALIGNMENT / listed_bytes;
    return (n_entries + of_unit - 1) / of_unit * of_unit;
}

uint64_t clsort__network_lay_out(const struct job *job, uint32_t capacity, struct layout *layout, uint64_t *used)
{
    uint64_t n_parted = 0;
    layout->register_limit = register_limit(job);
    layout->segments_of_group = segments_of_group(job);
    layout->part_bits = part_bits(job, capacity);
    /* One list behind the other: where one ends, the next begins. */
    for (uint32_t bits = 0; bits <= most_part_bits; bits++) {
        const uint64_t below = bits < layout->part_bits ? part_capacity(capacity, bits + 1) : layout->register_limit;
        const uint64_t n = bits > layout->part_bits ? 0 : whole_units(job->count / (below + 1) + 1);
        layout->parted[bits] = clsort__job_take(used, n * listed_bytes);
        n_parted += n;
    }
    layout->parted_end = clsort__job_take(used, 0);
    return n_parted;
}

/* ----------------------------------------------------------------------------------------------------- longer segments */

enum listing clsort__segments_listing(const struct job *job, uint32_t capacity)
{
    const uint64_t longest = job->segments.longest;
    return job->is_warm_up || longest > capacity ? list_all : longest > register_limit(job) ? list_parted : copy_others;
}

uint32_t clsort__segments_shared_levels(const struct job *job, uint32_t capacity, uint32_t n_levels)
{
    const uint32_t of_tuning = job->tuning.segment_levels;
    const int is_small = job->count <= (uint64_t)hybrid_most_stacked * capacity;
    const uint32_t n_left = job->count >> hybrid_stacked_bits ? 1 : 2;
    const uint32_t least = is_small || n_levels <= n_left ? 1 : n_levels - n_left;
    const uint32_t wanted = of_tuning > least ? of_tuning : least, most = n_levels > 1 ? n_levels - 1 : 1;
    return wanted < most ? wanted : most;
}

int clsort__segments_have_few_launches(const struct job *job, uint32_t capacity)
{
    return !job->is_warm_up && job->count <= (uint64_t)hybrid_most_stacked * capacity &&
           job->count / (job->segments.count + 1) <= capacity / 4;
}

/* ---------------------------------------------------------------------------------------------------------- launches */

struct program_use clsort__network_use(const struct job *job)
{
    struct program_use use = {"segmented_network", clsort__job_options(job)};
    use.options.radix_bits = job->tuning.hybrid_bits;
    use.options.rank_bits = 1;
    use.options.group_size = clsort__network_group_size(job);
    use.options.items = network_row_keys;
    use.options.element_words = has_wide_elements(job) ? 2 : 1;
    return use;
}

void clsort__network_launch_begin(const struct run *run, struct program *program)
{
    struct launch launch;
    clsort__hybrid_begin_launch(run, program, "begin", 0, &launch);
    clsort__launch_run(&launch, 1, clsort__network_group_size(run->job));
}

void clsort__network_launch(const struct run *run, struct program *program, enum listing listing)
{
    const struct job *job = run->job;
    const uint64_t n = run->layout.segments_of_group;
    const uint64_t n_groups = (job->segments.count + n - 1) / n;
    struct launch launch;
    clsort__hybrid_begin_launch(run, program, "classify", listing, &launch);
    clsort__launch_segments(&launch, job);
    clsort__launch_run(&launch, n_groups ? n_groups : 1, clsort__network_group_size(job));
}
