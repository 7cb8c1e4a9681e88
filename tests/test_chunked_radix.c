/* chunked_radix takes each of its ways: buckets by digits, by insertion, by all bits, large ones, skewed and sorted arrays. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words that cl/chunked_radix.cl leaves at the begin of its workspace. */
enum { NEXT_BUCKET, IS_SKEWED, LARGE_BUCKETS, BY_INSERTION, BY_ALL_BITS, BY_OTHER_BITS, IS_RECOUNTED, MOVED, N_WORDS };

/* What llvmpipe's loops can do at most. */
enum { MOST_KEYS = 1000 };
/* Of a bucket that is larger than counters are many. */
enum { MANY_KEYS = 65536 };

/* Buckets of few keys, with buffers of writes and without. Buffers are taken from 7 bits of digits on. */
static const char few_keys[] = "bucket_keys=64,chunked_groups=3,plain_kib=1000";
static const char fewer_keys[] = "bucket_keys=16,chunked_groups=3,plain_kib=1";

static uint32_t next_draw(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state ^ *state >> 15;
}

static uint64_t next_key(uint32_t *state)
{
    const uint64_t high = next_draw(state);
    return high << 32 | next_draw(state);
}

/* Keys with their positions. */
struct pair {
    uint64_t key;
    uint32_t position;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *pair_a = a, *pair_b = b;
    return pair_a->key != pair_b->key ? (pair_a->key > pair_b->key) - (pair_a->key < pair_b->key)
                                      : (pair_a->position > pair_b->position) - (pair_a->position < pair_b->position);
}

static void check_sorted(const uint64_t *keys, size_t n, const uint64_t *sorted_keys, const uint32_t *positions)
{
    static struct pair pairs[MANY_KEYS];
    for (size_t i = 0; i < n; i++) {
        pairs[i] = (struct pair){keys[i], (uint32_t)i};
    }
    qsort(pairs, n, sizeof pairs[0], compare_pairs);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(sorted_keys[i] == pairs[i].key && positions[i] == pairs[i].position,
                      "position %zu of %zu is wrong", i, n);
    }
}

/* Sorts keys with their positions as values, checks that they are sorted stably and gives the words of the workspace. */
static void sort_pairs(const struct device *device, const uint64_t *keys, size_t n, bool in_place,
                       uint32_t words[N_WORDS])
{
    static uint32_t positions[MANY_KEYS];
    static uint64_t sorted_keys[MANY_KEYS];
    for (size_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)i;
    }
    cl_mem keys_in = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], keys);
    cl_mem keys_out = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof keys[0], NULL);
    cl_mem values = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof positions[0], positions);
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_PAIRS;
    request.key_type = CLSORT_U64;
    request.value_bytes = sizeof positions[0];
    request.count = n;
    request.algorithm = "chunked_radix";
    request.keys_in = clsort_make_range(keys_in, 0);
    request.keys_out = clsort_make_range(in_place ? keys_in : keys_out, 0);
    request.values_in = request.values_out = clsort_make_range(values, 0);
    cl_mem values_out = make_buffer(device, CL_MEM_READ_WRITE, n * sizeof positions[0], NULL);
    if (!in_place) {
        request.values_out = clsort_make_range(values_out, 0);
    }
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_workspace_bytes(device->sorter, &request, NULL, &request.workspace.bytes));
    request.workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, request.workspace.bytes, NULL);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    read_buffer(device, request.keys_out.buffer, n * sizeof sorted_keys[0], sorted_keys);
    read_buffer(device, request.values_out.buffer, n * sizeof positions[0], positions);
    read_buffer(device, request.workspace.buffer, N_WORDS * sizeof words[0], words);
    check_sorted(keys, n, sorted_keys, positions);
    clReleaseMemObject(request.workspace.buffer);
    clReleaseMemObject(values_out);
    clReleaseMemObject(values);
    clReleaseMemObject(keys_out);
    clReleaseMemObject(keys_in);
}

/* Keys of 32 buckets, by turns; below stands what the bucket's i-th key has. */
static uint64_t in_bucket(size_t bucket, uint64_t below)
{
    return (uint64_t)bucket << 59 | below;
}

START_TEST(uniform_keys_are_sorted_by_digits_and_insertion_alone)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t state = 1, words[N_WORDS];
    for (size_t i = 0; i < MOST_KEYS; i++) {
        keys[i] = next_key(&state);
    }
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        sort_pairs(&device, keys, MOST_KEYS, in_place, words);
        ck_assert_uint_ge(words[NEXT_BUCKET], 32);
        ck_assert_uint_gt(words[BY_INSERTION], 0);
        ck_assert_uint_eq(words[IS_SKEWED], 0);
        ck_assert_uint_eq(words[LARGE_BUCKETS], 0);
        ck_assert_uint_eq(words[BY_ALL_BITS], 0);
        ck_assert_uint_eq(words[IS_RECOUNTED], 0);
    }
    close_device(&device);
}
END_TEST

/* In each of 8 buckets there are groups that agree in the highest bits, each in reverse order: an insertion sort would be
   quadratic. */
START_TEST(insertion_that_moves_too_much_is_given_up)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t words[N_WORDS];
    for (size_t i = 0; i < MOST_KEYS; i++) {
        keys[i] = in_bucket(4 * (i % 8), (uint64_t)(i / 8 % 4) << 57 | (MOST_KEYS - i));
    }
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        sort_pairs(&device, keys, MOST_KEYS, in_place, words);
        ck_assert_uint_eq(words[BY_INSERTION], 8);
        ck_assert_uint_eq(words[BY_ALL_BITS], 8);
        ck_assert_uint_eq(words[BY_OTHER_BITS], 0);
    }
    close_device(&device);
}
END_TEST

/* The highest digits tell one key of each bucket from the others. */
START_TEST(digits_that_most_keys_share_are_not_sorted_by_alone)
{
    static uint64_t keys[31 * 32]; /* digits of 31 keys have 4 bits */
    uint32_t words[N_WORDS];
    for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
        const size_t place = i / 32;
        keys[i] = in_bucket(i % 32, place < 7 ? UINT64_C(1) << (58 - 8 * place) : 31 - place);
    }
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        sort_pairs(&device, keys, N_ELEMENTS(keys), in_place, words);
        ck_assert_uint_eq(words[BY_INSERTION], 0);
        ck_assert_uint_eq(words[BY_ALL_BITS], 32);
        ck_assert_uint_eq(words[BY_OTHER_BITS], 0);
    }
    close_device(&device);
}
END_TEST

/* Shapes that a search over some hundred found to take most: groups that agree in their highest bits, in reverse order; and keys
   of which at each digit some leave the others. */
static void make_hard(uint64_t *keys, size_t n, unsigned shape)
{
    static const struct {
        unsigned group, shared_bits;
    } groups[] = {{2, 28}, {2, 40}, {8, 28}, {32, 40}};
    uint32_t state = 6;
    for (size_t i = 0; i < n && shape < N_ELEMENTS(groups); i++) {
        const size_t n_groups = n / groups[shape].group;
        const unsigned below = 64 - groups[shape].shared_bits;
        const uint64_t group = i % n_groups * UINT64_C(0x9E3779B97F4A7C15);
        keys[i] = group >> below << below | (groups[shape].group - i / n_groups);
    }
    for (size_t i = 0; i < n && shape >= N_ELEMENTS(groups); i++) {
        const unsigned width = shape == N_ELEMENTS(groups) ? 10 : 2;
        unsigned at = 59;
        keys[i] = next_key(&state) >> at << at;
        while (at > width && next_draw(&state) % 2) {
            at -= width;
        }
        /* Those that left at once have no bits below. */
        const uint64_t below = next_key(&state) >> 8;
        keys[i] |= at > 56 ? 0 : below >> (56 - at);
    }
}
enum { N_HARD = 6 };

START_TEST(hard_keys_are_moved_at_most_three_times_as_often_as_uniform_ones)
{
    static uint64_t keys[MANY_KEYS];
    uint32_t words[N_WORDS], state = 7;
    if (!setting_allows(MANY_KEYS)) {
        print_exemption("keys that are hard for the insertion sort", "there are 65536 of them");
        return;
    }
    for (size_t i = 0; i < MANY_KEYS; i++) {
        keys[i] = next_key(&state);
    }
    struct device device = open_device(NULL, 0);
    sort_pairs(&device, keys, MANY_KEYS, false, words);
    /* once into their buckets */
    const uint64_t uniform = MANY_KEYS + words[MOVED];
    ck_assert_uint_ge(uniform, 3 * MANY_KEYS);
    for (unsigned shape = 0; shape < N_HARD; shape++) {
        make_hard(keys, MANY_KEYS, shape);
        sort_pairs(&device, keys, MANY_KEYS, false, words);
        const uint64_t hard = MANY_KEYS + words[MOVED];
        printf("hard keys %u: %.2f times the movements of uniform ones\n", shape, (double)hard / (double)uniform);
        ck_assert_uint_eq(words[IS_SKEWED], 0);
        ck_assert_uint_gt(words[BY_ALL_BITS], 0);
        ck_assert_uint_le(hard, 3 * uniform);
    }
    close_device(&device);
}
END_TEST

START_TEST(bits_that_do_not_vary_in_a_bucket_are_left_out)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t words[N_WORDS];
    for (size_t i = 0; i < MOST_KEYS; i++) {
        /* of the first bucket no bit varies, of the others few low ones do */
        keys[i] = in_bucket(i % 32, i % 32 ? (MOST_KEYS - i) / 32 << 3 : 0);
    }
    keys[1] |= UINT64_C(1)
               << 50; /* the only bit in between, so that bits below are not the array's highest; its bucket is hard */
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        sort_pairs(&device, keys, MOST_KEYS, in_place, words);
        ck_assert_uint_eq(words[BY_OTHER_BITS], 32);
        ck_assert_uint_eq(words[BY_ALL_BITS], 1);
    }
    close_device(&device);
}
END_TEST

START_TEST(buckets_above_a_slab_are_sorted_outside_of_it)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t state = 2, words[N_WORDS];
    for (size_t i = 0; i < MOST_KEYS; i++) {
        keys[i] = i % 3 ? next_key(&state) : next_key(&state) >> 5;
    }
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        sort_pairs(&device, keys, MOST_KEYS, in_place, words);
        ck_assert_uint_eq(words[IS_SKEWED], 0);
        ck_assert_uint_ge(words[LARGE_BUCKETS], 1);
        ck_assert_uint_lt(words[LARGE_BUCKETS], 4);
    }
    close_device(&device);
}
END_TEST

/* Numbers of bits that are an odd and an even number of passes; 1 leaves nothing for the second one in place. */
START_TEST(skewed_arrays_are_sorted_by_passes)
{
    static const unsigned n_bits[] = {1, 8, 9, 17, 64};
    static uint64_t keys[MOST_KEYS];
    uint32_t state = 3, words[N_WORDS];
    struct device device = open_device(fewer_keys, 0);
    for (size_t b = 0; b < N_ELEMENTS(n_bits); b++) {
        for (size_t i = 0; i < MOST_KEYS; i++) {
            const uint64_t key = next_key(&state) >> (64 - n_bits[b]);
            keys[i] = key >> (i % 4 == 0 ? 0 : n_bits[b] < 6 ? n_bits[b] : 6); /* buckets are told by 6 bits */
        }
        for (int in_place = 0; in_place <= 1; in_place++) {
            sort_pairs(&device, keys, MOST_KEYS, in_place, words);
            ck_assert_uint_eq(words[IS_SKEWED], 1);
            ck_assert_uint_eq(words[NEXT_BUCKET], 0);
        }
    }
    close_device(&device);
}
END_TEST

START_TEST(digit_is_counted_anew_where_the_sample_missed_the_highest_bit)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t state = 4, words[N_WORDS];
    for (size_t i = 0; i < MOST_KEYS; i++) {
        keys[i] = next_key(&state) >> 4;
    }
    /* of 1000 keys the sample has those at multiples of 15 */
    keys[151] = UINT64_MAX;
    struct device device = open_device(few_keys, 0);
    sort_pairs(&device, keys, MOST_KEYS, false, words);
    ck_assert_uint_eq(words[IS_RECOUNTED], 1);
    keys[151] = 0;
    sort_pairs(&device, keys, MOST_KEYS, false, words);
    ck_assert_uint_eq(words[IS_RECOUNTED], 0);
    close_device(&device);
}
END_TEST

START_TEST(sorted_arrays_are_copied_and_one_key_out_of_order_is_seen)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t words[N_WORDS];
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        for (size_t at = 0; at + 1 < MOST_KEYS; at += at == 0 ? 200 : 133) {
            for (size_t i = 0; i < MOST_KEYS; i++) {
                keys[i] = i / 2 << 54;
            }
            if (at > 0) {
                keys[at] = keys[at + 1] + 1;
            }
            sort_pairs(&device, keys, MOST_KEYS, in_place, words);
            ck_assert_uint_eq(words[NEXT_BUCKET] > 0, at > 0);
        }
    }
    close_device(&device);
}
END_TEST

/* Only where no two are equal, which would change places. */
START_TEST(falling_arrays_are_reversed_and_one_key_out_of_order_is_seen)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t words[N_WORDS];
    struct device device = open_device(few_keys, 0);
    for (int in_place = 0; in_place <= 1; in_place++) {
        for (size_t n = MOST_KEYS - 1; n <= MOST_KEYS; n++) {
            for (size_t at = 0; at + 1 < n; at += at == 0 ? 200 : 133) {
                for (size_t i = 0; i < n; i++) {
                    keys[i] = (MOST_KEYS - i) << 50;
                }
                if (at > 0) {
                    keys[at] = keys[at + 1];
                }
                sort_pairs(&device, keys, n, in_place, words);
                ck_assert_uint_eq(words[NEXT_BUCKET] > 0, at > 0);
            }
        }
    }
    close_device(&device);
}
END_TEST

/* Writes through buffers begin and end anywhere in a line. */
START_TEST(buffers_of_writes_are_right_for_every_number_of_keys)
{
    static uint64_t keys[MOST_KEYS];
    uint32_t state = 5, words[N_WORDS];
    struct device device = open_device(fewer_keys, 0);
    for (size_t n = 1; n <= MOST_KEYS; n += 1 + n / 3) {
        for (size_t i = 0; i < n; i++) {
            keys[i] = i % 2 ? next_key(&state) : UINT64_C(0x1234567800000000) + next_draw(&state) % 1000;
        }
        sort_pairs(&device, keys, n, n % 2, words);
    }
    close_device(&device);
}
END_TEST

int main(void)
{
    return RUN_TESTS("chunked_radix", uniform_keys_are_sorted_by_digits_and_insertion_alone,
                     insertion_that_moves_too_much_is_given_up, digits_that_most_keys_share_are_not_sorted_by_alone,
                     hard_keys_are_moved_at_most_three_times_as_often_as_uniform_ones,
                     bits_that_do_not_vary_in_a_bucket_are_left_out, buckets_above_a_slab_are_sorted_outside_of_it,
                     skewed_arrays_are_sorted_by_passes, digit_is_counted_anew_where_the_sample_missed_the_highest_bit,
                     sorted_arrays_are_copied_and_one_key_out_of_order_is_seen,
                     falling_arrays_are_reversed_and_one_key_out_of_order_is_seen,
                     buffers_of_writes_are_right_for_every_number_of_keys);
}
