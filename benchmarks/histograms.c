/* Counts the low bytes of keys by global atomics and in local memory, and times both. */
#include "histograms.h"
#include "data.h"
#include "items.h"
#include "machine.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 256, LARGEST_GROUP = 256, GROUPS_OF_A_UNIT = 16, WARM_UP_RUNS = 3 };

/* A work-group takes every get_num_groups-th stretch of keys, in both ways the same ones. */
static const char source[] = "kernel void global_atomics(global const uint *keys, ulong n, global uint *histogram)\n"
                             "{\n"
                             "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
                             "        atomic_inc(&histogram[keys[i] & 255]);\n"
                             "}\n"
                             "\n"
                             "kernel void local_histograms(global const uint *keys, ulong n, global uint *histogram)\n"
                             "{\n"
                             "    local uint bins[256];\n"
                             "    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))\n"
                             "        bins[bin] = 0;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
                             "        atomic_inc(&bins[keys[i] & 255]);\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))\n"
                             "        if (bins[bin])\n"
                             "            atomic_add(&histogram[bin], bins[bin]);\n"
                             "}\n";

static const char *const ways[] = {"global_atomics", "local_histograms"};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* What the experiment holds on a device; NULL where it could not be had. */
struct histograms {
    struct bench *bench;
    cl_context context;
    cl_device_id device;
    cl_program program;
    cl_kernel kernels[WAYS];
    cl_mem keys_buffer, histogram;
    uint32_t *keys;
    double *times;
};

/* One set of keys. */
struct set {
    const char *data_name;
    enum data_shape shape;
    uint64_t n;
};

static int fail(struct histograms *h, const char *what, cl_int status)
{
    h->bench->failed++;
    progress_clear(&h->bench->progress);
    fprintf(stderr, "clsort-bench: failed histograms: %s: %s\n", what, clsort_status_text(status));
    return 0;
}

static int make_kernels(struct histograms *h)
{
    const char *text = source;
    cl_int status;
    h->program = clCreateProgramWithSource(h->context, 1, &text, NULL, &status);
    if (!status)
        status = clBuildProgram(h->program, 1, &h->device, "", NULL, NULL);
    for (int way = 0; way < WAYS && !status; way++)
        h->kernels[way] = clCreateKernel(h->program, ways[way], &status);
    if (!status)
        h->histogram = clCreateBuffer(h->context, CL_MEM_READ_WRITE, BINS * sizeof(cl_uint), NULL, &status);
    return status ? fail(h, "making the kernels", status) : 1;
}

static int make_keys(struct histograms *h, const struct set *set)
{
    size_t bytes = (size_t)set->n * sizeof *h->keys;
    cl_int status;
    h->keys = malloc(data_room(bytes));
    if (!h->keys)
        return fail(h, "the keys", CL_OUT_OF_HOST_MEMORY);
    data_fill_keys(h->keys, set->n, CLSORT_U32, set->shape);
    h->keys_buffer = clCreateBuffer(h->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, h->keys, &status);
    return status ? fail(h, "a buffer for the keys", status) : 1;
}

static void drop_keys(struct histograms *h)
{
    if (h->keys_buffer)
        clReleaseMemObject(h->keys_buffer);
    free(h->keys);
    h->keys_buffer = NULL;
    h->keys = NULL;
}

static cl_int clear(struct histograms *h)
{
    static const cl_uint zeros[BINS];
    return clEnqueueWriteBuffer(h->bench->device.queue, h->histogram, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL);
}

/* As many work-groups as keep the device busy, and no more than there are keys for. */
static cl_int launch(struct histograms *h, int way, uint64_t n)
{
    cl_kernel kernel = h->kernels[way];
    cl_ulong count = n;
    size_t limit = 1, group = LARGEST_GROUP;
    cl_int status = clGetKernelWorkGroupInfo(kernel, h->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
    group = limit < group ? limit : group;
    uint64_t groups = (n + group - 1) / group, most = (uint64_t)h->bench->device.compute_units * GROUPS_OF_A_UNIT;
    size_t work_items = (size_t)(groups < most ? groups : most) * group;
    status |= clSetKernelArg(kernel, 0, sizeof h->keys_buffer, &h->keys_buffer);
    status |= clSetKernelArg(kernel, 1, sizeof count, &count);
    status |= clSetKernelArg(kernel, 2, sizeof h->histogram, &h->histogram);
    if (status)
        return status;
    return clEnqueueNDRangeKernel(h->bench->device.queue, kernel, 1, NULL, &work_items, &group, 0, NULL, NULL);
}

static int is_right(struct histograms *h, int way, const struct set *set)
{
    cl_uint counted[BINS], expected[BINS] = {0};
    for (uint64_t i = 0; i < set->n; i++)
        expected[h->keys[i] & (BINS - 1)]++;
    cl_int status = clear(h);
    if (!status)
        status = launch(h, way, set->n);
    if (!status)
        status = clEnqueueReadBuffer(h->bench->device.queue, h->histogram, CL_TRUE, 0, sizeof counted, counted, 0, NULL,
                                     NULL);
    if (status)
        return fail(h, ways[way], status);
    if (memcmp(counted, expected, sizeof counted) == 0)
        return 1;
    h->bench->failed++;
    fprintf(stderr, "clsort-bench: WRONG RESULT histogram %s %s n=%" PRIu64 "\n", ways[way], set->data_name, set->n);
    return 0;
}

/* From the launch to the end; clearing the histogram is not in it. */
static int take_times(struct histograms *h, int way, uint64_t n, struct spread *ms)
{
    unsigned runs = h->bench->options.runs;
    for (unsigned i = 0; i < runs + WARM_UP_RUNS; i++) {
        cl_int status = clear(h);
        double begin = machine_clock();
        if (!status)
            status = launch(h, way, n);
        if (!status)
            status = clFinish(h->bench->device.queue);
        if (status)
            return fail(h, ways[way], status);
        if (i >= WARM_UP_RUNS)
            h->times[i - WARM_UP_RUNS] = machine_clock() - begin;
    }
    *ms = statistics_spread(h->times, runs);
    return 1;
}

static void run_way(struct histograms *h, int way, const struct set *set)
{
    struct bench *b = h->bench;
    char library[64], checksum[32];
    struct result_row row = {0};
    snprintf(library, sizeof library, "histogram/%s", ways[way]);
    progress_show(&b->progress, library);
    if (is_right(h, way, set) && take_times(h, way, set->n, &row.ms)) {
        row.library = library;
        row.device = b->place;
        row.operation = "histogram";
        row.key = "u32";
        row.value = "-";
        row.order = "-";
        row.data = set->data_name;
        row.n = set->n;
        row.runs = b->options.runs;
        row.moved_bytes = set->n * sizeof *h->keys;
        row.copy_ms = copy_time(&b->device.copy, h->context, b->device.queue, row.moved_bytes);
        snprintf(checksum, sizeof checksum, "%016" PRIx64, data_checksum(h->keys, row.moved_bytes));
        row.checksum = checksum;
        row.algorithm = ways[way];
        progress_clear(&b->progress);
        output_row(&b->output, &row);
        b->done++;
    }
    progress_step(&b->progress, set->n);
}

/* How often the low byte repeats is what matters: with few of them many work-items count in the same bin. */
static void choose_shapes(struct option_list *shapes)
{
    static const char *const names[] = {"uniform", "few16", "equal"};
    if (shapes->length != 1 || shapes->items[0].number != DATA_UNIFORM)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(shapes->items[i].text, sizeof shapes->items[i].text, "%s", names[i]);
        item_shape(names[i], &shapes->items[i].number);
    }
    shapes->length = sizeof names / sizeof names[0];
}

static void run_sets(struct histograms *h)
{
    const struct options *o = &h->bench->options;
    for (size_t shape = 0; shape < o->shapes.length; shape++)
        for (size_t i = 0; i < o->n_counts; i++) {
            const struct option_item *item = &o->shapes.items[shape];
            struct set set = {item->text, (enum data_shape)(item->number % ITEM_SEGMENTED), o->counts[i]};
            int made = set.n > 0 && set.n <= UINT32_MAX && make_keys(h, &set);
            for (int way = 0; made && way < WAYS; way++)
                run_way(h, way, &set);
            drop_keys(h);
        }
}

int histograms_run(struct bench *b)
{
    struct histograms h = {0};
    h.bench = b;
    h.context = clsort_sorter_context(b->device.sorter);
    h.device = clsort_sorter_device(b->device.sorter);
    h.times = malloc(b->options.runs * sizeof *h.times);
    choose_shapes(&b->options.shapes);
    progress_begin(&b->progress);
    for (size_t i = 0; i < b->options.shapes.length * b->options.n_counts; i++)
        for (int way = 0; way < WAYS; way++)
            progress_expect(&b->progress, b->options.counts[i % b->options.n_counts]);
    if (h.times && make_kernels(&h))
        run_sets(&h);
    for (int way = 0; way < WAYS; way++)
        if (h.kernels[way])
            clReleaseKernel(h.kernels[way]);
    if (h.histogram)
        clReleaseMemObject(h.histogram);
    if (h.program)
        clReleaseProgram(h.program);
    free(h.times);
    return h.times != NULL;
}
