// Steps of a stable partition by a digit, for a work-group: counting the digits of a run of keys, and moving a tile of keys. The
// digit is bits of a key's rank from shift on, as many as digit_mask says.

#define DIGIT(key) ((uint)(key_rank((key), ORDER) >> shift) & digit_mask)

// Counts the digits of the keys from begin to end.
INLINE void count_digits(global const key_t *keys, const index_t begin, const index_t end, local uint *counts,
                         ORDER_PARAMETERS, const uint shift, const uint digit_mask)
{
    const uint item = get_local_id(0);
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
}

// Turns the counts of one digit in n_blocks blocks into an exclusive prefix sum, and returns their total.
INLINE index_t scan_row(global index_t *row, const uint n_blocks, local index_t *scratch)
{
    index_t before = 0;
    for (uint first = 0; first < n_blocks; first += GROUP_SIZE) {
        const uint block = first + get_local_id(0);
        index_t total;
        const index_t prefix = group_scan(block < n_blocks ? row[block] : 0, scratch, &total);
        if (block < n_blocks) {
            row[block] = before + prefix;
        }
        before += total;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    return before;
}

// The same by one work-item, of a short row.
INLINE index_t scan_row_alone(global index_t *row, const uint n_blocks)
{
    index_t before = 0;
    for (uint block = 0; block < n_blocks; block++) {
        const index_t n_keys = row[block];
        row[block] = before;
        before += n_keys;
    }
    return before;
}

// Where a block's first key of each digit goes, if the first one of all goes to position base.
INLINE void load_digit_starts(local index_t *starts, local index_t *scratch, global const index_t *table,
                              global const index_t *totals, const uint block, const uint n_blocks, const index_t base)
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
    index_t before = base + group_scan(sum, scratch, &total);
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
    uint generate_index; // the values are the positions of the keys less index_base, and values_in is not read
    index_t index_base;
    uint write_keys; // 0: only values are moved
};

// The value of the key at position i of the input.
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
#define ARRAY_VALUE(arrays, i)                                                                                         \
    ((arrays)->generate_index ? (value_t)(index_t)((i) - (arrays)->index_base) : (arrays)->values_in[i])
#else
#define ARRAY_VALUE(arrays, i) (arrays)->values_in[i]
#endif

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
INLINE void sort_tile(global const key_t *keys_in, const uint n_valid, const struct tile *tile, ORDER_PARAMETERS,
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
INLINE void begin_tile(const uint n_valid, const struct tile *tile, ORDER_PARAMETERS, const uint shift,
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

INLINE void end_tile(const struct tile *tile)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = get_local_id(0); digit < RADIX; digit += GROUP_SIZE) {
        tile->starts[digit] += tile->ends[digit];
        tile->ends[digit] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Moves the tile of n_valid keys at position first.
INLINE void scatter_tile(const struct arrays *arrays, const index_t first, const uint n_valid, const struct tile *tile,
                         ORDER_PARAMETERS, const uint shift, const uint digit_mask)
{
    sort_tile(arrays->keys_in + first, n_valid, tile, ORDER, shift, digit_mask);
    begin_tile(n_valid, tile, ORDER, shift, digit_mask);
    for (uint slot = get_local_id(0); slot < n_valid; slot += GROUP_SIZE) {
        const key_t key = tile->keys[SLOT(slot)];
        const index_t to = tile->starts[DIGIT(key)] + slot;
        if (arrays->write_keys) {
            arrays->keys_out[to] = key;
        }
#if VALUE_BYTES
        arrays->values_out[to] = ARRAY_VALUE(arrays, first + tile->sources[SLOT(slot)]);
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
