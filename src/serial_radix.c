/* Radix sort of a small array by one work-item, in one launch. */
#include "job.h"

/* Counters of two digits, as in cl/cached_lsd.cl. */
enum { n_counters = 2 << 11 };

/* Larger arrays would take a GPU seconds. */
static const uint64_t most_elements = 65536;

/* An element may take so many iterations of loops: of all passes over 8-byte keys in narrow digits. */
enum { loops_of_element = 64 };

static int fits(const struct job *job)
{
    const uint64_t limit = job->caps->loop_limit ? job->caps->loop_limit / loops_of_element : most_elements;
    return job->count <= limit && clsort__value_has_type(job->value_bytes, job->index_bytes);
}

/* Narrow keys are counted faster, in an order of the table in which radix_local has the small ones. */
static int is_counted(const struct job *job)
{
    return clsort__counting.fits(job) && clsort__counting.pays(job);
}

static int pays(const struct job *job)
{
    return job->count <= job->tuning.serial_count && !job->caps->loop_limit && !is_counted(job);
}

static uint64_t workspace_bytes(const struct job *job)
{
    const uint64_t keys = clsort__job_carved(job->count * job->key->bytes);
    return clsort__job_carved(n_counters * (uint64_t)job->index_bytes) + keys +
           clsort__job_carved(job->count * job->value_bytes) + (job->write_keys ? 0 : keys);
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__single_use(job, "serial_radix", used);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    const uint32_t key_bytes = job->key->bytes, value_bytes = (uint32_t)job->value_bytes;
    uint64_t used = 0;
    struct launch launch;
    const clsort_range counters =
        clsort__job_carve(job, &used, n_counters * (uint64_t)job->index_bytes, job->index_bytes);
    const clsort_range x_keys = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
    const clsort_range x_values =
        clsort__job_carve(job, &used, job->count * value_bytes, value_bytes ? value_bytes : 1);
    const clsort_range y_keys = clsort__job_carve(job, &used, 0, key_bytes);
    clsort__launch_begin(&launch, job->sequence, programs[0], "sort", job->index_bytes);
    clsort__launch_arrays(&launch, job);
    clsort__launch_range(&launch, x_keys);
    clsort__launch_range(&launch, x_values);
    clsort__launch_range(&launch, y_keys);
    clsort__launch_range(&launch, counters);
    clsort__launch_index(&launch, job->count);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, job->begin_bit);
    clsort__launch_uint(&launch, job->end_bit);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    return clsort__launch_run(&launch, 1, 1);
}

const struct algorithm clsort__serial_radix = {"serial_radix", fits, pays, workspace_bytes, uses, enqueue, FOR_ARRAYS};
