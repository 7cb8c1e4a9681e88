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
        for (uint i = 0; i < ITEMS; i++) {
            key[i] = keys[tile + i * GROUP_SIZE + item];
        }
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

// Moves the keys of each block, and their values, to their places by this digit; stable.
// generate_index: the values are the positions of the keys and values_in is not read. write_keys 0: only values are moved.
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
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset);
#if GROUP_SIZE == 1
    for (index_t i = begin; i < end; i++) {
        const key_t key = keys_in[i];
        const index_t to = starts[DIGIT(key)]++;
        if (write_keys) {
            keys_out[to] = key;
        }
#if VALUE_BYTES
        values_out[to] = VALUE_AT(i);
#endif
    }
#else
    local key_t tile_keys[TILE_SLOTS];
    local uint counters[N_COUNTERS];
#if VALUE_BYTES
    local ushort tile_sources[TILE_SLOTS];
#endif
    const uint item = get_local_id(0);
    for (index_t tile = begin; tile < end; tile += TILE) {
        const uint n_valid = (uint)min((index_t)TILE, end - tile);
        key_t keys[ITEMS];
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = i * GROUP_SIZE + item;
            if (slot < n_valid) {
                tile_keys[SLOT(slot)] = keys_in[tile + slot];
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
#if VALUE_BYTES
        ushort sources[ITEMS];
#endif
        // Sorts the tile by the digit, RANK_BITS at a time. Slots from n_valid on hold no key: they are given the largest
        // digit and stay behind all keys, as the rank is stable.
        for (uint bit = 0; bit < RADIX_BITS; bit += RANK_BITS) {
            uint digits[ITEMS], ranks[ITEMS];
            for (uint i = 0; i < ITEMS; i++) {
                const uint slot = item * ITEMS + i;
                keys[i] = slot < n_valid ? tile_keys[SLOT(slot)] : 0;
                digits[i] = slot < n_valid ? DIGIT(keys[i]) >> bit & (RANK_DIGITS - 1) : RANK_DIGITS - 1;
#if VALUE_BYTES
                sources[i] = bit == 0 || slot >= n_valid ? slot : tile_sources[SLOT(slot)];
#endif
            }
            group_rank(digits, ranks, counters, scratch);
            for (uint i = 0; i < ITEMS; i++) {
                tile_keys[SLOT(ranks[i])] = keys[i];
#if VALUE_BYTES
                tile_sources[SLOT(ranks[i])] = sources[i];
#endif
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
        // Slots of one digit lie side by side: from its first slot on, starts[digit] + slot is where a slot goes.
        uint digits[ITEMS];
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = i * GROUP_SIZE + item;
            keys[i] = slot < n_valid ? tile_keys[SLOT(slot)] : 0;
            digits[i] = DIGIT(keys[i]);
            if (slot < n_valid && (slot == 0 || DIGIT(tile_keys[SLOT(slot - 1)]) != digits[i])) {
                starts[digits[i]] -= slot;
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = i * GROUP_SIZE + item;
            if (slot < n_valid) {
                const index_t to = starts[digits[i]] + slot;
                if (write_keys) {
                    keys_out[to] = keys[i];
                }
#if VALUE_BYTES
                values_out[to] = VALUE_AT(tile + tile_sources[SLOT(slot)]);
#endif
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = i * GROUP_SIZE + item;
            if (slot < n_valid && (slot == n_valid - 1 || DIGIT(tile_keys[SLOT(slot + 1)]) != digits[i])) {
                starts[digits[i]] += slot + 1;
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
#endif
}
