/* One sort: makes its buffers and its request, runs it, and has it compared. */
#include "sort_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sort_outcome sort_is_wrong(const struct run *run, const char *what)
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
        if (posix_memalign((void **)&image->host, 4096, image->bytes + image->element_bytes)) {
            abort();
        }
        memcpy(image->host + image->element_bytes, image->before, image->bytes);
        content = image->host + image->element_bytes;
        flags |= CL_MEM_USE_HOST_PTR;
    }
    image->buffer = make_buffer(run->device, flags, image->bytes, content);
}

static void free_image(struct image *image)
{
    if (image->buffer) {
        clReleaseMemObject(image->buffer);
    }
    free(image->before);
    free(image->after);
    free(image->host);
}

unsigned char *image_element(const struct run *run, const struct image *image, unsigned char *side, uint64_t i)
{
    return side + (run->start + i) * image->element_bytes;
}

/* Notes the segments of the case, of one length too. */
static void make_segments(struct run *run)
{
    const struct segment_case *segments = run->c->segments;
    struct segment_list *list = &run->segments;
    uint64_t stride = segments->stride ? segments->stride : segments->length;
    list->n = segments->length ? (run->c->count + stride - 1) / stride : segments->n;
    list->begins = allocate((list->n + 1) * sizeof *list->begins);
    list->ends = allocate((list->n + 1) * sizeof *list->ends);
    for (uint64_t i = 0; i < list->n; i++) {
        list->begins[i] = segments->length ? i * stride : segments->begins[i];
        list->ends[i] = segments->length ? i * stride + segments->length
                        : segments->ends ? segments->ends[i]
                                         : segments->begins[i + 1];
    }
}

/* Has elements of segments that break the promise, which are copied, stay where they are. */
static void copy_broken_segments(struct run *run)
{
    for (uint64_t s = 0; s < run->segments.n; s++) {
        uint64_t begin = run->segments.begins[s], end = run->segments.ends[s];
        for (uint64_t i = begin; end > begin && end - begin > run->c->segments->promised && i < end; i++) {
            run->positions[i] = i;
        }
    }
}

/* Where the element at i comes from, and the index that says so. */
static void find_positions(struct run *run, const unsigned char *keys)
{
    if (!run->c->segments) {
        oracle_sort(&run->order, keys, run->c->count, run->positions);
        return;
    }
    make_segments(run);
    oracle_sort_segments(&run->order, keys, run->c->count, run->segments.n, run->segments.begins, run->segments.ends,
                         run->positions);
    if (run->c->segments->copied) {
        copy_broken_segments(run);
    }
}

/* What the indices of the segment of element i count from. */
static uint64_t index_base(const struct run *run, uint64_t i)
{
    if (run->c->flags & CLSORT_INDEX_IN_SEGMENT) {
        for (uint64_t s = 0; s < run->segments.n; s++) {
            if (run->segments.begins[s] <= i && i < run->segments.ends[s]) {
                return run->segments.begins[s];
            }
        }
    }
    return 0;
}

/* Makes the images of all buffers before and after. */
static void make_images(struct run *run)
{
    const struct sort_case *c = run->c;
    size_t key_bytes = key_facts(c->key_type)->bytes;
    bool has_keys_out = !c->in_place && !c->without_keys_out;
    make_image(run, &run->keys_in, "keys_in", key_bytes);
    unsigned char *keys = image_element(run, &run->keys_in, run->keys_in.before, 0);
    if (c->data.shape == DATA_GIVEN) {
        memcpy(keys, c->given, c->count * key_bytes);
    } else {
        make_keys(c->key_type, c->data, c->count, keys);
    }
    set_expected(&run->keys_in);
    if (has_keys_out) {
        make_image(run, &run->keys_out, "keys_out", key_bytes);
        set_expected(&run->keys_out);
    }
    if (c->operation == CLSORT_PAIRS) {
        make_image(run, &run->values_in, "values_in", run->value_bytes);
        for (uint64_t i = 0; i < c->count; i++) {
            make_value(i, run->value_bytes, image_element(run, &run->values_in, run->values_in.before, i));
        }
        set_expected(&run->values_in);
    }
    bool has_values_out = c->operation == CLSORT_ARGSORT || (c->operation == CLSORT_PAIRS && !c->in_place);
    if (has_values_out) {
        make_image(run, &run->values_out, "values_out",
                   c->operation == CLSORT_ARGSORT ? run->index_bytes : run->value_bytes);
        set_expected(&run->values_out);
    }
    find_positions(run, keys);

    struct image *keys_out = c->in_place ? &run->keys_in : has_keys_out ? &run->keys_out : NULL;
    struct image *values_out = has_values_out                 ? &run->values_out
                               : c->operation == CLSORT_PAIRS ? &run->values_in
                                                              : NULL;
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t position = run->positions[i];
        if (position == ORACLE_NO_SEGMENT) {
            continue;
        }
        if (keys_out) {
            memcpy(image_element(run, keys_out, keys_out->after, i), keys + position * key_bytes, key_bytes);
        }
        if (values_out && c->operation == CLSORT_PAIRS) {
            make_value(position, run->value_bytes, image_element(run, values_out, values_out->after, i));
        } else if (values_out) {
            make_value(position - index_base(run, i), run->index_bytes,
                       image_element(run, values_out, values_out->after, i));
        }
    }
    make_image_buffer(run, &run->keys_in, c->in_place);
    if (has_keys_out) {
        make_image_buffer(run, &run->keys_out, true);
    }
    if (c->operation == CLSORT_PAIRS) {
        make_image_buffer(run, &run->values_in, c->in_place);
    }
    if (has_values_out) {
        make_image_buffer(run, &run->values_out, true);
    }
}

/* A buffer of offsets, two elements behind its start unless buffers are exact. */
static clsort_range make_offsets(struct run *run, unsigned which, const uint64_t *offsets, uint64_t n)
{
    uint64_t first = run->c->exact ? 0 : 2;
    size_t bytes = run->c->segments->offset_bytes;
    unsigned char *content = allocate((first + n + 1) * bytes);
    memset(content, 0xFF, first * bytes);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t narrow = (uint32_t)offsets[i];
        memcpy(content + (first + i) * bytes, bytes == 4 ? (const void *)&narrow : (const void *)&offsets[i], bytes);
    }
    run->segments.buffers[which] =
        make_buffer(run->device, CL_MEM_READ_ONLY, (first + n) * bytes + (first + n == 0), content);
    free(content);
    return clsort_make_range(run->segments.buffers[which], first);
}

static void request_segments(struct run *run)
{
    const struct segment_case *segments = run->c->segments;
    clsort_request *r = &run->request;
    r->flags |= CLSORT_SEGMENTS;
    r->segment_length = segments->length;
    r->segment_stride = segments->stride;
    r->max_segment_length = segments->promised;
    if (!segments->length) {
        r->segment_count = segments->n;
        r->segment_offset_bytes = segments->offset_bytes;
        r->segment_begins = make_offsets(run, 0, segments->begins, segments->n + !segments->ends);
        if (segments->ends) {
            r->segment_ends = make_offsets(run, 1, segments->ends, segments->n);
        }
    }
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
    if (c->segments) {
        request_segments(run);
    }
    if (c->operation == CLSORT_PAIRS) {
        r->value_bytes = run->value_bytes;
    }
    if (c->operation == CLSORT_ARGSORT) {
        r->index_bytes = c->index_bytes;
    }
    r->keys_in = clsort_make_range(run->keys_in.buffer, run->start);
    if (c->in_place) {
        r->keys_out = r->keys_in;
    } else if (run->keys_out.buffer) {
        r->keys_out = clsort_make_range(run->keys_out.buffer, run->start);
    }
    if (run->values_in.buffer) {
        r->values_in = clsort_make_range(run->values_in.buffer, run->start);
    }
    if (run->values_out.buffer) {
        r->values_out = clsort_make_range(run->values_out.buffer, run->start);
    } else if (c->operation == CLSORT_PAIRS) {
        r->values_out = r->values_in;
    }
}

/* Gives the request a workspace of its least or best size with guards of one alignment around it. */
static clsort_status make_workspace(struct run *run)
{
    uint64_t least = 0, best = 0;
    clsort_status status = clsort_workspace_bytes(run->device->sorter, &run->request, &least, &best);
    if (status != CLSORT_SUCCESS) {
        return status;
    }
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

/* Enqueues, waits and compares. */
static enum sort_outcome enqueue_and_compare(struct run *run)
{
    char what[2048];
    const struct sort_case *c = run->c;
    cl_event event = NULL;
    clsort_status status = CLSORT_SUCCESS;
    if (c->workspace != WORKSPACE_POOL) {
        status = make_workspace(run);
    }
    if (status == CLSORT_SUCCESS) {
        status = clsort_enqueue(run->device->sorter, run->device->queue, &run->request, 0, NULL, &event);
    }
    cl_int finished = clFinish(run->device->queue);
    if (finished != CL_SUCCESS) {
        snprintf(what, sizeof what, "clFinish gave %d", finished);
        return sort_is_wrong(run, what);
    }
    if (c->algorithm && status == CLSORT_INVALID_ALGORITHM) {
        enum sort_outcome outcome = compare_buffers(run, false);
        return outcome == SORT_RIGHT ? SORT_REFUSED : outcome;
    }
    if (status != CLSORT_SUCCESS) {
        char text[1500] = "";
        clsort_last_error(run->device->sorter, text, sizeof text);
        snprintf(what, sizeof what, "status %d (%s): %s", (int)status, clsort_status_text(status), text);
        return sort_is_wrong(run, what);
    }
    /* NVIDIA's driver 580 shows one event of a hundred as submitted yet, in threads without clsort too: it is waited for. */
    cl_int event_status = clWaitForEvents(1, &event);
    if (event_status != CL_SUCCESS) {
        clReleaseEvent(event);
        snprintf(what, sizeof what, "clWaitForEvents gave %d after clFinish", event_status);
        return sort_is_wrong(run, what);
    }
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof event_status, &event_status, NULL);
    clReleaseEvent(event);
    if (event_status != CL_COMPLETE) {
        snprintf(what, sizeof what, "the event has status %d after waiting for it", event_status);
        return sort_is_wrong(run, what);
    }
    return compare_buffers(run, true);
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
    for (size_t i = 0; i < N_ELEMENTS(run.segments.buffers); i++) {
        if (run.segments.buffers[i]) {
            clReleaseMemObject(run.segments.buffers[i]);
        }
    }
    free(run.segments.begins);
    free(run.segments.ends);
    free(run.positions);
    free_image(&run.keys_in);
    free_image(&run.keys_out);
    free_image(&run.values_in);
    free_image(&run.values_out);
    free_image(&run.workspace);
    return outcome;
}
