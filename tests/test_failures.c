/*
 * Every OpenCL call, allocation and file call of the library fails, one at a time, in every kind of operation. The call under way
 * gives a clear status or does without; inputs stay, nothing is kept, and the same call works when repeated. In the end each
 * place of the library's code that can fail has failed.
 */
#include "faults.h"
#include "process.h"
#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, VALUE_BYTES = 12, N_SEGMENTS = 3, N_QUEUES = 12 };

static const uint64_t segment_offsets[N_SEGMENTS + 1] = {0, 1000, 1000, COUNT};

/* One run of an operation, of whose calls one fails. */
struct trial {
    struct device device;
    clsort_options options;
    char *cache, *tuning_file;
    cl_command_queue queues[N_QUEUES]; /* others than the device's */
    cl_event waited_for;
    cl_mem keys_in, keys_out, values_in, values_out, begins;
    clsort_request request;
    cl_event event; /* that the run gave */
    unsigned char keys_found[COUNT * 4], values_found[COUNT * VALUE_BYTES];
};

static unsigned char keys[COUNT * 4], values[COUNT * VALUE_BYTES];

struct operation {
    const char *name;
    void (*set_options)(struct trial *t);
    bool starts_without_sorter, starts_with_empty_cache;
    void (*set_up)(struct trial *t); /* with the sorter, if the operation starts with one */
    clsort_status (*run)(struct trial *t);
    void (*check)(struct trial *t); /* asserts that what a successful run did is right */
    clsort_status expected;         /* where nothing fails */
};

/* ------------------------------------------------------------------------------------------------------- requests */

/* Pairs with values of a size that is gathered, out of place. */
static void request_pairs(struct trial *t)
{
    clsort_request_init(&t->request);
    t->request.operation = CLSORT_PAIRS;
    t->request.key_type = CLSORT_U32;
    t->request.count = COUNT;
    t->request.value_bytes = VALUE_BYTES;
    t->request.algorithm = "radix";
    t->request.keys_in = clsort_make_range(t->keys_in, 0);
    t->request.keys_out = clsort_make_range(t->keys_out, 0);
    t->request.values_in = clsort_make_range(t->values_in, 0);
    t->request.values_out = clsort_make_range(t->values_out, 0);
}

static void request_argsort(struct trial *t)
{
    request_pairs(t);
    t->request.operation = CLSORT_ARGSORT;
    t->request.value_bytes = 0;
    t->request.algorithm = NULL;
    t->request.values_in.buffer = NULL;
}

static void request_segments(struct trial *t)
{
    request_argsort(t);
    t->request.flags = CLSORT_SEGMENTS;
    t->request.segment_count = N_SEGMENTS;
    t->request.segment_begins = clsort_make_range(t->begins, 0);
    t->request.segment_offset_bytes = 8;
}

static void request_nothing(struct trial *t)
{
    request_argsort(t);
    t->request.count = 0;
}

/* Keys alone by an algorithm that works in the output, where it copies them first. */
static void request_keys_that_are_copied(struct trial *t)
{
    request_argsort(t);
    t->request.operation = CLSORT_KEYS;
    t->request.algorithm = "bitonic_global";
    t->request.values_out.buffer = NULL;
}

/* Few keys alone, whose one kernel compiles fast. */
static void request_keys(struct trial *t)
{
    request_argsort(t);
    t->request.operation = CLSORT_KEYS;
    t->request.algorithm = "bitonic";
    t->request.count = 33;
    t->request.values_out.buffer = NULL;
}

static void wait_for_an_event(struct trial *t)
{
    if (!t->waited_for) {
        CHECK_CL(clEnqueueMarkerWithWaitList(t->device.queue, 0, NULL, &t->waited_for));
        CHECK_CL(clFinish(t->device.queue));
    }
}

/* A sort before the one that fails, whose events and workspace that one finds. */
static void sort_before(struct trial *t)
{
    const cl_event *wait = t->waited_for ? &t->waited_for : NULL;
    CHECK_STATUS(t->device.sorter, CLSORT_SUCCESS,
                 clsort_enqueue(t->device.sorter, t->device.queue, &t->request, wait ? 1 : 0, wait, NULL));
    CHECK_CL(clFinish(t->device.queue));
}

/* Several commands, by an algorithm of several passes. */
static void request_argsort_that_waits(struct trial *t)
{
    request_argsort(t);
    t->request.algorithm = "radix";
    wait_for_an_event(t);
    sort_before(t);
}

static void request_pairs_that_wait(struct trial *t)
{
    request_pairs(t);
    wait_for_an_event(t);
}

/* In-order queues stand in where a device has no others. */
static void request_argsort_out_of_order(struct trial *t)
{
    request_argsort(t);
    t->request.algorithm = "radix";
    cl_command_queue queue = out_of_order_queue(&t->device, "failures of a sort out of order");
    if (queue && !t->queues[0]) {
        CHECK_CL(clReleaseCommandQueue(t->device.queue));
        t->device.queue = queue;
        t->queues[0] = make_queue(&t->device, 0);
    } else if (queue) {
        CHECK_CL(clReleaseCommandQueue(queue));
    }
    sort_before(t);
}

/* The pool has a block of each of many queues that nobody has any more. */
static void fill_pool(struct trial *t)
{
    request_argsort(t);
    t->request.algorithm = "radix";
    for (int i = 0; i < N_QUEUES && !t->queues[i]; i++) {
        t->queues[i] = make_queue(&t->device, 0);
        CHECK_STATUS(t->device.sorter, CLSORT_SUCCESS,
                     clsort_enqueue(t->device.sorter, t->queues[i], &t->request, 0, NULL, NULL));
        CHECK_CL(clFinish(t->queues[i]));
    }
    for (int i = 0; i < N_QUEUES && t->queues[i]; i++) {
        CHECK_CL(clReleaseCommandQueue(t->queues[i]));
        t->queues[i] = NULL;
    }
}

static clsort_status enqueue(struct trial *t)
{
    const cl_event *wait = t->waited_for ? &t->waited_for : NULL;
    return clsort_enqueue(t->device.sorter, t->device.queue, &t->request, wait ? 1 : 0, wait, &t->event);
}

static clsort_status enqueue_without_event(struct trial *t)
{
    return clsort_enqueue(t->device.sorter, t->device.queue, &t->request, 0, NULL, NULL);
}

static clsort_status prepare(struct trial *t)
{
    return clsort_prepare(t->device.sorter, &t->request);
}

static clsort_status prepare_and_enqueue(struct trial *t)
{
    const clsort_status status = prepare(t);
    return status ? status : enqueue(t);
}

static clsort_status ask(struct trial *t)
{
    static char text[8192];
    clsort_status status = CLSORT_SUCCESS;
    for (int info = CLSORT_INFO_DEVICE_NAME; info <= CLSORT_INFO_TUNING_FILE_FAULT && !status; info++) {
        status = clsort_get_info(t->device.sorter, NULL, (clsort_info)info, sizeof text, text, NULL);
    }
    for (int info = CLSORT_INFO_ALGORITHM; info <= CLSORT_INFO_TUNING_PASSED && !status; info++) {
        status = clsort_get_info(t->device.sorter, &t->request, (clsort_info)info, sizeof text, text, NULL);
    }
    return status ? status : clsort_workspace_bytes(t->device.sorter, &t->request, NULL, NULL);
}

static clsort_status trim(struct trial *t)
{
    return clsort_trim(t->device.sorter);
}

static clsort_status enqueue_and_trim(struct trial *t)
{
    const clsort_status status = enqueue_without_event(t);
    return status ? status : trim(t);
}

static clsort_status sort_on_host(struct trial *t)
{
    clsort_request r = t->request;
    r.keys_in.buffer = r.keys_out.buffer = r.values_in.buffer = r.values_out.buffer = NULL;
    return clsort_sort_host(t->device.sorter, &r, keys, t->keys_found, r.operation == CLSORT_PAIRS ? values : NULL,
                            t->values_found);
}

/* --------------------------------------------------------------------------------------------- without a sorter */

static void ignore_log(void *user_data, const char *text)
{
    (void)user_data;
    (void)text;
}

static void set_all_options(struct trial *t)
{
    t->options.tuning = "group_size=1";
    t->options.tuning_file = t->tuning_file;
    t->options.build_options = "-DANYTHING=1";
    t->options.log = ignore_log;
}

/* The files and folders that the environment names. */
static void set_no_options(struct trial *t)
{
    t->options.cache_directory = NULL;
}

static void set_impossible_build(struct trial *t)
{
    t->options.build_options = "-DKEY_BYTES=3";
}

static clsort_status create(struct trial *t)
{
    return clsort_create(t->device.context, t->device.id, &t->options, &t->device.sorter);
}

static clsort_status create_default(struct trial *t)
{
    return clsort_create_default(NULL, &t->options, &t->device.sorter);
}

static clsort_status list_devices(struct trial *t)
{
    clsort_device_info devices[16];
    size_t count = 0;
    (void)t;
    return clsort_list_devices(NULL, N_ELEMENTS(devices), devices, &count);
}

static clsort_status clear_cache(struct trial *t)
{
    return clsort_clear_cache(&t->options);
}

/* ------------------------------------------------------------------------------------------------------- results */

static void check_nothing(struct trial *t)
{
    (void)t;
}

static void check_cache_is_empty(struct trial *t)
{
    ck_assert_uint_eq(count_files(t->cache), 0);
}

static void check_pool_is_empty(struct trial *t)
{
    ck_assert_uint_eq(info_number(t->device.sorter, NULL, CLSORT_INFO_POOL_BYTES), 0);
}

/* Compares what was found with the oracle's. */
static void check_found(const struct trial *t)
{
    static uint64_t positions[COUNT];
    const clsort_request *r = &t->request;
    const struct oracle_order order = {.type = CLSORT_U32, .end_bit = 32};
    if (r->flags & CLSORT_SEGMENTS) {
        oracle_sort_segments(&order, keys, r->count, N_SEGMENTS, segment_offsets, segment_offsets + 1, positions);
    } else {
        oracle_sort(&order, keys, r->count, positions);
    }
    const size_t bytes = r->operation == CLSORT_PAIRS ? VALUE_BYTES : r->operation == CLSORT_ARGSORT ? 4 : 0;
    for (uint64_t i = 0; i < r->count; i++) {
        unsigned char value[VALUE_BYTES];
        ck_assert_uint_eq(get_key(t->keys_found, CLSORT_U32, i), get_key(keys, CLSORT_U32, positions[i]));
        make_value(positions[i], VALUE_BYTES, value);
        ck_assert_mem_eq(t->values_found + i * bytes, value, bytes);
    }
}

static void check_outputs(struct trial *t)
{
    CHECK_CL(clFinish(t->device.queue));
    read_buffer(&t->device, t->keys_out, sizeof t->keys_found, t->keys_found);
    read_buffer(&t->device, t->values_out, sizeof t->values_found, t->values_found);
    check_found(t);
}

static void check_host_outputs(struct trial *t)
{
    check_found(t);
}

static void check_new_sorter(struct trial *t)
{
    char name[256];
    info_text(t->device.sorter, NULL, CLSORT_INFO_DEVICE_NAME, name, sizeof name);
    clsort_destroy(t->device.sorter);
    t->device.sorter = NULL;
}

static const struct operation operations[] = {
    {"list devices", NULL, true, false, NULL, list_devices, check_nothing, 0},
    {"create", set_all_options, true, true, NULL, create, check_new_sorter, 0},
    {"create with a filled cache", set_no_options, true, false, NULL, create, check_new_sorter, 0},
    {"create for the default device", NULL, true, false, NULL, create_default, check_new_sorter, 0},
    {"clear the cache", NULL, true, true, NULL, clear_cache, check_cache_is_empty, 0},
    {"prepare keys and sort them, compiling", NULL, false, true, request_keys, prepare_and_enqueue, check_outputs, 0},
    {"prepare what does not compile", set_impossible_build, false, true, request_keys, prepare, check_nothing,
     CL_BUILD_PROGRAM_FAILURE},
    {"sort pairs", NULL, false, false, request_pairs, enqueue, check_outputs, 0},
    {"sort pairs after an event", NULL, false, false, request_pairs_that_wait, enqueue, check_outputs, 0},
    {"argsort after an event", NULL, false, false, request_argsort_that_waits, enqueue, check_outputs, 0},
    {"argsort out of order", NULL, false, false, request_argsort_out_of_order, enqueue, check_outputs, 0},
    {"argsort of segments", NULL, false, false, request_segments, enqueue_without_event, check_outputs, 0},
    {"sort keys that are copied", NULL, false, false, request_keys_that_are_copied, enqueue, check_outputs, 0},
    {"sort nothing", NULL, false, false, request_nothing, enqueue, check_nothing, 0},
    {"argsort with many blocks in the pool", NULL, false, false, fill_pool, enqueue_without_event, check_outputs, 0},
    {"argsort and trim", NULL, false, false, request_argsort, enqueue_and_trim, check_pool_is_empty, 0},
    {"ask", NULL, false, false, request_argsort, ask, check_nothing, 0},
    {"sort pairs on the host", NULL, false, false, request_pairs, sort_on_host, check_host_outputs, 0},
    {"sort keys on the host, compiling", NULL, false, true, request_argsort, sort_on_host, check_host_outputs, 0},
    {"sort on the host without a sorter", NULL, true, false, request_argsort, sort_on_host, check_host_outputs, 0},
};

/* --------------------------------------------------------------------------------------------------------- trials */

static char *shared_cache, *tuning_file;

static void begin_trial(struct trial *t, const struct operation *o)
{
    memset(t, 0, sizeof *t);
    t->cache = o->starts_with_empty_cache ? make_directory("clsort-failures") : shared_cache;
    t->tuning_file = tuning_file;
    clsort_options_init(&t->options);
    t->options.cache_directory = t->cache;
    if (o->set_options) {
        o->set_options(t);
    }
    t->device = *test_device();
    t->device.sorter = NULL;
    if (!o->starts_without_sorter) {
        CHECK_STATUS(NULL, CLSORT_SUCCESS, create(t));
    }
    t->device.queue = make_queue(&t->device, 0);
    t->keys_in = make_buffer(&t->device, CL_MEM_READ_WRITE, sizeof keys, keys);
    t->keys_out = make_buffer(&t->device, CL_MEM_READ_WRITE, sizeof keys, NULL);
    t->values_in = make_buffer(&t->device, CL_MEM_READ_WRITE, sizeof values, values);
    t->values_out = make_buffer(&t->device, CL_MEM_READ_WRITE, sizeof values, NULL);
    t->begins = make_buffer(&t->device, CL_MEM_READ_WRITE, sizeof segment_offsets, segment_offsets);
    if (o->set_up) {
        o->set_up(t);
    }
}

static void drop_event(struct trial *t)
{
    if (t->event) {
        CHECK_CL(clReleaseEvent(t->event));
        t->event = NULL;
    }
}

static void end_trial(struct trial *t)
{
    clsort_destroy(t->device.sorter);
    const cl_mem buffers[] = {t->keys_in, t->keys_out, t->values_in, t->values_out, t->begins};
    for (size_t i = 0; i < N_ELEMENTS(buffers); i++) {
        CHECK_CL(clReleaseMemObject(buffers[i]));
    }
    if (t->waited_for) {
        CHECK_CL(clReleaseEvent(t->waited_for));
    }
    for (int i = 0; i < N_QUEUES; i++) {
        if (t->queues[i]) {
            CHECK_CL(clReleaseCommandQueue(t->queues[i]));
        }
    }
    CHECK_CL(clReleaseCommandQueue(t->device.queue));
    if (t->cache != shared_cache) {
        remove_directory(t->cache);
    }
}

static void check_inputs(struct trial *t, const char *what)
{
    static unsigned char found[sizeof values];
    read_buffer(&t->device, t->keys_in, sizeof keys, found);
    ck_assert_msg(memcmp(found, keys, sizeof keys) == 0, "%s: keys_in was written", what);
    read_buffer(&t->device, t->values_in, sizeof values, found);
    ck_assert_msg(memcmp(found, values, sizeof values) == 0, "%s: values_in was written", what);
}

/* What the failure of a call may turn into: OpenCL's own status or that of no memory, or that of what could not be looked at. */
static bool is_expected(clsort_status status, const struct fault_site *site)
{
    if (strcmp(site->function, "clGetCommandQueueInfo") == 0 && status == CLSORT_INVALID_QUEUE) {
        return true;
    }
    if (strcmp(site->function, "clGetMemObjectInfo") == 0) {
        return status <= CLSORT_INVALID_KEYS_IN && status >= CLSORT_INVALID_SEGMENT_ENDS;
    }
    /* A device that cannot be asked is not the one that is looked for. */
    if (status == CLSORT_NO_DEVICE) {
        return strcmp(site->function, "clGetDeviceIDs") == 0 || strcmp(site->function, "clGetDeviceInfo") == 0 ||
               strcmp(site->function, "clGetPlatformInfo") == 0;
    }
    /* A folder that could not be cleared, and a file that could not be read. */
    if (strstr(site->file, "/platform.c") && (status == CLSORT_INVALID_ARGUMENT || status == CLSORT_INVALID_TUNING)) {
        return true;
    }
    return status == (strncmp(site->function, "cl", 2) == 0 ? FAULT_STATUS : CL_OUT_OF_HOST_MEMORY);
}

static void check_failed(struct trial *t, clsort_status status, const struct fault_site *site, const char *what)
{
    static char text[1 << 16];
    ck_assert_msg(site && is_expected(status, site), "%s: status %d (%s)", what, (int)status,
                  clsort_status_text(status));
    ck_assert_msg(!t->event, "%s: an event in spite of status %d", what, (int)status);
    clsort_last_error(t->device.sorter, text, sizeof text);
    const bool says_status = strstr(text, clsort_status_text(status)) != NULL;
    const bool says_call = status != FAULT_STATUS || strstr(text, site->function) != NULL;
    ck_assert_msg(says_status && says_call, "%s: the text is \"%s\"", what, text);
}

/* Runs the operation with the failure of one call, looks at what it left, and runs it again. */
static const struct fault_site *check_trial(const struct operation *o, size_t failing)
{
    static struct trial t;
    char what[256], held[2048];
    begin_trial(&t, o);
    fault_begin(failing);
    const clsort_status status = o->run(&t);
    const struct fault_site *site = fault_end().failed;
    snprintf(what, sizeof what, "%s, call %zu, %s at %s:%d", o->name, failing, site ? site->function : "none",
             site ? site->file : "", site ? site->line : 0);
    if (t.event) {
        fault_hand_over(t.event);
    }
    CHECK_CL(clFinish(t.device.queue));
    if (status == CLSORT_SUCCESS) {
        o->check(&t);
    } else if (status != o->expected) {
        check_failed(&t, status, site, what);
    }
    check_inputs(&t, what);
    drop_event(&t);
    if (o->set_up) {
        o->set_up(&t); /* where the failed run changed what it starts from */
    }
    const clsort_status again = o->run(&t);
    ck_assert_msg(again == o->expected, "%s: status %d (%s) when repeated", what, (int)again,
                  clsort_status_text(again));
    if (t.event) {
        fault_hand_over(t.event);
    }
    if (again == CLSORT_SUCCESS) {
        o->check(&t);
    }
    drop_event(&t);
    end_trial(&t);
    ck_assert_msg(fault_held(held, sizeof held) == 0, "%s: the library still holds\n%s", what, held);
    return site;
}

/* How often the site of a call was met before it, and whether it is met after it. */
static bool is_taken(const struct fault_record *record, size_t call)
{
    size_t n_before = 0;
    bool is_last = true;
    for (size_t i = 0; i < record->n_calls; i++) {
        n_before += i < call && record->calls[i] == record->calls[call];
        is_last = is_last && !(i > call && record->calls[i] == record->calls[call]);
    }
    return is_slow_run() || n_before < 2 || is_last;
}

static void check_operation(const struct operation *o)
{
    static const struct fault_site *calls[1 << 16];
    check_trial(o, FAULT_NONE); /* what has to be compiled is, outside the runtime's own cache too */
    static struct trial t;
    begin_trial(&t, o);
    fault_begin(FAULT_NONE);
    const clsort_status status = o->run(&t);
    struct fault_record record = fault_end();
    if (t.event) {
        fault_hand_over(t.event);
    }
    CHECK_STATUS(t.device.sorter, o->expected, status);
    if (status == CLSORT_SUCCESS) {
        o->check(&t);
    }
    drop_event(&t);
    end_trial(&t);
    memcpy(calls, record.calls, record.n_calls * sizeof calls[0]);
    record.calls = calls;
    size_t n_failed = 0, n_calls = record.n_calls;
    for (size_t call = 0; call < n_calls; call++) {
        if (is_taken(&record, call)) {
            n_failed += check_trial(o, call) != NULL;
        }
    }
    printf("%s: %zu calls, of which %zu failed\n", o->name, n_calls, n_failed);
    fflush(stdout);
    ck_assert_uint_gt(n_failed, 0);
}

static void make_inputs(void)
{
    make_keys(CLSORT_U32, (struct data){DATA_FEW, 5, 700}, COUNT, keys);
    for (uint64_t i = 0; i < COUNT; i++) {
        make_value(i, VALUE_BYTES, values + i * VALUE_BYTES);
    }
}

/* Two rows, of devices that there are not. */
static void make_tuning_file(void)
{
    char row[2048];
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    info_text(test_device()->sorter, &request, CLSORT_INFO_TUNING_ROW, row, sizeof row);
    FILE *file = fopen(tuning_file, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 2; i++) {
        fprintf(file, "vendor=none,device=none,driver=none,%s\n", row);
    }
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(failure_of_any_call_gives_a_status_and_does_no_harm)
{
    make_inputs();
    make_tuning_file();
    fault_forget_held(); /* of the sorter that the device is from, which stays */
    for (size_t i = 0; i < N_ELEMENTS(operations); i++) {
        check_operation(&operations[i]);
    }
}
END_TEST

/* Loops are probed on CPU devices, but for the one that is known to end them. */
static bool is_probed(void)
{
    cl_device_type type = 0;
    char name[256] = "";
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_NAME, sizeof name, name, NULL));
    if ((type & CL_DEVICE_TYPE_CPU) && !strstr(name, "llvmpipe")) {
        return true;
    }
    print_exemption("calls of src/loop_probe.c", "this device's loops are not probed");
    return false;
}

START_TEST(every_call_that_can_fail_has_failed)
{
    unsigned n_left = 0;
    const bool has_probe = is_probed();
    for (size_t i = 0; i < n_fault_sites(); i++) {
        const struct fault_site *site = fault_site(i);
        if (!site->has_failed && (has_probe || !strstr(site->file, "loop_probe.c"))) {
            printf("did not fail: %s at %s:%d\n", site->function, site->file, site->line);
            n_left++;
        }
    }
    printf("%zu calls of the library can fail, %u of them did not\n", n_fault_sites(), n_left);
    ck_assert_uint_gt(n_fault_sites(), 100);
    ck_assert_uint_eq(n_left, 0);
}
END_TEST

int main(void)
{
    char path[4200];
    shared_cache = make_directory("clsort-failures");
    snprintf(path, sizeof path, "%s/rows", shared_cache);
    tuning_file = path;
    const int result =
        RUN_TESTS("failures", failure_of_any_call_gives_a_status_and_does_no_harm, every_call_that_can_fail_has_failed);
    remove_directory(shared_cache);
    return result;
}
