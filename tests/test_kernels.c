/*
 * Every kernel in several shapes, down to tiles of a few keys, at counts up to 1025 in buffers of exactly that size. Small
 * enough for a simulator that checks each memory access; asserts that each kernel of each source really ran.
 */
#include "program.h"

#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that no row of the tuning table has: with them small counts take the ways of large ones. */
static const struct shape {
    unsigned group_limit; /* the least that the device has to have */
    const char *tuning;
    const char *larger; /* besides, where kernels with many barriers compile fast */
} shapes[] = {
    {1,
     "group_size=1,items=32,radix_bits=4,rank_bits=4,blocks_per_unit=4,"
     "local_group_size=1,local_items=1100,bitonic_count=0,"
     "counting_group_size=1,counting_items=512,counting_groups=4,"
     "rank_count=0,samplesort_count=0,at_once_count=500,"
     "chunked_groups=3,bucket_keys=16,plain_kib=1",
     NULL},
    {4,
     "group_size=4,items=6,radix_bits=4,rank_bits=3,blocks_per_unit=4,"
     "local_group_size=4,local_items=16,bitonic_count=20,"
     "counting_group_size=4,counting_items=512,counting_groups=64,"
     "rank_count=40,samplesort_count=0,at_once_count=500",
     "spread_group_size=4,spread_items=16,hybrid_group_size=4,hybrid_items=6,stable_items=6,hybrid_bits=3,"
     "bucket_group_size=4,bucket_items=16,network_keys=16"},
    {128,
     "group_size=16,items=4,radix_bits=6,rank_bits=4,blocks_per_unit=2,"
     "local_group_size=128,local_items=16,bitonic_count=0,"
     "counting_group_size=64,counting_items=64,counting_groups=16,"
     "rank_count=0,samplesort_count=0,at_once_count=500",
     "spread_group_size=64,spread_items=16,hybrid_group_size=16,hybrid_items=4,stable_items=4,hybrid_bits=4,"
     "bucket_group_size=16,bucket_items=8,network_keys=40"},
};

static struct sort_case variant(unsigned v)
{
    struct sort_case c = {.key_type = CLSORT_U32, .data = {DATA_FEW, 5, 300}, .exact = true};
    switch (v) {
    case 0:
        c.operation = CLSORT_KEYS;
        break;
    case 1:
        c.operation = CLSORT_PAIRS;
        c.in_place = true;
        break;
    case 2:
        c.operation = CLSORT_PAIRS;
        c.key_type = CLSORT_F32;
        c.value_bytes = 12;
        c.data.shape = DATA_SPECIAL;
        break;
    case 3:
        c.operation = CLSORT_KEYS;
        c.key_type = CLSORT_I8;
        break;
    case 4:
        c.operation = CLSORT_KEYS;
        c.key_type = CLSORT_F16;
        c.data.shape = DATA_SPECIAL;
        break;
    default:
        c.operation = CLSORT_ARGSORT;
        c.key_type = CLSORT_U64;
        c.flags = CLSORT_DESCENDING;
        c.without_keys_out = true;
    }
    return c;
}
enum { N_VARIANTS = 6 };

/* Variants of narrow keys are for counting alone, which takes no others: more programs would take minutes to compile. */
static bool is_for_choice(unsigned v, size_t i)
{
    return is_for_all_keys(i) == (v != 3 && v != 4);
}

/* 30 keys fit every shape; of the others some are too many for the ways that use one work-group. */
static const uint64_t counts_of_keys[] = {30, 1000, 1025};
/* Where 1000 would take too long: several tiles of each shape, and a giant range of hybrid, whose limit is 256 in the one that it has. */
enum { larger_simulated = 400 };

/* Whether the simulator takes ten seconds and more for 1000 keys. */
static bool is_slow_simulated(const char *algorithm)
{
    return is_hybrid(algorithm) || strcmp(algorithm, "radix") == 0;
}

/* The simulator takes minutes for each shape of these kernels: it has one. */
static bool has_larger(const struct shape *shape)
{
    return shape->larger && compiles_barriers_fast() && (!is_simulated() || shape->group_limit == 4);
}

/* Whether an algorithm has to sort 30 elements of a variant. */
static bool has_to_sort(size_t i, unsigned v, const struct shape *shape, uint32_t option_flags)
{
    if (is_hybrid(choice(i)) && (!has_larger(shape) || (option_flags & CLSORT_FORCE_64_BIT_INDEX))) {
        return false;
    }
    if (sorts_pairs_alone(choice(i))) {
        return v == 1 || v == 2 || v == 5;
    }
    return !(sorts_keys_alone(choice(i)) || is_samplesort(choice(i))) || v == 0;
}

/* 65536 counters take the simulator half a minute, samplesort's many work-groups of one work-item minutes; with 64-bit positions
   hybrid does not run, and samplesort has the same kernels. Of the large work-groups, whose barriers take it longest, two
   variants do. */
static bool takes_long_simulated(size_t i, unsigned v, const struct shape *shape, uint32_t option_flags)
{
    if (has_single_items(choice(i)) && shape->group_limit != 1) {
        return true; /* the shape changes nothing for them */
    }
    if (v == 4) {
        return option_flags != 0 || shape->group_limit != 4;
    }
    if (option_flags != 0) {
        return is_hybrid(choice(i)) || is_samplesort(choice(i));
    }
    if (shape->group_limit == 128 && (v == 1 || v == 5)) {
        return true;
    }
    return (sorts_keys_alone(choice(i)) || is_samplesort(choice(i))) && shape->group_limit != 4;
}

/* Where each program takes a compiler seconds: what is the same in all shapes is in the first, and the shapes of several
   work-items share the variants out; test_samplesort has its pairs, test_counting 65536 counters for many work-items. */
static bool takes_long_to_compile(size_t i, unsigned v, const struct shape *shape, uint32_t option_flags)
{
    if (compiles_barriers_fast()) {
        return false;
    }
    if (is_samplesort(choice(i))) {
        /* with 64-bit positions it has the same kernels */
        return v > 0 || shape->group_limit != 1 || option_flags != 0;
    }
    if (has_single_items(choice(i)) || strcmp(choice(i), "rank") == 0) {
        return shape->group_limit != 1;
    }
    if (is_quicksort(choice(i)) && shape->group_limit != 1) {
        return v != 1 || shape->group_limit != 4; /* test_quicksort has others */
    }
    static const unsigned variants_of_4 = 1u << 1 | 1u << 3 | 1u << 5, variants_of_128 = 1u << 0 | 1u << 2;
    return (shape->group_limit == 4 && !(variants_of_4 >> v & 1)) ||
           (shape->group_limit == 128 && !(variants_of_128 >> v & 1));
}

static void sort_variants(const struct device *device, const struct shape *shape, uint32_t option_flags)
{
    for (size_t i = 1; i < n_choices(); i++) {
        for (unsigned v = 0; v < N_VARIANTS; v++) {
            if (is_simulated() ? takes_long_simulated(i, v, shape, option_flags)
                               : takes_long_to_compile(i, v, shape, option_flags)) {
                continue;
            }
            for (size_t n = 0; n < N_ELEMENTS(counts_of_keys) && is_for_choice(v, i); n++) {
                struct sort_case c = variant(v);
                c.count = counts_of_keys[n];
                if (is_simulated() && n == 1 && is_slow_simulated(choice(i))) {
                    c.count = larger_simulated;
                }
                c.algorithm = choice(i);
                bool ran = check_sort_if_fits(device, c);
                ck_assert_msg(ran || n > 0 || !has_to_sort(i, v, shape, option_flags), "%s refused %u keys", choice(i),
                              (unsigned)c.count);
                if (is_simulated() && (v > (sorts_pairs_alone(choice(i)) ? 1 : 0) || option_flags != 0 || n == 1 ||
                                       strcmp(choice(i), "rank") == 0)) {
                    break; /* it sorts some hundred keys a second: a larger count in one variant, by 32-bit positions */
                }
            }
        }
    }
}

/* Segments of some lengths, of which the last is too long for local memory, and some out of order that are not all of the array. */
static void sort_segments(const struct device *device, const struct shape *shape, uint32_t option_flags)
{
    static const uint64_t begins[] = {0, 0, 1, 3, 6, 6, 11, 28, 45, 50, 95, 96, 1121};
    static const uint64_t some_begins[] = {50, 6, 11, 0, 3}, some_ends[] = {200, 11, 28, 1, 6};
    const struct segment_case all = {.n = 12, .begins = begins, .offset_bytes = 4};
    const struct segment_case some = {.n = 5, .begins = some_begins, .ends = some_ends, .offset_bytes = 8};
    for (unsigned v = 0; v < N_VARIANTS; v++) {
        struct sort_case c = variant(v);
        /* Where compilers or the simulator are slow: keys, and values of an odd size; in the simulator others for 4 work-items. */
        const bool is_first = (v == 0 || v == 2) && option_flags == 0 && shape->group_limit == 1;
        const bool is_few = is_simulated() && shape->group_limit == 4 && v == (option_flags == 0 ? 1 : 5);
        if (!is_first && !is_few && (is_simulated() || !compiles_barriers_fast() || v == 3 || v == 4)) {
            continue; /* test_segments has them */
        }
        c.segments = shape->group_limit == 4 ? &some : &all;
        c.count = shape->group_limit == 4 ? 200 : 1121;
        c.flags |= v == 5 ? CLSORT_INDEX_IN_SEGMENT : 0;
        c.algorithm = "segmented";
        check_sort(device, c);
        c.algorithm = "quicksort";
        check_sort(device, c);
        if (shape->group_limit == 1) { /* the shape changes nothing */
            c.algorithm = "segmented_serial";
            check_sort_if_fits(device, c);
        }
    }
    if (has_larger(shape) && option_flags == 0) { /* more than a work-group's 64 or 128, and than four times as many */
        const struct segment_case long_ones = {.n = 12, .begins = begins, .offset_bytes = 4};
        for (unsigned v = 0; v < 2; v++) { /* keys alone, and pairs */
            struct sort_case c = variant(v);
            c.algorithm = v == 0 ? "segmented_hybrid" : "segmented_pairs";
            c.segments = &long_ones;
            c.count = 1121;
            check_sort(device, c);
        }
    }
}

/* Number of runs of every kernel, by its place in all sources. */
enum { MOST_KERNELS = 80 };

/* Calls visit with the name "source/kernel" of each kernel in the embedded sources. */
static unsigned for_each_kernel(void (*visit)(void *user_data, unsigned number, const char *name), void *user_data)
{
    static const char mark[] = "\nKERNEL void ";
    unsigned n = 0;
    for (const struct embedded_source *source = clsort__embedded_sources; source->name; source++) {
        for (const char *at = strstr(source->text, mark); at; at = strstr(at + 1, mark)) {
            const char *kernel = at + sizeof mark - 1;
            char name[128];
            snprintf(name, sizeof name, "%s/%.*s", source->name, (int)strcspn(kernel, "("), kernel);
            visit(user_data, n++, name);
        }
    }
    return n;
}

struct counts {
    clsort_sorter *sorter;
    uint64_t runs[MOST_KERNELS];
};

static void add_runs(void *user_data, unsigned number, const char *name)
{
    struct counts *counts = user_data;
    ck_assert_uint_lt(number, MOST_KERNELS);
    counts->runs[number] += kernel_runs(counts->sorter, name);
}

/* With groups of one work-item a kernel's twin or another algorithm does their work; names, or what they begin with. */
static const char *const only_in_larger_groups[] = {"radix/scatter_rest", "quicksort_partition/move_stable"};

static size_t group_limit(void)
{
    size_t limit = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    return limit;
}

/* llvmpipe of Mesa 22.3 takes half a minute to compile radix for work-groups of several work-items. */
static bool has_only_single_items(void)
{
    return group_limit() < 4 || strcmp(current_setting()->name, "rusticl") == 0;
}

/* Whether the kernel's algorithm is none of the choices on this setting. */
static bool is_left_out_here(const char *name)
{
    const size_t length = strcspn(name, "/");
    for (size_t i = 1; i < n_choices(); i++) {
        if (strlen(choice(i)) == length && strncmp(choice(i), name, length) == 0) {
            return false;
        }
    }
    for (size_t i = 0; clsort_algorithm_name(i); i++) {
        if (strlen(clsort_algorithm_name(i)) == length && strncmp(clsort_algorithm_name(i), name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void check_runs(void *user_data, unsigned number, const char *name)
{
    struct counts *counts = user_data;
    printf("kernel %s ran %u times\n", name, (unsigned)counts->runs[number]);
    if (strncmp(name, "samplesort/", 11) == 0 && strcmp(current_setting()->name, "rusticl") == 0) {
        print_exemption(name, "these counts take more iterations than loops do here; test_samplesort has it");
        return;
    }
    if (is_left_out_here(name)) {
        return;
    }
    const bool is_of_hybrid =
        is_hybrid(name) || strncmp(name, "segmented_network/", 18) == 0 || strncmp(name, "segmented_middle", 16) == 0;
    if (is_of_hybrid && !compiles_barriers_fast()) {
        print_exemption(name, "it takes a minute to compile here; test_hybrid and test_segmented_hybrid have it");
        return;
    }
    for (size_t i = 0; i < N_ELEMENTS(only_in_larger_groups); i++) {
        if (has_only_single_items() && strncmp(name, only_in_larger_groups[i], strlen(only_in_larger_groups[i])) == 0) {
            print_exemption(name, "work-groups have one work-item here");
            return;
        }
    }
    ck_assert_msg(counts->runs[number] > 0, "kernel %s never ran", name);
}

static void check_shape(const struct shape *shape, uint32_t flags, struct counts *counts)
{
    if (shape->group_limit > group_limit() || (shape->group_limit > 1 && has_only_single_items())) {
        print_exemption(shape->tuning, "the device's work-groups are smaller, or larger ones take minutes to compile");
        return;
    }
    char tuning[1024];
    snprintf(tuning, sizeof tuning, "%s,%s", shape->tuning,
             has_larger(shape) ? shape->larger : "spread_group_size=1,spread_items=1100");
    struct device device = shape->group_limit == 1 ? open_device(tuning, flags) : open_unoptimised(tuning, flags);
    sort_variants(&device, shape, flags);
    sort_segments(&device, shape, flags);
    counts->sorter = device.sorter;
    for_each_kernel(add_runs, counts);
    close_device(&device);
}

START_TEST(every_kernel_runs_right_in_every_shape)
{
    static struct counts counts;
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++) {
        check_shape(&shapes[s], 0, &counts);
    }
    check_shape(&shapes[0], CLSORT_FORCE_64_BIT_INDEX, &counts);
    if (is_simulated()) {
        check_shape(&shapes[1], CLSORT_FORCE_64_BIT_INDEX, &counts);
    } else {
        print_exemption("work-groups of several work-items with 64-bit positions", "test_matrix has them");
    }
    ck_assert_uint_ge(for_each_kernel(check_runs, &counts), 8);
    ck_assert_uint_gt(n_sorts_checked(), 50);
}
END_TEST

int main(void)
{
    return RUN_TESTS("kernels", every_kernel_runs_right_in_every_shape);
}
