/* Rank sort of a small array by many work-groups in one launch. */
#include "job.h"

/* SHARE of cl/rank.cl. */
enum { largest_share = 32 };

static uint64_t loop_iterations(const struct job *job)
{
    const uint64_t group_size = job->tuning.spread_group_size;
    return job->tuning.spread_items + 2 * (job->count / 4 + 1) * (group_size < largest_share ? group_size : 1) /
                                          (group_size < largest_share ? group_size : group_size / largest_share);
}

static int fits(const struct job *job)
{
    const uint64_t capacity = (uint64_t)job->tuning.spread_group_size * job->tuning.spread_items;
    return job->count <= capacity && clsort__value_has_type(job->value_bytes, job->index_bytes) &&
           (!job->caps->loop_limit || loop_iterations(job) < job->caps->loop_limit / 2);
}

/* All work-groups read all keys, so what is sorted in place is read from a copy. */
static uint64_t key_copy_bytes(const struct job *job)
{
    return job->keys_in_place ? job->count * job->key->bytes : 0;
}

static uint64_t workspace_bytes(const struct job *job)
{
    return clsort__job_carved(key_copy_bytes(job)) + clsort__job_carved(clsort__job_value_copy_bytes(job));
}

/* What is sorted in place it would have to copy, which bitonic need not. */
static int pays(const struct job *job)
{
    const int has_copy = job->keys_in_place || job->values_in_place;
    return job->count <= job->tuning.rank_count && !(has_copy && job->count <= job->tuning.bitonic_count);
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__spread_use(job, "rank", used);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    const uint32_t n_bits = job->end_bit - job->begin_bit, group_size = job->tuning.spread_group_size;
    const uint32_t share = group_size < largest_share ? group_size : largest_share;
    struct job copied = *job;
    struct launch launch;
    uint64_t used = 0;
    clsort__read_from_copy(job, &copied.keys_in, key_copy_bytes(job), job->key->bytes, &used);
    clsort__read_from_copy(job, &copied.values_in, clsort__job_value_copy_bytes(job), (uint32_t)job->value_bytes,
                           &used);
    clsort__launch_begin(&launch, job->sequence, programs[0], "sort", job->index_bytes);
    clsort__launch_arrays(&launch, &copied);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, n_bits ? job->begin_bit : 0);
    clsort__launch_ulong(&launch, n_bits ? UINT64_MAX >> (64 - n_bits) : 0);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    return clsort__launch_run(&launch, job->count ? (job->count + share - 1) / share : 1, group_size);
}

const struct algorithm clsort__rank = {"rank", fits, pays, workspace_bytes, uses, enqueue, FOR_ARRAYS};
