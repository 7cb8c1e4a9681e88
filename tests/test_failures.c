/*
 * OpenCL calls that fail half-way through an enqueue: this program stands between the library and the ICD loader and makes
 * the k-th call of one function fail, for every k. The status comes through, there is no event, inputs stay intact, and
 * the sorter goes on.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "sort_check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INJECTED = CL_OUT_OF_RESOURCES };

/* Which function fails, at which of its calls from now on (0: the next one); NULL: none. */
static const char *failing;
static unsigned calls_before;
static bool has_failed;

static bool must_fail(const char *name)
{
    if (!failing || strcmp(failing, name) != 0) {
        return false;
    }
    if (calls_before > 0) {
        calls_before--;
        return false;
    }
    failing = NULL;
    has_failed = true;
    return true;
}

static void *real_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        abort();
    }
    return function;
}

/* In place of a function that returns its status. */
#define STATUS_FUNCTION(name, parameters, arguments)                                                                   \
    cl_int CL_API_CALL name parameters                                                                                 \
    {                                                                                                                  \
        cl_int(CL_API_CALL *function) parameters;                                                                      \
        *(void **)&function = real_function(#name);                                                                    \
        return must_fail(#name) ? (cl_int)INJECTED : function arguments;                                               \
    }

/* In place of a function that returns an object, and its status through the last parameter. */
#define OBJECT_FUNCTION(type, name, parameters, arguments)                                                             \
    type CL_API_CALL name parameters                                                                                   \
    {                                                                                                                  \
        type(CL_API_CALL *function) parameters;                                                                        \
        *(void **)&function = real_function(#name);                                                                    \
        if (!must_fail(#name))                                                                                         \
            return function arguments;                                                                                 \
        if (error)                                                                                                     \
            *error = INJECTED;                                                                                         \
        return NULL;                                                                                                   \
    }

/* clang-format off */
STATUS_FUNCTION(clEnqueueNDRangeKernel,
    (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
     const size_t *local, cl_uint n_events, const cl_event *events, cl_event *event),
    (queue, kernel, dimensions, offset, global, local, n_events, events, event))
STATUS_FUNCTION(clEnqueueCopyBuffer,
    (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes, cl_uint n_events,
     const cl_event *events, cl_event *event),
    (queue, from, to, from_offset, to_offset, bytes, n_events, events, event))
STATUS_FUNCTION(clEnqueueMarkerWithWaitList,
    (cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event),
    (queue, n_events, events, event))
STATUS_FUNCTION(clSetKernelArg,
    (cl_kernel kernel, cl_uint number, size_t bytes, const void *value),
    (kernel, number, bytes, value))
STATUS_FUNCTION(clBuildProgram,
    (cl_program program, cl_uint n_devices, const cl_device_id *devices, const char *options,
     void (CL_CALLBACK *notify)(cl_program, void *), void *user_data),
    (program, n_devices, devices, options, notify, user_data))
STATUS_FUNCTION(clGetCommandQueueInfo,
    (cl_command_queue queue, cl_command_queue_info info, size_t bytes, void *value, size_t *needed),
    (queue, info, bytes, value, needed))
STATUS_FUNCTION(clGetMemObjectInfo,
    (cl_mem buffer, cl_mem_info info, size_t bytes, void *value, size_t *needed),
    (buffer, info, bytes, value, needed))
STATUS_FUNCTION(clGetProgramInfo,
    (cl_program program, cl_program_info info, size_t bytes, void *value, size_t *needed),
    (program, info, bytes, value, needed))
OBJECT_FUNCTION(cl_kernel, clCreateKernel,
    (cl_program program, const char *name, cl_int *error),
    (program, name, error))
OBJECT_FUNCTION(cl_mem, clCreateBuffer,
    (cl_context context, cl_mem_flags flags, size_t bytes, void *content, cl_int *error),
    (context, flags, bytes, content, error))
OBJECT_FUNCTION(cl_program, clCreateProgramWithSource,
    (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error),
    (context, n, texts, lengths, error))
OBJECT_FUNCTION(cl_command_queue, clCreateCommandQueue,
    (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *error),
    (context, id, properties, error))
/* clang-format on */

static const char *const functions[] = {
    "clEnqueueNDRangeKernel", "clEnqueueCopyBuffer",   "clEnqueueMarkerWithWaitList", "clSetKernelArg",
    "clBuildProgram",         "clGetCommandQueueInfo", "clGetMemObjectInfo",          "clGetProgramInfo",
    "clCreateKernel",         "clCreateBuffer",        "clCreateProgramWithSource",   "clCreateCommandQueue"};

enum { COUNT = 3000, VALUE_BYTES = 12 };

struct trial {
    struct device device;
    unsigned char keys[COUNT * 4], values[COUNT * VALUE_BYTES];
    cl_mem keys_in, keys_out, values_in, values_out;
    clsort_request request;
};

static void begin_trial(struct trial *t, struct device device, uint64_t count)
{
    t->device = device;
    make_keys(CLSORT_U32, (struct data){DATA_RANDOM, 5, 0}, COUNT, t->keys);
    for (uint64_t i = 0; i < COUNT; i++) {
        make_value(i, VALUE_BYTES, t->values + i * VALUE_BYTES);
    }
    t->keys_in = make_buffer(&device, CL_MEM_READ_WRITE, sizeof t->keys, t->keys);
    t->keys_out = make_buffer(&device, CL_MEM_READ_WRITE, sizeof t->keys, NULL);
    t->values_in = make_buffer(&device, CL_MEM_READ_WRITE, sizeof t->values, t->values);
    t->values_out = make_buffer(&device, CL_MEM_READ_WRITE, sizeof t->values, NULL);
    clsort_request_init(&t->request);
    t->request.operation = CLSORT_PAIRS;
    t->request.key_type = CLSORT_U32;
    t->request.count = count;
    t->request.value_bytes = VALUE_BYTES;
    t->request.algorithm = count ? "radix" : NULL;
    t->request.keys_in = clsort_make_range(t->keys_in, 0);
    t->request.keys_out = clsort_make_range(t->keys_out, 0);
    t->request.values_in = clsort_make_range(t->values_in, 0);
    t->request.values_out = clsort_make_range(t->values_out, 0);
}

static void end_trial(struct trial *t)
{
    clReleaseMemObject(t->keys_in);
    clReleaseMemObject(t->keys_out);
    clReleaseMemObject(t->values_in);
    clReleaseMemObject(t->values_out);
}

static void check_inputs(struct trial *t, const char *function, unsigned k)
{
    static unsigned char keys[COUNT * 4], values[COUNT * VALUE_BYTES];
    read_buffer(&t->device, t->keys_in, sizeof keys, keys);
    read_buffer(&t->device, t->values_in, sizeof values, values);
    ck_assert_msg(memcmp(keys, t->keys, sizeof keys) == 0, "%s, call %u: keys_in was written", function, k);
    ck_assert_msg(memcmp(values, t->values, sizeof values) == 0, "%s, call %u: values_in was written", function, k);
}

/* What a failed call may turn into: its own status, or that of the field which could not be looked at. */
static bool is_expected(clsort_status status, const char *function)
{
    bool is_query = strncmp(function, "clGet", 5) == 0;
    return status == INJECTED || (is_query && (status == CLSORT_INVALID_QUEUE || (status <= CLSORT_INVALID_KEYS_IN &&
                                                                                  status >= CLSORT_INVALID_WORKSPACE)));
}

/* Fails call number k of a function in one enqueue by a new sorter. Returns whether the enqueue makes so many calls. */
static bool check_failure(const char *function, unsigned k, uint64_t count)
{
    static struct trial t;
    begin_trial(&t, open_device(NULL, 0), count);
    cl_event event = NULL;
    has_failed = false;
    calls_before = k;
    failing = function;
    clsort_status status = clsort_enqueue(t.device.sorter, t.device.queue, &t.request, 0, NULL, &event);
    failing = NULL;
    if (status != CLSORT_SUCCESS) {
        char text[4096];
        ck_assert_msg(has_failed && is_expected(status, function), "%s, call %u: status %d", function, k, (int)status);
        ck_assert_msg(!event, "%s, call %u: an event in spite of status %d", function, k, (int)status);
        ck_assert_uint_gt(clsort_last_error(t.device.sorter, text, sizeof text), 10);
    } else {
        /* not called so often, or the library could do without */
        ck_assert_ptr_nonnull((void *)event);
        CHECK_CL(clReleaseEvent(event));
    }
    CHECK_CL(clFinish(t.device.queue));
    check_inputs(&t, function, k);
    check_sort(&t.device, (struct sort_case){.operation = CLSORT_PAIRS,
                                             .key_type = CLSORT_U32,
                                             .count = COUNT,
                                             .data = {DATA_RANDOM, 6, 0},
                                             .value_bytes = VALUE_BYTES,
                                             .algorithm = "radix"});
    end_trial(&t);
    close_device(&t.device);
    return has_failed;
}

START_TEST(failure_of_any_opencl_call_of_an_enqueue_comes_through_and_does_no_harm)
{
    unsigned n_failures = 0;
    check_sort(test_device(), (struct sort_case){.operation = CLSORT_PAIRS,
                                                 .key_type = CLSORT_U32,
                                                 .count = COUNT,
                                                 .data = {DATA_RANDOM, 6, 0},
                                                 .value_bytes = VALUE_BYTES,
                                                 .algorithm = "radix"});
    for (size_t f = 0; f < N_ELEMENTS(functions); f++) {
        bool is_argument = strcmp(functions[f], "clSetKernelArg") == 0;
        unsigned n_calls = 0;
        for (unsigned k = 0; k < 600 && check_failure(functions[f], k, COUNT); k += is_argument ? 11 : 1) {
            n_calls++;
        }
        n_failures += n_calls;
        check_failure(functions[f], 0, 0); /* a sort of no elements makes calls of its own */
    }
    ck_assert_msg(n_failures > 20, "only %u calls were made to fail", n_failures);
}
END_TEST

/* The context's reference count tells that a failed enqueue keeps nothing. */
START_TEST(failed_enqueues_keep_no_references)
{
    cl_device_id id = test_device()->id;
    cl_int status;
    cl_uint references = 0;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    CHECK_CL(status);
    for (unsigned k = 0; k < 12; k++) {
        static struct trial t;
        struct device device = {.context = context, .id = id};
        CHECK_STATUS(NULL, CLSORT_SUCCESS, clsort_create(context, id, NULL, &device.sorter));
        device.queue = make_queue(&device, 0);
        begin_trial(&t, device, COUNT);
        calls_before = k;
        failing = "clEnqueueNDRangeKernel";
        clsort_enqueue(device.sorter, device.queue, &t.request, 0, NULL, NULL);
        failing = NULL;
        CHECK_CL(clFinish(device.queue));
        end_trial(&t);
        close_device(&device);
    }
    /* runtimes may let go of the last commands some time after they are finished */
    for (int wait = 0; wait < 500 && references != 1; wait++) {
        CHECK_CL(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL));
        usleep(10000);
    }
    ck_assert_uint_eq(references, 1);
    CHECK_CL(clReleaseContext(context));
}
END_TEST

int main(void)
{
    return RUN_TESTS("failures", failure_of_any_opencl_call_of_an_enqueue_comes_through_and_does_no_harm,
                     failed_enqueues_keep_no_references);
}
