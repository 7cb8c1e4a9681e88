// Samplesort of whole keys, in two launches: tiles of ranks are put in order of buckets, then every bucket is gathered from all
// tiles and sorted in local memory. Few keys alone take one launch, in which every work-group reads all of them.
//
// Leischner, Osipov and Sanders, GPU sample sort, 2010. Here ranks are sorted, in any order of ties: those of keys alone are alike,
// and with values there are none.

#define MAX_AT_ONCE_BUCKETS 256
#define MAX_BUCKETS (SAMPLES < 1024 ? SAMPLES : 1024)
// How often bins are divided again. By a simulation of 2^20 keys, each the AND of three random ones, in 256 buckets: 204 of these have large
// bins of different keys, 94 after one more division, none after two.
#define BUCKET_DIVISIONS 2
// Keys that a work-item reads at once where it reads many.
#define AHEAD 8

// What a key at a position is sorted by.
INLINE rank_t rank_of(const key_t key, const uint position, ORDER_PARAMETERS)
{
#if VALUE_BYTES
    return (ulong)key_rank(key, ORDER) << 32 | position;
#else
    return key_rank(key, ORDER);
#endif
}

// ------------------------------------------------------------------------------------------------------- first launch

// The rank of a sample, if it is one of 2^n_bits.
INLINE rank_t read_sample(global const key_t *keys, const uint sample, const uint n_bits, const uint count,
                          ORDER_PARAMETERS)
{
    rank_t rank = 0;
    if (sample < 1u << n_bits && count > 0) {
        const uint position = sample_position(sample, n_bits, count);
        rank = rank_of(keys[position], position, ORDER);
    }
    return rank;
}

INLINE void read_tile(global const key_t *keys_in, rank_t mine[ROWS], const uint begin, const uint n)
{
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint slot = i * GROUP_SIZE + get_local_id(0);
        mine[i] = slot < n ? keys_in[begin + slot] : 0;
    }
}

// Tile t, of keys [t * tile_items, (t + 1) * tile_items), has its ranks written to the same places of parted, in order of their
// buckets; table[b * n_tiles + t] is where bucket b begins in it. A work-group has group_tiles of them, one after the other.
KERNEL void distribute(global const key_t *keys_in, const ulong keys_in_offset, global rank_t *parted,
                       const ulong parted_offset, global ushort *table, const ulong table_offset, global rank_t *bounds,
                       const ulong bounds_offset, const uint count, const uint tile_items, const uint n_tiles,
                       const uint group_tiles, const uint n_bucket_bits, const uint n_sample_bits, ORDER_PARAMETERS)
{
    local union {
        struct {
            rank_t ranks[PLACES(SAMPLES)];
            struct bins bins;
        } sample;
        rank_t ranks[ROWS * GROUP_SIZE];
    } room;
    local rank_t local_bounds[MAX_BUCKETS + 1];
    local ushort runs[MAX_BUCKETS + 1];
    local uint starts[MAX_BUCKETS + 3];
    local uint curve[SEGMENTS + 1];
    local uint range[2];
    const uint item = get_local_id(0);
    const uint n_buckets = 1u << n_bucket_bits;
    const uint n_bounds = count > 0 ? n_buckets + 1 : 0;
    const uint first_tile = get_group_id(0) * group_tiles, last_tile = min(first_tile + group_tiles, n_tiles);
    rank_t mine[ROWS], samples[SAMPLE_ROWS];
    uint buckets[ROWS], has_greater; // in the upper half of buckets is the number in the bucket
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < SAMPLE_ROWS; i++) {
        samples[i] = read_sample(keys_in, i * GROUP_SIZE + item, n_sample_bits, count, ORDER);
    }
    read_tile(keys_in, mine, first_tile * tile_items, min(tile_items, count - first_tile * tile_items));
    ROLLED
    for (uint bucket = item; bucket < n_buckets + 2; bucket += GROUP_SIZE) {
        starts[bucket] = 0;
    }
    struct partition partition;
    divide_into_buckets(&partition, samples, n_sample_bits, n_bucket_bits, &room.sample.bins, room.sample.ranks, range,
                        curve, local_bounds);
    if (!partition.is_curve) {
        find_runs(local_bounds, n_bounds, n_buckets, runs);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    ROLLED
    for (uint tile = first_tile; tile < last_tile; tile++) {
        const uint begin = tile * tile_items, n = min(tile_items, count - begin);
        UNROLL
        for (uint i = 0; i < ROWS; i++) {
            mine[i] = rank_of((key_t)mine[i], begin + i * GROUP_SIZE + item, ORDER);
        }
        if (partition.is_curve) {
            UNROLL
            for (uint i = 0; i < ROWS; i++) {
                if (i * GROUP_SIZE + item < n) {
                    buckets[i] = bucket_by_curve(curve, partition, mine[i]);
                }
            }
        } else {
            search_buckets(local_bounds, runs, n_bounds, n_buckets, begin, n, mine, buckets);
        }
        UNROLL
        for (uint i = 0; i < ROWS; i++) {
            if (i * GROUP_SIZE + item < n) {
                buckets[i] |= atomic_inc(&starts[buckets[i]]) << 16;
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        scan_counters(starts, n_buckets + 2, room.sample.bins.scratch, 0, &has_greater);
        ROLLED
        for (uint bucket = item; bucket < n_buckets + 3; bucket += GROUP_SIZE) {
            table[table_offset + bucket * n_tiles + tile] = (ushort)starts[bucket];
        }
        UNROLL
        for (uint i = 0; i < ROWS; i++) {
            if (i * GROUP_SIZE + item < n) {
                room.ranks[starts[buckets[i] & 0xffff] + (buckets[i] >> 16)] = mine[i];
            }
        }
        if (tile + 1 < last_tile) {
            read_tile(keys_in, mine, begin + tile_items, min(tile_items, count - (begin + tile_items)));
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        ROLLED
        for (uint slot = item; slot < n; slot += GROUP_SIZE) {
            parted[parted_offset + begin + slot] = room.ranks[slot];
        }
        ROLLED
        for (uint bucket = item; bucket < n_buckets + 2; bucket += GROUP_SIZE) {
            starts[bucket] = 0;
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    ROLLED
    for (uint bound = item; bound < (get_group_id(0) == 0 ? n_bounds : 0); bound += GROUP_SIZE) {
        bounds[bounds_offset + bound] =
            partition.is_curve ? bound_by_curve(curve, partition, bound) : local_bounds[bound];
    }
}

// ------------------------------------------------------------------------------------------------------ second launch

// Goes on to the next part: as many bins as there is room for, but one at least.
INLINE void next_part(struct part *part, local const struct bins *bins, const uint n, const struct division division)
{
    part->first_bin = part->last_bin;
    part->last_bin = division.n_bins;
    part->begin = part->end;
    part->end = n;
    if (n - part->begin > TILE) {
        part->last_bin = part->first_bin;
        ROLLED
        for (uint step = BINS; step > 0; step >>= 1) {
            if (part->last_bin + step <= division.n_bins && bins->ends[part->last_bin + step] - part->begin <= TILE) {
                part->last_bin += step;
            }
        }
        part->last_bin = max(part->last_bin, part->first_bin + 1);
        part->end = bins->ends[part->last_bin];
    }
}

// Where a sort writes to, and what it reads values from.
struct output {
    global key_t *keys;
    global value_t *values;
    global const key_t *keys_in;
    global const value_t *values_in;
    bool generates; // the values are the positions
    bool has_keys;
};

INLINE void write_rank(const struct output *output, const uint at, const rank_t rank, ORDER_PARAMETERS)
{
#if VALUE_BYTES
    global const value_t *values_in = output->values_in;
    const bool generate_index = output->generates;
    const uint position = (uint)rank;
    if (output->has_keys) {
#if KEY_IS_FLOAT
        output->keys[at] = order_merge ? output->keys_in[position] : key_of_rank((key_t)(rank >> 32), ORDER);
#else
        output->keys[at] = key_of_rank((key_t)(rank >> 32), ORDER);
#endif
    }
    output->values[at] = VALUE_AT(position);
#else
    output->keys[at] = key_of_rank(rank, ORDER);
#endif
}

// Ranks of a bucket from low to high, that are divided into bins.
struct window {
    rank_t low, high;
};

INLINE bool is_inside(const struct window window, const rank_t rank)
{
    return window.low <= rank && rank <= window.high;
}

// Counts the ranks of a bucket that are in a window. It begins and ends with a barrier.
INLINE void count_window(const struct source source, local const struct pieces *pieces, const uint n,
                         const struct window window, const struct division division, local struct bins *bins)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += SLOTS_AHEAD * GROUP_SIZE) {
        rank_t next[SLOTS_AHEAD];
        read_slots(source, pieces, slot, n, next);
        UNROLL
        for (uint i = 0; i < SLOTS_AHEAD; i++) {
            if (slot + i * GROUP_SIZE < n && is_inside(window, next[i])) {
                count_rank(bins, next[i], division);
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Puts the ranks of a part that are in a window into local memory; it begins with a barrier.
INLINE void gather_part(const struct source source, local const struct pieces *pieces, const uint n,
                        const struct window window, const struct division division, const struct part part,
                        local struct bins *bins, local rank_t *ranks)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += SLOTS_AHEAD * GROUP_SIZE) {
        rank_t next[SLOTS_AHEAD];
        read_slots(source, pieces, slot, n, next);
        UNROLL
        for (uint i = 0; i < SLOTS_AHEAD; i++) {
            if (slot + i * GROUP_SIZE < n && is_inside(window, next[i])) {
                const uint bin = bin_of(next[i], division);
                if (bin >= part.first_bin && bin < part.last_bin) {
                    put_rank(bins, ranks, next[i], division, part);
                }
            }
        }
    }
}

// What was done with a bucket, for tests to see: any of these.
#define SORTED_WHOLE 1
#define DIVIDED_AGAIN 2
#define SORTED_IN_PARTS 4
#define FILLED 8
#define BINS_DIVIDED 16

// Sorts the ranks of a part, which are in local memory, and writes them. It ends with a barrier and returns what was done.
INLINE uint end_part(local struct bins *bins, local rank_t *ranks, const struct part part,
                     const struct division division, const struct output *output, const uint begin, ORDER_PARAMETERS)
{
    const uint n = part.end - part.begin;
    end_rows(ranks, n);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const bool is_whole = end_bins(bins, ranks, part, division, BUCKET_DIVISIONS);
    const uint ways_taken = (DIVIDES_AGAIN && bins->has_mixed ? BINS_DIVIDED : 0) | (is_whole ? SORTED_WHOLE : 0);
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
        write_rank(output, begin + slot, ranks[PLACE(slot)], ORDER);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return ways_taken;
}

INLINE void fill(const struct output *output, const uint begin, const uint n, const rank_t rank, ORDER_PARAMETERS)
{
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
        write_rank(output, begin + slot, rank, ORDER);
    }
}

// Sorts a bucket that local memory has no room for in parts: runs of bins, for each of which it is read again. A bin that there is no
// room for either is divided again, and what is behind it once more after that. Returns what was done.
INLINE uint sort_in_parts(const struct source source, local const struct pieces *pieces, const uint n, const rank_t low,
                          const rank_t high, local struct bins *bins, local rank_t *ranks, const struct output *output,
                          const uint begin, ORDER_PARAMETERS)
{
    struct window window = {low, high};
    uint n_done = 0, n_left = n, ways_taken = 0;
    ROLLED
    while (n_done < n) { // the same for the whole work-group, as all that follows
        struct division division;
        struct part part = {0, 0, 0, 0};
        divide(&division, window.low, window.high, n_left);
        begin_bins(bins);
        count_window(source, pieces, n, window, division, bins);
        scan_bins(bins, division);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        const uint n_inside = bins->ends[division.n_bins];
        bool is_narrowed = false;
        ROLLED
        while (part.end < n_inside && !is_narrowed) {
            next_part(&part, bins, n_inside, division);
            const uint n_ranks = part.end - part.begin;
            const rank_t bin_low = rank_from((ulong)part.first_bin << 32, division, window.high);
            const rank_t bin_high = rank_before((ulong)part.last_bin << 32, division, window.high);
            if (n_ranks <= TILE) {
                gather_part(source, pieces, n, window, division, part, bins, ranks);
                ways_taken |= end_part(bins, ranks, part, division, output, begin + n_done, ORDER);
            } else if (bin_low == bin_high) {
                fill(output, begin + n_done, n_ranks, bin_low, ORDER);
                ways_taken |= FILLED;
            } else {
                is_narrowed = true;
                window.low = bin_low;
                window.high = bin_high;
                n_left = n_ranks;
                ways_taken |= DIVIDED_AGAIN;
            }
            n_done += is_narrowed ? 0 : n_ranks;
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) {
                bins->has_mixed = 0;
                bins->most_behind = 0;
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
        if (!is_narrowed) {
            window.low = window.high + 1;
            window.high = high;
            n_left = n - n_done;
        }
    }
    return ways_taken | SORTED_IN_PARTS;
}

// Work-group b sorts bucket b and writes its keys and values. Buckets whose bounds are alike are filled.
KERNEL void sort_buckets(global const rank_t *parted, const ulong parted_offset, global const ushort *table,
                         const ulong table_offset, global const rank_t *bounds, const ulong bounds_offset,
                         global uint *ways, const ulong ways_offset, global const key_t *keys_in,
                         const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,
                         global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,
                         const ulong values_out_offset, const uint n_tiles, const uint tile_items,
                         const uint n_bucket_bits, const uint count, ORDER_PARAMETERS, const uint generate_index,
                         const uint write_keys)
{
    local union {
        rank_t ranks[PLACES(TILE)];
        uint places[TILE];
    } room;
    local struct bins bins;
    local struct pieces pieces;
    const uint item = get_local_id(0), bucket = get_group_id(0);
    const rank_t low = count > 0 && bucket > 0 ? bounds[bounds_offset + bucket - 1] : 0;
    const rank_t high =
        count > 0 && bucket <= 1u << n_bucket_bits ? bounds[bounds_offset + bucket] : (rank_t) ~(rank_t)0;
    const struct source source = {parted + parted_offset, table + table_offset + bucket * n_tiles, n_tiles, tile_items};
    const struct output output = {keys_out + keys_out_offset,
                                  values_out + values_out_offset,
                                  keys_in + keys_in_offset,
                                  values_in + values_in_offset,
                                  generate_index,
                                  write_keys};
    struct division division;
    divide(&division, low, high, (count >> n_bucket_bits) + 1);
    begin_bins(&bins);
    if (item == 0) {
        pieces.before = 0;
        pieces.n_long = 0;
    }
    find_pieces(source, &pieces, bins.scratch);
    const uint n = pieces.starts[n_tiles], begin = pieces.before;
    const uint n_filled = low == high ? n : 0, n_sorted = n - n_filled, n_mine = n_sorted <= TILE ? n_sorted : 0;
    rank_t mine[ITEMS];
    if (n_mine > 0) {
        find_places(source, &pieces, room.places);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        mine[i] = i * GROUP_SIZE + item < n_mine ? source.parted[room.places[i * GROUP_SIZE + item]] : 0;
    }
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n_mine) {
            count_rank(&bins, mine[i], division);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(&bins, division);
    const struct part all = {0, division.n_bins, 0, n_mine};
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n_mine) {
            put_rank(&bins, room.ranks, mine[i], division, all);
        }
    }
    uint ways_taken = end_part(&bins, room.ranks, all, division, &output, begin, ORDER);
    if (n_sorted > TILE) { // the same for the whole work-group
        ways_taken = sort_in_parts(source, &pieces, n, low, high, &bins, room.ranks, &output, begin, ORDER);
    }
    fill(&output, begin, n_filled, low, ORDER);
    if (item == 0) {
        ways[ways_offset + bucket] = ways_taken | (n_filled > 0 ? FILLED : 0);
    }
}

// ------------------------------------------------------------------------------------------------------ in one launch

#if VALUE_BYTES == 0
// A bucket as one work-group sees it while it reads all keys. Ranks that are a bound go to one of several buckets.
struct own_bucket {
    uint number;
    key_t low, high;
    uint has_low, has_high;
    uint first_of_low, n_of_low, first_of_high, n_of_high;
};

// Of bounds by the curve there are two, those of the bucket.
INLINE void find_own_bucket(struct own_bucket *own, local const uint *curve, const struct partition partition,
                            local const key_t *bounds, const uint number)
{
    const uint n_buckets = 1u << partition.n_bucket_bits, n_bounds = n_buckets + 1;
    own->number = number;
    own->has_low = number > 0;
    own->has_high = number <= n_buckets;
    own->low = own->has_low ? bounds[partition.is_curve ? 0 : number - 1] : 0;
    own->high = own->has_high ? bounds[partition.is_curve ? 1 : number] : (key_t) ~(key_t)0;
    if (partition.is_curve) {
        own->first_of_low = own->has_low ? bucket_by_curve(curve, partition, own->low) : 0;
        own->first_of_high = own->has_high ? bucket_by_curve(curve, partition, own->high) : 0;
        own->n_of_low = own->n_of_high = 1;
    } else {
        const uint below_low = count_bounds(bounds, n_bounds, n_buckets, own->low, 0);
        const uint below_high = count_bounds(bounds, n_bounds, n_buckets, own->high, 0);
        own->first_of_low = below_low + 1;
        own->first_of_high = below_high + 1;
        own->n_of_low = max(1u, count_bounds(bounds, n_bounds, n_buckets, own->low, 1) - below_low);
        own->n_of_high = max(1u, count_bounds(bounds, n_bounds, n_buckets, own->high, 1) - below_high);
    }
}

// The bucket of a rank, as far as that is the own one, one before or one behind.
INLINE uint bucket_beside(const struct own_bucket own, const key_t rank, const uint slot)
{
    if (own.has_low && rank == own.low) {
        return own.first_of_low + one_of(own.n_of_low, slot);
    }
    if (own.has_high && rank == own.high) {
        return own.first_of_high + one_of(own.n_of_high, slot);
    }
    return rank < own.low ? own.number - 1 : rank > own.high ? own.number + 1 : own.number;
}

// Keeps a rank if it is the bucket's own, as far as there is room; returns 1 if it is of a bucket before. Most are neither here
// nor bounds, so that is seen first.
INLINE uint keep_own(const struct own_bucket own, const key_t rank, const uint slot, local key_t *kept,
                     local uint *n_own)
{
    uint is_before = rank < own.low ? 1 : 0;
    if ((key_t)(rank - own.low) <= (key_t)(own.high - own.low)) {
        uint bucket = own.number;
        if (rank == own.low || rank == own.high) {
            bucket = bucket_beside(own, rank, slot);
            is_before = bucket < own.number ? 1 : 0;
        }
        if (bucket == own.number) {
            const uint at = atomic_inc(n_own);
            if (at < TILE / 2) {
                kept[at] = rank;
            }
        }
    }
    return is_before;
}

// Work-group b reads all keys, keeps those of bucket b, counts those of the buckets before, and sorts and writes its own. What
// came in is kept in the upper half of ranks. Output may not be input.
KERNEL void sort_at_once(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                         const ulong keys_out_offset, const uint count, const uint n_bucket_bits,
                         const uint n_sample_bits, ORDER_PARAMETERS)
{
    local key_t ranks[PLACES(TILE)];
    local struct bins bins;
    local key_t bounds[MAX_AT_ONCE_BUCKETS + 1];
    local uint curve[SEGMENTS + 1];
    local uint range[2], n_before, n_own, n_written;
    local key_t *kept = ranks + PLACES(TILE / 2);
    const uint item = get_local_id(0), number = get_group_id(0);
    key_t samples[SAMPLE_ROWS];
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < SAMPLE_ROWS; i++) {
        samples[i] = read_sample(keys_in, i * GROUP_SIZE + item, n_sample_bits, count, ORDER);
    }
    if (item == 0) {
        n_before = 0;
        n_own = 0;
        n_written = 0;
    }
    struct partition partition;
    divide_into_buckets(&partition, samples, n_sample_bits, n_bucket_bits, &bins, ranks, range, curve, bounds);
    if (partition.is_curve && item == 0) {
        bounds[0] = bound_by_curve(curve, partition, max(number, 1u) - 1);
        bounds[1] = bound_by_curve(curve, partition, min(number, 1u << n_bucket_bits));
    }
    begin_bins(&bins);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    struct own_bucket own;
    find_own_bucket(&own, curve, partition, bounds, number);
    uint before = 0, slot = item;
    // Several keys are read before they are looked at.
    ROLLED
    for (; slot + (AHEAD - 1) * GROUP_SIZE < count; slot += AHEAD * GROUP_SIZE) {
        key_t keys[AHEAD];
        UNROLL
        for (uint i = 0; i < AHEAD; i++) {
            keys[i] = keys_in[slot + i * GROUP_SIZE];
        }
        UNROLL
        for (uint i = 0; i < AHEAD; i++) {
            before += keep_own(own, key_rank(keys[i], ORDER), slot + i * GROUP_SIZE, kept, &n_own);
        }
    }
    ROLLED
    for (; slot < count; slot += GROUP_SIZE) {
        before += keep_own(own, key_rank(keys_in[slot], ORDER), slot, kept, &n_own);
    }
    add_up(&n_before, before);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint n = n_own;
    const uint n_filled = own.low == own.high ? n : 0;
    const uint n_local = own.low != own.high && n <= TILE / 2 ? n : 0;
    const uint n_global = own.low != own.high && n > TILE / 2 ? n : 0;
    struct division division;
    divide(&division, own.low, own.high, n_local);
    const struct part all = {0, division.n_bins, 0, n_local};
    keys_out += keys_out_offset + n_before;
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        count_rank(&bins, kept[slot], division);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(&bins, division);
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        put_rank(&bins, ranks, kept[slot], division, all);
    }
    end_rows(ranks, n_local);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    end_bins(&bins, ranks, all, division, BUCKET_DIVISIONS);
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        keys_out[slot] = key_of_rank(ranks[PLACE(slot)], ORDER);
    }
    ROLLED
    for (slot = item; slot < n_filled; slot += GROUP_SIZE) {
        keys_out[slot] = key_of_rank(own.low, ORDER);
    }
    ROLLED
    for (slot = item; slot < (n_global ? count : 0); slot += GROUP_SIZE) {
        const key_t rank = key_rank(keys_in[slot], ORDER);
        if (bucket_beside(own, rank, slot) == own.number) {
            keys_out[atomic_inc(&n_written)] = rank;
        }
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    sort_global(keys_out, n_global);
    ROLLED
    for (slot = item; slot < n_global; slot += GROUP_SIZE) {
        keys_out[slot] = key_of_rank(keys_out[slot], ORDER);
    }
}
#endif
