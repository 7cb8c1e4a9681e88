/* Segments that tests make one by one. */
#include "segment_list.h"

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
