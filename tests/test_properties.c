/*
 * Random legal sorts against the oracle: type, operation, order, count, data, ranges, segments, workspace, algorithm and tuning row.
 * A case is made from a seed and its number alone, so that the one that failed can be run again:
 *
 *     CLSORT_PROPERTY_SEED=S CLSORT_PROPERTY_FIRST=I CLSORT_PROPERTY_COUNT=1 test_properties
 */
#include "segment_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Cases of one key type, size of values and tuning: those share programs, of which compiling takes longer than the sorts. */
enum { ROUND = 50, COUNT_OF_TEST = 150, COUNT_OF_LONG_TEST = 10000 };

/* ---------------------------------------------------------------------------------------------------------- draws */

/* splitmix64, whose successive states may be anything: so a case needs none of those before it. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t below(uint64_t *state, uint64_t n)
{
    return draw(state) % n;
}

static bool one_in(uint64_t *state, uint64_t n)
{
    return below(state, n) == 0;
}

/* As many small numbers as large ones. */
static uint64_t spread_below(uint64_t *state, uint64_t n)
{
    uint64_t bits = 0;
    while (n >> bits > 1) {
        bits++;
    }
    const uint64_t largest = UINT64_C(2) << below(state, bits + 1);
    return below(state, largest < n ? largest : n);
}

/* ---------------------------------------------------------------------------------------------------------- rounds */

/* What the cases of a round share. */
struct round {
    struct value_variant variant;
    clsort_key_type key_type;
    const struct tuning_choice_of_test *tuning;
};

/* Ways to have other tuning than the device's own row. */
static const struct tuning_choice_of_test {
    const char *name, *text;
    uint32_t option_flags;
} tunings[] = {
    {"own row", NULL, 0},
    {"64-bit positions", NULL, CLSORT_FORCE_64_BIT_INDEX},
    {"last row", NULL, CLSORT_SAFE_TUNING},
    {"small tiles", "items=2,radix_bits=2,rank_bits=1,local_items=2,spread_items=16,serial_count=0,chunked_count=0", 0},
    {"few blocks", "items=16,blocks_per_unit=1,local_items=16,serial_count=0,chunked_count=0,samplesort_count=0", 0},
    {"large tiles", "radix_bits=8,bitonic_count=64,rank_count=64,serial_count=64,chunked_count=512", 0},
};

/* Each tuning but the device's own has programs that no other test compiles, so it has few rounds. */
static struct round make_round(uint64_t seed, uint64_t number)
{
    uint64_t state = seed ^ (number + 1) * 0xd1342543de82ef95;
    struct round round;
    round.variant = value_variants[below(&state, N_VALUE_VARIANTS)];
    round.key_type = key_table[below(&state, n_key_types)].type;
    round.tuning = &tunings[is_slow_run() && one_in(&state, 4) ? below(&state, N_ELEMENTS(tunings)) : 0];
    return round;
}

/* The device of a round, with one sorter for each tuning. */
static const struct device *device_of(const struct round *round)
{
    static struct device devices[N_ELEMENTS(tunings)];
    struct device *device = &devices[round->tuning - tunings];
    if (!device->sorter) {
        *device = open_device(round->tuning->text, round->tuning->option_flags);
    }
    return device;
}

/* ----------------------------------------------------------------------------------------------------------- cases */

struct property_case {
    struct sort_case sort;
    struct segment_case segments;
};

static struct data make_data(uint64_t *state, clsort_key_type type)
{
    struct data data = {(enum data_shape)below(state, DATA_GIVEN), (uint32_t)draw(state) | 1, draw(state)};
    if (data.shape == DATA_FEW) {
        data.parameter = 1 + spread_below(state, 1000);
    } else if (data.shape == DATA_ALL) {
        data.parameter &= key_mask(type);
    }
    return data;
}

/* Segments of one length, or of lengths that differ and follow each other or lie anywhere, with gaps. */
static void make_segments(struct property_case *p, uint64_t *state)
{
    struct segment_case *s = &p->segments;
    const uint64_t most = 1 + spread_below(state, 3000);
    uint64_t longest = 0;
    if (one_in(state, 3)) {
        s->length = most;
        s->stride = one_in(state, 2) ? 0 : most + spread_below(state, 40);
        p->sort.count = (s->stride ? s->stride : most) * below(state, 1 + 20000 / (most + 40));
        longest = most;
    } else {
        const bool has_gaps = one_in(state, 2);
        const uint64_t largest = 1 + spread_below(state, allowed_count(20000));
        start_list();
        while (list.count < largest && list.n < 5000) {
            const uint64_t length = one_in(state, 9) ? 0 : below(state, most + 1);
            add_segment(has_gaps ? below(state, 5) : 0, length);
            longest = length > longest ? length : longest;
        }
        list.begins[list.n] = list.count;
        if (has_gaps) {
            shuffle_list((uint32_t)draw(state) | 1);
        }
        *s = (struct segment_case){.n = list.n,
                                   .begins = list.begins,
                                   .ends = has_gaps ? list.ends : NULL,
                                   .offset_bytes = one_in(state, 2) ? 4 : 8};
        p->sort.count = list.count;
    }
    s->promised = one_in(state, 2) ? longest : 0;
    p->sort.segments = s;
    if (p->sort.operation == CLSORT_ARGSORT && one_in(state, 2)) {
        p->sort.flags |= CLSORT_INDEX_IN_SEGMENT;
    }
}

static void make_bit_range(struct sort_case *c, uint64_t *state)
{
    const uint32_t width = (uint32_t)(8 * key_facts(c->key_type)->bytes);
    c->flags |= CLSORT_BIT_RANGE;
    c->begin_bit = (uint32_t)below(state, width + 1);
    c->end_bit = c->begin_bit + (uint32_t)below(state, width - c->begin_bit + 1);
}

static void make_case(struct property_case *p, const struct round *round, uint64_t seed, uint64_t number)
{
    uint64_t state = seed + number * 0x2545f4914f6cdd1d;
    memset(p, 0, sizeof *p);
    struct sort_case *c = &p->sort;
    c->operation = round->variant.operation;
    c->key_type = round->key_type;
    c->count = spread_below(&state, allowed_count(one_in(&state, 20) ? 70000 : 5000));
    c->data = make_data(&state, c->key_type);
    c->flags = key_orders[below(&state, key_facts(c->key_type)->kind == KIND_FLOAT ? N_KEY_ORDERS : 2)];
    c->value_bytes = c->operation == CLSORT_PAIRS ? round->variant.bytes : 0;
    c->index_bytes = c->operation == CLSORT_ARGSORT ? round->variant.bytes : 0;
    c->in_place = one_in(&state, 2);
    c->without_keys_out = c->operation == CLSORT_ARGSORT && !c->in_place && one_in(&state, 2);
    c->workspace = (enum workspace_kind)below(&state, 3);
    c->start = N_GUARD + below(&state, 9);
    c->misaligned = one_in(&state, 4);
    if (one_in(&state, 5)) {
        c->flags |= CLSORT_UNSTABLE;
    }
    if (one_in(&state, 10)) { /* without workspace some requests are refused, so they have one of the least size */
        c->flags |= CLSORT_LOW_MEMORY;
        c->workspace = WORKSPACE_LEAST;
    }
    if (one_in(&state, 4)) {
        make_bit_range(c, &state);
    }
    if (one_in(&state, 3)) {
        make_segments(p, &state);
    }
    c->algorithm = one_in(&state, 2) ? choice(below(&state, n_choices())) : NULL;
}

/* ------------------------------------------------------------------------------------------------------------ runs */

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Whether an algorithm's kernels are not to be compiled for many types of keys here; its own test has them. */
static bool is_too_slow(const char *algorithm)
{
    return (is_hybrid(algorithm) || is_quicksort(algorithm)) && !compiles_barriers_fast();
}

START_TEST(random_legal_sorts_are_right)
{
    const uint64_t seed = number_of("CLSORT_PROPERTY_SEED", is_slow_run() ? (uint64_t)time(NULL) : 1);
    const uint64_t first = number_of("CLSORT_PROPERTY_FIRST", 0);
    const uint64_t count = number_of("CLSORT_PROPERTY_COUNT", is_slow_run() ? COUNT_OF_LONG_TEST : COUNT_OF_TEST);
    uint64_t n_refused = 0;
    printf("CLSORT_PROPERTY_SEED=%" PRIu64 ", cases %" PRIu64 " to %" PRIu64 "\n", seed, first, first + count);
    for (uint64_t i = first; i < first + count; i++) {
        static struct property_case p;
        const struct round round = make_round(seed, i / ROUND);
        make_case(&p, &round, seed, i);
        if (is_too_slow(p.sort.algorithm)) {
            print_exemption(p.sort.algorithm,
                            "PoCL and llvmpipe take long to compile it for a type; its own test has it");
            p.sort.algorithm = NULL;
        }
        static char message[8192];
        const enum sort_outcome outcome = run_sort(device_of(&round), &p.sort, message, sizeof message);
        ck_assert_msg(outcome != SORT_WRONG,
                      "CLSORT_PROPERTY_SEED=%" PRIu64 " CLSORT_PROPERTY_FIRST=%" PRIu64
                      " CLSORT_PROPERTY_COUNT=1, tuning %s: %s",
                      seed, i, round.tuning->name, message);
        n_refused += outcome == SORT_REFUSED;
    }
    printf("%" PRIu64 " cases, of which the named algorithm refused %" PRIu64 "\n", count, n_refused);
    ck_assert_uint_lt(2 * n_refused, count + 1);
}
END_TEST

/* Numbers are drawn anew for every case, and the same number gives the same case. */
START_TEST(cases_are_made_from_seed_and_number_alone)
{
    static struct property_case one, other;
    unsigned n_alike = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const struct round round = make_round(7, i / ROUND);
        make_case(&one, &round, 7, i);
        make_case(&other, &round, 7, i);
        ck_assert_uint_eq(one.sort.count, other.sort.count);
        ck_assert_uint_eq(one.sort.data.seed, other.sort.data.seed);
        ck_assert_uint_eq(one.sort.flags, other.sort.flags);
        make_case(&other, &round, 7, i + 1);
        n_alike += one.sort.data.seed == other.sort.data.seed;
    }
    ck_assert_uint_lt(n_alike, 3);
}
END_TEST

int main(void)
{
    return RUN_TESTS("properties", random_legal_sorts_are_right, cases_are_made_from_seed_and_number_alone);
}
