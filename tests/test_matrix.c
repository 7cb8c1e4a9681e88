/* The product of key types, orders, operations, sizes and algorithms; a covering part of it unless it is the long run. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t counts[] = {0, 1, 2, 33, 1000, 4097, 100003, 1048577};

/* How often each choice of algorithm ran with 33 elements. */
static unsigned n_runs[32];

/* Every size and order of one key type, variant and choice of algorithm; the largest sizes in one order when part. */
static void sort_all(const struct device *device, const struct key_facts *key, struct value_variant variant, size_t i,
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
                                  .flags = key_orders[o],
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

/* What a covering part sorts by one program: key types of the same bits, and variants whose values move in the same units. */
static const clsort_key_type classes[][2] = {{CLSORT_U8, CLSORT_I8},    {CLSORT_U16, CLSORT_I16},
                                             {CLSORT_U32, CLSORT_I32},  {CLSORT_U64, CLSORT_I64},
                                             {CLSORT_F16, CLSORT_BF16}, {CLSORT_F32, CLSORT_F32},
                                             {CLSORT_F64, CLSORT_F64}};
enum { N_CLASSES = N_ELEMENTS(classes) };
static const struct value_variant units[N_CLASSES][2] = {{{CLSORT_PAIRS, 8}, {CLSORT_ARGSORT, 8}},
                                                         {{CLSORT_KEYS, 0}, {CLSORT_KEYS, 0}},
                                                         {{CLSORT_ARGSORT, 4}, {CLSORT_ARGSORT, 4}},
                                                         {{CLSORT_PAIRS, 1}, {CLSORT_PAIRS, 3}},
                                                         {{CLSORT_PAIRS, 4}, {CLSORT_PAIRS, 12}},
                                                         {{CLSORT_PAIRS, 2}, {CLSORT_PAIRS, 2}},
                                                         {{CLSORT_PAIRS, 16}, {CLSORT_PAIRS, 32}}};

/*
 * A part of the product: class c meets units c + shift + rotation by an algorithm, if those are below n_units. With all units each
 * algorithm meets every key type and every variant once, in 7 programs where the whole has some 50; the next algorithm meets
 * them in other pairs.
 */
struct part {
    size_t n_units, shift;
};

/* Each of a class with its variant of the units; one pair where both members are the same. */
static void sort_class(const struct device *device, const clsort_key_type class[2],
                       const struct value_variant of_units[2], size_t i)
{
    sort_all(device, key_facts(class[0]), of_units[0], i, true);
    if (class[0] != class[1] || of_units[0].operation != of_units[1].operation ||
        of_units[0].bytes != of_units[1].bytes) {
        sort_all(device, key_facts(class[1]), of_units[1], i, true);
    }
}

/* Single work-items serve the library's own choice on CPUs, and so those three share their programs. */
static size_t rotation(size_t i)
{
    return has_single_items(choice(i)) ? 0 : i;
}

static void sort_part(const struct device *device, struct part part)
{
    for (size_t i = 0; i < n_choices(); i++) {
        for (size_t c = 0; c < N_CLASSES && is_for_all_keys(i); c++) {
            const size_t u = (c + part.shift + rotation(i)) % N_CLASSES;
            if (u >= part.n_units) {
                continue;
            }
            /* samplesort takes no values with keys of 8 bytes: they go with keys of 2 */
            const bool is_refused = is_samplesort(choice(i)) && units[u][0].operation != CLSORT_KEYS &&
                                    key_facts(classes[c][0])->bytes == 8;
            sort_class(device, classes[is_refused ? 1 : c], units[u], i);
        }
        for (size_t t = 0; t < n_key_types && !is_for_all_keys(i); t++) {
            sort_all(device, &key_table[t], value_variants[0], i, true);
        }
    }
}

static void sort_whole(const struct device *device)
{
    for (size_t t = 0; t < n_key_types; t++) {
        for (size_t v = 0; v < N_VALUE_VARIANTS; v++) {
            for (size_t i = 0; i < n_choices(); i++) {
                sort_all(device, &key_table[t], value_variants[v], i, false);
            }
        }
    }
}

static void sort_product(const struct device *device, struct part part)
{
    memset(n_runs, 0, sizeof n_runs);
    ck_assert_uint_le(n_choices(), N_ELEMENTS(n_runs));
    if (is_slow_run()) {
        sort_whole(device);
    } else {
        sort_part(device, part);
    }
    for (size_t i = 0; i < n_choices(); i++) {
        ck_assert_msg(n_runs[i] > 0 || is_hybrid(choice(i)), "%s never ran with 33 elements",
                      choice(i) ? choice(i) : "the default");
    }
}

/* Where compilers take long for each program: some classes for each algorithm, in other pairs than those of the others. */
static bool has_all_units(void)
{
    return compiles_programs_fast() && strcmp(current_setting()->name, "rusticl") != 0;
}

START_TEST(product_of_types_orders_operations_and_sizes_is_sorted)
{
    if (!is_slow_run()) {
        print_exemption("most of the product", "it runs whole with the label slow");
    }
    sort_product(test_device(), has_all_units() ? (struct part){N_CLASSES, 0} : (struct part){3, 4});
}
END_TEST

START_TEST(product_with_64_bit_indices_is_sorted)
{
    struct device device = open_device(NULL, CLSORT_FORCE_64_BIT_INDEX);
    sort_product(&device, has_all_units() ? (struct part){2, 1} : (struct part){2, 2});
    close_device(&device);
}
END_TEST

int main(void)
{
    return RUN_TESTS("matrix", product_of_types_orders_operations_and_sizes_is_sorted,
                     product_with_64_bit_indices_is_sorted);
}
