/* Quicksort: every kind of sort, of arrays and of segments; its work stays bounded for killer inputs, and the last resort is right. */
#include "segment_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tasks of 16 keys and blocks of 8, or of 4 by 4: few keys take all ways. Ranges are divided into 16 buckets at most. */
enum { CAPACITY = 16, BUCKET_BITS = 4 };
static const char groups_of_1[] = "group_size=1,items=8,radix_bits=4,rank_bits=4,blocks_per_unit=16,local_group_size=1,"
                                  "local_items=16,chunked_count=0,network_keys=0";
static const char groups_of_4[] = "group_size=4,items=3,radix_bits=4,rank_bits=3,blocks_per_unit=16,local_group_size=2,"
                                  "local_items=8,chunked_count=0,network_keys=0";

static struct device *small_tasks(void)
{
    static struct device device;
    if (!device.sorter) {
        device = open_device(has_groups() ? groups_of_4 : groups_of_1, 0);
    }
    return &device;
}

static struct sort_case quicksort_case(clsort_operation operation, uint64_t count)
{
    return (struct sort_case){.operation = operation,
                              .key_type = CLSORT_U32,
                              .count = count,
                              .data = {DATA_RANDOM, 7, 0},
                              .algorithm = "quicksort"};
}

/* ------------------------------------------------------------------------------------------------------- device counters */

/* Words that the workspace begins with, as in cl/quicksort_ranges.cl. */
enum {
    MOST_LEVELS = 32,
    LEVEL_WORDS = 8,
    LEVEL_RANGES = 0,
    LEVEL_MOVED = 4,
    TASKS = MOST_LEVELS * LEVEL_WORDS,
    COPIED = TASKS + 2,
    N_WORDS = TASKS + 8
};

struct work {
    uint64_t moved, merged; /* keys of ranges that were divided, and of those that were merged after the last level */
    uint64_t copied;
    uint32_t n_levels; /* with ranges */
    uint32_t n_tasks;
};

/* Levels that a sort has at most, the spare one with them. */
static uint32_t levels_of(uint64_t n, uint32_t capacity, uint32_t bucket_bits)
{
    const uint64_t n_buckets = (2 * n + capacity - 1) / capacity;
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < n_buckets) {
        bits++;
    }
    return (bits + bucket_bits - 1) / bucket_bits + 1;
}

static void read_work(const uint32_t words[N_WORDS], uint32_t last_level, struct work *work)
{
    memset(work, 0, sizeof *work);
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        const uint64_t n = words[level * LEVEL_WORDS + LEVEL_MOVED];
        work->moved += level < last_level ? n : 0;
        work->merged += level < last_level ? 0 : n;
        work->n_levels += words[level * LEVEL_WORDS + LEVEL_RANGES] > 0;
    }
    work->copied = words[COPIED];
    work->n_tasks = words[TASKS];
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t key_a, key_b;
    memcpy(&key_a, a, sizeof key_a);
    memcpy(&key_b, b, sizeof key_b);
    return (key_a > key_b) - (key_a < key_b);
}

/* Sorts keys, alone or with their positions as values, checks them and reads the counters. */
static void sort_and_count(const struct device *device, const uint32_t *keys, size_t n, bool has_values,
                           uint32_t last_level, struct work *work)
{
    const size_t bytes = n * sizeof keys[0];
    uint32_t *expected = allocate(bytes), *sorted = allocate(bytes), *positions = allocate(bytes), words[N_WORDS];
    memcpy(expected, keys, bytes);
    qsort(expected, n, sizeof expected[0], compare_keys);
    for (size_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)i;
    }
    clsort_request r;
    clsort_request_init(&r);
    r.operation = has_values ? CLSORT_PAIRS : CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.count = n;
    r.algorithm = "quicksort";
    r.keys_in = r.keys_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, keys), 0);
    if (has_values) {
        r.value_bytes = 4;
        r.values_in = r.values_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, positions), 0);
    }
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &r, &r.workspace.bytes, NULL));
    ck_assert_uint_ge(r.workspace.bytes, sizeof words);
    r.workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, r.workspace.bytes, NULL);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
    read_buffer(device, r.keys_out.buffer, bytes, sorted);
    read_buffer(device, r.workspace.buffer, sizeof words, words);
    ck_assert_mem_eq(sorted, expected, bytes);
    if (has_values) {
        read_buffer(device, r.values_out.buffer, bytes, positions);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_lt(positions[i], n);
            ck_assert_uint_eq(sorted[i], keys[positions[i]]);
            ck_assert(i == 0 || sorted[i - 1] < sorted[i] || positions[i - 1] < positions[i]);
        }
        clReleaseMemObject(r.values_out.buffer);
    }
    read_work(words, last_level, work);
    clReleaseMemObject(r.workspace.buffer);
    clReleaseMemObject(r.keys_out.buffer);
    free(expected);
    free(sorted);
    free(positions);
}

/* ---------------------------------------------------------------------------------------------------------- worst cases */

/* Keys for which a quicksort by the median of the first, middle and last key of a range takes the square of n (Musser, Introspective
   sorting and selection algorithms, 1997). */
static void make_median_killer(uint32_t *keys, size_t n)
{
    const uint32_t half = (uint32_t)n / 2;
    for (uint32_t i = 1; i <= half; i++) {
        keys[i - 1] = i % 2 ? i : half + i - 1;
        keys[half + i - 1] = 2 * i;
    }
}

static void make_killer(unsigned killer, uint32_t *keys, size_t n)
{
    static const struct data shapes[] = {{DATA_ASCENDING, 1, 0},    {DATA_DESCENDING, 1, 0}, {DATA_PIPE, 1, 0},
                                         {DATA_LAST_MINIMUM, 1, 0}, {DATA_ALL, 1, 7},        {DATA_FEW, 3, 2},
                                         {DATA_FEW, 3, 300}};
    if (killer < N_ELEMENTS(shapes)) {
        make_keys(CLSORT_U32, shapes[killer], n, keys);
    } else {
        make_median_killer(keys, n);
    }
}
enum { N_KILLERS = 8 };

/* Keys that are moved in all: each round of merges moves those that are merged. */
static uint64_t all_moves(const struct work *work)
{
    enum { MOST_ROUNDS = 16 };
    return work->moved + work->copied + MOST_ROUNDS * work->merged;
}

/* QS-A1 of the cases, and the others that quicksorts have had trouble with. most_merged: where there is one sample for each bucket,
   some of them get more than the levels take apart. */
static void check_killers(const struct device *device, size_t n, uint32_t last_level, uint64_t most_merged)
{
    uint32_t *keys = allocate(n * sizeof keys[0]);
    for (unsigned has_values = 0; has_values < 2; has_values++) {
        struct work random, work;
        make_keys(CLSORT_U32, (struct data){DATA_RANDOM, 5, 0}, n, keys);
        sort_and_count(device, keys, n, has_values, last_level, &random);
        ck_assert_uint_ge(random.moved, n);
        ck_assert_uint_le(random.merged, most_merged);
        for (unsigned killer = 0; killer < N_KILLERS; killer++) {
            make_killer(killer, keys, n);
            sort_and_count(device, keys, n, has_values, last_level, &work);
            printf("%u keys of killer %u: %u moved, %u copied, %u merged; random ones: %u moved\n", (unsigned)n, killer,
                   (unsigned)work.moved, (unsigned)work.copied, (unsigned)work.merged, (unsigned)random.moved);
            ck_assert_uint_le(all_moves(&work), 3 * random.moved);
            ck_assert_uint_le(work.merged, most_merged);
        }
    }
    free(keys);
}

START_TEST(killer_inputs_move_no_more_than_three_times_the_keys)
{
    const size_t n = (size_t)allowed_count(is_small_setting() ? 4096 : 65536);
    check_killers(small_tasks(), n, levels_of(n, CAPACITY, BUCKET_BITS), n / 50);
    if (n == 65536) {
        struct device device = open_device("local_group_size=1,local_items=256,radix_bits=8", 0);
        check_killers(&device, n, levels_of(n, 256, 8), 0);
        close_device(&device);
    }
}
END_TEST

/* What cl/quicksort_leaf.cl draws a sample by. */
static uint32_t mix(uint32_t number)
{
    number = (number ^ number >> 16) * UINT32_C(0x85ebca6b);
    number = (number ^ number >> 13) * UINT32_C(0xc2b2ae35);
    return number ^ number >> 16;
}

static uint64_t sample_position(uint32_t begin, uint64_t length, uint32_t sample, uint32_t n_samples)
{
    return length * sample / n_samples + mix(sample + UINT32_C(0x9e3779b9) * begin) % (length / n_samples);
}

/*
 * Keys made by someone who knows where samples are drawn: at each level these are the least keys of the range, so that nearly all
 * others stay together. Partitions are stable, so it is known where each key is.
 */
static void make_adversary(uint32_t *keys, size_t n, uint32_t n_levels)
{
    uint32_t *range = allocate(n * sizeof range[0]), length = (uint32_t)n, next = 0; /* positions of the input */
    for (uint32_t i = 0; i < n; i++) {
        range[i] = i;
        keys[i] = UINT32_MAX;
    }
    for (uint32_t level = 0; level < n_levels; level++) {
        const uint32_t begin = (uint32_t)n - length;
        uint32_t n_left = 0;
        for (uint32_t sample = 0; sample < CAPACITY; sample++) {
            const uint32_t at = range[sample_position(begin, length, sample, CAPACITY)];
            keys[at] = keys[at] == UINT32_MAX ? next++ : keys[at];
        }
        /* There are as many buckets as samples or fewer: the last splitter is the greatest sample or one before it. */
        uint32_t sorted[CAPACITY], bits = 2;
        for (uint32_t sample = 0; sample < CAPACITY; sample++) {
            sorted[sample] = keys[range[sample_position(begin, length, sample, CAPACITY)]];
        }
        qsort(sorted, CAPACITY, sizeof sorted[0], compare_keys);
        const uint32_t n_bits = levels_of(length, CAPACITY, 1) - 1,
                       of_levels = (n_bits + BUCKET_BITS - 1) / BUCKET_BITS;
        bits = (n_bits + of_levels - 1) / of_levels > bits ? (n_bits + of_levels - 1) / of_levels : bits;
        const uint32_t last = sorted[((UINT32_C(1) << bits) - 1) * CAPACITY >> bits];
        for (uint32_t i = 0; i < length; i++) {
            if (keys[range[i]] > last) {
                range[n_left++] = range[i];
            }
        }
        length = n_left;
    }
    for (uint32_t i = 0; i < n; i++) { /* what is left is in no order, with ties */
        keys[i] = keys[i] == UINT32_MAX ? 10000 + i * 7919 % 500 : keys[i];
    }
    free(range);
}

START_TEST(what_an_adversary_leaves_after_the_last_level_is_merged)
{
    enum { N = 1000 };
    uint32_t keys[N];
    struct work work;
    const uint32_t n_levels = levels_of(N, CAPACITY, BUCKET_BITS);
    make_adversary(keys, N, n_levels);
    sort_and_count(small_tasks(), keys, N, true, n_levels, &work);
    ck_assert_uint_ge(work.merged, N - n_levels * CAPACITY);
    ck_assert_uint_le(work.moved, n_levels * N);
    if (!has_groups()) { /* whose partitions of keys alone are not stable */
        sort_and_count(small_tasks(), keys, N, false, n_levels, &work);
        ck_assert_uint_ge(work.merged, N - n_levels * CAPACITY);
    }
}
END_TEST

START_TEST(equal_keys_are_done_after_one_level)
{
    enum { N = 2000 };
    uint32_t keys[N];
    struct work work;
    make_keys(CLSORT_U32, (struct data){DATA_ALL, 1, 99}, N, keys);
    sort_and_count(small_tasks(), keys, N, true, levels_of(N, CAPACITY, BUCKET_BITS), &work);
    ck_assert_uint_eq(work.moved, N);
    ck_assert_uint_eq(work.copied, N);
    ck_assert_uint_eq(work.n_levels, 1);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- kinds of sorts */

START_TEST(sizes_around_tasks_and_blocks_are_sorted)
{
    for (uint64_t n = 0; n < 70; n += n < 20 ? 1 : 7) {
        struct sort_case c = quicksort_case(n % 2 ? CLSORT_PAIRS : CLSORT_KEYS, n);
        c.in_place = n % 3 == 0;
        check_sort(small_tasks(), c);
    }
    static const uint64_t sizes[] = {127, 128, 129, 1000, 4097, 20000};
    for (size_t i = 0; i < N_ELEMENTS(sizes) && setting_allows(sizes[i]); i++) {
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            struct sort_case c = quicksort_case(i % 2 ? CLSORT_PAIRS : CLSORT_KEYS, sizes[i]);
            c.in_place = in_place;
            c.data = in_place ? (struct data){DATA_FEW, 9, 60} : c.data;
            check_sort(small_tasks(), c);
        }
    }
}
END_TEST

static struct sort_case case_of(const struct key_facts *key, size_t variant, size_t order, unsigned n)
{
    struct sort_case c = quicksort_case(value_variants[variant].operation, allowed_count(1500));
    c.value_bytes = c.operation == CLSORT_PAIRS ? value_variants[variant].bytes : 0;
    c.index_bytes = c.operation == CLSORT_ARGSORT ? value_variants[variant].bytes : 0;
    c.key_type = key->type;
    c.data.shape = n % 2 ? DATA_SPECIAL : DATA_RANDOM;
    c.data.seed = 1 + n;
    c.flags = key_orders[order];
    c.in_place = c.operation != CLSORT_ARGSORT && n / 2 % 2;
    c.without_keys_out = c.operation == CLSORT_ARGSORT && n / 2 % 2;
    c.workspace = (enum workspace_kind)(n % 3);
    return c;
}

/* Arrays, and a mix of segments with gaps, of which the longest take some levels. */
START_TEST(all_key_types_operations_and_orders_are_sorted)
{
    const unsigned stride = is_slow_run() ? 1 : is_small_setting() ? 29 : 19;
    uint32_t seed = 17;
    unsigned n = 0;
    start_list();
    add_segment(3, 700);
    while (list.count < 1400) {
        add_segment(next_random(&seed) % 3, next_random(&seed) % 60);
    }
    const struct segment_case segments = {.n = list.n, .begins = list.begins, .ends = list.ends, .offset_bytes = 4};
    for (size_t t = 0; t < n_key_types; t++) {
        for (size_t v = 0; v < N_VALUE_VARIANTS; v++) {
            for (size_t o = 0; o < (key_table[t].kind == KIND_FLOAT ? 4 : 2) && (v + 3 * t) % stride == 0; o++) {
                struct sort_case c = case_of(&key_table[t], v, o, n++);
                check_sort(small_tasks(), c);
                c.segments = &segments;
                c.count = list.count;
                c.flags |= c.operation == CLSORT_ARGSORT && o % 2 ? CLSORT_INDEX_IN_SEGMENT : 0;
                check_sort(small_tasks(), c);
            }
        }
    }
    ck_assert_uint_ge(n, 2);
}
END_TEST

START_TEST(bit_ranges_are_sorted_stably)
{
    static const uint32_t ranges[][2] = {{0, 32}, {0, 0}, {5, 5}, {0, 1}, {3, 11}, {31, 32}, {8, 24}};
    for (unsigned i = 0; i < 2 * N_ELEMENTS(ranges); i++) {
        struct sort_case c = quicksort_case(CLSORT_KEYS, allowed_count(1000));
        c.flags = CLSORT_BIT_RANGE | (i % 3 ? 0 : CLSORT_DESCENDING);
        c.begin_bit = ranges[i / 2][0];
        c.end_bit = ranges[i / 2][1];
        c.in_place = i % 2;
        check_sort(small_tasks(), c);
        c.operation = CLSORT_PAIRS;
        check_sort(small_tasks(), c);
    }
}
END_TEST

/* Ties in any order: keys and values have to be the same records. */
START_TEST(pairs_in_any_order_of_ties_are_sorted)
{
    for (unsigned in_place = 0; in_place < 2; in_place++) {
        struct sort_case c = quicksort_case(CLSORT_PAIRS, allowed_count(1000));
        c.flags = CLSORT_UNSTABLE;
        c.in_place = in_place;
        c.data = (struct data){DATA_FEW, 4, 90};
        check_sort(small_tasks(), c);
    }
}
END_TEST

START_TEST(sorts_with_64_bit_positions_are_right)
{
    struct device device = open_device(has_groups() ? groups_of_4 : groups_of_1, CLSORT_FORCE_64_BIT_INDEX);
    struct sort_case c = quicksort_case(CLSORT_KEYS, allowed_count(1000));
    check_sort(&device, c);
    c.operation = CLSORT_ARGSORT;
    c.index_bytes = 8;
    check_sort(&device, c);
    c.index_bytes = 4; /* which are made of 8-byte ones */
    check_sort(&device, c);
    start_list();
    for (unsigned i = 0; i < 40; i++) {
        add_segment(i % 3, i);
    }
    add_segment(1, 500);
    const struct segment_case segments = {.n = list.n, .begins = list.begins, .ends = list.ends, .offset_bytes = 8};
    c.count = list.count;
    c.segments = &segments;
    c.flags = CLSORT_INDEX_IN_SEGMENT;
    check_sort(&device, c);
    close_device(&device);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------------- segments */

/* Keys and pairs of the segments in the list, on small tasks and on the device's own. */
static void check_list(uint32_t offset_bytes, struct data data)
{
    const struct segment_case segments = {.n = list.n,
                                          .begins = list.begins,
                                          .ends = list.ends,
                                          .offset_bytes = offset_bytes};
    struct device *devices[] = {small_tasks(), has_groups() ? small_tasks() : test_device()};
    for (size_t d = 0; d < N_ELEMENTS(devices); d++) {
        struct sort_case c = quicksort_case(CLSORT_KEYS, list.count);
        c.segments = &segments;
        c.data = data;
        c.in_place = d == 0;
        check_sort(devices[d], c);
        c.operation = CLSORT_PAIRS;
        c.in_place = !c.in_place;
        check_sort(devices[d], c);
    }
}

START_TEST(every_length_of_a_segment_is_sorted)
{
    const uint64_t longest = is_small_setting() ? 80 : is_slow_run() ? 5000 : 400;
    const uint64_t most = allowed_count(is_slow_run() ? 1000000 : 40000);
    for (uint64_t length = 0; length <= longest;) {
        start_list();
        for (; length <= longest && list.count + length <= most; length++) {
            add_segment(length % 3 == 0 ? length % 5 : 0, length);
        }
        check_list(4, (struct data){DATA_RANDOM, 3, 0});
    }
}
END_TEST

START_TEST(mixes_of_segments_are_sorted)
{
    uint32_t seed = 99;
    const uint64_t most = allowed_count(is_small_setting() ? 3000 : is_slow_run() ? 4000000 : 60000);
    for (unsigned mix = 0; mix < 4; mix++) {
        start_list();
        while (list.count + 4 < most && list.n + 1 < MOST_SEGMENTS) {
            const uint32_t random = next_random(&seed);
            const uint64_t left = most - list.count;
            const uint64_t lengths[] = {most / 3, list.n == 100 ? most / 2 : random % 9, most / 8 / (1 + random % 4096),
                                        random % 900};
            add_segment(0, lengths[mix] < left ? lengths[mix] : left);
        }
        shuffle_list(mix + 1);
        check_list(mix % 2 ? 8 : 4, mix == 0 ? (struct data){DATA_ALL, 1, 5} : (struct data){DATA_FEW, 5, 400});
    }
}
END_TEST

START_TEST(empty_cut_and_reversed_segments_are_sorted)
{
    static const uint64_t begins[] = {0, 500, 300, 50, 1000, UINT64_MAX}, ends[] = {50, 200, UINT64_MAX, 290, 10, 0};
    const struct segment_case segments = {.n = 6, .begins = begins, .ends = ends, .offset_bytes = 8};
    struct sort_case c = quicksort_case(CLSORT_KEYS, 700);
    c.segments = &segments;
    check_sort(small_tasks(), c);
    start_list();
    for (unsigned i = 0; i < 500; i++) {
        add_segment(0, 0);
    }
    list.count = 300;
    check_list(4, c.data);
}
END_TEST

START_TEST(segments_of_one_length_are_sorted)
{
    static const uint64_t lengths[][2] = {{1, 0}, {5, 5}, {16, 20}, {17, 0}, {200, 0}, {257, 300}};
    for (unsigned i = 0; i < N_ELEMENTS(lengths); i++) {
        const struct segment_case segments = {.length = lengths[i][0], .stride = lengths[i][1]};
        struct sort_case c = quicksort_case(CLSORT_KEYS, 4 * (segments.stride ? segments.stride : segments.length));
        c.segments = &segments;
        check_sort(small_tasks(), c);
        c.operation = CLSORT_PAIRS;
        c.in_place = true;
        check_sort(small_tasks(), c);
    }
}
END_TEST

START_TEST(overlapping_segments_touch_nothing_else)
{
    uint32_t begins[300], ends[300], seed = 5;
    for (unsigned i = 0; i < 300; i++) {
        begins[i] = 100 + next_random(&seed) % 100;
        ends[i] = begins[i] + next_random(&seed) % 700;
    }
    check_overlapping(small_tasks(), "quicksort", CLSORT_KEYS, 300, begins, ends, 1000, 100);
}
END_TEST

START_TEST(segments_above_the_promised_length_are_copied_or_sorted)
{
    start_list();
    for (unsigned i = 0; i < 30; i++) {
        add_segment(i % 2, i % (CAPACITY + 1));
    }
    add_segment(0, 300);
    struct segment_case segments = {
        .n = list.n, .begins = list.begins, .ends = list.ends, .offset_bytes = 4, .promised = CAPACITY, .copied = true};
    struct sort_case c = quicksort_case(CLSORT_KEYS, list.count);
    c.segments = &segments;
    const uint64_t before = kernel_runs(small_tasks()->sorter, "quicksort_partition/");
    check_sort(small_tasks(), c);
    ck_assert_uint_eq(kernel_runs(small_tasks()->sorter, "quicksort_partition/"), before);
    segments.promised =
        CAPACITY + 1; /* which may need ranges: so it has its levels, and what is longer is merged after them */
    segments.copied = false;
    check_sort(small_tasks(), c);
    ck_assert_uint_gt(kernel_runs(small_tasks()->sorter, "quicksort_partition/"), before);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ all of it */

static uint64_t all_runs(const struct device *device)
{
    return kernel_runs(device->sorter, "quicksort_partition/") + kernel_runs(device->sorter, "quicksort_leaf/");
}

START_TEST(launches_are_as_many_for_all_keys)
{
    static const struct data shapes[] = {{DATA_RANDOM, 1, 0},
                                         {DATA_ALL, 1, 3},
                                         {DATA_ASCENDING, 1, 0},
                                         {DATA_FEW, 1, 5}};
    const uint64_t n = allowed_count(2000);
    uint64_t first = 0;
    for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
        struct sort_case c = quicksort_case(CLSORT_KEYS, n);
        const uint64_t before = all_runs(small_tasks());
        c.data = shapes[i];
        check_sort(small_tasks(), c);
        const uint64_t runs = all_runs(small_tasks()) - before;
        ck_assert_uint_eq(runs, i == 0 ? runs : first);
        first = runs;
    }
    ck_assert_uint_ge(first, 1 + 4 * levels_of(n, CAPACITY, BUCKET_BITS) + 2);
}
END_TEST

START_TEST(every_kernel_has_run)
{
    static const char *const kernels[] = {"partition/begin", "partition/list_long", "partition/count",
                                          "partition/scan",  "partition/move",      "leaf/split",
                                          "leaf/sort_tasks", "leaf/merge_rest",     "partition/move_stable"};
    for (size_t i = 0; i < N_ELEMENTS(kernels) - (has_groups() ? 0 : 1); i++) {
        char name[64];
        snprintf(name, sizeof name, "quicksort_%s", kernels[i]);
        ck_assert_msg(kernel_runs(small_tasks()->sorter, name) > 0, "%s never ran", name);
    }
}
END_TEST

START_TEST(workspace_never_falls_when_count_grows)
{
    for (unsigned i = 0; i < 6; i++) {
        struct device *device = i % 2 || has_groups() ? small_tasks() : test_device();
        uint64_t last_least = 0, last_best = 0;
        for (uint64_t count = 0; count < 3000000; count += count < 3000 ? 100 : count / 900 * 100) {
            clsort_request r;
            uint64_t least = 0, best = 0;
            clsort_request_init(&r);
            r.operation = i / 2 == 0 ? CLSORT_KEYS : i / 2 == 1 ? CLSORT_PAIRS : CLSORT_ARGSORT;
            r.key_type = CLSORT_U32;
            r.algorithm = "quicksort";
            r.value_bytes = r.operation == CLSORT_PAIRS ? 4 : 0;
            r.count = count;
            r.flags = i / 2 == 1 ? CLSORT_SEGMENTS : 0;
            r.segment_count = i / 2 == 1 ? 1000 : 0;
            CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &r, &least, &best));
            ck_assert_uint_le(least, best);
            ck_assert_uint_ge(least, last_least);
            ck_assert_uint_ge(best, last_best);
            last_least = least;
            last_best = best;
        }
    }
}
END_TEST

START_TEST(it_is_taken_by_name_alone)
{
    for (unsigned has_segments = 0; has_segments < 2; has_segments++) {
        for (uint64_t count = 1; count < 100000000; count *= 3) {
            clsort_request r;
            char name[64];
            clsort_request_init(&r);
            r.operation = CLSORT_KEYS;
            r.key_type = CLSORT_U32;
            r.count = count;
            r.flags = has_segments ? CLSORT_SEGMENTS : 0;
            r.segment_count = has_segments ? 3 : 0;
            info_text(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, name, sizeof name);
            ck_assert_str_ne(name, "quicksort");
            r.algorithm = "quicksort";
            info_text(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, name, sizeof name);
            ck_assert_str_eq(name, "quicksort");
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("quicksort", killer_inputs_move_no_more_than_three_times_the_keys,
                     what_an_adversary_leaves_after_the_last_level_is_merged, equal_keys_are_done_after_one_level,
                     sizes_around_tasks_and_blocks_are_sorted, all_key_types_operations_and_orders_are_sorted,
                     bit_ranges_are_sorted_stably, pairs_in_any_order_of_ties_are_sorted,
                     sorts_with_64_bit_positions_are_right, every_length_of_a_segment_is_sorted,
                     mixes_of_segments_are_sorted, empty_cut_and_reversed_segments_are_sorted,
                     segments_of_one_length_are_sorted, overlapping_segments_touch_nothing_else,
                     segments_above_the_promised_length_are_copied_or_sorted, launches_are_as_many_for_all_keys,
                     every_kernel_has_run, workspace_never_falls_when_count_grows, it_is_taken_by_name_alone);
}
