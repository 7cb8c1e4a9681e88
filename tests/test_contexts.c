/* Contexts and devices: sorters come and go, two devices in one context, sub-devices, one compute unit. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct sort_case keys(uint64_t count)
{
    return (struct sort_case){.operation = CLSORT_PAIRS,
                              .key_type = CLSORT_U32,
                              .count = count,
                              .data = {DATA_RANDOM, 5, 0}};
}

/* A sorter and a queue on one device of a context, which is retained. */
static struct device device_in_context(cl_context context, cl_device_id id)
{
    struct device device = {0};
    CHECK_STATUS(NULL, CLSORT_SUCCESS, clsort_create(context, id, NULL, &device.sorter));
    ck_assert_ptr_eq((void *)clsort_sorter_context(device.sorter), (void *)context);
    ck_assert_ptr_eq((void *)clsort_sorter_device(device.sorter), (void *)id);
    device.context = context;
    device.id = id;
    device.queue = make_queue(&device, 0);
    ck_assert_ptr_nonnull((void *)device.queue);
    return device;
}

START_TEST(contexts_made_and_released_twenty_times_sort_each_time)
{
    cl_device_id id = test_device()->id;
    for (int round = 0; round < 20; round++) {
        cl_int status;
        cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
        CHECK_CL(status);
        struct device device = device_in_context(context, id);
        check_sort(&device, keys(1000 + (uint64_t)round));
        close_device(&device);
        CHECK_CL(clReleaseContext(context));
    }
}
END_TEST

START_TEST(sorters_of_one_context_are_given_up_in_any_order)
{
    struct device *shared = test_device();
    struct device a = device_in_context(shared->context, shared->id);
    struct device b = device_in_context(shared->context, shared->id);
    check_sort(&a, keys(300));
    check_sort(&b, keys(300));
    close_device(&a);
    check_sort(&b, keys(300));
    struct device c = device_in_context(shared->context, shared->id);
    close_device(&b);
    check_sort(&c, keys(300));
    close_device(&c);
}
END_TEST

static cl_uint devices_of_platform(cl_device_id *devices, cl_uint capacity)
{
    cl_platform_id platform;
    cl_uint n_devices = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CHECK_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, capacity, devices, &n_devices));
    return n_devices < capacity ? n_devices : capacity;
}

START_TEST(two_devices_in_one_context_sort_in_turn)
{
    cl_device_id ids[8];
    if (devices_of_platform(ids, 8) < 2) {
        print_exemption("two devices in one context", "the platform has one device");
        return;
    }
    cl_int status;
    cl_context context = clCreateContext(NULL, 2, ids, NULL, NULL, &status);
    CHECK_CL(status);
    struct device first = device_in_context(context, ids[0]), second = device_in_context(context, ids[1]);
    for (uint64_t count = 100; count <= 2500; count += 800) {
        check_sort(&first, keys(count));
        check_sort(&second, keys(count));
    }
    /* a queue of the other device is refused, though its context is right */
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    cl_mem buffer = make_buffer(&first, CL_MEM_READ_WRITE, 4, NULL);
    request.keys_in = request.keys_out = clsort_make_range(buffer, 0);
    ck_assert_int_eq(clsort_enqueue(first.sorter, second.queue, &request, 0, NULL, NULL), CLSORT_INVALID_QUEUE);
    clReleaseMemObject(buffer);
    close_device(&first);
    close_device(&second);
    CHECK_CL(clReleaseContext(context));
}
END_TEST

START_TEST(second_device_of_a_platform_sorts)
{
    cl_device_id ids[8];
    cl_uint n_devices = devices_of_platform(ids, 8);
    if (n_devices < 2) {
        print_exemption("second device of a platform", "the platform has one device");
        return;
    }
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &ids[1], NULL, NULL, &status);
    CHECK_CL(status);
    struct device device = device_in_context(context, ids[1]);
    check_sort(&device, keys(allowed_count(20000)));
    close_device(&device);
    CHECK_CL(clReleaseContext(context));
}
END_TEST

START_TEST(device_that_is_not_of_the_context_is_refused)
{
    cl_device_id ids[8];
    if (devices_of_platform(ids, 8) < 2) {
        print_exemption("device of another context", "the platform has one device");
        return;
    }
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &ids[1], NULL, NULL, &status);
    CHECK_CL(status);
    clsort_sorter *sorter = NULL;
    ck_assert_int_eq(clsort_create(context, ids[0], NULL, &sorter), CLSORT_INVALID_ARGUMENT);
    ck_assert_ptr_null(sorter);
    CHECK_CL(clReleaseContext(context));
}
END_TEST

/* Whether the device can be cut into equal parts. Asked first: Mesa's rusticl has no function behind clCreateSubDevices. */
static bool can_be_partitioned(cl_device_id id)
{
    cl_device_partition_property kinds[8] = {0};
    size_t bytes = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, &bytes) != CL_SUCCESS) {
        return false;
    }
    for (size_t i = 0; i < bytes / sizeof kinds[0]; i++) {
        if (kinds[i] == CL_DEVICE_PARTITION_EQUALLY) {
            return true;
        }
    }
    return false;
}

/* No work-group may wait for another that one compute unit has not started yet. */
START_TEST(sub_device_of_one_compute_unit_sorts)
{
    cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id ids[64];
    cl_uint n_ids = 0;
    cl_device_id parent = test_device()->id;
    if (!can_be_partitioned(parent)) {
        print_exemption("sub-devices", "the device cannot be partitioned into equal parts");
        return;
    }
    cl_int status = clCreateSubDevices(parent, by_one, 64, ids, &n_ids);
    CHECK_CL(status);
    cl_context context = clCreateContext(NULL, 1, &ids[0], NULL, NULL, &status);
    CHECK_CL(status);
    struct device device = device_in_context(context, ids[0]);
    check_sort(&device, keys(1000));
    check_sort(&device, keys(allowed_count(UINT64_C(1) << 22)));
    close_device(&device);
    CHECK_CL(clReleaseContext(context));
    for (cl_uint i = 0; i < n_ids; i++) {
        clReleaseDevice(ids[i]);
    }
}
END_TEST

START_TEST(sorter_retains_and_releases_its_context)
{
    cl_device_id id = test_device()->id;
    cl_int status;
    cl_uint before = 0, with_sorter = 0, after = 0;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    CHECK_CL(status);
    CHECK_CL(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof before, &before, NULL));
    struct device device = device_in_context(context, id);
    check_sort(&device, keys(5000));
    CHECK_CL(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof with_sorter, &with_sorter, NULL));
    ck_assert_uint_gt(with_sorter, before);
    close_device(&device);
    /* A thread of the runtime may hold the context for a moment longer (rusticl's does). */
    for (int i = 0; i < 500; i++) {
        CHECK_CL(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof after, &after, NULL));
        if (after == before) {
            break;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    ck_assert_uint_eq(after, before);
    CHECK_CL(clReleaseContext(context));
}
END_TEST

int main(void)
{
    /* PoCL then has two devices, the second one without threads; other platforms do not read it. */
    setenv("POCL_DEVICES", "pthread basic", 1);
    return RUN_TESTS("contexts", contexts_made_and_released_twenty_times_sort_each_time,
                     sorters_of_one_context_are_given_up_in_any_order, two_devices_in_one_context_sort_in_turn,
                     second_device_of_a_platform_sorts, device_that_is_not_of_the_context_is_refused,
                     sub_device_of_one_compute_unit_sorts, sorter_retains_and_releases_its_context);
}
