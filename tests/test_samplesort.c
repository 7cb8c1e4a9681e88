/* Samplesort takes each of its ways: by bins, by the network, filled, and in global memory where a bucket is too large. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* What cl/samplesort.cl notes of each bucket at the begin of its workspace. */
enum way { SORTED_IN_BINS, SORTED_BY_NETWORK, FILLED, SORTED_IN_GLOBAL_MEMORY, N_WAYS };
enum { MOST_BUCKETS = 258 };

/* So few that they fit llvmpipe's loops even if one bucket had them all. */
enum { N_KEYS = 318 };

static int compare_keys(const void *a, const void *b)
{
    uint32_t key_a, key_b;
    memcpy(&key_a, a, sizeof key_a);
    memcpy(&key_b, b, sizeof key_b);
    return (key_a > key_b) - (key_a < key_b);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state ^ *state >> 15;
}

static clsort_request request_of(cl_mem in, cl_mem out)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = N_KEYS;
    request.algorithm = "samplesort";
    request.keys_in = clsort_make_range(in, 0);
    request.keys_out = clsort_make_range(out, 0);
    return request;
}

static void check_sorted(const struct device *device, const uint32_t *keys, cl_mem out)
{
    uint32_t expected[N_KEYS], sorted[N_KEYS];
    read_buffer(device, out, sizeof sorted, sorted);
    memcpy(expected, keys, sizeof expected);
    qsort(expected, N_KEYS, sizeof expected[0], compare_keys);
    ck_assert_mem_eq(sorted, expected, sizeof sorted);
}

/* Sorts out of place, which is one launch that leaves no notes. */
static void sort_at_once(const struct device *device, const uint32_t *keys)
{
    const uint64_t runs = kernel_runs(device->sorter, "samplesort/sort_at_once");
    cl_mem in = make_buffer(device, CL_MEM_READ_ONLY, N_KEYS * sizeof keys[0], keys);
    cl_mem out = make_buffer(device, CL_MEM_READ_WRITE, N_KEYS * sizeof keys[0], keys);
    const clsort_request request = request_of(in, out);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    check_sorted(device, keys, out);
    ck_assert_uint_eq(kernel_runs(device->sorter, "samplesort/sort_at_once"), runs + 1);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Sorts keys on the device by one launch and by two, checks them and adds up how many buckets of the latter took each way. */
static void sort_and_count_ways(const struct device *device, const uint32_t *keys, unsigned n_ways[N_WAYS])
{
    uint32_t ways[MOST_BUCKETS];
    uint64_t bytes = 0;
    cl_mem buffer = make_buffer(device, CL_MEM_READ_WRITE, N_KEYS * sizeof keys[0], keys);
    clsort_request request = request_of(buffer, buffer);
    sort_at_once(device, keys);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &request, &bytes, NULL));
    ck_assert_uint_ge(bytes, sizeof ways);
    unsigned char *filling = allocate((size_t)bytes);
    memset(filling, 0xff, (size_t)bytes);
    cl_mem workspace = make_buffer(device, CL_MEM_READ_WRITE, (size_t)bytes, filling);
    request.workspace.buffer = workspace;
    request.workspace.bytes = bytes;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    check_sorted(device, keys, buffer);
    read_buffer(device, workspace, sizeof ways, ways);
    for (size_t b = 0; b < MOST_BUCKETS; b++) {
        if (ways[b] != UINT32_MAX) {
            ck_assert_uint_lt(ways[b], N_WAYS);
            n_ways[ways[b]]++;
        }
    }
    clReleaseMemObject(buffer);
    clReleaseMemObject(workspace);
    free(filling);
}

/* Tiles of 16 and of 240 keys; in work-groups of one work-item and of several. */
static const struct {
    size_t group_limit;
    const char *small, *large;
} shapes[] = {{1, "at_once_count=1000,spread_group_size=1,spread_items=16",
               "at_once_count=1000,spread_group_size=1,spread_items=240"},
              {4, "at_once_count=1000,spread_group_size=4,spread_items=4",
               "at_once_count=1000,spread_group_size=4,spread_items=60"}};

/* Work-groups of several work-items are for the simulator, whose test_kernels sorts so too, and for GPUs. */
static bool takes_shape(size_t s)
{
    size_t limit = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    if (shapes[s].group_limit > limit || (shapes[s].group_limit > 1 && !compiles_barriers_fast())) {
        print_exemption(shapes[s].small,
                        "the device's work-groups are smaller, or larger ones take minutes to compile");
        return false;
    }
    return true;
}

START_TEST(buckets_above_local_memory_are_sorted_in_global_memory)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s)) {
            continue;
        }
        uint32_t keys[N_KEYS], state = 1;
        unsigned n_ways[N_WAYS] = {0};
        struct device device = open_device(shapes[s].small, 0);
        for (size_t i = 0; i < N_KEYS; i++) {
            keys[i] = next_random(&state);
        }
        sort_and_count_ways(&device, keys, n_ways);
        ck_assert_uint_gt(n_ways[SORTED_IN_GLOBAL_MEMORY], 0);
        close_device(&device);
    }
}
END_TEST

START_TEST(buckets_between_equal_bounds_are_filled)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s)) {
            continue;
        }
        uint32_t keys[N_KEYS], state = 2;
        unsigned n_ways[N_WAYS] = {0};
        struct device device = open_device(shapes[s].large, 0);
        for (size_t i = 0; i < N_KEYS; i++) {
            keys[i] = next_random(&state) % 2 ? 5000 : next_random(&state);
        }
        sort_and_count_ways(&device, keys, n_ways);
        ck_assert_uint_gt(n_ways[FILLED], 0);
        ck_assert_uint_gt(n_ways[SORTED_IN_BINS], 0);
        for (size_t i = 0; i < N_KEYS; i++) {
            keys[i] = 77;
        }
        n_ways[FILLED] = 0;
        sort_and_count_ways(&device, keys, n_ways);
        ck_assert_uint_gt(n_ways[FILLED], 2);
        close_device(&device);
    }
}
END_TEST

/* Where small keys end and large ones begin lies a bucket whose small keys are all in one bin. */
START_TEST(bins_of_many_different_keys_are_sorted_by_the_network)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s)) {
            continue;
        }
        uint32_t keys[N_KEYS], state = 3;
        unsigned n_ways[N_WAYS] = {0};
        struct device device = open_device(shapes[s].large, 0);
        for (uint32_t percent = 30; percent < 70; percent++) {
            for (size_t i = 0; i < N_KEYS; i++) {
                keys[i] = next_random(&state) % 100 < percent ? next_random(&state) % 1000 : next_random(&state);
            }
            sort_and_count_ways(&device, keys, n_ways);
        }
        ck_assert_uint_gt(n_ways[SORTED_BY_NETWORK], 0);
        close_device(&device);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("samplesort", buckets_above_local_memory_are_sorted_in_global_memory,
                     buckets_between_equal_bounds_are_filled, bins_of_many_different_keys_are_sorted_by_the_network);
}
