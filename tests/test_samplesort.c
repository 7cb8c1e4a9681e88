/* Samplesort takes each of its ways: by bins and by those of bins, by merging, filled, in parts, and divided again where a bin is too large. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

/* What cl/samplesort.cl notes of each bucket at the begin of its workspace: any of these, or 0 if bins were all it took. */
enum way { SORTED_WHOLE = 1, DIVIDED_AGAIN = 2, SORTED_IN_PARTS = 4, FILLED = 8, BINS_DIVIDED = 16 };
enum { MOST_BUCKETS = 1026 };

struct ways {
    unsigned n_by_bins, n_whole, n_divided_again, n_in_parts, n_filled, n_bins_divided; /* buckets */
};

/* So few that they fit llvmpipe's loops even if one bucket had them all. */
enum { MOST_KEYS = 250 };

static int compare_keys(const void *a, const void *b)
{
    uint32_t key_a, key_b;
    memcpy(&key_a, a, sizeof key_a);
    memcpy(&key_b, b, sizeof key_b);
    return (key_a > key_b) - (key_a < key_b);
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state ^ *state >> 15;
}

static clsort_request request_of(cl_mem in, cl_mem out, size_t n)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = n;
    request.algorithm = "samplesort";
    request.keys_in = clsort_make_range(in, 0);
    request.keys_out = clsort_make_range(out, 0);
    return request;
}

static void check_sorted(const struct device *device, const uint32_t *keys, size_t n, cl_mem out)
{
    uint32_t expected[MOST_KEYS], sorted[MOST_KEYS];
    read_buffer(device, out, n * sizeof sorted[0], sorted);
    memcpy(expected, keys, n * sizeof expected[0]);
    qsort(expected, n, sizeof expected[0], compare_keys);
    ck_assert_mem_eq(sorted, expected, n * sizeof sorted[0]);
}

/* Sorts out of place, which is one launch that leaves no notes. */
static void sort_at_once(const struct device *device, const uint32_t *keys, size_t n)
{
    const uint64_t runs = kernel_runs(device->sorter, "samplesort/sort_at_once");
    cl_mem in = make_buffer(device, CL_MEM_READ_ONLY, n * sizeof keys[0], keys);
    cl_mem out = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], keys);
    const clsort_request request = request_of(in, out, n);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    check_sorted(device, keys, n, out);
    ck_assert_uint_eq(kernel_runs(device->sorter, "samplesort/sort_at_once"), runs + 1);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void count_ways(const uint32_t *ways, struct ways *n_ways)
{
    for (size_t b = 0; b < MOST_BUCKETS; b++) {
        if (ways[b] != UINT32_MAX) {
            n_ways->n_by_bins += ways[b] == 0;
            n_ways->n_whole += (ways[b] & SORTED_WHOLE) != 0;
            n_ways->n_divided_again += (ways[b] & DIVIDED_AGAIN) != 0;
            n_ways->n_in_parts += (ways[b] & SORTED_IN_PARTS) != 0;
            n_ways->n_filled += (ways[b] & FILLED) != 0;
            n_ways->n_bins_divided += (ways[b] & BINS_DIVIDED) != 0;
        }
    }
}

/* Sorts keys on the device by one launch and by two, checks them and adds up how many buckets of the latter took each way. */
static void sort_and_count_ways(const struct device *device, const uint32_t *keys, size_t n, struct ways *n_ways)
{
    uint32_t ways[MOST_BUCKETS];
    uint64_t bytes = 0;
    cl_mem buffer = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], keys);
    clsort_request request = request_of(buffer, buffer, n);
    sort_at_once(device, keys, n);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &request, &bytes, NULL));
    ck_assert_uint_ge(bytes, sizeof ways);
    unsigned char *filling = allocate((size_t)bytes);
    memset(filling, 0xff, (size_t)bytes);
    cl_mem workspace = make_buffer(device, CL_MEM_READ_WRITE, (size_t)bytes, filling);
    request.workspace.buffer = workspace;
    request.workspace.bytes = bytes;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    check_sorted(device, keys, n, buffer);
    read_buffer(device, workspace, sizeof ways, ways);
    count_ways(ways, n_ways);
    clReleaseMemObject(buffer);
    clReleaseMemObject(workspace);
    free(filling);
}

/* Sorts keys with their positions as values, asserts that equal ones stay in order, and adds up the ways. */
static void sort_pairs_and_count_ways(const struct device *device, const uint32_t *keys, size_t n, struct ways *n_ways)
{
    uint32_t positions[MOST_KEYS], sorted_keys[MOST_KEYS], sorted_values[MOST_KEYS], ways[MOST_BUCKETS];
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)i;
    }
    cl_mem key_buffer = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], keys);
    cl_mem value_buffer = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], positions);
    clsort_request request = request_of(key_buffer, key_buffer, n);
    request.operation = CLSORT_PAIRS;
    request.value_bytes = sizeof positions[0];
    request.values_in = request.values_out = clsort_make_range(value_buffer, 0);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &request, &bytes, NULL));
    unsigned char *filling = allocate((size_t)bytes);
    memset(filling, 0xff, (size_t)bytes);
    cl_mem workspace = make_buffer(device, CL_MEM_READ_WRITE, (size_t)bytes, filling);
    request.workspace.buffer = workspace;
    request.workspace.bytes = bytes;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    read_buffer(device, key_buffer, n * sizeof keys[0], sorted_keys);
    read_buffer(device, value_buffer, n * sizeof keys[0], sorted_values);
    read_buffer(device, workspace, sizeof ways, ways);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_lt(sorted_values[i], n);
        ck_assert_uint_eq(sorted_keys[i], keys[sorted_values[i]]);
        /* rising (key, position) pairs are all different, so that they are all pairs there are */
        ck_assert(i == 0 || sorted_keys[i - 1] < sorted_keys[i] ||
                  (sorted_keys[i - 1] == sorted_keys[i] && sorted_values[i - 1] < sorted_values[i]));
    }
    count_ways(ways, n_ways);
    clReleaseMemObject(key_buffer);
    clReleaseMemObject(value_buffer);
    clReleaseMemObject(workspace);
    free(filling);
}

/* Local memory for 16, 96 and 200 keys; in work-groups of one work-item and of several. */
static const struct {
    size_t group_limit;
    const char *small, *large, *larger;
} shapes[] = {{1, "at_once_count=1000,spread_group_size=1,spread_items=16",
               "at_once_count=1000,spread_group_size=1,spread_items=96",
               "at_once_count=1000,spread_group_size=1,spread_items=200"},
              {4, "at_once_count=1000,spread_group_size=4,spread_items=4",
               "at_once_count=1000,spread_group_size=4,spread_items=24",
               "at_once_count=1000,spread_group_size=4,spread_items=50"}};
enum { N_SMALL = 100, N_LARGE = MOST_KEYS };

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

/* Whether buckets may be sorted in parts here. */
static bool takes_parts(void)
{
    if (strcmp(current_setting()->name, "rusticl") == 0) {
        print_exemption("more keys than local memory has room for",
                        "a work-item may take more iterations than loops do here");
        return false;
    }
    return true;
}

/* So many percent of the keys are among the first `width` numbers: all in one bin of their bucket, wherever bounds and bins are. */
static void make_cluster(uint32_t *keys, size_t n, uint32_t percent, uint32_t width, uint32_t *state)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = draw(state) % 100 < percent ? draw(state) % width : draw(state);
    }
}

/* Widths of a cluster whose bin, divided twice again, still has all of it, and of one for which once does. */
enum { NARROW_CLUSTER = 1000, WIDE_CLUSTER = 4000000 };

START_TEST(buckets_above_local_memory_are_sorted_in_parts_and_large_bins_divided_again)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s) || !takes_parts()) {
            continue;
        }
        uint32_t keys[N_SMALL], state = 1;
        struct ways n_ways = {0};
        struct device device = open_device(shapes[s].small, 0);
        for (uint32_t percent = 0; percent < 100; percent += 5) {
            make_cluster(keys, N_SMALL, percent, NARROW_CLUSTER, &state);
            sort_and_count_ways(&device, keys, N_SMALL, &n_ways);
        }
        ck_assert_uint_gt(n_ways.n_in_parts, 0);
        ck_assert_uint_gt(n_ways.n_divided_again, 0);
        n_ways.n_filled = 0;
        for (size_t i = 0; i < N_SMALL;
             i++) { /* so few that the two are all of a bucket, and one of them is more than it has room for */
            keys[i] = i % 9 ? 0x40000000 : 0x70000001;
        }
        sort_and_count_ways(&device, keys, N_SMALL, &n_ways);
        ck_assert_uint_gt(n_ways.n_filled, 0);
        close_device(&device);
    }
}
END_TEST

START_TEST(buckets_between_equal_bounds_are_filled)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s) || !takes_parts()) {
            continue;
        }
        uint32_t keys[N_LARGE], state = 2;
        struct ways n_ways = {0};
        struct device device = open_device(shapes[s].large, 0);
        for (size_t i = 0; i < N_LARGE; i++) {
            keys[i] = draw(&state) % 4 ? 5000 : draw(&state);
        }
        sort_and_count_ways(&device, keys, N_LARGE, &n_ways);
        ck_assert_uint_gt(n_ways.n_filled, 0);
        ck_assert_uint_gt(n_ways.n_by_bins, 0);
        for (size_t i = 0; i < N_LARGE; i++) {
            keys[i] = 77;
        }
        n_ways.n_filled = 0;
        sort_and_count_ways(&device, keys, N_LARGE, &n_ways);
        ck_assert_uint_gt(n_ways.n_filled, 2);
        close_device(&device);
    }
}
END_TEST

START_TEST(large_bins_of_different_keys_are_divided_or_sorted_as_a_whole)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s) || !takes_parts()) {
            continue;
        }
        uint32_t keys[N_LARGE], state = 3;
        struct ways n_ways = {0};
        struct device device = open_device(shapes[s].large, 0);
        for (uint32_t percent = 25; percent < 65; percent++) {
            make_cluster(keys, N_LARGE, percent, WIDE_CLUSTER, &state);
            sort_and_count_ways(&device, keys, N_LARGE, &n_ways);
        }
        ck_assert_uint_gt(n_ways.n_bins_divided, 0);
        ck_assert_uint_eq(n_ways.n_whole, 0);
        for (uint32_t percent = 25; percent < 65; percent++) {
            make_cluster(keys, N_LARGE, percent, NARROW_CLUSTER, &state);
            sort_and_count_ways(&device, keys, N_LARGE, &n_ways);
        }
        ck_assert_uint_gt(n_ways.n_whole, 0);
        close_device(&device);
    }
}
END_TEST

START_TEST(pairs_take_each_way_and_are_stable)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s)) {
            continue;
        }
        uint32_t keys[N_LARGE], state = 4;
        struct ways n_ways = {0};
        struct device device = open_device(shapes[s].large, 0);
        for (uint32_t percent = 0; percent < 100; percent += 10) {
            make_cluster(keys, 40, percent, NARROW_CLUSTER, &state);
            sort_pairs_and_count_ways(&device, keys, 40, &n_ways);
        }
        ck_assert_uint_gt(n_ways.n_by_bins, 0);
        close_device(&device);
        if (!takes_parts()) {
            continue;
        }
        device = open_device(shapes[s].small, 0);
        for (uint32_t percent = 0; percent < 100; percent += 10) {
            make_cluster(keys, N_SMALL, percent, NARROW_CLUSTER, &state);
            sort_pairs_and_count_ways(&device, keys, N_SMALL, &n_ways);
        }
        for (size_t i = 0; i < N_LARGE; i++) {
            keys[i] = draw(&state) % 4 ? 5000 : draw(&state) % 3;
        }
        sort_pairs_and_count_ways(&device, keys, N_LARGE, &n_ways);
        ck_assert_uint_gt(n_ways.n_in_parts, 0);
        ck_assert_uint_gt(n_ways.n_divided_again, 0);
        close_device(&device);
    }
}
END_TEST

/* Ranks of narrow keys take less local memory than counters of as many bins. */
START_TEST(narrow_keys_are_sorted_where_large_bins_differ)
{
    /* Of a cluster that a bin has all of. */
    static const struct {
        clsort_key_type type;
        uint32_t width;
    } kinds[] = {{CLSORT_F16, 200}, {CLSORT_I8, 3}};
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        if (!takes_shape(s) || !takes_parts()) {
            continue;
        }
        uint32_t state = 6;
        uint16_t keys[MOST_KEYS];
        struct device device = open_device(shapes[s].larger, 0);
        struct sort_case c = {.operation = CLSORT_KEYS,
                              .count = MOST_KEYS,
                              .data = {DATA_GIVEN, 0, 0},
                              .given = keys,
                              .algorithm = "samplesort"};
        /* Before there are other buffers: Oclgrind 21.10 takes what lies where a smaller one was for uninitialised. */
        for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
            c.key_type = kinds[k].type;
            prepare_sort(&device, &c);
        }
        for (unsigned way = 0; way < 4 * N_ELEMENTS(kinds); way++) {
            const size_t k = way / 4;
            if (is_simulated() && (way & 2)) {
                continue; /* each takes it seconds; out of place there is one launch, whose arrays it tells apart */
            }
            for (size_t i = 0; i < MOST_KEYS; i++) {
                set_key(keys, kinds[k].type, i, draw(&state) % 4 ? draw(&state) % kinds[k].width : draw(&state));
            }
            c.key_type = kinds[k].type;
            c.count = way & 1 ? 150 : MOST_KEYS;
            c.in_place = (way & 2) != 0;
            ck_assert(check_sort_if_fits(&device, c));
        }
        close_device(&device);
    }
}
END_TEST

/* Keys that share a rank are no pair's by their rank alone: they are read again, in place from a copy. */
START_TEST(pairs_of_every_width_are_sorted_in_and_out_of_place)
{
    static const struct {
        clsort_key_type type;
        uint64_t value_bytes;
        bool takes_long; /* to compile for all of them */
    } kinds[] = {{CLSORT_F32, 4, false},
                 {CLSORT_I8, 16, false},
                 {CLSORT_BF16, 8, true},
                 {CLSORT_U16, 1, true},
                 {CLSORT_I32, 2, true}};
    struct device device = open_device("spread_group_size=1,spread_items=96", 0);
    for (size_t k = 0; k < N_ELEMENTS(kinds) && (is_slow_run() || !kinds[k].takes_long); k++) {
        for (unsigned way = 0; way < 8; way++) {
            const bool is_argsort = way & 1, in_place = (way & 2) != 0;
            const struct sort_case c = {.operation = is_argsort ? CLSORT_ARGSORT : CLSORT_PAIRS,
                                        .key_type = kinds[k].type,
                                        .count = 45,
                                        .value_bytes = is_argsort ? 0 : kinds[k].value_bytes,
                                        .index_bytes = is_argsort ? 4 : 0,
                                        .data = {DATA_SPECIAL, 3, 0},
                                        .flags = way & 4 ? CLSORT_DESCENDING : 0,
                                        .in_place = in_place,
                                        .without_keys_out = is_argsort && !in_place,
                                        .algorithm = "samplesort"};
            ck_assert(check_sort_if_fits(&device, c));
        }
    }
    close_device(&device);
}
END_TEST

int main(void)
{
    if (is_simulated()) {
        print_exemption("most of samplesort", "it takes the simulator minutes; test_kernels runs each kernel");
        return RUN_TESTS("samplesort", narrow_keys_are_sorted_where_large_bins_differ);
    }
    return RUN_TESTS("samplesort", buckets_above_local_memory_are_sorted_in_parts_and_large_bins_divided_again,
                     buckets_between_equal_bounds_are_filled,
                     large_bins_of_different_keys_are_divided_or_sorted_as_a_whole,
                     narrow_keys_are_sorted_where_large_bins_differ, pairs_take_each_way_and_are_stable,
                     pairs_of_every_width_are_sorted_in_and_out_of_place);
}
