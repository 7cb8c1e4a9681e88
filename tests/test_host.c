/* clsort_sort_host(): host arrays in and out, with a sorter and without one. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

enum { N = 3000 };

static clsort_request request_of(clsort_operation operation, clsort_key_type type)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = operation;
    request.key_type = type;
    request.count = N;
    request.value_bytes = operation == CLSORT_PAIRS ? 3 : 0;
    return request;
}

/* Sorts by the oracle what was sorted on the device and compares bytes. */
static void check_host(clsort_sorter *sorter, clsort_operation operation, clsort_key_type type, bool in_place)
{
    clsort_request request = request_of(operation, type);
    size_t key_bytes = clsort_key_type_bytes(type);
    size_t value_bytes = operation == CLSORT_PAIRS ? 3 : operation == CLSORT_ARGSORT ? 4 : 0;
    static unsigned char keys[N * 8], keys_before[N * 8], keys_out[N * 8 + 8], values[N * 4], values_out[N * 4 + 8];
    static uint64_t positions[N];
    struct sort_case c = {.operation = operation, .key_type = type};
    struct oracle_order order = order_of_case(&c);
    make_keys(type, (struct data){DATA_SPECIAL, 3, 0}, N, keys);
    memcpy(keys_before, keys, sizeof keys);
    memset(keys_out, 0xA5, sizeof keys_out);
    memset(values_out, 0xA5, sizeof values_out);
    for (uint64_t i = 0; i < N; i++) {
        if (value_bytes) {
            make_value(i, value_bytes, values + i * value_bytes);
        }
    }
    unsigned char *keys_to = in_place ? keys : keys_out;
    unsigned char *values_to = operation == CLSORT_PAIRS && in_place ? values : values_out;
    CHECK_STATUS(sorter, CLSORT_SUCCESS,
                 clsort_sort_host(sorter, &request, keys, keys_to, operation == CLSORT_PAIRS ? values : NULL,
                                  operation == CLSORT_KEYS ? NULL : values_to));
    oracle_sort(&order, keys_before, N, positions);
    for (uint64_t i = 0; i < N; i++) {
        unsigned char value[4];
        make_value(positions[i], 4, value);
        ck_assert(memcmp(keys_to + i * key_bytes, keys_before + positions[i] * key_bytes, key_bytes) == 0);
        if (value_bytes) {
            ck_assert(memcmp(values_to + i * value_bytes, value, value_bytes) == 0);
        }
    }
    if (!in_place) {
        ck_assert(memcmp(keys, keys_before, N * key_bytes) == 0);
    }
    ck_assert(keys_out[N * key_bytes] == 0xA5 && values_out[N * value_bytes] == 0xA5);
}

START_TEST(host_arrays_of_every_operation_are_sorted)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_BF16, CLSORT_F32, CLSORT_I64};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (int operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                check_host(test_device()->sorter, (clsort_operation)operation, types[t], in_place);
            }
        }
    }
}
END_TEST

START_TEST(host_sort_without_a_sorter_makes_its_own)
{
    check_host(NULL, CLSORT_KEYS, CLSORT_U32, true);
    check_host(NULL, CLSORT_PAIRS, CLSORT_F32, false);
}
END_TEST

START_TEST(host_argsort_without_keys_out_gives_indices_only)
{
    static float keys[] = {3, 1, 2};
    uint32_t indices[3] = {9, 9, 9};
    clsort_request request = request_of(CLSORT_ARGSORT, CLSORT_F32);
    request.count = 3;
    CHECK_STATUS(test_device()->sorter, CLSORT_SUCCESS,
                 clsort_sort_host(test_device()->sorter, &request, keys, NULL, NULL, indices));
    ck_assert(indices[0] == 1 && indices[1] == 2 && indices[2] == 0);
}
END_TEST

START_TEST(host_arrays_in_segments_keep_what_is_between)
{
    static const uint16_t keys[] = {3, 1, 9, 2, 1, 8, 5, 4};
    uint16_t out[8];
    uint32_t indices[8];
    memset(out, 0x77, sizeof out);
    memset(indices, 0x77, sizeof indices);
    clsort_request request = request_of(CLSORT_ARGSORT, CLSORT_U16);
    request.count = 8;
    request.flags = CLSORT_SEGMENTS | CLSORT_INDEX_IN_SEGMENT;
    request.segment_length = 2;
    request.segment_stride = 3;
    CHECK_STATUS(test_device()->sorter, CLSORT_SUCCESS,
                 clsort_sort_host(test_device()->sorter, &request, keys, out, NULL, indices));
    static const uint16_t expected[] = {1, 3, 0x7777, 1, 2, 0x7777, 4, 5};
    static const uint32_t expected_indices[] = {1, 0, 0x77777777, 1, 0, 0x77777777, 1, 0};
    ck_assert_mem_eq(out, expected, sizeof out);
    ck_assert_mem_eq(indices, expected_indices, sizeof indices);
}
END_TEST

START_TEST(host_arrays_of_no_elements_are_fine)
{
    clsort_request request = request_of(CLSORT_KEYS, CLSORT_U32);
    request.count = 0;
    uint32_t key = 5;
    CHECK_STATUS(test_device()->sorter, CLSORT_SUCCESS,
                 clsort_sort_host(test_device()->sorter, &request, &key, &key, NULL, NULL));
    ck_assert_uint_eq(key, 5);
}
END_TEST

START_TEST(wrong_host_arrays_are_refused_by_field_and_nothing_is_written)
{
    clsort_sorter *sorter = test_device()->sorter;
    clsort_request request = request_of(CLSORT_PAIRS, CLSORT_U32);
    request.count = 2;
    uint32_t keys[2] = {2, 1}, out[2] = {7, 7};
    unsigned char values[6] = {0}, values_out[6] = {7, 7, 7, 7, 7, 7};
    ck_assert_int_eq(clsort_sort_host(sorter, &request, NULL, out, values, values_out), CLSORT_INVALID_KEYS_IN);
    ck_assert_int_eq(clsort_sort_host(sorter, &request, keys, NULL, values, values_out), CLSORT_INVALID_KEYS_OUT);
    ck_assert_int_eq(clsort_sort_host(sorter, &request, keys, out, NULL, values_out), CLSORT_INVALID_VALUES_IN);
    ck_assert_int_eq(clsort_sort_host(sorter, &request, keys, out, values, NULL), CLSORT_INVALID_VALUES_OUT);
    request.operation = (clsort_operation)0;
    ck_assert_int_eq(clsort_sort_host(sorter, &request, keys, out, values, values_out), CLSORT_INVALID_OPERATION);
    request = request_of(CLSORT_KEYS, CLSORT_U32);
    request.count = UINT64_C(1) << 61;
    ck_assert_int_eq(clsort_sort_host(sorter, &request, keys, out, NULL, NULL), CLSORT_COUNT_TOO_LARGE);
    ck_assert(out[0] == 7 && out[1] == 7 && values_out[0] == 7 && keys[0] == 2);
}
END_TEST

int main(void)
{
    return RUN_TESTS("host", host_arrays_of_every_operation_are_sorted, host_sort_without_a_sorter_makes_its_own,
                     host_argsort_without_keys_out_gives_indices_only, host_arrays_in_segments_keep_what_is_between,
                     host_arrays_of_no_elements_are_fine,
                     wrong_host_arrays_are_refused_by_field_and_nothing_is_written);
}
