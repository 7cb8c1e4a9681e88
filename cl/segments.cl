// Segments of an array: where they are, their classes by length, and the lists made of them.
//
// The workspace has a list of segments, class by class. Class k holds those of up to 1 << k elements which are too long for class
// k - 1; then come those that are too long for local memory. Segments of no or one element are in no class.
#define FEW_BLOCKS_CLASS 16  // too long for local memory, of few blocks
#define MANY_BLOCKS_CLASS 17 // of more
#define N_CLASSES 18
#define FEW_BLOCKS 32

// Words of the control area.
#define CONTROL_COUNTS 0  // N_CLASSES: segments of a class
#define CONTROL_PLACES 32 // N_CLASSES: of them, those that have their place in the list
#define CONTROL_BLOCKS 63 // blocks of long segments
#define CONTROL_WORDS 64

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

// Number of the first long segment in the list.
INLINE index_t first_long(global const uint *control)
{
    index_t first = 0;
    for (uint k = 0; k < FEW_BLOCKS_CLASS; k++) {
        first += control[CONTROL_COUNTS + k];
    }
    return first;
}
