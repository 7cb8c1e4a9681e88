/* Segments of keys alone by segmented_hybrid on small tiles: every way is taken, which its own counters prove. */
#include "sorter.h"

#include "segment_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows of 8 work-items, so that 128 keys fit registers, of which 64 are used; 128 keys fit a work-group, which has one part, as the
 * rows of two would have no room. Tiles of 64 keys, digits of 4 bits; segments above 512 are giant, and few keys take all ways. Without PTX, with which parts of a
 * work-group are whole warps.
 */
enum { IN_REGISTERS = 64, CAPACITY = 128, GIANT = 512 };
static const char small_tuning[] = "hybrid_group_size=8,hybrid_items=8,hybrid_bits=4,bucket_group_size=8,bucket_items="
                                   "16,network_keys=64,segment_levels=2,ptx=0";
/* Work-groups of several parts: 1024 keys fit one, 496 a half, 224 a quarter, 96 an eighth. */
static const char parted_tuning[] = "hybrid_group_size=8,hybrid_items=8,hybrid_bits=4,bucket_group_size=64,bucket_"
                                    "items=16,network_keys=64,segment_levels=3,ptx=0";
static const uint32_t part_capacities[] = {1024, 496, 224, 96};

/* Words of the control area, as in cl/hybrid.cl. */
enum { MEDIUM = 1, TASKS = 3, HARD = 4, LISTED = 8, PARTED = 9, MERGED = 13, RANGES = 16, CONTROL_WORDS = 208 };

static struct device *device_of(const char *tuning)
{
    static struct device devices[2];
    struct device *device = &devices[tuning == parted_tuning];
    if (!device->sorter) {
        *device = open_unoptimised(tuning, 0);
    }
    return device;
}

/* ------------------------------------------------------------------------------------------------------- segments */

static struct sort_case keys_case(const struct segment_case *segments)
{
    return (struct sort_case){.operation = CLSORT_KEYS,
                              .key_type = CLSORT_U32,
                              .count = list.count,
                              .data = {DATA_RANDOM, 7, 0},
                              .segments = segments,
                              .algorithm = "segmented_hybrid"};
}

static uint64_t control_offset(const struct device *device, const clsort_request *request)
{
    struct failure failure = {0};
    struct job job;
    ck_assert_int_eq(clsort__request_resolve(device->sorter, request, REQUEST_BUFFERS, &job, &failure), CLSORT_SUCCESS);
    return clsort__segmented_control(&job);
}

static void sort_counted(const char *tuning, const uint32_t *keys, uint32_t control[CONTROL_WORDS])
{
    sort_listed(device_of(tuning), "segmented_hybrid", CLSORT_KEYS, keys, control_offset, control, CONTROL_WORDS);
}

/* ------------------------------------------------------------------------------------------------------------ ways */

START_TEST(segments_are_listed_by_their_lengths)
{
    uint32_t control[CONTROL_WORDS], expected[4] = {0}, n_medium = 0, n_keys = 0;
    start_list();
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t length = i * i % 1100;
        add_segment(i % 3, length);
        n_keys += length > part_capacities[0] ? length : 0; /* those of ranges */
        for (unsigned bits = 4; bits-- > 0 && length > IN_REGISTERS;) {
            if (length <= part_capacities[bits]) {
                expected[bits]++;
                break;
            }
            n_medium += bits == 0;
        }
    }
    add_segment(1, 5000); /* above 4 times the capacity: giant */
    n_keys += 5000;
    sort_counted(parted_tuning, random_keys(UINT32_MAX), control);
    for (unsigned bits = 0; bits < 4; bits++) {
        ck_assert_uint_gt(expected[bits], 0);
        ck_assert_uint_eq(control[PARTED + bits], expected[bits]);
    }
    ck_assert_uint_gt(n_medium, 0);
    ck_assert_uint_ge(control[MEDIUM], n_medium); /* and children of the giant one */
    ck_assert_uint_eq(control[RANGES], 1);
    ck_assert_uint_eq(control[LISTED], n_keys);
    ck_assert_uint_gt(control[TASKS], 0);
}
END_TEST

START_TEST(giant_segments_go_through_shared_levels_and_medium_ranges)
{
    uint32_t control[CONTROL_WORDS];
    start_list();
    add_segment(3, 9000);
    add_segment(0, GIANT);
    add_segment(0, GIANT + 1);
    add_segment(7, 3000);
    sort_counted(small_tuning, random_keys(UINT32_MAX), control);
    ck_assert_uint_eq(control[RANGES], 3);
    ck_assert_uint_gt(control[RANGES + 1], 0);
    ck_assert_uint_gt(control[MEDIUM], 1); /* one of them, and children of that of 3000 */
    ck_assert_uint_eq(control[LISTED], list.count - 3 - 7);
}
END_TEST

/* Where few keys are divided among many segments, long ones have a work-group each, of any size. */
START_TEST(few_keys_in_many_segments_need_no_shared_levels)
{
    static const uint32_t masks[] = {UINT32_MAX, 0, 0xff, 0xff0000ff};
    uint32_t control[CONTROL_WORDS];
    start_list();
    for (uint32_t i = 0; i < 2000; i++) {
        add_segment(i % 3 == 0, i == 700 ? GIANT + 1 : i == 1300 ? 15000 : i % 8);
    }
    ck_assert_uint_le(list.count, 256 * CAPACITY);
    for (size_t m = 0; m < N_ELEMENTS(masks); m++) {
        const struct device *device = device_of(small_tuning);
        const uint64_t before = kernel_runs(device->sorter, "hybrid_partition/");
        sort_counted(small_tuning, random_keys(masks[m]), control);
        ck_assert_uint_eq(kernel_runs(device->sorter, "hybrid_partition/") - before, 1);
        ck_assert_uint_eq(control[MEDIUM], 2);
        ck_assert_uint_eq(control[RANGES], 0);
    }
}
END_TEST

/* Digits that do not vary, few values, and the same one everywhere: each level is as complete as with random keys. */
START_TEST(skewed_keys_are_sorted_in_segments_of_all_sizes)
{
    static const uint32_t masks[] = {0, 1, 0xf0, 0x10001, 0x80000000, 0xff, 0xffff0000, 0x0ff00ff0};
    uint32_t control[CONTROL_WORDS];
    bool has_crowded = false;
    start_list();
    for (uint32_t i = 0; i < 130; i++) {
        add_segment(i % 2, i);
    }
    add_segment(0, 700);
    add_segment(0, 5000);
    for (size_t m = 0; m < N_ELEMENTS(masks); m++) {
        sort_counted(small_tuning, random_keys(masks[m]), control);
        has_crowded |= control[HARD] > 0;
    }
    ck_assert(has_crowded);
}
END_TEST

START_TEST(crowded_bins_are_sorted_by_a_code)
{
    static uint32_t keys[MOST_LISTED];
    uint32_t control[CONTROL_WORDS], seed = 9;
    for (size_t i = 0; i < MOST_LISTED; i++) {
        keys[i] = next_random(&seed) % 100 ? next_random(&seed) % 1000 : UINT32_MAX;
    }
    for (unsigned with_parts = 0; with_parts < 2; with_parts++) {
        start_list();
        for (unsigned i = 0; i < 40; i++) {
            add_segment(0, IN_REGISTERS + 1 + (with_parts ? 20 * i : i));
        }
        sort_counted(with_parts ? parted_tuning : small_tuning, keys, control);
        ck_assert_uint_gt(control[HARD], with_parts ? 0 : 10);
        ck_assert_uint_lt(control[MERGED], control[HARD] / 2); /* a sample may be as few as four keys */
    }
}
END_TEST

START_TEST(every_length_is_sorted)
{
    static const clsort_key_type types[] = {CLSORT_U32, CLSORT_U8, CLSORT_F32, CLSORT_U64};
    const unsigned n_types = is_slow_run() ? N_ELEMENTS(types) : 1;
    print_exemption("segments of u8, f32 and u64", "the label slow has them, as each takes PoCL a minute to compile");
    for (uint64_t length = 0; length <= 600;) {
        start_list();
        for (; length <= 600 && list.count + length <= 20000; length++) {
            add_segment(length % 3 == 0 ? length % 5 : 0, length);
        }
        const struct segment_case segments = listed_segments();
        for (unsigned t = 0; t < n_types; t++) {
            struct sort_case c = keys_case(&segments);
            c.key_type = types[t];
            c.data = (struct data){t % 2 ? DATA_SPECIAL : DATA_RANDOM, 5 + t, 50};
            prepare_sort(device_of(small_tuning), &c);
            check_sort(device_of(small_tuning), c);
            c.in_place = true;
            c.flags = CLSORT_DESCENDING;
            check_sort(device_of(small_tuning), c);
        }
    }
}
END_TEST

START_TEST(mixes_are_sorted_in_any_order_and_by_64_bit_offsets)
{
    uint32_t seed = 31;
    for (unsigned mix = 0; mix < 4; mix++) {
        start_list();
        while (list.count < 15000) {
            const uint32_t random = next_random(&seed);
            add_segment(random >> 20 & 3, mix == 0   ? random % 7
                                          : mix == 1 ? 3000 / (1 + random % 1000)
                                          : mix == 2 ? random % 200
                                                     : (list.n == 50 ? 9000 : random % 10));
        }
        shuffle_list(1 + mix);
        struct segment_case segments = listed_segments();
        segments.offset_bytes = mix % 2 ? 8 : 4;
        struct sort_case c = keys_case(&segments);
        c.in_place = mix / 2 % 2;
        c.workspace = (enum workspace_kind)(mix % 3);
        prepare_sort(device_of(parted_tuning), &c);
        check_sort(device_of(small_tuning), c);
        check_sort(device_of(parted_tuning), c);
    }
}
END_TEST

START_TEST(segments_of_one_length_are_sorted)
{
    static const uint64_t lengths[][2] = {{1, 0},   {8, 0},   {9, 20},    {64, 0},     {65, 0},
                                          {128, 0}, {129, 0}, {500, 600}, {3000, 3001}};
    for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
        const struct segment_case segments = {.length = lengths[i][0], .stride = lengths[i][1]};
        list.count = 5 * (segments.stride ? segments.stride : segments.length);
        struct sort_case c = keys_case(&segments);
        c.in_place = i % 2;
        prepare_sort(device_of(small_tuning), &c);
        check_sort(device_of(small_tuning), c);
    }
}
END_TEST

/* Launches of all programs that the algorithm has. */
static uint64_t launches(const struct device *device)
{
    return kernel_runs(device->sorter, "segmented_network/") + kernel_runs(device->sorter, "segmented_middle/") +
           kernel_runs(device->sorter, "hybrid_partition/");
}

START_TEST(promised_lengths_save_launches_and_broken_ones_copy)
{
    static const struct {
        uint64_t promised, launches;
    } promises[] = {{IN_REGISTERS, 1}, {CAPACITY, 3}, {GIANT, 4}, {GIANT + 1, 8}};
    const struct device *device = device_of(small_tuning);
    for (size_t p = 0; p < N_ELEMENTS(promises); p++) {
        for (unsigned is_broken = 0; is_broken < 2; is_broken++) {
            start_list();
            for (unsigned i = 0; i < 70; i++) {
                add_segment(i % 2, i * 7 % (promises[p].promised + 1));
            }
            if (is_broken) {
                add_segment(3, promises[p].promised + 300);
            }
            struct segment_case segments = listed_segments();
            segments.promised = promises[p].promised;
            /* What is listed as a range is sorted, whatever its length. */
            segments.copied = is_broken && promises[p].promised <= CAPACITY;
            const uint64_t before = launches(device);
            struct sort_case c = keys_case(&segments);
            c.in_place = p % 2;
            check_sort(device, c);
            ck_assert_uint_eq(launches(device) - before, promises[p].launches);
        }
    }
}
END_TEST

START_TEST(overlapping_segments_touch_nothing_else)
{
    uint32_t begins[300], ends[300], seed = 5;
    for (unsigned i = 0; i < 300; i++) {
        begins[i] = 100 + next_random(&seed) % 1000;
        ends[i] = begins[i] + next_random(&seed) % (i % 3 ? 100 : 2800);
    }
    check_overlapping(device_of(small_tuning), "segmented_hybrid", CLSORT_KEYS, 300, begins, ends, 4000, 100);
    /* Three times as many as the list for a work-group has room for. */
    for (unsigned i = 0; i < 300; i++) {
        ends[i] = begins[i] + IN_REGISTERS + 1 + next_random(&seed) % (CAPACITY - IN_REGISTERS);
    }
    check_overlapping(device_of(small_tuning), "segmented_hybrid", CLSORT_KEYS, 300, begins, ends, 4000, 100);
}
END_TEST

START_TEST(other_sorts_are_refused_or_go_another_way)
{
    static const uint64_t begins[] = {0, 5}, ends[] = {5, 100};
    const struct segment_case segments = {.n = 2, .begins = begins, .ends = ends, .offset_bytes = 4};
    struct sort_case c = keys_case(&segments);
    c.count = 100;
    ck_assert(check_sort_if_fits(device_of(small_tuning), c));
    c.operation = CLSORT_PAIRS;
    ck_assert(!check_sort_if_fits(device_of(small_tuning), c));
    c.operation = CLSORT_ARGSORT;
    ck_assert(!check_sort_if_fits(device_of(small_tuning), c));
    c.operation = CLSORT_KEYS;
    c.flags = CLSORT_BIT_RANGE;
    c.begin_bit = 3;
    c.end_bit = 9;
    ck_assert(!check_sort_if_fits(device_of(small_tuning), c));
    c.algorithm = NULL;
    check_sort(device_of(small_tuning), c);
}
END_TEST

START_TEST(workspace_never_falls_when_count_grows)
{
    static const struct {
        uint64_t length, promised;
    } kinds[] = {{0, 0}, {0, 100}, {0, 400}, {50, 0}, {100, 0}};
    for (unsigned i = 0; i < 2 * N_ELEMENTS(kinds); i++) {
        uint64_t last = 0;
        for (uint64_t count = 0; count < 3000000; count += count < 3000 ? 100 : count / 900 * 100) {
            clsort_sorter *sorter = device_of(i % 2 ? parted_tuning : small_tuning)->sorter;
            clsort_request r;
            uint64_t least = 0, best = 0;
            clsort_request_init(&r);
            r.operation = CLSORT_KEYS;
            r.key_type = CLSORT_U32;
            r.algorithm = "segmented_hybrid";
            r.count = count;
            r.flags = CLSORT_SEGMENTS;
            r.segment_length = kinds[i / 2].length;
            r.segment_count = r.segment_length ? 0 : 1000;
            r.max_segment_length = kinds[i / 2].promised;
            CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_workspace_bytes(sorter, &r, &least, &best));
            ck_assert_uint_eq(least, best);
            ck_assert_uint_ge(least, last);
            last = least;
        }
        ck_assert_int_eq(last > 0, kinds[i / 2].length != 50);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("segmented_hybrid", segments_are_listed_by_their_lengths,
                     giant_segments_go_through_shared_levels_and_medium_ranges,
                     few_keys_in_many_segments_need_no_shared_levels, skewed_keys_are_sorted_in_segments_of_all_sizes,
                     crowded_bins_are_sorted_by_a_code, every_length_is_sorted,
                     mixes_are_sorted_in_any_order_and_by_64_bit_offsets, segments_of_one_length_are_sorted,
                     promised_lengths_save_launches_and_broken_ones_copy, overlapping_segments_touch_nothing_else,
                     other_sorts_are_refused_or_go_another_way, workspace_never_falls_when_count_grows);
}
