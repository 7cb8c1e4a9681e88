// Bitonic sort of up to TILE keys by one work-group in local memory, in one launch: one run of the network.

// Everything is read before anything is written, so that input and output may be the same.
// Compares (rank >> begin_bit) & rank_mask. 1 << bits is count or above.
KERNEL void sort(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                 const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                 global value_t *values_out, const ulong values_out_offset, const uint count, const uint bits,
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
    sort_runs(ranks, positions, bits, count);
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
