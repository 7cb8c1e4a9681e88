/* One input sorted again and again: all outputs are the same and right. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

enum { N_RUNS = 200 };

/* Sorts one input n_runs times; every result is compared with the oracle. */
static void check_runs(const char *algorithm, uint64_t count, unsigned n_runs)
{
    struct device *device = test_device();
    size_t bytes = (size_t)count * 4;
    uint32_t *keys = allocate(bytes), *found_keys = allocate(bytes), *found_values = allocate(bytes);
    uint32_t *right_keys = allocate(bytes), *right_values = allocate(bytes);
    uint64_t *positions = allocate((size_t)count * 8);
    struct oracle_order order = {CLSORT_U32, false, false, false, 0, 32};
    make_keys(CLSORT_U32, (struct data){DATA_FEW, 33, 1000}, count, keys);
    oracle_sort(&order, keys, count, positions);
    for (uint64_t i = 0; i < count; i++) {
        right_values[i] = (uint32_t)positions[i];
        right_keys[i] = keys[positions[i]];
    }
    cl_mem in = make_buffer(device, CL_MEM_READ_ONLY, bytes, keys);
    cl_mem out = make_buffer(device, CL_MEM_READ_WRITE, bytes, NULL),
           values = make_buffer(device, CL_MEM_READ_WRITE, bytes, NULL);
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_ARGSORT;
    request.key_type = CLSORT_U32;
    request.count = count;
    request.algorithm = algorithm;
    request.keys_in = clsort_make_range(in, 0);
    request.keys_out = clsort_make_range(out, 0);
    request.values_out = clsort_make_range(values, 0);
    for (unsigned run = 0; run < n_runs; run++) {
        cl_uchar poison = 0xA5;
        CHECK_CL(clEnqueueFillBuffer(device->queue, out, &poison, 1, 0, bytes, 0, NULL, NULL));
        CHECK_CL(clEnqueueFillBuffer(device->queue, values, &poison, 1, 0, bytes, 0, NULL, NULL));
        CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                     clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
        read_buffer(device, out, bytes, found_keys);
        read_buffer(device, values, bytes, found_values);
        ck_assert_msg(memcmp(found_keys, right_keys, bytes) == 0, "%s, run %u: keys", algorithm, run);
        ck_assert_msg(memcmp(found_values, right_values, bytes) == 0, "%s, run %u: indices", algorithm, run);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(values);
    free(keys);
    free(found_keys);
    free(found_values);
    free(right_keys);
    free(right_values);
    free(positions);
}

START_TEST(radix_gives_the_same_right_result_in_every_run)
{
    check_runs("radix", allowed_count(100003), N_RUNS);
}
END_TEST

START_TEST(other_algorithms_give_the_same_right_result_in_every_run)
{
    check_runs("bitonic", 60, N_RUNS);
    check_runs("radix_local", 60, N_RUNS);
    check_runs("bitonic_global", allowed_count(20000), 20);
    check_runs("quicksort", allowed_count(20000), 20);
}
END_TEST

int main(void)
{
    return RUN_TESTS("races", radix_gives_the_same_right_result_in_every_run,
                     other_algorithms_give_the_same_right_result_in_every_run);
}
