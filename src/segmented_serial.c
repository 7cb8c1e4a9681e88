/* Sorts the segments of an array by single work-items, for CPU devices; segments that are much of the array as chunked_radix does. */
#include "chunked_radix.h"

/* As in cl/segmented_serial.cl. */
enum { most_batch = 256, n_lanes = 16, most_of_lane = 256, vector_alignment = 128 };

enum {
    area_bytes = CLSORT_WORKSPACE_ALIGNMENT,
    lane_count_of_values = 128, /* elements with positions take a network twice as long as keys alone */
    batches_of_chunk = 4,       /* so that no work-item is left with much when others have none */
    most_ranges = 7,            /* more of a range's least share are not in an array */
    range_share = 8,
    buckets_of_range = 8,  /* fewer are not worth the launches */
    loops_of_element = 64, /* iterations of loops that an element may take */
};

struct plan {
    struct chunked_layout chunked; /* its memory is also that of work-items here */
    uint32_t n_ranges, lanes, lanes_units, lane_count, batch_count;
    uint64_t range_count;
    int has_x;
};

static uint64_t least_range(const struct job *job)
{
    return (uint64_t)buckets_of_range * job->tuning.bucket_keys;
}

/* Whether there can be segments that all work-items sort together. It must not change with count alone. */
static int has_ranges(const struct job *job)
{
    return job->segments.longest > least_range(job);
}

static uint32_t n_ranges(const struct job *job)
{
    const uint64_t n = job->count / least_range(job);
    const uint64_t most = n < most_ranges ? n : most_ranges;
    return has_ranges(job) ? (uint32_t)(most ? most : 1) : 0;
}

/* Keys alone that are compared in some of their bits have to be stable, which lanes of keys are not. */
static uint32_t lane_count(const struct job *job)
{
    const int is_whole = job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes;
    return job->value_bytes ? lane_count_of_values : is_whole ? most_of_lane : 0;
}

/* Lanes are filled by the short segments of a batch. */
static uint32_t batch_count(const struct job *job, uint32_t n_chunks)
{
    const uint64_t n = job->segments.count, of_chunks = n / ((uint64_t)batches_of_chunk * n_chunks);
    const uint64_t least = n > 0 && job->count / n <= most_of_lane ? n_lanes : 1;
    const uint64_t count = of_chunks > least ? of_chunks : least;
    return (uint32_t)(count < most_batch ? count : most_batch);
}

static uint64_t lanes_bytes(const struct job *job)
{
    const uint64_t segment_bytes = 2 * job->index_bytes, element_bytes = job->key->bytes + job->value_bytes;
    const uint64_t lane_bytes = job->value_bytes == 0 ? job->key->bytes : job->key->bytes <= 4 ? 8 : 16;
    return 2 * most_batch * segment_bytes + most_of_lane * (element_bytes + n_lanes * lane_bytes) + vector_alignment;
}

static uint64_t lay_out(const struct job *job, struct plan *plan)
{
    uint64_t used = area_bytes; /* the control words of this algorithm */
    plan->has_x = job->segments.longest > clsort__chunked_least_slab(job);
    plan->n_ranges = n_ranges(job);
    const uint32_t control = clsort__job_take(&used, area_bytes); /* those of chunked_radix */
    const uint32_t ranges = clsort__job_take(&used, most_ranges * 2 * (uint64_t)job->index_bytes);
    clsort__chunked_lay_out(job, 0, plan->has_x, used, &plan->chunked);
    plan->chunked.control = control;
    plan->chunked.ranges = ranges;
    used = plan->chunked.bytes;
    plan->lanes_units = (uint32_t)(clsort__job_carved(lanes_bytes(job)) / area_bytes);
    plan->lanes = clsort__job_take(&used, (uint64_t)plan->lanes_units * area_bytes * plan->chunked.n_chunks);
    plan->lane_count = lane_count(job);
    plan->batch_count = batch_count(job, plan->chunked.n_chunks);
    plan->range_count = job->count / range_share;
    plan->range_count = plan->range_count > least_range(job) ? plan->range_count : least_range(job);
    return used;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct plan plan;
    return lay_out(job, &plan);
}

static int fits(const struct job *job)
{
    return (!job->caps->loop_limit || (job->count <= job->caps->loop_limit / loops_of_element &&
                                       job->segments.count <= job->caps->loop_limit / loops_of_element)) &&
           clsort__value_has_type(job->value_bytes, job->index_bytes);
}

static int pays(const struct job *job)
{
    return job->tuning.chunked_count > 0 && !job->caps->loop_limit;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    const uint32_t n = clsort__single_use(job, "segmented_serial", used);
    return n + (has_ranges(job) ? clsort__single_use(job, "chunked_radix", used + n) : 0);
}

static void launch_begin(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "begin", job->index_bytes);
    clsort__launch_range(&launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_uint(&launch, plan->chunked.ranges);
    clsort__launch_uint(&launch, plan->n_ranges);
    clsort__launch_run(&launch, 1, 1);
}

static void launch_sort_segments(struct job *job, struct program *program, const struct plan *plan)
{
    const struct chunked_layout *chunked = &plan->chunked;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "sort_segments", job->index_bytes);
    clsort__launch_arrays(&launch, job);
    clsort__launch_segments(&launch, job);
    clsort__launch_range(&launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, job->begin_bit);
    clsort__launch_uint(&launch, job->end_bit);
    clsort__launch_uint(&launch, (uint32_t)chunked->in_place);
    clsort__launch_uint(&launch, clsort__job_index_kind(job));
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    clsort__launch_uint(&launch, (uint32_t)plan->has_x);
    clsort__launch_uint(&launch, plan->lane_count);
    clsort__launch_uint(&launch, plan->batch_count);
    clsort__launch_index(&launch, chunked->slab_count);
    clsort__launch_index(&launch, plan->range_count);
    const uint32_t numbers[] = {plan->n_ranges,        chunked->ranges,   chunked->workers,
                                chunked->worker_units, plan->lanes,       plan->lanes_units,
                                chunked->x_keys,       chunked->x_values, chunked->y_keys};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        clsort__launch_uint(&launch, numbers[i]);
    }
    clsort__launch_run(&launch, chunked->n_chunks, 1);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct plan plan;
    lay_out(job, &plan);
    launch_begin(job, programs[0], &plan);
    launch_sort_segments(job, programs[0], &plan);
    for (uint32_t number = 1; number <= plan.n_ranges; number++) {
        clsort__chunked_enqueue(job, programs[1], &plan.chunked, number, clsort__job_index_kind(job));
    }
    return job->failure->status;
}

const struct algorithm clsort__segmented_serial = {"segmented_serial", fits, pays, workspace_bytes, uses, enqueue,
                                                   FOR_SEGMENTS};
