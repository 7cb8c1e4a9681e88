/*
 * Requests of any content against a device that only counts commands. What is refused enqueues nothing, gives no event and says why;
 * what is accepted lies in its buffers, by arithmetic that cannot wrap, and overlaps nothing. Real devices sort what is accepted
 * in test_properties.c.
 */
#include "fuzz.h"
#include "stub_opencl.h"

#include <clsort/clsort.h>
#include <stdbool.h>

/* The rest of the input; zeros behind its end. */
struct reader {
    const uint8_t *at, *end;
};

static unsigned take(struct reader *reader)
{
    return reader->at < reader->end ? *reader->at++ : 0;
}

static uint64_t take_bytes(struct reader *reader, unsigned n)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < n; i++) {
        number = number << 8 | take(reader);
    }
    return number;
}

/* Small numbers, those around powers of two, up to 2^64 - 1, and any. */
static uint64_t take_number(struct reader *reader)
{
    const unsigned kind = take(reader);
    if (kind < 128) {
        return kind;
    }
    if (kind < 192) {
        return ((uint64_t)1 << (kind - 128)) + take(reader) - 128;
    }
    return kind < 224 ? take_bytes(reader, 2) : kind < 240 ? (uint64_t)0 - take(reader) : take_bytes(reader, 8);
}

/* ------------------------------------------------------------------------------------------------ what there is */

enum { N_BUFFERS = 12, BUFFER_BYTES = 1 << 16 };

static struct world {
    cl_context context, foreign_context;
    clsort_sorter *sorters[2]; /* the second one has 64-bit positions */
    cl_command_queue in_order, out_of_order, foreign_queue;
    cl_mem buffers[N_BUFFERS]; /* the first is NULL */
    cl_event event;
} world;

/* Where a buffer lies in its root; for the arithmetic of checks. */
static struct part {
    cl_mem root;
    uint64_t offset, bytes;
    bool is_foreign, is_read_only, is_write_only;
} parts[N_BUFFERS];

static void set_up_buffers(void)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_WRITE_ONLY,
                                         CL_MEM_READ_WRITE};
    enum { FOREIGN = 7, FIRST_PART = 8 };
    for (int i = 1; i < FIRST_PART; i++) {
        const uint64_t bytes = i == 4 ? 401 : BUFFER_BYTES;
        world.buffers[i] =
            clCreateBuffer(i == FOREIGN ? world.foreign_context : world.context, flags[i], bytes, NULL, NULL);
        parts[i] = (struct part){
            world.buffers[i], 0, bytes, i == FOREIGN, flags[i] == CL_MEM_READ_ONLY, flags[i] == CL_MEM_WRITE_ONLY};
    }
    for (int i = FIRST_PART; i < N_BUFFERS; i++) {
        const uint64_t offset = (uint64_t)(i - FIRST_PART) * 1024;
        world.buffers[i] = stub_sub_buffer(world.buffers[1], offset, 8192);
        parts[i] = (struct part){world.buffers[1], offset, 8192, false, false, false};
    }
}

static void set_up(void)
{
    clsort_options options;
    clsort_options_init(&options);
    options.flags = CLSORT_NO_DISK_CACHE | CLSORT_NO_TUNING_FILE;
    world.context = clCreateContext(NULL, 0, NULL, NULL, NULL, NULL);
    world.foreign_context = clCreateContext(NULL, 0, NULL, NULL, NULL, NULL);
    FUZZ_CHECK(clsort_create(world.context, stub_device(), &options, &world.sorters[0]) == CLSORT_SUCCESS);
    options.flags |= CLSORT_FORCE_64_BIT_INDEX;
    FUZZ_CHECK(clsort_create(world.context, stub_device(), &options, &world.sorters[1]) == CLSORT_SUCCESS);
    world.in_order = clCreateCommandQueue(world.context, stub_device(), 0, NULL);
    world.out_of_order =
        clCreateCommandQueue(world.context, stub_device(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    world.foreign_queue = clCreateCommandQueue(world.foreign_context, stub_device(), 0, NULL);
    clEnqueueMarkerWithWaitList(world.in_order, 0, NULL, &world.event);
    set_up_buffers();
}

/* ------------------------------------------------------------------------------------------------------- requests */

static clsort_range take_range(struct reader *reader)
{
    const cl_mem buffer = world.buffers[take(reader) % N_BUFFERS];
    return clsort_make_range(buffer, take_number(reader));
}

static const char *take_algorithm(struct reader *reader)
{
    const unsigned i = take(reader);
    return i == 255 ? "" : i == 254 ? "no such" : i < 100 ? NULL : clsort_algorithm_name(i % 32);
}

static void take_request(struct reader *reader, clsort_request *r)
{
    clsort_request_init(r);
    const unsigned kind = take(reader);
    if (kind == 255) {
        r->size = take_number(reader);
    }
    r->operation = (clsort_operation)(kind % 4 ? kind % 4 : take_bytes(reader, 4));
    const unsigned type = take(reader);
    r->key_type = (clsort_key_type)(type < 200 ? 1 + type % 12 : take_bytes(reader, 4));
    r->count = take_number(reader);
    r->flags = take(reader) % 128;
    if (take(reader) == 255) {
        r->flags = (uint32_t)take_bytes(reader, 4);
    }
    r->keys_in = take_range(reader);
    r->keys_out = take_range(reader);
    if (r->operation == CLSORT_PAIRS || take(reader) == 1) {
        r->values_in = take_range(reader);
        r->value_bytes = take_number(reader);
    }
    if (r->operation != CLSORT_KEYS || take(reader) == 1) {
        r->values_out = take_range(reader);
    }
    r->index_bytes = r->operation == CLSORT_ARGSORT || take(reader) == 1 ? take(reader) % 9 : 0;
    if (r->flags & CLSORT_BIT_RANGE || take(reader) == 1) {
        r->begin_bit = (uint32_t)take_number(reader);
        r->end_bit = (uint32_t)take_number(reader);
    }
    r->algorithm = take_algorithm(reader);
    if (take(reader) % 4 == 1) {
        r->workspace.buffer = world.buffers[take(reader) % N_BUFFERS];
        r->workspace.offset = take(reader) % 2 ? 256 * take_number(reader) : take_number(reader);
        r->workspace.bytes = take_number(reader);
    }
    if (r->flags & CLSORT_SEGMENTS || take(reader) == 1) {
        if (take(reader) % 2) {
            r->segment_count = take_number(reader);
            r->segment_begins = take_range(reader);
            r->segment_ends = take_range(reader);
            r->segment_offset_bytes = take(reader) % 9;
        } else {
            r->segment_length = take_number(reader);
            r->segment_stride = take_number(reader);
        }
        r->max_segment_length = take_number(reader);
    }
}

/* ------------------------------------------------------------------------------------- what an accepted one is */

/* Wide enough for every product of two numbers. */
__extension__ typedef unsigned __int128 wide;

/* A span of bytes of a root. */
struct span {
    cl_mem root;
    wide begin, end;
    bool is_written;
};

static const struct part *part_of(cl_mem buffer)
{
    for (int i = 1; i < N_BUFFERS; i++) {
        if (world.buffers[i] == buffer) {
            return &parts[i];
        }
    }
    FUZZ_CHECK(!"a buffer");
    return NULL;
}

static struct span check_range(clsort_range range, uint64_t count, uint64_t element_bytes, bool is_written)
{
    const struct part *part = part_of(range.buffer);
    const wide begin = (wide)range.offset * element_bytes;
    const wide end = begin + (wide)count * element_bytes;
    FUZZ_CHECK(!part->is_foreign && !part->is_write_only && !(is_written && part->is_read_only));
    FUZZ_CHECK(element_bytes > 0 && end <= part->bytes);
    return (struct span){part->root, part->offset + begin, part->offset + end, is_written};
}

static bool touch(const struct span *a, const struct span *b)
{
    return a->root && a->root == b->root && a->begin < b->end && b->begin < a->end;
}

static void check_accepted(const clsort_request *r)
{
    struct span spans[7] = {{0}}; /* in this order: 0 and 1, 2 and 3 may be the same */
    const uint64_t key_bytes = clsort_key_type_bytes(r->key_type);
    const uint64_t index_bytes = r->index_bytes ? r->index_bytes : 4;
    const bool has_offsets = (r->flags & CLSORT_SEGMENTS) && !r->segment_length;
    FUZZ_CHECK(r->operation >= CLSORT_KEYS && r->operation <= CLSORT_ARGSORT && key_bytes > 0);
    FUZZ_CHECK(r->flags < 128 && !(r->flags & CLSORT_INDEX_IN_SEGMENT && !(r->flags & CLSORT_SEGMENTS)));
    FUZZ_CHECK(r->begin_bit <= r->end_bit && r->end_bit <= 8 * key_bytes);
    FUZZ_CHECK(r->operation != CLSORT_ARGSORT || index_bytes == 4 || index_bytes == 8);
    if (r->count == 0) {
        return;
    }
    spans[0] = check_range(r->keys_in, r->count, key_bytes, false);
    if (r->operation != CLSORT_ARGSORT || r->keys_out.buffer) {
        spans[1] = check_range(r->keys_out, r->count, key_bytes, true);
    }
    if (r->operation == CLSORT_PAIRS) {
        spans[2] = check_range(r->values_in, r->count, r->value_bytes, false);
        spans[3] = check_range(r->values_out, r->count, r->value_bytes, true);
    } else if (r->operation == CLSORT_ARGSORT) {
        spans[3] = check_range(r->values_out, r->count, index_bytes, true);
    }
    if (r->workspace.buffer) {
        FUZZ_CHECK(r->workspace.offset % CLSORT_WORKSPACE_ALIGNMENT == 0);
        spans[4] = check_range((clsort_range){r->workspace.buffer, r->workspace.offset}, r->workspace.bytes, 1, true);
        spans[4].begin = r->workspace.offset + part_of(r->workspace.buffer)->offset;
        spans[4].end = spans[4].begin + r->workspace.bytes;
    }
    if (has_offsets && r->segment_count > 0) {
        const uint64_t bytes = r->segment_offset_bytes ? r->segment_offset_bytes : 4;
        spans[5] = check_range(r->segment_begins, r->segment_count + !r->segment_ends.buffer, bytes, false);
        if (r->segment_ends.buffer) {
            spans[6] = check_range(r->segment_ends, r->segment_count, bytes, false);
        }
    }
    for (int i = 0; i < 7; i++) {
        for (int j = i + 1; j < 7; j++) {
            const bool is_in_place = (i == 0 || i == 2) && j == i + 1 && spans[i].begin == spans[j].begin;
            FUZZ_CHECK(!(spans[i].is_written || spans[j].is_written) || !touch(&spans[i], &spans[j]) || is_in_place);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ run */

static void check_refused(clsort_sorter *sorter, clsort_status status, const cl_event *event, unsigned long n_before)
{
    char text[2048];
    FUZZ_CHECK(stub_commands() == n_before && !*event);
    FUZZ_CHECK(status <= CLSORT_INVALID_SORTER && status > CLSORT_STATUS_END);
    FUZZ_CHECK(status != CLSORT_INTERNAL);
    FUZZ_CHECK(clsort_last_error(sorter, text, sizeof text) > 1 && strstr(text, clsort_status_text(status)));
}

static void enqueue(struct reader *reader, const clsort_request *r)
{
    clsort_sorter *sorter = world.sorters[take(reader) % 2];
    const unsigned how = take(reader);
    const cl_command_queue queues[] = {world.in_order, world.in_order, world.out_of_order, world.out_of_order};
    cl_command_queue queue = how == 255 ? NULL : how == 254 ? world.foreign_queue : queues[how % 4];
    const cl_event wait[2] = {world.event, how == 253 ? NULL : world.event};
    const cl_uint n_wait = take(reader) % 3;
    const bool has_list = take(reader) == 255 ? n_wait == 0 : n_wait > 0;
    const unsigned long n_before = stub_commands();
    cl_event event = NULL;
    const clsort_status status =
        clsort_enqueue(sorter, queue, r, n_wait, has_list ? wait : NULL, how % 8 < 6 ? &event : NULL);
    if (status == CLSORT_SUCCESS) {
        check_accepted(r);
        FUZZ_CHECK(how < 254 && has_list == (n_wait > 0) && !(how == 253 && n_wait == 2));
        FUZZ_CHECK(how % 8 >= 6 || event);
    } else {
        check_refused(sorter, status, &event, n_before);
    }
    if (event) {
        clReleaseEvent(event);
    }
}

/* Sizes of workspace are told of every request that could be, and never fall. */
static void ask(struct reader *reader, const clsort_request *r)
{
    clsort_sorter *sorter = world.sorters[take(reader) % 2];
    uint64_t least = 0, best = 0, larger_least = 0, larger_best = 0;
    clsort_request larger = *r;
    larger.count += larger.count < UINT64_MAX;
    if (clsort_workspace_bytes(sorter, r, &least, &best) == CLSORT_SUCCESS) {
        FUZZ_CHECK(least <= best);
        if (clsort_workspace_bytes(sorter, &larger, &larger_least, &larger_best) == CLSORT_SUCCESS) {
            FUZZ_CHECK(larger_least >= least && larger_best >= best);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!world.context) {
        set_up();
    }
    struct reader reader = {data, data + size};
    clsort_request request;
    take_request(&reader, &request);
    ask(&reader, &request);
    enqueue(&reader, &request);
    clsort_trim(world.sorters[0]);
    clsort_trim(world.sorters[1]);
    return 0;
}
