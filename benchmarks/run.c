/* Runs one case: makes its data, checks its result, takes its time. */
#include "run.h"
#include "cases.h"
#include "machine.h"
#include "order.h"
#include "verify.h"
#include <stdio.h>
#include <stdlib.h>

/* OpenMP 5.0, of which GCC has that call since version 9, but not yet all that the macro stands for. */
#if defined _OPENMP && (_OPENMP >= 201811 || __GNUC__ >= 9)
#include <omp.h>
#define HAS_OMP_PAUSE 1
#endif

#define WARM_UP_RUNS 3
#define VALUE_SEED 3

/* All that a case needs, on the host and on the device. The arrays are NULL where the operation has none. */
struct job {
    struct bench_device *device;
    const struct sort_case *c;
    uint64_t keys_bytes;
    uint64_t values_bytes;
    unsigned char *keys;
    unsigned char *values;
    struct segments segments;
    cl_mem keys_in, keys_out, values_in, values_out, offsets;
    clsort_request request;
    char *text;
    size_t text_bytes;
};

static clsort_status explain(const struct job *job, const char *what, clsort_status status)
{
    if (status)
        snprintf(job->text, job->text_bytes, "%s: %s", what, clsort_status_text(status));
    return status;
}

static clsort_status explain_sorter(const struct job *job, clsort_sorter *sorter, clsort_status status)
{
    if (status)
        clsort_last_error(sorter, job->text, job->text_bytes);
    return status;
}

static void free_job(struct job *job)
{
    cl_mem buffers[] = {job->keys_in, job->keys_out, job->values_in, job->values_out, job->offsets};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    free(job->keys);
    free(job->values);
    free(job->segments.offsets);
}

/* Keys as they will be sorted, and values that say where they were. */
static clsort_status make_input(struct job *job)
{
    const struct sort_case *c = job->c;
    int pairs = c->operation == CLSORT_PAIRS;
    job->keys_bytes = c->n * clsort_key_type_bytes(c->key_type);
    job->values_bytes = c->operation == CLSORT_KEYS ? 0 : c->n * c->value_bytes;
    job->keys = malloc(data_room(job->keys_bytes));
    job->values = pairs ? malloc(data_room(job->values_bytes)) : NULL;
    if (!job->keys || (pairs && !job->values))
        return explain(job, "host memory for the input", CL_OUT_OF_HOST_MEMORY);
    if (c->segments.kind && !segments_make(c->segments, c->n, &job->segments))
        return explain(job, "host memory for the segments", CL_OUT_OF_HOST_MEMORY);
    data_fill_keys(job->keys, c->n, c->key_type, c->shape);
    if (pairs) {
        data_fill(job->values, job->values_bytes, VALUE_SEED);
        data_number_values(job->values, c->n, c->value_bytes);
    }
    return CLSORT_SUCCESS;
}

static clsort_status make_buffer(struct job *job, uint64_t bytes, const void *content, cl_mem *buffer)
{
    cl_int status;
    *buffer = clCreateBuffer(clsort_sorter_context(job->device->sorter), CL_MEM_READ_WRITE, (size_t)(bytes ? bytes : 1),
                             NULL, &status);
    if (status)
        return explain(job, "a buffer on the device", status);
    if (!content || !bytes)
        return CLSORT_SUCCESS;
    status = clEnqueueWriteBuffer(job->device->queue, *buffer, CL_TRUE, 0, (size_t)bytes, content, 0, NULL, NULL);
    return explain(job, "writing to the device", status);
}

static clsort_status make_buffers(struct job *job)
{
    clsort_operation operation = job->c->operation;
    clsort_status status = make_buffer(job, job->keys_bytes, job->keys, &job->keys_in);
    if (!status && operation != CLSORT_ARGSORT)
        status = make_buffer(job, job->keys_bytes, NULL, &job->keys_out);
    if (!status && operation == CLSORT_PAIRS)
        status = make_buffer(job, job->values_bytes, job->values, &job->values_in);
    if (!status && operation != CLSORT_KEYS)
        status = make_buffer(job, job->values_bytes, NULL, &job->values_out);
    if (!status && job->segments.offsets)
        status = make_buffer(job, (job->segments.count + 1) * sizeof *job->segments.offsets, job->segments.offsets,
                             &job->offsets);
    return status;
}

static uint64_t longest_segment(const struct segments *segments)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < segments->count; i++) {
        uint64_t length = segments->offsets[i + 1] - segments->offsets[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void make_request(struct job *job)
{
    const struct sort_case *c = job->c;
    clsort_request *r = &job->request;
    clsort_request_init(r);
    r->operation = c->operation;
    r->key_type = c->key_type;
    r->count = c->n;
    r->keys_in = clsort_make_range(job->keys_in, 0);
    r->keys_out = clsort_make_range(job->keys_out, 0);
    r->values_in = clsort_make_range(job->values_in, 0);
    r->values_out = clsort_make_range(job->values_out, 0);
    r->value_bytes = c->operation == CLSORT_PAIRS ? c->value_bytes : 0;
    r->index_bytes = c->operation == CLSORT_ARGSORT ? (uint32_t)c->value_bytes : 0;
    r->flags = c->flags | (c->descending ? CLSORT_DESCENDING : 0);
    r->algorithm = c->algorithm;
    if (job->segments.offsets) {
        r->flags |= CLSORT_SEGMENTS | (c->operation == CLSORT_ARGSORT ? CLSORT_INDEX_IN_SEGMENT : 0);
        r->segment_count = job->segments.count;
        r->max_segment_length = c->promises_length ? longest_segment(&job->segments) : 0;
        r->segment_begins = clsort_make_range(job->offsets, 0);
        r->segment_offset_bytes = sizeof *job->segments.offsets;
    }
}

/* Compiles what the case needs and asks what it will be done with. */
static clsort_status prepare(struct job *job, struct run_result *result)
{
    clsort_sorter *sorter = job->device->sorter;
    clsort_status status = clsort_prepare(sorter, &job->request);
    if (!status)
        status = clsort_workspace_bytes(sorter, &job->request, NULL, &result->workspace_bytes);
    if (!status)
        status = clsort_get_info(sorter, &job->request, CLSORT_INFO_ALGORITHM, sizeof result->algorithm,
                                 result->algorithm, NULL);
    if (status)
        return explain_sorter(job, sorter, status);
    if (clsort_get_info(sorter, &job->request, CLSORT_INFO_TUNING, sizeof result->tuning, result->tuning, NULL))
        snprintf(result->tuning, sizeof result->tuning, "unknown");
    return CLSORT_SUCCESS;
}

/* One whole sort, from the call to the end of clFinish(). */
static clsort_status sort_once(struct job *job, clsort_sorter *sorter, cl_command_queue queue, double *ms)
{
    double begin = machine_clock();
    clsort_status status = clsort_enqueue(sorter, queue, &job->request, 0, NULL, NULL);
    if (status)
        return explain_sorter(job, sorter, status);
    status = clFinish(queue);
    *ms = machine_clock() - begin;
    return explain(job, "clFinish", status);
}

/* Written from the host in parts: clEnqueueFillBuffer of single bytes is not to be trusted with gigabytes. */
static clsort_status poison(struct job *job, cl_mem buffer, uint64_t bytes)
{
    enum { PART_BYTES = 1 << 20 };
    unsigned char *part = malloc(PART_BYTES);
    clsort_status status = part ? CLSORT_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (part)
        memset(part, VERIFY_POISON, PART_BYTES);
    for (uint64_t done = 0; buffer && !status && done < bytes; done += PART_BYTES) {
        uint64_t left = bytes - done;
        status = clEnqueueWriteBuffer(job->device->queue, buffer, CL_TRUE, (size_t)done,
                                      (size_t)(left < PART_BYTES ? left : PART_BYTES), part, 0, NULL, NULL);
    }
    free(part);
    return explain(job, "filling the output", status);
}

/* A host copy of a buffer, NULL and success if there is no buffer. */
static clsort_status fetch(struct job *job, cl_mem buffer, uint64_t bytes, void **copy)
{
    if (!buffer)
        return CLSORT_SUCCESS;
    *copy = malloc(data_room(bytes));
    if (!*copy)
        return explain(job, "host memory for the output", CL_OUT_OF_HOST_MEMORY);
    if (!bytes)
        return CLSORT_SUCCESS;
    return explain(job, "reading from the device",
                   clEnqueueReadBuffer(job->device->queue, buffer, CL_TRUE, 0, (size_t)bytes, *copy, 0, NULL, NULL));
}

static enum run_outcome check(struct job *job)
{
    enum run_outcome outcome = RUN_FAILED;
    void *keys = NULL, *values = NULL;
    double ms;
    if (poison(job, job->keys_out, job->keys_bytes) || poison(job, job->values_out, job->values_bytes) ||
        sort_once(job, job->device->sorter, job->device->queue, &ms) ||
        fetch(job, job->keys_out, job->keys_bytes, &keys) || fetch(job, job->values_out, job->values_bytes, &values))
        goto done;
    struct verify_data data = {job->keys, keys, job->values, values};
    const struct segments *segments = job->segments.offsets ? &job->segments : NULL;
    outcome = verify(job->c, &data, segments, job->text, job->text_bytes) ? RUN_DONE : RUN_WRONG;
done:
    free(keys);
    free(values);
    return outcome;
}

/* The values of timed runs are hashed like those of other benches. */
static clsort_status hash_values(struct job *job)
{
    if (!job->values || !job->values_bytes)
        return CLSORT_SUCCESS;
    data_fill(job->values, job->values_bytes, VALUE_SEED);
    return explain(job, "writing to the device",
                   clEnqueueWriteBuffer(job->device->queue, job->values_in, CL_TRUE, 0, (size_t)job->values_bytes,
                                        job->values, 0, NULL, NULL));
}

/* Ends the threads that have made and checked data, which for a while wait at work and not asleep. */
static void end_threads(void)
{
#if HAS_OMP_PAUSE
    omp_pause_resource_all(omp_pause_hard);
#endif
}

static clsort_status take_times(struct job *job, unsigned runs, struct run_result *result)
{
    double ms;
    double *times = malloc(runs * sizeof *times);
    clsort_status status = times ? CLSORT_SUCCESS : explain(job, "the times", CL_OUT_OF_HOST_MEMORY);
    for (unsigned i = 0; !status && i < WARM_UP_RUNS; i++)
        status = sort_once(job, job->device->sorter, job->device->queue, &ms);
    for (unsigned i = 0; !status && i < runs; i++)
        status = sort_once(job, job->device->sorter, job->device->queue, &times[i]);
    if (!status) {
        struct bench_device *device = job->device;
        result->ms = statistics_spread(times, runs);
        result->copy_ms =
            copy_time(&device->copy, clsort_sorter_context(device->sorter), device->queue, case_moved_bytes(job->c));
    }
    free(times);
    return status;
}

static clsort_status take_phases(struct job *job, unsigned runs)
{
    struct bench_device *device = job->device;
    double ms;
    if (!phases_begin(&device->phases, runs))
        return explain(job, "the phases", CL_OUT_OF_HOST_MEMORY);
    clsort_sorter *sorter = device->phase_sorter;
    clsort_status status = explain_sorter(job, sorter, clsort_prepare(sorter, &job->request));
    for (unsigned i = 0; !status && i < WARM_UP_RUNS; i++) {
        phases_drop_run(&device->phases);
        status = sort_once(job, sorter, device->phase_queue, &ms);
    }
    for (unsigned i = 0; !status && i < runs; i++) {
        phases_drop_run(&device->phases);
        status = sort_once(job, sorter, device->phase_queue, &ms);
        if (!status)
            phases_end_run(&device->phases);
    }
    clsort_trim(sorter);
    return status;
}

static enum run_outcome run_job(struct job *job, const struct options *options, struct run_result *result)
{
    if (make_input(job))
        return RUN_FAILED;
    result->checksum = data_checksum(job->keys, job->keys_bytes);
    if (make_buffers(job))
        return RUN_FAILED;
    make_request(job);
    clsort_status status = prepare(job, result);
    if (status)
        return status == CLSORT_INVALID_ALGORITHM ? RUN_SKIPPED : RUN_FAILED;
    enum run_outcome outcome = check(job);
    if (outcome || options->verify_only)
        return outcome;
    if (hash_values(job))
        return RUN_FAILED;
    end_threads();
    if (take_times(job, options->runs, result))
        return RUN_FAILED;
    return options->phases && take_phases(job, options->runs) ? RUN_FAILED : RUN_DONE;
}

enum run_outcome run_case(struct bench_device *device, const struct options *options, const struct sort_case *c,
                          struct run_result *result, char *text, size_t text_bytes)
{
    struct job job;
    memset(&job, 0, sizeof job);
    memset(result, 0, sizeof *result);
    job.device = device;
    job.c = c;
    job.text = text;
    job.text_bytes = text_bytes;
    enum run_outcome outcome = run_job(&job, options, result);
    free_job(&job);
    clsort_trim(device->sorter);
    return outcome;
}
