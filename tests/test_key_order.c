/* The order of keys of every type: signs, zeros, NaNs, denormals, bit ranges, direction, keys that equal any padding. */
#include "sort_check.h"
#include "vectors.h"

#include <stdlib.h>

START_TEST(hand_written_vectors_are_sorted_by_every_algorithm)
{
    for (size_t v = 0; v < n_vectors; v++) {
        const struct vector *vector = &vectors[v];
        uint64_t keys[VECTOR_LARGEST];
        for (uint32_t i = 0; i < vector->count; i++) {
            set_key(keys, vector->key_type, i, vector->keys[i]);
        }
        for (size_t i = 0; i < n_choices(); i++) {
            struct sort_case c = {.operation = vector->operation,
                                  .key_type = vector->key_type,
                                  .count = vector->count,
                                  .data = {DATA_GIVEN, 0, 0},
                                  .given = keys,
                                  .flags = vector->flags,
                                  .begin_bit = vector->begin_bit,
                                  .end_bit = vector->end_bit,
                                  .algorithm = choice(i)};
            bool ran = check_sort_if_fits(test_device(), c);
            const bool may_refuse = !is_for_all_keys(i) || is_hybrid(choice(i)) ||
                                    (is_samplesort(choice(i)) && (vector->flags & CLSORT_BIT_RANGE));
            ck_assert_msg(ran || vector->operation != CLSORT_KEYS || may_refuse, "%s: refused by %s", vector->name,
                          choice(i));
        }
    }
}
END_TEST

START_TEST(corner_cases_of_every_type_are_ordered_both_ways)
{
    static const uint32_t orders[] = {0, CLSORT_DESCENDING, CLSORT_FLOAT_TOTAL_ORDER,
                                      CLSORT_FLOAT_TOTAL_ORDER | CLSORT_DESCENDING};
    for (size_t t = 0; t < n_key_types; t++) {
        for (size_t o = 0; o < (key_table[t].kind == KIND_FLOAT ? 4 : 2); o++) {
            for (int operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation += 2) {
                for (uint64_t count = 300; count <= 5000; count += 4700) {
                    struct sort_case c = {.operation = (clsort_operation)operation,
                                          .key_type = key_table[t].type,
                                          .count = count,
                                          .data = {DATA_SPECIAL, 17, 0},
                                          .flags = orders[o]};
                    check_sort(test_device(), c);
                }
            }
        }
    }
}
END_TEST

START_TEST(few_distinct_keys_keep_their_order_in_both_directions)
{
    static const clsort_key_type types[] = {CLSORT_U32, CLSORT_I32, CLSORT_F32, CLSORT_U64};
    for (size_t t = 0; t < N_ELEMENTS(types) - !compiles_programs_fast(); t++) {
        for (size_t i = 0; i < n_choices(); i++) {
            for (uint32_t flags = 0; flags <= CLSORT_DESCENDING; flags += CLSORT_DESCENDING) {
                struct sort_case c = {.operation = CLSORT_PAIRS,
                                      .key_type = types[t],
                                      .count = allowed_count(100003),
                                      .data = {DATA_FEW, 29, 16},
                                      .flags = flags,
                                      .algorithm = choice(i)};
                check_sort_if_fits(test_device(), c);
                c.count = 1000;
                check_sort_if_fits(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(empty_bit_range_copies_keys_and_values)
{
    const uint64_t counts[] = {100, allowed_count(100000)};
    for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
        for (size_t i = 0; i < n_choices(); i++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = {.operation = CLSORT_PAIRS,
                                      .key_type = CLSORT_U32,
                                      .count = counts[n],
                                      .data = {DATA_RANDOM, 3, 0},
                                      .flags = CLSORT_BIT_RANGE,
                                      .algorithm = choice(i),
                                      .in_place = in_place};
                check_sort_if_fits(test_device(), c);
                c.operation = CLSORT_ARGSORT;
                check_sort_if_fits(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(every_bit_range_is_sorted_by_its_bits)
{
    static const struct {
        clsort_key_type type;
        uint32_t step;
    } types[] = {{CLSORT_U8, 1}, {CLSORT_I16, 3}, {CLSORT_U32, 8}, {CLSORT_F32, 8}, {CLSORT_U64, 16}};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        uint32_t width = (uint32_t)(8 * clsort_key_type_bytes(types[t].type));
        for (uint32_t end = 0; end <= width;
             end += end + types[t].step > width && end < width ? width - end : types[t].step) {
            for (uint32_t begin = 0; begin <= end; begin += types[t].step) {
                for (size_t i = 0; i < n_choices(); i++) {
                    struct sort_case c = {.operation = CLSORT_KEYS,
                                          .key_type = types[t].type,
                                          .count = 500,
                                          .data = {DATA_RANDOM, 7 + begin, 0},
                                          .begin_bit = begin,
                                          .end_bit = end,
                                          .flags = CLSORT_BIT_RANGE | (begin & 1 ? CLSORT_DESCENDING : 0),
                                          .algorithm = choice(i)};
                    check_sort_if_fits(test_device(), c);
                    if (compiles_programs_fast() || types[t].type == CLSORT_U32 || types[t].type == CLSORT_F32) {
                        c.operation = CLSORT_PAIRS;
                        check_sort_if_fits(test_device(), c);
                    }
                }
            }
        }
    }
}
END_TEST

/* A sort that pads with the largest key, or with the smallest when descending, must not mix padding with keys. */
START_TEST(keys_that_equal_any_padding_are_all_kept)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_U32, CLSORT_I32, CLSORT_F32, CLSORT_U64};
    static const uint64_t counts[] = {1, 31, 33, 100, 1000};
    for (size_t t = 0; t < N_ELEMENTS(types) - !compiles_programs_fast(); t++) {
        for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
            for (size_t i = 0; i < n_choices(); i++) {
                const uint64_t keys[] = {largest_key(types[t]), smallest_key(types[t]), key_facts(types[t])->infinity};
                for (size_t k = 0; k < N_ELEMENTS(keys); k++) {
                    struct sort_case c = {.operation = CLSORT_PAIRS,
                                          .key_type = types[t],
                                          .count = counts[n],
                                          .data = {DATA_ALL, 1, keys[k]},
                                          .flags = k == 1 ? CLSORT_DESCENDING : 0,
                                          .algorithm = choice(i)};
                    check_sort_if_fits(test_device(), c);
                }
            }
        }
    }
}
END_TEST

START_TEST(zeros_and_ones_in_turn_are_stable)
{
    uint8_t keys[40];
    for (unsigned i = 0; i < 40; i++) {
        keys[i] = "1010011011"[i % 10] - '0';
    }
    for (uint64_t count = 5; count <= 40; count++) {
        for (size_t i = 0; i < n_choices(); i++) {
            struct sort_case c = {.operation = CLSORT_PAIRS,
                                  .key_type = CLSORT_U8,
                                  .count = count,
                                  .data = {DATA_GIVEN, 0, 0},
                                  .given = keys,
                                  .algorithm = choice(i)};
            check_sort_if_fits(test_device(), c);
        }
    }
}
END_TEST

START_TEST(largest_keys_among_random_ones_are_sorted)
{
    static const clsort_key_type types[] = {CLSORT_U32, CLSORT_F32};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (unsigned k = 4; k <= 18; k++) {
            uint64_t count = (UINT64_C(3) << k) + 1;
            if (!setting_allows(count)) {
                break;
            }
            struct sort_case c = {.operation = CLSORT_KEYS,
                                  .key_type = types[t],
                                  .count = count,
                                  .data = {DATA_MAXIMUM_MIX, k, 0}};
            check_sort(test_device(), c);
            c.operation = CLSORT_PAIRS;
            check_sort(test_device(), c);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("key_order", hand_written_vectors_are_sorted_by_every_algorithm,
                     corner_cases_of_every_type_are_ordered_both_ways,
                     few_distinct_keys_keep_their_order_in_both_directions, empty_bit_range_copies_keys_and_values,
                     every_bit_range_is_sorted_by_its_bits, keys_that_equal_any_padding_are_all_kept,
                     zeros_and_ones_in_turn_are_stable, largest_keys_among_random_ones_are_sorted);
}
