/* selftest_command.c: clsort selftest: every algorithm, key type, operation and order on a device against the host. */
#include "commands.h"
#include "files.h"
#include "options.h"
#include "reference.h"
#include "report.h"
#include "usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing, no partner, one pair, about a sub-group, within a work-group, several work-groups, many. */
static const uint32_t counts[] = {0, 1, 2, 33, 1000, 4097, 70001};

enum { n_counts = sizeof counts / sizeof *counts, largest_count = 70001, largest_key_bytes = 8 };

/* Of the whole test, a minute with the last sort; compiling takes most of it where no program is cached. */
enum { default_seconds = 55, largest_seconds = 1000000 };

static const struct {
    clsort_operation operation;
    const char *name;
} operations[] = {{CLSORT_KEYS, "keys"}, {CLSORT_PAIRS, "pairs"}, {CLSORT_ARGSORT, "argsort"}};

enum { n_operations = sizeof operations / sizeof *operations };

struct tally {
    unsigned n_passed;
    unsigned n_failed;
    unsigned n_not_applicable;
    unsigned n_not_run; /* for want of time */
};

struct selftest {
    clsort_sorter *sorter;
    void *keys;
    void *keys_out;
    uint32_t *values; /* the positions, so that the order of equal keys shows */
    uint32_t *values_out;
    struct reference_item *expected;
};

/* What one sort is about. */
struct sort_case {
    const char *algorithm;
    const struct key_info *info;
    const char *operation_name;
    clsort_operation operation;
    bool is_descending;
    uint32_t count;
};

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Half the keys are any bits, the rest few values that come up often, the ends of the type's range among them. */
static void fill_keys(const struct key_info *info, void *keys, uint32_t count)
{
    uint64_t state = count;
    uint64_t sign = (uint64_t)1 << (8 * info->n_bytes - 1);
    const uint64_t few[] = {0,
                            1,
                            sign,
                            sign - 1,
                            sign | 1,
                            2 * sign - 1,
                            info->infinity,
                            info->infinity | sign,
                            info->infinity + 1,
                            (info->infinity + 1) | sign};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t random = next_random(&state);
        bool is_any = (random & 1) != 0;
        key_store(info, keys, i, is_any ? next_random(&state) : few[(random >> 1) % (sizeof few / sizeof *few)]);
    }
}

static clsort_status run_case(const struct selftest *test, const struct sort_case *c)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = c->operation;
    request.key_type = c->info->type;
    request.count = c->count;
    request.value_bytes = c->operation == CLSORT_PAIRS ? sizeof *test->values : 0;
    request.index_bytes = c->operation == CLSORT_ARGSORT ? sizeof *test->values_out : 0;
    request.flags = c->is_descending ? CLSORT_DESCENDING : 0;
    request.algorithm = c->algorithm;
    if (strncmp(c->algorithm, "segmented", 9) == 0) {
        /* One segment is the whole array. */
        request.flags |= CLSORT_SEGMENTS;
        request.segment_length = c->count;
    }
    /* What is not written must not pass by being there from the case before. */
    memset(test->keys_out, 0xa5, (size_t)c->count * c->info->n_bytes);
    memset(test->values_out, 0xa5, (size_t)c->count * sizeof *test->values_out);
    return clsort_sort_host(test->sorter, &request, test->keys, c->operation == CLSORT_ARGSORT ? NULL : test->keys_out,
                            c->operation == CLSORT_PAIRS ? test->values : NULL,
                            c->operation == CLSORT_KEYS ? NULL : test->values_out);
}

/* Whether element i of the result is what the reference has there. */
static bool element_is_right(const struct selftest *test, const struct sort_case *c, uint32_t i)
{
    uint64_t position = test->expected[i].position;
    if (c->operation != CLSORT_ARGSORT &&
        key_load(c->info, test->keys_out, i) != key_load(c->info, test->keys, position))
        return false;
    return c->operation == CLSORT_KEYS || test->values_out[i] == position;
}

static void report_case(const struct sort_case *c, const char *what)
{
    report_error("selftest: %s: %s %s %s, %" PRIu32 " keys: %s", c->algorithm, c->info->name, c->operation_name,
                 c->is_descending ? "descending" : "ascending", c->count, what);
}

static void count_failure(const struct selftest *test, const struct sort_case *c, clsort_status status,
                          struct tally *tally)
{
    enum { n_reports = 3 }; /* of an algorithm; what is broken mostly breaks in many cases */
    tally->n_failed++;
    if (tally->n_failed > n_reports)
        return;
    if (status == CLSORT_SUCCESS) {
        report_case(c, "the result is wrong");
    } else {
        report_case(c, clsort_status_text(status));
        report_library_error(test->sorter, status);
    }
}

static void check_case(const struct selftest *test, const struct sort_case *c, struct tally *tally)
{
    clsort_status status = run_case(test, c);
    if (status == CLSORT_INVALID_ALGORITHM) {
        tally->n_not_applicable++;
        return;
    }
    bool is_right = status == CLSORT_SUCCESS;
    for (uint32_t i = 0; i < c->count && is_right; i++)
        is_right = element_is_right(test, c, i);
    if (is_right)
        tally->n_passed++;
    else
        count_failure(test, c, status, tally);
}

/* All operations and orders of one algorithm, key type and count. */
static void check_keys(const struct selftest *test, const char *algorithm, const struct key_info *info, uint32_t count,
                       double end_time, struct tally *tally)
{
    fill_keys(info, test->keys, count);
    for (int i = 0; i < n_operations; i++) {
        for (int descending = 0; descending < 2; descending++) {
            struct sort_case c = {algorithm, info, operations[i].name, operations[i].operation, descending != 0, count};
            if (clock_seconds() > end_time) {
                tally->n_not_run++;
                continue;
            }
            reference_sort(info, test->keys, count, c.operation != CLSORT_KEYS, c.is_descending, test->expected);
            check_case(test, &c, tally);
        }
    }
}

static struct tally check_algorithm(const struct selftest *test, const char *algorithm, double end_time)
{
    struct tally tally = {0};
    const struct key_info *info = NULL;
    /* Small counts first, so that what there is no time for is a larger count and not a key type. */
    for (int i = 0; i < n_counts; i++) {
        for (size_t type = 0; (info = key_info_at(type)) != NULL; type++)
            check_keys(test, algorithm, info, counts[i], end_time, &tally);
    }
    printf("%-16s %5u passed, %u failed, %u not applicable", algorithm, tally.n_passed, tally.n_failed,
           tally.n_not_applicable);
    if (tally.n_not_run > 0)
        printf(", %u not run for want of time", tally.n_not_run);
    printf("\n");
    fflush(stdout);
    return tally;
}

/* Each algorithm gets its share of the time, and what those before it left. */
static int check_algorithms(const struct selftest *test, double limit_seconds)
{
    struct tally sum = {0};
    size_t n_algorithms = 0;
    double end_time = clock_seconds() + limit_seconds;
    while (clsort_algorithm_name(n_algorithms) != NULL)
        n_algorithms++;
    for (size_t i = 0; i < n_algorithms; i++) {
        double now = clock_seconds();
        double share = (end_time - now) / (double)(n_algorithms - i);
        struct tally tally = check_algorithm(test, clsort_algorithm_name(i), now + share);
        sum.n_passed += tally.n_passed;
        sum.n_failed += tally.n_failed;
    }
    printf("selftest: %u passed, %u failed\n", sum.n_passed, sum.n_failed);
    return sum.n_failed == 0 && sum.n_passed > 0 ? EXIT_CODE_SUCCESS : EXIT_CODE_FAILURE;
}

static bool allocate(struct selftest *test)
{
    test->keys = malloc((size_t)largest_count * largest_key_bytes);
    test->keys_out = malloc((size_t)largest_count * largest_key_bytes);
    test->values = malloc(largest_count * sizeof *test->values);
    test->values_out = malloc(largest_count * sizeof *test->values_out);
    test->expected = malloc(largest_count * sizeof *test->expected);
    if (test->keys == NULL || test->keys_out == NULL || test->values == NULL || test->values_out == NULL ||
        test->expected == NULL) {
        report_error("selftest: not enough memory");
        return false;
    }
    for (uint32_t i = 0; i < largest_count; i++)
        test->values[i] = i;
    return true;
}

static int run_selftest(const char *spec, double limit_seconds)
{
    struct selftest test = {0};
    char name[256] = "";
    int code = EXIT_CODE_FAILURE;
    clsort_status status = clsort_create_default(spec, NULL, &test.sorter);
    if (status != CLSORT_SUCCESS) {
        report_library_error(NULL, status);
        goto done;
    }
    report_tuning_file(test.sorter);
    if (!allocate(&test))
        goto done;
    clsort_get_info(test.sorter, NULL, CLSORT_INFO_DEVICE_NAME, sizeof name, name, NULL);
    printf("device: %s\n", name);
    fflush(stdout);
    code = check_algorithms(&test, limit_seconds);
    if (code == EXIT_CODE_SUCCESS)
        code = report_standard_output();
done:
    clsort_destroy(test.sorter);
    free(test.keys);
    free(test.keys_out);
    free(test.values);
    free(test.values_out);
    free(test.expected);
    return code;
}

int selftest_command(int n_arguments, char **arguments)
{
    const char *spec = NULL;
    const char *seconds_text = NULL;
    uint64_t seconds = default_seconds;
    bool help = false;
    const struct option options[] = {{"device", 0, OPTION_TEXT, &spec},
                                     {"seconds", 0, OPTION_TEXT, &seconds_text},
                                     {"help", 'h', OPTION_SWITCH, &help}};
    const struct option_set set = {"selftest", options, sizeof options / sizeof *options, NULL, 0};
    if (!options_read(&set, n_arguments, arguments))
        return EXIT_CODE_USAGE;
    if (help) {
        usage_print_selftest(stdout);
        return report_standard_output();
    }
    if (seconds_text != NULL && !options_number(seconds_text, largest_seconds, &seconds)) {
        report_error("selftest: --seconds takes a number ('clsort selftest --help' lists the options)");
        return EXIT_CODE_USAGE;
    }
    return run_selftest(spec, (double)seconds);
}
