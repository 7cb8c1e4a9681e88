/* Sorts segments of keys alone: short ones in registers, others in local memory, and longer ones by the partitions of hybrid. */
#include "segment_network.h"

/*
 * A hybrid radix sort that begins with many ranges: segments that are too long for local memory are the ranges that the exact
 * form begins with, and those that fit are its tasks. After Hou, Liu, Wang, Feng, Fast segmented sort on GPUs, 2017, segments of
 * each class of lengths have a kernel that suits them. All is decided on the device, by one launch that takes each segment once.
 */

/* Work-groups of `middle` for each compute unit: whole waves of them, whether 3 or 4 run at a time. */
enum { middle_groups = 12 };

static enum listing listing_of(const struct job *job)
{
    return clsort__segments_listing(job, clsort__hybrid_capacity(job));
}

static int has_few_launches(const struct job *job)
{
    return clsort__segments_have_few_launches(job, clsort__hybrid_capacity(job));
}

static uint32_t n_shared_levels(const struct job *job)
{
    return clsort__segments_shared_levels(job, clsort__hybrid_capacity(job), clsort__hybrid_levels(job));
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Longer ranges are giant, that is, partitioned by many work-groups. */
static uint32_t giant_limit(const struct job *job)
{
    return 4 * clsort__hybrid_capacity(job);
}

/* Whether the longest segments are partitioned by many work-groups. */
static int has_giants(const struct job *job)
{
    return job->is_warm_up ||
           (listing_of(job) == list_all && !has_few_launches(job) && job->segments.longest > giant_limit(job));
}

/* Lays out everything; returns the bytes. */
static uint64_t lay_out(const struct job *job, struct layout *layout)
{
    const enum listing listing = listing_of(job);
    const uint32_t capacity = clsort__hybrid_capacity(job);
    uint64_t used = 0;
    clsort__hybrid_begin_layout(job, clsort__hybrid_tile(job), capacity, capacity, layout);
    layout->narrow_bits = 8 * job->key->bytes; /* no task is hard from the start */
    layout->y_is_output = 1;
    const uint64_t n_parted = clsort__network_lay_out(job, capacity, layout, &used);
    if (listing == copy_others) {
        return 0;
    }
    layout->giant_limit = has_giants(job) ? giant_limit(job) : UINT32_MAX;
    layout->n_ranges = (cl_uint)(has_giants(job) ? job->count / ((uint64_t)giant_limit(job) + 1) + 1 : 1);
    /* Each work-group of `middle` has a place more among the hard ones. */
    clsort__hybrid_lay_out_ranges(job, n_parted + (uint64_t)job->caps->compute_units * middle_groups, layout, &used);
    layout->x_keys = clsort__job_take(&used, listing == list_all ? job->count * job->key->bytes : 0);
    return used;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct layout layout;
    return lay_out(job, &layout);
}

/* ---------------------------------------------------------------------------------------------------------- launches */

/*
 * Work-groups for each giant range and each block of one: there are most if each range is as short as can be, or has one
 * key more than a block.
 */
static uint64_t most_ranges_and_blocks(const struct job *job)
{
    const uint64_t shortest = (uint64_t)giant_limit(job) + 1, block = clsort__hybrid_tile(job);
    const uint64_t n_of_shortest = 1 + (shortest + block - 1) / block;
    const uint64_t of_shortest = (job->count / shortest + 1) * n_of_shortest;
    const uint64_t of_next = (job->count / ((n_of_shortest - 1) * block + 1) + 1) * (n_of_shortest + 1);
    return of_shortest > of_next ? of_shortest : of_next;
}

/* Levels at which many work-groups partition the longest segments; of what is left, work-groups have shorter ranges to themselves. */
static void enqueue_levels(struct run *run)
{
    const struct job *job = run->job;
    const uint64_t units = clsort__hybrid_units(run);
    const uint32_t n_levels = n_shared_levels(job);
    for (uint32_t level = 0; level < n_levels; level++) {
        /* Behind the last shared level, no range is listed as giant. */
        run->layout.giant_limit = level + 1 < n_levels ? giant_limit(job) : UINT32_MAX;
        if (level > 0) { /* the histograms of level 0 are there */
            clsort__hybrid_launch_partition(run, "begin_level", level, units * histogram_groups);
        }
        if (level == 0 && clsort__hybrid_levels(job) > 1) {
            clsort__hybrid_launch_partition(run, "end_level", level, most_ranges_and_blocks(job));
        } else {
            clsort__hybrid_launch_partition(run, "deep_partition", level, units * deep_groups);
        }
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct run run = {job, {0}, programs[0], programs[1]};
    const enum listing listing = listing_of(job);
    lay_out(job, &run.layout);
    run.layout.histogram_groups = (cl_uint)(clsort__hybrid_units(&run) * histogram_groups);
    const uint64_t units = clsort__hybrid_units(&run);
    const int has_levels = has_giants(job);
    if (listing != copy_others) {
        clsort__network_launch_begin(&run, programs[2]);
    }
    clsort__network_launch(&run, programs[2], listing);
    if (listing == list_parted) {
        clsort__hybrid_launch_bucket(&run, "middle", sort_parted, units * middle_groups);
    }
    if (listing == list_all && has_levels) {
        /* Before the levels: it makes their first histograms, and while it runs, they are enqueued. */
        clsort__hybrid_launch_bucket(&run, "middle", sort_parted, units * middle_groups);
        enqueue_levels(&run);
    }
    if (listing == list_all) {
        clsort__hybrid_launch_partition(&run, "medium", n_shared_levels(job), units * medium_groups);
        clsort__hybrid_launch_bucket(&run, "middle", has_levels ? sort_tasks : sort_parted | sort_tasks,
                                     units * middle_groups);
    }
    return job->failure->status;
}

/* --------------------------------------------------------------------------------------------------------- algorithm */

static int fits(const struct job *job)
{
    return job->tuning.network_keys > 0 && clsort__hybrid_fits_keys(job) && clsort__network_group_size(job) > 1;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    const uint32_t n = clsort__hybrid_uses(job, used);
    used[1].name = "segmented_middle";
    used[n] = clsort__network_use(job);
    return n + 1;
}

uint64_t clsort__segmented_control(const struct job *job)
{
    struct layout layout;
    lay_out(job, &layout);
    return (uint64_t)layout.control * CLSORT_WORKSPACE_ALIGNMENT;
}

const struct algorithm clsort__segmented_hybrid = {"segmented_hybrid", fits, clsort__always_pays,
                                                   workspace_bytes,    uses, enqueue,
                                                   FOR_SEGMENTS};
