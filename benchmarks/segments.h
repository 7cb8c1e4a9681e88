/* Segments to sort: how the elements are divided. */
#ifndef BENCHMARKS_SEGMENTS_H
#define BENCHMARKS_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

enum segment_kind {
    SEGMENTS_NONE,
    SEGMENTS_OF,        /* of length elements each */
    SEGMENTS_TO,        /* of 0 to length, each as likely */
    SEGMENTS_POWER_LAW, /* longer than k with a chance of 1/k, up to 2^22 */
    SEGMENTS_ONE_HUGE,  /* half of the elements among segments of 8 */
    SEGMENTS_EMPTY      /* 2^20 of them, in front of all elements */
};

struct segment_shape {
    enum segment_kind kind;
    uint64_t length;
};

/* Offsets of segments: one more than there are. */
struct segments {
    uint64_t *offsets;
    size_t count;
};

/* Reads "segments_of_100" and its like; 0 if text is none of them. */
int segments_read(const char *text, struct segment_shape *shape);

/* Elements of n that whole segments can have. */
uint64_t segments_used(struct segment_shape shape, uint64_t n);

/* Divides n elements; 0 if there is no memory. The caller frees the offsets. */
int segments_make(struct segment_shape shape, uint64_t n, struct segments *segments);

#endif
