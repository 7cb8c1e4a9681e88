/* The oracle and the data makers against values worked out by hand and against the machine's own float comparison. */
#include "sort_check.h"
#include "vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(random_from_the_golden_seed_gives_the_known_draws)
{
    static const uint32_t draws[] = {0x510c4619, 0xe02e553e, 0x7bb98f3a, 0x0183a8b5};
    uint32_t keys[4];
    uint64_t wide[2];
    struct data data = {DATA_RANDOM, 0x9E3779B9, 0};
    make_keys(CLSORT_U32, data, 4, keys);
    make_keys(CLSORT_U64, data, 2, wide);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(keys[i], draws[i]);
    }
    ck_assert_uint_eq(wide[0], UINT64_C(0x510c4619e02e553e));
    ck_assert_uint_eq(wide[1], UINT64_C(0x7bb98f3a0183a8b5));
}
END_TEST

START_TEST(data_shapes_have_the_keys_they_say)
{
    uint8_t narrow[300];
    uint32_t u32[8];
    float f32[4];
    make_keys(CLSORT_U32, (struct data){DATA_PIPE, 1, 0}, 8, u32);
    ck_assert(memcmp(u32, (uint32_t[]){0, 1, 2, 3, 3, 2, 1, 0}, sizeof u32) == 0);
    make_keys(CLSORT_U32, (struct data){DATA_LAST_MINIMUM, 1, 0}, 8, u32);
    ck_assert(memcmp(u32, (uint32_t[]){1, 2, 3, 4, 5, 6, 7, 0}, sizeof u32) == 0);
    make_keys(CLSORT_U32, (struct data){DATA_DESCENDING, 1, 0}, 8, u32);
    ck_assert(memcmp(u32, (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0}, sizeof u32) == 0);
    make_keys(CLSORT_U32, (struct data){DATA_MAXIMUM_MIX, 1, 0}, 8, u32);
    ck_assert(u32[0] == UINT32_MAX && u32[4] == UINT32_MAX && u32[1] != UINT32_MAX);
    make_keys(CLSORT_F32, (struct data){DATA_ASCENDING, 1, 0}, 4, f32);
    ck_assert(f32[0] == 0 && f32[1] == 1 && f32[2] == 2 && f32[3] == 3);
    make_keys(CLSORT_I8, (struct data){DATA_ASCENDING, 1, 0}, 300, narrow);
    for (int i = 1; i < 300; i++) {
        ck_assert(narrow[i - 1] <= narrow[i] && narrow[i] < 128);
    }
}
END_TEST

START_TEST(infinity_of_the_key_table_is_the_machines)
{
    float f32 = INFINITY;
    double f64 = INFINITY;
    ck_assert_uint_eq(get_key(&f32, CLSORT_F32, 0), key_facts(CLSORT_F32)->infinity);
    ck_assert_uint_eq(get_key(&f64, CLSORT_F64, 0), key_facts(CLSORT_F64)->infinity);
    ck_assert_uint_eq(key_facts(CLSORT_F16)->infinity, 0x7c00);
    ck_assert_uint_eq(key_facts(CLSORT_BF16)->infinity, 0x7f80);
}
END_TEST

/* Number of a float key's bits, from the fields of the format. */
static double number_of(clsort_key_type type, uint64_t bits)
{
    float f32;
    double f64;
    uint32_t u32 = (uint32_t)bits;
    switch (type) {
    case CLSORT_F64:
        memcpy(&f64, &bits, 8);
        return f64;
    case CLSORT_BF16:
        u32 = (uint32_t)bits << 16; /* bf16 is the upper half of f32 */
        /* fall through */
    case CLSORT_F32:
        memcpy(&f32, &u32, 4);
        return (double)f32;
    default: {
        int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        double magnitude = exponent == 0    ? ldexp(fraction, -24)
                           : exponent == 31 ? (fraction ? NAN : INFINITY)
                                            : ldexp(1024 + fraction, exponent - 25);
        return bits >> 15 ? -magnitude : magnitude;
    }
    }
}

/* -1, 0, 1 as numbers compare: every NaN is greater than all numbers and equal to every NaN. */
static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return !!isnan(a) - !!isnan(b);
    }
    return (a > b) - (a < b);
}

static int compare_ranks(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

START_TEST(merged_float_rank_orders_as_the_machine_compares)
{
    static const clsort_key_type types[] = {CLSORT_F16, CLSORT_BF16, CLSORT_F32, CLSORT_F64};
    enum { N = 2000 };
    static uint64_t keys[N]; /* room for the widest type; some 600,000 comparisons a type, too many for ck_assert */
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        struct oracle_order order = {types[t], false, false, true, 0, 64};
        make_keys(types[t], (struct data){DATA_SPECIAL, 5, 0}, N, keys);
        for (int a = 0; a < N; a++) {
            for (int b = 0; b < N; b += 7) {
                uint64_t key_a = get_key(keys, types[t], (uint64_t)a), key_b = get_key(keys, types[t], (uint64_t)b);
                if (compare_ranks(oracle_rank(&order, key_a), oracle_rank(&order, key_b)) !=
                    compare_numbers(number_of(types[t], key_a), number_of(types[t], key_b))) {
                    ck_abort_msg("%s: 0x%" PRIx64 " and 0x%" PRIx64, clsort_key_type_name(types[t]), key_a, key_b);
                }
            }
        }
    }
}
END_TEST

START_TEST(rank_of_every_narrow_key_is_a_bijection_that_refines_the_number)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_I8, CLSORT_U16, CLSORT_I16, CLSORT_F16, CLSORT_BF16};
    static uint32_t key_of_rank[65536];
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (int total = 0; total < 2; total++) {
            struct oracle_order order = {types[t], false, total, false, 0, 64};
            uint64_t n_keys = key_mask(types[t]) + 1;
            memset(key_of_rank, 0xff, sizeof key_of_rank);
            for (uint64_t key = 0; key < n_keys; key++) {
                uint64_t rank = oracle_rank(&order, key);
                if (rank >= n_keys || key_of_rank[rank] != UINT32_MAX) {
                    ck_abort_msg("%s: 0x%" PRIx64, clsort_key_type_name(types[t]), key);
                }
                key_of_rank[rank] = (uint32_t)key;
            }
            if (key_facts(types[t])->kind == KIND_FLOAT && !total) {
                for (uint64_t rank = 1; rank < n_keys; rank++) {
                    if (compare_numbers(number_of(types[t], key_of_rank[rank - 1]),
                                        number_of(types[t], key_of_rank[rank])) > 0) {
                        ck_abort_msg("%s: rank %" PRIu64, clsort_key_type_name(types[t]), rank);
                    }
                }
            }
        }
    }
}
END_TEST

START_TEST(rank_of_f32_is_the_documented_formula)
{
    enum { N = 4096 };
    static uint32_t keys[N];
    struct oracle_order order = {CLSORT_F32, false, false, false, 0, 32};
    make_keys(CLSORT_F32, (struct data){DATA_SPECIAL, 3, 0}, N, keys);
    for (int i = 0; i < N; i++) {
        uint32_t flipped = keys[i] ^ (keys[i] >> 31 ? 0xffffffffu : 0x80000000u);
        ck_assert_uint_eq(oracle_rank(&order, keys[i]), (uint32_t)(flipped - 0x007fffffu));
    }
}
END_TEST

START_TEST(sort_of_hand_written_vectors_gives_their_results)
{
    for (size_t v = 0; v < n_vectors; v++) {
        const struct vector *vector = &vectors[v];
        struct sort_case c = {.operation = vector->operation,
                              .key_type = vector->key_type,
                              .flags = vector->flags,
                              .begin_bit = vector->begin_bit,
                              .end_bit = vector->end_bit};
        struct oracle_order order = order_of_case(&c);
        uint64_t keys[VECTOR_LARGEST], positions[VECTOR_LARGEST];
        for (uint32_t i = 0; i < vector->count; i++) {
            set_key(keys, vector->key_type, i, vector->keys[i]);
        }
        oracle_sort(&order, keys, vector->count, positions);
        for (uint32_t i = 0; i < vector->count; i++) {
            uint64_t found =
                vector->operation == CLSORT_KEYS ? get_key(keys, vector->key_type, positions[i]) : positions[i];
            uint64_t expected = vector->result[i];
            if (vector->operation == CLSORT_KEYS) {
                expected &= key_mask(vector->key_type);
            }
            ck_assert_msg(found == expected, "%s: at %u found %" PRIx64 ", expected %" PRIx64, vector->name,
                          (unsigned)i, found, expected);
        }
    }
}
END_TEST

START_TEST(sort_of_any_count_is_a_stable_permutation_in_order)
{
    static uint64_t positions[1025];
    static uint32_t keys[1025];
    static bool seen[1025];
    for (uint64_t count = 0; count <= 1025; count += count < 70 ? 1 : 191) {
        struct oracle_order order = {CLSORT_U32, count % 2, false, false, 0, 32};
        make_keys(CLSORT_U32, (struct data){DATA_FEW, (uint32_t)count + 1, 11}, count, keys);
        oracle_sort(&order, keys, count, positions);
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < count; i++) {
            ck_assert(positions[i] < count && !seen[positions[i]]);
            seen[positions[i]] = true;
            if (i == 0) {
                continue;
            }
            uint32_t before = keys[positions[i - 1]], here = keys[positions[i]];
            ck_assert(before == here     ? positions[i - 1] < positions[i]
                      : order.descending ? before > here
                                         : before < here);
        }
    }
}
END_TEST

START_TEST(segments_are_sorted_alone)
{
    /* the first is cut at the count, the third is reversed */
    static const uint32_t keys[] = {5, 4, 3, 2, 1, 0, 2, 1};
    static const uint64_t begins[] = {6, 1, 4}, ends[] = {100, 4, 3};
    static const uint64_t no = ORACLE_NO_SEGMENT;
    const uint64_t expected[] = {no, 3, 2, 1, no, no, 7, 6};
    struct oracle_order order = {CLSORT_U32, false, false, false, 0, 32};
    uint64_t positions[N_ELEMENTS(keys)];
    oracle_sort_segments(&order, keys, N_ELEMENTS(keys), 3, begins, ends, positions);
    ck_assert_mem_eq(positions, expected, sizeof expected);
}
END_TEST

START_TEST(values_of_every_size_tell_positions_apart)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 32};
    for (size_t s = 0; s < N_ELEMENTS(sizes); s++) {
        unsigned char a[32], b[32];
        make_value(200, sizes[s], a);
        make_value(201, sizes[s], b);
        ck_assert(memcmp(a, b, sizes[s]) != 0);
        ck_assert_uint_eq(a[0], 200);
    }
}
END_TEST

START_TEST(edge_sizes_have_each_size_once)
{
    size_t n_sizes;
    uint64_t *sizes = edge_sizes(UINT64_MAX, &n_sizes);
    /* 0..70; three for each power from 7 on and 127 is above 70, 2^6 and 65 are not: 14 * 3; 3*2^k+1 above 70 for k = 5..18 */
    ck_assert_uint_eq(n_sizes, 71 + 14 * 3 + 14);
    for (size_t i = 0; i < n_sizes; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_uint_ne(sizes[i], sizes[j]);
        }
    }
    free(sizes);
}
END_TEST

int main(void)
{
    return RUN_TESTS("oracle", random_from_the_golden_seed_gives_the_known_draws, data_shapes_have_the_keys_they_say,
                     infinity_of_the_key_table_is_the_machines, merged_float_rank_orders_as_the_machine_compares,
                     rank_of_every_narrow_key_is_a_bijection_that_refines_the_number,
                     rank_of_f32_is_the_documented_formula, sort_of_hand_written_vectors_gives_their_results,
                     sort_of_any_count_is_a_stable_permutation_in_order, segments_are_sorted_alone,
                     values_of_every_size_tell_positions_apart, edge_sizes_have_each_size_once);
}
