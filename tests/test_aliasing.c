/* Where ranges lie: in place, read-only inputs, offsets, unaligned host memory, sub-buffers, and overlaps that are refused. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

START_TEST(keys_in_place_are_sorted_with_odd_and_even_numbers_of_passes)
{
    static const struct {
        clsort_key_type type;
        uint32_t end_bit; /* 0: whole key */
    } cases[] = {{CLSORT_U8, 0}, {CLSORT_U16, 0}, {CLSORT_U32, 0}, {CLSORT_U32, 8}, {CLSORT_U32, 24}};
    const uint64_t counts[] = {1000, allowed_count(2000000)};
    for (size_t k = 0; k < N_ELEMENTS(cases); k++) {
        for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
            for (size_t i = 0; i < n_choices(); i++) {
                if (counts[n] > 1000 && choice(i) && strcmp(choice(i), "radix") != 0) {
                    continue; /* the others have no passes to count */
                }
                struct sort_case c = {.operation = CLSORT_KEYS,
                                      .key_type = cases[k].type,
                                      .count = counts[n],
                                      .data = {DATA_RANDOM, 5, 0},
                                      .flags = cases[k].end_bit ? CLSORT_BIT_RANGE : 0,
                                      .end_bit = cases[k].end_bit,
                                      .algorithm = choice(i),
                                      .in_place = true};
                check_sort_if_fits(test_device(), c);
                c.operation = CLSORT_PAIRS;
                check_sort_if_fits(test_device(), c);
            }
        }
    }
}
END_TEST

/* check_sort() makes the inputs of every out-of-place sort read-only and compares them afterwards. */
START_TEST(read_only_inputs_are_sorted_out_of_place_and_unchanged)
{
    for (int operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation++) {
        for (size_t i = 0; i < n_choices(); i++) {
            struct sort_case c = {.operation = (clsort_operation)operation,
                                  .key_type = CLSORT_F32,
                                  .count = allowed_count(5000),
                                  .data = {DATA_SPECIAL, 6, 0},
                                  .algorithm = choice(i)};
            check_sort_if_fits(test_device(), c);
            c.count = 100;
            check_sort_if_fits(test_device(), c);
        }
    }
}
END_TEST

START_TEST(offset_of_one_element_leaves_the_first_unchanged)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_U32, CLSORT_U64};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (size_t i = 0; i < n_choices(); i++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = {.operation = CLSORT_PAIRS,
                                      .key_type = types[t],
                                      .count = 1000,
                                      .data = {DATA_RANDOM, 7, 0},
                                      .start = 1,
                                      .algorithm = choice(i),
                                      .in_place = in_place};
                check_sort_if_fits(test_device(), c);
                c.operation = CLSORT_KEYS;
                check_sort_if_fits(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(buffers_over_host_memory_at_odd_starts_are_sorted)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_U16, CLSORT_U32, CLSORT_U64};
    static const uint64_t value_sizes[] = {0, 1, 2, 4, 8, 12, 16};
    const uint64_t counts[] = {1000, allowed_count(1048576)};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (size_t v = 0; v < N_ELEMENTS(value_sizes); v++) {
            for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
                for (size_t i = 0; i < n_choices(); i++) {
                    if ((v + t) % 4 != 0 && (v != 0 || !compiles_programs_fast())) {
                        continue; /* each value size with one or two key sizes: programs take long to compile */
                    }
                    if (counts[n] > 1000 && (i != 0 || (v != 0 && v + t > 5))) {
                        continue; /* large counts: the library's own choice */
                    }
                    struct sort_case c = {.operation = v == 0 ? CLSORT_KEYS : CLSORT_PAIRS,
                                          .key_type = types[t],
                                          .count = counts[n],
                                          .data = {DATA_RANDOM, 8, 0},
                                          .value_bytes = value_sizes[v],
                                          .start = n == 0 ? 1 : 3,
                                          .algorithm = choice(i),
                                          .misaligned = true,
                                          .in_place = (v + t) % 2};
                    check_sort_if_fits(test_device(), c);
                }
            }
        }
    }
}
END_TEST

START_TEST(rows_of_one_buffer_are_sorted_one_by_one)
{
    enum { ROWS = 8, LENGTH = 64 };
    struct device *device = test_device();
    int32_t keys[ROWS][LENGTH], values[ROWS][LENGTH], found_keys[ROWS][LENGTH], found_values[ROWS][LENGTH];
    uint32_t state = 99;
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < LENGTH; k++) {
            keys[r][k] = (int32_t)next_random(&state);
            values[r][k] = k;
        }
    }
    cl_mem key_buffer = make_buffer(device, CL_MEM_READ_WRITE, sizeof keys, keys);
    cl_mem value_buffer = make_buffer(device, CL_MEM_READ_WRITE, sizeof values, values);
    struct oracle_order order = {CLSORT_I32, false, false, false, 0, 32};
    for (unsigned r = 0; r < ROWS; r++) {
        clsort_request request;
        clsort_request_init(&request);
        request.operation = CLSORT_PAIRS;
        request.key_type = CLSORT_I32;
        request.value_bytes = 4;
        request.count = LENGTH;
        request.keys_in = request.keys_out = clsort_make_range(key_buffer, r * LENGTH);
        request.values_in = request.values_out = clsort_make_range(value_buffer, r * LENGTH);
        CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                     clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
        uint64_t positions[LENGTH];
        int32_t row[LENGTH];
        oracle_sort(&order, keys[r], LENGTH, positions);
        memcpy(row, keys[r], sizeof row);
        for (unsigned k = 0; k < LENGTH; k++) {
            keys[r][k] = row[positions[k]];
            values[r][k] = (int32_t)positions[k];
        }
        read_buffer(device, key_buffer, sizeof keys, found_keys);
        read_buffer(device, value_buffer, sizeof values, found_values);
        ck_assert_msg(memcmp(keys, found_keys, sizeof keys) == 0, "keys after row %u", r);
        ck_assert_msg(memcmp(values, found_values, sizeof values) == 0, "values after row %u", r);
    }
    clReleaseMemObject(key_buffer);
    clReleaseMemObject(value_buffer);
}
END_TEST

/* Ranges by their start, in elements of 4 bytes, in one buffer of 1024; -1: no range. */
struct layout {
    const char *name;
    clsort_operation operation;
    int keys_in, keys_out, values_in, values_out;
    clsort_status status;
};

static const struct layout layouts[] = {
    {"apart", CLSORT_PAIRS, 0, 100, 200, 300, CLSORT_SUCCESS},
    {"all in place", CLSORT_PAIRS, 0, 0, 200, 200, CLSORT_SUCCESS},
    {"keys in place, values not", CLSORT_PAIRS, 0, 0, 200, 300, CLSORT_SUCCESS},
    {"values in place, keys not", CLSORT_PAIRS, 0, 100, 200, 200, CLSORT_SUCCESS},
    {"both inputs the same", CLSORT_PAIRS, 0, 100, 0, 300, CLSORT_SUCCESS},
    {"inputs overlap", CLSORT_PAIRS, 0, 200, 50, 300, CLSORT_SUCCESS},
    {"output one up", CLSORT_KEYS, 0, 1, -1, -1, CLSORT_OVERLAP},
    {"output one down", CLSORT_KEYS, 1, 0, -1, -1, CLSORT_OVERLAP},
    {"output overlaps by its last", CLSORT_KEYS, 99, 0, -1, -1, CLSORT_OVERLAP},
    {"outputs touch only", CLSORT_KEYS, 100, 0, -1, -1, CLSORT_SUCCESS},
    {"values_out over keys_in", CLSORT_PAIRS, 0, 100, 200, 50, CLSORT_OVERLAP},
    {"values_out over keys_out", CLSORT_PAIRS, 0, 100, 200, 100, CLSORT_OVERLAP},
    {"values_out over values_in in part", CLSORT_PAIRS, 0, 100, 200, 201, CLSORT_OVERLAP},
    {"keys_out is values_in", CLSORT_PAIRS, 0, 200, 200, 300, CLSORT_OVERLAP},
    {"argsort in place over its keys", CLSORT_ARGSORT, 0, -1, -1, 0, CLSORT_OVERLAP},
    {"argsort with keys in place", CLSORT_ARGSORT, 0, 0, -1, 100, CLSORT_SUCCESS},
    {"argsort apart", CLSORT_ARGSORT, 0, -1, -1, 100, CLSORT_SUCCESS},
};

static clsort_range range_at(cl_mem buffer, int start)
{
    return start < 0 ? clsort_make_range(NULL, 0) : clsort_make_range(buffer, (uint64_t)start);
}

static clsort_request request_of(const struct layout *layout, cl_mem in, cl_mem out)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = layout->operation;
    request.key_type = CLSORT_U32;
    request.count = 100;
    request.value_bytes = layout->operation == CLSORT_PAIRS ? 4 : 0;
    request.keys_in = range_at(in, layout->keys_in);
    request.keys_out = range_at(out, layout->keys_out);
    request.values_in = range_at(in, layout->values_in);
    request.values_out = range_at(out, layout->values_out);
    return request;
}

/* Runs a layout on elements that are random numbers and checks the result with the oracle. */
static void check_layout(const struct layout *layout, const char *algorithm, cl_mem in, cl_mem out, cl_mem root)
{
    struct device *device = test_device();
    uint32_t before[1024], expected[1024], found[1024];
    make_keys(CLSORT_U32, (struct data){DATA_RANDOM, 12, 0}, 1024, before);
    memcpy(expected, before, sizeof before);
    CHECK_CL(clEnqueueWriteBuffer(device->queue, root, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL));
    clsort_request request = request_of(layout, in, out);
    request.algorithm = algorithm;
    clsort_status status = clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL);
    if (algorithm && status == CLSORT_INVALID_ALGORITHM) {
        return; /* 100 elements are too many for it in this setting */
    }
    CHECK_STATUS(device->sorter, layout->status, status);
    if (layout->status == CLSORT_SUCCESS) {
        uint64_t positions[100];
        struct oracle_order order = {CLSORT_U32, false, false, false, 0, 32};
        oracle_sort(&order, before + layout->keys_in, 100, positions);
        for (int i = 0; i < 100; i++) {
            if (layout->keys_out >= 0) {
                expected[layout->keys_out + i] = before[layout->keys_in + (int)positions[i]];
            }
            if (layout->values_out >= 0) {
                expected[layout->values_out + i] = layout->operation == CLSORT_ARGSORT
                                                       ? (uint32_t)positions[i]
                                                       : before[layout->values_in + (int)positions[i]];
            }
        }
    }
    read_buffer(device, root, sizeof found, found);
    for (int i = 0; i < 1024; i++) {
        ck_assert_msg(found[i] == expected[i], "%s by %s: element %d is 0x%x, expected 0x%x", layout->name,
                      algorithm ? algorithm : "default", i, (unsigned)found[i], (unsigned)expected[i]);
    }
}

START_TEST(layouts_in_one_buffer_are_sorted_or_refused)
{
    cl_mem root = make_buffer(test_device(), CL_MEM_READ_WRITE, 4096, NULL);
    for (size_t l = 0; l < N_ELEMENTS(layouts); l++) {
        for (size_t i = 0; i < n_choices(); i++) {
            check_layout(&layouts[l], choice(i), root, root, root);
        }
    }
    clReleaseMemObject(root);
}
END_TEST

/* The same through two sub-buffers of the same region: only their root tells that they are the same memory. */
START_TEST(layouts_in_sub_buffers_of_one_root_are_sorted_or_refused)
{
    cl_mem root = make_buffer(test_device(), CL_MEM_READ_WRITE, 4096, NULL);
    cl_buffer_region region = {0, 4096};
    cl_int status;
    cl_mem first = clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK_CL(status);
    cl_mem second = clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK_CL(status);
    for (size_t l = 0; l < N_ELEMENTS(layouts); l++) {
        for (size_t i = 0; i < n_choices(); i++) {
            check_layout(&layouts[l], choice(i), first, second, root);
            check_layout(&layouts[l], choice(i), first, root, root);
        }
    }
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(root);
}
END_TEST

START_TEST(sub_buffers_with_different_origins_are_judged_by_their_bytes)
{
    struct device *device = test_device();
    cl_uint align_bits = 0;
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL));
    size_t step = align_bits / 8 < 4 ? 4 : align_bits / 8;
    cl_mem root = make_buffer(device, CL_MEM_READ_WRITE, step * 4, NULL);
    cl_int status;
    cl_buffer_region low = {0, step * 2}, high = {step, step * 2};
    cl_mem lower = clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
    CHECK_CL(status);
    cl_mem upper = clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
    CHECK_CL(status);
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U8;
    request.count = step;
    /* lower[step..] and upper[0..] are the same bytes: in place */
    request.keys_in = clsort_make_range(lower, step);
    request.keys_out = clsort_make_range(upper, 0);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    request.keys_out = clsort_make_range(upper, 1);
    CHECK_STATUS(device->sorter, CLSORT_OVERLAP,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    /* one byte past the end of the sub-buffer, though the root goes on */
    request.keys_in = clsort_make_range(lower, step + 1);
    request.keys_out = clsort_make_range(root, 3 * step);
    CHECK_STATUS(device->sorter, CLSORT_INVALID_KEYS_IN,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    CHECK_CL(clFinish(device->queue));
    clReleaseMemObject(lower);
    clReleaseMemObject(upper);
    clReleaseMemObject(root);
}
END_TEST

START_TEST(workspace_over_a_range_is_refused)
{
    struct device *device = test_device();
    cl_mem root = make_buffer(device, CL_MEM_READ_WRITE, 1 << 20, NULL);
    struct layout layout = {"", CLSORT_KEYS, 0, 1000, -1, -1, CLSORT_SUCCESS};
    clsort_request request = request_of(&layout, root, root);
    uint64_t best;
    request.algorithm = "radix";
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &request, NULL, &best));
    ck_assert_uint_gt(best, 0);
    request.workspace.buffer = root;
    request.workspace.offset = 0;
    request.workspace.bytes = best;
    CHECK_STATUS(device->sorter, CLSORT_OVERLAP,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    request.workspace.offset = 8192; /* the ranges end at byte 4400 */
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    CHECK_CL(clFinish(device->queue));
    clReleaseMemObject(root);
}
END_TEST

int main(void)
{
    return RUN_TESTS("aliasing", keys_in_place_are_sorted_with_odd_and_even_numbers_of_passes,
                     read_only_inputs_are_sorted_out_of_place_and_unchanged,
                     offset_of_one_element_leaves_the_first_unchanged,
                     buffers_over_host_memory_at_odd_starts_are_sorted, rows_of_one_buffer_are_sorted_one_by_one,
                     layouts_in_one_buffer_are_sorted_or_refused,
                     layouts_in_sub_buffers_of_one_root_are_sorted_or_refused,
                     sub_buffers_with_different_origins_are_judged_by_their_bytes, workspace_over_a_range_is_refused);
}
