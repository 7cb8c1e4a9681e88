// A bucket of samplesort as it lies in the tiles: where its pieces are, and how they are read.

#define MAX_TILES 1024
// Keys that a work-item reads at once, as it searches for each.
#define SLOTS_AHEAD 2
// Keys of a bucket in one tile that are more than usual.
#define LONG_PIECE 64

// A bucket's pieces, one in each tile: tile t's is at parted[t * tile_items + table[t]] on, up to table[n_tiles + t].
struct source {
    global const rank_t *parted;
    global const ushort *table;
    uint n_tiles, tile_items;
};

struct pieces {
    uint before;                         // keys of the buckets before
    uint n_long;                         // longer than LONG_PIECE
    uint starts[MAX_TILES + 1];          // keys of the pieces before; the last is all
    ushort longs[TILE / LONG_PIECE + 1]; // tiles of those; enough for a bucket that local memory has room for
};

// Each work-item looks at its share of the tiles. It begins and ends with a barrier.
INLINE void find_pieces(const struct source source, local struct pieces *pieces, local uint *scratch)
{
    const uint item = get_local_id(0);
    const uint share = (source.n_tiles + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min(item * share, source.n_tiles), last = min(first + share, source.n_tiles);
    uint before = 0, n = 0;
    ROLLED
    for (uint tile = first; tile < last; tile++) {
        before += source.table[tile];
        n += source.table[source.n_tiles + tile];
    }
    n -= before;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    add_up(&pieces->before, before);
    uint start = scan_items(n, scratch);
    ROLLED
    for (uint tile = first; tile < last; tile++) {
        const uint length = share > 1 ? source.table[source.n_tiles + tile] - source.table[tile] : n;
        pieces->starts[tile] = start;
        start += length;
        if (length > LONG_PIECE) {
            const uint at = atomic_inc(&pieces->n_long);
            if (at <= TILE / LONG_PIECE) {
                pieces->longs[at] = (ushort)tile;
            }
        }
    }
    if (first < last && last == source.n_tiles) {
        pieces->starts[last] = start;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Where the first key of a tile's piece would be if its slot were 0.
INLINE uint piece_base(const struct source source, local const struct pieces *pieces, const uint tile)
{
    return tile * source.tile_items + source.table[tile] - pieces->starts[tile];
}

// The ranks at slots first + i * GROUP_SIZE below n. Their pieces are searched together, as each search is a chain of reads.
INLINE void read_slots(const struct source source, local const struct pieces *pieces, const uint first, const uint n,
                       rank_t ranks[SLOTS_AHEAD])
{
    uint tiles[SLOTS_AHEAD];
    UNROLL
    for (uint i = 0; i < SLOTS_AHEAD; i++) {
        tiles[i] = 0;
    }
    ROLLED
    for (uint step = 1u << (31 - clz(source.n_tiles)); step > 0; step >>= 1) {
        UNROLL
        for (uint i = 0; i < SLOTS_AHEAD; i++) {
            const uint tile = tiles[i] + step;
            if (tile < source.n_tiles && pieces->starts[tile] <= first + i * GROUP_SIZE) {
                tiles[i] = tile;
            }
        }
    }
    UNROLL
    for (uint i = 0; i < SLOTS_AHEAD; i++) {
        const uint slot = first + i * GROUP_SIZE;
        ranks[i] = slot < n ? source.parted[piece_base(source, pieces, tiles[i]) + slot] : 0;
    }
}

// Makes places[slot] where the rank at a slot is, for the whole bucket. Some neighbouring work-items see to each piece, and all of
// them to a long one.
INLINE void find_places(const struct source source, local const struct pieces *pieces, local uint *places)
{
    const uint item = get_local_id(0);
    const uint n_lanes = GROUP_SIZE > source.n_tiles ? 1u << (31 - clz(GROUP_SIZE / source.n_tiles)) : 1;
    ROLLED
    for (uint tile = item / n_lanes; tile < source.n_tiles; tile += GROUP_SIZE / n_lanes) {
        const uint begin = pieces->starts[tile], end = pieces->starts[tile + 1];
        const uint base = piece_base(source, pieces, tile);
        ROLLED
        for (uint slot = begin + item % n_lanes; slot < (end - begin > LONG_PIECE ? begin : end); slot += n_lanes) {
            places[slot] = base + slot;
        }
    }
    ROLLED
    for (uint i = 0; i < pieces->n_long; i++) {
        const uint tile = pieces->longs[i], base = piece_base(source, pieces, tile);
        ROLLED
        for (uint slot = pieces->starts[tile] + item; slot < pieces->starts[tile + 1]; slot += GROUP_SIZE) {
            places[slot] = base + slot;
        }
    }
}
