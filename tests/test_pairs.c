/* Pairs and argsort: nothing is lost on ties, values of any size follow their keys, index sizes, open order of ties. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

static struct sort_case pairs(clsort_key_type type, uint64_t count, struct data data, size_t i)
{
    return (struct sort_case){
        .operation = CLSORT_PAIRS, .key_type = type, .count = count, .data = data, .algorithm = choice(i)};
}

START_TEST(pairs_with_many_ties_keep_every_position_once)
{
    for (size_t i = 0; i < n_choices(); i++) {
        for (uint64_t count = 4096; count <= 5000; count += 904) {
            struct sort_case c = pairs(CLSORT_U32, allowed_count(count), (struct data){DATA_FEW, 5, 4}, i);
            check_sort_if_fits(test_device(), c);
            c.flags = CLSORT_UNSTABLE;
            check_sort_if_fits(test_device(), c);
            c.flags = CLSORT_UNSTABLE | CLSORT_LOW_MEMORY;
            if (!c.algorithm || strcmp(c.algorithm, "bitonic_global") == 0) { /* the others may need memory */
                check_sort(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(distinct_keys_sorted_by_upper_half_are_all_there)
{
    uint64_t keys[1000];
    uint32_t state = 11;
    for (uint64_t k = 0; k < 1000; k++) {
        keys[k] = (uint64_t)(next_random(&state) % 10) << 32 | k;
    }
    for (size_t i = 0; i < n_choices(); i++) {
        struct sort_case c = {.operation = CLSORT_KEYS,
                              .key_type = CLSORT_U64,
                              .count = 1000,
                              .data = {DATA_GIVEN, 0, 0},
                              .given = keys,
                              .flags = CLSORT_BIT_RANGE,
                              .begin_bit = 32,
                              .end_bit = 64,
                              .algorithm = choice(i)};
        check_sort_if_fits(test_device(), c);
    }
}
END_TEST

START_TEST(equal_pairs_are_the_identity)
{
    static const uint64_t keys[] = {0, 0x0F0F0F0F, 0xFFFFFFFF};
    static const uint64_t counts[] = {256, 257, 65536, 1000000};
    for (size_t k = 0; k < N_ELEMENTS(keys); k++) {
        for (size_t n = 0; n < N_ELEMENTS(counts) && setting_allows(counts[n]); n++) {
            for (size_t i = 0; i < n_choices(); i++) {
                check_sort_if_fits(test_device(), pairs(CLSORT_U32, counts[n], (struct data){DATA_ALL, 1, keys[k]}, i));
            }
        }
    }
}
END_TEST

START_TEST(keys_with_equal_upper_digits_are_sorted)
{
    for (size_t i = 0; i < n_choices(); i++) {
        check_sort_if_fits(test_device(),
                           pairs(CLSORT_U32, allowed_count(65537), (struct data){DATA_LOW_BITS, 21, 0xff}, i));
    }
}
END_TEST

START_TEST(values_of_any_size_follow_their_keys)
{
    static const uint64_t sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,   9,    12,   15,   16,
                                     17, 20, 24, 31, 32, 33, 64, 100, 1000, 4096, 65536};
    for (size_t s = 0; s < N_ELEMENTS(sizes); s++) {
        for (uint64_t count = 37; count <= 3000; count += 2963) {
            if (sizes[s] * count > 4000000) {
                continue; /* memory for its own sake; 37 values of 65,536 bytes do run */
            }
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = pairs(CLSORT_U32, allowed_count(count), (struct data){DATA_FEW, 9, 50}, 0);
                c.value_bytes = sizes[s];
                c.in_place = in_place;
                check_sort(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(float_pairs_in_one_row_are_sorted)
{
    for (size_t i = 0; i < n_choices(); i++) {
        check_sort_if_fits(test_device(),
                           pairs(CLSORT_F32, allowed_count(2000), (struct data){DATA_SPECIAL, 31, 0}, i));
    }
}
END_TEST

START_TEST(argsort_gives_positions_of_both_index_sizes)
{
    static const uint64_t counts[] = {0, 1, 2, 33, 1000, 20000};
    for (size_t i = 0; i < n_choices(); i++) {
        for (size_t n = 0; n < N_ELEMENTS(counts) && setting_allows(counts[n]); n++) {
            for (uint32_t index_bytes = 0; index_bytes <= 8; index_bytes += 4) {
                for (int without = 0; without < 2; without++) {
                    struct sort_case c = {.operation = CLSORT_ARGSORT,
                                          .key_type = CLSORT_I32,
                                          .count = counts[n],
                                          .data = {DATA_FEW, 13, 100},
                                          .index_bytes = index_bytes,
                                          .without_keys_out = without,
                                          .algorithm = choice(i)};
                    check_sort_if_fits(test_device(), c);
                    c.flags = CLSORT_DESCENDING;
                    c.in_place = !without;
                    check_sort_if_fits(test_device(), c);
                }
            }
        }
    }
}
END_TEST

/* With ties in open order and in low memory: the same records, in order of their keys. */
START_TEST(open_order_of_ties_keeps_records_whole)
{
    static const uint32_t flags[] = {CLSORT_UNSTABLE, CLSORT_UNSTABLE | CLSORT_LOW_MEMORY,
                                     CLSORT_UNSTABLE | CLSORT_DESCENDING};
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_F32, CLSORT_U64};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (size_t f = 0; f < N_ELEMENTS(flags); f++) {
            size_t n = 0;
            for (uint64_t value_bytes = 1; value_bytes <= 16; value_bytes *= 2, n++) {
                if (!compiles_programs_fast() && n % N_ELEMENTS(types) != t) {
                    continue; /* each value size with one type of keys */
                }
                for (uint64_t count = 100; count <= 5000; count += 4900) {
                    struct sort_case c = pairs(types[t], allowed_count(count), (struct data){DATA_SPECIAL, 3, 0}, 0);
                    c.value_bytes = value_bytes;
                    c.flags = flags[f];
                    c.in_place = count == 100;
                    check_sort(test_device(), c);
                }
            }
        }
    }
}
END_TEST

START_TEST(low_memory_sorts_without_workspace)
{
    static const clsort_operation operations[] = {CLSORT_KEYS, CLSORT_ARGSORT, CLSORT_PAIRS};
    for (size_t o = 0; o < N_ELEMENTS(operations); o++) {
        for (uint64_t count = 1; count <= allowed_count(20000); count = count * 5 + 3) {
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = {.operation = operations[o],
                                      .key_type = CLSORT_F32,
                                      .count = count,
                                      .data = {DATA_SPECIAL, 8, 0},
                                      .flags = CLSORT_LOW_MEMORY,
                                      .in_place = in_place};
                if (operations[o] == CLSORT_PAIRS) {
                    c.flags |= CLSORT_UNSTABLE;
                }
                check_sort(test_device(), c);
                clsort_request request;
                clsort_request_init(&request);
                request.operation = c.operation;
                request.key_type = c.key_type;
                request.count = c.count;
                request.flags = c.flags;
                request.value_bytes = operations[o] == CLSORT_PAIRS ? 4 : 0;
                uint64_t least = 1;
                CHECK_STATUS(test_device()->sorter, CLSORT_SUCCESS,
                             clsort_workspace_bytes(test_device()->sorter, &request, &least, NULL));
                ck_assert_uint_eq(least, 0);
            }
        }
    }
}
END_TEST

/* Counts around the widths of sub-groups, whatever the device's is; PoCL has none, and sorts the same. */
START_TEST(few_keys_around_every_sub_group_width_are_stable)
{
    static const uint64_t counts[] = {1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 3072, 3073};
    for (size_t i = 0; i < n_choices(); i++) {
        for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
            check_sort_if_fits(test_device(),
                               pairs(CLSORT_U32, allowed_count(counts[n]), (struct data){DATA_FEW, 3, 8}, i));
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("pairs", pairs_with_many_ties_keep_every_position_once,
                     distinct_keys_sorted_by_upper_half_are_all_there, equal_pairs_are_the_identity,
                     keys_with_equal_upper_digits_are_sorted, values_of_any_size_follow_their_keys,
                     float_pairs_in_one_row_are_sorted, argsort_gives_positions_of_both_index_sizes,
                     open_order_of_ties_keeps_records_whole, low_memory_sorts_without_workspace,
                     few_keys_around_every_sub_group_width_are_stable);
}
