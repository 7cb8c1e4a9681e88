/* Sorting host memory: uploads, sorts, downloads. On the public functions alone. */
#include "clsort/clsort.h"

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

static clsort_status create_buffer(cl_context context, uint64_t count, struct host_array *array)
{
    if (count > SIZE_MAX / array->element_bytes) {
        return CLSORT_COUNT_TOO_LARGE;
    }
    cl_int error;
    array->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)(count * array->element_bytes), NULL, &error);
    if (error != CL_SUCCESS) {
        array->buffer = NULL;
    }
    *array->range = clsort_make_range(array->buffer, 0);
    return error == CL_INVALID_BUFFER_SIZE ? CLSORT_COUNT_TOO_LARGE : error;
}

/* The first error of a chain of calls that stops at it. */
static clsort_status upload(cl_command_queue queue, uint64_t count, const struct host_array *array)
{
    return array->source ? clEnqueueWriteBuffer(queue, array->buffer, CL_FALSE, 0,
                                                (size_t)(count * array->element_bytes), array->source, 0, NULL, NULL)
                         : CL_SUCCESS;
}

static clsort_status download(cl_command_queue queue, uint64_t count, const struct host_array *array)
{
    return array->destination
               ? clEnqueueReadBuffer(queue, array->buffer, CL_FALSE, 0, (size_t)(count * array->element_bytes),
                                     array->destination, 0, NULL, NULL)
               : CL_SUCCESS;
}

static clsort_status sort_arrays(clsort_sorter *sorter, clsort_request *request, struct host_array arrays[n_arrays])
{
    cl_context context = clsort_sorter_context(sorter);
    cl_int error;
    clsort_status status = CLSORT_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, clsort_sorter_device(sorter), 0, &error);
    if (error != CL_SUCCESS) {
        return error;
    }
    for (int i = 0; i < n_arrays && status == CLSORT_SUCCESS; i++) {
        if (arrays[i].element_bytes && request->count) {
            status = create_buffer(context, request->count, &arrays[i]);
        }
    }
    for (int i = 0; i < n_arrays && status == CLSORT_SUCCESS; i++) {
        status = arrays[i].buffer ? upload(queue, request->count, &arrays[i]) : CLSORT_SUCCESS;
    }
    if (status == CLSORT_SUCCESS) {
        status = clsort_enqueue(sorter, queue, request, 0, NULL, NULL);
    }
    for (int i = 0; i < n_arrays && status == CLSORT_SUCCESS; i++) {
        status = arrays[i].buffer ? download(queue, request->count, &arrays[i]) : CLSORT_SUCCESS;
    }
    error = clFinish(queue); /* also after a failure: the arrays are the caller's again when this returns */
    status = status == CLSORT_SUCCESS ? error : status;
    for (int i = 0; i < n_arrays; i++) {
        if (arrays[i].buffer) {
            clReleaseMemObject(arrays[i].buffer);
        }
    }
    clReleaseCommandQueue(queue);
    return status;
}

static clsort_status check_arrays(const clsort_request *r, const void *keys_in, const void *keys_out,
                                  const void *values_in, const void *values_out)
{
    if (!keys_in && r->count) {
        return CLSORT_INVALID_KEYS_IN;
    }
    if (!keys_out && r->count && r->operation != CLSORT_ARGSORT) {
        return CLSORT_INVALID_KEYS_OUT;
    }
    if (r->operation == CLSORT_PAIRS ? !values_in && r->count : values_in != NULL) {
        return CLSORT_INVALID_VALUES_IN;
    }
    if (r->operation == CLSORT_KEYS ? values_out != NULL : !values_out && r->count) {
        return CLSORT_INVALID_VALUES_OUT;
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
}

clsort_status clsort_sort_host(clsort_sorter *sorter, const clsort_request *request, const void *keys_in,
                               void *keys_out, const void *values_in, void *values_out)
{
    clsort_sorter *own = NULL;
    clsort_status status = request && request->size == sizeof *request ? CLSORT_SUCCESS : CLSORT_INVALID_REQUEST;
    if (status == CLSORT_SUCCESS && !sorter) {
        status = clsort_create_default(NULL, NULL, &own);
        sorter = own;
    }
    if (status == CLSORT_SUCCESS) {
        status = clsort_workspace_bytes(sorter, request, NULL, NULL); /* checks all but the arrays, the count too */
    }
    if (status == CLSORT_SUCCESS) {
        status = check_arrays(request, keys_in, keys_out, values_in, values_out);
    }
    if (status == CLSORT_SUCCESS) {
        clsort_request r = *request;
        struct host_array arrays[n_arrays];
        describe_arrays(&r, keys_in, keys_out, values_in, values_out, arrays);
        status = sort_arrays(sorter, &r, arrays);
    }
    clsort_destroy(own);
    return status;
}
