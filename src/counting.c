/* Counting sort of keys of 1 or 2 bytes alone: each key is counted, and written as often as that. */
#include "job.h"

enum {
    vector_bytes = 16,      /* that kernels read and write at once */
    loops_of_vector = 64,   /* iterations that a vector may take in count_keys, its share of all loops there */
    loops_of_output = 1024, /* the same for expand, which may search for each key */
    output_groups = 16,     /* that a compute unit is given, more than it runs at once: they reach memory more evenly */
};

struct plan {
    uint32_t n_slices;
    uint64_t n_blocks, block_vectors; /* of the input */
    clsort_range table, starts, segment_counts;
};

static uint64_t n_keys(const struct job *job)
{
    return (uint64_t)1 << 8 * job->key->bytes;
}

/* SEGMENT of cl/counting.cl. */
static uint32_t segment_keys(const struct job *job)
{
    return job->key->bytes == 1 ? 32 : 128;
}

static uint64_t divided_up(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

/* N_SLICES of cl/counting.cl. */
static uint32_t n_slices(const struct job *job)
{
    const uint32_t slice = 2 * job->tuning.counting_group_size * job->tuning.counting_items;
    const int has_slices = job->key->bytes == 2 && job->tuning.counting_group_size > 1;
    return has_slices ? (uint32_t)divided_up(n_keys(job), slice) : 1;
}

static uint64_t n_vectors(const struct job *job)
{
    return job->count / (vector_bytes / job->key->bytes);
}

/* Vectors that a work-group may take: 32-bit counts must not overflow, nor loops end early. */
static uint64_t group_vectors_limit(const struct job *job, uint32_t loops)
{
    const uint64_t n = job->caps->loop_limit / loops * (uint64_t)job->tuning.counting_group_size;
    return job->caps->loop_limit ? n : ((uint64_t)1 << 31) / vector_bytes;
}

/* Never falls when count grows. A block has as many keys as there are counters, or clearing them would take longer. */
static uint64_t max_blocks(const struct job *job)
{
    const uint64_t a_row = (uint64_t)job->tuning.counting_group_size * vector_bytes / job->key->bytes;
    const uint64_t of_size = divided_up(job->count, n_keys(job) > a_row ? n_keys(job) : a_row);
    const uint64_t needed = divided_up(n_vectors(job), group_vectors_limit(job, loops_of_vector));
    uint64_t n = (uint64_t)job->caps->compute_units * job->tuning.counting_groups / n_slices(job);
    n = n < of_size ? n : of_size;
    n = n > needed ? n : needed;
    return n ? n : 1;
}

/* Where loops end early, a work-item of sum_counts must be able to add up the rows of the table. */
static int fits_loops(const struct job *job)
{
    return !job->caps->loop_limit || max_blocks(job) <= job->caps->loop_limit / 4 / segment_keys(job);
}

static int fits(const struct job *job)
{
    return job->operation == CLSORT_KEYS && job->key->bytes <= 2 && job->begin_bit == 0 &&
           job->end_bit == 8 * job->key->bytes && !job->order.merge && fits_loops(job);
}

static uint64_t n_segments(const struct job *job)
{
    return n_keys(job) / segment_keys(job);
}

static uint64_t table_bytes(const struct job *job)
{
    return max_blocks(job) * n_keys(job) * sizeof(uint32_t);
}

/* What radix needs for the counts below those that counting is taken for: workspace must not fall there. */
static uint64_t workspace_before(const struct job *job)
{
    struct job before = *job;
    const uint64_t most = job->tuning.counting_count ? job->tuning.counting_count - 1 : 0;
    before.count = job->count < most ? job->count : most;
    return clsort__radix.workspace_bytes(&before);
}

static uint64_t workspace_bytes(const struct job *job)
{
    const uint64_t own = clsort__job_carved(table_bytes(job)) + clsort__job_carved(n_keys(job) * job->index_bytes) +
                         clsort__job_carved(n_segments(job) * job->index_bytes);
    const uint64_t before = workspace_before(job);
    return own > before ? own : before;
}

/* Where loops end early it fits up to some count only, and workspace would fall behind that. */
static int pays(const struct job *job)
{
    return job->tuning.counting_count > 0 && job->count >= job->tuning.counting_count && !job->caps->loop_limit;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    struct program_options o = clsort__job_options(job);
    o.group_size = job->tuning.counting_group_size;
    o.items = job->tuning.counting_items;
    used[0] = (struct program_use){"counting", o};
    return 1;
}

static void lay_out(const struct job *job, struct plan *plan)
{
    const uint32_t index_bytes = job->index_bytes;
    uint64_t used = 0;
    plan->n_slices = n_slices(job);
    plan->block_vectors = divided_up(n_vectors(job), max_blocks(job));
    plan->n_blocks = plan->block_vectors ? divided_up(n_vectors(job), plan->block_vectors) : 1;
    plan->table = clsort__job_carve(job, &used, table_bytes(job), sizeof(uint32_t));
    plan->starts = clsort__job_carve(job, &used, n_keys(job) * index_bytes, index_bytes);
    plan->segment_counts = clsort__job_carve(job, &used, n_segments(job) * index_bytes, index_bytes);
}

static void launch_count_keys(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "count_keys", job->index_bytes);
    clsort__launch_range(&launch, job->keys_in);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_index(&launch, job->count);
    clsort__launch_index(&launch, plan->block_vectors);
    clsort__launch_run(&launch, plan->n_blocks * plan->n_slices, job->tuning.counting_group_size);
}

static void launch_sum_counts(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "sum_counts", job->index_bytes);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->starts);
    clsort__launch_range(&launch, plan->segment_counts);
    clsort__launch_uint(&launch, (uint32_t)plan->n_blocks);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, n_segments(job), job->tuning.counting_group_size);
}

/* Work-groups that write the output. */
static uint64_t n_output_groups(const struct job *job)
{
    const uint64_t of_size = divided_up(n_vectors(job), job->tuning.counting_group_size);
    const uint64_t needed = divided_up(n_vectors(job), group_vectors_limit(job, loops_of_output));
    uint64_t n = (uint64_t)job->caps->compute_units * output_groups;
    n = n < of_size ? n : of_size;
    n = n > needed ? n : needed;
    return n ? n : 1;
}

static void launch_expand(struct job *job, struct program *program, const struct plan *plan)
{
    const uint64_t n_groups = n_output_groups(job);
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "expand", job->index_bytes);
    clsort__launch_range(&launch, job->keys_out);
    clsort__launch_range(&launch, plan->starts);
    clsort__launch_range(&launch, plan->segment_counts);
    clsort__launch_index(&launch, job->count);
    clsort__launch_index(&launch, divided_up(n_vectors(job), n_groups));
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, n_groups, job->tuning.counting_group_size);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct plan plan;
    lay_out(job, &plan);
    launch_count_keys(job, programs[0], &plan);
    launch_sum_counts(job, programs[0], &plan);
    launch_expand(job, programs[0], &plan);
    return job->failure->status;
}

const struct algorithm clsort__counting = {"counting", fits, pays, workspace_bytes, uses, enqueue, FOR_ARRAYS};
