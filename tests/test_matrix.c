/* The product of key types, orders, operations, sizes and algorithms; a covering part of it unless it is the long run. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

/* An operation with the size of its values or indices. */
static const struct variant {
    clsort_operation operation;
    uint32_t bytes;
} variants[] = {{CLSORT_KEYS, 0},   {CLSORT_PAIRS, 1},   {CLSORT_PAIRS, 2},  {CLSORT_PAIRS, 3},
                {CLSORT_PAIRS, 4},  {CLSORT_PAIRS, 8},   {CLSORT_PAIRS, 12}, {CLSORT_PAIRS, 16},
                {CLSORT_PAIRS, 32}, {CLSORT_ARGSORT, 4}, {CLSORT_ARGSORT, 8}};

static const uint32_t orders[] = {0, CLSORT_DESCENDING, CLSORT_FLOAT_TOTAL_ORDER,
                                  CLSORT_FLOAT_TOTAL_ORDER | CLSORT_DESCENDING};

static const uint64_t counts[] = {0, 1, 2, 33, 1000, 4097, 100003, 1048577};

/* How often each choice of algorithm ran with 33 elements. */
static unsigned n_runs[32];

/* Every size and order of one key type, variant and choice of algorithm; the largest sizes in one order when part. */
static void sort_all(const struct device *device, const struct key_facts *key, struct variant variant, size_t i,
                     bool part)
{
    size_t n_orders = key->kind == KIND_FLOAT ? 4 : 2;
    for (size_t n = 0; n < N_ELEMENTS(counts) && setting_allows(counts[n]); n++) {
        for (size_t o = 0; o < n_orders; o++) {
            /* large sorts of the part: each type's in one order, its own choice */
            if (part && counts[n] > 5000 && (o != (size_t)key->type % n_orders || (counts[n] > 200000 && i != 0))) {
                continue;
            }
            struct sort_case c = {.operation = variant.operation,
                                  .key_type = key->type,
                                  .count = counts[n],
                                  .data = {n % 2 ? DATA_SPECIAL : DATA_RANDOM, 1 + (uint32_t)n, 0},
                                  .flags = orders[o],
                                  .algorithm = choice(i),
                                  .in_place = (n + o) % 2};
            if (variant.operation == CLSORT_PAIRS) {
                c.value_bytes = variant.bytes;
            }
            if (variant.operation == CLSORT_ARGSORT) {
                c.index_bytes = variant.bytes;
            }
            bool ran = check_sort_if_fits(device, c);
            n_runs[i] += ran && counts[n] == 33;
        }
    }
}

static void sort_product(const struct device *device, unsigned stride)
{
    memset(n_runs, 0, sizeof n_runs);
    ck_assert_uint_le(n_choices(), N_ELEMENTS(n_runs));
    for (size_t i = 0; i < n_choices(); i++) {
        /* a part of the product may have no case that suits an algorithm for whole keys */
        if (sorts_keys_alone(choice(i)) || is_samplesort(choice(i))) {
            sort_all(device, &key_table[i % n_key_types], variants[0], i, stride > 1);
        }
    }
    for (size_t t = 0; t < n_key_types; t++) {
        for (size_t v = 0; v < N_ELEMENTS(variants); v++) {
            for (size_t i = 0; i < n_choices(); i++) {
                if ((v + 3 * t + i) % stride == 0 || (!is_for_all_keys(i) && variants[v].operation == CLSORT_KEYS)) {
                    sort_all(device, &key_table[t], variants[v], i, stride > 1);
                }
            }
        }
    }
    for (size_t i = 0; i < n_choices(); i++) {
        ck_assert_msg(n_runs[i] > 0 || is_hybrid(choice(i)), "%s never ran with 33 elements",
                      choice(i) ? choice(i) : "the default");
    }
}

/* Strides that do not line up with the number of variants or of key types; settings with small counts get a small part. */
START_TEST(product_of_types_orders_operations_and_sizes_is_sorted)
{
    unsigned stride = is_slow_run() ? 1 : is_small_setting() ? 37 : 11;
    if (stride > 1) {
        print_exemption("most of the product", "it runs whole with the label slow");
    }
    sort_product(test_device(), stride);
}
END_TEST

START_TEST(product_with_64_bit_indices_is_sorted)
{
    struct device device = open_device(NULL, CLSORT_FORCE_64_BIT_INDEX);
    sort_product(&device, is_slow_run() ? 1 : is_small_setting() ? 41 : 29);
    close_device(&device);
}
END_TEST

int main(void)
{
    return RUN_TESTS("matrix", product_of_types_orders_operations_and_sizes_is_sorted,
                     product_with_64_bit_indices_is_sorted);
}
