// Portable LSD radix sort over the whole device: histogram, scan, scatter for each digit. No work-group waits for another.
//
// Merrill and Grimshaw, High performance and scalable radix sorting, 2011: a block of consecutive tiles a work-group, so
// that the table of counts is small: table[digit * n_blocks + block].

#define DIGIT(key) ((uint)(key_rank((key), ORDER) >> shift) & digit_mask)

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
    const uint item = get_local_id(0);
    const uint block = get_group_id(0);
    const index_t begin = block_begin(block, n_blocks, block_items, count);
    const index_t end = block_begin(block + 1, n_blocks, block_items, count);
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
        table[(index_t)digit * n_blocks + block] = counts[digit];
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

// Where a block's first key of each digit goes.
static void load_digit_starts(local index_t *starts, local index_t *scratch, global const index_t *table,
                              global const index_t *totals, const uint block, const uint n_blocks)
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
        starts[digit] = before + table[(index_t)digit * n_blocks + block];
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

// What a work-group has in local memory.
struct tile {
    local key_t *keys;
    local ushort *sources; // positions in the tile before it was sorted
    local uint *counters;
    local index_t *scratch;
    local index_t *starts; // where the next key of each digit goes
    local uint *ends;      // 0 between tiles
};

#if GROUP_SIZE > 1
// Sorts n_valid keys by the digit into local memory, RANK_BITS at a time. Slots from n_valid on hold no key: they are given the
// largest digit and stay behind all keys, as the rank is stable.
static void sort_tile(global const key_t *keys_in, const uint n_valid, const struct tile *tile, ORDER_PARAMETERS,
                      const uint shift, const uint digit_mask)
{
    const uint item = get_local_id(0);
    const uint n_own = n_valid == TILE ? ITEMS : min(n_valid - min(n_valid, item * ITEMS), (uint)ITEMS);
    // In rows over the work-group, so that reads are coalesced; each work-item takes its own from local memory.
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n_valid) {
            tile->keys[ROW_SLOT(item, i)] = (keys_in + item)[i * GROUP_SIZE];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint bit = 0; bit < RADIX_BITS; bit += RANK_BITS) {
        // Keys are read twice, as registers that hold them while digits are counted cost more.
        uint ranks[ITEMS];
        key_t keys[ITEMS];
#if VALUE_BYTES
        ushort sources[ITEMS];
#endif
        rank_begin(tile->counters);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            const key_t key = i < n_own ? tile->keys[OWN_SLOT(item, i)] : 0;
            const uint digit = DIGIT(key) >> bit & (RANK_DIGITS - 1);
            ranks[i] = rank_count(tile->counters, i < n_own ? digit : RANK_DIGITS - 1);
        }
        rank_scan(tile->counters, tile->scratch);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            keys[i] = i < n_own ? tile->keys[OWN_SLOT(item, i)] : 0;
            const uint digit = DIGIT(keys[i]) >> bit & (RANK_DIGITS - 1);
            ranks[i] += rank_start(tile->counters, i < n_own ? digit : RANK_DIGITS - 1);
#if VALUE_BYTES
            sources[i] = bit == 0 ? item * ITEMS + i : tile->sources[OWN_SLOT(item, i)];
#endif
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            tile->keys[SLOT(ranks[i])] = keys[i];
#if VALUE_BYTES
            tile->sources[SLOT(ranks[i])] = sources[i];
#endif
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// From here to end_tile, starts[digit] + slot is where a slot goes: those of one digit lie side by side.
static void begin_tile(const uint n_valid, const struct tile *tile, ORDER_PARAMETERS, const uint shift,
                       const uint digit_mask)
{
    const uint first = get_local_id(0) * ITEMS;
    uint before = first == 0 || first >= n_valid ? RADIX : DIGIT(tile->keys[SLOT(first - 1)]);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = first + i;
        if (slot < n_valid) {
            const uint digit = DIGIT(tile->keys[OWN_SLOT(get_local_id(0), i)]);
            if (digit != before) {
                tile->starts[digit] -= slot;
            }
            if (digit != before && slot > 0) {
                tile->ends[before] = slot;
            }
            if (slot + 1 == n_valid) {
                tile->ends[digit] = n_valid;
            }
            before = digit;
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

static void end_tile(const struct tile *tile)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = get_local_id(0); digit < RADIX; digit += GROUP_SIZE) {
        tile->starts[digit] += tile->ends[digit];
        tile->ends[digit] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Moves the tile of n_valid keys at position first.
static void scatter_tile(const struct arrays *arrays, const index_t first, const uint n_valid, const struct tile *tile,
                         ORDER_PARAMETERS, const uint shift, const uint digit_mask)
{
    const uint generate_index = arrays->generate_index;
    global const value_t *values_in = arrays->values_in;
    sort_tile(arrays->keys_in + first, n_valid, tile, ORDER, shift, digit_mask);
    begin_tile(n_valid, tile, ORDER, shift, digit_mask);
    for (uint slot = get_local_id(0); slot < n_valid; slot += GROUP_SIZE) {
        const key_t key = tile->keys[SLOT(slot)];
        const index_t to = tile->starts[DIGIT(key)] + slot;
        if (arrays->write_keys) {
            arrays->keys_out[to] = key;
        }
#if VALUE_BYTES
        arrays->values_out[to] = VALUE_AT(first + tile->sources[SLOT(slot)]);
#endif
    }
    end_tile(tile);
}

#define LOCAL_TILE                                                                                                     \
    local key_t tile_keys[TILE_SLOTS];                                                                                 \
    local ushort tile_sources[VALUE_BYTES ? TILE_SLOTS : 1];                                                           \
    local uint counters[N_COUNTERS];                                                                                   \
    local index_t scratch[2 * GROUP_SIZE];                                                                             \
    local index_t starts[RADIX];                                                                                       \
    local uint ends[RADIX];                                                                                            \
    const struct tile tile = {tile_keys, tile_sources, counters, scratch, starts, ends};                               \
    for (uint digit = get_local_id(0); digit < RADIX; digit += GROUP_SIZE) {                                           \
        ends[digit] = 0;                                                                                               \
    }
#endif

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
            values_out + values_out_offset, generate_index, write_keys                                                 \
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
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, block, n_blocks);
    values_in += values_in_offset;
    for (index_t i = begin; i < end; i++) {
        const key_t key = arrays.keys_in[i];
        const index_t to = starts[DIGIT(key)]++;
        if (write_keys) {
            arrays.keys_out[to] = key;
        }
#if VALUE_BYTES
        arrays.values_out[to] = VALUE_AT(i);
#endif
    }
#else
    LOCAL_TILE
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, block, n_blocks);
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
    load_digit_starts(starts, scratch, table + table_offset, totals + totals_offset, n_blocks - 1, n_blocks);
    scatter_tile(&arrays, begin, (uint)(count - begin), &tile, ORDER, shift, digit_mask);
}
#endif
