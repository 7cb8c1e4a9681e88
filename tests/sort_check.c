/* One sort, run and checked against the oracle. */
#include "sort_check.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A buffer as it is before the sort and as it has to be after it. */
struct image {
    const char *name;
    size_t element_bytes;
    size_t bytes;
    unsigned char *before, *after;
    unsigned char *host; /* memory of a buffer that uses the host's */
    cl_mem buffer;
    bool written;
};

struct run {
    const struct device *device;
    const struct sort_case *c;
    uint64_t start, value_bytes, index_bytes;
    struct oracle_order order;
    uint64_t *positions;
    struct image keys_in, keys_out, values_in, values_out, workspace;
    clsort_request request;
    char *message;
    size_t message_bytes;
};

static const char *operation_name(clsort_operation operation)
{
    return operation == CLSORT_KEYS ? "keys" : operation == CLSORT_PAIRS ? "pairs" : "argsort";
}

void describe_case(const struct sort_case *c, char *text, size_t bytes)
{
    static const char *const workspaces[] = {"pool", "least", "best"};
    snprintf(text, bytes,
             "%s of %s%s%s%s%s, n %" PRIu64 ", data %s seed %" PRIu32 " parameter 0x%" PRIx64 ", bits [%u,%u)%s, "
             "value bytes %" PRIu64 ", index bytes %u, algorithm %s, %s%s, workspace %s, start %" PRIu64 "%s",
             operation_name(c->operation), clsort_key_type_name(c->key_type),
             c->flags & CLSORT_DESCENDING ? " descending" : "",
             c->flags & CLSORT_FLOAT_TOTAL_ORDER ? " total-order" : "", c->flags & CLSORT_UNSTABLE ? " unstable" : "",
             c->flags & CLSORT_LOW_MEMORY ? " low-memory" : "", c->count, shape_name(c->data.shape), c->data.seed,
             c->data.parameter, c->begin_bit, c->end_bit, c->flags & CLSORT_BIT_RANGE ? "" : " (whole)", c->value_bytes,
             c->index_bytes, c->algorithm ? c->algorithm : "default", c->in_place ? "in place" : "out of place",
             c->without_keys_out ? " without keys_out" : "", workspaces[c->workspace], c->start,
             c->misaligned ? ", misaligned"
             : c->exact    ? ", exact buffers"
                           : "");
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

static enum sort_outcome wrong(const struct run *run, const char *what)
{
    char text[512];
    describe_case(run->c, text, sizeof text);
    snprintf(run->message, run->message_bytes, "%s: %s", text, what);
    return SORT_WRONG;
}

static void make_image(struct run *run, struct image *image, const char *name, size_t element_bytes)
{
    image->name = name;
    image->element_bytes = element_bytes;
    image->bytes = (run->start + run->c->count + (run->c->exact ? run->c->count == 0 : N_GUARD)) * element_bytes;
    image->before = allocate(image->bytes);
    memset(image->before, 0xA5, image->bytes);
}

/* Ends the making of an image: what is expected starts as what is there. */
static void set_expected(struct image *image)
{
    image->after = allocate(image->bytes);
    memcpy(image->after, image->before, image->bytes);
}

static void make_image_buffer(struct run *run, struct image *image, bool written)
{
    image->written = written;
    cl_mem_flags flags = written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    const void *content = image->before;
    if (run->c->misaligned) {
        /* 4096: an alignment that every device's own allocations have at most */
        if (posix_memalign((void **)&image->host, 4096, image->bytes + image->element_bytes))
            abort();
        memcpy(image->host + image->element_bytes, image->before, image->bytes);
        content = image->host + image->element_bytes;
        flags |= CL_MEM_USE_HOST_PTR;
    }
    image->buffer = make_buffer(run->device, flags, image->bytes, content);
}

static void free_image(struct image *image)
{
    if (image->buffer)
        clReleaseMemObject(image->buffer);
    free(image->before);
    free(image->after);
    free(image->host);
}

static unsigned char *element(const struct run *run, const struct image *image, unsigned char *side, uint64_t i)
{
    return side + (run->start + i) * image->element_bytes;
}

/* Makes the images of all buffers before and after. */
static void make_images(struct run *run)
{
    const struct sort_case *c = run->c;
    size_t key_bytes = key_facts(c->key_type)->bytes;
    bool has_keys_out = !c->in_place && !c->without_keys_out;
    make_image(run, &run->keys_in, "keys_in", key_bytes);
    unsigned char *keys = element(run, &run->keys_in, run->keys_in.before, 0);
    if (c->data.shape == DATA_GIVEN)
        memcpy(keys, c->given, c->count * key_bytes);
    else
        make_keys(c->key_type, c->data, c->count, keys);
    set_expected(&run->keys_in);
    if (has_keys_out) {
        make_image(run, &run->keys_out, "keys_out", key_bytes);
        set_expected(&run->keys_out);
    }
    if (c->operation == CLSORT_PAIRS) {
        make_image(run, &run->values_in, "values_in", run->value_bytes);
        for (uint64_t i = 0; i < c->count; i++)
            make_value(i, run->value_bytes, element(run, &run->values_in, run->values_in.before, i));
        set_expected(&run->values_in);
    }
    bool has_values_out = c->operation == CLSORT_ARGSORT || (c->operation == CLSORT_PAIRS && !c->in_place);
    if (has_values_out) {
        make_image(run, &run->values_out, "values_out",
                   c->operation == CLSORT_ARGSORT ? run->index_bytes : run->value_bytes);
        set_expected(&run->values_out);
    }
    oracle_sort(&run->order, keys, c->count, run->positions);

    struct image *keys_out = c->in_place ? &run->keys_in : has_keys_out ? &run->keys_out : NULL;
    struct image *values_out = has_values_out                 ? &run->values_out
                               : c->operation == CLSORT_PAIRS ? &run->values_in
                                                              : NULL;
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t position = run->positions[i];
        if (keys_out)
            memcpy(element(run, keys_out, keys_out->after, i), keys + position * key_bytes, key_bytes);
        if (values_out && c->operation == CLSORT_PAIRS)
            make_value(position, run->value_bytes, element(run, values_out, values_out->after, i));
        else if (values_out)
            make_value(position, run->index_bytes, element(run, values_out, values_out->after, i));
    }
    make_image_buffer(run, &run->keys_in, c->in_place);
    if (has_keys_out)
        make_image_buffer(run, &run->keys_out, true);
    if (c->operation == CLSORT_PAIRS)
        make_image_buffer(run, &run->values_in, c->in_place);
    if (has_values_out)
        make_image_buffer(run, &run->values_out, true);
}

static void make_request(struct run *run)
{
    const struct sort_case *c = run->c;
    clsort_request *r = &run->request;
    clsort_request_init(r);
    r->operation = c->operation;
    r->key_type = c->key_type;
    r->count = c->count;
    r->flags = c->flags;
    r->algorithm = c->algorithm;
    if (c->flags & CLSORT_BIT_RANGE) {
        r->begin_bit = c->begin_bit;
        r->end_bit = c->end_bit;
    }
    if (c->operation == CLSORT_PAIRS)
        r->value_bytes = run->value_bytes;
    if (c->operation == CLSORT_ARGSORT)
        r->index_bytes = c->index_bytes;
    r->keys_in = clsort_make_range(run->keys_in.buffer, run->start);
    if (c->in_place)
        r->keys_out = r->keys_in;
    else if (run->keys_out.buffer)
        r->keys_out = clsort_make_range(run->keys_out.buffer, run->start);
    if (run->values_in.buffer)
        r->values_in = clsort_make_range(run->values_in.buffer, run->start);
    if (run->values_out.buffer)
        r->values_out = clsort_make_range(run->values_out.buffer, run->start);
    else if (c->operation == CLSORT_PAIRS)
        r->values_out = r->values_in;
}

/* Gives the request a workspace of its least or best size with guards of one alignment around it. */
static clsort_status make_workspace(struct run *run)
{
    uint64_t least = 0, best = 0;
    clsort_status status = clsort_workspace_bytes(run->device->sorter, &run->request, &least, &best);
    if (status != CLSORT_SUCCESS)
        return status;
    uint64_t bytes = run->c->workspace == WORKSPACE_LEAST ? least : best;
    struct image *image = &run->workspace;
    image->name = "workspace";
    image->element_bytes = 1;
    image->bytes = (size_t)bytes + 2 * CLSORT_WORKSPACE_ALIGNMENT;
    image->before = allocate(image->bytes);
    memset(image->before, 0xA5, image->bytes);
    set_expected(image);
    image->buffer = make_buffer(run->device, CL_MEM_READ_WRITE, image->bytes, image->before);
    run->request.workspace.buffer = image->buffer;
    run->request.workspace.offset = CLSORT_WORKSPACE_ALIGNMENT;
    run->request.workspace.bytes = bytes;
    return CLSORT_SUCCESS;
}

/* Compares a part of an image with what is there; says the first element that differs. */
static enum sort_outcome compare(const struct run *run, const struct image *image, const unsigned char *expected,
                                 const unsigned char *found, size_t first, size_t end)
{
    if (end <= first || memcmp(expected + first, found + first, end - first) == 0)
        return SORT_RIGHT;
    while (expected[first] == found[first])
        first++;
    size_t index = first / image->element_bytes;
    char what[256];
    int length = snprintf(what, sizeof what, "%s element %" PRId64 " expected", image->name,
                          image == &run->workspace ? (int64_t)index - CLSORT_WORKSPACE_ALIGNMENT
                                                   : (int64_t)index - (int64_t)run->start);
    for (int side = 0; side < 2; side++) {
        length += snprintf(what + length, sizeof what - (size_t)length, side ? ", found" : "");
        for (size_t b = 0; b < image->element_bytes && b < 16; b++)
            length += snprintf(what + length, sizeof what - (size_t)length, " %02x",
                               (side ? found : expected)[index * image->element_bytes + b]);
    }
    return wrong(run, what);
}

/* Compares a whole image with its buffer. */
static enum sort_outcome compare_buffer(const struct run *run, const struct image *image, const unsigned char *expected)
{
    if (!image->buffer)
        return SORT_RIGHT;
    unsigned char *found = allocate(image->bytes);
    read_buffer(run->device, image->buffer, image->bytes, found);
    enum sort_outcome outcome = SORT_RIGHT;
    if (image == &run->workspace) {
        outcome = compare(run, image, expected, found, 0, CLSORT_WORKSPACE_ALIGNMENT);
        if (outcome == SORT_RIGHT)
            outcome = compare(run, image, expected, found, image->bytes - CLSORT_WORKSPACE_ALIGNMENT, image->bytes);
    } else {
        outcome = compare(run, image, expected, found, 0, image->bytes);
    }
    free(found);
    return outcome;
}

static _Thread_local size_t record_bytes; /* of the records that compare_records looks at */
static int compare_records(const void *a, const void *b)
{
    return memcmp(a, b, record_bytes);
}

/* Puts the records (key, value) of each run of ties into one fixed order, in place of the order that is left open. */
static void settle_ties(const struct run *run, unsigned char *keys, unsigned char *values, size_t value_bytes)
{
    size_t key_bytes = key_facts(run->c->key_type)->bytes;
    size_t bytes = key_bytes + value_bytes;
    unsigned char *records = allocate(run->c->count * bytes);
    uint64_t first = 0;
    for (uint64_t i = 0; i < run->c->count; i++) {
        memcpy(records + i * bytes, keys + i * key_bytes, key_bytes);
        memcpy(records + i * bytes + key_bytes, values + i * value_bytes, value_bytes);
        bool last = i + 1 == run->c->count || oracle_compared(&run->order, get_key(keys, run->c->key_type, i)) !=
                                                  oracle_compared(&run->order, get_key(keys, run->c->key_type, i + 1));
        if (last) {
            record_bytes = bytes;
            qsort(records + first * bytes, i + 1 - first, bytes, compare_records);
            first = i + 1;
        }
    }
    for (uint64_t i = 0; i < run->c->count; i++) {
        memcpy(keys + i * key_bytes, records + i * bytes, key_bytes);
        memcpy(values + i * value_bytes, records + i * bytes + key_bytes, value_bytes);
    }
    free(records);
}

/* The comparison of the outputs where ties are in open order: both sides' ties are settled first. */
static enum sort_outcome compare_unstable(const struct run *run)
{
    const struct sort_case *c = run->c;
    const struct image *keys_out = c->in_place ? &run->keys_in : &run->keys_out;
    const struct image *values_out = run->values_out.buffer ? &run->values_out : &run->values_in;
    size_t key_bytes = key_facts(c->key_type)->bytes, value_bytes = values_out->element_bytes;
    unsigned char *keys = allocate(run->keys_in.bytes), *values = allocate(values_out->bytes);
    read_buffer(run->device, values_out->buffer, values_out->bytes, values);
    if (c->without_keys_out) {
        memset(keys, 0xA5, run->keys_in.bytes);
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t index = 0;
            memcpy(&index, element(run, values_out, values, i), run->index_bytes);
            if (index >= c->count)
                index = 0; /* found by the comparison of the indices */
            memcpy(keys + (run->start + i) * key_bytes, element(run, &run->keys_in, run->keys_in.before, index),
                   key_bytes);
        }
    } else {
        read_buffer(run->device, keys_out->buffer, keys_out->bytes, keys);
    }
    /* what is expected: from the oracle's positions, as an image need not have the keys */
    unsigned char *expected_keys = allocate(run->keys_in.bytes);
    memset(expected_keys, 0xA5, run->keys_in.bytes);
    for (uint64_t i = 0; i < c->count; i++)
        memcpy(expected_keys + (run->start + i) * key_bytes,
               element(run, &run->keys_in, run->keys_in.before, run->positions[i]), key_bytes);
    size_t first_key = run->start * key_bytes, first_value = run->start * value_bytes;
    settle_ties(run, expected_keys + first_key, values_out->after + first_value, value_bytes);
    settle_ties(run, keys + first_key, values + first_value, value_bytes);
    enum sort_outcome outcome = compare(run, values_out, values_out->after, values, 0, values_out->bytes);
    if (outcome == SORT_RIGHT)
        outcome = compare(run, keys_out->buffer ? keys_out : &run->keys_in, expected_keys, keys, 0, run->keys_in.bytes);
    if (outcome == SORT_RIGHT && !c->in_place)
        outcome = compare_buffer(run, &run->keys_in, run->keys_in.before);
    if (outcome == SORT_RIGHT && !c->in_place)
        outcome = compare_buffer(run, &run->values_in, run->values_in.before);
    free(keys);
    free(values);
    free(expected_keys);
    return outcome;
}

static enum sort_outcome compare_all(const struct run *run, bool sorted)
{
    enum sort_outcome outcome = SORT_RIGHT;
    const struct image *images[] = {&run->keys_out, &run->values_out, &run->keys_in, &run->values_in};
    if (sorted && run->c->operation != CLSORT_KEYS && run->c->flags & CLSORT_UNSTABLE)
        outcome = compare_unstable(run);
    else
        for (size_t i = 0; i < N_ELEMENTS(images) && outcome == SORT_RIGHT; i++)
            outcome = compare_buffer(run, images[i], sorted ? images[i]->after : images[i]->before);
    return outcome == SORT_RIGHT ? compare_buffer(run, &run->workspace, run->workspace.after) : outcome;
}

/* Enqueues, waits and compares. */
static enum sort_outcome enqueue_and_compare(struct run *run)
{
    char what[2048];
    const struct sort_case *c = run->c;
    cl_event event = NULL;
    clsort_status status = CLSORT_SUCCESS;
    if (c->workspace != WORKSPACE_POOL)
        status = make_workspace(run);
    if (status == CLSORT_SUCCESS)
        status = clsort_enqueue(run->device->sorter, run->device->queue, &run->request, 0, NULL, &event);
    cl_int finished = clFinish(run->device->queue);
    if (finished != CL_SUCCESS) {
        snprintf(what, sizeof what, "clFinish gave %d", finished);
        return wrong(run, what);
    }
    if (c->algorithm && status == CLSORT_INVALID_ALGORITHM) {
        enum sort_outcome outcome = compare_all(run, false);
        return outcome == SORT_RIGHT ? SORT_REFUSED : outcome;
    }
    if (status != CLSORT_SUCCESS) {
        char text[1500] = "";
        clsort_last_error(run->device->sorter, text, sizeof text);
        snprintf(what, sizeof what, "status %d (%s): %s", (int)status, clsort_status_text(status), text);
        return wrong(run, what);
    }
    cl_int event_status = -1;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof event_status, &event_status, NULL);
    clReleaseEvent(event);
    if (event_status != CL_COMPLETE) {
        snprintf(what, sizeof what, "the event has status %d after clFinish", event_status);
        return wrong(run, what);
    }
    return compare_all(run, true);
}

enum sort_outcome run_sort(const struct device *device, const struct sort_case *c, char *message, size_t bytes)
{
    struct run run = {0};
    run.device = device;
    run.c = c;
    run.start = c->exact ? 0 : c->start ? c->start : N_GUARD;
    run.value_bytes = c->value_bytes ? c->value_bytes : 4;
    run.index_bytes = c->index_bytes ? c->index_bytes : 4;
    run.order = order_of_case(c);
    run.message = message;
    run.message_bytes = bytes;
    run.positions = allocate((c->count + 1) * sizeof *run.positions);
    make_images(&run);
    make_request(&run);
    enum sort_outcome outcome = enqueue_and_compare(&run);
    free(run.positions);
    free_image(&run.keys_in);
    free_image(&run.keys_out);
    free_image(&run.values_in);
    free_image(&run.values_out);
    free_image(&run.workspace);
    return outcome;
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
    if (outcome == SORT_WRONG)
        ck_abort_msg("%s", message);
    n_checked += outcome == SORT_RIGHT;
    return outcome == SORT_RIGHT;
}

void check_sort(const struct device *device, struct sort_case c)
{
    if (!check_sort_if_fits(device, c))
        ck_abort_msg("the algorithm refused: %s", case_text);
}

uint64_t *edge_sizes(uint64_t largest, size_t *n_sizes)
{
    uint64_t *sizes = allocate(256 * sizeof *sizes);
    size_t n = 0;
    for (uint64_t i = 0; i <= 70 && i <= largest; i++)
        sizes[n++] = i;
    for (unsigned k = 5; k <= 20; k++)
        for (uint64_t size = (UINT64_C(1) << k) - 1; size <= (UINT64_C(1) << k) + 1; size++)
            if (size > 70 && size <= largest)
                sizes[n++] = size;
    for (unsigned k = 4; k <= 18; k++)
        if ((UINT64_C(3) << k) + 1 > 70 && (UINT64_C(3) << k) + 1 <= largest)
            sizes[n++] = (UINT64_C(3) << k) + 1;
    *n_sizes = n;
    return sizes;
}
