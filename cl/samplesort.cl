// Samplesort of keys alone, in two launches: blocks of keys are put in order of buckets, then every bucket is fetched from all
// blocks and sorted in local memory. The bounds of buckets come from a sample that every work-group of the first launch sorts
// for itself, so no launch of its own is needed for it.
//
// Leischner, Osipov and Sanders, GPU sample sort, 2010. Here it is whole keys, and equal ones are alike: what is sorted is
// their ranks, in any order of ties.

#define MAX_BLOCKS 256
#define MAX_BUCKETS 256
// A sort in local memory begins by dividing the ranks into bins.
#if GROUP_SIZE < 32
#define BINS 64
#else
#define BINS (2 * GROUP_SIZE)
#endif
// Keys of a bin that are sorted by comparing each with all; of a larger bin it is seen whether they are all alike.
#define LARGE_BIN 32

// The key of a rank: the inverse of key_rank() where no two keys have the same.
static key_t rank_key(const key_t rank, ORDER_PARAMETERS)
{
    key_t bits = rank ^ (key_t)order_flip;
#if KEY_IS_FLOAT
    bits += (key_t)order_bias;
    bits = bits & KEY_SIGN ? (key_t)(bits & (key_t)~KEY_SIGN) : (key_t)~bits;
#endif
    return bits;
}

// Makes n counters their exclusive prefix sum and counters[n] the sum of all. scratch has room for 2 * GROUP_SIZE. Every
// work-item calls it, behind a barrier; it ends with one.
static void scan_counters(local uint *counters, const uint n, local uint *scratch)
{
    const uint item = get_local_id(0);
    const uint share = (n + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint begin = min(item * share, n), end = min(begin + share, n);
    local uint *from = scratch;
    local uint *to = scratch + GROUP_SIZE;
    uint sum = 0;
    for (uint i = begin; i < end; i++) {
        sum += counters[i];
    }
    from[item] = sum;
    for (uint distance = 1; distance < GROUP_SIZE; distance <<= 1) {
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        to[item] = from[item] + (item >= distance ? from[item - distance] : 0);
        local uint *swap = from;
        from = to;
        to = swap;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint before = item > 0 ? from[item - 1] : 0;
    for (uint i = begin; i < end; i++) {
        const uint count = counters[i];
        counters[i] = before;
        before += count;
    }
    if (item == GROUP_SIZE - 1) {
        counters[n] = before;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// ---------------------------------------------------------------------------------------------------------- network

// Batcher's network as in cl/bitonic.cl, for keys of one work-group in local or global memory.
#define DEFINE_NETWORK(name, space, fence)                                                                             \
    static void name##_exchange(space key_t *ranks, const uint low, const uint high, const uint n)                     \
    {                                                                                                                  \
        if (high < n) {                                                                                                \
            const key_t rank_low = ranks[low], rank_high = ranks[high];                                                \
            if (rank_high < rank_low) {                                                                                \
                ranks[low] = rank_high;                                                                                \
                ranks[high] = rank_low;                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void name(space key_t *ranks, const uint n)                                                                 \
    {                                                                                                                  \
        for (uint half_block = 1; half_block < n; half_block <<= 1) {                                                  \
            const uint n_pairs = (n + 2 * half_block - 1) / (2 * half_block) * half_block;                             \
            for (uint pair = get_local_id(0); pair < n_pairs; pair += GROUP_SIZE) {                                    \
                const uint low = ((pair & ~(half_block - 1)) << 1) | (pair & (half_block - 1));                        \
                name##_exchange(ranks, low, low ^ (2 * half_block - 1), n);                                            \
            }                                                                                                          \
            GROUP_BARRIER(fence);                                                                                      \
            for (uint stride = half_block / 2; stride > 0; stride >>= 1) {                                             \
                for (uint pair = get_local_id(0); pair < n_pairs; pair += GROUP_SIZE) {                                \
                    const uint low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));                            \
                    name##_exchange(ranks, low, low + stride, n);                                                      \
                }                                                                                                      \
                GROUP_BARRIER(fence);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_NETWORK(sort_local, local, CLK_LOCAL_MEM_FENCE)
DEFINE_NETWORK(sort_global, global, CLK_GLOBAL_MEM_FENCE)

// ------------------------------------------------------------------------------------------- a sort in local memory

// How ranks from low on are divided into bins.
struct division {
    key_t low;
    uint shift, factor;
};

static struct division divide(const key_t low, const key_t high)
{
    struct division division;
    const key_t width = high - low;
    division.low = low;
    division.shift = 0;
#if KEY_BYTES == 8
    division.shift = width >> 32 ? 32 - clz((uint)(width >> 32)) : 0;
#endif
    const ulong n_steps = (ulong)(uint)(width >> division.shift) + 1;
    division.factor = (uint)min((ulong)UINT_MAX, ((ulong)BINS << 32) / n_steps);
    return division;
}

// The bin of a rank; never falls when the rank grows.
static uint bin_of(const key_t rank, const struct division division)
{
    return mul_hi((uint)((key_t)(rank - division.low) >> division.shift), division.factor);
}

// Local memory that a sort needs beside its ranks.
struct bins {
    uint starts[BINS + 1];
    uint scratch[2 * GROUP_SIZE];
    uint has_large, has_mixed; // a bin is large; and its keys are not all alike
};

// Puts n ranks of the work-group into ranks, in order of their bins, and wholly in order those of large bins. mine[i] is of
// slot i * GROUP_SIZE + item. Every work-item calls it, behind a barrier.
static void sort_into_bins(const key_t mine[ITEMS], const uint n, const struct division division, local key_t *ranks,
                           local struct bins *bins)
{
    const uint item = get_local_id(0);
    uint within[ITEMS];
    for (uint bin = item; bin < BINS; bin += GROUP_SIZE) {
        bins->starts[bin] = 0;
    }
    if (item == 0) {
        bins->has_large = 0;
        bins->has_mixed = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n) {
            within[i] = atomic_inc(&bins->starts[bin_of(mine[i], division)]);
            if (within[i] == LARGE_BIN) {
                atomic_or(&bins->has_large, 1u);
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_counters(bins->starts, BINS, bins->scratch);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n) {
            ranks[bins->starts[bin_of(mine[i], division)] + within[i]] = mine[i];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item; slot < (bins->has_large ? n : 0); slot += GROUP_SIZE) {
        const uint bin = bin_of(ranks[slot], division);
        const uint begin = bins->starts[bin];
        if (bins->starts[bin + 1] - begin > LARGE_BIN && ranks[slot] != ranks[begin]) {
            atomic_or(&bins->has_mixed, 1u);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    sort_local(ranks, bins->has_mixed ? n : 0);
}

// Where the rank at a slot goes.
static uint place_of(local const key_t *ranks, const uint slot, const struct division division,
                     local const struct bins *bins)
{
    const key_t rank = ranks[slot];
    const uint bin = bin_of(rank, division);
    const uint begin = bins->starts[bin], end = bins->starts[bin + 1];
    uint place = begin;
    for (uint other = begin; other < (end - begin > LARGE_BIN ? begin : end); other++) {
        place += ranks[other] < rank || (ranks[other] == rank && other < slot);
    }
    return end - begin > LARGE_BIN ? slot : place;
}

// ------------------------------------------------------------------------------------------------------- first launch

// The position of a sample: each is drawn from its own part of the keys.
static uint sample_position(const uint sample, const uint n_samples, const uint count)
{
    const uint begin = (uint)((ulong)sample * count / n_samples);
    const uint end = (uint)((ulong)(sample + 1) * count / n_samples);
    uint random = (sample + 1) * 0x9e3779b9u;
    random = (random ^ random >> 15) * 0x85ebca6bu;
    return begin + mul_hi(random, end - begin);
}

// Least and greatest of the ranks, as far as 32 bits tell.
static struct division divide_between(const key_t mine[ITEMS], const uint n, local uint *scratch, local uint *range)
{
    const uint item = get_local_id(0);
    const uint shift = KEY_BYTES == 8 ? 32 : 0;
    uint low = UINT_MAX, high = 0;
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n) {
            low = min(low, (uint)(mine[i] >> shift));
            high = max(high, (uint)(mine[i] >> shift));
        }
    }
    scratch[item] = low;
    scratch[GROUP_SIZE + item] = high;
    if (item == 0) {
        range[0] = UINT_MAX;
        range[1] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (item < 32) {
        for (uint i = item; i < GROUP_SIZE; i += 32) {
            low = min(low, scratch[i]);
            high = max(high, scratch[GROUP_SIZE + i]);
        }
        atomic_min(&range[0], low);
        atomic_max(&range[1], high);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    low = min(range[0], range[1]);
    return divide((key_t)((key_t)low << shift), (key_t)(((key_t)range[1] << shift) | (((key_t)1 << shift) - 1)));
}

// How many of n sorted bounds are below a rank, or with or_equal are it.
static uint count_bounds(local const key_t *bounds, const uint n, const key_t rank, const uint or_equal)
{
    uint below = 0;
    for (uint step = MAX_BUCKETS; step > 0; step >>= 1) {
        if (below + step <= n) {
            const key_t bound = bounds[below + step - 1];
            below += bound < rank || (or_equal && bound == rank) ? step : 0;
        }
    }
    return below;
}

// The bucket of a rank: b has the ranks from bounds[b - 1] to bounds[b]. A rank that is several bounds is spread over the
// buckets between them, by its slot.
static uint bucket_of(local const key_t *bounds, const uint n_bounds, const key_t rank, const uint slot)
{
    const uint below = count_bounds(bounds, n_bounds, rank, 0);
    uint bucket = below;
    if (below < n_bounds && bounds[below] == rank) {
        bucket += 1 + slot % (count_bounds(bounds, n_bounds, rank, 1) - below);
    }
    return bucket;
}

// Work-group g writes ranks of keys [g * block_items, (g + 1) * block_items) to the same places of parted, in order of their
// buckets; table[b * blocks + g] is where bucket b begins in it. There are n_buckets + 1 bounds: the sample's least and
// greatest, and those between.
KERNEL void distribute(global const key_t *keys_in, const ulong keys_in_offset, global key_t *parted,
                       const ulong parted_offset, global ushort *table, const ulong table_offset, global key_t *bounds,
                       const ulong bounds_offset, const uint count, const uint block_items, const uint n_buckets,
                       const uint n_samples, ORDER_PARAMETERS)
{
    local key_t ranks[TILE];
    local struct bins bins;
    local key_t local_bounds[MAX_BUCKETS + 1];
    local uint starts[MAX_BUCKETS + 3];
    local uint range[2];
    const uint item = get_local_id(0);
    const uint begin = get_group_id(0) * block_items;
    const uint n = min(block_items, count - begin);
    const uint n_bounds = n_samples > 0 ? n_buckets + 1 : 0;
    key_t mine[ITEMS], samples[ITEMS];
    uint buckets[ITEMS], within[ITEMS];
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        samples[i] = slot < n_samples ? key_rank(keys_in[sample_position(slot, n_samples, count)], ORDER) : 0;
        mine[i] = slot < n ? key_rank(keys_in[begin + slot], ORDER) : 0;
    }
    for (uint bucket = item; bucket < n_buckets + 2; bucket += GROUP_SIZE) {
        starts[bucket] = 0;
    }
    const struct division division = divide_between(samples, n_samples, bins.scratch, range);
    sort_into_bins(samples, n_samples, division, ranks, &bins);
    for (uint slot = item; slot < n_samples; slot += GROUP_SIZE) {
        const uint place = place_of(ranks, slot, division, &bins), distance = n_samples / n_buckets;
        if (place % distance == 0) {
            local_bounds[place / distance] = ranks[slot];
        }
        if (place == n_samples - 1) {
            local_bounds[n_buckets] = ranks[slot];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < n) {
            buckets[i] = bucket_of(local_bounds, n_bounds, mine[i], slot);
            within[i] = atomic_inc(&starts[buckets[i]]);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_counters(starts, n_buckets + 2, bins.scratch);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n) {
            ranks[starts[buckets[i]] + within[i]] = mine[i];
        }
    }
    for (uint bucket = item; bucket < n_buckets + 3; bucket += GROUP_SIZE) {
        table[table_offset + bucket * get_num_groups(0) + get_group_id(0)] = (ushort)starts[bucket];
    }
    for (uint bound = item; bound < (get_group_id(0) == 0 ? n_bounds : 0); bound += GROUP_SIZE) {
        bounds[bounds_offset + bound] = local_bounds[bound];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item; slot < n; slot += GROUP_SIZE) {
        parted[parted_offset + begin + slot] = ranks[slot];
    }
}

// ------------------------------------------------------------------------------------------------------ second launch

// Where a bucket's keys are: those from starts[b] on are at parted[sources[b]] on.
struct pieces {
    uint starts[MAX_BLOCKS + 1];
    uint sources[MAX_BLOCKS];
    uint before; // keys of the buckets before
};

static void find_pieces(global const ushort *table, const uint bucket, const uint n_blocks, const uint block_items,
                        local struct pieces *pieces, local uint *scratch)
{
    if (get_local_id(0) == 0) {
        pieces->before = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint block = get_local_id(0); block < n_blocks; block += GROUP_SIZE) {
        const uint begin = table[bucket * n_blocks + block], end = table[(bucket + 1) * n_blocks + block];
        pieces->starts[block] = end - begin;
        pieces->sources[block] = block * block_items + begin;
        atomic_add(&pieces->before, begin);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_counters(pieces->starts, n_blocks, scratch);
}

static uint source_of(local const struct pieces *pieces, const uint n_blocks, const uint slot)
{
    uint block = 0;
    for (uint step = MAX_BLOCKS / 2; step > 0; step >>= 1) {
        if (block + step < n_blocks && pieces->starts[block + step] <= slot) {
            block += step;
        }
    }
    return pieces->sources[block] + slot - pieces->starts[block];
}

// What was done with a bucket, for tests to see.
#define SORTED_IN_BINS 0
#define SORTED_BY_NETWORK 1
#define FILLED 2
#define SORTED_IN_GLOBAL_MEMORY 3

// Work-group b sorts bucket b and writes its keys. Buckets whose bounds are alike are filled, those that are too large for
// local memory are sorted where they go.
KERNEL void sort_buckets(global const key_t *parted, const ulong parted_offset, global const ushort *table,
                         const ulong table_offset, global const key_t *bounds, const ulong bounds_offset,
                         global uint *ways, const ulong ways_offset, global key_t *keys_out,
                         const ulong keys_out_offset, const uint n_blocks, const uint block_items, const uint n_buckets,
                         ORDER_PARAMETERS)
{
    local key_t ranks[TILE];
    local struct bins bins;
    local struct pieces pieces;
    const uint item = get_local_id(0), bucket = get_group_id(0);
    parted += parted_offset;
    bounds += bounds_offset;
    find_pieces(table + table_offset, bucket, n_blocks, block_items, &pieces, bins.scratch);
    const uint n = pieces.starts[n_blocks];
    const key_t low = n > 0 && bucket > 0 ? bounds[bucket - 1] : 0;
    const key_t high = n > 0 && bucket <= n_buckets ? bounds[bucket] : (key_t) ~(key_t)0;
    const uint n_filled = low == high ? n : 0;
    const uint n_local = low != high && n <= TILE ? n : 0;
    const uint n_global = low != high && n > TILE ? n : 0;
    const struct division division = divide(low, high);
    key_t mine[ITEMS];
    keys_out += keys_out_offset + pieces.before;
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        mine[i] = slot < n_local ? parted[source_of(&pieces, n_blocks, slot)] : 0;
    }
    sort_into_bins(mine, n_local, division, ranks, &bins);
    for (uint slot = item; slot < n_local; slot += GROUP_SIZE) {
        keys_out[place_of(ranks, slot, division, &bins)] = rank_key(ranks[slot], ORDER);
    }
    for (uint slot = item; slot < n_filled; slot += GROUP_SIZE) {
        keys_out[slot] = rank_key(low, ORDER);
    }
    for (uint slot = item; slot < n_global; slot += GROUP_SIZE) {
        keys_out[slot] = parted[source_of(&pieces, n_blocks, slot)];
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    sort_global(keys_out, n_global);
    for (uint slot = item; slot < n_global; slot += GROUP_SIZE) {
        keys_out[slot] = rank_key(keys_out[slot], ORDER);
    }
    if (item == 0) {
        ways[ways_offset + bucket] = n_filled   ? FILLED
                                     : n_global ? SORTED_IN_GLOBAL_MEMORY
                                                : (bins.has_mixed ? SORTED_BY_NETWORK : SORTED_IN_BINS);
    }
}
