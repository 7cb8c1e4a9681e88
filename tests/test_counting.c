/* Counting: every narrow key in every order, ranges that start and end anywhere, skewed keys, what it is not for. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

static const clsort_key_type narrow_types[] = {CLSORT_U8, CLSORT_I8, CLSORT_U16, CLSORT_I16, CLSORT_F16, CLSORT_BF16};

static const uint32_t orders[] = {0, CLSORT_DESCENDING, CLSORT_FLOAT_TOTAL_ORDER,
                                  CLSORT_FLOAT_TOTAL_ORDER | CLSORT_DESCENDING};

/* Small work-groups with few of them, so that one counts many keys: its 16-bit counters would overflow. */
static const char one_block[] = "counting_group_size=64,counting_items=60,counting_groups=1";
static const char one_item_group[] = "counting_group_size=1,counting_items=300,counting_groups=1";

/* Whether groups of 64 run here. llvmpipe takes long to compile for them. */
static bool has_larger_groups(void)
{
    size_t limit = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    if (limit < 64 || strcmp(current_setting()->name, "rusticl") == 0) {
        print_exemption("counting by work-groups of 64", "the device's are smaller, or take long to compile");
        return false;
    }
    return true;
}

static struct sort_case counting_case(clsort_key_type type, uint64_t count, struct data data)
{
    return (struct sort_case){
        .operation = CLSORT_KEYS, .key_type = type, .count = count, .data = data, .algorithm = "counting"};
}

/* All keys from begin on, mixed; the setting's largest count of them. */
static void sort_patterns(clsort_key_type type, uint64_t begin, uint64_t count, uint32_t order)
{
    static uint16_t keys[65536];
    for (uint64_t i = 0; i < count; i++) {
        keys[i * 40503 % count] = (uint16_t)(begin + i); /* 40503 is a prime */
    }
    struct sort_case c = counting_case(type, count, (struct data){DATA_GIVEN, 0, 0});
    c.given = keys;
    c.flags = order;
    check_sort(test_device(), c);
}

START_TEST(every_key_of_16_bits_is_in_its_place_in_every_order)
{
    const uint64_t n = allowed_count(65536);
    for (size_t t = 2; t < N_ELEMENTS(narrow_types); t++) {
        const size_t n_orders = key_facts(narrow_types[t])->kind == KIND_FLOAT ? 4 : 2;
        for (uint64_t begin = 0; begin < 65536; begin += n) {
            const uint64_t count = 65536 - begin < n ? 65536 - begin : n;
            for (size_t o = 0; o < n_orders; o++) {
                if (!is_small_setting() || o == begin / n % n_orders) {
                    sort_patterns(narrow_types[t], begin, count, orders[o]);
                }
            }
        }
    }
}
END_TEST

START_TEST(every_key_of_8_bits_is_in_its_place_in_both_directions)
{
    static uint8_t keys[2000];
    for (size_t i = 0; i < sizeof keys; i++) {
        keys[i] = (uint8_t)(i * 77 + i / 256);
    }
    for (size_t t = 0; t < 2; t++) {
        for (size_t o = 0; o < 2; o++) {
            struct sort_case c = counting_case(narrow_types[t], sizeof keys, (struct data){DATA_GIVEN, 0, 0});
            c.given = keys;
            c.flags = orders[o];
            check_sort(test_device(), c);
        }
    }
}
END_TEST

/* Vectors of 16 bytes with edges of every length before and behind them. */
START_TEST(ranges_start_and_end_anywhere)
{
    static const uint64_t counts[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 255, 1003};
    for (unsigned bytes = 1; bytes <= 2; bytes++) {
        for (uint64_t start = 1; start <= 17; start++) {
            for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
                if (bytes == 2 && is_small_setting() && (start + n) % 6 != 0) {
                    continue; /* it clears and adds up 65536 counters each time */
                }
                struct sort_case c = counting_case(bytes == 1 ? CLSORT_I8 : CLSORT_U16, counts[n],
                                                   (struct data){DATA_SPECIAL, (uint32_t)(start + n), 0});
                c.start = start;
                c.in_place = n % 2;
                c.misaligned = start % 3 == 0;
                check_sort(test_device(), c);
            }
        }
    }
}
END_TEST

static void sort_skewed(const char *tuning, uint32_t option_flags, uint64_t count)
{
    static const struct data shapes[] = {{DATA_ALL, 1, 0},         {DATA_ALL, 1, 0x1234}, {DATA_ALL, 1, 0xffff},
                                         {DATA_FEW, 2, 2},         {DATA_FEW, 3, 3},      {DATA_FEW, 4, 4},
                                         {DATA_FEW, 5, 5},         {DATA_FEW, 6, 16},     {DATA_LOW_BITS, 7, 0xf000},
                                         {DATA_MAXIMUM_MIX, 8, 0}, {DATA_SPECIAL, 9, 0},  {DATA_ASCENDING, 10, 0}};
    struct device device = open_device(tuning, option_flags);
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        for (size_t t = 0; t < N_ELEMENTS(narrow_types); t += s % 3 == 0 ? 1 : 2) {
            struct sort_case c = counting_case(narrow_types[t], count + s, shapes[s]);
            c.flags = s % 2 ? CLSORT_DESCENDING : 0;
            c.in_place = s % 2;
            c.workspace = s % 3 ? WORKSPACE_LEAST : WORKSPACE_POOL;
            c.data.parameter &= s < 3 ? key_mask(narrow_types[t]) : UINT64_MAX;
            check_sort(&device, c);
        }
    }
    close_device(&device);
}

START_TEST(skewed_keys_are_counted_by_every_form)
{
    const uint64_t count = is_small_setting() ? allowed_count(20000) - 20 : 300000;
    sort_skewed(NULL, 0, count);
    sort_skewed(one_item_group, CLSORT_FORCE_64_BIT_INDEX, count);
    if (has_larger_groups()) {
        sort_skewed(one_block, 0, count);
        sort_skewed(one_block, CLSORT_FORCE_64_BIT_INDEX, count);
    }
}
END_TEST

/* Hot keys are found where an interval ends and may be others in the next; counts around the ends of intervals. */
START_TEST(hot_keys_that_change_on_the_way_are_all_counted)
{
    enum { INTERVAL = 64512, N = 4 * INTERVAL + 9 };
    if (!setting_allows(N) || !has_larger_groups()) {
        return;
    }
    uint16_t *keys = allocate(N * sizeof *keys);
    uint32_t state = 99;
    for (size_t i = 0; i < N; i++) {
        const uint32_t draw = next_random(&state);
        const size_t interval = i / INTERVAL;
        keys[i] = (uint16_t)(draw % 3 ? interval * 20000 + draw / 8 % (interval == 3 ? 7 : 2) : draw >> 16);
    }
    struct device device = open_device(one_block, 0);
    for (uint64_t count = INTERVAL - 8; count <= N; count += count % INTERVAL > INTERVAL - 9 ? 8 : INTERVAL - 16) {
        struct sort_case c = counting_case(CLSORT_U16, count, (struct data){DATA_GIVEN, 0, 0});
        c.given = keys;
        check_sort(&device, c);
    }
    close_device(&device);
    free(keys);
}
END_TEST

START_TEST(counting_is_for_whole_narrow_keys_alone)
{
    static const struct {
        clsort_operation operation;
        clsort_key_type type;
        uint32_t begin_bit, end_bit;
        bool fits;
    } cases[] = {{CLSORT_KEYS, CLSORT_U8, 0, 0, true},      {CLSORT_KEYS, CLSORT_BF16, 0, 0, true},
                 {CLSORT_KEYS, CLSORT_U8, 0, 8, true},      {CLSORT_KEYS, CLSORT_U16, 0, 16, true},
                 {CLSORT_KEYS, CLSORT_U8, 0, 7, false},     {CLSORT_KEYS, CLSORT_U16, 1, 16, false},
                 {CLSORT_KEYS, CLSORT_U16, 5, 5, false},    {CLSORT_KEYS, CLSORT_U32, 0, 0, false},
                 {CLSORT_KEYS, CLSORT_F64, 0, 0, false},    {CLSORT_PAIRS, CLSORT_U8, 0, 0, false},
                 {CLSORT_ARGSORT, CLSORT_U16, 0, 0, false}, {CLSORT_ARGSORT, CLSORT_F16, 0, 0, false}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct sort_case c = counting_case(cases[i].type, 700, (struct data){DATA_RANDOM, 4, 0});
        c.operation = cases[i].operation;
        c.begin_bit = cases[i].begin_bit;
        c.end_bit = cases[i].end_bit;
        c.flags = c.end_bit ? CLSORT_BIT_RANGE : 0;
        ck_assert_msg(check_sort_if_fits(test_device(), c) == cases[i].fits, "case %zu", i);
    }
}
END_TEST

/* Whether the library takes counting by itself for so many keys. */
static bool is_chosen(const struct device *device, clsort_key_type type, uint64_t count, uint32_t flags)
{
    char name[64];
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = type;
    request.count = count;
    request.flags = flags;
    return strcmp(info_text(device->sorter, &request, CLSORT_INFO_ALGORITHM, name, sizeof name), "counting") == 0;
}

START_TEST(counting_is_chosen_from_the_counts_of_the_tuning_on)
{
    if (strcmp(current_setting()->name, "rusticl") == 0) {
        print_exemption("the choice of counting", "it is never taken by itself where loops end early");
        ck_assert(!is_chosen(test_device(), CLSORT_U8, 1 << 20, 0));
        return;
    }
    struct device device = open_device(
        "local_group_size=1,local_items=10,bitonic_count=0,rank_count=0,samplesort_count=0,counting_count=5000", 0);
    ck_assert(!is_chosen(&device, CLSORT_U16, 4999, 0));
    ck_assert(is_chosen(&device, CLSORT_U16, 5000, 0));
    ck_assert(is_chosen(&device, CLSORT_F16, 5000, CLSORT_DESCENDING));
    ck_assert(!is_chosen(&device, CLSORT_U16, 5000, CLSORT_LOW_MEMORY));
    ck_assert(!is_chosen(&device, CLSORT_U8, 19, 0));
    ck_assert(is_chosen(&device, CLSORT_U8, 20, 0));
    ck_assert(!is_chosen(&device, CLSORT_U32, 1 << 20, 0));
    close_device(&device);
    device = open_device("counting_count=0", 0);
    ck_assert(!is_chosen(&device, CLSORT_U16, 1 << 20, 0));
    ck_assert(!is_chosen(&device, CLSORT_U8, 1 << 20, 0));
    close_device(&device);
}
END_TEST

/* Workspace that radix needs below the count from which counting is taken must not be more than counting's. */
START_TEST(workspace_does_not_fall_where_counting_begins)
{
    static const char *const tunings[] = {"counting_count=3000", "counting_count=3000000", "counting_count=60000000"};
    for (size_t i = 0; i < N_ELEMENTS(tunings); i++) {
        struct device device = open_device(tunings[i], 0);
        for (unsigned bytes = 1; bytes <= 2; bytes++) {
            uint64_t before = 0;
            for (uint64_t count = 1; count < UINT64_C(1) << 27; count += count / 50 + 1) {
                clsort_request request;
                clsort_request_init(&request);
                request.operation = CLSORT_KEYS;
                request.key_type = bytes == 1 ? CLSORT_U8 : CLSORT_U16;
                request.count = count;
                const uint64_t least = info_number(device.sorter, &request, CLSORT_INFO_WORKSPACE_LEAST);
                ck_assert_msg(least >= before, "%s, %u bytes, %u keys", tunings[i], bytes, (unsigned)count);
                before = least;
            }
        }
        close_device(&device);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("counting", every_key_of_16_bits_is_in_its_place_in_every_order,
                     every_key_of_8_bits_is_in_its_place_in_both_directions, ranges_start_and_end_anywhere,
                     skewed_keys_are_counted_by_every_form, hot_keys_that_change_on_the_way_are_all_counted,
                     counting_is_for_whole_narrow_keys_alone, counting_is_chosen_from_the_counts_of_the_tuning_on,
                     workspace_does_not_fall_where_counting_begins);
}
