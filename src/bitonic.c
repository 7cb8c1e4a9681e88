/* Bitonic sort of a small array by one work-group in local memory, in one launch. */
#include "job.h"

static uint64_t loop_iterations(const struct job *job)
{
    const uint64_t n_levels = clsort__bits_for(job->count), n = (uint64_t)1 << n_levels;
    const uint64_t group_size = job->tuning.local_group_size;
    return n_levels * (n_levels + 1) / 2 * (n / 2 / group_size + 2) + 4 * (n / group_size + 1);
}

static int fits(const struct job *job)
{
    const uint64_t capacity = (uint64_t)job->tuning.local_group_size * job->tuning.local_items;
    return job->count <= capacity && clsort__value_has_type(job->value_bytes, job->index_bytes) &&
           (!job->caps->loop_limit || loop_iterations(job) < job->caps->loop_limit / 2);
}

static int pays(const struct job *job)
{
    return job->count <= job->tuning.bitonic_count;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__local_use(job, "bitonic", used);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, programs[0], "sort", job->index_bytes);
    clsort__launch_arrays(&launch, job);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_uint(&launch, clsort__bits_for(job->count));
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, n_bits ? job->begin_bit : 0);
    clsort__launch_ulong(&launch, n_bits ? UINT64_MAX >> (64 - n_bits) : 0);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    return clsort__launch_run(&launch, 1, job->tuning.local_group_size);
}

const struct algorithm clsort__bitonic = {"bitonic", fits, pays, clsort__no_workspace, uses, enqueue, FOR_ARRAYS};
