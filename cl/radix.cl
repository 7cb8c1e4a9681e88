// Portable LSD radix sort over the whole device: histogram, scan, scatter for each digit. No work-group waits for another.
//
// Merrill and Grimshaw, High performance and scalable radix sorting, 2011: a block of consecutive tiles a work-group, so
// that the table of counts is small: table[digit * n_blocks + block].

#define DIGIT(key) ((uint)(key_rank((key), ORDER) >> shift) & digit_mask)

// Counts the digits of each block.
KERNEL void histogram(global const key_t *keys, const ulong keys_offset, global index_t *table, const ulong table_offset,
                      const index_t count, const index_t block_items, ORDER_PARAMETERS, const uint shift,
                      const uint digit_mask)
{
    local uint counts[RADIX];
    const uint item = get_local_id(0);
    const uint block = get_group_id(0);
    const index_t begin = min((index_t)block * block_items, count);
    const index_t end = min(begin + block_items, count);
    keys += keys_offset;
    table += table_offset;
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        counts[digit] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
#if GROUP_SIZE == 1
    for (index_t i = begin; i < end; i++) {
        counts[DIGIT(keys[i])]++;
    }
#else
    index_t tile = begin;
    for (; tile + TILE <= end; tile += TILE) {
        key_t key[ITEMS];
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            key[i] = keys[tile + i * GROUP_SIZE + item];
        }
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            atomic_inc(&counts[DIGIT(key[i])]);
        }
    }
    for (index_t i = tile + item; i < end; i += GROUP_SIZE) {
        atomic_inc(&counts[DIGIT(keys[i])]);
    }
#endif
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        table[(index_t)digit * get_num_groups(0) + block] = counts[digit];
    }
}

// Turns the counts of one digit, one row of the table, into an exclusive prefix sum; its total goes to totals[digit].
KERNEL void scan(global index_t *table, const ulong table_offset, global index_t *totals, const ulong totals_offset,
                 const uint n_blocks)
{
    local index_t scratch[2 * GROUP_SIZE];
    const uint digit = get_group_id(0);
    table += table_offset + (index_t)digit * n_blocks;
    index_t before = 0;
    for (uint first = 0; first < n_blocks; first += GROUP_SIZE) {
        const uint block = first + get_local_id(0);
        index_t total;
        const index_t prefix = group_scan(block < n_blocks ? table[block] : 0, scratch, &total);
        if (block < n_blocks) {
            table[block] = before + prefix;
        }
        before += total;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0) {
        totals[totals_offset + digit] = before;
    }
}

// Where the block's first key of each digit goes.
static void load_digit_starts(local index_t *starts, local index_t *scratch, global const index_t *table,
                              global const index_t *totals)
{
    const uint item = get_local_id(0);
    const uint n_own = (RADIX + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min(item * n_own, (uint)RADIX);
    const uint last = min(first + n_own, (uint)RADIX);
    index_t sum = 0;
    for (uint digit = first; digit < last; digit++) {
        sum += totals[digit];
    }
    index_t total;
    index_t before = group_scan(sum, scratch, &total);
    for (uint digit = first; digit < last; digit++) {
        starts[digit] = before + table[(index_t)digit * get_num_groups(0) + get_group_id(0)];
        before += totals[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Where keys and values come from and go to.
struct arrays {
    global const key_t *keys_in;
    global key_t *keys_out;
    global const value_t *values_in;
    global value_t *values_out;
    uint generate_index; // the values are the positions of the keys, and values_in is not read
    uint write_keys;     // 0: only values are moved
};

#if GROUP_SIZE > 1
#define STEP_DIGIT(key) (DIGIT(key) >> bit & (STEP_DIGITS - 1))
#if PTX
#define OWN_KEY(i) (tile_in + KEY_SLOT(item, 0))[(i) * WARP]
#else
#define OWN_KEY(i) tile_keys[OWN_SLOT(item, i)]
#endif

// Sorts a tile of n_valid keys by the digit into local memory, STEP_BITS at a time. Slots from n_valid on hold no key: they are
// given the largest digit and stay behind all keys, as the rank is stable.
static void sort_tile(global const key_t *tile_in, const uint n_valid, local key_t *tile_keys, local ushort *tile_sources,
                      local uint *counters, local index_t *scratch, ORDER_PARAMETERS, const uint shift,
                      const uint digit_mask)
{
    const uint item = get_local_id(0);
#if !PTX
    // In rows over the work-group, so that reads are coalesced; each work-item takes its own from local memory.
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n_valid) {
            tile_keys[ROW_SLOT(item, i)] = (tile_in + item)[i * GROUP_SIZE];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint bit = 0; bit < RADIX_BITS; bit += STEP_BITS) {
        // Keys are read twice, as registers that hold them while digits are counted cost more.
        uint ranks[ITEMS];
        key_t keys[ITEMS];
#if VALUE_BYTES
        ushort sources[ITEMS];
#endif
        rank_begin(counters);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            const uint is_valid = KEY_SLOT(item, i) < n_valid;
            ranks[i] = rank_count(counters, is_valid ? STEP_DIGIT(OWN_KEY(i)) : STEP_DIGITS - 1);
        }
        rank_scan(counters, scratch);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            const uint is_valid = KEY_SLOT(item, i) < n_valid;
            keys[i] = is_valid ? OWN_KEY(i) : 0;
            ranks[i] += rank_start(counters, is_valid ? STEP_DIGIT(keys[i]) : STEP_DIGITS - 1);
#if VALUE_BYTES
            sources[i] = bit == 0 || !is_valid ? KEY_SLOT(item, i) : tile_sources[SLOT(KEY_SLOT(item, i))];
#endif
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            tile_keys[SLOT(ranks[i])] = keys[i];
#if VALUE_BYTES
            tile_sources[SLOT(ranks[i])] = sources[i];
#endif
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Writes a sorted tile. starts[digit] is where the digit's next key goes, before and after.
static void write_tile(const struct arrays *arrays, const index_t tile, const uint n_valid, local const key_t *tile_keys,
                       local const ushort *tile_sources, local index_t *starts, ORDER_PARAMETERS, const uint shift,
                       const uint digit_mask)
{
    const uint item = get_local_id(0);
    const uint generate_index = arrays->generate_index;
    global const value_t *values_in = arrays->values_in;
    // Slots of one digit lie side by side: for now, starts[digit] + slot is where a slot goes.
    for (uint slot = item; slot < n_valid; slot += GROUP_SIZE) {
        const uint digit = DIGIT(tile_keys[SLOT(slot)]);
        if (slot == 0 || DIGIT(tile_keys[SLOT(slot - 1)]) != digit) {
            starts[digit] -= slot;
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item; slot < n_valid; slot += GROUP_SIZE) {
        const key_t key = tile_keys[SLOT(slot)];
        const index_t to = starts[DIGIT(key)] + slot;
        if (arrays->write_keys) {
            arrays->keys_out[to] = key;
        }
#if VALUE_BYTES
        arrays->values_out[to] = VALUE_AT(tile + tile_sources[SLOT(slot)]);
#endif
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item; slot < n_valid; slot += GROUP_SIZE) {
        const uint digit = DIGIT(tile_keys[SLOT(slot)]);
        if (slot == n_valid - 1 || DIGIT(tile_keys[SLOT(slot + 1)]) != digit) {
            starts[digit] += slot + 1;
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#endif

// Moves the keys of each block, and their values, to their places by this digit; stable.
KERNEL void scatter(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                    const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                    global value_t *values_out, const ulong values_out_offset, global const index_t *table,
                    const ulong table_offset, global const index_t *totals, const ulong totals_offset,
                    const index_t count, const index_t block_items, ORDER_PARAMETERS, const uint shift,
                    const uint digit_mask, const uint generate_index, const uint write_keys)
{
    local index_t starts[RADIX];
    local index_t scratch[2 * GROUP_SIZE];
    const index_t begin = min((index_t)get_group_id(0) * block_items, count);
    const index_t end = min(begin + block_items, count);
    const struct arrays arrays = {keys_in + keys_in_offset,   keys_out + keys_out_offset,     values_in + values_in_offset,
                                  values_out + values_out_offset, generate_index, write_keys};
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset);
#if GROUP_SIZE == 1
    for (index_t i = begin; i < end; i++) {
        const key_t key = arrays.keys_in[i];
        const index_t to = starts[DIGIT(key)]++;
        if (write_keys) {
            arrays.keys_out[to] = key;
        }
#if VALUE_BYTES
        values_in = arrays.values_in;
        arrays.values_out[to] = VALUE_AT(i);
#endif
    }
#else
    local key_t tile_keys[TILE_SLOTS];
    local uint counters[N_COUNTERS];
#if VALUE_BYTES
    local ushort tile_sources[TILE_SLOTS];
#else
    local ushort *tile_sources = 0;
#endif
    index_t tile = begin;
    // Whole tiles apart, as then the compiler knows that every slot is valid.
    for (; tile + TILE <= end; tile += TILE) {
        sort_tile(arrays.keys_in + tile, TILE, tile_keys, tile_sources, counters, scratch, ORDER, shift, digit_mask);
        write_tile(&arrays, tile, TILE, tile_keys, tile_sources, starts, ORDER, shift, digit_mask);
    }
    for (; tile < end; tile += TILE) {
        const uint n_valid = end - tile;
        sort_tile(arrays.keys_in + tile, n_valid, tile_keys, tile_sources, counters, scratch, ORDER, shift, digit_mask);
        write_tile(&arrays, tile, n_valid, tile_keys, tile_sources, starts, ORDER, shift, digit_mask);
    }
#endif
}
