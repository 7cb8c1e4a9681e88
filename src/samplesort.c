/* Samplesort of whole keys, for arrays of middle size: one launch or two, whatever the keys are. */
#include "job.h"

/* MAX_TILES of cl/samplesort_pieces.cl, MAX_AT_ONCE_BUCKETS and the most of MAX_BUCKETS of cl/samplesort.cl. */
enum { max_tiles = 1024, max_at_once_buckets = 256, max_buckets = samplesort_most_groups - 2 };

/* More samples for each bucket make buckets more even and cost time; fewer keys in one are not worth a work-group. */
enum { samples_per_bucket = 16, least_bucket = 256 };

/* Of work-groups that are halved where each compute unit sorts more than so many buckets; smaller ones share a unit as they are. */
enum { least_halved_group = 1024, most_doubled_items = 8, buckets_of_unit = 2 };

struct plan {
    uint32_t n_tiles, tile_items, group_tiles;
    uint32_t
        n_bucket_bits; /* buckets between bounds; with those below the least bound and above the greatest there are two more */
    uint32_t n_sample_bits;
    clsort_range ways, bounds, table, parted;
};

/* With values, (rank, position) is sorted, as rank_t of cl/samplesort_ranks.cl. */
static int has_values(const struct job *job)
{
    return job->operation != CLSORT_KEYS;
}

static uint32_t rank_bytes(const struct job *job)
{
    return has_values(job) ? 8 : job->key->bytes;
}

/* ITEMS: tuning is for keys of the width, or of 4 bytes if they have less. */
static uint32_t items_of(const struct job *job)
{
    return has_values(job) ? (job->tuning.spread_items + 1) / 2 : job->tuning.spread_items;
}

/* One launch, in which each work-group reads all keys. */
static int is_at_once(const struct job *job)
{
    return !has_values(job) && !job->keys_in_place && job->count <= job->tuning.at_once_count;
}

/* Keys of a bucket that local memory has room for. */
static uint64_t bucket_items(const struct job *job)
{
    return (uint64_t)job->tuning.spread_group_size * items_of(job);
}

/* SAMPLES of cl/samplesort_buckets.cl. */
static uint32_t most_samples(const struct job *job)
{
    const uint32_t group_size = job->tuning.spread_group_size, items = items_of(job);
    if (group_size < 32) {
        return group_size * (items < 128 ? items : 128);
    }
    return group_size * (items < 2 ? 1 : items < 4 ? 2 : 4);
}

/* A power of two that never falls when count grows: enough that a bucket is two thirds of what there is room for, and for all
   compute units. In one launch there is half the room, and more is left free, as a bucket is not sorted in parts there. */
static uint32_t choose_buckets(const struct job *job)
{
    const uint32_t most = is_at_once(job) ? max_at_once_buckets : max_buckets;
    const uint64_t filled = is_at_once(job) ? bucket_items(job) / 6 : 2 * bucket_items(job) / 3;
    uint32_t n = 1;
    while (n < most && (job->count > n * filled ||
                        (2 * n <= job->caps->compute_units && job->count >= (uint64_t)2 * n * least_bucket))) {
        n *= 2;
    }
    return n;
}

/* ROWS of cl/samplesort_buckets.cl, for all work-items: keys of a tile. */
static uint64_t tile_limit(const struct job *job)
{
    const uint32_t group_size = job->tuning.spread_group_size, items = items_of(job);
    const uint32_t rows = group_size < 32 ? items : items + items / 3;
    const uint32_t most = group_size < 32 ? 128 : 32;
    return (uint64_t)group_size * (rows < most ? rows : most);
}

static uint32_t choose_sample_bits(const struct job *job, uint32_t n_buckets)
{
    uint32_t n_bits = 0;
    while ((2u << n_bits) <= samples_per_bucket * n_buckets && (2u << n_bits) <= most_samples(job) &&
           (2u << n_bits) <= job->count) {
        n_bits++;
    }
    return n_bits;
}

static uint64_t divided_up(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

/* Tiles that each compute unit is given, one after the other. */
static uint64_t tiles_of_unit(const struct job *job)
{
    const uint64_t of_unit = divided_up(job->count, job->caps->compute_units);
    return of_unit ? divided_up(of_unit, tile_limit(job)) : 1;
}

/* Tiles are even, but no smaller than a work-group. */
static uint64_t choose_tile(const struct job *job)
{
    const uint64_t least = job->tuning.spread_group_size;
    const uint64_t items = divided_up(job->count, job->caps->compute_units * tiles_of_unit(job));
    if (items * max_tiles < job->count) {
        return tile_limit(job);
    }
    return items > least ? items : least;
}

static struct plan make_plan(const struct job *job)
{
    struct plan plan = {0};
    plan.tile_items = (uint32_t)choose_tile(job);
    plan.n_tiles = (uint32_t)divided_up(job->count, plan.tile_items);
    plan.n_tiles = plan.n_tiles ? plan.n_tiles : 1;
    /* A compute unit runs about so many work-items at once. */
    const uint32_t n_groups = job->tuning.spread_group_size < 1024 ? 1024 / job->tuning.spread_group_size : 1;
    plan.group_tiles = (uint32_t)divided_up(plan.n_tiles, (uint64_t)job->caps->compute_units * n_groups);
    plan.n_sample_bits = choose_sample_bits(job, choose_buckets(job));
    while (plan.n_bucket_bits < plan.n_sample_bits && 2u << plan.n_bucket_bits <= choose_buckets(job)) {
        plan.n_bucket_bits++;
    }
    return plan;
}

/* How often a bucket of all keys is divided into 32 bins or more, at most, if parts are seldom less than half full. */
static uint64_t n_divisions(const struct job *job)
{
    const uint64_t n_levels = (8 * (uint64_t)rank_bytes(job) + 4) / 5;
    return job->count <= bucket_items(job) ? 0 : (2 * (job->count / bucket_items(job)) + 2) * (n_levels + 1);
}

/* Of one work-item if one bucket had all keys. */
static uint64_t loop_iterations(const struct job *job)
{
    const uint64_t group_size = job->tuning.spread_group_size, n_mine = job->count / group_size + 1;
    const uint64_t of_division = 2048 / group_size + 20;
    uint64_t n_levels = 0, n_steps = 0;
    while ((uint64_t)1 << n_levels < job->count) {
        n_levels++;
    }
    while ((uint64_t)1 << n_steps <= make_plan(job).n_tiles) {
        n_steps++;
    }
    return n_levels * (n_levels + 1) / 2 * (n_mine + 1) + 40 * n_mine +
           n_divisions(job) * (2 * (n_steps + 2) * n_mine + of_division) + 40 * tile_limit(job) / group_size +
           1024 / group_size;
}

static int fits(const struct job *job)
{
    if (has_values(job) &&
        (job->key->bytes > 4 || !clsort__value_has_type(job->value_bytes, job->index_bytes) ||
         clsort__tuning_samplesort_bytes(job->tuning.spread_group_size, items_of(job), 8) > job->caps->local_bytes)) {
        return 0;
    }
    return job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes && job->count <= max_tiles * tile_limit(job) &&
           (!job->caps->loop_limit || loop_iterations(job) < job->caps->loop_limit / 2);
}

static uint64_t table_bytes(const struct job *job)
{
    const uint64_t of_units = job->caps->compute_units * tiles_of_unit(job);
    const uint64_t of_groups = job->count / job->tuning.spread_group_size + 1;
    const uint64_t n_tiles = of_units < of_groups ? of_units : of_groups;
    return 2 * (uint64_t)(choose_buckets(job) + 3) * (n_tiles < max_tiles ? n_tiles : max_tiles);
}

/* Keys that share a rank are read again while others are written. */
static uint64_t key_copy_bytes(const struct job *job)
{
    return has_values(job) && job->keys_in_place && job->order.merge ? job->count * job->key->bytes : 0;
}

static uint64_t workspace_bytes(const struct job *job)
{
    if (is_at_once(job) && !job->is_warm_up) {
        return 0;
    }
    return clsort__job_carved(4 * (max_buckets + 2)) +
           clsort__job_carved((uint64_t)(max_buckets + 1) * rank_bytes(job)) + clsort__job_carved(table_bytes(job)) +
           clsort__job_carved(job->count * rank_bytes(job)) + clsort__job_carved(key_copy_bytes(job)) +
           clsort__job_carved(clsort__job_value_copy_bytes(job));
}

/* With values ranks are as wide as those of 8-byte keys: a bucket has half as many, and other algorithms are slower by more
   than that. */
uint64_t clsort__samplesort_most(const struct job *job)
{
    const uint64_t most = job->tuning.samplesort_count;
    return has_values(job) ? most / 16 * 11 : most;
}

/* Of narrow keys with values radix takes one or two passes. */
static int pays(const struct job *job)
{
    const int is_for_others = has_values(job) ? job->key->bytes < 4 || clsort__hybrid_stable.pays(job)
                                              : job->key->bytes <= 2 && clsort__counting.pays(job);
    return job->count <= clsort__samplesort_most(job) && !is_for_others;
}

/* Whether there are work-groups half as large with as much local memory, for many buckets: a compute unit has room for two. */
static int has_smaller_groups(const struct job *job)
{
    return rank_bytes(job) <= 4 && job->tuning.spread_group_size >= least_halved_group &&
           job->tuning.spread_items <= most_doubled_items;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    const uint32_t n = clsort__spread_use(job, "samplesort", used);
    used[0].options.items = items_of(job);
    if (has_smaller_groups(job)) {
        used[n] = used[0];
        used[n].options.group_size /= 2;
        used[n].options.items *= 2;
    }
    return has_smaller_groups(job) ? n + 1 : n;
}

static void lay_out(const struct job *job, struct plan *plan, struct job *copied)
{
    const uint32_t bytes = rank_bytes(job);
    uint64_t used = 0;
    plan->ways = clsort__job_carve(job, &used, 4 * (max_buckets + 2), 4);
    plan->bounds = clsort__job_carve(job, &used, (uint64_t)(max_buckets + 1) * bytes, bytes);
    plan->table = clsort__job_carve(job, &used, table_bytes(job), 2);
    plan->parted = clsort__job_carve(job, &used, job->count * bytes, bytes);
    *copied = *job;
    clsort__read_from_copy(job, &copied->keys_in, key_copy_bytes(job), job->key->bytes, &used);
    clsort__read_from_copy(job, &copied->values_in, clsort__job_value_copy_bytes(job), (uint32_t)job->value_bytes,
                           &used);
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
    clsort__launch_uint(&launch, plan->tile_items);
    clsort__launch_uint(&launch, plan->n_tiles);
    clsort__launch_uint(&launch, plan->group_tiles);
    clsort__launch_uint(&launch, plan->n_bucket_bits);
    clsort__launch_uint(&launch, plan->n_sample_bits);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_run(&launch, divided_up(plan->n_tiles, plan->group_tiles), job->tuning.spread_group_size);
}

static void launch_sort_buckets(struct job *job, struct program *program, const struct plan *plan, uint32_t group_size)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, "sort_buckets", job->index_bytes);
    clsort__launch_range(&launch, plan->parted);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->bounds);
    clsort__launch_range(&launch, plan->ways);
    clsort__launch_arrays(&launch, job);
    clsort__launch_uint(&launch, plan->n_tiles);
    clsort__launch_uint(&launch, plan->tile_items);
    clsort__launch_uint(&launch, plan->n_bucket_bits);
    clsort__launch_uint(&launch, (uint32_t)job->count);
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, job->operation == CLSORT_ARGSORT);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    clsort__launch_run(&launch, (1u << plan->n_bucket_bits) + 2, group_size);
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

static void enqueue_two(struct job *job, struct program *const programs[job_max_programs], struct plan *plan)
{
    const uint32_t group_size = job->tuning.spread_group_size;
    const int is_in_smaller =
        has_smaller_groups(job) && 1u << plan->n_bucket_bits > buckets_of_unit * job->caps->compute_units;
    struct job copied;
    lay_out(job, plan, &copied);
    launch_distribute(job, programs[0], plan);
    if (!is_in_smaller || job->is_warm_up) {
        launch_sort_buckets(&copied, programs[0], plan, group_size);
    }
    if (is_in_smaller || (has_smaller_groups(job) && job->is_warm_up)) {
        launch_sort_buckets(&copied, programs[1], plan, group_size / 2);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct plan plan = make_plan(job);
    if (is_at_once(job) || (job->is_warm_up && !has_values(job))) {
        launch_sort_at_once(job, programs[0], &plan);
    }
    if (!is_at_once(job) || job->is_warm_up) {
        enqueue_two(job, programs, &plan);
    }
    return job->failure->status;
}

const struct algorithm clsort__samplesort = {"samplesort", fits, pays, workspace_bytes, uses, enqueue, FOR_ARRAYS};
