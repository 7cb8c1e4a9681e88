/* Hybrid radix sort on tiles of a few elements: every level, guard and way back is taken, which its own counters prove. */
#include "sorter.h"

#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of 64 elements, digits of 4 bits, buckets of 128: ranges above 512 are giant, and few keys take the ways of many. */
enum { CAPACITY = 128, GIANT = 512 };
static const char groups_of_8[] =
    "hybrid_group_size=8,hybrid_items=8,stable_items=8,rank_bits=2,hybrid_bits=4,bucket_group_size=8,bucket_items=16";
static const char groups_of_4[] =
    "hybrid_group_size=4,hybrid_items=16,stable_items=16,rank_bits=2,hybrid_bits=4,bucket_group_size=4,bucket_items=32";

/* Words of the control area, as in cl/hybrid.cl. */
enum {
    OVERFLOW,
    MEDIUM,
    NEXT_MEDIUM,
    TASKS,
    HARD,
    NARROW,
    WIDE,
    FAILED,
    MERGED = 13,
    RANGES = 16,
    BLOCKS = 112,
    CONTROL_WORDS = 208
};

/* The sample is the first so many keys where there are fewer than twice as many; of more, one of each two or more. */
enum { SAMPLES = 2048 };

enum { MOST_KEYS = 8192 };

static size_t group_limit(void)
{
    size_t limit = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    return limit;
}

/* Whether hybrid runs here. */
static bool has_hybrid(void)
{
    if (group_limit() < 4 || strcmp(current_setting()->name, "rusticl") == 0) {
        print_exemption("hybrid", "work-groups have one work-item here, or larger ones take minutes to compile");
        return false;
    }
    return true;
}

/* Buckets of 18 elements for each work-item have a small form, of 10, which serves pairs as long as they are few. */
static const char larger_buckets[] = "hybrid_group_size=8,hybrid_items=8,stable_items=8,rank_bits=2,hybrid_bits=4,"
                                     "bucket_group_size=8,bucket_items=18";
enum { SMALL_CAPACITY = 80 };

/* Digits of 6 bits, so that one may be 16 times as frequent as the mean, and work-groups that bins larger than a row fit into. */
static const char wider_groups[] = "hybrid_group_size=8,hybrid_items=8,stable_items=8,rank_bits=2,hybrid_bits=6,"
                                   "bucket_group_size=64,bucket_items=8";

static enum { SMALL_TILES, LARGER_BUCKETS, WIDER_GROUPS, N_TILES } tiles = SMALL_TILES;

/* A device with the small tiles. */
static struct device *small_tiles(void)
{
    static struct device devices[N_TILES];
    struct device *device = &devices[tiles];
    if (!device->sorter) {
        /* PoCL 3.1 leaves out loops of such groups where it optimises. */
        *device = tiles == WIDER_GROUPS     ? open_device(wider_groups, 0)
                  : tiles == LARGER_BUCKETS ? open_unoptimised(larger_buckets, 0)
                  : group_limit() < 8       ? open_unoptimised(groups_of_4, 0)
                                            : open_unoptimised(groups_of_8, 0);
    }
    return device;
}

/* --------------------------------------------------------------------------------------------------- counted sorts */

static int is_less(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Where in the request's workspace the counters are. */
static uint64_t control_offset(const clsort_request *request)
{
    struct failure failure = {0};
    struct job job;
    ck_assert_int_eq(clsort__request_resolve(small_tiles()->sorter, request, REQUEST_BUFFERS, &job, &failure),
                     CLSORT_SUCCESS);
    return request->operation == CLSORT_PAIRS ? clsort__hybrid_stable_control(&job)
                                              : clsort__hybrid_control(&job, strcmp(request->algorithm, "hybrid") == 0);
}

/* Runs a request with a workspace of the test's own, and gets the counters. */
static void run_counted(clsort_request *request, uint32_t control[CONTROL_WORDS])
{
    struct device *device = small_tiles();
    uint64_t bytes = 0;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, request, NULL, &bytes));
    char *workspace = allocate(bytes);
    memset(workspace, 0xA5, bytes);
    request->workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, bytes, workspace);
    request->workspace.bytes = bytes;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, request, 0, NULL, NULL));
    read_buffer(device, request->workspace.buffer, bytes, workspace);
    memcpy(control, workspace + control_offset(request), CONTROL_WORDS * sizeof *control);
    clReleaseMemObject(request->workspace.buffer);
    free(workspace);
}

static clsort_range read_write_range(size_t n, const uint32_t *content)
{
    return clsort_make_range(make_buffer(small_tiles(), CL_MEM_READ_WRITE, n * sizeof *content, content), 0);
}

/* Sorts 32-bit keys, asserts that they are in order, and gets the counters. */
static void sort_counted(const char *algorithm, const uint32_t *keys, size_t n, uint32_t control[CONTROL_WORDS])
{
    static uint32_t expected[MOST_KEYS], sorted[MOST_KEYS];
    clsort_request request;
    memcpy(expected, keys, n * sizeof *keys);
    qsort(expected, n, sizeof *expected, is_less);
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = n;
    request.algorithm = algorithm;
    request.keys_in = read_write_range(n, keys);
    request.keys_out = read_write_range(n, keys);
    run_counted(&request, control);
    read_buffer(small_tiles(), request.keys_out.buffer, n * sizeof *keys, sorted);
    ck_assert_mem_eq(sorted, expected, n * sizeof *keys);
    clReleaseMemObject(request.keys_in.buffer);
    clReleaseMemObject(request.keys_out.buffer);
}

/* Sorts them with their positions as values by hybrid_stable, asserts that equal ones stay in order, and gets the counters. */
static void sort_pairs_counted(const uint32_t *keys, size_t n, uint32_t control[CONTROL_WORDS])
{
    static uint32_t positions[MOST_KEYS], sorted_keys[MOST_KEYS], sorted_values[MOST_KEYS];
    clsort_request request;
    for (size_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)i;
    }
    clsort_request_init(&request);
    request.operation = CLSORT_PAIRS;
    request.key_type = CLSORT_U32;
    request.value_bytes = sizeof *positions;
    request.count = n;
    request.algorithm = "hybrid_stable";
    request.keys_in = read_write_range(n, keys);
    request.keys_out = read_write_range(n, keys);
    request.values_in = read_write_range(n, positions);
    request.values_out = read_write_range(n, positions);
    run_counted(&request, control);
    read_buffer(small_tiles(), request.keys_out.buffer, n * sizeof *keys, sorted_keys);
    read_buffer(small_tiles(), request.values_out.buffer, n * sizeof *keys, sorted_values);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_lt(sorted_values[i], n);
        ck_assert_uint_eq(sorted_keys[i], keys[sorted_values[i]]);
        /* rising (key, position) pairs are all different, so that they are all pairs there are */
        ck_assert(i == 0 || sorted_keys[i - 1] < sorted_keys[i] ||
                  (sorted_keys[i - 1] == sorted_keys[i] && sorted_values[i - 1] < sorted_values[i]));
    }
    clReleaseMemObject(request.keys_in.buffer);
    clReleaseMemObject(request.keys_out.buffer);
    clReleaseMemObject(request.values_in.buffer);
    clReleaseMemObject(request.values_out.buffer);
}

/* Keys that fill all buckets alike, in an order that looks like none: multiples of 2^32 over the golden ratio. */
static void fill_evenly(uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)i * 2654435769u;
    }
}

static uint32_t keys[MOST_KEYS], control[CONTROL_WORDS];

START_TEST(even_keys_go_through_two_levels_of_buckets)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 4000);
    sort_counted("hybrid", keys, 4000, control);
    ck_assert_uint_eq(control[OVERFLOW], 0);
    ck_assert_uint_eq(control[FAILED], 0);
    ck_assert_uint_eq(control[RANGES], 0);
    ck_assert_uint_eq(control[MEDIUM], 0);
}
END_TEST

START_TEST(uneven_keys_are_seen_in_the_sample)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 2500; i++) {
        keys[i] = (uint32_t)i * 2654435769u >> 1;
    }
    sort_counted("hybrid", keys, 2500, control);
    ck_assert_uint_eq(control[OVERFLOW], 1);
    ck_assert_uint_eq(control[RANGES], 1);
}
END_TEST

/* The last keys are not in the sample: so many of them are in one bucket that it is full. */
START_TEST(full_bucket_of_the_first_level_ends_the_optimistic_way)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 4000);
    for (size_t i = 3500; i < 4000; i++) {
        keys[i] = 0x30000000u + keys[i] / 16;
    }
    sort_counted("hybrid", keys, 4000, control);
    ck_assert_uint_eq(control[OVERFLOW], 2);
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[FAILED], 0);
}
END_TEST

/* The first digit has 3 bits then and those of six levels 4, so that 5 are left: 1000 keys that agree in all others are more than the
   last level takes, which is for one digit, and one other key for each digit brings them there. */
START_TEST(giant_range_with_two_digits_left_behind_the_last_level_is_medium)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 4000);
    for (uint32_t i = 0; i < 1000; i++) {
        keys[3000 + i] = 0x30000000u + i % 32;
    }
    for (uint32_t digit = 0; digit < 6; digit++) {
        keys[3000 + digit] += 1u << (5 + 4 * digit);
    }
    sort_counted("hybrid", keys, 4000, control);
    ck_assert_uint_eq(control[OVERFLOW], 2);
    ck_assert_uint_eq(control[RANGES + 6], 1);
    ck_assert_uint_eq(control[RANGES + 7], 0);
    ck_assert_uint_eq(control[MEDIUM], 8); /* with the other values of the first digit */
}
END_TEST

/* One hot key that the sample does not meet: its bucket of the second level is full, that of the first level is not. */
static void fill_with_hot_key(size_t n)
{
    fill_evenly(keys, n);
    for (size_t i = n - 72; i < n; i++) {
        keys[i] = 0x76543210;
    }
}

START_TEST(full_bucket_of_the_second_level_becomes_a_medium_range)
{
    if (!has_hybrid()) {
        return;
    }
    fill_with_hot_key(2500);
    sort_counted("hybrid", keys, 2500, control);
    ck_assert_uint_eq(control[OVERFLOW], 0);
    ck_assert_uint_eq(control[FAILED], 1);
    ck_assert_uint_eq(control[MEDIUM], 1);
    ck_assert_uint_eq(control[RANGES], 0);
}
END_TEST

/* More than a medium range has otherwise: 520 of 8000 keys begin with 7, and 72 of them are alike. */
START_TEST(full_bucket_of_the_second_level_is_a_medium_range_however_large)
{
    if (!has_hybrid() || is_simulated()) {
        return;
    }
    fill_with_hot_key(8000);
    sort_counted("hybrid", keys, 8000, control);
    ck_assert_uint_eq(control[OVERFLOW], 0);
    ck_assert_uint_eq(control[FAILED], 1);
    ck_assert_uint_eq(control[MEDIUM], 1);
    ck_assert_uint_eq(control[RANGES], 0);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- exact levels */

/* Keys whose highest digit has 4 values: giant ranges again, whose children fit local memory. */
START_TEST(giant_children_are_partitioned_at_the_next_level)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = (uint32_t)i * 2654435769u >> 2;
    }
    sort_counted("hybrid_exact", keys, 4000, control);
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[BLOCKS], 63);
    ck_assert_uint_eq(control[RANGES + 1], 4);
    ck_assert_uint_eq(control[RANGES + 2], 0);
    ck_assert_uint_eq(control[MEDIUM], 0);
    ck_assert_uint_ge(control[TASKS], 4 * 16);
}
END_TEST

/* Only 8 low bits vary: the whole is listed again once, not once for each digit; the last digit is expanded, not moved. */
START_TEST(digits_that_do_not_vary_are_left_out)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = 0xabcdef00u + (uint32_t)i * 2654435769u % 251;
    }
    sort_counted("hybrid_exact", keys, 4000, control);
    ck_assert_uint_eq(control[RANGES + 1], 1);
    ck_assert_uint_eq(control[RANGES + 2], 0);
    ck_assert_uint_eq(control[MEDIUM], 16);
    ck_assert_uint_eq(control[TASKS], 16); /* empty ones, in the places of the ranges */
}
END_TEST

START_TEST(last_digit_of_a_giant_range_is_expanded)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 3000; i++) {
        keys[i] = 0x12345670u + (uint32_t)i * 7 % 13;
    }
    sort_counted("hybrid_exact", keys, 3000, control);
    ck_assert_uint_eq(control[RANGES + 1], 1);
    ck_assert_uint_eq(control[RANGES + 2], 0);
    ck_assert_uint_eq(control[MEDIUM], 0);
    ck_assert_uint_eq(control[TASKS], 0);
}
END_TEST

START_TEST(equal_keys_are_filled_in)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 3000; i++) {
        keys[i] = 0x12345678u;
    }
    sort_counted("hybrid_exact", keys, 3000, control);
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[RANGES + 1], 0);
    ck_assert_uint_eq(control[MEDIUM], 0);
    ck_assert_uint_eq(control[TASKS], 0);
}
END_TEST

/* Ranges of 512, the most that is medium; the two children of each exceed a bucket too and wait on the stack. */
START_TEST(medium_ranges_are_taken_apart_depth_first)
{
    if (!has_hybrid()) {
        return;
    }
    for (uint32_t i = 0; i < 4096; i++) {
        keys[i] = i % 8 << 28 | i / 8 % 2 << 24 | (i * 2654435769u >> 8 & 0xffffff);
    }
    sort_counted("hybrid_exact", keys, 4096, control);
    ck_assert_uint_eq(control[RANGES + 1], 0);
    ck_assert_uint_eq(control[MEDIUM], 8);
    ck_assert_uint_ge(control[TASKS], 8 * 2 * 2);
    ck_assert_uint_eq(control[HARD], 0);
}
END_TEST

/* 100 keys differ in low bits alone and one in a higher one, so that they share a bin, which is too many for bins. */
START_TEST(task_that_bins_do_not_serve_has_bins_of_a_code)
{
    if (!has_hybrid()) {
        return;
    }
    for (uint32_t i = 0; i < 100; i++) {
        keys[i] = i * 37 % 101;
    }
    keys[100] = 0x0f0000;
    keys[101] = 0xf00000;
    sort_counted("hybrid_exact", keys, 102, control);
    ck_assert_uint_eq(control[HARD], 1);
    ck_assert_uint_eq(control[MERGED], 0);
    ck_assert_uint_ge(control[TASKS], 2);
}
END_TEST

static bool has_wider_groups(void)
{
    if (!has_hybrid() || group_limit() < 64) {
        print_exemption("hybrid with work-groups of 64", "the device's work-groups are smaller");
        return false;
    }
    if (!is_slow_run() && !compiles_barriers_fast()) {
        print_exemption("hybrid with work-groups of 64", "its programs take a minute to compile: in the long run");
        return false;
    }
    return true;
}

/* Sorts 480 keys of one digit, and one of another, which makes their task hard from the start, and asserts whether it is merged. */
static void sort_hard_keys(uint32_t n_merged)
{
    tiles = WIDER_GROUPS;
    keys[480] = 0;
    sort_counted("hybrid_exact", keys, 481, control);
    ck_assert_uint_eq(control[HARD], 1);
    ck_assert_uint_eq(control[MERGED], n_merged);
    tiles = SMALL_TILES;
}

/* In 17 bits keys are of one pattern or of the one that differs in all of them, so that each bit is as often set as not: the code
   expects 2^17 patterns and puts the 240 keys of each into a bin. All have one digit, which makes the task hard from the start. */
START_TEST(task_that_a_code_does_not_serve_is_merged)
{
    if (!has_wider_groups()) {
        return;
    }
    for (uint32_t i = 0; i < 480; i++) {
        keys[i] = 22u << 26 | (i % 2 ? 0x2aaaa00 : 0x1555400) | (480 - i);
    }
    sort_hard_keys(1);
}
END_TEST

/* A third of the keys are one, and the others have any bits: those that are alike say nothing about these. */
START_TEST(frequent_key_has_a_bin_of_a_code_for_itself)
{
    if (!has_wider_groups()) {
        return;
    }
    uint32_t seed = 5;
    for (uint32_t i = 0; i < 480; i++) {
        keys[i] = 22u << 26 | (i % 3 ? next_random(&seed) >> 6 : 0x155aa33);
    }
    sort_hard_keys(0);
}
END_TEST

/* Bins of more keys than one round sorts, in tasks of fewer keys than the work-group has work-items. */
START_TEST(bins_above_a_row_are_sorted_in_small_tasks)
{
    if (!has_wider_groups()) {
        return;
    }
    tiles = WIDER_GROUPS;
    for (uint32_t in_bin = 9; in_bin < 16; in_bin++) {
        for (uint32_t i = 0; i < 4 * in_bin; i++) {
            keys[i] = i % 4 * 16 << 26 | (1000 - i);
        }
        sort_counted("hybrid_exact", keys, 4 * in_bin, control);
        ck_assert_uint_eq(control[TASKS], 1);
        ck_assert_uint_eq(control[HARD], 0);
    }
    tiles = SMALL_TILES;
}
END_TEST

/* --------------------------------------------------------------------------------------------------- against the oracle */

static const struct data shapes[] = {{DATA_RANDOM, 11, 0},   {DATA_FEW, 12, 5},         {DATA_SPECIAL, 13, 0},
                                     {DATA_ASCENDING, 0, 0}, {DATA_MAXIMUM_MIX, 14, 0}, {DATA_LOW_BITS, 15, 0xff},
                                     {DATA_DESCENDING, 0, 0}};

/* Enough for all kinds of ranges; the simulator sorts some hundred keys a second. */
static uint64_t count_of_shapes(void)
{
    return is_simulated() ? 200 : 2500;
}

/* ------------------------------------------------------------------------------------------------------ stable levels */

START_TEST(stable_levels_of_even_keys_end_in_medium_ranges)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 4000);
    sort_pairs_counted(keys, 4000, control);
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[RANGES + 1], 0);
    ck_assert_uint_eq(control[MEDIUM], 16);
    ck_assert_uint_gt(control[TASKS], 16);
    ck_assert_uint_eq(control[HARD], 0);
}
END_TEST

START_TEST(stable_levels_take_giant_children_apart)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 4000);
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = keys[i] >> 3; /* two of sixteen digits */
    }
    sort_pairs_counted(keys, 4000, control);
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[RANGES + 1], 2);
    ck_assert_uint_eq(control[RANGES + 2], 0);
    ck_assert_uint_eq(control[NARROW], 1); /* 24 of 32 bits are left, beside 8 of a slot */
}
END_TEST

START_TEST(stable_levels_leave_out_digits_that_do_not_vary)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = 0x12345600u | (uint32_t)(i * 7 % 200);
    }
    sort_pairs_counted(keys, 4000, control);
    ck_assert_uint_eq(control[RANGES + 1], 1);
    ck_assert_uint_eq(control[BLOCKS], control[BLOCKS + 1]);
}
END_TEST

START_TEST(equal_keys_of_pairs_are_copied)
{
    if (!has_hybrid()) {
        return;
    }
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = 77;
    }
    sort_pairs_counted(keys, 4000, control);
    ck_assert_uint_eq(control[RANGES + 1], 0);
    ck_assert_uint_eq(control[TASKS], 0);
}
END_TEST

START_TEST(small_children_of_pairs_are_joined_into_wide_tasks)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, 100);
    sort_pairs_counted(keys, 100, control);
    ck_assert_uint_eq(control[WIDE], 1);
    ck_assert_uint_eq(control[NARROW], 0);
    ck_assert_uint_eq(control[HARD], 0);
}
END_TEST

START_TEST(task_of_pairs_that_bins_do_not_serve_is_merged)
{
    if (!has_hybrid()) {
        return;
    }
    fill_evenly(keys, CAPACITY);
    for (size_t i = 0; i < CAPACITY; i++) {
        keys[i] = 0x50000000u | (i % 16 ? 0 : keys[i] >> 4);
    }
    keys[CAPACITY / 2] = 0; /* so that the others are a child, and a task */
    sort_pairs_counted(keys, CAPACITY, control);
    ck_assert_uint_eq(control[HARD], 1);
}
END_TEST

/* Children of 16 are joined to runs of up to three quarters of the capacity: five runs of a range of 256, where 144 would make three. */
START_TEST(few_pairs_are_sorted_in_small_buckets)
{
    if (!has_hybrid() || group_limit() < 8) {
        return;
    }
    if (!is_slow_run() && !compiles_barriers_fast()) {
        print_exemption("small buckets of pairs", "their programs take a minute to compile: in the long run");
        return;
    }
    tiles = LARGER_BUCKETS;
    fill_evenly(keys, 4000);
    sort_pairs_counted(keys, 4000, control);
    ck_assert_uint_ge(control[TASKS], 16 * (256 / (SMALL_CAPACITY * 3 / 4)));
    for (size_t i = 0; i < 4000; i++) {
        keys[i] = i % 3 ? keys[i] & 0xf0f00fff : 0x31415926;
    }
    sort_pairs_counted(keys, 4000, control);
    for (size_t i = 0; i < SMALL_CAPACITY; i++) {
        keys[i] = 0x50000000u | (i % 16 ? 0 : keys[i] >> 4);
    }
    keys[SMALL_CAPACITY / 2] = 0;
    sort_pairs_counted(keys, SMALL_CAPACITY, control);
    ck_assert_uint_eq(control[HARD], 1);
    if (!is_simulated()) {
        fill_evenly(keys, MOST_KEYS); /* these are not few */
        sort_pairs_counted(keys, MOST_KEYS, control);
        ck_assert_uint_lt(control[TASKS], 16 * (MOST_KEYS / 16 / (SMALL_CAPACITY * 3 / 4)));
    }
    tiles = SMALL_TILES;
}
END_TEST

/* Sorts the case in all shapes, both directions, in place and out of place in turn. */
static void sort_shapes(struct sort_case c)
{
    prepare_sort(small_tiles(), &c);
    for (size_t s = 0; s < N_ELEMENTS(shapes); s += is_simulated() ? 3 : 1) {
        c.data = shapes[s];
        for (unsigned d = 0; d < 2; d++) {
            c.flags = d ? c.flags | CLSORT_DESCENDING : c.flags & ~(uint32_t)CLSORT_DESCENDING;
            c.in_place = (s + d) % 2 && c.operation != CLSORT_ARGSORT;
            c.start = s % 3 * 5;
            c.workspace = s % 2 ? WORKSPACE_LEAST : WORKSPACE_POOL;
            check_sort(small_tiles(), c);
        }
    }
}

/* The first kinds of keys everywhere, all of them in the long run. */
static size_t n_kinds(size_t n_first, size_t n_all)
{
    if (is_slow_run() || strcmp(current_setting()->name, "native") == 0) {
        return n_all;
    }
    print_exemption("all kinds of keys and values", "their programs take minutes to compile: in the long run");
    return n_first;
}

START_TEST(keys_of_every_kind_are_sorted_in_both_orders)
{
    static const clsort_key_type types[] = {CLSORT_U32, CLSORT_F16, CLSORT_I64, CLSORT_U8,   CLSORT_I8,  CLSORT_U16,
                                            CLSORT_I16, CLSORT_I32, CLSORT_U64, CLSORT_BF16, CLSORT_F32, CLSORT_F64};
    for (size_t t = 0; t < n_kinds(1, N_ELEMENTS(types)) && has_hybrid(); t++) {
        struct sort_case c = {.operation = CLSORT_KEYS, .key_type = types[t], .count = count_of_shapes()};
        c.algorithm = "hybrid";
        sort_shapes(c);
        c.algorithm = "hybrid_exact";
        sort_shapes(c);
    }
}
END_TEST

/* In the order of numbers floats that differ are equal, which their bits in the output have to show. */
START_TEST(pairs_are_stable)
{
    static const struct {
        clsort_key_type type;
        uint32_t value_bytes;
    } cases[] = {{CLSORT_U32, 4}, {CLSORT_U8, 4},   {CLSORT_U64, 8}, {CLSORT_I16, 2},
                 {CLSORT_I32, 3}, {CLSORT_F32, 12}, {CLSORT_F64, 16}};
    for (size_t i = 0; i < n_kinds(1, N_ELEMENTS(cases)) && has_hybrid(); i++) {
        struct sort_case c = {.operation = CLSORT_PAIRS,
                              .key_type = cases[i].type,
                              .value_bytes = cases[i].value_bytes,
                              .count = count_of_shapes(),
                              .algorithm = "hybrid_stable"};
        sort_shapes(c);
    }
}
END_TEST

START_TEST(argsort_is_stable)
{
    static const struct {
        clsort_key_type type;
        uint32_t index_bytes;
    } cases[] = {{CLSORT_F64, 4}, {CLSORT_U32, 8}, {CLSORT_F16, 4}};
    for (size_t i = 0; i < n_kinds(0, N_ELEMENTS(cases)) && has_hybrid(); i++) {
        struct sort_case c = {.operation = CLSORT_ARGSORT,
                              .key_type = cases[i].type,
                              .index_bytes = cases[i].index_bytes,
                              .count = count_of_shapes(),
                              .algorithm = "hybrid_stable"};
        if (!is_simulated()) {
            sort_shapes(c);
        }
        c.without_keys_out = true;
        sort_shapes(c);
    }
}
END_TEST

/* Around tiles, buckets, windows of tasks, medium and giant ranges, and the sample. */
START_TEST(counts_around_every_boundary_are_right)
{
    const bool has_all_kinds = n_kinds(0, 1) == 1;
    static const uint64_t boundaries[] = {1, 64, 96, CAPACITY, 2 * CAPACITY, GIANT, 2 * GIANT, SAMPLES, 2 * SAMPLES};
    for (size_t b = 0; b < N_ELEMENTS(boundaries) && has_hybrid(); b++) {
        for (uint64_t count = boundaries[b] - 1; count <= boundaries[b] + 1 && setting_allows(count);
             count += is_simulated() ? 2 : 1) {
            struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = count};
            c.data = (struct data){DATA_RANDOM, (uint32_t)count + 1, 0};
            c.algorithm = "hybrid";
            check_sort(small_tiles(), c);
            c.algorithm = "hybrid_exact";
            check_sort(small_tiles(), c);
            c.algorithm = "hybrid_stable";
            c.operation = CLSORT_PAIRS;
            c.data = (struct data){DATA_FEW, (uint32_t)count + 1, 3};
            check_sort(small_tiles(), c);
            c.data = (struct data){DATA_ALL, 1, 0xff};
            check_sort(small_tiles(), c);
            /* keys of one digit have so few levels that ranges below the giant ones are met in the last */
            c.key_type = CLSORT_U8;
            if (has_all_kinds) {
                check_sort(small_tiles(), c);
            }
        }
    }
}
END_TEST

/* Digits of other widths have other numbers of levels, up to one for each bit. */
START_TEST(digits_of_any_width_are_right)
{
    static const unsigned widths[] = {1, 2, 3, 5, 6};
    for (size_t w = 0; w < n_kinds(0, N_ELEMENTS(widths)) && has_hybrid(); w++) {
        char tuning[256];
        snprintf(tuning, sizeof tuning, "%s,hybrid_bits=%u", group_limit() < 8 ? groups_of_4 : groups_of_8, widths[w]);
        struct device device = open_unoptimised(tuning, 0);
        struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U64, .count = 2000};
        c.data = (struct data){DATA_RANDOM, 3, 0};
        c.algorithm = "hybrid_exact";
        prepare_sort(&device, &c);
        check_sort(&device, c);
        c.operation = CLSORT_PAIRS;
        c.value_bytes = 8;
        c.algorithm = "hybrid_stable";
        prepare_sort(&device, &c);
        c.data = (struct data){DATA_FEW, 3, 3};
        check_sort(&device, c);
        close_device(&device);
    }
}
END_TEST

/* Keys of one digit have no level that is partitioned: their whole histogram is expanded. */
START_TEST(keys_of_one_digit_are_counted_and_expanded)
{
    static const uint64_t counts[] = {5, 33, 700, 4000};
    for (size_t n = 0; n < n_kinds(0, N_ELEMENTS(counts)) && has_hybrid(); n++) {
        char tuning[256];
        snprintf(tuning, sizeof tuning, "%s,hybrid_bits=8,bucket_items=64",
                 group_limit() < 8 ? groups_of_4 : groups_of_8);
        struct device device = open_unoptimised(tuning, 0);
        struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U8, .count = counts[n]};
        for (uint64_t few = 3; few <= 256 && group_limit() >= 8; few += 253) {
            c.data = (struct data){DATA_FEW, (uint32_t)few, few};
            c.algorithm = "hybrid";
            prepare_sort(&device, &c);
            check_sort(&device, c);
            c.algorithm = "hybrid_exact";
            prepare_sort(&device, &c);
            check_sort(&device, c);
        }
        close_device(&device);
    }
}
END_TEST

/* Tiles meet at cursors in any order, and yet the result is the same each time, ties included. */
START_TEST(result_does_not_change_from_run_to_run)
{
    const unsigned n_runs = is_simulated() ? 2 : is_slow_run() ? 5000 : 1000;
    struct sort_case c = {.operation = CLSORT_PAIRS, .key_type = CLSORT_U32, .count = allowed_count(1500)};
    c.data = (struct data){DATA_FEW, 17, 16};
    c.algorithm = "hybrid_stable";
    for (unsigned run = 0; run < n_runs && has_hybrid(); run++) {
        check_sort(small_tiles(), c); /* against the oracle, byte for byte */
    }
    ck_assert(!has_hybrid() || n_sorts_checked() > n_runs);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ refusals */

START_TEST(hybrid_is_refused_where_it_does_not_fit)
{
    struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 700, .algorithm = "hybrid"};
    c.data = (struct data){DATA_RANDOM, 5, 0};
    if (group_limit() < 4) {
        ck_assert(!check_sort_if_fits(test_device(), c));
        c.algorithm = "hybrid_exact";
        ck_assert(!check_sort_if_fits(test_device(), c));
    }
    if (!has_hybrid()) {
        return;
    }
    c.flags = CLSORT_BIT_RANGE;
    c.begin_bit = 3;
    c.end_bit = 30;
    ck_assert(!check_sort_if_fits(small_tiles(), c));
    c.algorithm = "hybrid_exact";
    ck_assert(!check_sort_if_fits(small_tiles(), c));
    c.flags = 0;
    c.operation = CLSORT_PAIRS;
    c.algorithm = "hybrid";
    ck_assert(!check_sort_if_fits(small_tiles(), c));
    c.algorithm = "hybrid_exact";
    ck_assert(!check_sort_if_fits(small_tiles(), c));
    c.algorithm = "hybrid_stable";
    c.operation = CLSORT_KEYS;
    ck_assert(!check_sort_if_fits(small_tiles(), c));
    c.operation = CLSORT_PAIRS;
    c.flags = CLSORT_BIT_RANGE;
    ck_assert(!check_sort_if_fits(small_tiles(), c));
}
END_TEST

/* Also where the choice changes, of the choice and of each algorithm by its name. */
START_TEST(workspace_does_not_fall_when_the_count_grows)
{
    static const char *const names[] = {NULL, "hybrid", "hybrid_exact", "hybrid_stable"};
    char tuning[256];
    snprintf(tuning, sizeof tuning, "%s,hybrid_count=3000,stable_count=5000",
             group_limit() < 8 ? groups_of_4 : groups_of_8);
    for (size_t a = 0; a < N_ELEMENTS(names) && has_hybrid(); a++) {
        struct device device = open_unoptimised(tuning, 0);
        for (clsort_operation operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation++) {
            uint64_t least_before = 0, best_before = 0;
            unsigned n_compared = 0;
            for (uint64_t count = 1; count < UINT64_C(1) << 31; count += count / 40 + 1) {
                clsort_request request;
                clsort_request_init(&request);
                request.operation = operation;
                request.key_type = CLSORT_U32;
                request.value_bytes = operation == CLSORT_PAIRS ? 4 : 0;
                request.index_bytes = operation == CLSORT_ARGSORT ? 4 : 0;
                request.count = count;
                request.algorithm = names[a];
                uint64_t least, best;
                const clsort_status status =
                    clsort_get_info(device.sorter, &request, CLSORT_INFO_WORKSPACE_LEAST, sizeof least, &least, NULL);
                if (status == CLSORT_INVALID_ALGORITHM || status == CLSORT_COUNT_TOO_LARGE) {
                    break; /* so are all larger counts */
                }
                least = info_number(device.sorter, &request, CLSORT_INFO_WORKSPACE_LEAST);
                best = info_number(device.sorter, &request, CLSORT_INFO_WORKSPACE_BEST);
                ck_assert_msg(least >= least_before && best >= best_before, "%s, operation %d, count %llu",
                              names[a] ? names[a] : "default", (int)operation, (unsigned long long)count);
                least_before = least;
                best_before = best;
                n_compared++;
            }
            const bool is_for_it = !names[a] || sorts_keys_alone(names[a]) == (operation == CLSORT_KEYS);
            ck_assert(is_for_it ? n_compared > 100 : n_compared == 0);
        }
        close_device(&device);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("hybrid", even_keys_go_through_two_levels_of_buckets, uneven_keys_are_seen_in_the_sample,
                     full_bucket_of_the_first_level_ends_the_optimistic_way,
                     giant_range_with_two_digits_left_behind_the_last_level_is_medium,
                     full_bucket_of_the_second_level_becomes_a_medium_range,
                     full_bucket_of_the_second_level_is_a_medium_range_however_large,
                     giant_children_are_partitioned_at_the_next_level, digits_that_do_not_vary_are_left_out,
                     last_digit_of_a_giant_range_is_expanded, equal_keys_are_filled_in,
                     medium_ranges_are_taken_apart_depth_first, task_that_bins_do_not_serve_has_bins_of_a_code,
                     task_that_a_code_does_not_serve_is_merged, frequent_key_has_a_bin_of_a_code_for_itself,
                     bins_above_a_row_are_sorted_in_small_tasks, stable_levels_of_even_keys_end_in_medium_ranges,
                     stable_levels_take_giant_children_apart, stable_levels_leave_out_digits_that_do_not_vary,
                     equal_keys_of_pairs_are_copied, small_children_of_pairs_are_joined_into_wide_tasks,
                     task_of_pairs_that_bins_do_not_serve_is_merged, few_pairs_are_sorted_in_small_buckets,
                     keys_of_every_kind_are_sorted_in_both_orders, pairs_are_stable, argsort_is_stable,
                     counts_around_every_boundary_are_right, digits_of_any_width_are_right,
                     keys_of_one_digit_are_counted_and_expanded, result_does_not_change_from_run_to_run,
                     hybrid_is_refused_where_it_does_not_fit, workspace_does_not_fall_when_the_count_grows);
}
