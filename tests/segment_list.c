/* Segments that tests make one by one. */
#include "segment_list.h"

#include <stdlib.h>
#include <string.h>

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

struct segment_case listed_segments(void)
{
    return (struct segment_case){.n = list.n, .begins = list.begins, .ends = list.ends, .offset_bytes = 4};
}

const uint32_t *random_keys(uint32_t mask)
{
    static uint32_t keys[MOST_LISTED];
    uint32_t seed = 3;
    for (size_t i = 0; i < MOST_LISTED; i++) {
        keys[i] = next_random(&seed) & mask;
    }
    return keys;
}

static int is_less(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sort_listed(struct device *device, const char *algorithm, clsort_operation operation, const uint32_t *keys,
                 counters_offset offset_of_counters, uint32_t *counters, size_t n)
{
    static uint64_t expected[MOST_LISTED]; /* key and position */
    static uint32_t positions[MOST_LISTED], sorted_keys[MOST_LISTED], sorted_values[MOST_LISTED];
    static uint32_t begins[MOST_SEGMENTS], ends[MOST_SEGMENTS];
    const bool has_values = operation == CLSORT_PAIRS;
    clsort_request r;
    ck_assert_uint_le(list.count, MOST_LISTED);
    for (uint32_t i = 0; i < list.count; i++) {
        positions[i] = i;
        expected[i] = (uint64_t)keys[i] << 32 | i;
    }
    for (uint64_t i = 0; i < list.n; i++) {
        begins[i] = (uint32_t)list.begins[i];
        ends[i] = (uint32_t)list.ends[i];
        qsort(expected + begins[i], ends[i] - begins[i], sizeof *expected, is_less);
    }
    const size_t bytes = list.count * sizeof(uint32_t);
    clsort_request_init(&r);
    r.operation = operation;
    r.key_type = CLSORT_U32;
    r.count = list.count;
    r.algorithm = algorithm;
    r.flags = CLSORT_SEGMENTS;
    r.segment_count = list.n;
    r.segment_begins = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, list.n * sizeof *begins, begins), 0);
    r.segment_ends = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, list.n * sizeof *ends, ends), 0);
    r.keys_in = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, keys), 0);
    r.keys_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, keys), 0);
    if (has_values) {
        r.value_bytes = sizeof *positions;
        r.values_in = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, positions), 0);
        r.values_out = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, positions), 0);
    }
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_workspace_bytes(device->sorter, &r, &r.workspace.bytes, NULL));
    char *workspace = allocate(r.workspace.bytes);
    memset(workspace, 0xA5, r.workspace.bytes);
    r.workspace.buffer = make_buffer(device, CL_MEM_READ_WRITE, r.workspace.bytes, workspace);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
    read_buffer(device, r.workspace.buffer, r.workspace.bytes, workspace);
    memcpy(counters, workspace + offset_of_counters(device, &r), n * sizeof *counters);
    read_buffer(device, r.keys_out.buffer, bytes, sorted_keys);
    if (has_values) {
        read_buffer(device, r.values_out.buffer, bytes, sorted_values);
    }
    for (uint32_t i = 0; i < list.count; i++) {
        ck_assert_msg(sorted_keys[i] == expected[i] >> 32, "%u: key %08x, not %08x", (unsigned)i,
                      (unsigned)sorted_keys[i], (unsigned)(expected[i] >> 32));
        ck_assert_msg(!has_values || sorted_values[i] == (uint32_t)expected[i], "%u: value %u, not %u", (unsigned)i,
                      (unsigned)sorted_values[i], (unsigned)(uint32_t)expected[i]);
    }
    const cl_mem buffers[] = {r.workspace.buffer, r.segment_begins.buffer, r.segment_ends.buffer, r.keys_in.buffer,
                              r.keys_out.buffer,  r.values_in.buffer,      r.values_out.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        if (buffers[i]) {
            clReleaseMemObject(buffers[i]);
        }
    }
    free(workspace);
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
