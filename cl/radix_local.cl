// Radix sort of up to TILE keys by one work-group in local memory, in one launch; stable.

#define DIGIT(key, bit, bits) ((uint)(key_rank((key), ORDER) >> (bit)) & ((1u << (bits)) - 1))

#if GROUP_SIZE == 1
// One work-item: LSD with RADIX counters between two local copies.
static void sort_tile(local key_t *from, local ushort *from_sources, local key_t *to, local ushort *to_sources,
                      local uint *counters, const uint count, ORDER_PARAMETERS, const uint begin_bit,
                      const uint end_bit)
{
    for (uint bit = begin_bit; bit < end_bit; bit += RADIX_BITS) {
        const uint bits = min((uint)RADIX_BITS, end_bit - bit);
        for (uint digit = 0; digit < RADIX; digit++) {
            counters[digit] = 0;
        }
        for (uint i = 0; i < count; i++) {
            counters[DIGIT(from[i], bit, bits)]++;
        }
        uint before = 0;
        for (uint digit = 0; digit < RADIX; digit++) {
            const uint n = counters[digit];
            counters[digit] = before;
            before += n;
        }
        for (uint i = 0; i < count; i++) {
            const uint at = counters[DIGIT(from[i], bit, bits)]++;
            to[at] = from[i];
            to_sources[at] = from_sources[i];
        }
        for (uint i = 0; i < count; i++) {
            from[i] = to[i];
            from_sources[i] = to_sources[i];
        }
    }
}
#else
// Slots from count on hold no key: they are given the largest digit and stay behind all keys, as the rank is stable.
static void sort_tile(local key_t *tile_keys, local ushort *tile_sources, local uint *counters, local index_t *scratch,
                      const uint count, ORDER_PARAMETERS, const uint begin_bit, const uint end_bit)
{
    const uint item = get_local_id(0);
    for (uint bit = begin_bit; bit < end_bit; bit += RANK_BITS) {
        const uint bits = min((uint)RANK_BITS, end_bit - bit);
        uint ranks[ITEMS];
        key_t keys[ITEMS];
        ushort sources[ITEMS];
        rank_begin(counters);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = item * ITEMS + i;
            const uint digit = slot < count ? DIGIT(tile_keys[OWN_SLOT(item, i)], bit, bits) : RANK_DIGITS - 1;
            ranks[i] = rank_count(counters, digit);
        }
        rank_scan(counters, scratch);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            const uint slot = item * ITEMS + i;
            keys[i] = slot < count ? tile_keys[OWN_SLOT(item, i)] : 0;
            sources[i] = slot < count ? tile_sources[OWN_SLOT(item, i)] : 0;
            ranks[i] += rank_start(counters, slot < count ? DIGIT(keys[i], bit, bits) : RANK_DIGITS - 1);
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            tile_keys[SLOT(ranks[i])] = keys[i];
            tile_sources[SLOT(ranks[i])] = sources[i];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// Everything is read before anything is written, so that input and output may be the same.
KERNEL void sort(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                 const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                 global value_t *values_out, const ulong values_out_offset, const uint count, ORDER_PARAMETERS,
                 const uint begin_bit, const uint end_bit, const uint generate_index, const uint write_keys)
{
    local key_t tile_keys[TILE_SLOTS];
    local ushort tile_sources[TILE_SLOTS];
    const uint item = get_local_id(0);
    keys_in += keys_in_offset;
    keys_out += keys_out_offset;
    values_in += values_in_offset;
    values_out += values_out_offset;
    for (uint slot = item; slot < count; slot += GROUP_SIZE) {
        tile_keys[SLOT(slot)] = keys_in[slot];
        tile_sources[SLOT(slot)] = slot;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GROUP_SIZE == 1
    local key_t other_keys[TILE_SLOTS];
    local ushort other_sources[TILE_SLOTS];
    local uint counters[RADIX];
    sort_tile(tile_keys, tile_sources, other_keys, other_sources, counters, count, ORDER, begin_bit, end_bit);
#else
    local uint counters[N_COUNTERS];
    local index_t scratch[2 * GROUP_SIZE];
    sort_tile(tile_keys, tile_sources, counters, scratch, count, ORDER, begin_bit, end_bit);
#endif
#if VALUE_BYTES
    value_t values[ITEMS];
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < count) {
            values[i] = VALUE_AT(tile_sources[SLOT(slot)]);
        }
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < count) {
            values_out[slot] = values[i];
        }
    }
#endif
    if (write_keys) {
        for (uint slot = item; slot < count; slot += GROUP_SIZE) {
            keys_out[slot] = tile_keys[SLOT(slot)];
        }
    }
}
