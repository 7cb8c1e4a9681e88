/* What follows from a job alone: options of its programs, layout of its workspace, sizes of its launches. */
#include "job.h"

int clsort__value_has_type(uint64_t value_bytes, uint32_t index_bytes)
{
    if (index_bytes == 8) {
        return value_bytes == 0 || value_bytes == 8;
    }
    return value_bytes == 0 || value_bytes == 1 || value_bytes == 2 || value_bytes == 4 || value_bytes == 8 ||
           value_bytes == 16;
}

uint32_t clsort__value_unit(uint64_t bytes)
{
    uint32_t unit = 8;
    while (bytes % unit != 0) {
        unit /= 2;
    }
    return unit;
}

struct program_options clsort__job_options(const struct job *job)
{
    struct program_options options = {0};
    options.key_bytes = job->key->bytes;
    options.key_is_float = job->key->kind == KEY_FLOAT;
    options.value_bytes = (uint32_t)job->value_bytes;
    options.index_bytes = job->index_bytes;
    options.radix_bits = job->tuning.radix_bits;
    options.rank_bits = job->tuning.rank_bits;
    options.element_words = job->key->bytes > 4 ? 2 : 1;
    options.unroll = !(job->caps->type & CL_DEVICE_TYPE_CPU);
    options.ptx = job->tuning.ptx;
    return options;
}

uint64_t clsort__job_carved(uint64_t bytes)
{
    const uint64_t alignment = CLSORT_WORKSPACE_ALIGNMENT;
    return (bytes + alignment - 1) / alignment * alignment;
}

clsort_range clsort__job_carve(const struct job *job, uint64_t *used, uint64_t bytes, uint32_t element_bytes)
{
    const clsort_range range = clsort_make_range(job->workspace, (job->workspace_offset + *used) / element_bytes);
    *used += clsort__job_carved(bytes);
    return range;
}

uint32_t clsort__bits_for(uint64_t count)
{
    uint32_t bits = 0;
    while (count > (uint64_t)1 << bits) {
        bits++;
    }
    return bits;
}

cl_uint clsort__job_take(uint64_t *used, uint64_t bytes)
{
    const cl_uint at = (cl_uint)(*used / CLSORT_WORKSPACE_ALIGNMENT);
    *used += clsort__job_carved(bytes);
    return at;
}

uint64_t clsort__job_value_copy_bytes(const struct job *job)
{
    return job->operation == CLSORT_PAIRS && job->values_in_place ? job->count * job->value_bytes : 0;
}

/* Work-groups a compute unit is given in plain loops; enough to hide latency, few enough to start fast. */
enum { loop_groups_per_unit = 32 };

uint64_t clsort__job_loop_groups(const struct job *job, uint64_t n_items, uint32_t group_size)
{
    const uint64_t needed = (n_items + group_size - 1) / group_size;
    uint64_t n_groups = (uint64_t)job->caps->compute_units * loop_groups_per_unit;
    if (job->caps->loop_limit) {
        const uint64_t a_group = (uint64_t)group_size * (job->caps->loop_limit / 32);
        const uint64_t at_least = (n_items + a_group - 1) / a_group;
        n_groups = n_groups > at_least ? n_groups : at_least;
    }
    n_groups = n_groups < needed ? n_groups : needed;
    return n_groups ? n_groups : 1;
}

uint64_t clsort__job_block_groups(const struct job *job, uint64_t n_blocks)
{
    const uint64_t most = (uint64_t)job->caps->compute_units * job->tuning.blocks_per_unit;
    const uint64_t n = job->caps->loop_limit || most > n_blocks ? n_blocks : most;
    return n ? n : 1;
}

uint64_t clsort__job_most_groups(const struct job *job)
{
    const uint32_t of_passes = job->tuning.blocks_per_unit, of_counting = job->tuning.counting_groups;
    uint32_t of_unit = of_passes > of_counting ? of_passes : of_counting;
    of_unit = of_unit > loop_groups_per_unit ? of_unit : loop_groups_per_unit;
    of_unit = of_unit > job->tuning.chunked_groups ? of_unit : job->tuning.chunked_groups;
    /* radix has one more for what is left of whole tiles */
    const uint64_t n = (uint64_t)job->caps->compute_units * of_unit + 1;
    return n < samplesort_most_groups ? samplesort_most_groups : n;
}

uint32_t clsort__single_use(const struct job *job, const char *name, struct program_use used[job_max_programs])
{
    used[0] = (struct program_use){name, clsort__job_options(job)};
    used[0].options.group_size = used[0].options.items = 1;
    used[0].options.radix_bits = used[0].options.rank_bits = 1;
    used[0].options.element_words = 1;
    used[0].options.ptx = 0;
    return 1;
}

uint32_t clsort__local_use(const struct job *job, const char *name, struct program_use used[job_max_programs])
{
    used[0] = (struct program_use){name, clsort__job_options(job)};
    used[0].options.group_size = job->tuning.local_group_size;
    used[0].options.items = job->tuning.local_items;
    return 1;
}

uint32_t clsort__spread_use(const struct job *job, const char *name, struct program_use used[job_max_programs])
{
    used[0] = (struct program_use){name, clsort__job_options(job)};
    used[0].options.group_size = job->tuning.spread_group_size;
    used[0].options.items = job->tuning.spread_items;
    return 1;
}

uint64_t clsort__no_workspace(const struct job *job)
{
    (void)job;
    return 0;
}

int clsort__always_pays(const struct job *job)
{
    (void)job;
    return 1;
}

void clsort__launch_arrays(struct launch *launch, const struct job *job)
{
    clsort__launch_range(launch, job->keys_in);
    clsort__launch_range(launch, job->keys_out);
    clsort__launch_range(launch, job->values_in);
    clsort__launch_range(launch, job->values_out);
}

/* Where argsort's indices count from, as in the kernels. */
enum { index_in_array = 1, index_in_segment = 2 };

uint32_t clsort__job_index_kind(const struct job *job)
{
    if (job->operation != CLSORT_ARGSORT) {
        return 0;
    }
    return job->flags & CLSORT_INDEX_IN_SEGMENT ? index_in_segment : index_in_array;
}

void clsort__launch_segments(struct launch *launch, const struct job *job)
{
    clsort__launch_range(launch, job->segments.begins);
    clsort__launch_range(launch, job->segments.ends);
    clsort__launch_uint(launch, job->segments.offset_bytes == 8);
    clsort__launch_ulong(launch, job->segments.length);
    clsort__launch_ulong(launch, job->segments.stride);
    clsort__launch_index(launch, job->segments.count);
    clsort__launch_index(launch, job->count);
}
