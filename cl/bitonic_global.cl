// Bitonic sort in global memory, in place, any count: the way that needs no workspace.
//
// The network is that of bitonic_network.cl. What is sorted is one of: keys; keys with values of value_units units (VALUE_BYTES is
// the unit, so any size can be moved); and either with indices, which break ties; or, if indirect, indices alone, by the
// keys they point at.

struct elements {
    global key_t *keys;
    global value_t *values;
    global index_t *indices;
    uint value_units;
    uint has_indices;
    uint indirect;
};

static void compare_exchange(const struct elements *e, const index_t low, const index_t high, ORDER_PARAMETERS,
                             const uint begin_bit, const ulong rank_mask)
{
    const index_t index_low = e->has_indices ? e->indices[low] : 0;
    const index_t index_high = e->has_indices ? e->indices[high] : 0;
    const key_t key_low = e->keys[e->indirect ? index_low : low];
    const key_t key_high = e->keys[e->indirect ? index_high : high];
    const key_t rank_low = key_rank(key_low, ORDER) >> begin_bit & (key_t)rank_mask;
    const key_t rank_high = key_rank(key_high, ORDER) >> begin_bit & (key_t)rank_mask;
    if (rank_high > rank_low || (rank_high == rank_low && index_high >= index_low)) {
        return;
    }
    if (e->has_indices) {
        e->indices[low] = index_high;
        e->indices[high] = index_low;
    }
    if (!e->indirect) {
        e->keys[low] = key_high;
        e->keys[high] = key_low;
    }
#if VALUE_BYTES
    for (uint unit = 0; unit < e->value_units; unit++) {
        const value_t value = e->values[(ulong)low * e->value_units + unit];
        e->values[(ulong)low * e->value_units + unit] = e->values[(ulong)high * e->value_units + unit];
        e->values[(ulong)high * e->value_units + unit] = value;
    }
#endif
}

// One step of the network for pairs first <= pair < last, taken by step. flip: the pairs mirror a block of 2 * stride.
static void do_step(const struct elements *e, const index_t first, const index_t last, const index_t step,
                    const index_t count, const index_t stride, const uint flip, ORDER_PARAMETERS, const uint begin_bit,
                    const ulong rank_mask)
{
    for (index_t pair = first; pair < last; pair += step) {
        const index_t low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));
        const index_t high = flip ? low ^ (2 * stride - 1) : low + stride;
        if (high < count) {
            compare_exchange(e, low, high, ORDER, begin_bit, rank_mask);
        }
    }
}

#define ELEMENT_PARAMETERS                                                                                             \
    global key_t *keys, const ulong keys_offset, global value_t *values, const ulong values_offset,                    \
        global index_t *indices, const ulong indices_offset, const index_t count, const uint value_units,              \
        const uint has_indices, const uint indirect
#define ELEMENTS                                                                                                       \
    {                                                                                                                  \
        keys + keys_offset, values + values_offset, indices + indices_offset, value_units, has_indices, indirect       \
    }

// One step over all n_pairs pairs.
KERNEL void merge_step(ELEMENT_PARAMETERS, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask,
                       const index_t n_pairs, const index_t stride, const uint flip)
{
    const struct elements e = ELEMENTS;
    do_step(&e, get_global_id(0), n_pairs, get_global_size(0), count, stride, flip, ORDER, begin_bit, rank_mask);
}

// The steps that stay inside a block of 2 * TILE elements: all of its merges if from_start, else the last steps of one.
KERNEL void merge_block(ELEMENT_PARAMETERS, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask,
                        const index_t n_blocks, const uint from_start)
{
    const struct elements e = ELEMENTS;
    for (index_t n = get_group_id(0); n < n_blocks; n += get_num_groups(0)) {
        const index_t first = n * TILE + get_local_id(0);
        const index_t last = (n + 1) * TILE;
        for (index_t half_block = from_start ? 1 : TILE; half_block <= TILE; half_block <<= 1) {
            for (index_t stride = half_block; stride > 0; stride >>= 1) {
                // The first step of a merge mirrors; it was done by merge_step where the merge began outside.
                const uint flip = from_start && stride == half_block;
                do_step(&e, first, last, GROUP_SIZE, count, stride, flip, ORDER, begin_bit, rank_mask);
                GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
            }
        }
    }
}
