/* The constants from which kernels compute ranks, against the oracle's ranks, for every type, order and direction. */
#include "key.h"

#include "oracle.h"
#include "data.h"
#include "support.h"

#include <string.h>

/* What key_rank() of cl/base.cl computes, in 64 bits. */
static uint64_t rank_by_constants(const struct key_info *key, struct key_order order, uint64_t bits)
{
    uint64_t mask = key_mask(key->type), sign = mask / 2 + 1;
    if (key->kind == KEY_FLOAT) {
        uint64_t magnitude = bits & (sign - 1);
        if (order.merge && magnitude > order.infinity) {
            bits = sign - 1;
        }
        if (order.merge && magnitude == 0) {
            bits = 0;
        }
        bits = (bits & sign ? ~bits & mask : bits | sign) - order.bias;
    }
    return (bits ^ order.flip) & mask;
}

static void compare_ranks(clsort_key_type type, uint64_t bits)
{
    const struct key_info *key = clsort__key_find(type);
    for (int merge = 0; merge < 2; merge++) {
        for (uint32_t flags = 0; flags <= (CLSORT_DESCENDING | CLSORT_FLOAT_TOTAL_ORDER); flags++) {
            bool total = flags & CLSORT_FLOAT_TOTAL_ORDER;
            struct oracle_order order = {type, false, total, merge && !total, 0, 8 * key->bytes};
            uint64_t expected = oracle_rank(&order, bits);
            if (flags & CLSORT_DESCENDING) {
                expected = key_mask(type) - expected;
            }
            uint64_t found = rank_by_constants(key, clsort__key_order(key, flags, merge), bits);
            if (found != expected) {
                ck_abort_msg("%s 0x%llx flags %u merge %d: 0x%llx, expected 0x%llx", key->name,
                             (unsigned long long)bits, (unsigned)flags, merge, (unsigned long long)found,
                             (unsigned long long)expected);
            }
        }
    }
}

START_TEST(rank_constants_of_narrow_types_give_the_oracles_rank_of_every_key)
{
    for (size_t t = 0; t < n_key_types; t++) {
        for (uint64_t bits = 0; key_table[t].bytes <= 2 && bits <= key_mask(key_table[t].type); bits++) {
            compare_ranks(key_table[t].type, bits);
        }
    }
}
END_TEST

START_TEST(rank_constants_of_wide_types_give_the_oracles_rank)
{
    enum { N = 20000 };
    static uint64_t keys[N];
    for (size_t t = 0; t < n_key_types; t++) {
        make_keys(key_table[t].type, (struct data){DATA_SPECIAL, 41, 0}, N, keys);
        for (uint64_t i = 0; i < N; i++) {
            compare_ranks(key_table[t].type, get_key(keys, key_table[t].type, i));
        }
    }
}
END_TEST

START_TEST(key_table_has_the_facts_of_the_public_one)
{
    ck_assert_uint_eq(n_key_types, 12);
    for (size_t t = 0; t < n_key_types; t++) {
        const struct key_info *key = clsort__key_find(key_table[t].type);
        ck_assert_ptr_nonnull(key);
        ck_assert_str_eq(key->name, key_table[t].name);
        ck_assert_uint_eq(key->bytes, key_table[t].bytes);
        ck_assert_uint_eq(key->infinity, key_table[t].infinity);
    }
    ck_assert_ptr_null(clsort__key_find((clsort_key_type)0));
    ck_assert_ptr_null(clsort__key_find((clsort_key_type)-1));
}
END_TEST

int main(void)
{
    return RUN_TESTS("key", rank_constants_of_narrow_types_give_the_oracles_rank_of_every_key,
                     rank_constants_of_wide_types_give_the_oracles_rank, key_table_has_the_facts_of_the_public_one);
}
