/* Sorts checked against the oracle, as the tests call them: with assertions and a watchdog. */
#include "sort_check.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct value_variant value_variants[N_VALUE_VARIANTS] = {{CLSORT_KEYS, 0},   {CLSORT_PAIRS, 1},
                                                               {CLSORT_PAIRS, 2},  {CLSORT_PAIRS, 3},
                                                               {CLSORT_PAIRS, 4},  {CLSORT_PAIRS, 8},
                                                               {CLSORT_PAIRS, 12}, {CLSORT_PAIRS, 16},
                                                               {CLSORT_PAIRS, 32}, {CLSORT_ARGSORT, 4},
                                                               {CLSORT_ARGSORT, 8}};

const uint32_t key_orders[N_KEY_ORDERS] = {0, CLSORT_DESCENDING, CLSORT_FLOAT_TOTAL_ORDER,
                                           CLSORT_FLOAT_TOTAL_ORDER | CLSORT_DESCENDING};

static const char *operation_name(clsort_operation operation)
{
    return operation == CLSORT_KEYS ? "keys" : operation == CLSORT_PAIRS ? "pairs" : "argsort";
}

/* The segments of a case in words. */
static void describe_segments(const struct sort_case *c, char *text, size_t bytes)
{
    const struct segment_case *s = c->segments;
    text[0] = 0;
    if (s && s->length) {
        snprintf(text, bytes, ", segments of %" PRIu64 ", stride %" PRIu64, s->length, s->stride);
    } else if (s) {
        snprintf(text, bytes, ", %" PRIu64 " segments, offsets of %u bytes%s, promised %" PRIu64, s->n, s->offset_bytes,
                 s->ends ? ", two arrays" : "", s->promised);
    }
}

void describe_case(const struct sort_case *c, char *text, size_t bytes)
{
    char segments[160];
    describe_segments(c, segments, sizeof segments);
    static const char *const workspaces[] = {"pool", "least", "best"};
    snprintf(text, bytes,
             "%s of %s%s%s%s%s, n %" PRIu64 ", data %s seed %" PRIu32 " parameter 0x%" PRIx64 ", bits [%u,%u)%s, "
             "value bytes %" PRIu64 ", index bytes %u, algorithm %s, %s%s, workspace %s, start %" PRIu64 "%s%s",
             operation_name(c->operation), clsort_key_type_name(c->key_type),
             c->flags & CLSORT_DESCENDING ? " descending" : "",
             c->flags & CLSORT_FLOAT_TOTAL_ORDER ? " total-order" : "", c->flags & CLSORT_UNSTABLE ? " unstable" : "",
             c->flags & CLSORT_LOW_MEMORY ? " low-memory" : "", c->count, shape_name(c->data.shape), c->data.seed,
             c->data.parameter, c->begin_bit, c->end_bit, c->flags & CLSORT_BIT_RANGE ? "" : " (whole)", c->value_bytes,
             c->index_bytes, c->algorithm ? c->algorithm : "default", c->in_place ? "in place" : "out of place",
             c->without_keys_out ? " without keys_out" : "", workspaces[c->workspace], c->start,
             c->misaligned ? ", misaligned"
             : c->exact    ? ", exact buffers"
                           : "",
             segments);
}

struct oracle_order order_of_case(const struct sort_case *c)
{
    struct oracle_order order = {0};
    order.type = c->key_type;
    order.descending = c->flags & CLSORT_DESCENDING;
    order.total_order = c->flags & CLSORT_FLOAT_TOTAL_ORDER;
    order.merged = !order.total_order && c->operation != CLSORT_KEYS;
    order.end_bit = (uint32_t)(8 * key_facts(c->key_type)->bytes);
    if (c->flags & CLSORT_BIT_RANGE) {
        order.begin_bit = c->begin_bit;
        order.end_bit = c->end_bit;
    }
    return order;
}

static unsigned long n_checked;

unsigned long n_sorts_checked(void)
{
    return n_checked;
}

/* The case under way, for the watchdog. */
static char case_text[512];

static void end_hanging_process(int signal_number)
{
    (void)signal_number;
    static const char text[] = "no end within the time limit: ";
    bool written = write(2, text, sizeof text - 1) > 0 && write(2, case_text, strlen(case_text)) > 0;
    _exit(written ? 2 : 3);
}

bool check_sort_if_fits(const struct device *device, struct sort_case c)
{
    char message[4096];
    describe_case(&c, case_text, sizeof case_text);
    signal(SIGALRM, end_hanging_process);
    alarm(current_setting()->time_limit_s);
    enum sort_outcome outcome = run_sort(device, &c, message, sizeof message);
    alarm(0);
    if (outcome == SORT_WRONG) {
        ck_abort_msg("%s", message);
    }
    n_checked += outcome == SORT_RIGHT;
    return outcome == SORT_RIGHT;
}

void check_sort(const struct device *device, struct sort_case c)
{
    if (!check_sort_if_fits(device, c)) {
        ck_abort_msg("the algorithm refused: %s", case_text);
    }
}

void prepare_sort(const struct device *device, const struct sort_case *c)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = c->operation;
    request.key_type = c->key_type;
    request.count = c->count;
    request.flags = c->flags;
    request.algorithm = c->algorithm;
    request.value_bytes = c->operation == CLSORT_PAIRS ? c->value_bytes : 0;
    request.index_bytes = c->operation == CLSORT_ARGSORT ? c->index_bytes : 0;
    if (c->segments) {
        request.flags |= CLSORT_SEGMENTS;
        request.segment_count = c->segments->n;
        request.segment_length = c->segments->length;
        request.segment_stride = c->segments->stride;
        request.segment_offset_bytes = c->segments->offset_bytes;
        request.max_segment_length = c->segments->promised;
    }
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_prepare(device->sorter, &request));
}

uint64_t *edge_sizes(uint64_t largest, size_t *n_sizes)
{
    uint64_t *sizes = allocate(256 * sizeof *sizes);
    size_t n = 0;
    for (uint64_t i = 0; i <= 70 && i <= largest; i++) {
        sizes[n++] = i;
    }
    for (unsigned k = 5; k <= 20; k++) {
        for (uint64_t size = (UINT64_C(1) << k) - 1; size <= (UINT64_C(1) << k) + 1; size++) {
            if (size > 70 && size <= largest) {
                sizes[n++] = size;
            }
        }
    }
    for (unsigned k = 4; k <= 18; k++) {
        if ((UINT64_C(3) << k) + 1 > 70 && (UINT64_C(3) << k) + 1 <= largest) {
            sizes[n++] = (UINT64_C(3) << k) + 1;
        }
    }
    *n_sizes = n;
    return sizes;
}
