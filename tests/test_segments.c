/* Segments: of every length and mix, given in every way, sorted each by itself, with all else untouched. */
#include "segment_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of 16 keys in local memory and blocks of 8, or of 4 by 4: few keys take all ways. */
enum { SLOTS = 16, BLOCK = 8, FEW_BLOCKS = 32 };
static const char groups_of_1[] =
    "group_size=1,items=8,radix_bits=4,rank_bits=4,blocks_per_unit=1024,local_group_size=1,local_items=16,"
    "chunked_count=0,network_keys=0";
static const char groups_of_2[] =
    "group_size=2,items=4,radix_bits=4,rank_bits=2,blocks_per_unit=1024,local_group_size=4,local_items=5,"
    "chunked_count=0,network_keys=0";
/* Single work-items: slabs of 32 elements, and ranges that all of them sort from 128 on. */
enum { SLAB = 32, RANGE = 128 };
static const char small_buckets[] = "bucket_keys=16,chunked_groups=3,plain_kib=1";

static struct device *small_tiles(void)
{
    static struct device device;
    if (!device.sorter) {
        device = open_device(has_groups() ? groups_of_2 : groups_of_1, 0);
    }
    return &device;
}

static struct device *small_slabs(void)
{
    static struct device device;
    if (!device.sorter) {
        device = open_device(small_buckets, 0);
    }
    return &device;
}

/* The device with its own tuning. */
static struct device *own_tiles(void)
{
    return has_groups() ? small_tiles() : test_device();
}

/* ------------------------------------------------------------------------------------------------------- segments */

/* Where one array gives begins and ends, there are no gaps. */
static const uint64_t *one_array(void)
{
    list.begins[list.n] = list.count;
    return list.begins;
}

static struct segment_case two_arrays(uint32_t offset_bytes)
{
    return (struct segment_case){.n = list.n, .begins = list.begins, .ends = list.ends, .offset_bytes = offset_bytes};
}

static struct sort_case keys_case(const struct segment_case *segments)
{
    return (struct sort_case){.operation = CLSORT_KEYS,
                              .key_type = CLSORT_U32,
                              .count = list.count,
                              .data = {DATA_RANDOM, 7, 0},
                              .segments = segments};
}

/* Whether single work-items sort the case here as well: llvmpipe compiles their kernels for 13 s for each type. */
static bool is_for_single_items(const struct sort_case *c)
{
    return strcmp(current_setting()->name, "rusticl") != 0 ||
           (c->key_type == CLSORT_U32 && c->operation == CLSORT_KEYS && c->flags == 0);
}

/* Sorts on a device as it chooses, by single work-items with small slabs, and by work-groups. */
static void check_ways(const struct device *device, struct sort_case c)
{
    check_sort(device, c);
    if (is_for_single_items(&c)) {
        c.algorithm = "segmented_serial";
        check_sort_if_fits(small_slabs(), c);
    }
    if (device != small_tiles()) {
        c.algorithm = "segmented";
        check_sort(device, c);
    }
}

/* Keys of four types with values of 0, 4, 8 and 12 bytes, in place and out of it. */
static void check_types(const struct device *device, const struct segment_case *segments)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_U32, CLSORT_U64, CLSORT_F32};
    static const uint64_t sizes[] = {0, 4, 8, 12};
    unsigned stride = is_slow_run() ? 1 : is_small_setting() ? 16 : 5;
    for (unsigned i = stride == 16 ? 5 : 0; i < N_ELEMENTS(types) * N_ELEMENTS(sizes); i += stride) {
        struct sort_case c = keys_case(segments);
        c.key_type = types[i / 4];
        c.value_bytes = sizes[i % 4];
        c.operation = c.value_bytes ? CLSORT_PAIRS : CLSORT_KEYS;
        c.data = (struct data){i % 2 ? DATA_SPECIAL : DATA_FEW, 3 + i, 50};
        c.in_place = i / 2 % 2;
        check_ways(device, c);
    }
}

START_TEST(every_length_is_sorted)
{
    uint64_t longest = is_small_setting() ? (is_slow_run() ? 600 : 100) : is_slow_run() ? 5000 : 600;
    uint64_t most = allowed_count(is_slow_run() ? 1000000 : 40000);
    for (uint64_t length = 0; length <= longest;) {
        start_list();
        for (; length <= longest && list.count + length <= most; length++) {
            add_segment(length % 3 == 0 ? length % 5 : 0, length);
        }
        struct segment_case segments = two_arrays(4);
        check_types(small_tiles(), &segments);
    }
}
END_TEST

/* SG-A2 of the cases, and lengths around the widths of this device's own tiles. */
START_TEST(lengths_around_powers_of_two_are_sorted)
{
    static const uint64_t lengths[] = {0,    1,    2,    3,    31,   32,   33,   63,   64,   65,
                                       127,  255,  256,  257,  511,  512,  513,  1023, 1024, 1025,
                                       2047, 2048, 2049, 4095, 4096, 4097, 4327, 8191, 8193, 0};
    start_list();
    for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
        if (setting_allows(list.count + lengths[i])) {
            add_segment(0, lengths[i]);
        }
    }
    for (unsigned run = 0; run < (is_slow_run() ? 100 : 3); run++) {
        struct segment_case segments = {.n = list.n, .begins = one_array(), .offset_bytes = run % 2 ? 8 : 4};
        struct sort_case c = keys_case(&segments);
        c.data.seed = 1 + run;
        check_ways(own_tiles(), c);
        c.operation = CLSORT_ARGSORT;
        c.flags = run % 2 ? CLSORT_INDEX_IN_SEGMENT : 0;
        check_ways(own_tiles(), c);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ mixes */

START_TEST(segments_with_gaps_are_sorted_alone)
{
    /* SG-A1: [2,5), [8,8), [10,16) of 20 */
    static const uint64_t begins[] = {2, 8, 10}, ends[] = {5, 8, 16};
    struct segment_case segments = {.n = 3, .begins = begins, .ends = ends, .offset_bytes = 4};
    struct sort_case c = keys_case(&segments);
    c.count = 20;
    for (unsigned i = 0; i < 4; i++) {
        c.in_place = i % 2;
        check_ways(i / 2 ? small_tiles() : own_tiles(), c);
    }
}
END_TEST

START_TEST(mixes_of_lengths_are_sorted)
{
    uint32_t seed = 99;
    uint64_t most = allowed_count(is_small_setting() ? 4000 : is_slow_run() ? 4000000 : 60000);
    struct device *devices[] = {own_tiles(), small_tiles()};
    for (unsigned mix = 0; mix < 6; mix++) {
        start_list();
        while (list.count + 4 < most && list.n + 1 < MOST_SEGMENTS) {
            uint64_t left = most - list.count, length = 0;
            uint32_t random = next_random(&seed);
            switch (mix) {
            case 0: /* all tiny */
                length = random % 5;
                break;
            case 1: /* all huge */
                length = most / 3;
                break;
            case 2: /* one huge among tiny ones */
                length = list.n == 100 ? most / 2 : random % 9;
                break;
            case 3: /* a power law */
                length = most / 8 / (1 + random % 4096);
                break;
            case 4: /* all of one element */
                length = 1;
                break;
            default: /* any, with gaps */
                length = random % 900;
                add_segment(random % 7 < left ? random % 7 : 0, 0);
                left = most - list.count;
            }
            add_segment(0, length < left ? length : left);
        }
        shuffle_list(mix + 1);
        struct segment_case segments = two_arrays(mix % 2 ? 8 : 4);
        for (size_t d = 0; d < N_ELEMENTS(devices); d++) {
            struct sort_case c = keys_case(&segments);
            c.in_place = mix % 2;
            check_ways(devices[d], c);
            c.operation = CLSORT_PAIRS;
            c.data = (struct data){DATA_FEW, 5, 40};
            c.in_place = !c.in_place;
            check_ways(devices[d], c);
        }
    }
}
END_TEST

START_TEST(empty_segments_leave_everything_as_it_is)
{
    start_list();
    for (unsigned i = 0; i < 5000; i++) {
        add_segment(0, 0);
    }
    struct segment_case segments = two_arrays(4);
    struct sort_case c = keys_case(&segments);
    c.count = 300;
    check_ways(own_tiles(), c);
    check_ways(small_tiles(), c);
    segments.n = 0;
    check_ways(own_tiles(), c);
    c.count = 0;
    check_ways(own_tiles(), c);
    segments.n = 3; /* offsets that are all past the count */
    c.count = 1;
    list.begins[0] = list.begins[1] = list.begins[2] = 1;
    list.ends[0] = list.ends[1] = list.ends[2] = UINT32_MAX;
    check_ways(own_tiles(), c);
}
END_TEST

START_TEST(offsets_past_the_count_are_cut_and_reversed_ones_are_empty)
{
    static const uint64_t begins[] = {0, 500, 300, 50, 1000, UINT64_MAX}, ends[] = {50, 200, UINT64_MAX, 290, 10, 0};
    static const uint64_t narrow_begins[] = {0, 500, 300, 50, 1000, UINT32_MAX},
                          narrow_ends[] = {50, 200, UINT32_MAX, 290, 10, 0};
    struct segment_case segments = {.n = 6, .begins = begins, .ends = ends, .offset_bytes = 8};
    struct sort_case c = keys_case(&segments);
    c.count = 700;
    check_ways(own_tiles(), c);
    check_ways(small_tiles(), c);
    segments.begins = narrow_begins;
    segments.ends = narrow_ends;
    segments.offset_bytes = 4;
    check_ways(own_tiles(), c);
    check_ways(small_tiles(), c);
}
END_TEST

START_TEST(overlapping_segments_touch_nothing_else)
{
    uint32_t begins[300], ends[300], seed = 5;
    for (unsigned i = 0; i < 300; i++) {
        begins[i] = 100 + next_random(&seed) % 100;
        ends[i] = begins[i] + next_random(&seed) % 700;
    }
    check_overlapping(small_tiles(), "segmented", CLSORT_KEYS, 300, begins, ends, 1000, 100);
    check_overlapping(small_slabs(), "segmented_serial", CLSORT_KEYS, 300, begins, ends, 1000, 100);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- kinds of sorts */

START_TEST(all_key_types_operations_and_orders_are_sorted_in_segments)
{
    static const uint32_t orders[] = {0, CLSORT_DESCENDING, CLSORT_FLOAT_TOTAL_ORDER,
                                      CLSORT_FLOAT_TOTAL_ORDER | CLSORT_DESCENDING};
    static const struct {
        clsort_operation operation;
        uint32_t bytes;
    } variants[] = {{CLSORT_KEYS, 0},   {CLSORT_PAIRS, 1},   {CLSORT_PAIRS, 2},  {CLSORT_PAIRS, 3},
                    {CLSORT_PAIRS, 4},  {CLSORT_PAIRS, 8},   {CLSORT_PAIRS, 12}, {CLSORT_PAIRS, 16},
                    {CLSORT_PAIRS, 32}, {CLSORT_ARGSORT, 4}, {CLSORT_ARGSORT, 8}};
    uint32_t seed = 17;
    start_list();
    add_segment(3, 700);
    while (list.count < 1000) {
        add_segment(next_random(&seed) % 3, next_random(&seed) % 60);
    }
    struct segment_case segments = two_arrays(4);
    unsigned stride = is_slow_run() ? 1 : 19, n = 0;
    if (stride > 1 && is_small_setting()) {
        print_exemption("segments of all key types", "the setting pocl has them, and the label slow");
        return;
    }
    for (size_t t = 0; t < n_key_types; t++) {
        for (size_t v = 0; v < N_ELEMENTS(variants); v++) {
            for (size_t o = 0; o < (key_table[t].kind == KIND_FLOAT ? 4 : 2); o++) {
                struct sort_case c = keys_case(&segments);
                if ((v + 3 * t) % stride != 0) {
                    continue;
                }
                c.operation = variants[v].operation;
                c.value_bytes = c.operation == CLSORT_PAIRS ? variants[v].bytes : 0;
                c.index_bytes = c.operation == CLSORT_ARGSORT ? variants[v].bytes : 0;
                c.key_type = key_table[t].type;
                c.data.shape = n % 2 ? DATA_SPECIAL : DATA_RANDOM;
                c.flags = orders[o] | (c.operation == CLSORT_ARGSORT && o % 2 ? CLSORT_INDEX_IN_SEGMENT : 0);
                c.in_place = c.operation != CLSORT_ARGSORT && n % 2;
                c.without_keys_out = c.operation == CLSORT_ARGSORT && n % 2;
                c.workspace = (enum workspace_kind)(n % 3);
                check_ways(small_tiles(), c);
                n++;
            }
        }
    }
    ck_assert_uint_ge(n, 14);
}
END_TEST

START_TEST(segments_with_64_bit_positions_are_sorted)
{
    struct device device = open_device(has_groups() ? groups_of_2 : groups_of_1, CLSORT_FORCE_64_BIT_INDEX);
    start_list();
    for (unsigned i = 0; i < 60; i++) {
        add_segment(i % 3, i);
    }
    add_segment(1, 500);
    struct segment_case segments = two_arrays(8);
    struct sort_case c = keys_case(&segments);
    c.operation = CLSORT_ARGSORT;
    c.index_bytes = 8;
    check_sort(&device, c);
    c.flags = CLSORT_INDEX_IN_SEGMENT;
    c.index_bytes = 4; /* which are made of 8-byte ones */
    check_sort(&device, c);
    c.operation = CLSORT_PAIRS;
    c.flags = 0;
    c.value_bytes = 6;
    c.in_place = true;
    check_sort(&device, c);
    c.algorithm = "segmented_serial";
    if (is_for_single_items(&c)) {
        check_sort_if_fits(&device, c);
        c.operation = CLSORT_ARGSORT;
        c.in_place = false;
        check_sort_if_fits(&device, c);
    }
    close_device(&device);
}
END_TEST

START_TEST(bit_ranges_of_segments_are_sorted)
{
    static const uint32_t ranges[][2] = {{0, 32}, {0, 0}, {5, 5}, {0, 1}, {3, 11}, {31, 32}, {8, 24}};
    start_list();
    for (unsigned i = 0; i < 40; i++) {
        add_segment(i % 3, i * i % 97);
    }
    add_segment(1, 400);
    struct segment_case segments = two_arrays(4);
    for (unsigned i = 0; i < 2 * N_ELEMENTS(ranges); i++) {
        struct sort_case c = keys_case(&segments);
        c.flags = CLSORT_BIT_RANGE | (i % 3 ? 0 : CLSORT_DESCENDING);
        c.begin_bit = ranges[i / 2][0];
        c.end_bit = ranges[i / 2][1];
        c.in_place = i % 2;
        check_ways(small_tiles(), c);
        c.operation = CLSORT_PAIRS;
        check_ways(own_tiles(), c);
    }
}
END_TEST

START_TEST(segments_of_one_length_are_sorted)
{
    static const uint64_t lengths[][2] = {{1, 0},  {1, 3},   {2, 0},   {5, 5},   {16, 0},    {16, 20},
                                          {17, 0}, {17, 40}, {200, 0}, {257, 0}, {257, 300}, {900, 0}};
    for (unsigned i = 0; i < 2 * N_ELEMENTS(lengths); i++) {
        struct segment_case segments = {.length = lengths[i / 2][0], .stride = lengths[i / 2][1]};
        uint64_t stride = segments.stride ? segments.stride : segments.length;
        struct sort_case c = keys_case(&segments);
        c.count = stride * (i / 2 % 2 ? 7 : 1) + (i % 2 ? segments.length : 0); /* ends with a gap, or does not */
        c.count -= stride == segments.length && i % 2 ? stride : 0;
        if (setting_allows(c.count)) {
            check_ways(small_tiles(), c);
            c.operation = CLSORT_ARGSORT;
            c.flags = i % 2 ? CLSORT_INDEX_IN_SEGMENT : 0;
            check_ways(own_tiles(), c);
            c.operation = CLSORT_PAIRS;
            c.flags = 0;
            c.value_bytes = 12;
            c.in_place = true;
            check_ways(small_tiles(), c);
        }
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- ways and work */

START_TEST(promised_lengths_save_launches_and_broken_ones_copy)
{
    struct device *device = small_tiles();
    start_list();
    for (unsigned i = 0; i < 60; i++) {
        add_segment(i % 2, i % (SLOTS + 1));
    }
    struct segment_case segments = two_arrays(4);
    segments.promised = SLOTS;
    uint64_t before = kernel_runs(device->sorter, "segmented_long/");
    struct sort_case c = keys_case(&segments);
    check_sort(device, c);
    ck_assert_uint_eq(kernel_runs(device->sorter, "segmented_long/"), before);
    add_segment(0, 300);
    add_segment(3, SLOTS + 1);
    add_segment(0, 7);
    segments.n = list.n;
    segments.copied = true;
    c.count = list.count;
    for (unsigned i = 0; i < 4; i++) {
        c.operation = i < 2 ? CLSORT_KEYS : i == 2 ? CLSORT_PAIRS : CLSORT_ARGSORT;
        c.in_place = i == 1;
        c.flags = i == 3 ? CLSORT_INDEX_IN_SEGMENT : 0;
        check_sort(device, c);
    }
    ck_assert_uint_eq(kernel_runs(device->sorter, "segmented_long/"), before);
    segments.promised = SLOTS + 1; /* which is too long for a tile, so that all are sorted */
    segments.copied = false;
    c.operation = CLSORT_KEYS;
    c.flags = 0;
    check_sort(device, c);
    ck_assert_uint_gt(kernel_runs(device->sorter, "segmented_long/"), before);
}
END_TEST

/* The classes of the control area, which the workspace begins with, as in cl/segments.cl. */
enum { FEW_BLOCKS_CLASS = 16, MANY_BLOCKS_CLASS = 17, N_CLASSES = 18, BLOCKS_WORD = 63, CONTROL_WORDS = 64 };

static unsigned class_of(uint64_t length)
{
    unsigned bits = 0;
    while (UINT64_C(1) << bits < length) {
        bits++;
    }
    return length <= SLOTS ? bits : (length + BLOCK - 1) / BLOCK <= FEW_BLOCKS ? FEW_BLOCKS_CLASS : MANY_BLOCKS_CLASS;
}

START_TEST(every_class_has_its_segments)
{
    static uint32_t keys[4096], sorted[4096], begins[256], ends[256];
    uint32_t expected[N_CLASSES] = {0}, n_blocks = 0, seed = 3;
    struct device *device = small_tiles();
    start_list();
    for (unsigned i = 0; i < 200; i++) {
        add_segment(i % 2, i < 40 ? i : next_random(&seed) % 12);
    }
    add_segment(0, BLOCK * FEW_BLOCKS);
    add_segment(1, BLOCK * FEW_BLOCKS + 1);
    add_segment(1, 1000);
    if (!setting_allows(list.count)) {
        return;
    }
    ck_assert_uint_le(list.count, N_ELEMENTS(keys));
    for (uint64_t i = 0; i < list.count; i++) {
        keys[i] = next_random(&seed);
    }
    for (uint64_t i = 0; i < list.n; i++) {
        uint64_t length = list.ends[i] - list.begins[i];
        begins[i] = (uint32_t)list.begins[i];
        ends[i] = (uint32_t)list.ends[i];
        expected[class_of(length)] += length > 1;
        n_blocks += length > SLOTS ? (uint32_t)((length + BLOCK - 1) / BLOCK) : 0;
    }
    clsort_request r;
    clsort_request_init(&r);
    r.operation = CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.count = list.count;
    r.flags = CLSORT_SEGMENTS;
    r.segment_count = list.n;
    r.keys_in = r.keys_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, sizeof keys, keys), 0);
    r.segment_begins = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, sizeof begins, begins), 0);
    r.segment_ends = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, sizeof ends, ends), 0);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &r, &r.workspace.bytes, NULL));
    r.workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, r.workspace.bytes, NULL);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
    uint32_t control[CONTROL_WORDS];
    read_buffer(device, r.workspace.buffer, sizeof control, control);
    read_buffer(device, r.keys_out.buffer, sizeof sorted, sorted);
    for (unsigned k = 0; k < N_CLASSES; k++) {
        ck_assert_msg(control[k] == expected[k], "class %u has %u segments, not %u", k, control[k], expected[k]);
        ck_assert_uint_eq(expected[k] > 0, (k >= 1 && k <= 4) || k >= FEW_BLOCKS_CLASS);
    }
    ck_assert_uint_eq(control[BLOCKS_WORD], n_blocks);
    for (uint64_t s = 0; s < list.n; s++) {
        for (uint64_t i = list.begins[s] + 1; i < list.ends[s]; i++) {
            ck_assert_uint_le(sorted[i - 1], sorted[i]);
        }
    }
    clReleaseMemObject(r.workspace.buffer);
    clReleaseMemObject(r.keys_in.buffer);
    clReleaseMemObject(r.segment_begins.buffer);
    clReleaseMemObject(r.segment_ends.buffer);
    static const char *const kernels[] = {"short/begin",      "short/count_classes", "short/list_segments",
                                          "short/sort_short", "long/map_blocks",     "long/histogram",
                                          "long/scan",        "long/scatter"};
    for (size_t i = 0; i < N_ELEMENTS(kernels); i++) {
        char name[64];
        snprintf(name, sizeof name, "segmented_%s", kernels[i]);
        ck_assert_msg(kernel_runs(device->sorter, name) > 0, "%s never ran", name);
    }
}
END_TEST

/* Words that cl/segmented_serial.cl leaves at the begin of its workspace. */
enum { NEXT_BATCH, RANGES, IN_LANES, ALONE, OUTSIDE_SLAB, N_WORDS };

/* Batches of 16: three of short segments that have a lane each, and one of segments that are too few for lanes. */
START_TEST(single_work_items_take_all_ways)
{
    enum { N_SHORT = 48, SHORT = 5, ABOVE_SLAB = 3 * SLAB, ABOVE_RANGE = 2 * RANGE + 44 };
    uint32_t keys[1000], sorted[1000], begins[N_SHORT + 4], words[N_WORDS], seed = 8;
    struct device *device = small_slabs();
    start_list();
    for (unsigned i = 0; i < N_SHORT; i++) {
        add_segment(0, SHORT);
    }
    add_segment(0, ABOVE_SLAB);
    add_segment(0, ABOVE_RANGE);
    add_segment(0, 2);
    for (uint64_t i = 0; i < list.count; i++) {
        keys[i] = next_random(&seed);
    }
    for (uint64_t i = 0; i <= list.n; i++) {
        begins[i] = (uint32_t)one_array()[i];
    }
    clsort_request r;
    clsort_request_init(&r);
    r.operation = CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.algorithm = "segmented_serial";
    r.count = list.count;
    r.flags = CLSORT_SEGMENTS;
    r.segment_count = list.n;
    r.keys_in = r.keys_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, sizeof keys, keys), 0);
    r.segment_begins = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, sizeof begins, begins), 0);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &r, &r.workspace.bytes, NULL));
    r.workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, r.workspace.bytes, NULL);
    const uint64_t moves_before = kernel_runs(device->sorter, "chunked_radix/move");
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
    read_buffer(device, r.workspace.buffer, sizeof words, words);
    read_buffer(device, r.keys_out.buffer, sizeof sorted, sorted);
    ck_assert_uint_eq(words[IN_LANES], N_SHORT);
    ck_assert_uint_eq(words[ALONE], 2);
    ck_assert_uint_eq(words[OUTSIDE_SLAB], 1);
    ck_assert_uint_eq(words[RANGES], 1);
    ck_assert_uint_eq(kernel_runs(device->sorter, "chunked_radix/move") - moves_before, list.count / RANGE);
    for (uint64_t s = 0; s < list.n; s++) {
        for (uint64_t i = begins[s] + 1; i < begins[s + 1]; i++) {
            ck_assert_uint_le(sorted[i - 1], sorted[i]);
        }
    }
    clReleaseMemObject(r.workspace.buffer);
    clReleaseMemObject(r.keys_in.buffer);
    clReleaseMemObject(r.segment_begins.buffer);
}
END_TEST

/* Of keys of which some bits are compared, none have lanes. */
START_TEST(single_work_items_copy_segments_that_break_the_promise)
{
    struct device *device = small_slabs();
    start_list();
    for (unsigned i = 0; i < 60; i++) {
        add_segment(i % 2, i % 9);
    }
    add_segment(0, 2 * SLAB);
    add_segment(3, 2 * RANGE);
    add_segment(0, 7);
    struct segment_case segments = two_arrays(4);
    segments.promised = SLAB;
    segments.copied = true;
    struct sort_case c = keys_case(&segments);
    c.algorithm = "segmented_serial";
    c.flags = CLSORT_BIT_RANGE;
    c.begin_bit = 4;
    c.end_bit = 30;
    const uint64_t before = kernel_runs(device->sorter, "chunked_radix/");
    check_sort(device, c);
    c.in_place = true;
    check_sort(device, c);
    ck_assert_uint_eq(kernel_runs(device->sorter, "chunked_radix/"), before);
}
END_TEST

/* SG-A3 of the cases: no more launches than three sorts of the whole array have. */
START_TEST(few_long_segments_take_no_more_launches_than_an_array)
{
    enum { LENGTH = 1000000 };
    if (!is_slow_run() || !setting_allows(4 * LENGTH)) {
        print_exemption("4 segments of 1000000", "it runs with the label slow, where so many keys do");
        return;
    }
    struct device *device = test_device();
    struct segment_case segments = {.length = LENGTH};
    start_list();
    struct sort_case c = keys_case(&segments);
    c.count = 4 * LENGTH;
    c.algorithm = "segmented";
    check_sort(device, c);
    uint64_t runs = kernel_runs(device->sorter, "segmented_short/") + kernel_runs(device->sorter, "segmented_long/");
    c.segments = NULL;
    c.algorithm = "radix";
    check_sort(device, c);
    ck_assert_uint_le(runs, 3 * kernel_runs(device->sorter, "radix/"));
}
END_TEST

/* Launches do not depend on the lengths. */
START_TEST(launches_are_as_many_for_all_lengths)
{
    struct device *device = small_tiles();
    uint64_t first = 0;
    for (unsigned i = 0; i < 4; i++) {
        start_list();
        while (list.count < 1000) {
            add_segment(0, i == 0 ? 1 : i == 1 ? 10 : i == 2 ? 100 : 1000);
        }
        struct segment_case segments = two_arrays(4);
        uint64_t before =
            kernel_runs(device->sorter, "segmented_short/") + kernel_runs(device->sorter, "segmented_long/");
        check_sort(device, keys_case(&segments));
        uint64_t runs =
            kernel_runs(device->sorter, "segmented_short/") + kernel_runs(device->sorter, "segmented_long/") - before;
        ck_assert_uint_eq(runs, first ? first : runs);
        first = runs;
    }
    ck_assert_uint_eq(first, 4 + 1 + 3 * 8); /* digits of 4 bits */
}
END_TEST

START_TEST(workspace_never_falls_when_count_grows)
{
    static const struct {
        clsort_operation operation;
        uint64_t length, stride, promised;
    } kinds[] = {{CLSORT_KEYS, 0, 0, 0},
                 {CLSORT_PAIRS, 0, 0, 0},
                 {CLSORT_ARGSORT, 0, 0, 100},
                 {CLSORT_KEYS, 1, 0, 0},
                 {CLSORT_PAIRS, 100, 0, 0}};
    struct device *devices[] = {own_tiles(), small_tiles()};
    for (unsigned i = 0; i < 2 * N_ELEMENTS(kinds); i++) {
        uint64_t last_least = 0, last_best = 0;
        for (uint64_t count = 0; count < 3000000; count += count < 3000 ? 100 : count / 900 * 100) {
            clsort_request r;
            uint64_t least = 0, best = 0;
            clsort_request_init(&r);
            r.operation = kinds[i / 2].operation;
            r.key_type = CLSORT_U32;
            r.algorithm = "segmented";
            r.value_bytes = r.operation == CLSORT_PAIRS ? 4 : 0;
            r.count = count;
            r.flags = CLSORT_SEGMENTS;
            r.segment_length = kinds[i / 2].length;
            r.segment_count = r.segment_length ? 0 : 1000;
            r.max_segment_length = kinds[i / 2].promised;
            clsort_sorter *sorter = devices[i % 2]->sorter;
            CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_workspace_bytes(sorter, &r, &least, &best));
            ck_assert_uint_le(least, best); /* single work-items may need more */
            ck_assert_uint_ge(least, last_least);
            ck_assert_uint_ge(best, last_best);
            last_least = least;
            last_best = best;
        }
    }
}
END_TEST

START_TEST(information_names_the_algorithm)
{
    clsort_request r;
    char name[64];
    clsort_request_init(&r);
    r.operation = CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.count = 1000;
    r.flags = CLSORT_SEGMENTS | CLSORT_BIT_RANGE; /* which keeps segmented_hybrid out */
    r.end_bit = 31;
    r.segment_count = 10;
    info_text(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, name, sizeof name);
    const char *setting = current_setting()->name;
    const bool is_alone =
        strcmp(setting, "pocl") == 0 || strcmp(setting, "pocl_wg1") == 0 || strcmp(setting, "intel") == 0;
    ck_assert_str_eq(name, is_alone ? "segmented_serial" : "segmented");
    r.algorithm = "segmented";
    info_text(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, name, sizeof name);
    ck_assert_str_eq(name, "segmented");
    r.algorithm = "radix";
    ck_assert_int_eq(clsort_get_info(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, sizeof name, name, NULL),
                     CLSORT_INVALID_ALGORITHM);
    clsort_request_init(&r);
    r.operation = CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.count = 1000;
    r.algorithm = "segmented";
    ck_assert_int_eq(clsort_get_info(test_device()->sorter, &r, CLSORT_INFO_ALGORITHM, sizeof name, name, NULL),
                     CLSORT_INVALID_ALGORITHM);
}
END_TEST

int main(void)
{
    return RUN_TESTS(
        "segments", few_long_segments_take_no_more_launches_than_an_array, segments_with_gaps_are_sorted_alone,
        every_class_has_its_segments, every_length_is_sorted, lengths_around_powers_of_two_are_sorted,
        mixes_of_lengths_are_sorted, empty_segments_leave_everything_as_it_is,
        offsets_past_the_count_are_cut_and_reversed_ones_are_empty, overlapping_segments_touch_nothing_else,
        all_key_types_operations_and_orders_are_sorted_in_segments, segments_with_64_bit_positions_are_sorted,
        bit_ranges_of_segments_are_sorted, segments_of_one_length_are_sorted, single_work_items_take_all_ways,
        single_work_items_copy_segments_that_break_the_promise, promised_lengths_save_launches_and_broken_ones_copy,
        launches_are_as_many_for_all_lengths, workspace_never_falls_when_count_grows, information_names_the_algorithm);
}
