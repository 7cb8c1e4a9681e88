// Segments of an array: where they are.

struct segment {
    index_t begin, length;
};

// Two work-items may have the same elements: what counts keys must not rely on finding them again.
#define SEGMENTS_MAY_OVERLAP

// Where segments are given: stride is 0 where that is by offsets, of 4 bytes or, is_wide, of 8.
#define SEGMENT_PARAMETERS                                                                                             \
    global const uint *begins, const ulong begins_offset, global const uint *ends, const ulong ends_offset,            \
        const uint is_wide, const ulong segment_length, const ulong segment_stride, const index_t n_segments,          \
        const index_t count
#define SEGMENTS begins, begins_offset, ends, ends_offset, is_wide, segment_length, segment_stride, n_segments, count

// Segment number i, within the count elements of the array. Functions here return no structs: Oclgrind 21.10 does not know what
// Clang makes of such when it inlines them.
INLINE void read_segment(struct segment *segment, const index_t i, SEGMENT_PARAMETERS)
{
    ulong begin = (ulong)i * segment_stride, end = begin + segment_length;
    if (segment_stride == 0) {
        begin = is_wide ? ((global const ulong *)begins)[begins_offset + i] : begins[begins_offset + i];
        end = is_wide ? ((global const ulong *)ends)[ends_offset + i] : ends[ends_offset + i];
    }
    begin = min(begin, (ulong)count);
    end = min(end, (ulong)count);
    segment->begin = (index_t)begin;
    segment->length = (index_t)(end > begin ? end - begin : 0);
}
