/* The bench's check of results finds what is wrong with them, element by element and by sums. */
#include "support.h"

#include "../benchmarks/verify.h"

#include <stdlib.h>
#include <string.h>

/* Keys with their positions as values, sorted, each key several times. */
struct result {
    struct sort_case c;
    uint32_t *keys_in, *keys_out, *values_in, *values_out;
};

enum { EACH_KEY = 4 };

static struct result make_result(clsort_operation operation, uint64_t n)
{
    struct result result = {.c = {.operation = operation,
                                  .key_type = CLSORT_U32,
                                  .value_bytes = operation == CLSORT_KEYS ? 0 : sizeof(uint32_t),
                                  .n = n}};
    uint32_t **arrays[] = {&result.keys_in, &result.keys_out, &result.values_in, &result.values_out};
    for (size_t a = 0; a < N_ELEMENTS(arrays); a++) {
        *arrays[a] = allocate((size_t)n * sizeof(uint32_t));
    }
    const uint64_t n_keys = (n + EACH_KEY - 1) / EACH_KEY;
    for (uint64_t i = 0; i < n; i++) {
        /* The key of position p is p modulo n_keys: those of key k stand at k, k + n_keys and so on. */
        result.keys_in[i] = (uint32_t)(i % n_keys);
        result.values_in[i] = (uint32_t)i;
    }
    uint64_t out = 0;
    for (uint64_t key = 0; key < n_keys; key++) {
        for (uint64_t i = key; i < n; i += n_keys) {
            result.keys_out[out] = (uint32_t)key;
            result.values_out[out++] = (uint32_t)i;
        }
    }
    return result;
}

static void free_result(struct result *result)
{
    free(result->keys_in);
    free(result->keys_out);
    free(result->values_in);
    free(result->values_out);
}

static int is_right(const struct result *result, char *text, size_t bytes)
{
    const struct verify_data data = {result->keys_in, result->keys_out,
                                     result->c.operation == CLSORT_PAIRS ? result->values_in : NULL,
                                     result->c.value_bytes ? result->values_out : NULL};
    text[0] = '\0';
    return verify(&result->c, &data, NULL, text, bytes);
}

static void swap(uint32_t *array, uint64_t i, uint64_t j)
{
    const uint32_t other = array[i];
    array[i] = array[j];
    array[j] = other;
}

static void ck_assert_found(struct result *result, const char *what, uint64_t at)
{
    char text[200];
    ck_assert_msg(!is_right(result, text, sizeof text), "operation %d, n %u: not found: %s at %u",
                  (int)result->c.operation, (unsigned)result->c.n, what, (unsigned)at);
    ck_assert_str_ne(text, "");
}

/* Faults at output place `at`, which begins the elements of a key; each is undone. */
static void plant_faults(struct result *result, uint64_t at)
{
    const uint64_t next = at + EACH_KEY < result->c.n ? at + EACH_KEY : at - EACH_KEY;
    swap(result->keys_out, at, next);
    swap(result->values_out, at, next);
    ck_assert_found(result, "two elements changed places", at);
    swap(result->values_out, at, next);
    swap(result->keys_out, at, next);
    const uint32_t key = result->keys_out[at], value = result->values_out[at];
    result->keys_out[at] = result->keys_out[next];
    result->values_out[at] = result->values_out[next];
    ck_assert_found(result, "an element twice, another missing", at);
    result->keys_out[at] = key;
    result->values_out[at] = value;
    if (result->c.operation != CLSORT_KEYS) {
        swap(result->values_out, at, at + 1);
        ck_assert_found(result, "equal keys out of order", at);
        result->c.flags = CLSORT_UNSTABLE;
        char text[200];
        ck_assert_msg(is_right(result, text, sizeof text), "any order of equal keys: %s", text);
        result->c.flags = 0;
        swap(result->values_out, at, at + 1);
        swap(result->values_out, at, next);
        ck_assert_found(result, "the values of two keys changed places", at);
        swap(result->values_out, at, next);
    }
}

START_TEST(faults_are_found_at_any_place)
{
    /* Of one element by one, and by sums, which threads add up. */
    static const uint64_t counts[] = {1000, VERIFY_REFERENCE_LIMIT + 4 * EACH_KEY};
    static const clsort_operation operations[] = {CLSORT_KEYS, CLSORT_PAIRS, CLSORT_ARGSORT};
    for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
        for (size_t o = 0; o < N_ELEMENTS(operations); o++) {
            struct result result = make_result(operations[o], counts[n]);
            char text[200];
            ck_assert_msg(is_right(&result, text, sizeof text), "right, but: %s", text);
            plant_faults(&result, 0);
            plant_faults(&result, counts[n] / 2 / EACH_KEY * EACH_KEY);
            plant_faults(&result, counts[n] - EACH_KEY);
            ck_assert_msg(is_right(&result, text, sizeof text), "right again, but: %s", text);
            free_result(&result);
        }
    }
}
END_TEST

START_TEST(the_first_of_several_faults_is_named)
{
    struct result result = make_result(CLSORT_KEYS, VERIFY_REFERENCE_LIMIT + 4 * EACH_KEY);
    char text[200];
    swap(result.keys_out, 8 * EACH_KEY - 1, 8 * EACH_KEY);
    swap(result.keys_out, result.c.n - EACH_KEY - 1, result.c.n - EACH_KEY);
    ck_assert(!is_right(&result, text, sizeof text));
    ck_assert_str_eq(text, "out of order at output position 32");
    free_result(&result);
}
END_TEST

int main(void)
{
    return RUN_TESTS("verify", faults_are_found_at_any_place, the_first_of_several_faults_is_named);
}
