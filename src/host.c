/* Sorting host memory: uploads, sorts, downloads. */
#include "sorter.h"

#include <stdlib.h>

/* An array on the host and its buffer on the device. */
struct host_array {
    clsort_range *range; /* of the request */
    const void *source;  /* NULL: output only */
    void *destination;   /* NULL: input only */
    uint64_t element_bytes;
    cl_mem buffer;
};

enum { n_arrays = 4 };

static clsort_status create_buffer(cl_context context, uint64_t count, struct host_array *array,
                                   struct failure *failure)
{
    size_t bytes;
    if (clsort__to_size(count * array->element_bytes, &bytes, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    array->buffer = error == CL_SUCCESS ? buffer : NULL;
    *array->range = clsort_make_range(array->buffer, 0);
    return clsort__check_cl(failure, error, "clCreateBuffer");
}

/* Enqueues the copy to the device, or back. */
static clsort_status upload(cl_command_queue queue, uint64_t count, const struct host_array *array,
                            struct failure *failure)
{
    const size_t bytes = (size_t)(count * array->element_bytes);
    return clsort__check_cl(failure,
                            clEnqueueWriteBuffer(queue, array->buffer, CL_FALSE, 0, bytes, array->source, 0, NULL,
                                                 NULL),
                            "clEnqueueWriteBuffer");
}

static clsort_status download(cl_command_queue queue, uint64_t count, const struct host_array *array,
                              struct failure *failure)
{
    const size_t bytes = (size_t)(count * array->element_bytes);
    return clsort__check_cl(failure,
                            clEnqueueReadBuffer(queue, array->buffer, CL_FALSE, 0, bytes, array->destination, 0, NULL,
                                                NULL),
                            "clEnqueueReadBuffer");
}

static void run_on_queue(clsort_sorter *sorter, cl_command_queue queue, clsort_request *request,
                         struct host_array arrays[n_arrays], struct failure *failure)
{
    for (int i = 0; i < n_arrays && failure->status == CLSORT_SUCCESS; i++) {
        if (arrays[i].element_bytes && request->count) {
            create_buffer(sorter->context, request->count, &arrays[i], failure);
        }
    }
    for (int i = 0; i < n_arrays && failure->status == CLSORT_SUCCESS; i++) {
        if (arrays[i].buffer && arrays[i].source) {
            upload(queue, request->count, &arrays[i], failure);
        }
    }
    if (failure->status == CLSORT_SUCCESS) {
        clsort__enqueue(sorter, queue, request, 0, NULL, NULL, failure);
    }
    for (int i = 0; i < n_arrays && failure->status == CLSORT_SUCCESS; i++) {
        if (arrays[i].buffer && arrays[i].destination) {
            download(queue, request->count, &arrays[i], failure);
        }
    }
    /* Also after a failure: the arrays are the caller's again when this returns. */
    clsort__check_cl(failure, clFinish(queue), "clFinish");
}

static clsort_status sort_arrays(clsort_sorter *sorter, clsort_request *request, struct host_array arrays[n_arrays],
                                 struct failure *failure)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(sorter->context, sorter->device, 0, &error);
    if (error != CL_SUCCESS) {
        return clsort__check_cl(failure, error, "clCreateCommandQueue");
    }
    run_on_queue(sorter, queue, request, arrays, failure);
    for (int i = 0; i < n_arrays; i++) {
        if (arrays[i].buffer) {
            clReleaseMemObject(arrays[i].buffer);
        }
    }
    clReleaseCommandQueue(queue);
    return failure->status;
}

static clsort_status check_arrays(const clsort_request *r, const void *keys_in, const void *keys_out,
                                  const void *values_in, const void *values_out, struct failure *failure)
{
    const int has_values = r->operation == CLSORT_PAIRS, is_empty = r->count == 0;
    if (!keys_in && !is_empty) {
        return clsort__fail(failure, CLSORT_INVALID_KEYS_IN, "keys_in: NULL");
    }
    if (!keys_out && !is_empty && r->operation != CLSORT_ARGSORT) {
        return clsort__fail(failure, CLSORT_INVALID_KEYS_OUT, "keys_out: NULL");
    }
    if (has_values ? !values_in && !is_empty : values_in != NULL) {
        return clsort__fail(failure, CLSORT_INVALID_VALUES_IN, "values_in: %sNULL", has_values ? "" : "not ");
    }
    if (r->operation == CLSORT_KEYS ? values_out != NULL : !values_out && !is_empty) {
        return clsort__fail(failure, CLSORT_INVALID_VALUES_OUT, "values_out: %sNULL",
                            r->operation == CLSORT_KEYS ? "not " : "");
    }
    return CLSORT_SUCCESS;
}

/* The buffers of the arrays; those that are missing have no size. */
static void describe_arrays(clsort_request *r, const void *keys_in, void *keys_out, const void *values_in,
                            void *values_out, struct host_array arrays[n_arrays])
{
    const uint64_t key_bytes = clsort_key_type_bytes(r->key_type);
    const uint64_t index_bytes = r->index_bytes ? r->index_bytes : 4;
    const uint64_t value_bytes = r->operation == CLSORT_PAIRS ? r->value_bytes : index_bytes;
    arrays[0] = (struct host_array){&r->keys_in, keys_in, NULL, key_bytes, NULL};
    arrays[1] = (struct host_array){&r->keys_out, NULL, keys_out, keys_out ? key_bytes : 0, NULL};
    arrays[2] = (struct host_array){&r->values_in, values_in, NULL, values_in ? value_bytes : 0, NULL};
    arrays[3] = (struct host_array){&r->values_out, NULL, values_out, values_out ? value_bytes : 0, NULL};
    if (r->flags & CLSORT_SEGMENTS) {
        /* What belongs to no segment stays as it is. */
        arrays[1].source = keys_out;
        arrays[3].source = values_out;
    }
}

static clsort_status sort_host(clsort_sorter *sorter, const clsort_request *request, const void *keys_in,
                               void *keys_out, const void *values_in, void *values_out, struct failure *failure)
{
    clsort_request r = {0};
    struct job job;
    struct host_array arrays[n_arrays];
    /* All but the arrays, the count too, is checked as for buffers that are not known yet. */
    if (clsort__request_read(request, &r, failure) != CLSORT_SUCCESS ||
        clsort__request_resolve(sorter, request, REQUEST_KIND, &job, failure) != CLSORT_SUCCESS ||
        check_arrays(request, keys_in, keys_out, values_in, values_out, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    describe_arrays(&r, keys_in, keys_out, values_in, values_out, arrays);
    return sort_arrays(sorter, &r, arrays, failure);
}

clsort_status clsort_sort_host(clsort_sorter *sorter, const clsort_request *request, const void *keys_in,
                               void *keys_out, const void *values_in, void *values_out)
{
    struct failure failure = {0};
    clsort_sorter *own = NULL;
    if (!sorter) {
        const clsort_status status = clsort_create_default(NULL, NULL, &own);
        if (status != CLSORT_SUCCESS) {
            return status;
        }
    }
    sort_host(sorter ? sorter : own, request, keys_in, keys_out, values_in, values_out, &failure);
    clsort_destroy(own);
    return clsort__sorter_finish(sorter, &failure);
}
