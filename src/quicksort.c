/* Quicksort by comparisons alone: ranges are divided by many splitters at a time until they fit local memory. */
#include "segment_classes.h"

/*
 * Cederman and Tsigas, GPU-Quicksort, 2009: lists of ranges on the device, so that launches are the same for any keys. A range is
 * divided by many pivots at once, drawn from a sorted sample (Sanders and Winkel, Super scalar sample sort, 2004; Leischner, Osipov
 * and Sanders, GPU sample sort, 2010), and keys that equal two of them are in their place then. Nothing but comparisons of ranks
 * tells where a key goes. A whole array is one range; of segments those that are long are the ranges that it begins with.
 */

/* As in cl/quicksort_ranges.cl and quicksort_leaf.cl. */
enum { most_levels = 32, level_words = 8, counter_words = most_levels * level_words + 8 };
enum { merge_run = 16, piece_tasks = 8 };

/* Levels besides those that take keys apart if samples are good: what is left after them is merged. */
enum { spare_levels = 1 };

/* struct plan of cl/quicksort_ranges.cl, which kernels get as a vector. */
struct plan_words {
    cl_uint counters;
    cl_uint ranges[2], maps[2];
    cl_uint splitters, totals, table, tasks;
    cl_uint capacity, bucket_bits, n_levels, n_tasks, block, n_units, slots;
};
_Static_assert(sizeof(struct plan_words) == sizeof(cl_uint16), "a vector has the plan");

struct plan {
    struct plan_words words;
    uint64_t n_ranges, n_blocks; /* of a level, at most */
    clsort_range x_keys, y_keys, x_values;
    struct segment_classes classes;
};

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Local memory that compilers may take for themselves, and for single variables. */
enum { local_bytes_reserved = 256 };

/* Elements of a row of cl/quicksort_merge.cl. */
enum { row_items = 8 };

/* Of an element there, with its position. */
static uint64_t element_bytes(const struct job *job)
{
    return job->value_bytes == 0 ? job->key->bytes : job->key->bytes < 8 ? 8 : 10;
}

static uint64_t leaf_local_bytes(const struct job *job, uint32_t items)
{
    const uint64_t n_rows = job->tuning.local_group_size * (((uint64_t)items + row_items - 1) / row_items);
    return n_rows * (row_items + 1) * element_bytes(job) + local_bytes_reserved;
}

static uint32_t leaf_items(const struct job *job)
{
    uint32_t items = job->tuning.local_items;
    while (items > 0 && leaf_local_bytes(job, items) > job->caps->local_bytes) {
        items--;
    }
    return items;
}

/* Iterations of a work-item that sorts n slots in local memory. */
static uint64_t leaf_iterations(const struct job *job, uint64_t n)
{
    const uint64_t n_own = n / job->tuning.local_group_size + 1, n_rounds = clsort__bits_for(n / row_items + 1);
    return n_own * (row_items / 2 + 8 + n_rounds * (2 + clsort__bits_for(n) / row_items)) +
           n_rounds * clsort__bits_for(n);
}

/* There are four buckets at least, and no more than there are samples. */
enum { least_bits = 2, least_capacity = 1 << least_bits };

/* Elements of a task at most: those there is local memory for, and that loops of the device can do. */
static uint32_t capacity(const struct job *job)
{
    uint32_t n = job->tuning.local_group_size * leaf_items(job);
    while (n > least_capacity && job->caps->loop_limit && leaf_iterations(job, n) > job->caps->loop_limit / 2) {
        n /= 2;
    }
    return n;
}

/* Twice as many buckets as digits have values, at most: so two levels are enough for 2^28 keys. */
static uint32_t bucket_bits(const struct job *job)
{
    const uint32_t most = job->tuning.radix_bits + 1;
    uint32_t bits = least_bits;
    while (bits < most && (uint32_t)2 << bits <= capacity(job)) {
        bits++;
    }
    return bits;
}

/* Of move or move_stable in cl/quicksort_partition.cl. */
static uint64_t partition_local_bytes(const struct job *job, uint32_t items)
{
    const uint64_t group_size = job->tuning.group_size, n_buckets = (uint64_t)1 << bucket_bits(job);
    const uint64_t of_buckets = n_buckets * (2 * job->key->bytes + 8 + job->index_bytes);
    const uint64_t of_all = of_buckets + 2 * group_size * job->index_bytes + local_bytes_reserved;
    if (group_size == 1) {
        return of_all;
    }
    const uint64_t slots = group_size * items + group_size;
    const uint64_t rows = (uint64_t)1 << (job->tuning.rank_bits - 1);
    const uint64_t counters = rows * (group_size + group_size / rows) * 4;
    const uint64_t of_move = slots * (job->value_bytes ? 4 : job->key->bytes + 2),
                   of_move_stable = 4 * slots + counters;
    return of_all + (of_move > of_move_stable ? of_move : of_move_stable);
}

static uint32_t partition_items(const struct job *job)
{
    uint32_t items = job->tuning.items;
    while (items > 0 && partition_local_bytes(job, items) > job->caps->local_bytes) {
        items--;
    }
    return items;
}

static uint64_t tile_items(const struct job *job)
{
    return (uint64_t)job->tuning.group_size * partition_items(job);
}

/* Tiles that a block may have: counts of it are 32-bit; where loops end early, a key takes some iterations for each bit. */
static uint64_t most_block_tiles(const struct job *job)
{
    const uint64_t of_item = bucket_bits(job) + (job->tuning.group_size == 1 ? 6 : 40);
    const uint64_t n = job->caps->loop_limit ? job->caps->loop_limit / 2 / (partition_items(job) * of_item + 64)
                                             : UINT32_MAX / tile_items(job);
    return n ? n : 1;
}

/* Blocks of whole tiles in the whole array, at most. */
static uint64_t n_whole_blocks(const struct job *job)
{
    const uint64_t n_tiles = job->count / tile_items(job);
    const uint64_t needed = (n_tiles + most_block_tiles(job) - 1) / most_block_tiles(job);
    const uint64_t n = (uint64_t)job->caps->compute_units * job->tuning.blocks_per_unit;
    const uint64_t most = n > needed ? n : needed;
    return n_tiles < most ? n_tiles : most;
}

static uint64_t block_items(const struct job *job)
{
    const uint64_t n_tiles = job->count / tile_items(job), n = n_whole_blocks(job);
    return (n ? (n_tiles + n - 1) / n : 1) * tile_items(job);
}

static uint64_t longest(const struct job *job)
{
    return job->segments.are_given ? job->segments.longest : job->count;
}

/* Whether there may be ranges that have to be divided. */
static int has_ranges(const struct job *job)
{
    return longest(job) > (job->segments.are_given ? clsort__segment_slots(job) : capacity(job));
}

/* As bits_of() of cl/quicksort_ranges.cl takes a range of this length apart, and the spare ones. */
static uint32_t n_levels(const struct job *job)
{
    const uint32_t n_bits = clsort__bits_for((2 * longest(job) + capacity(job) - 1) / capacity(job)),
                   of_level = bucket_bits(job);
    return longest(job) > capacity(job) ? (n_bits + of_level - 1) / of_level + spare_levels : 0;
}

/* Rounds of merge_rest, so many that it ends in Y: even levels lie there, and round 0 changes no place. */
static uint32_t n_rounds(const struct job *job)
{
    uint32_t n = 1 + clsort__bits_for((longest(job) + merge_run - 1) / merge_run);
    return n + (n_levels(job) + n - 1) % 2;
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Bytes of what is listed, as in cl/quicksort_ranges.cl. */
static uint64_t range_bytes(const struct job *job)
{
    return 2 * job->index_bytes + 4 * sizeof(cl_uint);
}

static uint64_t task_bytes(const struct job *job)
{
    return job->index_bytes + 8;
}

/* Elements of the ranges of a level, at most: segments that overlap may have some more, see list_long. */
static uint64_t most_in_ranges(const struct job *job)
{
    return job->segments.are_given ? 2 * job->count : job->count;
}

/* Buckets of a level: bits_of() gives a range no more than six for each capacity that it has. */
static uint64_t n_buckets(const struct job *job)
{
    return 6 * most_in_ranges(job) / capacity(job) + 6;
}

static uint64_t n_ranges(const struct job *job)
{
    return most_in_ranges(job) / (capacity(job) + 1);
}

/* Of a level, in which each range may end in a part of one. */
static uint64_t n_blocks(const struct job *job)
{
    return (job->segments.are_given ? 2 : 1) * (n_whole_blocks(job) + 1) + n_ranges(job);
}

static uint64_t n_entries(const struct job *job)
{
    return (n_blocks(job) - n_ranges(job)) * ((uint64_t)1 << bucket_bits(job)) + n_buckets(job);
}

/* Units of long segments, each of so many elements as a short one may have: see list_long. */
static uint64_t n_units(const struct job *job)
{
    return job->segments.are_given ? job->count / clsort__segment_slots(job) : 0;
}

/* Each bucket may become a task, and more than one if it is copied in pieces. */
static uint64_t n_tasks(const struct job *job)
{
    const uint64_t of_level = n_buckets(job) + most_in_ranges(job) / capacity(job) / piece_tasks;
    return n_levels(job) * of_level + n_units(job);
}

static void take_lists(const struct job *job, struct plan_words *words, uint64_t *used)
{
    words->counters = clsort__job_take(used, counter_words * sizeof(cl_uint));
    for (int i = 0; i < 2; i++) {
        words->ranges[i] = clsort__job_take(used, n_ranges(job) * range_bytes(job));
        words->maps[i] = clsort__job_take(used, n_blocks(job) * sizeof(cl_uint));
    }
    words->splitters = clsort__job_take(used, n_buckets(job) * job->key->bytes);
    words->totals = clsort__job_take(used, n_buckets(job) * job->index_bytes);
    words->table = clsort__job_take(used, n_entries(job) * job->index_bytes);
    words->tasks = clsort__job_take(used, n_tasks(job) * task_bytes(job));
}

/* Whether keys do not go to an output, or may not: then those of Y have an array of their own. */
static int may_lack_keys_out(const struct job *job)
{
    return !job->write_keys || (job->is_estimate && job->operation == CLSORT_ARGSORT);
}

/* Lays out a plan and returns its bytes. The counters come first. */
static uint64_t lay_out(const struct job *job, struct plan *plan)
{
    const uint32_t key_bytes = job->key->bytes, value_bytes = (uint32_t)job->value_bytes;
    uint64_t used = 0;
    *plan = (struct plan){.y_keys = job->keys_out};
    plan->words.capacity = capacity(job);
    plan->words.bucket_bits = bucket_bits(job);
    plan->words.n_levels = n_levels(job);
    plan->words.block = (cl_uint)block_items(job);
    plan->n_ranges = n_ranges(job);
    plan->n_blocks = n_blocks(job);
    if (has_ranges(job) || job->is_warm_up) {
        plan->words.n_tasks = (cl_uint)n_tasks(job);
        plan->words.n_units = (cl_uint)n_units(job);
        plan->words.slots = job->segments.are_given ? clsort__segment_slots(job) : 1;
        take_lists(job, &plan->words, &used);
        plan->x_keys = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
        if (value_bytes) {
            plan->x_values = clsort__job_carve(job, &used, job->count * value_bytes, value_bytes);
        }
        if (may_lack_keys_out(job)) {
            plan->y_keys = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
        }
    }
    if (job->segments.are_given) {
        clsort__segment_classes_lay_out(job, &plan->classes, &used);
    }
    return used;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct plan plan;
    return lay_out(job, &plan);
}

/* ---------------------------------------------------------------------------------------------------------- launches */

struct run {
    struct job *job;
    struct plan plan;
    struct program *partition, *leaf;
};

/* QUICKSORT_PARAMETERS of cl/quicksort_ranges.cl. */
static void push_plan(struct launch *launch, const struct run *run)
{
    const struct job *job = run->job;
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    clsort__launch_range(launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_bytes(launch, &run->plan.words, sizeof run->plan.words);
    clsort__launch_order(launch, &job->order);
    clsort__launch_uint(launch, n_bits ? job->begin_bit : 0);
    clsort__launch_ulong(launch, n_bits ? UINT64_MAX >> (64 - n_bits) : 0);
}

/* Where the ranges of a level lie. */
static clsort_range keys_of_level(const struct run *run, uint32_t level)
{
    return level == 0 ? run->job->keys_in : level % 2 ? run->plan.x_keys : run->plan.y_keys;
}

static clsort_range values_of_level(const struct run *run, uint32_t level)
{
    return level == 0 ? run->job->values_in : level % 2 ? run->plan.x_values : run->job->values_out;
}

/* Work-groups that take one item of a list after the other; where loops end early, one each. */
static uint64_t list_groups(const struct job *job, uint64_t n)
{
    const uint64_t n_groups = job->caps->loop_limit ? n : clsort__job_loop_groups(job, n, 1);
    return n_groups ? n_groups : 1;
}

static void launch_begin(const struct run *run)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->partition, "begin", job->index_bytes);
    push_plan(&launch, run);
    clsort__launch_index(&launch, job->segments.are_given ? 0 : job->count);
    clsort__launch_run(&launch, 1, job->tuning.group_size);
}

/* So few work-items that the units that they count before they see that there is no room left do not wrap. A warm-up for arrays lets the
   counters, which are 0, stand for those of segments. */
static void launch_list_long(const struct run *run)
{
    const struct job *job = run->job;
    const clsort_range counters = clsort_make_range(job->workspace, job->workspace_offset / sizeof(cl_uint));
    const uint32_t group_size = job->tuning.group_size;
    const uint64_t most = ((uint64_t)1 << 31) / (n_units(job) + 1) / group_size;
    const uint64_t n = clsort__job_loop_groups(job, n_units(job), group_size);
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->partition, "list_long", job->index_bytes);
    push_plan(&launch, run);
    clsort__launch_range(&launch, job->segments.are_given ? run->plan.classes.list : counters);
    clsort__launch_range(&launch, job->segments.are_given ? run->plan.classes.control : counters);
    clsort__launch_run(&launch, n < most ? n : most, group_size);
}

static void launch_split(const struct run *run, uint32_t level)
{
    const struct job *job = run->job;
    const int is_whole = level == 0 && !job->segments.are_given;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->leaf, "split", job->index_bytes);
    clsort__launch_range(&launch, keys_of_level(run, level));
    push_plan(&launch, run);
    clsort__launch_uint(&launch, level);
    clsort__launch_run(&launch, is_whole ? 1 : list_groups(job, run->plan.n_ranges), job->tuning.local_group_size);
}

static void launch_count(const struct run *run, uint32_t level)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->partition, "count", job->index_bytes);
    clsort__launch_range(&launch, keys_of_level(run, level));
    push_plan(&launch, run);
    clsort__launch_uint(&launch, level);
    clsort__launch_run(&launch, clsort__job_block_groups(job, run->plan.n_blocks), job->tuning.group_size);
}

static void launch_scan(const struct run *run, uint32_t level)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->partition, "scan", job->index_bytes);
    push_plan(&launch, run);
    clsort__launch_uint(&launch, level);
    clsort__launch_run(&launch, clsort__job_block_groups(job, run->plan.n_blocks), job->tuning.group_size);
}

/* With the kernel move or move_stable. */
static void launch_move(const struct run *run, uint32_t level, const char *kernel_name)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->partition, kernel_name, job->index_bytes);
    clsort__launch_range(&launch, keys_of_level(run, level));
    clsort__launch_range(&launch, keys_of_level(run, level + 1));
    clsort__launch_range(&launch, values_of_level(run, level));
    clsort__launch_range(&launch, values_of_level(run, level + 1));
    push_plan(&launch, run);
    clsort__launch_uint(&launch, level);
    clsort__launch_uint(&launch, level == 0 ? clsort__job_index_kind(job) : 0);
    clsort__launch_run(&launch, clsort__job_block_groups(job, run->plan.n_blocks), job->tuning.group_size);
}

static void push_buffers(struct launch *launch, const struct run *run)
{
    const struct job *job = run->job;
    clsort__launch_range(launch, job->keys_in);
    clsort__launch_range(launch, run->plan.x_keys);
    clsort__launch_range(launch, run->plan.y_keys);
    clsort__launch_range(launch, job->values_in);
    clsort__launch_range(launch, run->plan.x_values);
    clsort__launch_range(launch, job->values_out);
    push_plan(launch, run);
    clsort__launch_uint(launch, clsort__job_index_kind(job));
    clsort__launch_uint(launch, (uint32_t)job->write_keys);
}

/* whole: elements of the input that are the only task, or 0. */
static void launch_sort_tasks(const struct run *run, uint64_t whole)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->leaf, "sort_tasks", job->index_bytes);
    push_buffers(&launch, run);
    clsort__launch_index(&launch, whole);
    clsort__launch_run(&launch, whole ? 1 : list_groups(job, n_tasks(job)), job->tuning.local_group_size);
}

static void launch_merge_rest(const struct run *run, uint32_t first_round, uint32_t last_round, uint32_t is_shared)
{
    const struct job *job = run->job;
    const uint32_t group_size = job->tuning.local_group_size;
    const uint64_t n = run->plan.n_ranges;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->leaf, "merge_rest", job->index_bytes);
    push_buffers(&launch, run);
    clsort__launch_uint(&launch, first_round);
    clsort__launch_uint(&launch, last_round);
    clsort__launch_uint(&launch, is_shared);
    clsort__launch_run(&launch,
                       is_shared ? clsort__job_loop_groups(job, job->count / merge_run + 1, group_size)
                                 : clsort__job_loop_groups(job, n ? n : 1, 1),
                       group_size);
}

/* Where loops end early, a work-group could not merge a range by itself, and so all of them do, round by round. */
static void enqueue_rest(const struct run *run)
{
    const uint32_t n = n_rounds(run->job);
    if (!run->job->caps->loop_limit) {
        launch_merge_rest(run, 0, n, 0);
        return;
    }
    for (uint32_t round = 0; round < n; round++) {
        launch_merge_rest(run, round, round + 1, 1);
    }
}

/* --------------------------------------------------------------------------------------------------------- algorithm */

/* Whether the order of ties can be seen and is not left open. */
static int is_stable(const struct job *job)
{
    const int is_whole_key = job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes;
    return job->operation == CLSORT_KEYS ? !is_whole_key : !(job->flags & CLSORT_UNSTABLE);
}

static void enqueue_levels(const struct run *run)
{
    const struct job *job = run->job;
    const int has_groups = job->tuning.group_size > 1;
    for (uint32_t level = 0; level < (job->is_warm_up ? 1 : run->plan.words.n_levels); level++) {
        launch_split(run, level);
        launch_count(run, level);
        launch_scan(run, level);
        if (!has_groups || !is_stable(job) || job->is_warm_up) {
            launch_move(run, level, "move");
        }
        if (has_groups && (is_stable(job) || job->is_warm_up)) {
            launch_move(run, level, "move_stable");
        }
    }
}

static uint32_t partition_use(const struct job *job, struct program_use used[job_max_programs])
{
    const uint32_t bits = bucket_bits(job) - 1; /* as MOST_BUCKETS of cl/quicksort_partition.cl */
    used[0] = (struct program_use){"quicksort_partition", clsort__job_options(job)};
    used[0].options.group_size = job->tuning.group_size;
    used[0].options.items = partition_items(job);
    used[0].options.radix_bits = bits;
    used[0].options.rank_bits = job->tuning.rank_bits < bits ? job->tuning.rank_bits : bits;
    used[0].options.element_words = 1;
    return 1;
}

static uint32_t leaf_use(const struct job *job, struct program_use used[job_max_programs])
{
    clsort__local_use(job, "quicksort_leaf", used);
    used[0].options.items = leaf_items(job);
    used[0].options.radix_bits = used[0].options.rank_bits = used[0].options.element_words = 1;
    return 1;
}

/* That for short segments comes first, where there are any. The others are the same for all counts, but left out where all segments
   are short. */
static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    uint32_t n = 0;
    if (job->segments.are_given) {
        n += clsort__segment_classes_use(job, used + n);
    }
    if (has_ranges(job) || !job->segments.are_given) {
        n += leaf_use(job, used + n);
        n += partition_use(job, used + n);
    }
    return n;
}

static int fits(const struct job *job)
{
    if (!clsort__value_has_type(job->value_bytes, job->index_bytes) || capacity(job) < least_capacity ||
        partition_items(job) == 0) {
        return 0;
    }
    /* Numbers of what is listed are 32-bit; list_long has work-items enough to count units in so many. */
    const uint64_t most_units = ((uint64_t)1 << 31) / job->tuning.group_size - 1;
    return n_levels(job) < most_levels && n_entries(job) <= UINT32_MAX && n_tasks(job) <= UINT32_MAX &&
           n_units(job) < most_units;
}

/* Only by name: the ways by digits are faster for all keys that there are. */
static int pays(const struct job *job)
{
    (void)job;
    return 0;
}

static void enqueue_ranges(const struct run *run)
{
    const struct job *job = run->job;
    launch_begin(run);
    if (job->segments.are_given || job->is_warm_up) {
        launch_list_long(run);
    }
    enqueue_levels(run);
    launch_sort_tasks(run, 0);
    if (run->plan.words.n_levels > 0 || job->is_warm_up) {
        enqueue_rest(run);
    }
}

/* A warm-up launches all kernels of the programs that it has, on nothing. */
static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    const uint32_t first = job->segments.are_given ? 1 : 0;
    struct run run = {.job = job, .leaf = programs[first], .partition = programs[first + 1]};
    lay_out(job, &run.plan);
    if (job->segments.are_given) {
        run.plan.classes.program = programs[0];
        run.plan.classes.block_items = block_items(job);
        clsort__segment_classes_enqueue(job, &run.plan.classes);
    }
    if (has_ranges(job) || (job->is_warm_up && !job->segments.are_given)) {
        enqueue_ranges(&run);
    } else if (!job->segments.are_given) {
        launch_sort_tasks(&run, job->count);
    }
    return job->failure->status;
}

const struct algorithm clsort__quicksort = {
    "quicksort", fits, pays, workspace_bytes, uses, enqueue, FOR_ARRAYS | FOR_SEGMENTS};
