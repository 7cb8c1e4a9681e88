// Bitonic sort of up to TILE keys by one work-group in local memory, in one launch; stable, as ties go by position.
//
// Batcher, Sorting networks and their applications, 1968, in the form whose comparators all point the same way: each merge
// begins by comparing a block's first half with its mirrored second half. Comparators that reach past count are left out,
// which is the same as padding with keys greater than all, so any count is right without a padding value.

// Puts slots low < high in order of (rank, position).
static void compare_exchange(local key_t *ranks, local ushort *positions, const uint low, const uint high)
{
    const key_t rank_low = ranks[low], rank_high = ranks[high];
    const ushort position_low = positions[low], position_high = positions[high];
    if (rank_high < rank_low || (rank_high == rank_low && position_high < position_low)) {
        ranks[low] = rank_high;
        ranks[high] = rank_low;
        positions[low] = position_high;
        positions[high] = position_low;
    }
}

// Everything is read before anything is written, so that input and output may be the same.
// Compares (rank >> begin_bit) & rank_mask. padded: the power of two at or above count.
KERNEL void sort(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                 const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                 global value_t *values_out, const ulong values_out_offset, const uint count, const uint padded,
                 ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask, const uint generate_index,
                 const uint write_keys)
{
    local key_t ranks[TILE];
    local ushort positions[TILE];
    const uint item = get_local_id(0);
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    for (uint slot = item; slot < count; slot += GROUP_SIZE) {
        ranks[slot] = key_rank(keys_in[slot], ORDER) >> begin_bit & (key_t)rank_mask;
        positions[slot] = slot;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint half_block = 1; half_block < padded; half_block <<= 1) {
        for (uint pair = item; pair < padded / 2; pair += GROUP_SIZE) {
            const uint low = ((pair & ~(half_block - 1)) << 1) | (pair & (half_block - 1));
            const uint high = low ^ (2 * half_block - 1);
            if (high < count) {
                compare_exchange(ranks, positions, low, high);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint stride = half_block / 2; stride > 0; stride >>= 1) {
            for (uint pair = item; pair < padded / 2; pair += GROUP_SIZE) {
                const uint low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));
                const uint high = low + stride;
                if (high < count) {
                    compare_exchange(ranks, positions, low, high);
                }
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
    }
    key_t keys[ITEMS];
#if VALUE_BYTES
    value_t values[ITEMS];
#endif
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < count) {
            keys[i] = keys_in[positions[slot]];
#if VALUE_BYTES
            values[i] = VALUE_AT(positions[slot]);
#endif
        }
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < count && write_keys) {
            keys_out[slot] = keys[i];
        }
#if VALUE_BYTES
        if (slot < count) {
            values_out[slot] = values[i];
        }
#endif
    }
}
