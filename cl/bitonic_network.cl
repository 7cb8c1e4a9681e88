// Batcher's network for slots of a work-group in local memory; stable, as ties go by position.
//
// Batcher, Sorting networks and their applications, 1968, in the form whose comparators all point the same way: each merge
// begins by comparing a block's first half with its mirrored second half. Comparators that reach past the last slot are left out,
// which is the same as padding with keys greater than all, so any count is right without a padding value.

// Puts slots low < high in order of (rank, position).
INLINE void compare_exchange(local key_t *ranks, local ushort *positions, const uint low, const uint high)
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

// Sorts runs of 1 << bits of n slots, of which the last may have fewer. It begins behind a barrier and ends with one.
INLINE void sort_runs(local key_t *ranks, local ushort *positions, const uint bits, const uint n)
{
    const uint item = get_local_id(0), n_pairs = (n + (1u << bits) - 1) >> bits << bits >> 1;
    for (uint half_bits = 0; half_bits < bits; half_bits++) {
        const uint half_block = 1u << half_bits;
        for (uint pair = item; pair < n_pairs; pair += GROUP_SIZE) {
            const uint low = ((pair & ~(half_block - 1)) << 1) | (pair & (half_block - 1));
            const uint high = low ^ (2 * half_block - 1);
            if (high < n) {
                compare_exchange(ranks, positions, low, high);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint stride = half_block / 2; stride > 0; stride >>= 1) {
            for (uint pair = item; pair < n_pairs; pair += GROUP_SIZE) {
                const uint low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));
                const uint high = low + stride;
                if (high < n) {
                    compare_exchange(ranks, positions, low, high);
                }
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
    }
}
