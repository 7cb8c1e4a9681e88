// Puts segments into classes by length, and sorts those that fit local memory, several by a work-group where they are short.

INLINE uint n_blocks_of(const index_t length, const index_t block_items)
{
    return (uint)(length / block_items + (length % block_items ? 1 : 0));
}

// The class of a segment; N_CLASSES: none. slots: of a tile, the longest that fits local memory.
INLINE uint class_of(const index_t length, const uint slots, const index_t block_items)
{
    if (length < 2) {
        return N_CLASSES;
    }
    if (length <= slots) {
        return 32 - clz((uint)length - 1);
    }
    return n_blocks_of(length, block_items) <= FEW_BLOCKS ? FEW_BLOCKS_CLASS : MANY_BLOCKS_CLASS;
}

KERNEL void begin(global uint *control, const ulong control_offset)
{
    for (uint word = get_global_id(0); word < CONTROL_WORDS; word += get_global_size(0)) {
        control[control_offset + word] = 0;
    }
}

// The part of the segments that a work-group puts into classes.
#define FOR_PART(i)                                                                                                    \
    const index_t n_part = n_segments / get_num_groups(0) + 1;                                                         \
    const index_t part_begin = min((index_t)get_group_id(0) * n_part, n_segments);                                     \
    const index_t part_end = min(part_begin + n_part, n_segments);                                                     \
    for (index_t i = part_begin + get_local_id(0); i < part_end; i += GROUP_SIZE)

// Counts the segments of the work-group's part in local memory, for each class.
INLINE void count_part(local uint *counts, const uint slots, const index_t block_items, SEGMENT_PARAMETERS)
{
    for (uint k = get_local_id(0); k < N_CLASSES; k += GROUP_SIZE) {
        counts[k] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_PART(i)
    {
        struct segment segment;
        read_segment(&segment, i, SEGMENTS);
        const uint k = class_of(segment.length, slots, block_items);
        if (k < N_CLASSES) {
            atomic_inc(counts + k);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

KERNEL void count_classes(SEGMENT_PARAMETERS, global uint *control, const ulong control_offset, const uint slots,
                          const index_t block_items)
{
    local uint counts[N_CLASSES];
    control += control_offset;
    count_part(counts, slots, block_items, SEGMENTS);
    for (uint k = get_local_id(0); k < N_CLASSES; k += GROUP_SIZE) {
        if (counts[k]) {
            atomic_add(control + CONTROL_COUNTS + k, counts[k]);
        }
    }
}

#define ARRAY_PARAMETERS                                                                                               \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, const uint generate_index, const uint write_keys

#if VALUE_BYTES == 4 || VALUE_BYTES == 8
#define SEGMENT_VALUE(begin, i)                                                                                        \
    (generate_index ? (value_t)(index_t)(generate_index == IN_SEGMENT ? (i) : (begin) + (i)) : values_in[(begin) + (i)])
#else
#define SEGMENT_VALUE(begin, i) values_in[(begin) + (i)]
#endif

// Lists the segments of each class, and gives blocks to the long ones: first_blocks is in the order of the list, for most_long of
// them, and most_blocks is how many blocks there may be. A segment of one element is sorted by this.
KERNEL void list_segments(ARRAY_PARAMETERS, SEGMENT_PARAMETERS, global struct segment *list, const ulong list_offset,
                          global uint *control, const ulong control_offset, global uint *first_blocks,
                          const ulong first_blocks_offset, const uint slots, const index_t block_items,
                          const uint most_long, const uint most_blocks)
{
    local uint counts[N_CLASSES];
    local index_t places[N_CLASSES];
    local uint used[N_CLASSES];
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    list += list_offset;
    control += control_offset;
    first_blocks += first_blocks_offset;
    count_part(counts, slots, block_items, SEGMENTS);
    for (uint k = get_local_id(0); k < N_CLASSES; k += GROUP_SIZE) {
        index_t place = counts[k] ? atomic_add(control + CONTROL_PLACES + k, counts[k]) : 0;
        for (uint other = 0; other < k; other++) {
            place += control[CONTROL_COUNTS + other];
        }
        places[k] = place;
        used[k] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const index_t before_long = first_long(control);
    FOR_PART(i)
    {
        struct segment segment;
        read_segment(&segment, i, SEGMENTS);
        const uint k = class_of(segment.length, slots, block_items);
        if (k < N_CLASSES) {
            const index_t at = places[k] + atomic_inc(used + k);
            list[at] = segment;
            if (k >= FEW_BLOCKS_CLASS && at - before_long < most_long) {
                // Not added once there are too many, which overlapping segments can be: so that it does not wrap.
                first_blocks[at - before_long] =
                    atomic_or(control + CONTROL_BLOCKS, 0) < most_blocks
                        ? atomic_add(control + CONTROL_BLOCKS, n_blocks_of(segment.length, block_items))
                        : most_blocks;
            }
        } else if (segment.length == 1) {
            if (write_keys) {
                keys_out[segment.begin] = keys_in[segment.begin];
            }
#if VALUE_BYTES
            values_out[segment.begin] = SEGMENT_VALUE(segment.begin, 0);
#endif
        }
    }
}

// Segments that a work-group sorts together.
struct batch {
    uint bits;     // each has 1 << bits slots of the tile
    index_t first; // its first segment, in the list or of all
    uint n;
};

// Batch number i of a class of n segments, the first of which is number `first`.
INLINE void batch_of_class(struct batch *batch, const uint bits, const index_t i, const index_t first, const index_t n,
                           const uint slots)
{
    const uint n_whole = slots >> bits;
    batch->bits = bits;
    batch->first = first + i * n_whole;
    batch->n = (uint)min((index_t)n_whole, n - i * n_whole);
}

INLINE index_t n_batches_of(const uint bits, const index_t n, const uint slots)
{
    return (n + (slots >> bits) - 1) / (slots >> bits);
}

// Where the segments of a work-group come from: the list, or all of them directly where one_class says that their class is known.
#define NO_CLASS 32
INLINE index_t count_batches(global const uint *control, const uint one_class, const index_t n_segments,
                             const uint slots)
{
    if (one_class != NO_CLASS) {
        return n_batches_of(one_class, n_segments, slots);
    }
    index_t n = 0;
    for (uint k = 1; k < FEW_BLOCKS_CLASS && slots >> k; k++) {
        n += n_batches_of(k, control[CONTROL_COUNTS + k], slots);
    }
    return n;
}

INLINE void find_batch(struct batch *batch, global const uint *control, const uint one_class, index_t i,
                       const index_t n_segments, const uint slots)
{
    index_t before = 0, n_class = n_segments;
    uint k = one_class;
    if (one_class == NO_CLASS) {
        k = 1;
        n_class = control[CONTROL_COUNTS + k];
        for (index_t n = n_batches_of(k, n_class, slots); i >= n; n = n_batches_of(k, n_class, slots)) {
            i -= n;
            before += n_class;
            k++;
            n_class = control[CONTROL_COUNTS + k];
        }
    }
    batch_of_class(batch, k, i, before, n_class, slots);
}

// Segment number i of a batch; of no length where the batch has fewer.
INLINE void segment_of_batch(struct segment *segment, const struct batch *batch, const uint i,
                             global const struct segment *list, const uint one_class, SEGMENT_PARAMETERS)
{
    segment->begin = segment->length = 0;
    if (i < batch->n && one_class != NO_CLASS) {
        read_segment(segment, batch->first + i, SEGMENTS);
    } else if (i < batch->n) {
        *segment = list[batch->first + i];
    }
}

// Sorts the segments that fit local memory, those of a class in batches that fill the tile: each has a run of slots, of its class's
// width, and slots behind its end come last, as their positions are larger. So it is stable. Compares (rank >> begin_bit) &
// rank_mask. copies_long: segments that are longer are copied, not sorted elsewhere.
KERNEL void sort_short(ARRAY_PARAMETERS, SEGMENT_PARAMETERS, global const struct segment *list, const ulong list_offset,
                       global const uint *control, const ulong control_offset, const uint slots, const uint one_class,
                       const uint copies_long, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask)
{
    local key_t ranks[TILE];
    local ushort positions[TILE];
    const uint item = get_local_id(0);
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    list += list_offset;
    control += control_offset;
    const index_t n_batches = count_batches(control, one_class, n_segments, slots);
    for (index_t i = get_group_id(0); i < n_batches; i += get_num_groups(0)) {
        struct batch batch;
        find_batch(&batch, control, one_class, i, n_segments, slots);
        for (uint slot = item; slot < batch.n << batch.bits; slot += GROUP_SIZE) {
            const uint position = slot & ((1u << batch.bits) - 1);
            struct segment segment;
            segment_of_batch(&segment, &batch, slot >> batch.bits, list, one_class, SEGMENTS);
            key_t rank = (key_t)-1;
            if (position < segment.length) {
                rank = key_rank(keys_in[segment.begin + position], ORDER) >> begin_bit & (key_t)rank_mask;
            }
            ranks[slot] = rank;
            positions[slot] = position;
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        sort_runs(ranks, positions, batch.bits, batch.n << batch.bits);
        // Everything is read before anything is written, so that input and output may be the same.
        key_t keys[ITEMS];
#if VALUE_BYTES
        value_t values[ITEMS];
#endif
        UNROLL
        for (uint n = 0; n < ITEMS; n++) {
            const uint slot = n * GROUP_SIZE + item;
            struct segment segment;
            segment_of_batch(&segment, &batch, slot >> batch.bits, list, one_class, SEGMENTS);
            if ((slot & ((1u << batch.bits) - 1)) < segment.length) {
                keys[n] = keys_in[segment.begin + positions[slot]];
#if VALUE_BYTES
                values[n] = SEGMENT_VALUE(segment.begin, positions[slot]);
#endif
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        UNROLL
        for (uint n = 0; n < ITEMS; n++) {
            const uint slot = n * GROUP_SIZE + item;
            const uint position = slot & ((1u << batch.bits) - 1);
            struct segment segment;
            segment_of_batch(&segment, &batch, slot >> batch.bits, list, one_class, SEGMENTS);
            if (position < segment.length) {
                if (write_keys) {
                    keys_out[segment.begin + position] = keys[n];
                }
#if VALUE_BYTES
                values_out[segment.begin + position] = values[n];
#endif
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    if (copies_long) {
        const index_t first = first_long(control);
        const index_t n_long = control[CONTROL_COUNTS + FEW_BLOCKS_CLASS] + control[CONTROL_COUNTS + MANY_BLOCKS_CLASS];
        for (index_t i = get_group_id(0); i < n_long; i += get_num_groups(0)) {
            const struct segment segment = list[first + i];
            for (index_t n = item; n < segment.length; n += GROUP_SIZE) {
                if (write_keys) {
                    keys_out[segment.begin + n] = keys_in[segment.begin + n];
                }
#if VALUE_BYTES
                values_out[segment.begin + n] = SEGMENT_VALUE(segment.begin, n);
#endif
            }
        }
    }
}
