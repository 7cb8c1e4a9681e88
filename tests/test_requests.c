/* Bad input of every field: its own status, a text that names the field, nothing enqueued, nothing written. */
#include "sort_check.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 100, BYTES = 4096 };

/* A right request in buffers of its own, and everything a wrong one may name. */
struct trial {
    struct device *device;
    cl_command_queue queue;
    cl_uint n_events;
    const cl_event *events;
    cl_mem in, out, values_in, values_out, read_only, write_only, small, foreign;
    cl_command_queue foreign_queue;
    clsort_request request;
};

static struct device foreign_device;
static unsigned char poison[BYTES];

static struct trial make_trial(clsort_operation operation)
{
    struct trial t = {0};
    t.device = test_device();
    t.queue = t.device->queue;
    if (!foreign_device.sorter) {
        foreign_device = open_device(NULL, 0);
    }
    memset(poison, 0xA5, sizeof poison);
    t.in = make_buffer(t.device, CL_MEM_READ_WRITE, BYTES, poison);
    t.out = make_buffer(t.device, CL_MEM_READ_WRITE, BYTES, poison);
    t.values_in = make_buffer(t.device, CL_MEM_READ_WRITE, BYTES, poison);
    t.values_out = make_buffer(t.device, CL_MEM_READ_WRITE, BYTES, poison);
    t.read_only = make_buffer(t.device, CL_MEM_READ_ONLY, BYTES, poison);
    t.write_only = make_buffer(t.device, CL_MEM_WRITE_ONLY, BYTES, poison);
    t.small = make_buffer(t.device, CL_MEM_READ_WRITE, COUNT * 4 - 1, poison);
    t.foreign = make_buffer(&foreign_device, CL_MEM_READ_WRITE, BYTES, poison);
    t.foreign_queue = foreign_device.queue;
    clsort_request *r = &t.request;
    clsort_request_init(r);
    r->operation = operation;
    r->key_type = CLSORT_U32;
    r->count = COUNT;
    r->keys_in = clsort_make_range(t.in, 0);
    r->keys_out = clsort_make_range(t.out, 0);
    if (operation == CLSORT_PAIRS) {
        r->value_bytes = 4;
        r->values_in = clsort_make_range(t.values_in, 0);
    }
    if (operation != CLSORT_KEYS) {
        r->values_out = clsort_make_range(t.values_out, 0);
    }
    return t;
}

static void free_trial(struct trial *t)
{
    cl_mem buffers[] = {t->in, t->out, t->values_in, t->values_out, t->read_only, t->write_only, t->small, t->foreign};
    for (size_t i = 0; i < N_ELEMENTS(buffers); i++) {
        CHECK_CL(clReleaseMemObject(buffers[i]));
    }
}

/* Enqueues a wrong request: the status, the text, and that neither commands, buffers nor the event were touched. */
static void check_refused(struct trial *t, const char *what, clsort_status expected, const char *named)
{
    clsort_sorter *sorter = t->device->sorter;
    cl_event event = NULL;
    char runs_before[4096], runs_after[4096], text[4096] = "";
    info_text(sorter, NULL, CLSORT_INFO_KERNEL_RUNS, runs_before, sizeof runs_before);
    clsort_status status = clsort_enqueue(sorter, t->queue, &t->request, t->n_events, t->events, &event);
    ck_assert_msg(status == expected, "%s: status %d (%s), expected %d", what, (int)status, clsort_status_text(status),
                  (int)expected);
    clsort_last_error(sorter, text, sizeof text);
    ck_assert_msg(strstr(text, named), "%s: the text \"%s\" does not say \"%s\"", what, text, named);
    ck_assert_msg(!event, "%s: there is an event", what);
    CHECK_CL(clFinish(t->device->queue));
    info_text(sorter, NULL, CLSORT_INFO_KERNEL_RUNS, runs_after, sizeof runs_after);
    ck_assert_msg(strcmp(runs_before, runs_after) == 0, "%s: kernels ran", what);
    cl_mem buffers[] = {t->in, t->out, t->values_in, t->values_out};
    for (size_t i = 0; i < N_ELEMENTS(buffers); i++) {
        unsigned char found[BYTES];
        read_buffer(t->device, buffers[i], BYTES, found);
        ck_assert_msg(memcmp(found, poison, BYTES) == 0, "%s: a buffer was written", what);
    }
}

/* One wrong request: the statement that spoils a right one of the operation. */
#define REFUSED(op, spoil, status, named)                                                                              \
    do {                                                                                                               \
        struct trial t = make_trial(op);                                                                               \
        clsort_request *r = &t.request;                                                                                \
        spoil;                                                                                                         \
        (void)r;                                                                                                       \
        check_refused(&t, #op ": " #spoil, status, named);                                                             \
        free_trial(&t);                                                                                                \
    } while (0)

#define KEYS CLSORT_KEYS
#define PAIRS CLSORT_PAIRS
#define ARGSORT CLSORT_ARGSORT

START_TEST(wrong_request_facts_are_refused_by_field)
{
    REFUSED(KEYS, r->size = 0, CLSORT_INVALID_REQUEST, "request");
    REFUSED(KEYS, r->size = sizeof *r + 8, CLSORT_INVALID_REQUEST, "request");
    REFUSED(KEYS, r->operation = (clsort_operation)0, CLSORT_INVALID_OPERATION, "operation");
    REFUSED(KEYS, r->operation = (clsort_operation)4, CLSORT_INVALID_OPERATION, "operation");
    REFUSED(KEYS, r->key_type = (clsort_key_type)0, CLSORT_INVALID_KEY_TYPE, "key_type");
    REFUSED(KEYS, r->key_type = (clsort_key_type)13, CLSORT_INVALID_KEY_TYPE, "key_type");
    REFUSED(KEYS, r->flags = 1u << 31, CLSORT_INVALID_FLAGS, "flags");
    REFUSED(KEYS, r->flags = 1u << 7, CLSORT_INVALID_FLAGS, "flags");
    REFUSED(KEYS, r->algorithm = "bubble", CLSORT_INVALID_ALGORITHM, "algorithm");
    REFUSED(KEYS, r->algorithm = "", CLSORT_INVALID_ALGORITHM, "algorithm");
}
END_TEST

START_TEST(wrong_bit_ranges_are_refused)
{
    REFUSED(KEYS, r->flags = CLSORT_BIT_RANGE; r->begin_bit = 9; r->end_bit = 8, CLSORT_INVALID_BIT_RANGE, "begin_bit");
    REFUSED(KEYS, r->flags = CLSORT_BIT_RANGE; r->end_bit = 33, CLSORT_INVALID_BIT_RANGE, "end_bit");
    REFUSED(KEYS, r->flags = CLSORT_BIT_RANGE; r->begin_bit = 33; r->end_bit = 33, CLSORT_INVALID_BIT_RANGE, "end_bit");
    REFUSED(KEYS, r->key_type = CLSORT_U8; r->flags = CLSORT_BIT_RANGE;
            r->end_bit = 9, CLSORT_INVALID_BIT_RANGE, "end_bit");
    REFUSED(KEYS, r->flags = CLSORT_BIT_RANGE; r->begin_bit = UINT32_MAX;
            r->end_bit = UINT32_MAX, CLSORT_INVALID_BIT_RANGE, "end_bit");
    REFUSED(KEYS, r->end_bit = 8, CLSORT_INVALID_BIT_RANGE, "CLSORT_BIT_RANGE");
}
END_TEST

START_TEST(wrong_sizes_of_values_and_indices_are_refused)
{
    REFUSED(PAIRS, r->value_bytes = 0, CLSORT_INVALID_VALUE_BYTES, "value_bytes");
    REFUSED(PAIRS, r->value_bytes = 65537, CLSORT_INVALID_VALUE_BYTES, "value_bytes");
    REFUSED(PAIRS, r->value_bytes = UINT64_MAX, CLSORT_INVALID_VALUE_BYTES, "value_bytes");
    REFUSED(KEYS, r->value_bytes = 4, CLSORT_INVALID_VALUE_BYTES, "value_bytes");
    REFUSED(ARGSORT, r->index_bytes = 2, CLSORT_INVALID_INDEX_BYTES, "index_bytes");
    REFUSED(KEYS, r->index_bytes = 4, CLSORT_INVALID_INDEX_BYTES, "index_bytes");
    REFUSED(ARGSORT, r->value_bytes = 4, CLSORT_INVALID_VALUE_BYTES, "value_bytes");
    REFUSED(ARGSORT, r->index_bytes = 16, CLSORT_INVALID_INDEX_BYTES, "index_bytes");
}
END_TEST

START_TEST(wrong_key_ranges_are_refused)
{
    REFUSED(KEYS, r->keys_in.buffer = NULL, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.buffer = t.small, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.buffer = t.foreign, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.buffer = t.write_only, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_out.buffer = t.write_only, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(KEYS, r->keys_in.offset = BYTES / 4 - COUNT + 1, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.offset = UINT64_MAX, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.offset = UINT64_MAX - COUNT + 1, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_in.offset = UINT64_MAX / 4 + 1, CLSORT_INVALID_KEYS_IN, "keys_in");
    REFUSED(KEYS, r->keys_out.buffer = NULL, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(KEYS, r->keys_out.buffer = t.small, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(KEYS, r->keys_out.buffer = t.read_only, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(KEYS, r->keys_in.buffer = r->keys_out.buffer = t.read_only, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(KEYS, r->keys_out.buffer = t.foreign, CLSORT_INVALID_KEYS_OUT, "keys_out");
    REFUSED(ARGSORT, r->keys_out.buffer = t.read_only, CLSORT_INVALID_KEYS_OUT, "keys_out");
}
END_TEST

START_TEST(wrong_value_ranges_are_refused)
{
    REFUSED(KEYS, r->values_in.buffer = t.values_in, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(KEYS, r->values_out.buffer = t.values_out, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(PAIRS, r->values_in.buffer = NULL, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(PAIRS, r->values_in.buffer = t.write_only, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(PAIRS, r->values_out.buffer = t.write_only, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(PAIRS, r->values_in.buffer = t.small, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(PAIRS, r->values_in.buffer = t.foreign, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(PAIRS, r->values_out.buffer = NULL, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(PAIRS, r->values_out.buffer = t.small, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(PAIRS, r->values_out.buffer = t.read_only, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(PAIRS, r->values_out.buffer = t.foreign, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(ARGSORT, r->values_in.buffer = t.values_in, CLSORT_INVALID_VALUES_IN, "values_in");
    REFUSED(ARGSORT, r->values_out.buffer = NULL, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(ARGSORT, r->values_out.buffer = t.small, CLSORT_INVALID_VALUES_OUT, "values_out");
    REFUSED(ARGSORT, r->index_bytes = 8;
            r->values_out.offset = BYTES / 8 - COUNT + 1, CLSORT_INVALID_VALUES_OUT, "values_out");
}
END_TEST

/* A right request for segments by offsets, in the buffer of values. */
#define BY_OFFSETS                                                                                                     \
    r->flags = CLSORT_SEGMENTS;                                                                                        \
    r->segment_count = 10;                                                                                             \
    r->segment_begins = clsort_make_range(t.values_in, 0)
#define BY_LENGTH(length, stride)                                                                                      \
    r->flags = CLSORT_SEGMENTS;                                                                                        \
    r->segment_length = length;                                                                                        \
    r->segment_stride = stride

START_TEST(wrong_segments_by_offsets_are_refused)
{
    REFUSED(KEYS, BY_OFFSETS; r->segment_count = UINT64_C(1) << 32, CLSORT_INVALID_SEGMENT_COUNT, "segment_count");
    REFUSED(KEYS, BY_OFFSETS; r->segment_begins.buffer = NULL, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_begins.buffer = t.foreign, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_begins.buffer = t.write_only, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_count = BYTES / 4, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_offset_bytes = 8;
            r->segment_count = BYTES / 8, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS;
            r->segment_begins.offset = BYTES / 4 - 10, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_begins.offset = UINT64_MAX, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_ends.offset = 1, CLSORT_INVALID_SEGMENT_ENDS, "segment_ends");
    REFUSED(KEYS, BY_OFFSETS; r->segment_ends.buffer = t.foreign, CLSORT_INVALID_SEGMENT_ENDS, "segment_ends");
    REFUSED(KEYS, BY_OFFSETS;
            r->segment_ends = clsort_make_range(t.small, 90), CLSORT_INVALID_SEGMENT_ENDS, "segment_ends");
    REFUSED(KEYS, BY_OFFSETS; r->segment_offset_bytes = 2, CLSORT_INVALID_SEGMENT_OFFSET_BYTES, "segment_offset_bytes");
    REFUSED(KEYS, BY_OFFSETS; r->segment_stride = 7, CLSORT_INVALID_SEGMENT_LENGTH, "segment_stride");
    REFUSED(KEYS, BY_OFFSETS; r->segment_begins.buffer = t.out, CLSORT_OVERLAP, "segment_begins");
    REFUSED(KEYS, BY_OFFSETS; r->segment_ends = clsort_make_range(t.out, 5), CLSORT_OVERLAP, "segment_ends");
    REFUSED(KEYS, BY_OFFSETS; r->algorithm = "radix", CLSORT_INVALID_ALGORITHM, "radix");
    REFUSED(KEYS, r->algorithm = "segmented", CLSORT_INVALID_ALGORITHM, "segmented");
    /* By name, as segmented_hybrid sorts so few keys without workspace. */
    REFUSED(KEYS, BY_OFFSETS; r->algorithm = "segmented";
            r->flags |= CLSORT_LOW_MEMORY, CLSORT_INVALID_WORKSPACE, "workspace");
}
END_TEST

START_TEST(wrong_segments_of_one_length_are_refused)
{
    REFUSED(KEYS, BY_LENGTH(7, 0), CLSORT_INVALID_SEGMENT_LENGTH, "segment_length");
    REFUSED(KEYS, BY_LENGTH(10, 9), CLSORT_INVALID_SEGMENT_LENGTH, "segment_stride");
    REFUSED(KEYS, BY_LENGTH(10, 35), CLSORT_INVALID_SEGMENT_LENGTH, "segment_stride 35"); /* 30 are left of 100 */
    REFUSED(KEYS, BY_LENGTH(UINT64_MAX, 0), CLSORT_INVALID_SEGMENT_LENGTH, "segment_length");
    REFUSED(KEYS, BY_LENGTH(10, 0); r->segment_count = 10, CLSORT_INVALID_SEGMENT_COUNT, "segment_count");
    REFUSED(KEYS, BY_LENGTH(10, 0);
            r->segment_begins.buffer = t.values_in, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins");
    REFUSED(KEYS, BY_LENGTH(10, 0); r->segment_ends.offset = 1, CLSORT_INVALID_SEGMENT_ENDS, "segment_ends");
    REFUSED(KEYS, BY_LENGTH(10, 0);
            r->segment_offset_bytes = 4, CLSORT_INVALID_SEGMENT_OFFSET_BYTES, "segment_offset_bytes");
}
END_TEST

START_TEST(segment_fields_without_their_flags_are_refused)
{
    REFUSED(KEYS, r->segment_count = 1, CLSORT_INVALID_SEGMENT_COUNT, "CLSORT_SEGMENTS");
    REFUSED(KEYS, r->segment_begins.buffer = t.values_in, CLSORT_INVALID_SEGMENT_BEGINS, "CLSORT_SEGMENTS");
    REFUSED(KEYS, r->segment_ends.buffer = t.values_in, CLSORT_INVALID_SEGMENT_ENDS, "CLSORT_SEGMENTS");
    REFUSED(KEYS, r->segment_offset_bytes = 4, CLSORT_INVALID_SEGMENT_OFFSET_BYTES, "CLSORT_SEGMENTS");
    REFUSED(KEYS, r->segment_length = 10, CLSORT_INVALID_SEGMENT_LENGTH, "CLSORT_SEGMENTS");
    REFUSED(KEYS, r->max_segment_length = 10, CLSORT_INVALID_SEGMENT_LENGTH, "max_segment_length");
    REFUSED(ARGSORT, r->flags = CLSORT_INDEX_IN_SEGMENT, CLSORT_INVALID_FLAGS, "CLSORT_INDEX_IN_SEGMENT");
    REFUSED(PAIRS, BY_LENGTH(10, 0);
            r->flags |= CLSORT_INDEX_IN_SEGMENT, CLSORT_INVALID_FLAGS, "CLSORT_INDEX_IN_SEGMENT");
}
END_TEST

/* A request as the header had it before there were segments. */
START_TEST(requests_without_room_for_segments_are_sorted)
{
    struct trial t = make_trial(CLSORT_KEYS);
    t.request.size = offsetof(clsort_request, segment_count);
    memset(&t.request.segment_count, 0xA5, sizeof t.request - t.request.size);
    CHECK_STATUS(t.device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(t.device->sorter, t.queue, &t.request, 0, NULL, NULL));
    CHECK_CL(clFinish(t.queue));
    free_trial(&t);
}
END_TEST

START_TEST(wrong_queues_and_wait_lists_are_refused)
{
    cl_event event = NULL;
    cl_event none = NULL;
    REFUSED(KEYS, t.queue = NULL, CLSORT_INVALID_QUEUE, "queue");
    REFUSED(KEYS, t.queue = t.foreign_queue, CLSORT_INVALID_QUEUE, "queue");
    REFUSED(KEYS, t.n_events = 1, CLSORT_INVALID_WAIT_LIST, "wait list");
    REFUSED(KEYS, t.events = &event, CLSORT_INVALID_WAIT_LIST, "wait list");
    REFUSED(KEYS, t.n_events = 1; t.events = &none, CLSORT_INVALID_WAIT_LIST, "wait list");
}
END_TEST

START_TEST(requests_and_sorters_that_are_null_are_refused)
{
    struct device *device = test_device();
    ck_assert_int_eq(clsort_enqueue(device->sorter, device->queue, NULL, 0, NULL, NULL), CLSORT_INVALID_REQUEST);
    ck_assert_int_eq(clsort_prepare(device->sorter, NULL), CLSORT_INVALID_REQUEST);
    ck_assert_int_eq(clsort_workspace_bytes(device->sorter, NULL, NULL, NULL), CLSORT_INVALID_REQUEST);
    ck_assert_int_eq(clsort_sort_host(device->sorter, NULL, poison, poison, NULL, NULL), CLSORT_INVALID_REQUEST);
}
END_TEST

/* A workspace of the radix sort, which needs one. */
static uint64_t set_workspace(struct trial *t, cl_mem *buffer)
{
    uint64_t least = 0;
    t->request.algorithm = "radix";
    CHECK_STATUS(t->device->sorter, CLSORT_SUCCESS,
                 clsort_workspace_bytes(t->device->sorter, &t->request, &least, NULL));
    ck_assert_uint_gt(least, 0);
    *buffer = make_buffer(t->device, CL_MEM_READ_WRITE, (size_t)least + 1024, NULL);
    t->request.workspace.buffer = *buffer;
    t->request.workspace.offset = CLSORT_WORKSPACE_ALIGNMENT;
    t->request.workspace.bytes = least;
    return least;
}

START_TEST(wrong_workspaces_are_refused)
{
    cl_mem space = NULL;
#define WRONG_WORKSPACE(spoil)                                                                                         \
    do {                                                                                                               \
        REFUSED(KEYS, uint64_t least = set_workspace(&t, &space); (void)least;                                         \
                spoil, CLSORT_INVALID_WORKSPACE, "workspace");                                                         \
        CHECK_CL(clReleaseMemObject(space));                                                                           \
    } while (0)
    WRONG_WORKSPACE(r->workspace.bytes = least - 1);
    WRONG_WORKSPACE(r->workspace.bytes = 0);
    WRONG_WORKSPACE(r->workspace.offset = 1);
    WRONG_WORKSPACE(r->workspace.offset = CLSORT_WORKSPACE_ALIGNMENT / 2);
    WRONG_WORKSPACE(r->workspace.offset = 1024 + CLSORT_WORKSPACE_ALIGNMENT);
    WRONG_WORKSPACE(r->workspace.bytes = UINT64_MAX);
    WRONG_WORKSPACE(r->workspace.offset = UINT64_MAX - CLSORT_WORKSPACE_ALIGNMENT + 1);
    WRONG_WORKSPACE(r->workspace.buffer = t.foreign);
    WRONG_WORKSPACE(r->workspace.buffer = t.read_only);
    WRONG_WORKSPACE(r->workspace.buffer = t.write_only);
}
END_TEST

/* Below a large count there are ways that need no memory. */
START_TEST(low_memory_pairs_without_workspace_need_open_order)
{
    REFUSED(PAIRS, r->flags = CLSORT_LOW_MEMORY;
            r->algorithm = "bitonic_global", CLSORT_INVALID_WORKSPACE, "workspace");
    REFUSED(PAIRS, r->flags = CLSORT_LOW_MEMORY; r->algorithm = "radix", CLSORT_INVALID_WORKSPACE, "workspace");
}
END_TEST

START_TEST(refused_requests_leave_the_sorter_usable)
{
    REFUSED(KEYS, r->operation = (clsort_operation)0, CLSORT_INVALID_OPERATION, "operation");
    struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 1000, .data = {DATA_RANDOM, 1, 0}};
    check_sort(test_device(), c);
}
END_TEST

START_TEST(questions_about_a_wrong_request_are_refused_alike)
{
    struct device *device = test_device();
    clsort_request request;
    uint64_t least = 77, best = 78;
    clsort_request_init(&request);
    request.key_type = CLSORT_U32;
    request.count = 10;
    ck_assert_int_eq(clsort_workspace_bytes(device->sorter, &request, &least, &best), CLSORT_INVALID_OPERATION);
    ck_assert_int_eq(clsort_prepare(device->sorter, &request), CLSORT_INVALID_OPERATION);
    ck_assert_int_eq(clsort_get_info(device->sorter, &request, CLSORT_INFO_WORKSPACE_LEAST, sizeof least, &least, NULL),
                     CLSORT_INVALID_OPERATION);
    ck_assert_uint_eq(least, 77);
    ck_assert_uint_eq(best, 78);
    request.operation = CLSORT_KEYS;
    ck_assert_int_eq(clsort_get_info(device->sorter, NULL, CLSORT_INFO_ALGORITHM, 0, NULL, NULL),
                     CLSORT_INVALID_REQUEST);
    ck_assert_int_eq(clsort_get_info(device->sorter, &request, (clsort_info)50, 0, NULL, NULL),
                     CLSORT_INVALID_ARGUMENT);
    char small[2];
    ck_assert_int_eq(clsort_get_info(device->sorter, &request, CLSORT_INFO_ALGORITHM, sizeof small, small, NULL),
                     CLSORT_INVALID_ARGUMENT);
}
END_TEST

int main(void)
{
    return RUN_TESTS("requests", wrong_request_facts_are_refused_by_field, wrong_bit_ranges_are_refused,
                     wrong_sizes_of_values_and_indices_are_refused, wrong_key_ranges_are_refused,
                     wrong_value_ranges_are_refused, wrong_segments_by_offsets_are_refused,
                     wrong_segments_of_one_length_are_refused, segment_fields_without_their_flags_are_refused,
                     requests_without_room_for_segments_are_sorted, wrong_queues_and_wait_lists_are_refused,
                     requests_and_sorters_that_are_null_are_refused, wrong_workspaces_are_refused,
                     low_memory_pairs_without_workspace_need_open_order, refused_requests_leave_the_sorter_usable,
                     questions_about_a_wrong_request_are_refused_alike);
}
