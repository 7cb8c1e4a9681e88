/* Large counts and workspace: sizes that never wrap nor fall, counts no device can hold, workspace exactly as large as asked. */
#include "sort_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static clsort_request request_of(clsort_operation operation, clsort_key_type type, uint64_t count, uint64_t value_bytes)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = operation;
    request.key_type = type;
    request.count = count;
    request.value_bytes = operation == CLSORT_PAIRS ? value_bytes : 0;
    request.index_bytes = operation == CLSORT_ARGSORT ? (uint32_t)value_bytes : 0;
    return request;
}

static const struct kind {
    clsort_operation operation;
    clsort_key_type type;
    uint64_t value_bytes;
    uint32_t flags;
} kinds[] = {{CLSORT_KEYS, CLSORT_U32, 0, 0},      {CLSORT_KEYS, CLSORT_U8, 0, 0},
             {CLSORT_PAIRS, CLSORT_U64, 8, 0},     {CLSORT_PAIRS, CLSORT_U32, 3, 0},
             {CLSORT_PAIRS, CLSORT_U16, 65536, 0}, {CLSORT_PAIRS, CLSORT_U32, 4, CLSORT_UNSTABLE | CLSORT_LOW_MEMORY},
             {CLSORT_ARGSORT, CLSORT_F32, 8, 0},   {CLSORT_ARGSORT, CLSORT_F32, 4, 0},
             {CLSORT_KEYS, CLSORT_BF16, 0, 0}};

/* Asks for the workspace of ever larger counts. A count may be too large; then every larger one is. */
static void check_workspace_grows(const struct kind *kind, const char *algorithm, const uint64_t *counts,
                                  size_t n_counts)
{
    struct device *device = test_device();
    uint64_t least_before = 0, best_before = 0;
    bool was_too_large = false;
    for (size_t n = 0; n < n_counts; n++) {
        clsort_request request = request_of(kind->operation, kind->type, counts[n], kind->value_bytes);
        request.flags = kind->flags;
        request.algorithm = algorithm;
        uint64_t least = 0, best = 0;
        clsort_status status = clsort_workspace_bytes(device->sorter, &request, &least, &best);
        if (algorithm && status == CLSORT_INVALID_ALGORITHM) {
            return;
        }
        if (status == CLSORT_INVALID_INDEX_BYTES && kind->value_bytes == 4 && counts[n] > UINT64_C(1) << 32) {
            return;
        }
        bool is_too_large = status == CLSORT_COUNT_TOO_LARGE;
        ck_assert_msg(is_too_large || status == CLSORT_SUCCESS, "count %" PRIu64 ": %s", counts[n],
                      clsort_status_text(status));
        ck_assert_msg(is_too_large || !was_too_large, "count %" PRIu64 " is possible, a smaller one was not",
                      counts[n]);
        was_too_large = is_too_large;
        if (is_too_large) {
            continue;
        }
        ck_assert_msg(least >= least_before && best >= best_before && least <= best,
                      "%s of %s, value bytes %" PRIu64 ", count %" PRIu64 ": least %" PRIu64 " best %" PRIu64
                      " after least %" PRIu64 " best %" PRIu64,
                      algorithm ? algorithm : "default", clsort_key_type_name(kind->type), kind->value_bytes, counts[n],
                      least, best, least_before, best_before);
        least_before = least;
        best_before = best;
    }
}

START_TEST(workspace_never_falls_nor_wraps_when_the_count_grows)
{
    static const uint64_t counts[] = {0,
                                      1,
                                      2,
                                      3,
                                      1000,
                                      4096,
                                      4097,
                                      65536,
                                      65537,
                                      1000000,
                                      (UINT64_C(1) << 31) - 1,
                                      UINT64_C(1) << 31,
                                      (UINT64_C(1) << 32) - 1,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 32) + 1,
                                      UINT64_C(1) << 33,
                                      UINT64_C(1) << 48,
                                      UINT64_C(1) << 61,
                                      UINT64_C(1) << 62,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX};
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        for (size_t i = 0; i < n_choices(); i++) {
            check_workspace_grows(&kinds[k], choice(i), counts, N_ELEMENTS(counts));
        }
    }
}
END_TEST

START_TEST(workspace_never_falls_from_one_small_count_to_the_next)
{
    enum { N = 6000 };
    static uint64_t counts[N];
    for (size_t n = 0; n < N; n++) {
        counts[n] = n;
    }
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        check_workspace_grows(&kinds[k], NULL, counts, N);
    }
}
END_TEST

START_TEST(counts_beyond_the_device_have_a_status_of_their_own)
{
    struct device *device = test_device();
    static const uint64_t counts[] = {UINT64_C(1) << 60, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
    cl_mem buffer = make_buffer(device, CL_MEM_READ_WRITE, 4096, NULL);
    for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
        clsort_request request = request_of(CLSORT_KEYS, CLSORT_U32, counts[n], 0);
        ck_assert_int_eq(clsort_workspace_bytes(device->sorter, &request, NULL, NULL), CLSORT_COUNT_TOO_LARGE);
        ck_assert_int_eq(clsort_prepare(device->sorter, &request), CLSORT_COUNT_TOO_LARGE);
        request.keys_in = request.keys_out = clsort_make_range(buffer, 0);
        clsort_status status = clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL);
        ck_assert_msg(status == CLSORT_COUNT_TOO_LARGE || status == CLSORT_INVALID_KEYS_IN, "status %d", (int)status);
    }
    clReleaseMemObject(buffer);
    check_sort(device, (struct sort_case){.operation = CLSORT_KEYS,
                                          .key_type = CLSORT_U32,
                                          .count = 500,
                                          .data = {DATA_RANDOM, 2, 0}});
}
END_TEST

START_TEST(argsort_with_narrow_indices_is_refused_above_their_range)
{
    struct device *device = test_device();
    clsort_request request = request_of(CLSORT_ARGSORT, CLSORT_U8, (UINT64_C(1) << 32) + 1, 4);
    ck_assert_int_eq(clsort_workspace_bytes(device->sorter, &request, NULL, NULL), CLSORT_INVALID_INDEX_BYTES);
    request.index_bytes = 0;
    ck_assert_int_eq(clsort_workspace_bytes(device->sorter, &request, NULL, NULL), CLSORT_INVALID_INDEX_BYTES);
    request.index_bytes = 8;
    clsort_status status = clsort_workspace_bytes(device->sorter, &request, NULL, NULL);
    ck_assert(status == CLSORT_SUCCESS || status == CLSORT_COUNT_TOO_LARGE);
}
END_TEST

/* Two buffers that the device can hold, but no workspace beside them. */
START_TEST(workspace_that_cannot_be_had_is_an_error_and_the_sorter_goes_on)
{
    struct device *device = test_device();
    cl_ulong largest = 0;
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    if (largest > UINT64_C(8) << 30) {
        print_exemption("workspace that cannot be had", "the device's largest buffer is above 8 GiB");
        return;
    }
    /* values of 64 KiB need a workspace as large as they are when in place; keys and index come on top */
    uint64_t count = largest / 65536;
    cl_int status;
    cl_mem values = clCreateBuffer(device->context, CL_MEM_READ_WRITE, count * 65536, NULL, &status);
    if (status != CL_SUCCESS) {
        print_exemption("workspace that cannot be had", "the runtime does not give its largest buffer");
        return;
    }
    cl_mem keys = make_buffer(device, CL_MEM_READ_WRITE, count * 4, NULL);
    clsort_request request = request_of(CLSORT_PAIRS, CLSORT_U32, count, 65536);
    request.keys_in = request.keys_out = clsort_make_range(keys, 0);
    request.values_in = request.values_out = clsort_make_range(values, 0);
    cl_event event = NULL;
    clsort_status result = clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, &event);
    ck_assert_msg(result == CLSORT_COUNT_TOO_LARGE || result == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                      result == CL_INVALID_BUFFER_SIZE || result == CL_OUT_OF_RESOURCES,
                  "status %d (%s)", (int)result, clsort_status_text(result));
    ck_assert_ptr_null((void *)event);
    CHECK_CL(clFinish(device->queue));
    clReleaseMemObject(keys);
    clReleaseMemObject(values);
    check_sort(device, (struct sort_case){.operation = CLSORT_KEYS,
                                          .key_type = CLSORT_U32,
                                          .count = 500,
                                          .data = {DATA_RANDOM, 2, 0}});
}
END_TEST

/* check_sort() puts guards around the caller's workspace. */
START_TEST(workspace_of_exactly_least_or_best_bytes_is_enough)
{
    static const uint64_t counts[] = {0, 1, 33, 1000, 4097, 20000};
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        if (kinds[k].value_bytes > 1000) {
            continue;
        }
        for (size_t n = 0; n < N_ELEMENTS(counts) && setting_allows(counts[n]); n++) {
            for (size_t i = 0; i < n_choices(); i++) {
                for (int workspace = WORKSPACE_LEAST; workspace <= WORKSPACE_BEST; workspace++) {
                    for (int in_place = 0; in_place < 2; in_place++) {
                        struct sort_case c = {.operation = kinds[k].operation,
                                              .key_type = kinds[k].type,
                                              .count = counts[n],
                                              .data = {DATA_RANDOM, 4, 0},
                                              .flags = kinds[k].flags,
                                              .value_bytes = kinds[k].value_bytes,
                                              .index_bytes = kinds[k].operation == CLSORT_ARGSORT
                                                                 ? (uint32_t)kinds[k].value_bytes
                                                                 : 0,
                                              .algorithm = choice(i),
                                              .in_place = in_place,
                                              .workspace = (enum workspace_kind)workspace};
                        check_sort_if_fits(test_device(), c);
                    }
                }
            }
        }
    }
}
END_TEST

START_TEST(stable_pairs_in_low_memory_sort_with_one_index_of_workspace)
{
    for (uint64_t count = 2; count <= allowed_count(20000); count = count * 7 + 1) {
        struct sort_case c = {.operation = CLSORT_PAIRS,
                              .key_type = CLSORT_F32,
                              .count = count,
                              .data = {DATA_FEW, 4, 9},
                              .flags = CLSORT_LOW_MEMORY,
                              .workspace = WORKSPACE_LEAST};
        check_sort(test_device(), c);
        clsort_request request = request_of(CLSORT_PAIRS, CLSORT_F32, count, 4);
        request.flags = CLSORT_LOW_MEMORY;
        uint64_t least = 0;
        CHECK_STATUS(test_device()->sorter, CLSORT_SUCCESS,
                     clsort_workspace_bytes(test_device()->sorter, &request, &least, NULL));
        ck_assert_uint_le(least, 4 * count + CLSORT_WORKSPACE_ALIGNMENT);
    }
}
END_TEST

START_TEST(caller_workspace_is_used_instead_of_the_pool)
{
    struct device device = open_device(NULL, 0);
    struct sort_case c = {.operation = CLSORT_PAIRS,
                          .key_type = CLSORT_U32,
                          .count = 5000,
                          .data = {DATA_RANDOM, 4, 0},
                          .algorithm = "radix",
                          .workspace = WORKSPACE_BEST};
    check_sort(&device, c);
    ck_assert_uint_eq(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), 0);
    c.workspace = WORKSPACE_POOL;
    check_sort(&device, c);
    ck_assert_uint_gt(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), 0);
    CHECK_STATUS(device.sorter, CLSORT_SUCCESS, clsort_trim(device.sorter));
    ck_assert_uint_eq(info_number(device.sorter, NULL, CLSORT_INFO_POOL_BYTES), 0);
    check_sort(&device, c);
    close_device(&device);
}
END_TEST

START_TEST(info_of_workspace_is_what_workspace_bytes_says)
{
    struct device *device = test_device();
    clsort_request request = request_of(CLSORT_PAIRS, CLSORT_U32, 5000, 12);
    uint64_t least, best;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &request, &least, &best));
    ck_assert_uint_eq(info_number(device->sorter, &request, CLSORT_INFO_WORKSPACE_LEAST), least);
    ck_assert_uint_eq(info_number(device->sorter, &request, CLSORT_INFO_WORKSPACE_BEST), best);
}
END_TEST

int main(void)
{
    return RUN_TESTS("limits", workspace_never_falls_nor_wraps_when_the_count_grows,
                     workspace_never_falls_from_one_small_count_to_the_next,
                     counts_beyond_the_device_have_a_status_of_their_own,
                     argsort_with_narrow_indices_is_refused_above_their_range,
                     workspace_that_cannot_be_had_is_an_error_and_the_sorter_goes_on,
                     workspace_of_exactly_least_or_best_bytes_is_enough,
                     stable_pairs_in_low_memory_sort_with_one_index_of_workspace,
                     caller_workspace_is_used_instead_of_the_pool, info_of_workspace_is_what_workspace_bytes_says);
}
