// Rank sort of up to TILE keys in one launch: every work-group reads all keys and counts, for some of them, the keys that go
// before. Stable, and the same work whatever the keys are.
//
// Muller and Preparata, Bounds to complexities of networks for sorting and for switching, 1975, sort so.

// Keys whose places a work-group finds. Its work-items are as many slices, each of which counts in a part of all keys.
#if GROUP_SIZE < 32
#define SHARE GROUP_SIZE
#else
#define SHARE 32
#endif
#define SLICES (GROUP_SIZE / SHARE)

// Keys are read four at a time: all work-items of a slice read the same four.
#if KEY_BYTES == 1
typedef uchar4 keys4_t;
#elif KEY_BYTES == 2
typedef ushort4 keys4_t;
#elif KEY_BYTES == 4
typedef uint4 keys4_t;
#else
typedef ulong4 keys4_t;
#endif

static uint count_below(const keys4_t four, const key_t rank)
{
    return (four.x < rank) + (four.y < rank) + (four.z < rank) + (four.w < rank);
}

static uint count_up_to(const keys4_t four, const key_t rank)
{
    return (four.x <= rank) + (four.y <= rank) + (four.z <= rank) + (four.w <= rank);
}

// Keys before position own in the order of (rank, position), of those that the work-item's slice has.
static uint count_before(local const keys4_t *fours, const uint count, const key_t rank, const uint own)
{
    local const key_t *ranks = (local const key_t *)fours;
    const uint slice = get_local_id(0) / SHARE;
    const uint share_begin = get_group_id(0) * SHARE;
    // Fours that lie before the keys of this work-group as a whole, and the first that lies behind them.
    const uint n_before = share_begin / 4;
    const uint after = (share_begin + SHARE + 3) / 4;
    uint n = 0;
    for (uint i = slice; i < n_before; i += SLICES) {
        n += count_up_to(fours[i], rank);
    }
    for (uint i = after + slice; i < (count + 3) / 4; i += SLICES) {
        n += count_below(fours[i], rank);
    }
    for (uint slot = n_before * 4 + slice; slot < min(after * 4, count); slot += SLICES) {
        n += ranks[slot] < rank || (ranks[slot] == rank && slot < own);
    }
    return n;
}

// Compares (rank >> begin_bit) & rank_mask. Outputs may not be inputs.
KERNEL void sort(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                 const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                 global value_t *values_out, const ulong values_out_offset, const uint count, ORDER_PARAMETERS,
                 const uint begin_bit, const ulong rank_mask, const uint generate_index, const uint write_keys)
{
    local keys4_t fours[(TILE + 3) / 4];
    local uint places[SHARE];
    local key_t *ranks = (local key_t *)fours;
    const uint item = get_local_id(0);
    const uint own = get_group_id(0) * SHARE + item % SHARE;
    const bool moves = item < SHARE && own < count;
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < count) {
            ranks[slot] = key_rank(keys_in[slot], ORDER) >> begin_bit & (key_t)rank_mask;
        }
    }
    // The last four is filled up by keys that are below none.
    for (uint slot = count + item; slot < (count + 3) / 4 * 4; slot += GROUP_SIZE) {
        ranks[slot] = (key_t) ~(key_t)0;
    }
    key_t key;
#if VALUE_BYTES
    value_t value;
#endif
    if (moves) {
        places[item] = 0;
        key = keys_in[own];
#if VALUE_BYTES
        value = VALUE_AT(own);
#endif
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (own < count) {
        atomic_add(places + item % SHARE, count_before(fours, count, ranks[own], own));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (moves) {
        const uint place = places[item];
        if (write_keys) {
            keys_out[place] = key;
        }
#if VALUE_BYTES
        values_out[place] = value;
#endif
    }
}
