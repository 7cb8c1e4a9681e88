/* How many programs an algorithm can need, over all requests: at most one for each kind of key and of value. */
#include "algorithm.h"
#include "program.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

/* Kinds of key (four widths, floats of three) and of value (none, 1, 2, 4, 8, 16 bytes; 64-bit positions with and without). */
enum { MOST_PROGRAMS = 7 * 8, MOST_LISTED = 512 };

struct list {
    unsigned n;
    char texts[MOST_LISTED][program_options_bytes + 64];
};

static void add(struct list *list, const struct program_use *use)
{
    char options[program_options_bytes], text[program_options_bytes + 64];
    clsort__program_print_options(&use->options, options);
    snprintf(text, sizeof text, "%s %s", use->name, options);
    for (unsigned i = 0; i < list->n; i++) {
        if (strcmp(list->texts[i], text) == 0) {
            return;
        }
    }
    ck_assert_uint_lt(list->n, MOST_LISTED);
    strcpy(list->texts[list->n++], text);
}

static const uint64_t value_sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 31, 32, 100, 65536};

static const struct device_caps caps = {.type = CL_DEVICE_TYPE_GPU,
                                        .compute_units = 8,
                                        .group_limit = 256,
                                        .local_bytes = 49152,
                                        .allocation_bytes = UINT64_C(1) << 40,
                                        .global_bytes = UINT64_C(1) << 40,
                                        .address_bits = 64};

/* All that is public about a request and can change its programs. */
static struct job job_of(clsort_key_type type, clsort_operation operation, uint64_t value_bytes, uint32_t index_bytes,
                         uint32_t flags, struct failure *failure)
{
    static const struct tuning tuning = {.group_size = 64,
                                         .items = 8,
                                         .radix_bits = 8,
                                         .rank_bits = 4,
                                         .blocks_per_unit = 8,
                                         .local_group_size = 64,
                                         .local_items = 8,
                                         .counting_group_size = 64,
                                         .counting_items = 8,
                                         .counting_groups = 8,
                                         .spread_group_size = 64,
                                         .spread_items = 8,
                                         .chunked_groups = 1,
                                         .bucket_keys = 1024,
                                         .hybrid_group_size = 64,
                                         .hybrid_items = 8,
                                         .stable_items = 8,
                                         .hybrid_bits = 8,
                                         .bucket_group_size = 64,
                                         .bucket_items = 16,
                                         .network_keys = 512,
                                         .segment_levels = 2};
    struct job job = {0};
    job.caps = &caps;
    job.tuning = tuning;
    job.failure = failure;
    job.operation = operation;
    job.key = clsort__key_find(type);
    job.order = clsort__key_order(job.key, flags, operation != CLSORT_KEYS);
    job.end_bit = 8 * job.key->bytes;
    job.flags = flags;
    job.count = 100;
    job.index_bytes = index_bytes;
    job.value_bytes = value_bytes;
    job.write_keys = 1;
    return job;
}

/* Programs have the name of their algorithm, or begin with it; gather is shared: counted by itself. */
static bool is_own_program(const char *algorithm, const char *name)
{
    if (is_for_segments(algorithm)) {
        return is_for_segments(name) || is_hybrid(name);
    }
    if (is_quicksort(algorithm)) {
        return is_quicksort(name);
    }
    /* chunked_radix is shared. */
    return is_hybrid(algorithm) ? is_hybrid(name) : strcmp(name, algorithm) == 0;
}

static void add_uses(struct list *list, const char *algorithm, const struct job *whole)
{
    struct job segmented = *whole;
    const struct job *job = is_for_segments(algorithm) ? &segmented : whole;
    struct method method;
    struct program_use uses[method_max_programs];
    struct failure failure = {0};
    segmented.count = 100000; /* enough for segments that are too long for local memory */
    segmented.segments.are_given = 1;
    segmented.segments.longest = segmented.count;
    if (clsort__method_choose(job, algorithm, &method, &failure) == CLSORT_SUCCESS) {
        uint32_t n = clsort__method_uses(&method, uses);
        ck_assert_uint_le(n, method_max_programs);
        for (uint32_t i = 0; i < n; i++) {
            if (is_own_program(algorithm, uses[i].name)) {
                add(list, &uses[i]);
            }
        }
    }
    clsort__failure_clear(&failure);
}

static unsigned count_programs(const char *algorithm)
{
    static struct list list;
    list.n = 0;
    for (int type = CLSORT_U8; type <= CLSORT_F64; type++) {
        for (uint32_t flags = 0; flags <= CLSORT_LOW_MEMORY * 2 - 1; flags++) {
            for (uint32_t index_bytes = 4; index_bytes <= 8; index_bytes += 4) {
                struct failure failure = {0};
                struct job job = job_of((clsort_key_type)type, CLSORT_KEYS, 0, index_bytes, flags, &failure);
                add_uses(&list, algorithm, &job);
                for (size_t v = 0; v < N_ELEMENTS(value_sizes); v++) {
                    job = job_of((clsort_key_type)type, CLSORT_PAIRS, value_sizes[v], index_bytes, flags, &failure);
                    add_uses(&list, algorithm, &job);
                }
                for (uint64_t index = 4; index <= 8; index += 4) {
                    job = job_of((clsort_key_type)type, CLSORT_ARGSORT, index, index_bytes, flags, &failure);
                    add_uses(&list, algorithm, &job);
                }
            }
        }
    }
    return list.n;
}

START_TEST(programs_of_each_algorithm_are_at_most_seven_by_eight)
{
    for (size_t i = 1; i < n_choices(); i++) {
        unsigned n = count_programs(choice(i));
        printf("%s: %u programs\n", choice(i), n);
        ck_assert_uint_ge(n, is_for_all_keys(i) ? 7 : 3);
        /* Of its two sources each, of which the stable one's second may be there for elements of two widths. */
        n /= sorts_pairs_alone(choice(i)) ? 3 : is_hybrid(choice(i)) || is_quicksort(choice(i)) ? 2 : 1;
        ck_assert_msg(n <= MOST_PROGRAMS, "%s can need %u programs", choice(i), n);
    }
}
END_TEST

START_TEST(programs_for_segments_are_at_most_two_for_each_kind)
{
    unsigned n = count_programs("segmented");
    printf("segmented: %u programs\n", n);
    ck_assert_uint_gt(n, MOST_PROGRAMS);
    ck_assert_uint_le(n, 2 * MOST_PROGRAMS);
    n = count_programs("segmented_hybrid"); /* for keys alone, of three kinds */
    printf("segmented_hybrid: %u programs\n", n);
    ck_assert_uint_eq(n, 3 * 7);
    n = count_programs("segmented_pairs"); /* for keys with values of four sizes, of three kinds */
    printf("segmented_pairs: %u programs\n", n);
    ck_assert_uint_eq(n, 3 * 7 * 4);
    n = count_programs("segmented_serial");
    printf("segmented_serial: %u programs\n", n);
    ck_assert_uint_gt(n, 7);
    ck_assert_uint_le(n, MOST_PROGRAMS);
}
END_TEST

/* Direction, float order, bit range and the two 16-bit floats are arguments, not programs. */
START_TEST(order_of_keys_does_not_change_the_program)
{
    static const clsort_key_type same[][3] = {{CLSORT_U8, CLSORT_I8, CLSORT_I8},
                                              {CLSORT_U32, CLSORT_I32, CLSORT_I32},
                                              {CLSORT_F16, CLSORT_BF16, CLSORT_BF16},
                                              {CLSORT_F32, CLSORT_F32, CLSORT_F32}};
    for (size_t s = 0; s < N_ELEMENTS(same); s++) {
        for (size_t i = 1; i < n_choices(); i++) {
            static struct list list;
            struct failure failure = {0};
            unsigned n_expected = 1;
            list.n = 0;
            for (int t = 0; t < 3; t++) {
                for (uint32_t flags = 0; flags <= (CLSORT_DESCENDING | CLSORT_FLOAT_TOTAL_ORDER); flags++) {
                    struct job job = job_of(same[s][t], CLSORT_KEYS, 0, 4, flags, &failure);
                    if (!is_for_all_keys(i) || sorts_keys_alone(choice(i))) {
                        add_uses(&list, choice(i), &job);
                        n_expected = is_for_all_keys(i) || job.key->bytes <= 2;
                        n_expected *= is_hybrid(choice(i)) ? 2 : 1;
                        continue;
                    }
                    n_expected = is_hybrid(choice(i)) ? (job.key->bytes == 4 ? 3 : 2) : is_quicksort(choice(i)) ? 2 : 1;
                    job = job_of(same[s][t], CLSORT_PAIRS, 4, 4, flags, &failure);
                    add_uses(&list, choice(i), &job);
                    job.begin_bit = 3;
                    job.end_bit = 7;
                    add_uses(&list, choice(i), &job);
                }
            }
            ck_assert_msg(list.n == n_expected, "%s: %u programs: %s; %s", choice(i), list.n, list.texts[0],
                          list.texts[1]);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("programs", programs_of_each_algorithm_are_at_most_seven_by_eight,
                     programs_for_segments_are_at_most_two_for_each_kind, order_of_keys_does_not_change_the_program);
}
