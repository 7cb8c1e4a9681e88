/* device_job.c: sorts host arrays on a device: buffers, upload, sort, download. */
#include "device_job.h"

#include "files.h"
#include "progress.h"
#include "report.h"

#include <inttypes.h>

/* Transfers are cut into pieces of this size, large enough for full speed, so that progress can be shown. */
static const uint64_t transfer_bytes = (uint64_t)1 << 26;

struct run {
    clsort_sorter *sorter;
    struct device_job *job;
    cl_command_queue queue;
    cl_mem keys;
    cl_mem values;
    cl_mem offsets;
    uint64_t keys_bytes;
    uint64_t values_bytes;
};

static bool report_call(const char *call, clsort_status status)
{
    report_error("%s: %s", call, clsort_status_text(status));
    return false;
}

static bool make_buffer(struct run *run, uint64_t n_bytes, const char *what, cl_mem *buffer)
{
    cl_int status = CL_INVALID_BUFFER_SIZE;
    /* A buffer of no bytes is not allowed, and an empty input has to work. */
    if (n_bytes <= SIZE_MAX)
        *buffer = clCreateBuffer(clsort_sorter_context(run->sorter), CL_MEM_READ_WRITE,
                                 n_bytes > 0 ? (size_t)n_bytes : 1, NULL, &status);
    if (status == CL_SUCCESS)
        return true;
    report_error("the device has no room for %s of %" PRIu64 " bytes: %s", what, n_bytes, clsort_status_text(status));
    return false;
}

static uint64_t offsets_bytes(const struct device_job *job)
{
    return job->segment_offsets != NULL ? (job->request.segment_count + 1) * sizeof *job->segment_offsets : 0;
}

static bool make_offsets(struct run *run)
{
    const uint64_t n_bytes = offsets_bytes(run->job);
    if (n_bytes == 0)
        return true;
    if (!make_buffer(run, n_bytes, "offsets", &run->offsets))
        return false;
    run->job->request.segment_begins = clsort_make_range(run->offsets, 0);
    return true;
}

static bool make_objects(struct run *run)
{
    struct device_job *job = run->job;
    clsort_request *request = &job->request;
    cl_int status = CL_SUCCESS;
    run->queue =
        clCreateCommandQueue(clsort_sorter_context(run->sorter), clsort_sorter_device(run->sorter), 0, &status);
    if (status != CL_SUCCESS)
        return report_call("clCreateCommandQueue", status);
    run->keys_bytes = request->count * clsort_key_type_bytes(request->key_type);
    if (!make_buffer(run, run->keys_bytes, "keys", &run->keys) || !make_offsets(run))
        return false;
    request->keys_in = clsort_make_range(run->keys, 0);
    if (request->operation != CLSORT_ARGSORT)
        request->keys_out = request->keys_in;
    if (request->operation == CLSORT_KEYS)
        return true;
    uint64_t value_bytes = request->operation == CLSORT_PAIRS ? request->value_bytes : request->index_bytes;
    run->values_bytes = request->count * value_bytes;
    if (!make_buffer(run, run->values_bytes, request->operation == CLSORT_PAIRS ? "values" : "indices", &run->values))
        return false;
    request->values_out = clsort_make_range(run->values, 0);
    if (request->operation == CLSORT_PAIRS)
        request->values_in = request->values_out;
    return true;
}

static bool prepare_sort(struct run *run)
{
    progress_phase("compiling");
    double start = clock_seconds();
    clsort_status status = clsort_prepare(run->sorter, &run->job->request);
    run->job->prepare_seconds = clock_seconds() - start;
    if (status == CLSORT_SUCCESS)
        return true;
    report_library_error(run->sorter, status);
    return false;
}

static bool upload(struct run *run, cl_mem buffer, const void *bytes, uint64_t n_bytes)
{
    for (uint64_t i = 0; i < n_bytes; i += transfer_bytes) {
        uint64_t n_piece = n_bytes - i < transfer_bytes ? n_bytes - i : transfer_bytes;
        cl_int status = clEnqueueWriteBuffer(run->queue, buffer, CL_TRUE, (size_t)i, (size_t)n_piece,
                                             (const unsigned char *)bytes + i, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            return report_call("clEnqueueWriteBuffer", status);
        progress_update(i + n_piece, n_bytes);
    }
    return true;
}

static bool download(struct run *run, cl_mem buffer, void *bytes, uint64_t n_bytes)
{
    for (uint64_t i = 0; i < n_bytes; i += transfer_bytes) {
        uint64_t n_piece = n_bytes - i < transfer_bytes ? n_bytes - i : transfer_bytes;
        cl_int status = clEnqueueReadBuffer(run->queue, buffer, CL_TRUE, (size_t)i, (size_t)n_piece,
                                            (unsigned char *)bytes + i, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            return report_call("clEnqueueReadBuffer", status);
        progress_update(i + n_piece, n_bytes);
    }
    return true;
}

/* Waits as clWaitForEvents() does, but looks up now and then so that a long sort can be shown. */
static cl_int wait_and_show(cl_event event)
{
    const double longest_pause = 0.1;
    double start = clock_seconds();
    while (progress_is_watched()) {
        cl_int state = CL_COMPLETE;
        cl_int status = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (status != CL_SUCCESS || state <= CL_COMPLETE)
            break;
        progress_update(0, 0);
        /* A hundredth of the time so far, so that the measured time stays right. */
        double pause = (clock_seconds() - start) / 100.0;
        clock_pause(pause < longest_pause ? pause : longest_pause);
    }
    return clWaitForEvents(1, &event);
}

static bool sort(struct run *run)
{
    cl_event event = NULL;
    progress_phase("sorting");
    double start = clock_seconds();
    clsort_status status = clsort_enqueue(run->sorter, run->queue, &run->job->request, 0, NULL, &event);
    if (status != CLSORT_SUCCESS) {
        report_library_error(run->sorter, status);
        return false;
    }
    status = clFlush(run->queue);
    if (status == CL_SUCCESS)
        status = wait_and_show(event);
    run->job->sort_seconds = clock_seconds() - start;
    clReleaseEvent(event);
    return status == CL_SUCCESS || report_call("the sort failed on the device", status);
}

/* Elements in no segment stay where they are. */
static bool upload_positions(struct run *run)
{
    const clsort_request *request = &run->job->request;
    for (uint64_t i = 0; i < request->count; i++) {
        if (request->index_bytes == 8)
            ((uint64_t *)run->job->values_out)[i] = i;
        else
            ((uint32_t *)run->job->values_out)[i] = (uint32_t)i;
    }
    return upload(run, run->values, run->job->values_out, run->values_bytes);
}

static bool upload_all(struct run *run)
{
    progress_phase("uploading");
    double start = clock_seconds();
    bool is_good = upload(run, run->keys, run->job->keys, run->keys_bytes);
    if (is_good && run->job->request.operation == CLSORT_PAIRS)
        is_good = upload(run, run->values, run->job->values, run->values_bytes);
    if (is_good)
        is_good = upload(run, run->offsets, run->job->segment_offsets, offsets_bytes(run->job));
    if (is_good && run->job->segment_offsets != NULL && run->job->request.operation == CLSORT_ARGSORT)
        is_good = upload_positions(run);
    run->job->upload_seconds = clock_seconds() - start;
    return is_good;
}

static bool download_all(struct run *run)
{
    progress_phase("downloading");
    double start = clock_seconds();
    bool is_good = true;
    if (run->job->request.operation != CLSORT_ARGSORT)
        is_good = download(run, run->keys, run->job->keys_out, run->keys_bytes);
    if (is_good && run->job->request.operation != CLSORT_KEYS)
        is_good = download(run, run->values, run->job->values_out, run->values_bytes);
    run->job->download_seconds = clock_seconds() - start;
    return is_good;
}

bool device_job_run(clsort_sorter *sorter, bool prepare, struct device_job *job)
{
    struct run run = {.sorter = sorter, .job = job};
    bool is_good =
        make_objects(&run) && (!prepare || prepare_sort(&run)) && upload_all(&run) && sort(&run) && download_all(&run);
    if (run.keys != NULL)
        clReleaseMemObject(run.keys);
    if (run.values != NULL)
        clReleaseMemObject(run.values);
    if (run.offsets != NULL)
        clReleaseMemObject(run.offsets);
    if (run.queue != NULL)
        clReleaseCommandQueue(run.queue);
    return is_good;
}
