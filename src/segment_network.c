/* The launch that sorts short segments in registers, of cl/segmented_network.cl. */
#include "segment_network.h"

/* Work-items that sort a segment at most, and of a work-group at most: smaller ones wait less for each other. */
enum { most_lanes = 32, most_items = 128 };

/* Rows of a work-group's work-items that it sorts one after the other, if segments are of medium length. */
enum { rounds_of_group = 2 };

static int has_wide_elements(const struct job *job)
{
    return job->key->bytes > 4 || job->operation != CLSORT_KEYS;
}

/* Slots for rows, with gaps, and 37 bytes of tables for each work-item. */
static uint64_t local_bytes(const struct job *job, uint64_t group_size)
{
    const uint64_t gap = has_wide_elements(job) ? 2 : 4, element_bytes = has_wide_elements(job) ? 8 : 4;
    return (network_row_keys + gap + 1) * group_size * element_bytes + 38 * group_size +
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

uint32_t clsort__network_limit(const struct job *job)
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

void clsort__network_lay_out(const struct job *job, struct layout *layout)
{
    layout->register_limit = clsort__network_limit(job);
    layout->segments_of_group = segments_of_group(job);
}

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
