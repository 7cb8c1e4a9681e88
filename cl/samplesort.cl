// Samplesort of keys alone, in two launches: blocks of keys are put in order of buckets, then every bucket is fetched from all
// blocks and sorted in local memory. The bounds of buckets come from a sample that every work-group of the first launch sorts
// for itself, so no launch of its own is needed for it.
//
// Leischner, Osipov and Sanders, GPU sample sort, 2010. Here it is whole keys, and equal ones are alike: what is sorted is
// their ranks, in any order of ties.

#define MAX_BLOCKS 256
#define MAX_BUCKETS 256
// Keys and samples of a work-item in the first launch.
#if GROUP_SIZE < 32 && ITEMS > 128
#define ROWS 128
#elif GROUP_SIZE < 32 || ITEMS < 2
#define ROWS ITEMS
#else
#define ROWS 2
#endif
// A sort in local memory begins by dividing the ranks into bins.
#if TILE < 512
#define BINS 64
#elif TILE < 2048
#define BINS 256
#elif TILE < 4096
#define BINS 1024
#else
#define BINS 2048
#endif
// Keys of a bin that are sorted by comparing each with all; of a larger bin it is seen whether they are all alike.
#define LARGE_BIN 32
// Before loops that are better not unrolled: every instruction here runs once or a few times, so reading it takes the time.
#if UNROLL_LOOPS
#define ROLLED _Pragma("unroll 1")
#else
#define ROLLED
#endif
// Keys that a work-item reads at once where it reads all.
#define AHEAD 8

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

// Room of scan_items(): a place is left out behind each of LANES parts, so that they do not meet in one bank.
#if GROUP_SIZE < 64
#define LANES 1
#else
#define LANES 32
#endif
#define PART (GROUP_SIZE / LANES)
#define SCAN_PLACES (GROUP_SIZE + 2 * LANES)

// Exclusive prefix sum of one value a work-item, in three steps: LANES work-items sum up a part of the values each, then the
// parts before theirs. It begins with a barrier behind the writing of scratch and has two more.
static uint scan_items(const uint value, local uint *scratch)
{
    const uint item = get_local_id(0);
    local uint *own = scratch + item + item / PART;
    local uint *totals = scratch + GROUP_SIZE + LANES;
    uint sum = 0;
    *own = value;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (item < LANES) {
        local uint *part = scratch + item * (PART + 1);
        UNROLL
        for (uint i = 0; i < PART; i++) {
            const uint next = part[i];
            part[i] = sum;
            sum += next;
        }
        totals[item] = sum;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    UNROLL
    for (uint lane = 0; lane < LANES; lane++) {
        sum += lane < item / PART ? totals[lane] : 0;
    }
    return sum + *own;
}

// Makes n > 0 counters their exclusive prefix sum and counters[n] the sum of all; returns the greatest that the work-item saw.
// Every work-item calls it, behind a barrier; it ends with one.
static uint scan_counters(local uint *counters, const uint n, local uint *scratch)
{
    const uint item = get_local_id(0);
    const uint share = (n + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint begin = min(item * share, n), end = min(begin + share, n);
    uint sum = 0, greatest = 0;
    ROLLED
    for (uint i = begin; i < end; i++) {
        sum += counters[i];
        greatest = max(greatest, counters[i]);
    }
    uint before = scan_items(sum, scratch);
    ROLLED
    for (uint i = begin; i < end; i++) {
        const uint count = counters[i];
        counters[i] = before;
        before += count;
    }
    if (begin < end && end == n) {
        counters[n] = before;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return greatest;
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
        ROLLED                                                                                                         \
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
    uint n_bins;
};

// A division of what lies between low and high for n ranks: more bins than ranks, if that can be, and a power of two.
static struct division divide(const key_t low, const key_t high, const uint n)
{
    struct division division;
    division.n_bins = min((uint)BINS, max(32u, 1u << (32 - clz(n))));
    const key_t width = high - low;
    division.low = low;
    division.shift = 0;
#if KEY_BYTES == 8
    division.shift = width >> 32 ? 32 - clz((uint)(width >> 32)) : 0;
#endif
    // A little less than n_bins / n_steps, as a fraction of 2^32, so that rounding does not lead beyond the last bin.
    const float n_steps = (float)(uint)(width >> division.shift) + 1.0f;
    division.factor = (uint)min(4294967040.0f, (float)division.n_bins * 4294963200.0f / n_steps);
    return division;
}

// The bin of a rank; never falls when the rank grows.
static uint bin_of(const key_t rank, const struct division division)
{
    return mul_hi((uint)((key_t)(rank - division.low) >> division.shift), division.factor);
}

// What a sort needs beside its ranks. A bin's ranks are those from ends[bin - 1] to ends[bin]; while they come in, ends[bin] is
// where the next one goes, and before that how many there are.
struct bins {
    uint ends[BINS + 1];
    uint scratch[2 * GROUP_SIZE + 2]; // SCAN_PLACES are no more
    uint has_large, has_mixed;        // a bin is large; and its keys are not all alike
};

// The sort, for every work-item: begin_bins(); a barrier; count_rank() for each of its ranks; scan_bins(); put_rank() for each;
// end_bins(); and then place_of() tells where the rank at a slot goes.
static void begin_bins(local struct bins *bins)
{
    ROLLED
    for (uint bin = get_local_id(0); bin < BINS; bin += GROUP_SIZE) {
        bins->ends[bin] = 0;
    }
    if (get_local_id(0) == 0) {
        bins->has_large = 0;
        bins->has_mixed = 0;
    }
}

static void count_rank(local struct bins *bins, const key_t rank, const struct division division)
{
    atomic_inc(&bins->ends[bin_of(rank, division)]);
}

// A bin is large if it has more than limit ranks.
static void scan_bins(local struct bins *bins, const struct division division, const uint limit)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (scan_counters(bins->ends, division.n_bins, bins->scratch) > limit) {
        atomic_or(&bins->has_large, 1u);
    }
}

static void put_rank(local struct bins *bins, local key_t *ranks, const key_t rank, const struct division division)
{
    ranks[atomic_inc(&bins->ends[bin_of(rank, division)])] = rank;
}

static uint bin_begin(local const struct bins *bins, const uint bin)
{
    return bin > 0 ? bins->ends[bin - 1] : 0;
}

// If the keys of a large bin differ, all n ranks are sorted by the network.
static void end_bins(local struct bins *bins, local key_t *ranks, const uint n, const struct division division)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint slot = get_local_id(0); slot < (bins->has_large ? n : 0); slot += GROUP_SIZE) {
        const uint bin = bin_of(ranks[slot], division);
        const uint begin = bin_begin(bins, bin);
        if (bins->ends[bin] - begin > LARGE_BIN && ranks[slot] != ranks[begin]) {
            atomic_or(&bins->has_mixed, 1u);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    sort_local(ranks, bins->has_mixed ? n : 0);
}

static uint place_of(local const struct bins *bins, local const key_t *ranks, const uint slot,
                     const struct division division)
{
    const key_t rank = ranks[slot];
    const uint bin = bin_of(rank, division);
    const uint begin = bin_begin(bins, bin), end = bins->ends[bin];
    uint place = begin;
    ROLLED
    for (uint other = begin; other < (end - begin > LARGE_BIN ? begin : end); other++) {
        place += ranks[other] < rank || (ranks[other] == rank && other < slot);
    }
    return end - begin > LARGE_BIN ? slot : place;
}

// ------------------------------------------------------------------------------------------------------- first launch

// The position of one of 2^n_bits samples: each is drawn from its own part of the keys.
static uint sample_position(const uint sample, const uint n_bits, const uint count)
{
    uint random = (sample + 1) * 0x9e3779b9u;
    random = (random ^ random >> 15) * 0x85ebca6bu;
    return (uint)((ulong)sample * count >> n_bits) + mul_hi(random, count >> n_bits);
}

// Divides what lies between the least and the greatest of the work-items' ranks, as far as 32 bits tell. It ends with a barrier.
static struct division divide_between(uint low, uint high, const uint n, local uint *scratch, local uint *range)
{
    const uint item = get_local_id(0);
    const uint shift = KEY_BYTES == 8 ? 32 : 0;
    scratch[item] = low;
    scratch[GROUP_SIZE + item] = high;
    if (item == 0) {
        range[0] = UINT_MAX;
        range[1] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (item < 32) {
        UNROLL
        for (uint i = 0; i < (GROUP_SIZE + 31) / 32; i++) {
            const uint other = min(i * 32 + item, (uint)GROUP_SIZE - 1);
            low = min(low, scratch[other]);
            high = max(high, scratch[GROUP_SIZE + other]);
        }
        atomic_min(&range[0], low);
        atomic_max(&range[1], high);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    low = min(range[0], range[1]); // without samples they are the wrong way round
    return divide((key_t)((key_t)low << shift), (key_t)(((key_t)range[1] << shift) | (((key_t)1 << shift) - 1)), n);
}

// How many of n sorted bounds are below a rank, or with or_equal are it. n <= 2 * n_buckets.
static uint count_bounds(local const key_t *bounds, const uint n, const uint n_buckets, const key_t rank,
                         const uint or_equal)
{
    uint below = 0;
    ROLLED
    for (uint step = n_buckets; step > 0; step >>= 1) {
        if (below + step <= n) {
            const key_t bound = bounds[below + step - 1];
            below += bound < rank || (or_equal && bound == rank) ? step : 0;
        }
    }
    if (below < n) {
        below += bounds[below] < rank || (or_equal && bounds[below] == rank) ? 1 : 0;
    }
    return below;
}

// The bucket of a rank: b has the ranks from bounds[b - 1] to bounds[b]. A rank that is several bounds is spread over the
// buckets between them, by its slot.
static uint bucket_of(local const key_t *bounds, const uint n_bounds, const uint n_buckets, const key_t rank,
                      const uint slot)
{
    const uint below = count_bounds(bounds, n_bounds, n_buckets, rank, 0);
    uint bucket = below;
    if (below < n_bounds && bounds[below] == rank) {
        bucket += 1 + slot % (count_bounds(bounds, n_bounds, n_buckets, rank, 1) - below);
    }
    return bucket;
}

// How ranks are told apart into buckets. While no bin has more samples than a bucket should, all ranks of a bin go to the bucket
// of the samples before it. Else the samples are sorted, and the bucket is searched among bounds.
struct partition {
    struct division division; // of the samples
    uint is_by_bins;
    uint n_bucket_bits, n_sample_bits;
};

// samples[i] is of slot i * GROUP_SIZE + item. Every work-item calls it; it ends with a barrier.
static struct partition divide_into_buckets(const key_t samples[ROWS], const uint n_sample_bits,
                                            const uint n_bucket_bits, local struct bins *bins, local key_t *ranks,
                                            local uint *range, local key_t *bounds)
{
    const uint item = get_local_id(0), shift = KEY_BYTES == 8 ? 32 : 0;
    const uint n_samples = 1u << n_sample_bits, distance = n_sample_bits - n_bucket_bits;
    struct partition partition;
    uint low = UINT_MAX, high = 0;
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n_samples) {
            low = min(low, (uint)(samples[i] >> shift));
            high = max(high, (uint)(samples[i] >> shift));
        }
    }
    begin_bins(bins);
    const struct division division = divide_between(low, high, n_samples, bins->scratch, range);
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n_samples) {
            count_rank(bins, samples[i], division);
        }
    }
    scan_bins(bins, division, 1u << distance);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint n_sorted = bins->has_large ? n_samples : 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n_sorted) {
            put_rank(bins, ranks, samples[i], division);
        }
    }
    end_bins(bins, ranks, n_sorted, division);
    ROLLED
    for (uint slot = item; slot < n_sorted; slot += GROUP_SIZE) {
        const uint place = place_of(bins, ranks, slot, division);
        if ((place & ((1u << distance) - 1)) == 0) {
            bounds[place >> distance] = ranks[slot];
        }
        if (place == n_samples - 1) {
            bounds[1u << n_bucket_bits] = ranks[slot];
        }
    }
    partition.division = division;
    partition.is_by_bins = n_sorted == 0;
    partition.n_bucket_bits = n_bucket_bits;
    partition.n_sample_bits = n_sample_bits;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return partition;
}

// The bucket of a rank by bins: 0 and the last one have what is below the least sample and above the greatest.
static uint bucket_by_bins(local const struct bins *bins, const struct partition partition, local const uint *range,
                           const key_t rank)
{
    const uint shift = KEY_BYTES == 8 ? 32 : 0, top = (uint)(rank >> shift);
    const uint distance = partition.n_sample_bits - partition.n_bucket_bits;
    const uint last = (1u << partition.n_bucket_bits) + 1;
    if (top < range[0] || top > range[1]) {
        return top < range[0] ? 0 : last;
    }
    return min(1 + (bins->ends[bin_of(rank, partition.division)] >> distance), last - 1);
}

// The same bounds as by sorting, but that those between are where bins begin.
static void bounds_by_bins(local const struct bins *bins, const struct partition partition, local const uint *range,
                           local key_t *bounds)
{
    const struct division division = partition.division;
    const uint item = get_local_id(0), shift = KEY_BYTES == 8 ? 32 : 0, n_buckets = 1u << partition.n_bucket_bits;
    const uint distance = partition.n_sample_bits - partition.n_bucket_bits;
    const key_t high = (key_t)(((key_t)range[1] << shift) | (((key_t)1 << shift) - 1));
    ROLLED
    for (uint bin = item + 1; bin <= division.n_bins; bin += GROUP_SIZE) {
        const uint before = bins->ends[bin - 1] >> distance, here = bins->ends[bin] >> distance;
        key_t begin = high;
        if (before < here && bin < division.n_bins) {
            // The least step that goes to this bin.
            const ulong step = (((ulong)bin << 32) + division.factor - 1) / division.factor;
            begin = (key_t)(division.low + ((key_t)step << division.shift));
        }
        ROLLED
        for (uint bound = before + 1; bound <= min(here, n_buckets - 1); bound++) {
            bounds[bound] = begin;
        }
    }
    if (item == 0) {
        bounds[0] = division.low;
        bounds[n_buckets] = high;
    }
}

// Work-group g writes ranks of keys [g * block_items, (g + 1) * block_items) to the same places of parted, in order of their
// buckets; table[b * blocks + g] is where bucket b begins in it.
KERNEL void distribute(global const key_t *keys_in, const ulong keys_in_offset, global key_t *parted,
                       const ulong parted_offset, global ushort *table, const ulong table_offset, global key_t *bounds,
                       const ulong bounds_offset, const uint count, const uint block_items, const uint n_bucket_bits,
                       const uint n_sample_bits, ORDER_PARAMETERS)
{
    local key_t ranks[ROWS * GROUP_SIZE];
    local struct bins bins;
    local key_t local_bounds[MAX_BUCKETS + 1];
    local uint starts[MAX_BUCKETS + 3];
    local uint range[2];
    const uint item = get_local_id(0);
    const uint begin = get_group_id(0) * block_items;
    const uint n = min(block_items, count - begin);
    const uint n_buckets = 1u << n_bucket_bits;
    const uint n_bounds = count > 0 ? n_buckets + 1 : 0;
    key_t mine[ROWS], samples[ROWS];
    uint buckets[ROWS];
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        const bool is_sample = slot < 1u << n_sample_bits && count > 0;
        samples[i] = is_sample ? key_rank(keys_in[sample_position(slot, n_sample_bits, count)], ORDER) : 0;
        mine[i] = slot < n ? key_rank(keys_in[begin + slot], ORDER) : 0;
    }
    ROLLED
    for (uint bucket = item; bucket < n_buckets + 2; bucket += GROUP_SIZE) {
        starts[bucket] = 0;
    }
    const struct partition partition =
        divide_into_buckets(samples, n_sample_bits, n_bucket_bits, &bins, ranks, range, local_bounds);
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (slot < n) {
            buckets[i] = partition.is_by_bins ? bucket_by_bins(&bins, partition, range, mine[i])
                                              : bucket_of(local_bounds, n_bounds, n_buckets, mine[i], slot);
            atomic_inc(&starts[buckets[i]]);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_counters(starts, n_buckets + 2, bins.scratch);
    if (get_group_id(0) == 0 && partition.is_by_bins && count > 0) {
        bounds_by_bins(&bins, partition, range, local_bounds);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint bucket = item; bucket < n_buckets + 3; bucket += GROUP_SIZE) {
        table[table_offset + bucket * get_num_groups(0) + get_group_id(0)] = (ushort)starts[bucket];
    }
    ROLLED
    for (uint bound = item; bound < (get_group_id(0) == 0 ? n_bounds : 0); bound += GROUP_SIZE) {
        bounds[bounds_offset + bound] = local_bounds[bound];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n) {
            ranks[atomic_inc(&starts[buckets[i]])] = mine[i];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
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
    const uint item = get_local_id(0);
    if (item == 0) {
        pieces->before = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint block = item; block < n_blocks; block += GROUP_SIZE) {
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
    ROLLED
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
                         const ulong keys_out_offset, const uint n_blocks, const uint block_items,
                         const uint n_bucket_bits, const uint count, ORDER_PARAMETERS)
{
    local key_t ranks[TILE];
    local struct bins bins;
    local struct pieces pieces;
    const uint item = get_local_id(0), bucket = get_group_id(0);
    const key_t low = count > 0 && bucket > 0 ? bounds[bounds_offset + bucket - 1] : 0;
    const key_t high = count > 0 && bucket <= 1u << n_bucket_bits ? bounds[bounds_offset + bucket] : (key_t) ~(key_t)0;
    parted += parted_offset;
    begin_bins(&bins);
    find_pieces(table + table_offset, bucket, n_blocks, block_items, &pieces, bins.scratch);
    const uint n = pieces.starts[n_blocks];
    const uint n_filled = low == high ? n : 0;
    const uint n_local = low != high && n <= TILE ? n : 0;
    const uint n_global = low != high && n > TILE ? n : 0;
    const struct division division = divide(low, high, n_local);
    key_t mine[ROWS];
    keys_out += keys_out_offset + pieces.before;
    // Most buckets are of ROWS keys a work-item or less; the keys of larger ones are read twice.
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n_local) {
            mine[i] = parted[source_of(&pieces, n_blocks, i * GROUP_SIZE + item)];
            count_rank(&bins, mine[i], division);
        }
    }
    ROLLED
    for (uint slot = ROWS * GROUP_SIZE + item; slot < n_local; slot += GROUP_SIZE) {
        count_rank(&bins, parted[source_of(&pieces, n_blocks, slot)], division);
    }
    scan_bins(&bins, division, LARGE_BIN);
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        if (i * GROUP_SIZE + item < n_local) {
            put_rank(&bins, ranks, mine[i], division);
        }
    }
    ROLLED
    for (uint slot = ROWS * GROUP_SIZE + item; slot < n_local; slot += GROUP_SIZE) {
        put_rank(&bins, ranks, parted[source_of(&pieces, n_blocks, slot)], division);
    }
    end_bins(&bins, ranks, n_local, division);
    ROLLED
    for (uint slot = item; slot < n_local; slot += GROUP_SIZE) {
        keys_out[place_of(&bins, ranks, slot, division)] = rank_key(ranks[slot], ORDER);
    }
    ROLLED
    for (uint slot = item; slot < n_filled; slot += GROUP_SIZE) {
        keys_out[slot] = rank_key(low, ORDER);
    }
    ROLLED
    for (uint slot = item; slot < n_global; slot += GROUP_SIZE) {
        keys_out[slot] = parted[source_of(&pieces, n_blocks, slot)];
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    sort_global(keys_out, n_global);
    ROLLED
    for (uint slot = item; slot < n_global; slot += GROUP_SIZE) {
        keys_out[slot] = rank_key(keys_out[slot], ORDER);
    }
    if (item == 0) {
        ways[ways_offset + bucket] = n_filled   ? FILLED
                                     : n_global ? SORTED_IN_GLOBAL_MEMORY
                                                : (bins.has_mixed ? SORTED_BY_NETWORK : SORTED_IN_BINS);
    }
}

// ------------------------------------------------------------------------------------------------------ in one launch

// A bucket as one work-group sees it while it reads all keys. Ranks that are a bound go to one of several buckets.
struct own_bucket {
    uint number;
    key_t low, high;
    uint has_low, has_high;
    uint first_of_low, n_of_low, first_of_high, n_of_high;
};

static struct own_bucket find_own_bucket(local const struct bins *bins, const struct partition partition,
                                         local const uint *range, local const key_t *bounds, const uint number)
{
    const uint n_buckets = 1u << partition.n_bucket_bits, n_bounds = n_buckets + 1;
    struct own_bucket own;
    own.number = number;
    own.has_low = number > 0;
    own.has_high = number <= n_buckets;
    own.low = own.has_low ? bounds[number - 1] : 0;
    own.high = own.has_high ? bounds[number] : (key_t) ~(key_t)0;
    if (partition.is_by_bins) {
        own.first_of_low = own.has_low ? bucket_by_bins(bins, partition, range, own.low) : 0;
        own.first_of_high = own.has_high ? bucket_by_bins(bins, partition, range, own.high) : 0;
        own.n_of_low = own.n_of_high = 1;
    } else {
        const uint below_low = count_bounds(bounds, n_bounds, n_buckets, own.low, 0);
        const uint below_high = count_bounds(bounds, n_bounds, n_buckets, own.high, 0);
        own.first_of_low = below_low + 1;
        own.first_of_high = below_high + 1;
        own.n_of_low = max(1u, count_bounds(bounds, n_bounds, n_buckets, own.low, 1) - below_low);
        own.n_of_high = max(1u, count_bounds(bounds, n_bounds, n_buckets, own.high, 1) - below_high);
    }
    return own;
}

// The bucket of a rank, as far as that is the own one, one before or one behind.
static uint bucket_beside(const struct own_bucket own, const key_t rank, const uint slot)
{
    if (own.has_low && rank == own.low) {
        return own.first_of_low + (own.n_of_low > 1 ? slot % own.n_of_low : 0);
    }
    if (own.has_high && rank == own.high) {
        return own.first_of_high + (own.n_of_high > 1 ? slot % own.n_of_high : 0);
    }
    return rank < own.low ? own.number - 1 : rank > own.high ? own.number + 1 : own.number;
}

// Keeps a rank if it is the bucket's own, as far as there is room; returns 1 if it is of a bucket before. Most are neither here
// nor bounds, so that is seen first.
static uint keep_own(const struct own_bucket own, const key_t rank, const uint slot, local key_t *kept,
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
    local key_t ranks[TILE];
    local struct bins bins;
    local key_t bounds[MAX_BUCKETS + 1];
    local uint range[2], n_before, n_own, n_written;
    local key_t *kept = ranks + TILE / 2;
    const uint item = get_local_id(0);
    key_t samples[ROWS];
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        const bool is_sample = slot < 1u << n_sample_bits && count > 0;
        samples[i] = is_sample ? key_rank(keys_in[sample_position(slot, n_sample_bits, count)], ORDER) : 0;
    }
    if (item == 0) {
        n_before = 0;
        n_own = 0;
        n_written = 0;
    }
    const struct partition partition =
        divide_into_buckets(samples, n_sample_bits, n_bucket_bits, &bins, ranks, range, bounds);
    if (partition.is_by_bins) {
        bounds_by_bins(&bins, partition, range, bounds);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const struct own_bucket own = find_own_bucket(&bins, partition, range, bounds, get_group_id(0));
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    begin_bins(&bins);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
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
    atomic_add(&n_before, before);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint n = n_own;
    const uint n_filled = own.low == own.high ? n : 0;
    const uint n_local = own.low != own.high && n <= TILE / 2 ? n : 0;
    const uint n_global = own.low != own.high && n > TILE / 2 ? n : 0;
    const struct division division = divide(own.low, own.high, n_local);
    keys_out += keys_out_offset + n_before;
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        count_rank(&bins, kept[slot], division);
    }
    scan_bins(&bins, division, LARGE_BIN);
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        put_rank(&bins, ranks, kept[slot], division);
    }
    end_bins(&bins, ranks, n_local, division);
    ROLLED
    for (slot = item; slot < n_local; slot += GROUP_SIZE) {
        keys_out[place_of(&bins, ranks, slot, division)] = rank_key(ranks[slot], ORDER);
    }
    ROLLED
    for (slot = item; slot < n_filled; slot += GROUP_SIZE) {
        keys_out[slot] = rank_key(own.low, ORDER);
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
        keys_out[slot] = rank_key(keys_out[slot], ORDER);
    }
}
