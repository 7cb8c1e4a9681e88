/* Steps that algorithms share: values moved by an index, indices made and narrowed, input read from a copy. */
#include "job.h"

struct program_use clsort__gather_use(const struct job *job, uint32_t unit)
{
    /* Of these only the unit, the index and the group size matter to gather.cl. */
    const struct program_use use = {"gather", {4, 0, unit, job->index_bytes, job->tuning.group_size, 1, 1, 1, 1, 0, 0}};
    return use;
}

clsort_status clsort__gather(struct job *job, struct program *program, clsort_range values_in, clsort_range values_out,
                             clsort_range index, uint64_t value_bytes)
{
    const uint32_t unit = clsort__value_unit(value_bytes);
    const uint64_t n_units = value_bytes / unit;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "gather", job->index_bytes);
    clsort__launch_range(&launch, values_in);
    clsort__launch_range(&launch, values_out);
    clsort__launch_range(&launch, index);
    clsort__launch_index(&launch, job->count);
    clsort__launch_uint(&launch, (uint32_t)n_units);
    return clsort__launch_run(&launch, clsort__job_loop_groups(job, job->count, job->tuning.group_size),
                              job->tuning.group_size);
}

void clsort__read_from_copy(const struct job *job, clsort_range *range, uint64_t bytes, uint32_t element_bytes,
                            uint64_t *used)
{
    if (bytes > 0) {
        const clsort_range copy = clsort__job_carve(job, used, bytes, element_bytes);
        clsort__sequence_copy(job->sequence, range->buffer, range->offset * element_bytes, copy.buffer,
                              copy.offset * element_bytes, bytes);
        *range = copy;
    }
}

/* A kernel that writes each index. */
static clsort_status write_index(struct job *job, struct program *program, const char *kernel_name, clsort_range index)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, kernel_name, job->index_bytes);
    clsort__launch_range(&launch, index);
    clsort__launch_index(&launch, job->count);
    return clsort__launch_run(&launch, clsort__job_loop_groups(job, job->count, job->tuning.group_size),
                              job->tuning.group_size);
}

clsort_status clsort__fill_index(struct job *job, struct program *program, clsort_range index)
{
    return write_index(job, program, "fill_index", index);
}

clsort_status clsort__clear_index(struct job *job, struct program *program, clsort_range index)
{
    return write_index(job, program, "clear_index", index);
}

clsort_status clsort__narrow_index(struct job *job, struct program *program, clsort_range index, clsort_range narrow)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "narrow_index", job->index_bytes);
    clsort__launch_range(&launch, index);
    clsort__launch_range(&launch, narrow);
    clsort__launch_index(&launch, job->count);
    return clsort__launch_run(&launch, clsort__job_loop_groups(job, job->count, job->tuning.group_size),
                              job->tuning.group_size);
}
