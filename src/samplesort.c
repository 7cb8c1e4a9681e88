/* Samplesort of whole keys alone, for arrays of middle size: one launch or two, whatever the keys are. */
#include "job.h"

/* MAX_BLOCKS and MAX_BUCKETS of cl/samplesort.cl. */
enum { max_blocks = 256, max_buckets = 256 };

/* More samples for each bucket make buckets more even and cost time; fewer keys in one are not worth a work-group. */
enum { samples_per_bucket = 16, least_bucket = 256 };

struct plan {
    uint32_t n_blocks, block_items;
    uint32_t
        n_bucket_bits; /* buckets between bounds; with those below the least bound and above the greatest there are two more */
    uint32_t n_sample_bits;
    clsort_range ways, bounds, table, parted;
};

static uint64_t tile_items(const struct job *job)
{
    return (uint64_t)job->tuning.spread_group_size * job->tuning.spread_items;
}

/* A power of two that never falls when count grows: enough that a bucket is a sixth of a tile, and for all compute units. */
static uint32_t choose_buckets(const struct job *job)
{
    uint32_t n = 1;
    while (n < max_buckets && (6 * job->count > n * tile_items(job) ||
                               (2 * n <= job->caps->compute_units && job->count >= (uint64_t)2 * n * least_bucket))) {
        n *= 2;
    }
    return n;
}

/* ROWS of cl/samplesort.cl: keys and samples of a work-item in the first launch. */
static uint32_t rows(const struct job *job)
{
    const uint32_t most = job->tuning.spread_group_size < 32 ? 128 : 2;
    return job->tuning.spread_items < most ? job->tuning.spread_items : most;
}

static uint64_t block_limit(const struct job *job)
{
    return (uint64_t)job->tuning.spread_group_size * rows(job);
}

static uint32_t choose_sample_bits(const struct job *job, uint32_t n_buckets)
{
    uint32_t n_bits = 0;
    while ((2u << n_bits) <= samples_per_bucket * n_buckets && (2u << n_bits) <= block_limit(job) &&
           (2u << n_bits) <= job->count) {
        n_bits++;
    }
    return n_bits;
}

/* A block for each compute unit, but no smaller than a work-group and no larger than one can take. */
static uint64_t choose_block(const struct job *job)
{
    const uint64_t units = job->caps->compute_units < max_blocks ? job->caps->compute_units : max_blocks;
    uint64_t items = (job->count + units - 1) / units;
    items = items > job->tuning.spread_group_size ? items : job->tuning.spread_group_size;
    return items < block_limit(job) ? items : block_limit(job);
}

static struct plan make_plan(const struct job *job)
{
    struct plan plan = {0};
    plan.block_items = (uint32_t)choose_block(job);
    plan.n_blocks = (uint32_t)((job->count + plan.block_items - 1) / plan.block_items);
    plan.n_blocks = plan.n_blocks ? plan.n_blocks : 1;
    plan.n_sample_bits = choose_sample_bits(job, choose_buckets(job));
    while (plan.n_bucket_bits < plan.n_sample_bits && 2u << plan.n_bucket_bits <= choose_buckets(job)) {
        plan.n_bucket_bits++;
    }
    return plan;
}

/* One launch, in which each work-group reads all keys. */
static int is_at_once(const struct job *job)
{
    return !job->keys_in_place && job->count <= job->tuning.at_once_count;
}

/* Of one work-group if one bucket had all keys. */
static uint64_t loop_iterations(const struct job *job)
{
    const uint64_t group_size = job->tuning.spread_group_size;
    uint64_t n_levels = 0;
    while ((uint64_t)1 << n_levels < job->count) {
        n_levels++;
    }
    return n_levels * (n_levels + 1) / 2 * (job->count / group_size + 2) + 20 * (job->count / group_size + 1) +
           40 * (uint64_t)rows(job) + 1024 / group_size;
}

static int fits(const struct job *job)
{
    return job->operation == CLSORT_KEYS && job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes &&
           job->count <= max_blocks * block_limit(job) &&
           (!job->caps->loop_limit || loop_iterations(job) < job->caps->loop_limit / 2);
}

static uint64_t table_bytes(const struct job *job)
{
    const uint64_t most_blocks = job->count / job->tuning.spread_group_size + 1;
    return 2 * (choose_buckets(job) + 3) * (most_blocks < max_blocks ? most_blocks : max_blocks);
}

static uint64_t workspace_bytes(const struct job *job)
{
    if (is_at_once(job) && !job->is_warm_up) {
        return 0;
    }
    return clsort__job_carved(4 * (max_buckets + 2)) +
           clsort__job_carved((uint64_t)(max_buckets + 1) * job->key->bytes) + clsort__job_carved(table_bytes(job)) +
           clsort__job_carved(job->count * job->key->bytes);
}

static int pays(const struct job *job)
{
    return job->count <= job->tuning.samplesort_count && !(job->key->bytes <= 2 && clsort__counting.pays(job));
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__spread_use(job, "samplesort", used);
}

static void lay_out(const struct job *job, struct plan *plan)
{
    const uint32_t key_bytes = job->key->bytes;
    uint64_t used = 0;
    plan->ways = clsort__job_carve(job, &used, 4 * (max_buckets + 2), 4);
    plan->bounds = clsort__job_carve(job, &used, (uint64_t)(max_buckets + 1) * key_bytes, key_bytes);
    plan->table = clsort__job_carve(job, &used, table_bytes(job), 2);
    plan->parted = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
}

static void launch_distribute(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "distribute", job->index_bytes);
    clsort__launch_range(&launch, job->keys_in);
    clsort__launch_range(&launch, plan->parted);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->bounds);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_uint(&launch, plan->block_items);
    clsort__launch_uint(&launch, plan->n_bucket_bits);
    clsort__launch_uint(&launch, plan->n_sample_bits);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, plan->n_blocks, job->tuning.spread_group_size);
}

static void launch_sort_buckets(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "sort_buckets", job->index_bytes);
    clsort__launch_range(&launch, plan->parted);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->bounds);
    clsort__launch_range(&launch, plan->ways);
    clsort__launch_range(&launch, job->keys_out);
    clsort__launch_uint(&launch, plan->n_blocks);
    clsort__launch_uint(&launch, plan->block_items);
    clsort__launch_uint(&launch, plan->n_bucket_bits);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, (1u << plan->n_bucket_bits) + 2, job->tuning.spread_group_size);
}

static void launch_sort_at_once(struct job *job, struct program *program, const struct plan *plan)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "sort_at_once", job->index_bytes);
    clsort__launch_range(&launch, job->keys_in);
    clsort__launch_range(&launch, job->keys_out);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_uint(&launch, plan->n_bucket_bits);
    clsort__launch_uint(&launch, plan->n_sample_bits);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, (1u << plan->n_bucket_bits) + 2, job->tuning.spread_group_size);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct plan plan = make_plan(job);
    if (is_at_once(job) || job->is_warm_up) {
        launch_sort_at_once(job, programs[0], &plan);
    }
    if (!is_at_once(job) || job->is_warm_up) {
        lay_out(job, &plan);
        launch_distribute(job, programs[0], &plan);
        launch_sort_buckets(job, programs[0], &plan);
    }
    return job->failure->status;
}

const struct algorithm clsort__samplesort = {"samplesort", fits, pays, workspace_bytes, uses, enqueue};
