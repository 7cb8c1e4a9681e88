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

void check_overlapping(const struct device *device, const char *algorithm, uint32_t n, const uint32_t *begins,
                       const uint32_t *ends, uint32_t count, uint32_t margin)
{
    const size_t bytes = count * sizeof(uint32_t);
    uint32_t *keys = allocate(bytes), *sorted = allocate(bytes), seed = 5;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = next_random(&seed);
    }
    clsort_request r;
    clsort_request_init(&r);
    r.operation = CLSORT_KEYS;
    r.key_type = CLSORT_U32;
    r.count = count;
    r.algorithm = algorithm;
    r.flags = CLSORT_SEGMENTS;
    r.segment_count = n;
    r.segment_begins = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, n * sizeof *begins, begins), 0);
    r.segment_ends = clsort_make_range(make_buffer(device, CL_MEM_READ_ONLY, n * sizeof *ends, ends), 0);
    for (unsigned in_place = 0; in_place < 2; in_place++) {
        r.keys_in = clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, keys), 0);
        r.keys_out = in_place ? r.keys_in : clsort_make_range(make_buffer(device, CL_MEM_READ_WRITE, bytes, keys), 0);
        CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_enqueue(device->sorter, device->queue, &r, 0, NULL, NULL));
        read_buffer(device, r.keys_out.buffer, bytes, sorted);
        ck_assert_mem_eq(sorted, keys, margin * sizeof *keys);
        ck_assert_mem_eq(sorted + count - margin, keys + count - margin, margin * sizeof *keys);
        if (!in_place) {
            read_buffer(device, r.keys_in.buffer, bytes, sorted);
            ck_assert_mem_eq(sorted, keys, bytes);
            clReleaseMemObject(r.keys_in.buffer);
        }
        clReleaseMemObject(r.keys_out.buffer);
    }
    clReleaseMemObject(r.segment_begins.buffer);
    clReleaseMemObject(r.segment_ends.buffer);
    free(sorted);
    free(keys);
}
