// Portable LSD radix sort over the whole device: histogram, scan, scatter for each digit. No work-group waits for another.
//
// Merrill and Grimshaw, High performance and scalable radix sorting, 2011: a block of consecutive tiles a work-group, so
// that the table of counts is small: table[digit * n_blocks + block].

// Where a block begins. The last one takes what is left of whole tiles, if there is anything.
static index_t block_begin(const uint block, const uint n_blocks, const index_t block_items, const index_t count)
{
    const index_t whole = count - count % TILE;
    if (block == n_blocks) {
        return count;
    }
    return block + 1 == n_blocks && whole < count ? whole : min(block * block_items, whole);
}

// Counts the digits of each block.
KERNEL void histogram(global const key_t *keys, const ulong keys_offset, global index_t *table,
                      const ulong table_offset, const index_t count, const index_t block_items, const uint n_blocks,
                      ORDER_PARAMETERS, const uint shift, const uint digit_mask)
{
    local uint counts[RADIX];
    const uint block = get_group_id(0);
    const index_t begin = block_begin(block, n_blocks, block_items, count);
    const index_t end = block_begin(block + 1, n_blocks, block_items, count);
    table += table_offset;
    count_digits(keys + keys_offset, begin, end, counts, ORDER, shift, digit_mask);
    for (uint digit = get_local_id(0); digit < RADIX; digit += GROUP_SIZE) {
        table[(index_t)digit * n_blocks + block] = counts[digit];
    }
}

// Turns the counts of one digit, one row of the table, into an exclusive prefix sum; its total goes to totals[digit].
KERNEL void scan(global index_t *table, const ulong table_offset, global index_t *totals, const ulong totals_offset,
                 const uint n_blocks)
{
    local index_t scratch[2 * GROUP_SIZE];
    const uint digit = get_group_id(0);
    const index_t total = scan_row(table + table_offset + (index_t)digit * n_blocks, n_blocks, scratch);
    if (get_local_id(0) == 0) {
        totals[totals_offset + digit] = total;
    }
}

#define SCATTER_PARAMETERS                                                                                             \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, global const index_t *table, const ulong table_offset,                          \
        global const index_t *totals, const ulong totals_offset, const index_t count, const index_t block_items,       \
        const uint n_blocks, ORDER_PARAMETERS, const uint shift, const uint digit_mask, const uint generate_index,     \
        const uint write_keys
#define ARRAYS                                                                                                         \
    {                                                                                                                  \
        keys_in + keys_in_offset, keys_out + keys_out_offset, values_in + values_in_offset,                            \
            values_out + values_out_offset, generate_index, 0, write_keys                                              \
    }

// Moves the keys of a block, and their values, to their places by this digit; stable. Blocks of whole tiles: that every slot is
// valid halves the registers, so the rest has a kernel of its own.
KERNEL void scatter(SCATTER_PARAMETERS)
{
    const struct arrays arrays = ARRAYS;
    const uint block = get_group_id(0);
    const index_t begin = block_begin(block, n_blocks, block_items, count);
    const index_t end = block_begin(block + 1, n_blocks, block_items, count);
#if GROUP_SIZE == 1
    local index_t starts[RADIX];
    local index_t scratch[2];
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, block, n_blocks, 0);
    for (index_t i = begin; i < end; i++) {
        const key_t key = arrays.keys_in[i];
        const index_t to = starts[DIGIT(key)]++;
        if (write_keys) {
            arrays.keys_out[to] = key;
        }
#if VALUE_BYTES
        arrays.values_out[to] = ARRAY_VALUE(&arrays, i);
#endif
    }
#else
    LOCAL_TILE
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, block, n_blocks, 0);
    for (index_t first = begin; first + TILE <= end; first += TILE) {
        scatter_tile(&arrays, first, TILE, &tile, ORDER, shift, digit_mask);
    }
#endif
}

#if GROUP_SIZE > 1
// The same for the last block where that is a part of a tile.
KERNEL void scatter_rest(SCATTER_PARAMETERS)
{
    const struct arrays arrays = ARRAYS;
    const index_t begin = block_begin(n_blocks - 1, n_blocks, block_items, count);
    LOCAL_TILE
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, n_blocks - 1, n_blocks, 0);
    scatter_tile(&arrays, begin, (uint)(count - begin), &tile, ORDER, shift, digit_mask);
}
#endif
