/* Sorts the segments of an array, each by itself: short ones by a work-group in local memory, long ones by passes of many. */
#include "radix_layout.h"
#include "segment_classes.h"

/*
 * Segments are put into classes by length on the device, so that the launches are the same for all lengths. Short segments are
 * sorted by Batcher's network, those of one width by the tile; long ones all together by an LSD radix sort (Merrill and
 * Grimshaw, High performance and scalable radix sorting, 2011), whose blocks never reach over a segment's end.
 */

struct plan {
    struct segment_classes classes;
    uint32_t n_passes, digit_bits;
    clsort_range map, table, totals;
    struct route keys, values;
};

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Long segments that there can be. */
static uint64_t most_long(const struct job *job)
{
    return clsort__segments_have_long(job) ? job->count / (clsort__segment_slots(job) + 1) : 0;
}

/* Blocks of these: whole ones, and the rest of each. */
static uint64_t most_blocks(const struct job *job)
{
    return clsort__segments_have_long(job) ? clsort__radix_whole_blocks(job) + most_long(job) : 0;
}

/* In place the number of passes is even, so that what the first one reads is not what it writes. */
static uint32_t n_passes(const struct job *job)
{
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    const uint32_t n = n_bits ? (n_bits + job->tuning.radix_bits - 1) / job->tuning.radix_bits : 1;
    return n + ((job->keys_in_place || job->values_in_place) && n % 2 == 1);
}

/* -------------------------------------------------------------------------------------------------------- workspace */

/* Lays out a plan and returns its bytes. */
static uint64_t lay_out(const struct job *job, struct plan *plan)
{
    const uint32_t key_bytes = job->key->bytes, value_bytes = (uint32_t)job->value_bytes;
    const uint32_t n_bits = job->end_bit - job->begin_bit;
    const uint64_t n_digits = clsort__radix_digits(job);
    struct segment_classes *classes = &plan->classes;
    uint64_t used = 0;
    classes->block_items = clsort__radix_block(job);
    classes->n_long = most_long(job);
    classes->n_blocks = most_blocks(job);
    plan->n_passes = n_passes(job);
    plan->digit_bits = (n_bits + plan->n_passes - 1) / plan->n_passes;
    plan->keys = (struct route){job->keys_in, job->keys_out, {{0}}, job->keys_in_place, job->write_keys};
    plan->values = (struct route){job->values_in, job->values_out, {{0}}, job->values_in_place, 1};
    clsort__segment_classes_lay_out(job, classes, &used);
    if (!clsort__segments_have_long(job)) {
        return used;
    }
    classes->first_blocks = clsort__job_carve(job, &used, classes->n_long * sizeof(cl_uint), sizeof(cl_uint));
    plan->map = clsort__job_carve(job, &used, classes->n_blocks * sizeof(cl_uint), sizeof(cl_uint));
    plan->table = clsort__job_carve(job, &used, classes->n_blocks * n_digits * job->index_bytes, job->index_bytes);
    plan->totals = clsort__job_carve(job, &used, classes->n_long * n_digits * job->index_bytes, job->index_bytes);
    for (uint32_t i = 0; i < clsort__radix_key_temporaries(job, n_passes(job)); i++) {
        plan->keys.temporary[i] = clsort__job_carve(job, &used, job->count * key_bytes, key_bytes);
    }
    for (uint32_t i = 0; i < clsort__radix_value_temporaries(job, n_passes(job)); i++) {
        plan->values.temporary[i] = clsort__job_carve(job, &used, job->count * value_bytes, value_bytes);
    }
    return used;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct plan plan;
    return lay_out(job, &plan);
}

/* ----------------------------------------------------------------------------------------------------- long segments */

/* What the launches of a sort have in common. */
struct run {
    struct job *job;
    struct plan plan;
    struct program *program;
};

static void push_long(struct launch *launch, const struct plan *plan)
{
    clsort__launch_range(launch, plan->classes.list);
    clsort__launch_range(launch, plan->classes.control);
    clsort__launch_range(launch, plan->classes.first_blocks);
    clsort__launch_index(launch, plan->classes.block_items);
    clsort__launch_uint(launch, (uint32_t)plan->classes.n_long);
    clsort__launch_uint(launch, (uint32_t)plan->classes.n_blocks);
}

static void launch_map_blocks(const struct run *run)
{
    const struct job *job = run->job;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, run->program, "map_blocks", job->index_bytes);
    push_long(&launch, &run->plan);
    clsort__launch_range(&launch, run->plan.map);
    clsort__launch_run(&launch, clsort__job_block_groups(run->job, run->plan.classes.n_blocks), job->tuning.group_size);
}

/* A pass over the long segments. */
struct pass {
    const struct run *run;
    uint32_t number;
    uint32_t shift, digit_mask;
};

static void push_digit(struct launch *launch, const struct pass *pass)
{
    clsort__launch_order(launch, &pass->run->job->order);
    clsort__launch_uint(launch, pass->shift);
    clsort__launch_uint(launch, pass->digit_mask);
}

static void launch_histogram(const struct pass *pass)
{
    const struct job *job = pass->run->job;
    const struct plan *plan = &pass->run->plan;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, pass->run->program, "histogram", job->index_bytes);
    clsort__launch_range(&launch, clsort__route_source(&plan->keys, pass->number, plan->n_passes));
    push_long(&launch, plan);
    clsort__launch_range(&launch, plan->map);
    clsort__launch_range(&launch, plan->table);
    push_digit(&launch, pass);
    clsort__launch_run(&launch, clsort__job_block_groups(pass->run->job, pass->run->plan.classes.n_blocks),
                       job->tuning.group_size);
}

static void launch_scan(const struct pass *pass)
{
    const struct job *job = pass->run->job;
    const struct plan *plan = &pass->run->plan;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, pass->run->program, "scan", job->index_bytes);
    push_long(&launch, plan);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->totals);
    clsort__launch_run(&launch,
                       clsort__job_loop_groups(job, plan->classes.n_blocks * clsort__radix_digits(job),
                                               job->tuning.group_size),
                       job->tuning.group_size);
}

static void launch_scatter(const struct pass *pass)
{
    const struct job *job = pass->run->job;
    const struct plan *plan = &pass->run->plan;
    const uint32_t n = plan->n_passes;
    const int is_first = pass->number == 0, is_last = pass->number + 1 == n;
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, pass->run->program, "scatter", job->index_bytes);
    clsort__launch_range(&launch, clsort__route_source(&plan->keys, pass->number, n));
    clsort__launch_range(&launch, clsort__route_destination(&plan->keys, pass->number, n));
    clsort__launch_range(&launch, clsort__route_source(&plan->values, pass->number, n));
    clsort__launch_range(&launch, clsort__route_destination(&plan->values, pass->number, n));
    push_long(&launch, plan);
    clsort__launch_range(&launch, plan->map);
    clsort__launch_range(&launch, plan->table);
    clsort__launch_range(&launch, plan->totals);
    push_digit(&launch, pass);
    clsort__launch_uint(&launch, is_first ? clsort__job_index_kind(job) : 0);
    clsort__launch_uint(&launch, job->write_keys || !is_last);
    clsort__launch_run(&launch, clsort__job_block_groups(pass->run->job, pass->run->plan.classes.n_blocks),
                       job->tuning.group_size);
}

static void enqueue_long(const struct run *run)
{
    const struct job *job = run->job;
    launch_map_blocks(run);
    for (uint32_t number = 0; number < run->plan.n_passes; number++) {
        const uint32_t shift = job->begin_bit + number * run->plan.digit_bits;
        const uint32_t bits_left = job->end_bit > shift ? job->end_bit - shift : 0;
        const uint32_t n_bits = bits_left < run->plan.digit_bits ? bits_left : run->plan.digit_bits;
        const struct pass pass = {run, number, n_bits ? shift : 0, (1u << n_bits) - 1};
        launch_histogram(&pass);
        launch_scan(&pass);
        launch_scatter(&pass);
    }
}

/* --------------------------------------------------------------------------------------------------------- algorithm */

static int fits(const struct job *job)
{
    /* Blocks have 32-bit numbers. */
    return clsort__value_has_type(job->value_bytes, job->index_bytes) && most_blocks(job) <= UINT32_MAX;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    uint32_t n = clsort__segment_classes_use(job, used);
    if (clsort__segments_have_long(job)) {
        used[n] = (struct program_use){"segmented_long", clsort__job_options(job)};
        used[n].options.group_size = job->tuning.group_size;
        used[n++].options.items = job->tuning.items;
    }
    return n;
}

/* A warm-up launches all kernels of the programs that it has, on nothing. */
static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct run run = {.job = job, .program = programs[1]};
    lay_out(job, &run.plan);
    run.plan.classes.program = programs[0];
    clsort__segment_classes_enqueue(job, &run.plan.classes);
    if (clsort__segments_have_long(job)) {
        enqueue_long(&run);
    }
    return job->failure->status;
}

const struct algorithm clsort__segmented = {"segmented", fits,    clsort__always_pays, workspace_bytes,
                                            uses,        enqueue, FOR_SEGMENTS};
