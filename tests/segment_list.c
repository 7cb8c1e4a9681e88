/* Segments that tests make one by one. */
#include "segment_list.h"

#include <stdlib.h>

struct made_segments list;

void start_list(void)
{
    list.n = list.count = 0;
}

void add_segment(uint64_t gap, uint64_t length)
{
    ck_assert_uint_lt(list.n, MOST_SEGMENTS);
    list.begins[list.n] = list.count + gap;
    list.ends[list.n++] = list.count = list.count + gap + length;
}

void shuffle_list(uint32_t seed)
{
    for (uint64_t i = list.n; i > 1; i--) {
        uint64_t other = next_random(&seed) % i;
        uint64_t begin = list.begins[other], end = list.ends[other];
        list.begins[other] = list.begins[i - 1];
        list.ends[other] = list.ends[i - 1];
        list.begins[i - 1] = begin;
        list.ends[i - 1] = end;
    }
}

/* Asserts that a buffer is as it was, but for what lies between the margins. */
static void check_margins(const struct device *device, cl_mem buffer, const uint32_t *before, uint32_t count,
                          uint32_t margin)
{
    uint32_t *after = allocate(count * sizeof *after);
    read_buffer(device, buffer, count * sizeof *after, after);
    ck_assert_mem_eq(after, before, margin * sizeof *after);
    ck_assert_mem_eq(after + count - margin, before + count - margin, margin * sizeof *after);
    free(after);
}

void check_overlapping(const struct device *device, const char *algorithm, clsort_operation operation, uint32_t n,
                       const uint32_t *begins, const uint32_t *ends, uint32_t count, uint32_t margin)
{
    const size_t bytes = count * sizeof(uint32_t);
    uint32_t *elements = allocate(bytes), seed = 5;
    for (uint32_t i = 0; i < count; i++) {
        elements[i] = next_random(&seed);
    }
    clsort_request r;
    clsort_request_init(&r);
    r.operation = operation;
    r.key_type = CLSORT_U32;
    r.count = count;
    r.value_bytes = operation == CLSORT_PAIRS ? sizeof *elements : 0;
    r.algorithm = algorithm;
    r.flags = CLSORT_SEGMENTS;
    r.segment_count = n;
    r.segment_begins = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, n * sizeof *begins, begins), 0);
    r.segment_ends = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, n * sizeof *ends, ends), 0);
    for (unsigned in_place = 0; in_place < 2; in_place++) {
        cl_mem buffers[4];
        for (unsigned i = 0; i < 4; i++) {
            buffers[i] = make_buffer(device, CL_MEM_READ_WRITE, bytes, elements);
        }
        r.keys_in = clsort_make_range(buffers[0], 0);
        r.keys_out = clsort_make_range(buffers[in_place ? 0 : 1], 0);
        if (operation == CLSORT_PAIRS) {
            r.values_in = clsort_make_range(buffers[2], 0);
            r.values_out = clsort_make_range(buffers[in_place ? 2 : 3], 0);
        }
        CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
        for (unsigned i = 0; i < 4; i++) {
            const bool is_input = i % 2 == 0 && !in_place;
            check_margins(device, buffers[i], elements, count, is_input ? count : margin);
            clReleaseMemObject(buffers[i]);
        }
    }
    clReleaseMemObject(r.segment_begins.buffer);
    clReleaseMemObject(r.segment_ends.buffer);
    free(elements);
}
