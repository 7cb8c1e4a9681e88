/* Radix sort of a small array by one work-group in local memory, in one launch. */
#include "job.h"

static uint64_t capacity(const struct job *job)
{
    const struct tuning *t = &job->tuning;
    uint64_t keys = (uint64_t)t->local_group_size * t->local_items;
    if (job->caps->loop_limit) {
        /* A step of the one-work-item form runs four loops over the keys; that of the other, less for each work-item. */
        const uint32_t bits = t->local_group_size == 1 ? t->radix_bits : t->rank_bits;
        const uint32_t n_steps = (8 * job->key->bytes + bits - 1) / bits;
        const uint64_t limit = (uint64_t)job->caps->loop_limit / (8 * n_steps) * t->local_group_size;
        keys = keys < limit ? keys : limit;
    }
    return keys;
}

static int fits(const struct job *job)
{
    return job->count <= capacity(job) && clsort__value_has_type(job->value_bytes, job->index_bytes);
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__local_use(job, "radix_local", used);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, programs[0], "sort", job->index_bytes);
    clsort__launch_arrays(&launch, job);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, job->begin_bit);
    clsort__launch_uint(&launch, job->end_bit);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    return clsort__launch_run(&launch, 1, job->tuning.local_group_size);
}

const struct algorithm clsort__radix_local = {"radix_local", fits,    clsort__always_pays, clsort__no_workspace,
                                              uses,          enqueue, FOR_ARRAYS};
