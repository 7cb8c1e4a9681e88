// Tiles of keys alone, of the hybrid radix sort: counted and moved by one digit through local memory.

#define NO_DIGIT 0xffffffffu
#define NO_ROOM 0x80000000u // of a start: no start is that large, as counts are below 2^30

// A tile in local memory. Each work-item has a count of its own behind those of the digits: elements of a digit that most of the
// tile has are counted there, since atomics of many work-items on one address take turns.
struct tile {
    local rank_t *slots;
    local uint *counts; // RADIX + GROUP_SIZE
    local uint *starts; // RADIX: starts[digit] + slot is where a slot goes
    local index_t *scratch;
    local uint *heavy; // the digit that has a count for each work-item, or NO_DIGIT
};

#define LOCAL_TILE                                                                                                     \
    local rank_t tile_slots[TILE];                                                                                     \
    local uint tile_counts[RADIX + GROUP_SIZE];                                                                        \
    local uint tile_starts[RADIX];                                                                                     \
    local index_t tile_scratch[2 * GROUP_SIZE];                                                                        \
    local uint tile_heavy;                                                                                             \
    const struct tile tile = {tile_slots, tile_counts, tile_starts, tile_scratch, &tile_heavy}

// Most tiles are full.
#define FOR_TILE(n_valid, statement) FOR_ROWS(n_valid, 0, statement)

#define COUNT_OF(digit) ((digit) == heavy ? RADIX + item : (digit))

// Counts the digits of a tile. The first work-item looks for a heavy one at four places; `heavy` may be given instead.
INLINE void count_tile(const rank_t *ranks, const uint n_valid, const uint shift, const uint digit_mask,
                       const uint given_heavy, const struct tile *tile)
{
    const uint item = item_id();
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        tile->counts[digit] = 0;
    }
    tile->counts[RADIX + item] = 0;
    if (item == 0) {
        *tile->heavy = given_heavy;
        if (n_valid == TILE) {
            const uint a = DIGIT(ranks[0]), b = DIGIT(ranks[ITEMS / 4]);
            const uint c = DIGIT(ranks[ITEMS / 2]), d = DIGIT(ranks[ITEMS - 1 - ITEMS / 4]);
            if (b == c && (a == b || d == b)) {
                *tile->heavy = b;
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint heavy = *tile->heavy;
    FOR_TILE(n_valid, const uint digit = DIGIT(ranks[i]); atomic_inc(tile->counts + COUNT_OF(digit)));
    if (heavy != NO_DIGIT && tile->counts[RADIX + item]) {
        atomic_add(tile->counts + heavy, tile->counts[RADIX + item]);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Moves a tile whose starts hold the place of each digit in the destination, or NO_ROOM.
INLINE void scatter_tile(const rank_t *ranks, const uint n_valid, const uint from_bit, const uint digit_mask,
                         const struct tile *tile, global key_t *keys)
{
    const uint item = item_id();
    const uint shift = fresh_uint(from_bit); // the digits are made again, not kept
    const uint heavy = *tile->heavy;
    scan_digits(tile->counts, tile->scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        tile->starts[digit] -= tile->starts[digit] == NO_ROOM ? 0 : tile->counts[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (heavy != NO_DIGIT && tile->counts[RADIX + item]) {
        tile->counts[RADIX + item] = atomic_add(tile->counts + heavy, tile->counts[RADIX + item]);
    }
    FOR_TILE(n_valid, const uint digit = DIGIT(ranks[i]);
             tile->slots[atomic_inc(tile->counts + COUNT_OF(digit))] = ranks[i]);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_TILE(
        n_valid, const rank_t rank = tile->slots[slot]; const uint start = tile->starts[DIGIT(rank)];
        if (start != NO_ROOM) { keys[start + slot] = rank; });
}
