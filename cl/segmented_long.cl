// Sorts segments that are too long for local memory: an LSD radix sort of all of them together, whose blocks of keys never reach over
// a segment's end. No work-group waits for another.
//
// A block's counts are in the table of its segment: table[(first block * RADIX) + digit * n_blocks + block], see cl/radix.cl.

#define LONG_PARAMETERS                                                                                                \
    global const struct segment *list, const ulong list_offset, global const uint *control,                            \
        const ulong control_offset, global const uint *first_blocks, const ulong first_blocks_offset,                  \
        const index_t block_items, const uint most_long, const uint most_blocks
#define LONG                                                                                                           \
    list + list_offset, control + control_offset, first_blocks + first_blocks_offset, block_items, most_long,          \
        most_blocks

// The long segments, those of few blocks first.
struct longs {
    global const struct segment *segments;
    global const uint *first_blocks;
    index_t block_items;
    uint n_few, n;              // segments: of few blocks, and all
    uint most_blocks, n_blocks; // room for blocks, and those that are used
};

INLINE void find_longs(struct longs *longs, global const struct segment *list, global const uint *control,
                       global const uint *first_blocks, const index_t block_items, const uint most_long,
                       const uint most_blocks)
{
    longs->segments = list + first_long(control);
    longs->first_blocks = first_blocks;
    longs->block_items = block_items;
    longs->n_few = min(control[CONTROL_COUNTS + FEW_BLOCKS_CLASS], most_long);
    longs->n = longs->n_few + min(control[CONTROL_COUNTS + MANY_BLOCKS_CLASS], most_long - longs->n_few);
    longs->most_blocks = most_blocks;
    longs->n_blocks = min(control[CONTROL_BLOCKS], most_blocks);
}

// A long segment and its blocks: none if there was no room for them, which happens only where segments overlap.
struct long_segment {
    struct segment segment;
    uint first_block, n_blocks;
};

INLINE void read_long(struct long_segment *l, const struct longs *longs, const uint number)
{
    l->segment = longs->segments[number];
    l->first_block = longs->first_blocks[number];
    l->n_blocks = (uint)((l->segment.length - 1) / longs->block_items + 1);
    if ((ulong)l->first_block + l->n_blocks > longs->most_blocks) {
        l->first_block = l->n_blocks = 0;
    }
}

// Writes the number of its long segment for each block.
KERNEL void map_blocks(LONG_PARAMETERS, global uint *map, const ulong map_offset)
{
    struct longs longs;
    find_longs(&longs, LONG);
    map += map_offset;
    for (uint number = get_group_id(0); number < longs.n; number += get_num_groups(0)) {
        struct long_segment l;
        read_long(&l, &longs, number);
        for (uint block = get_local_id(0); block < l.n_blocks; block += GROUP_SIZE) {
            map[l.first_block + block] = number;
        }
    }
}

// A block: where its keys are, and which of its segment's it is. Empty where the segment has no blocks.
struct block {
    uint number; // of the long segment
    struct long_segment of;
    uint place; // in the segment
    index_t begin, end;
};

INLINE void read_block(struct block *block, const struct longs *longs, global const uint *map, const uint i)
{
    block->number = map[i];
    read_long(&block->of, longs, block->number);
    block->place = i - block->of.first_block;
    block->begin = block->end = block->of.segment.begin;
    if (block->place < block->of.n_blocks) {
        const index_t first = block->place * longs->block_items;
        block->begin += first;
        block->end = block->begin + min(longs->block_items, block->of.segment.length - first);
    }
}

// Counts the digits of each block.
KERNEL void histogram(global const key_t *keys, const ulong keys_offset, LONG_PARAMETERS, global const uint *map,
                      const ulong map_offset, global index_t *table, const ulong table_offset, ORDER_PARAMETERS,
                      const uint shift, const uint digit_mask)
{
    local uint counts[RADIX];
    struct longs longs;
    find_longs(&longs, LONG);
    for (uint i = get_group_id(0); i < longs.n_blocks; i += get_num_groups(0)) {
        struct block block;
        read_block(&block, &longs, map + map_offset, i);
        global index_t *segment_table = table + table_offset + (ulong)block.of.first_block * RADIX;
        count_digits(keys + keys_offset, block.begin, block.end, counts, ORDER, shift, digit_mask);
        for (uint digit = get_local_id(0); digit < RADIX && block.place < block.of.n_blocks; digit += GROUP_SIZE) {
            segment_table[(ulong)digit * block.of.n_blocks + block.place] = counts[digit];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Turns the counts of each segment's digits into exclusive prefix sums; totals are in the order of the list. A row of many blocks is
// a work-group's, one of few is a work-item's.
KERNEL void scan(LONG_PARAMETERS, global index_t *table, const ulong table_offset, global index_t *totals,
                 const ulong totals_offset)
{
    local index_t scratch[2 * GROUP_SIZE];
    struct longs longs;
    find_longs(&longs, LONG);
    table += table_offset;
    totals += totals_offset;
    for (ulong i = get_group_id(0); i < (ulong)(longs.n - longs.n_few) * RADIX; i += get_num_groups(0)) {
        const uint number = longs.n_few + (uint)(i / RADIX), digit = (uint)(i % RADIX);
        struct long_segment l;
        read_long(&l, &longs, number);
        global index_t *row = table + (ulong)l.first_block * RADIX + (ulong)digit * l.n_blocks;
        const index_t total = scan_row(row, l.n_blocks, scratch);
        if (get_local_id(0) == 0) {
            totals[(ulong)number * RADIX + digit] = total;
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    for (ulong i = get_global_id(0); i < (ulong)longs.n_few * RADIX; i += get_global_size(0)) {
        const uint number = (uint)(i / RADIX), digit = (uint)(i % RADIX);
        struct long_segment l;
        read_long(&l, &longs, number);
        global index_t *row = table + (ulong)l.first_block * RADIX + (ulong)digit * l.n_blocks;
        totals[i] = scan_row_alone(row, l.n_blocks);
    }
}

// Moves the keys of all long segments, and their values, to their places by this digit; stable.
KERNEL void scatter(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                    const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                    global value_t *values_out, const ulong values_out_offset, LONG_PARAMETERS, global const uint *map,
                    const ulong map_offset, global const index_t *table, const ulong table_offset,
                    global const index_t *totals, const ulong totals_offset, ORDER_PARAMETERS, const uint shift,
                    const uint digit_mask, const uint generate_index, const uint write_keys)
{
    struct longs longs;
    find_longs(&longs, LONG);
#if GROUP_SIZE == 1
    local index_t starts[RADIX];
    local index_t scratch[2];
#else
    LOCAL_TILE
#endif
    for (uint i = get_group_id(0); i < longs.n_blocks; i += get_num_groups(0)) {
        struct block block;
        read_block(&block, &longs, map + map_offset, i);
        const struct segment segment = block.of.segment;
        const struct arrays arrays = {keys_in + keys_in_offset,
                                      keys_out + keys_out_offset,
                                      values_in + values_in_offset,
                                      values_out + values_out_offset,
                                      generate_index,
                                      generate_index == IN_SEGMENT ? segment.begin : 0,
                                      write_keys};
        load_digit_starts(starts, scratch, table + table_offset + (ulong)block.of.first_block * RADIX,
                          totals + totals_offset + (ulong)block.number * RADIX, min(block.place, block.of.n_blocks),
                          block.of.n_blocks, segment.begin);
#if GROUP_SIZE == 1
        for (index_t from = block.begin; from < block.end; from++) {
            const key_t key = arrays.keys_in[from];
            const index_t to = starts[DIGIT(key)]++;
            if (write_keys) {
                arrays.keys_out[to] = key;
            }
#if VALUE_BYTES
            arrays.values_out[to] = ARRAY_VALUE(&arrays, from);
#endif
        }
#else
        for (index_t first = block.begin; first < block.end; first += TILE) {
            scatter_tile(&arrays, first, (uint)min((index_t)TILE, block.end - first), &tile, ORDER, shift, digit_mask);
        }
#endif
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
