/* Portable LSD radix sort over the whole device: histogram, scan, scatter for each digit. */
#include "radix_layout.h"

struct plan {
    uint32_t n_passes;
    uint64_t block_items;
    uint64_t n_whole_blocks, n_blocks; /* blocks of whole tiles, and with the rest */
    clsort_range table, totals;
    struct route keys, values;
};

static uint32_t n_passes(const struct job *job)
{
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    const uint32_t n = (n_bits + job->tuning.radix_bits - 1) / job->tuning.radix_bits;
    return n ? n : 1; /* no bits: one pass, which copies */
}

static uint64_t max_blocks(const struct job *job)
{
    return clsort__radix_whole_blocks(job) + 1;
}

/* Rules as in block_begin() of cl/radix.cl. */
static void divide(const struct job *job, struct plan *plan)
{
    const uint64_t n_tiles = job->count / clsort__radix_tile(job);
    plan->n_passes = n_passes(job);
    plan->block_items = clsort__radix_block(job);
    const uint64_t block_tiles = plan->block_items / clsort__radix_tile(job);
    plan->n_whole_blocks = (n_tiles + block_tiles - 1) / block_tiles;
    plan->n_blocks = plan->n_whole_blocks + (job->count % clsort__radix_tile(job) || job->count == 0 ? 1 : 0);
}

static int fits(const struct job *job)
{
    return clsort__value_has_type(job->value_bytes, job->index_bytes);
}

static uint64_t workspace_bytes(const struct job *job)
{
    const uint64_t table = clsort__job_carved(clsort__radix_digits(job) * max_blocks(job) * job->index_bytes);
    const uint64_t totals = clsort__job_carved(clsort__radix_digits(job) * job->index_bytes);
    return table + totals +
           clsort__radix_key_temporaries(job, n_passes(job)) * clsort__job_carved(job->count * job->key->bytes) +
           clsort__radix_value_temporaries(job, n_passes(job)) * clsort__job_carved(job->count * job->value_bytes);
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    struct program_options o = clsort__job_options(job);
    o.group_size = job->tuning.group_size;
    o.items = job->tuning.items;
    used[0] = (struct program_use){"radix", o};
    return 1;
}

static void lay_out(const struct job *job, struct plan *plan)
{
    const uint32_t key_bytes = job->key->bytes, value_bytes = (uint32_t)job->value_bytes;
    uint64_t used = 0;
    divide(job, plan);
    plan->table =
        clsort__job_carve(job, &used, clsort__radix_digits(job) * max_blocks(job) * job->index_bytes, job->index_bytes);
    plan->totals = clsort__job_carve(job, &used, clsort__radix_digits(job) * job->index_bytes, job->index_bytes);
    plan->keys = (struct route){job->keys_in, job->keys_out, {{0}}, job->keys_in_place, job->write_keys};
    plan->values = (struct route){job->values_in, job->values_out, {{0}}, job->values_in_place, 1};
    for (uint32_t i = 0; i < clsort__radix_key_temporaries(job, n_passes(job)); i++) {
        plan->keys.temporary[i] = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
    }
    for (uint32_t i = 0; i < clsort__radix_value_temporaries(job, n_passes(job)); i++) {
        plan->values.temporary[i] = clsort__job_carve(job, &used, job->count * value_bytes, value_bytes);
    }
}

static void copy_first(struct job *job, const struct route *route, uint32_t n, uint64_t element_bytes)
{
    if (clsort__route_copies_first(route, n)) {
        clsort__sequence_copy(job->sequence, route->in.buffer, route->in.offset * element_bytes,
                              route->temporary[0].buffer, route->temporary[0].offset * element_bytes,
                              job->count * element_bytes);
    }
}

/* What the kernels of a pass have in common. */
struct pass {
    struct job *job;
    struct program *program;
    const struct plan *plan;
    uint32_t number;
    uint32_t shift, digit_mask;
};

static void push_blocks_and_digit(struct launch *launch, const struct pass *pass)
{
    clsort__launch_index(launch, pass->job->count);
    clsort__launch_index(launch, pass->plan->block_items);
    clsort__launch_uint(launch, (uint32_t)pass->plan->n_blocks);
    clsort__launch_order(launch, &pass->job->order);
    clsort__launch_uint(launch, pass->shift);
    clsort__launch_uint(launch, pass->digit_mask);
}

static void launch_histogram(const struct pass *pass)
{
    const struct job *job = pass->job;
    const struct plan *plan = pass->plan;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, pass->program, "histogram", job->index_bytes);
    clsort__launch_range(&launch, clsort__route_source(&plan->keys, pass->number, plan->n_passes));
    clsort__launch_range(&launch, plan->table);
    push_blocks_and_digit(&launch, pass);
    clsort__launch_run(&launch, plan->n_blocks, job->tuning.group_size);
}

static void launch_scan(const struct pass *pass)
{
    const struct job *job = pass->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, pass->program, "scan", job->index_bytes);
    clsort__launch_range(&launch, pass->plan->table);
    clsort__launch_range(&launch, pass->plan->totals);
    clsort__launch_uint(&launch, (uint32_t)pass->plan->n_blocks);
    clsort__launch_run(&launch, clsort__radix_digits(job), job->tuning.group_size);
}

/* With the kernel scatter or scatter_rest. */
static void launch_scatter(const struct pass *pass, const char *kernel_name, uint64_t n_groups)
{
    const struct job *job = pass->job;
    const struct plan *plan = pass->plan;
    const uint32_t n = plan->n_passes;
    const int is_first = pass->number == 0, is_last = pass->number + 1 == n;
    struct launch launch;
    if (n_groups == 0) {
        return;
    }
    clsort__launch_begin(&launch, job->sequence, pass->program, kernel_name, job->index_bytes);
    clsort__launch_range(&launch, clsort__route_source(&plan->keys, pass->number, n));
    clsort__launch_range(&launch, clsort__route_destination(&plan->keys, pass->number, n));
    clsort__launch_range(&launch, clsort__route_source(&plan->values, pass->number, n));
    clsort__launch_range(&launch, clsort__route_destination(&plan->values, pass->number, n));
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->totals);
    push_blocks_and_digit(&launch, pass);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT && is_first);
    clsort__launch_uint(&launch, job->write_keys || !is_last);
    clsort__launch_run(&launch, n_groups, job->tuning.group_size);
}

static void enqueue_pass(struct job *job, struct program *program, const struct plan *plan, uint32_t number)
{
    const uint32_t shift = job->begin_bit + number * job->tuning.radix_bits;
    const uint32_t bits_left = job->end_bit > shift ? job->end_bit - shift : 0;
    const uint32_t n_bits = bits_left < job->tuning.radix_bits ? bits_left : job->tuning.radix_bits;
    const struct pass pass = {job, program, plan, number, n_bits ? shift : 0, (1u << n_bits) - 1};
    launch_histogram(&pass);
    launch_scan(&pass);
    if (job->tuning.group_size == 1) {
        launch_scatter(&pass, "scatter", plan->n_blocks);
    } else {
        launch_scatter(&pass, "scatter", job->is_warm_up ? 1 : plan->n_whole_blocks);
        launch_scatter(&pass, "scatter_rest", plan->n_blocks - plan->n_whole_blocks);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct plan plan;
    lay_out(job, &plan);
    copy_first(job, &plan.keys, plan.n_passes, job->key->bytes);
    if (job->operation == CLSORT_PAIRS) {
        copy_first(job, &plan.values, plan.n_passes, job->value_bytes);
    }
    for (uint32_t pass = 0; pass < plan.n_passes; pass++) {
        enqueue_pass(job, programs[0], &plan, pass);
    }
    return job->failure->status;
}

const struct algorithm clsort__radix = {"radix", fits, clsort__always_pays, workspace_bytes, uses, enqueue, FOR_ARRAYS};
