/* Bitonic sort in global memory, in place, any count: the way that needs no workspace. */
#include "job.h"

/* Keys of a block that one work-group sorts or merges, see cl/bitonic_global.cl: 2 * GROUP_SIZE * block_items. */
static uint32_t block_items(const struct job *job)
{
    const uint32_t group_size = job->tuning.group_size;
    const uint32_t block_pairs = 256;
    return group_size < block_pairs ? block_pairs / group_size : 1;
}

/* The index array is what the sort is for in argsort. Elsewhere it only keeps ties in order. */
static int needs_index_workspace(const struct job *job)
{
    const int whole_key = job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes;
    return job->operation != CLSORT_ARGSORT && !(job->flags & CLSORT_UNSTABLE) &&
           (job->operation == CLSORT_PAIRS || !whole_key);
}

static int has_index(const struct job *job)
{
    return job->operation == CLSORT_ARGSORT || needs_index_workspace(job);
}

static int fits(const struct job *job)
{
    return job->operation != CLSORT_ARGSORT || job->value_bytes == job->index_bytes;
}

static uint64_t workspace_bytes(const struct job *job)
{
    return needs_index_workspace(job) ? clsort__job_carved(job->count * job->index_bytes) : 0;
}

/* 2 is left to unit 1: so there are 8 programs for a kind of key, for positions of 4 and 8 bytes. */
static uint32_t unit_of(const struct job *job)
{
    const uint32_t unit = clsort__value_unit(job->value_bytes);
    return unit == 2 ? 1 : unit;
}

static int pays(const struct job *job)
{
    return (job->flags & CLSORT_LOW_MEMORY) != 0;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    struct program_options o = clsort__job_options(job);
    o.value_bytes = job->operation == CLSORT_PAIRS ? unit_of(job) : 0;
    o.group_size = job->tuning.group_size;
    o.items = block_items(job);
    o.radix_bits = o.rank_bits = 1; /* not used */
    used[0] = (struct program_use){"bitonic_global", o};
    if (!has_index(job)) {
        return 1;
    }
    used[1] = clsort__gather_use(job, 1);
    return 2;
}

/* What the network works on. */
struct network {
    struct job *job;
    struct program *program;
    clsort_range keys, values, index;
    uint32_t value_units;
    uint32_t has_index, indirect;
};

static void push_elements(const struct network *network, struct launch *launch)
{
    const struct job *job = network->job;
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    clsort__launch_range(launch, network->keys);
    clsort__launch_range(launch, network->values);
    clsort__launch_range(launch, network->index);
    clsort__launch_index(launch, job->count);
    clsort__launch_uint(launch, network->value_units);
    clsort__launch_uint(launch, network->has_index);
    clsort__launch_uint(launch, network->indirect);
    clsort__launch_order(launch, &job->order);
    clsort__launch_uint(launch, n_bits ? job->begin_bit : 0);
    clsort__launch_ulong(launch, n_bits ? UINT64_MAX >> (64 - n_bits) : 0);
}

static clsort_status launch_step(const struct network *network, uint64_t n_pairs, uint64_t stride, uint32_t flip)
{
    const struct job *job = network->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, network->program, "merge_step", job->index_bytes);
    push_elements(network, &launch);
    clsort__launch_index(&launch, n_pairs);
    clsort__launch_index(&launch, stride);
    clsort__launch_uint(&launch, flip);
    return clsort__launch_run(&launch, clsort__job_loop_groups(job, n_pairs, job->tuning.group_size),
                              job->tuning.group_size);
}

static clsort_status launch_block(const struct network *network, uint64_t n_blocks, uint32_t from_start)
{
    const struct job *job = network->job;
    /* A work-group that takes blocks one after the other needs some hundred iterations for each. */
    const uint64_t n_groups = job->caps->loop_limit ? n_blocks : clsort__job_loop_groups(job, n_blocks, 1);
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, network->program, "merge_block", job->index_bytes);
    push_elements(network, &launch);
    clsort__launch_index(&launch, n_blocks);
    clsort__launch_uint(&launch, from_start);
    return clsort__launch_run(&launch, n_groups ? n_groups : 1, job->tuning.group_size);
}

static clsort_status run_network(const struct network *network)
{
    const struct job *job = network->job;
    const uint64_t block_pairs = (uint64_t)job->tuning.group_size * block_items(job);
    const uint64_t n_blocks = (job->count + 2 * block_pairs - 1) / (2 * block_pairs);
    uint64_t n_pairs = job->count ? block_pairs : 0;
    while (2 * n_pairs < job->count) {
        n_pairs *= 2;
    }
    launch_block(network, n_blocks, 1);
    for (uint64_t half_block = 2 * block_pairs; half_block <= n_pairs; half_block *= 2) {
        launch_step(network, n_pairs, half_block, 1);
        for (uint64_t stride = half_block / 2; stride > block_pairs; stride /= 2) {
            launch_step(network, n_pairs, stride, 0);
        }
        launch_block(network, n_blocks, 0);
    }
    if (job->is_warm_up) {
        launch_step(network, 0, 1, 0);
    }
    return job->failure->status;
}

/* Puts the input where the network works: in the output, or for argsort without keys_out, nowhere. */
static void bring_input(struct job *job, struct network *network)
{
    const uint32_t key_bytes = job->key->bytes;
    if (job->write_keys) {
        clsort__sequence_copy(job->sequence, job->keys_in.buffer, job->keys_in.offset * key_bytes, job->keys_out.buffer,
                              job->keys_out.offset * key_bytes, job->count * key_bytes);
        network->keys = job->keys_out;
    } else {
        network->keys = job->keys_in;
        network->indirect = 1;
    }
    if (job->operation == CLSORT_PAIRS) {
        clsort__sequence_copy(job->sequence, job->values_in.buffer, job->values_in.offset * job->value_bytes,
                              job->values_out.buffer, job->values_out.offset * job->value_bytes,
                              job->count * job->value_bytes);
        network->value_units = (uint32_t)(job->value_bytes / unit_of(job));
        network->values = clsort_make_range(job->values_out.buffer, job->values_out.offset * network->value_units);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct network network = {job, programs[0], {0}, {0}, {0}, 0, 0, 0};
    uint64_t used = 0;
    bring_input(job, &network);
    if (has_index(job)) {
        network.has_index = 1;
        network.index = job->operation == CLSORT_ARGSORT
                            ? job->values_out
                            : clsort__job_carve(job, &used, job->count * job->index_bytes, job->index_bytes);
        clsort__fill_index(job, programs[1], network.index);
    }
    return run_network(&network);
}

const struct algorithm clsort__bitonic_global = {"bitonic_global", fits,      pays, workspace_bytes, uses,
                                                 enqueue,          FOR_ARRAYS};
