/* Segments by classes of length, and the sort of those that fit local memory: what sorts of segments share on the host. */
#include "segment_classes.h"

/* Words of the control area, and bytes of an entry of the list for each byte of a position; as in cl/segment_classes.cl. */
enum { control_words = 64, entry_positions = 2 };

/* The class of kernels for which all segments are read directly. */
enum { no_class = 32 };

/* Iterations of a work-item for a tile: the network's steps, and some loops over the slots. */
static uint64_t tile_iterations(const struct job *job, uint32_t slots)
{
    const uint64_t bits = clsort__bits_for(slots), n_own = slots / job->tuning.local_group_size + 1;
    return n_own * (bits * (bits + 1) / 4 + 1 + 8);
}

uint32_t clsort__segment_slots(const struct job *job)
{
    const uint32_t tile = job->tuning.local_group_size * job->tuning.local_items;
    uint32_t slots = 1;
    while (2 * slots <= tile &&
           (!job->caps->loop_limit || tile_iterations(job, 2 * slots) <= job->caps->loop_limit / 2)) {
        slots *= 2;
    }
    return slots;
}

int clsort__segments_have_long(const struct job *job)
{
    return job->segments.longest > clsort__segment_slots(job);
}

int clsort__segments_have_one_class(const struct job *job)
{
    return job->segments.length > 0 && job->segments.length <= clsort__segment_slots(job);
}

int clsort__segments_are_listed(const struct job *job)
{
    return !clsort__segments_have_one_class(job) || job->is_warm_up;
}

void clsort__segment_classes_lay_out(const struct job *job, struct segment_classes *classes, uint64_t *used)
{
    const uint64_t entry_bytes = entry_positions * job->index_bytes;
    classes->slots = clsort__segment_slots(job);
    if (clsort__segments_are_listed(job)) {
        classes->control = clsort__job_carve(job, used, control_words * sizeof(cl_uint), sizeof(cl_uint));
        classes->list = clsort__job_carve(job, used, job->segments.count * entry_bytes, (uint32_t)entry_bytes);
    }
}

uint32_t clsort__segment_classes_use(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__local_use(job, "segmented_short", used);
}

/* ---------------------------------------------------------------------------------------------------------- launches */

static void push_arrays(struct launch *launch, const struct job *job)
{
    clsort__launch_arrays(launch, job);
    clsort__launch_uint(launch, clsort__job_index_kind(job));
    clsort__launch_uint(launch, (uint32_t)job->write_keys);
}

static void launch_begin(const struct job *job, const struct segment_classes *classes)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, classes->program, "begin", job->index_bytes);
    clsort__launch_range(&launch, classes->control);
    clsort__launch_run(&launch, 1, job->tuning.local_group_size);
}

static uint64_t class_groups(const struct job *job)
{
    return clsort__job_loop_groups(job, job->segments.count, job->tuning.local_group_size);
}

static void launch_count_classes(const struct job *job, const struct segment_classes *classes)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, classes->program, "count_classes", job->index_bytes);
    clsort__launch_segments(&launch, job);
    clsort__launch_range(&launch, classes->control);
    clsort__launch_uint(&launch, classes->slots);
    clsort__launch_index(&launch, classes->block_items);
    clsort__launch_run(&launch, class_groups(job), job->tuning.local_group_size);
}

static void launch_list_segments(const struct job *job, const struct segment_classes *classes)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, classes->program, "list_segments", job->index_bytes);
    push_arrays(&launch, job);
    clsort__launch_segments(&launch, job);
    clsort__launch_range(&launch, classes->list);
    clsort__launch_range(&launch, classes->control);
    clsort__launch_range(&launch, classes->first_blocks);
    clsort__launch_uint(&launch, classes->slots);
    clsort__launch_index(&launch, classes->block_items);
    clsort__launch_uint(&launch, (uint32_t)classes->n_long);
    clsort__launch_uint(&launch, (uint32_t)classes->n_blocks);
    clsort__launch_run(&launch, class_groups(job), job->tuning.local_group_size);
}

/* Tiles that short segments fill, at most: those of a class are longer than half of its width. */
static uint64_t most_batches(const struct job *job, uint32_t slots)
{
    const uint64_t n = job->segments.count;
    if (clsort__segments_have_one_class(job)) {
        const uint64_t n_together = slots >> clsort__bits_for(job->segments.length);
        return (n + n_together - 1) / n_together;
    }
    const uint64_t most = 2 * (job->count / slots + 1) + clsort__bits_for(slots);
    return n < most ? n : most;
}

/* Work-groups a compute unit is given where each sorts tile after tile. */
enum { short_groups_per_unit = 32 };

static void launch_sort_short(const struct job *job, const struct segment_classes *classes)
{
    const int has_one_class = clsort__segments_have_one_class(job);
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    const uint64_t n_batches = most_batches(job, classes->slots);
    uint64_t n_groups = (uint64_t)job->caps->compute_units * short_groups_per_unit;
    if (job->caps->loop_limit) {
        const uint64_t n = job->caps->loop_limit / 2 / tile_iterations(job, classes->slots);
        const uint64_t at_least = n ? (n_batches + n - 1) / n : n_batches;
        n_groups = n_groups > at_least ? n_groups : at_least;
    }
    n_groups = n_groups < n_batches ? n_groups : n_batches;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, classes->program, "sort_short", job->index_bytes);
    push_arrays(&launch, job);
    clsort__launch_segments(&launch, job);
    clsort__launch_range(&launch, classes->list);
    clsort__launch_range(&launch, classes->control);
    clsort__launch_uint(&launch, classes->slots);
    clsort__launch_uint(&launch, has_one_class ? clsort__bits_for(job->segments.length) : no_class);
    clsort__launch_uint(&launch, !clsort__segments_have_long(job) && !has_one_class);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, n_bits ? job->begin_bit : 0);
    clsort__launch_ulong(&launch, n_bits == 64 ? UINT64_MAX : ((uint64_t)1 << n_bits) - 1);
    clsort__launch_run(&launch, n_groups ? n_groups : 1, job->tuning.local_group_size);
}

void clsort__segment_classes_enqueue(const struct job *job, const struct segment_classes *classes)
{
    if (clsort__segments_are_listed(job)) {
        launch_begin(job, classes);
        launch_count_classes(job, classes);
        launch_list_segments(job, classes);
    }
    launch_sort_short(job, classes);
}
