/* segments.h: the segments that a sort is cut into, from a file of offsets. */
#ifndef CLI_SEGMENTS_H
#define CLI_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Segment i is [offsets[i], offsets[i + 1]). */
struct segment_offsets {
    uint64_t *offsets; /* NULL: none */
    uint64_t n_offsets;
};

/* Reads the offsets of a file, for an input of count keys. Says on standard error what is wrong. */
bool segments_read(const char *path, uint64_t count, struct segment_offsets *segments);
void segments_release(struct segment_offsets *segments);

#endif
