/* Queues and events: wait lists, the event of a sort, failed events, two queues on one sorter, no blocking. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

/* A sort of random u32 keys whose buffers and oracle are made apart from its enqueueing. */
struct work {
    uint64_t count;
    uint32_t *keys, *expected, *found;
    cl_mem in, out;
    clsort_request request;
};

static struct work make_work(const struct device *device, uint64_t count, uint32_t seed)
{
    struct work w = {.count = count};
    size_t bytes = (size_t)count * 4;
    uint64_t *positions = allocate((size_t)count * 8);
    w.keys = allocate(bytes);
    w.expected = allocate(bytes);
    w.found = allocate(bytes);
    make_keys(CLSORT_U32, (struct data){DATA_RANDOM, seed, 0}, count, w.keys);
    struct oracle_order order = {CLSORT_U32, false, false, false, 0, 32};
    oracle_sort(&order, w.keys, count, positions);
    for (uint64_t i = 0; i < count; i++) {
        w.expected[i] = w.keys[positions[i]];
    }
    free(positions);
    w.in = make_buffer(device, CL_MEM_READ_WRITE, bytes + 4, NULL);
    w.out = make_buffer(device, CL_MEM_READ_WRITE, bytes + 4, NULL);
    CHECK_CL(clEnqueueWriteBuffer(device->queue, w.in, CL_TRUE, 0, bytes, w.keys, 0, NULL, NULL));
    clsort_request_init(&w.request);
    w.request.operation = CLSORT_KEYS;
    w.request.key_type = CLSORT_U32;
    w.request.count = count;
    w.request.keys_in = clsort_make_range(w.in, 0);
    w.request.keys_out = clsort_make_range(w.out, 0);
    return w;
}

static void check_work(const struct device *device, const struct work *w, const char *what)
{
    read_buffer(device, w->out, (size_t)w->count * 4, w->found);
    ck_assert_msg(memcmp(w->found, w->expected, (size_t)w->count * 4) == 0, "%s: not sorted", what);
}

static void free_work(struct work *w)
{
    clReleaseMemObject(w->in);
    clReleaseMemObject(w->out);
    free(w->keys);
    free(w->expected);
    free(w->found);
}

static cl_int event_status(cl_event event)
{
    cl_int status = 1;
    CHECK_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_event user_event(const struct device *device)
{
    cl_int status;
    cl_event event = clCreateUserEvent(device->context, &status);
    CHECK_CL(status);
    return event;
}

static void enqueue(const struct device *device, cl_command_queue queue, const struct work *w, const cl_event *wait,
                    cl_event *event)
{
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, queue, &w->request, wait ? 1 : 0, wait, event));
}

/* Write, sort and read chained by events alone. */
static void check_event_chain(cl_command_queue queue, unsigned n_rounds)
{
    struct device *device = test_device();
    struct work w = make_work(device, allowed_count(100000), 1);
    size_t bytes = (size_t)w.count * 4;
    for (unsigned round = 0; round < n_rounds; round++) {
        cl_event written, sorted, read;
        for (uint64_t i = 0; i < w.count; i++) {
            w.keys[i] = w.keys[i] * 3 + round; /* new data whose oracle is checked by order and sum */
        }
        CHECK_CL(clEnqueueWriteBuffer(queue, w.in, CL_FALSE, 0, bytes, w.keys, 0, NULL, &written));
        enqueue(device, queue, &w, &written, &sorted);
        CHECK_CL(clEnqueueReadBuffer(queue, w.out, CL_FALSE, 0, bytes, w.found, 1, &sorted, &read));
        CHECK_CL(clWaitForEvents(1, &read));
        uint64_t sum_of_keys = 0, sum_found = 0, xor_of_keys = 0, xor_found = 0;
        for (uint64_t i = 0; i < w.count; i++) {
            if (i > 0 && w.found[i - 1] > w.found[i]) {
                ck_abort_msg("round %u: not in order at %u", round, (unsigned)i);
            }
            sum_of_keys += w.keys[i];
            sum_found += w.found[i];
            xor_of_keys ^= (uint64_t)w.keys[i] * w.keys[i];
            xor_found ^= (uint64_t)w.found[i] * w.found[i];
        }
        ck_assert_uint_eq(sum_found, sum_of_keys);
        ck_assert_uint_eq(xor_found, xor_of_keys);
        clReleaseEvent(written);
        clReleaseEvent(sorted);
        clReleaseEvent(read);
    }
    free_work(&w);
}

START_TEST(event_chain_on_an_out_of_order_queue_is_right_each_time)
{
    cl_command_queue queue = out_of_order_queue(test_device(), "event chain out of order");
    if (!queue) {
        return;
    }
    check_event_chain(queue, 100);
    clReleaseCommandQueue(queue);
}
END_TEST

START_TEST(event_chain_on_an_in_order_queue_is_right_each_time)
{
    check_event_chain(test_device()->queue, 20);
}
END_TEST

/* Makes the work sort by an algorithm that takes workspace on every device, and returns how much. */
static uint64_t take_workspace(const struct device *device, struct work *w)
{
    uint64_t least = 0;
    w->request.algorithm = "radix";
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &w->request, &least, NULL));
    ck_assert_uint_ge(least, w->count * 4);
    return least;
}

START_TEST(sorts_side_by_side_on_an_out_of_order_queue_do_not_share_workspace)
{
    enum { N = 8 };
    struct device device = open_device(NULL, 0);
    cl_command_queue queue = out_of_order_queue(&device, "sorts side by side out of order");
    if (!queue) {
        close_device(&device);
        return;
    }
    struct work work[N];
    cl_event gate = user_event(&device), events[N];
    uint64_t bytes = 0;
    for (unsigned i = 0; i < N; i++) {
        work[i] = make_work(&device, allowed_count(20000 + i), i + 1);
        bytes += take_workspace(&device, &work[i]);
        enqueue(&device, queue, &work[i], &gate, &events[i]);
    }
    ck_assert_uint_ge(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), bytes);
    CHECK_CL(clFlush(queue));
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clWaitForEvents(N, events));
    for (unsigned i = 0; i < N; i++) {
        check_work(&device, &work[i], "side by side");
        clReleaseEvent(events[i]);
        free_work(&work[i]);
    }
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    close_device(&device);
}
END_TEST

/* No queue waits for another: the sort on B ends while the one on A still waits for a user event. */
START_TEST(sort_that_waits_does_not_hold_up_another_queue)
{
    struct device device = open_device(NULL, 0);
    cl_command_queue a = make_queue(&device, 0), b = make_queue(&device, 0);
    struct work first = make_work(&device, allowed_count(20000), 1),
                second = make_work(&device, allowed_count(20000), 2);
    cl_event gate = user_event(&device), on_a, on_b;
    const uint64_t bytes = take_workspace(&device, &first) + take_workspace(&device, &second);
    enqueue(&device, a, &first, &gate, &on_a);
    CHECK_CL(clFlush(a));
    enqueue(&device, b, &second, NULL, &on_b);
    CHECK_CL(clFlush(b));
    CHECK_CL(clWaitForEvents(1, &on_b));
    check_work(&device, &second, "queue B");
    ck_assert_int_gt(event_status(on_a), CL_COMPLETE);
    ck_assert_uint_ge(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), bytes);
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clWaitForEvents(1, &on_a));
    check_work(&device, &first, "queue A");
    clReleaseEvent(gate);
    clReleaseEvent(on_a);
    clReleaseEvent(on_b);
    clReleaseCommandQueue(a);
    clReleaseCommandQueue(b);
    free_work(&first);
    free_work(&second);
    close_device(&device);
}
END_TEST

START_TEST(many_sorts_on_one_queue_without_waiting_are_right)
{
    enum { N = 20 };
    struct device *device = test_device();
    struct work work[N];
    for (unsigned i = 0; i < N; i++) {
        work[i] = make_work(device, 1 + i * UINT64_C(997) % allowed_count(20000), i + 1);
    }
    for (unsigned i = 0; i < N; i++) {
        enqueue(device, device->queue, &work[i], NULL, NULL);
    }
    for (unsigned i = 0; i < N; i++) {
        check_work(device, &work[i], "one after the other");
        free_work(&work[i]);
    }
}
END_TEST

/* Sorts on in-order queues have no events by which the pool could see that they are complete, and yet it does not grow for ever. */
START_TEST(pool_is_bounded_whatever_the_number_of_queues)
{
    struct device device = open_device(NULL, 0);
    struct work w = make_work(&device, allowed_count(20000), 1);
    uint64_t bytes_of_one = 0;
    w.request.algorithm = "radix";
    for (unsigned i = 0; i < 70; i++) {
        cl_int error;
        cl_command_queue queue = clCreateCommandQueue(device.context, device.id, 0, &error);
        CHECK_CL(error);
        for (unsigned sort = 0; sort < 3; sort++) {
            enqueue(&device, queue, &w, NULL, NULL);
        }
        CHECK_CL(clFinish(queue));
        check_work(&device, &w, "on a queue of its own");
        const uint64_t bytes = info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES);
        bytes_of_one = i == 0 ? bytes : bytes_of_one;
        ck_assert_uint_gt(bytes_of_one, 0);
        ck_assert_uint_le(bytes, 64 * bytes_of_one);
        clReleaseCommandQueue(queue);
    }
    CHECK_STATUS(device.sorter, CLSORT_SUCCESS, clsort_trim(device.sorter));
    ck_assert_uint_eq(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), 0);
    free_work(&w);
    close_device(&device);
}
END_TEST

/* Sorts nothing, but waits and gives an event all the same. */
static void check_empty_sort_waits(cl_command_queue queue, bool with_wait_list)
{
    struct device *device = test_device();
    struct work w = make_work(device, 0, 1);
    cl_event gate = user_event(device), sorted = NULL;
    cl_mem marker_buffer = make_buffer(device, CL_MEM_READ_WRITE, 4, NULL);
    cl_uint word = 0;
    if (!with_wait_list) { /* a command before, which the sort has to wait for */
        CHECK_CL(clEnqueueWriteBuffer(queue, marker_buffer, CL_FALSE, 0, 4, &word, 1, &gate, NULL));
    }
    enqueue(device, queue, &w, with_wait_list ? &gate : NULL, &sorted);
    ck_assert_ptr_nonnull((void *)sorted);
    CHECK_CL(clFlush(queue));
    ck_assert_int_gt(event_status(sorted), CL_COMPLETE);
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clWaitForEvents(1, &sorted));
    ck_assert_int_eq(event_status(sorted), CL_COMPLETE);
    CHECK_CL(clFinish(queue));
    clReleaseEvent(gate);
    clReleaseEvent(sorted);
    clReleaseMemObject(marker_buffer);
    free_work(&w);
}

START_TEST(empty_sort_waits_and_gives_an_event)
{
    struct device *device = test_device();
    cl_command_queue in_order = make_queue(device, 0);
    check_empty_sort_waits(in_order, true);
    check_empty_sort_waits(in_order, false);
    clReleaseCommandQueue(in_order);
    cl_command_queue queue = out_of_order_queue(device, "empty sort out of order");
    if (queue) {
        check_empty_sort_waits(queue, true);
        check_empty_sort_waits(queue, false);
        clReleaseCommandQueue(queue);
    }
}
END_TEST

/* A wait list with an event that ends in an error: the sort's event does too, and nothing is written. */
static void check_failed_wait(cl_command_queue queue, uint64_t count)
{
    struct device *device = test_device();
    struct work w = make_work(device, count, 1);
    cl_event gate = user_event(device), sorted = NULL;
    memset(w.found, 0xA5, (size_t)count * 4);
    CHECK_CL(clEnqueueWriteBuffer(device->queue, w.out, CL_TRUE, 0, (size_t)count * 4, w.found, 0, NULL, NULL));
    enqueue(device, queue, &w, &gate, &sorted);
    CHECK_CL(clFlush(queue));
    CHECK_CL(clSetUserEventStatus(gate, -42));
    /* Waiting gives an error, or may not: the event tells. With Intel's CPU runtime it is the other way round. */
    const cl_int waited = clWaitForEvents(1, &sorted);
    ck_assert_int_lt(strcmp(current_setting()->name, "intel") == 0 ? waited : event_status(sorted), 0);
    uint32_t *found = allocate((size_t)count * 4);
    read_buffer(device, w.out, (size_t)count * 4, found);
    ck_assert_msg(memcmp(found, w.found, (size_t)count * 4) == 0, "the output was written");
    free(found);
    clReleaseEvent(gate);
    clReleaseEvent(sorted);
    free_work(&w);
}

START_TEST(failed_event_of_the_wait_list_fails_the_sort_and_nothing_runs)
{
    struct device *device = test_device();
    static const uint64_t counts[] = {100, 20000};
    for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
        /* a queue of its own each time: what an in-order queue does after a failed command is the runtime's affair */
        cl_command_queue queue = make_queue(device, 0);
        check_failed_wait(queue, allowed_count(counts[n]));
        clReleaseCommandQueue(queue);
        if (strcmp(current_setting()->name, "intel") == 0) {
            print_exemption("failed event out of order",
                            "Intel's runtime reads through NULL when such a queue is released after the failure");
            continue;
        }
        queue = out_of_order_queue(device, "failed event out of order");
        if (queue) {
            check_failed_wait(queue, allowed_count(counts[n]));
            clReleaseCommandQueue(queue);
        }
    }
    struct work w = make_work(device, allowed_count(20000), 3);
    enqueue(device, device->queue, &w, NULL, NULL);
    check_work(device, &w, "after failures");
    free_work(&w);
}
END_TEST

START_TEST(request_may_be_changed_after_the_call)
{
    struct device *device = test_device();
    struct work w = make_work(device, allowed_count(5000), 5);
    cl_event gate = user_event(device), sorted;
    cl_command_queue queue = make_queue(device, 0);
    char algorithm[] = "radix";
    w.request.algorithm = algorithm;
    enqueue(device, queue, &w, &gate, &sorted);
    memset(&w.request, 0xff, sizeof w.request);
    memset(algorithm, 'x', sizeof algorithm - 1);
    CHECK_CL(clFlush(queue));
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clWaitForEvents(1, &sorted));
    check_work(device, &w, "request changed");
    clReleaseEvent(gate);
    clReleaseEvent(sorted);
    clReleaseCommandQueue(queue);
    free_work(&w);
}
END_TEST

/* Buffers that the caller gives up right after the call stay until the sort is done. */
START_TEST(sorter_and_queue_may_be_given_up_while_the_sort_runs)
{
    struct device device = open_device(NULL, 0);
    struct device *reader = test_device();
    struct work w = make_work(&device, allowed_count(20000), 6);
    cl_event sorted;
    enqueue(&device, device.queue, &w, NULL, &sorted);
    CHECK_CL(clFlush(device.queue));
    cl_context context = device.context;
    CHECK_CL(clRetainContext(context));
    cl_command_queue queue = device.queue;
    clsort_destroy(device.sorter);
    CHECK_CL(clWaitForEvents(1, &sorted));
    CHECK_CL(clEnqueueReadBuffer(queue, w.out, CL_TRUE, 0, (size_t)w.count * 4, w.found, 0, NULL, NULL));
    ck_assert(memcmp(w.found, w.expected, (size_t)w.count * 4) == 0);
    (void)reader;
    clReleaseEvent(sorted);
    free_work(&w);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}
END_TEST

struct phases {
    unsigned n;
    char names[32][64];
};

static void note_phase(void *user_data, const char *phase, cl_event event)
{
    struct phases *phases = user_data;
    ck_assert_ptr_nonnull((void *)event);
    if (phases->n < 32) {
        strncpy(phases->names[phases->n], phase, 63);
    }
    phases->n++;
}

START_TEST(command_callback_is_called_for_each_command_with_its_phase)
{
    struct phases phases = {0};
    clsort_options options;
    clsort_options_init(&options);
    options.command = note_phase;
    options.user_data = &phases;
    struct device device = open_device_with(&options);
    struct work w = make_work(&device, allowed_count(5000), 5);
    w.request.algorithm = "radix";
    enqueue(&device, device.queue, &w, NULL, NULL);
    check_work(&device, &w, "with callback");
    ck_assert_uint_ge(phases.n, 3);
    for (unsigned i = 0; i < phases.n && i < 32; i++) {
        ck_assert_msg(strncmp(phases.names[i], "radix/", 6) == 0, "phase \"%s\"", phases.names[i]);
    }
    ck_assert_uint_ge(kernel_runs(device.sorter, "radix/"), 3);
    free_work(&w);
    close_device(&device);
}
END_TEST

int main(void)
{
    return RUN_TESTS("queues", event_chain_on_an_out_of_order_queue_is_right_each_time,
                     event_chain_on_an_in_order_queue_is_right_each_time,
                     sorts_side_by_side_on_an_out_of_order_queue_do_not_share_workspace,
                     sort_that_waits_does_not_hold_up_another_queue, many_sorts_on_one_queue_without_waiting_are_right,
                     pool_is_bounded_whatever_the_number_of_queues, empty_sort_waits_and_gives_an_event,
                     failed_event_of_the_wait_list_fails_the_sort_and_nothing_runs,
                     request_may_be_changed_after_the_call, sorter_and_queue_may_be_given_up_while_the_sort_runs,
                     command_callback_is_called_for_each_command_with_its_phase);
}
