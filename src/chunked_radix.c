/* Radix sort for CPU devices: a partition into buckets that fit a core's cache, which are sorted there. */
#include "chunked_radix.h"

/* As in cl/chunked_radix.cl and cl/cached_lsd.cl. */
enum {
    area_bytes = CLSORT_WORKSPACE_ALIGNMENT,
    buffer_bytes = 512,
    pass_bits = 8,
    n_counters = 2 << 11,
    survey_bytes = 16
};

enum {
    least_bits = 5,        /* of the partition: buckets enough for all cores */
    most_bits = 10,        /* more buffers do not fit the second cache */
    plain_bits = 6,        /* up to here, buffers gain nothing */
    most_slab = 1 << 17,   /* larger buckets fit no core's cache anyway */
    skew_buckets = 32,     /* counts of so many buckets are worth launches that only skewed arrays need */
    loops_of_element = 64, /* iterations of loops that an element may take */
};

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Never falls when count grows, as all that follows from it. The highest bits of floats are of the exponent, by which most numbers
   share few buckets: there are twice as many. */
static uint32_t n_bits(const struct job *job)
{
    const uint32_t mean = job->tuning.bucket_keys / (job->key->kind == KEY_FLOAT ? 2 : 1);
    uint32_t bits = least_bits;
    while (bits < most_bits && job->count >> bits > mean) {
        bits++;
    }
    return bits;
}

static uint32_t n_chunks(const struct job *job)
{
    const uint64_t most = (uint64_t)job->caps->compute_units * job->tuning.chunked_groups;
    return (uint32_t)max_u64(min_u64(most, job->count / job->tuning.bucket_keys), 1);
}

/* Passes over the whole array, in place an even number of them; 0 where they are not worth their launches. */
static uint32_t n_passes(const struct job *job)
{
    const uint32_t n = (job->end_bit - job->begin_bit + pass_bits - 1) / pass_bits;
    return job->count < (uint64_t)skew_buckets * job->tuning.bucket_keys ? 0 : n + n % 2;
}

/* Buffers pay where the output does not stay in the cache. */
static int uses_buffers(const struct job *job, uint32_t bits)
{
    const uint64_t of_tuning = (uint64_t)job->tuning.plain_kib * 1024;
    const uint64_t plain_bytes = of_tuning ? of_tuning : job->caps->cache_bytes / 2;
    return bits > plain_bits && job->count * (job->key->bytes + job->value_bytes) > plain_bytes;
}

/* The largest bucket that one work-item may sort. A pass takes about two fifths of the time for each element that a bucket takes,
   but all work-items share it. */
static uint64_t skew_limit(const struct job *job, const struct chunked_layout *layout)
{
    const uint64_t share = job->count / (5 * (uint64_t)layout->n_chunks) * 2 * layout->n_passes;
    return layout->n_passes ? min_u64(job->count / 2, share) : job->count;
}

uint64_t clsort__chunked_counter_bytes(const struct job *job)
{
    return n_counters * (uint64_t)job->index_bytes;
}

uint64_t clsort__chunked_least_slab(const struct job *job)
{
    return 2 * (uint64_t)job->tuning.bucket_keys;
}

void clsort__chunked_lay_out(const struct job *job, uint32_t passes, int has_x, uint64_t used,
                             struct chunked_layout *layout)
{
    const uint64_t n = job->count, element_bytes = job->key->bytes + job->value_bytes;
    const uint64_t element_buffers = job->value_bytes ? 2 : 1;
    const uint32_t bits = n_bits(job);
    layout->bits = bits;
    layout->n_chunks = n_chunks(job);
    layout->n_passes = passes;
    const uint64_t slab = min_u64(max_u64(clsort__chunked_least_slab(job), (n >> bits) * 9 / 8), most_slab);
    layout->slab_count = (slab + 15) / 16 * 16; /* values behind its keys are aligned */
    layout->skew_limit = skew_limit(job, layout);
    layout->in_place = job->keys_in_place || job->values_in_place;
    layout->use_buffers = uses_buffers(job, bits);
    layout->control = layout->ranges = 0;
    layout->surveys = clsort__job_take(&used, layout->n_chunks * (uint64_t)survey_bytes);
    layout->table = clsort__job_take(&used, max_u64(1 << bits, 1 << pass_bits) * layout->n_chunks * job->index_bytes);
    layout->starts = clsort__job_take(&used, ((1 << bits) + 1) * (uint64_t)job->index_bytes);
    const uint64_t buffers = max_u64(1 << bits, 1 << pass_bits) * buffer_bytes * element_buffers;
    const uint64_t worker_bytes =
        clsort__job_carved(clsort__chunked_counter_bytes(job) + max_u64(buffers, layout->slab_count * element_bytes));
    layout->worker_units = (uint32_t)(worker_bytes / area_bytes);
    layout->workers = clsort__job_take(&used, layout->n_chunks * worker_bytes);
    layout->x_keys = clsort__job_take(&used, has_x ? n * job->key->bytes : 0);
    layout->x_values = clsort__job_take(&used, has_x ? n * job->value_bytes : 0);
    layout->y_keys = clsort__job_take(&used, job->write_keys ? 0 : n * job->key->bytes);
    layout->bytes = used;
}

static int fits(const struct job *job)
{
    return (!job->caps->loop_limit || job->count <= job->caps->loop_limit / loops_of_element) &&
           clsort__value_has_type(job->value_bytes, job->index_bytes);
}

static int pays(const struct job *job)
{
    return job->tuning.chunked_count > 0 && job->count >= job->tuning.chunked_count && !job->caps->loop_limit;
}

static uint64_t workspace_bytes(const struct job *job)
{
    struct chunked_layout layout;
    clsort__chunked_lay_out(job, n_passes(job), 1, area_bytes, &layout);
    return layout.bytes;
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    return clsort__single_use(job, "chunked_radix", used);
}

/* Which elements a sort takes. */
struct scope {
    uint32_t range_number, index_kind;
};

static void run_kernel(struct job *job, struct program *program, const struct chunked_layout *layout,
                       struct scope scope, const char *name, uint32_t step)
{
    struct launch launch;
    clsort__launch_begin(&launch, job->sequence, program, name, job->index_bytes);
    clsort__launch_arrays(&launch, job);
    clsort__launch_range(&launch, clsort_make_range(job->workspace, job->workspace_offset));
    clsort__launch_order(&launch, &job->order);
    clsort__launch_uint(&launch, job->begin_bit);
    clsort__launch_uint(&launch, job->end_bit);
    clsort__launch_index(&launch, job->count);
    clsort__launch_uint(&launch, layout->n_chunks);
    clsort__launch_uint(&launch, layout->bits);
    clsort__launch_index(&launch, layout->slab_count);
    clsort__launch_index(&launch, layout->skew_limit);
    clsort__launch_uint(&launch, (uint32_t)layout->in_place);
    clsort__launch_uint(&launch, scope.index_kind);
    clsort__launch_uint(&launch, (uint32_t)job->write_keys);
    clsort__launch_uint(&launch, (uint32_t)layout->use_buffers);
    const uint32_t areas[] = {layout->control, layout->ranges,       layout->surveys, layout->table,    layout->starts,
                              layout->workers, layout->worker_units, layout->x_keys,  layout->x_values, layout->y_keys};
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
        clsort__launch_uint(&launch, areas[i]);
    }
    clsort__launch_uint(&launch, scope.range_number);
    clsort__launch_uint(&launch, step);
    clsort__launch_run(&launch, layout->n_chunks, 1);
}

void clsort__chunked_enqueue(struct job *job, struct program *program, const struct chunked_layout *layout,
                             uint32_t range_number, uint32_t index_kind)
{
    const struct scope scope = {range_number, index_kind};
    run_kernel(job, program, layout, scope, "survey", 0);
    run_kernel(job, program, layout, scope, "count", 0);
    run_kernel(job, program, layout, scope, "move", 0);
    run_kernel(job, program, layout, scope, "sort_buckets", 0);
    for (uint32_t step = 1; step <= layout->n_passes; step++) {
        run_kernel(job, program, layout, scope, "count", step);
        run_kernel(job, program, layout, scope, "move", step);
    }
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct chunked_layout layout;
    clsort__chunked_lay_out(job, n_passes(job), 1, area_bytes, &layout);
    clsort__chunked_enqueue(job, programs[0], &layout, 0, job->operation == CLSORT_ARGSORT);
    return job->failure->status;
}

const struct algorithm clsort__chunked_radix = {"chunked_radix", fits,      pays, workspace_bytes, uses,
                                                enqueue,         FOR_ARRAYS};
