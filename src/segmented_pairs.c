/* Sorts segments with values, or of argsort: short ones in registers, others in local memory, and longer ones by the partitions of hybrid_stable. */
#include "segment_network.h"

/*
 * As segmented_hybrid.c, but that equal keys keep their order: what is sorted in registers or in local memory are elements with
 * positions, of which no two are equal, and longer segments are the ranges that stable partitions begin with.
 */

/* Local memory for the tasks of parts in cl/segmented_middle_pairs.cl: 3 numbers and 4 words of bits for each of 8. */
enum { parts_bytes = 8 * (3 + 4) * 4 };

/* Work-groups of `middle` for each compute unit: whole waves of them, whether 3 or 4 run at a time. */
enum { middle_groups = 12 };

static uint32_t bucket_items(const struct job *job)
{
    return clsort__hybrid_bucket_items(job, 8, parts_bytes);
}

static uint32_t capacity_of(const struct job *job)
{
    return job->tuning.bucket_group_size * bucket_items(job);
}

/* Levels after which keys of a range are equal. */
static uint32_t n_levels(const struct job *job)
{
    return (8 * job->key->bytes + job->tuning.hybrid_bits - 1) / job->tuning.hybrid_bits;
}

static uint32_t n_shared_levels(const struct job *job)
{
    return clsort__segments_shared_levels(job, capacity_of(job), n_levels(job));
}

static enum listing listing_of(const struct job *job)
{
    return clsort__segments_listing(job, capacity_of(job));
}

/* Whether the longest segments are partitioned by many work-groups. */
static int has_giants(const struct job *job)
{
    const uint32_t capacity = capacity_of(job);
    return job->is_warm_up || (listing_of(job) == list_all && !clsort__segments_have_few_launches(job, capacity) &&
                               job->segments.longest > clsort__hybrid_giant_limit(job, capacity));
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Lays out everything; returns the bytes. */
static uint64_t lay_out(const struct job *job, struct layout *layout)
{
    const uint32_t capacity = capacity_of(job);
    uint64_t used = 0;
    clsort__hybrid_begin_layout(job, clsort__hybrid_stable_block(job, capacity), capacity, capacity, layout);
    layout->first_bits = layout->second_bits = job->tuning.hybrid_bits;
    const uint64_t n_parted = clsort__network_lay_out(job, capacity, layout, &used);
    if (listing_of(job) == copy_others) {
        return 0;
    }
    if (has_giants(job)) {
        clsort__hybrid_stable_lay_out_ranges(job, capacity, n_parted, layout, &used);
    } else {
        layout->giant_limit = UINT32_MAX;
        layout->n_ranges = 1;
        clsort__hybrid_lay_out_lists(job, 1, n_levels(job), capacity, n_parted, layout, &used);
    }
    if (listing_of(job) == list_all) {
        clsort__hybrid_stable_lay_out_pairs(job, layout, &used);
    }
    return used;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct layout layout;
    return lay_out(job, &layout);
}

/* ---------------------------------------------------------------------------------------------------------- launches */

/* Whether segments are so long, on average, that many are giant. */
static int has_long_ones(const struct job *job)
{
    return job->is_warm_up || job->count / (job->segments.count + 1) > capacity_of(job);
}

/* Levels at which many work-groups partition the longest segments; of what is left, work-groups have shorter ranges to themselves. */
static void enqueue_levels(struct run *run)
{
    const uint32_t n = n_shared_levels(run->job), giant_limit = run->layout.giant_limit;
    const uint64_t n_sure = has_long_ones(run->job) ? run->layout.n_ranges : 0;
    for (uint32_t level = 0; level < n; level++) {
        /* Behind the last shared level, no range is listed as giant. */
        run->layout.giant_limit = level + 1 < n ? giant_limit : UINT32_MAX;
        clsort__hybrid_stable_launch_level(run, level, level == 0 ? n_sure : 0);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct run run = {job, {0}, programs[0], programs[1]};
    const enum listing listing = listing_of(job);
    lay_out(job, &run.layout);
    const uint64_t units = clsort__hybrid_units(&run);
    if (listing != copy_others) {
        clsort__network_launch_begin(&run, programs[2]);
    }
    clsort__network_launch(&run, programs[2], listing);
    if (has_giants(job)) {
        enqueue_levels(&run);
    }
    if (listing == list_all) {
        clsort__hybrid_launch_partition(&run, "medium", n_shared_levels(job), units * medium_groups);
    }
    if (listing != copy_others) {
        clsort__hybrid_launch_bucket(&run, "middle", listing == list_all ? sort_parted | sort_tasks : sort_parted,
                                     units * middle_groups);
        clsort__hybrid_launch_bucket(&run, "hard", 0, units * hard_groups);
    }
    return job->failure->status;
}

/* --------------------------------------------------------------------------------------------------------- algorithm */

/* Larger values would take too many registers: they go through an index. */
enum { most_value_bytes = 8 };

static int fits(const struct job *job)
{
    return job->tuning.network_keys > 0 && job->value_bytes <= most_value_bytes &&
           clsort__network_group_size(job) > 1 && clsort__hybrid_fits_pairs(job, capacity_of(job), bucket_items(job));
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    used[0] = clsort__hybrid_stable_use(job);
    used[1] = (struct program_use){"segmented_middle_pairs", used[0].options};
    used[1].options.rank_bits = 1;
    used[1].options.group_size = job->tuning.bucket_group_size;
    used[1].options.items = bucket_items(job);
    used[1].options.element_words = 2;
    used[2] = clsort__network_use(job);
    return 3;
}

uint64_t clsort__segmented_pairs_control(const struct job *job)
{
    struct layout layout;
    lay_out(job, &layout);
    return (uint64_t)layout.control * CLSORT_WORKSPACE_ALIGNMENT;
}

const struct algorithm clsort__segmented_pairs = {"segmented_pairs", fits, clsort__always_pays,
                                                  workspace_bytes,   uses, enqueue,
                                                  FOR_SEGMENTS};
