/* Segments that tests make one by one, at most so many at a time. */
#ifndef TESTS_SEGMENT_LIST_H
#define TESTS_SEGMENT_LIST_H

#include "sort_check.h"

enum { MOST_SEGMENTS = 70000 };

/* Ends are their own array; a begin more for those that have one array. */
struct made_segments {
    uint64_t n, count; /* segments, and where the last one ends */
    uint64_t begins[MOST_SEGMENTS + 1], ends[MOST_SEGMENTS + 1];
};
extern struct made_segments list;

void start_list(void);
/* A segment behind a gap. */
void add_segment(uint64_t gap, uint64_t length);
void shuffle_list(uint32_t seed);
struct segment_case listed_segments(void);

enum { MOST_LISTED = 40000 };
/* So many keys. */
const uint32_t *random_keys(uint32_t mask);
/*
 * Sorts the listed segments of 32-bit keys, with their positions as values if the operation is CLSORT_PAIRS, asserts that each is in
 * order, and copies n words of the workspace from where `offset_of_counters` says.
 */
typedef uint64_t (*counters_offset)(const struct device *device, const clsort_request *request);
void sort_listed(struct device *device, const char *algorithm, clsort_operation operation, const uint32_t *keys,
                 counters_offset offset_of_counters, uint32_t *counters, size_t n);

/* Sorts count keys, or keys with values, of which n segments that overlap leave `margin` at both ends, out of place and in place. What
   segments hold is open then, but nothing else is touched. */
void check_overlapping(const struct device *device, const char *algorithm, clsort_operation operation, uint32_t n,
                       const uint32_t *begins, const uint32_t *ends, uint32_t count, uint32_t margin);

#endif
