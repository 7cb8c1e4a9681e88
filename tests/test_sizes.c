/* Every size at which something changes: tails, tile and power-of-two borders, switches of algorithm, 0 and 1. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

/* For counting these are keys of 1 byte. */
static clsort_key_type type_for(size_t i)
{
    return is_for_all_keys(i) ? CLSORT_U32 : CLSORT_U8;
}

static struct sort_case u32_keys(uint64_t count, const char *algorithm)
{
    return (struct sort_case){.operation = CLSORT_KEYS,
                              .key_type = CLSORT_U32,
                              .count = count,
                              .data = {DATA_RANDOM, (uint32_t)count + 1, 0},
                              .algorithm = algorithm};
}

START_TEST(keys_of_every_edge_size_are_sorted_by_every_algorithm)
{
    size_t n_sizes;
    uint64_t *sizes = edge_sizes(allowed_count(1048577), &n_sizes);
    for (size_t i = 0; i < n_choices(); i++) {
        uint64_t largest_refused = UINT64_MAX;
        for (size_t s = 0; s < n_sizes; s++) {
            struct sort_case c = u32_keys(sizes[s], choice(i));
            c.key_type = type_for(i);
            c.operation = sorts_pairs_alone(choice(i)) ? CLSORT_PAIRS : CLSORT_KEYS;
            if (check_sort_if_fits(test_device(), c)) {
                /* an algorithm that refuses a size refuses every larger one */
                ck_assert_uint_lt(sizes[s], largest_refused);
            } else {
                ck_assert_msg(sizes[s] > 33 || is_hybrid(choice(i)), "%s refused %u keys", choice(i),
                              (unsigned)sizes[s]);
                largest_refused = sizes[s] < largest_refused ? sizes[s] : largest_refused;
            }
        }
    }
    free(sizes);
}
END_TEST

START_TEST(pairs_of_changing_size_on_one_sorter_keep_no_state)
{
    static const uint64_t sizes[] = {33, 32, 31, 33, 4097, 33};
    for (size_t i = 0; i < n_choices(); i++) {
        for (size_t s = 0; s < N_ELEMENTS(sizes); s++) {
            struct sort_case c = u32_keys(allowed_count(sizes[s]), choice(i));
            c.operation = CLSORT_PAIRS;
            check_sort_if_fits(test_device(), c);
        }
    }
}
END_TEST

/* A scan that is off by one at the end of a block cannot leave every value at its position. */
START_TEST(equal_pairs_around_every_block_size_stay_in_place)
{
    for (uint64_t block = 64; block <= 1024; block *= 2) {
        const uint64_t sizes[] = {block - 1, block, block + 1, 2 * block, 2 * block + 1, 3 * block + 5};
        for (size_t i = 0; i < n_choices(); i++) {
            for (size_t s = 0; s < N_ELEMENTS(sizes); s++) {
                struct sort_case c = u32_keys(allowed_count(sizes[s]), choice(i));
                c.operation = CLSORT_PAIRS;
                c.data = (struct data){DATA_ALL, 1, 9};
                check_sort_if_fits(test_device(), c);
            }
        }
    }
}
END_TEST

/* By the zero-one principle this proves a fixed comparison network right for these sizes. */
START_TEST(bitonic_sorts_every_input_of_zeros_and_ones)
{
    struct device *device = test_device();
    for (uint32_t n = 1; n <= 14; n++) {
        uint32_t n_arrays = UINT32_C(1) << n;
        if (!setting_allows((uint64_t)n * n_arrays)) {
            print_exemption("all inputs of zeros and ones of more keys", "too many sorts for this setting");
            break;
        }
        size_t bytes = (size_t)n * n_arrays;
        uint8_t *keys = allocate(bytes), *sorted = allocate(bytes);
        for (uint32_t a = 0; a < n_arrays; a++) {
            for (uint32_t k = 0; k < n; k++) {
                keys[a * n + k] = a >> k & 1;
            }
        }
        cl_mem buffer = make_buffer(device, CL_MEM_READ_WRITE, bytes, keys);
        clsort_request request;
        clsort_request_init(&request);
        request.operation = CLSORT_KEYS;
        request.key_type = CLSORT_U8;
        request.count = n;
        request.algorithm = "bitonic";
        for (uint32_t a = 0; a < n_arrays; a++) {
            request.keys_in = request.keys_out = clsort_make_range(buffer, (uint64_t)a * n);
            CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                         clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
        }
        read_buffer(device, buffer, bytes, sorted);
        for (uint32_t a = 0; a < n_arrays; a++) {
            uint32_t n_ones = 0;
            for (uint32_t k = 0; k < n; k++) {
                n_ones += a >> k & 1;
            }
            for (uint32_t k = 0; k < n; k++) {
                ck_assert_msg(sorted[a * n + k] == (k >= n - n_ones), "%u keys, input 0x%x, key %u", (unsigned)n,
                              (unsigned)a, (unsigned)k);
            }
        }
        clReleaseMemObject(buffer);
        free(keys);
        free(sorted);
    }
}
END_TEST

/* The name of the algorithm that the library takes for so many keys. */
static const char *chosen(struct sort_case c, uint64_t count, char *name, size_t bytes)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = c.operation;
    request.key_type = c.key_type;
    request.count = count;
    request.value_bytes = c.operation == CLSORT_PAIRS ? 4 : 0;
    return info_text(test_device()->sorter, &request, CLSORT_INFO_ALGORITHM, name, bytes);
}

START_TEST(sizes_around_each_switch_of_algorithm_are_sorted)
{
    static const clsort_key_type types[] = {CLSORT_U8, CLSORT_U32, CLSORT_U64};
    unsigned n_switches = 0;
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
        for (int operation = CLSORT_KEYS; operation <= CLSORT_PAIRS; operation++) {
            struct sort_case c = {.operation = (clsort_operation)operation,
                                  .key_type = types[t],
                                  .data = {DATA_RANDOM, 77, 0}};
            uint64_t limit = allowed_count(200000);
            for (uint64_t low = 1, high = 2; low < limit; low = high, high = 2 * low < limit ? 2 * low : limit) {
                char at_low[64], at_high[64], at_middle[64];
                chosen(c, low, at_low, sizeof at_low);
                chosen(c, high, at_high, sizeof at_high);
                if (strcmp(at_low, at_high) == 0) {
                    continue;
                }
                uint64_t first = low, last = high;
                while (last - first > 1) {
                    uint64_t middle = first + (last - first) / 2;
                    if (strcmp(chosen(c, middle, at_middle, sizeof at_middle), at_low) == 0) {
                        first = middle;
                    } else {
                        last = middle;
                    }
                }
                n_switches++;
                for (c.count = last - 1; c.count <= last + 1; c.count++) {
                    check_sort(test_device(), c);
                }
            }
        }
    }
    ck_assert_msg(n_switches > 0, "the library never changes its algorithm with the count");
}
END_TEST

START_TEST(no_elements_change_nothing_and_complete_the_event)
{
    for (size_t t = 0; t < n_key_types; t++) {
        for (int operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = {.operation = (clsort_operation)operation,
                                      .key_type = key_table[t].type,
                                      .data = {DATA_RANDOM, 1, 0},
                                      .in_place = in_place};
                check_sort(test_device(), c);
            }
        }
    }
}
END_TEST

START_TEST(no_elements_need_no_buffers)
{
    for (int operation = CLSORT_KEYS; operation <= CLSORT_ARGSORT; operation++) {
        struct device *device = test_device();
        clsort_request request;
        cl_event event = NULL;
        clsort_request_init(&request);
        request.operation = (clsort_operation)operation;
        request.key_type = CLSORT_U32;
        request.value_bytes = operation == CLSORT_PAIRS ? 4 : 0;
        CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                     clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, &event));
        CHECK_CL(clWaitForEvents(1, &event));
        CHECK_CL(clReleaseEvent(event));
    }
}
END_TEST

START_TEST(one_element_is_unchanged)
{
    static const struct {
        clsort_key_type type;
        uint64_t key;
    } cases[] = {{CLSORT_U32, 0xDEADBEEF}, {CLSORT_I64, UINT64_C(1) << 63}, {CLSORT_F32, 0xffc01234}};
    for (size_t k = 0; k < N_ELEMENTS(cases); k++) {
        for (size_t i = 0; i < n_choices(); i++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                struct sort_case c = {.operation = CLSORT_PAIRS,
                                      .key_type = cases[k].type,
                                      .count = 1,
                                      .data = {DATA_ALL, 1, cases[k].key},
                                      .algorithm = choice(i),
                                      .in_place = in_place};
                check_sort_if_fits(test_device(), c);
                c.operation = CLSORT_KEYS;
                ck_assert(check_sort_if_fits(test_device(), c) || !is_for_all_keys(i) || is_hybrid(choice(i)));
            }
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("sizes", keys_of_every_edge_size_are_sorted_by_every_algorithm,
                     pairs_of_changing_size_on_one_sorter_keep_no_state,
                     equal_pairs_around_every_block_size_stay_in_place, bitonic_sorts_every_input_of_zeros_and_ones,
                     sizes_around_each_switch_of_algorithm_are_sorted,
                     no_elements_change_nothing_and_complete_the_event, no_elements_need_no_buffers,
                     one_element_is_unchanged);
}
