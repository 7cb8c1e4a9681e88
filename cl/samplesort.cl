// Samplesort of keys alone, in two launches: tiles of keys are put in order of buckets, then every bucket is gathered from all
// tiles and sorted in local memory. Where buckets begin follows from a sample that every work-group of the first launch looks at
// for itself, so no launch of its own is needed for it.
//
// Leischner, Osipov and Sanders, GPU sample sort, 2010. Here it is whole keys, and equal ones are alike: what is sorted is
// their ranks, in any order of ties.

#define MAX_TILES 1024
#define MAX_AT_ONCE_BUCKETS 256
// Samples of a work-item, and keys of a tile for each: a third more than a bucket has room, as there are no bins beside them.
#if GROUP_SIZE < 32
#define SAMPLE_ROWS (ITEMS < 128 ? ITEMS : 128)
#define ROWS SAMPLE_ROWS
#else
#define SAMPLE_ROWS (ITEMS < 2 ? 1 : ITEMS < 4 ? 2 : 4)
#define ROWS (ITEMS + ITEMS / 3 < 32 ? ITEMS + ITEMS / 3 : 32)
#endif
#define SAMPLES (SAMPLE_ROWS * GROUP_SIZE)
#define MAX_BUCKETS (SAMPLES < 1024 ? SAMPLES : 1024)
// A sort in local memory begins by dividing the ranks into bins.
#if TILE < 512
#define BINS 64
#elif TILE < 2048
#define BINS 256
#elif TILE < 4096 && KEY_BYTES < 8
#define BINS 1024
#else
#define BINS 2048
#endif
// Ranks of a bin that are sorted in rows; of a larger bin it is seen whether they are all alike.
#define LARGE_BIN 64
// Ranks that a work-item sorts in registers, and places in local memory: one is left out behind each row, so that work-items do
// not meet in one bank.
#define ROW 8
#define PLACE(i) ((i) + (i) / ROW)
#define PLACES(n) PLACE((n) + 2 * ROW) // with what sort_rows() reads behind them
// Before loops that are better not unrolled: every instruction here runs once or a few times, so reading it takes the time.
#if UNROLL_LOOPS
#define ROLLED _Pragma("unroll 1")
#else
#define ROLLED
#endif
// Keys that a work-item reads at once where it reads many, and where it searches for each.
#define AHEAD 8
#define SLOTS_AHEAD 2
// Keys of a bucket in one tile that are more than usual.
#define LONG_PIECE 64

// ------------------------------------------------------------------------------------------------ steps of a work-group

#ifdef WARP
INLINE uint warp_sum(uint value)
{
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        value += shuffle_xor(value, bit);
    }
    return value;
}
#endif

// Adds a value of every work-item to a sum that is 0, or that others were added to. A barrier has to follow.
INLINE void add_up(local uint *sum, const uint value)
{
#ifdef WARP
    const uint of_warp = warp_sum(value);
    if (get_local_id(0) % WARP == 0) {
        atomic_add(sum, of_warp);
    }
#else
    atomic_add(sum, value);
#endif
}

// Makes range reach from the least of all low to the greatest of all high, likewise.
INLINE void widen(local uint *range, uint low, uint high)
{
#ifdef WARP
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        low = min(low, shuffle_xor(low, bit));
        high = max(high, shuffle_xor(high, bit));
    }
    if (get_local_id(0) % WARP == 0) {
        atomic_min(&range[0], low);
        atomic_max(&range[1], high);
    }
#else
    atomic_min(&range[0], low);
    atomic_max(&range[1], high);
#endif
}

// Exclusive prefix sum of one value a work-item. scratch has SCAN_PLACES, and a barrier has to stand between two calls.
#ifdef WARP
#define SCAN_PLACES WARP
INLINE uint scan_items(const uint value, local uint *scratch)
{
    const uint lane = get_local_id(0) % WARP, warp = get_local_id(0) / WARP;
    uint sum = value;
    for (uint distance = 1; distance < WARP; distance <<= 1) {
        const uint below = shuffle_up(sum, distance);
        sum += lane >= distance ? below : 0;
    }
    if (lane == WARP - 1) {
        scratch[warp] = sum;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    // There are no more warps than a warp has work-items.
    return warp_sum(lane < warp ? scratch[lane] : 0) + sum - value;
}
#else
// A place is left out behind each of LANES parts, so that they do not meet in one bank.
#if GROUP_SIZE < 64
#define LANES 1
#else
#define LANES 32
#endif
#define PART (GROUP_SIZE / LANES)
#define SCAN_PLACES (GROUP_SIZE + 2 * LANES)

// In three steps: LANES work-items sum up a part of the values each, then the parts before theirs.
INLINE uint scan_items(const uint value, local uint *scratch)
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
#endif

// Makes n > 0 counters their exclusive prefix sum and counters[n] the sum of all; returns the greatest up to limit that the
// work-item saw, and whether it saw greater ones. Every work-item calls it, behind a barrier; it ends with one.
INLINE uint scan_counters(local uint *counters, const uint n, local uint *scratch, const uint limit, uint *has_greater)
{
    const uint item = get_local_id(0);
    const uint share = (n + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint begin = min(item * share, n), end = min(begin + share, n);
    uint sum = 0, greatest = 0;
    *has_greater = 0;
    ROLLED
    for (uint i = begin; i < end; i++) {
        const uint count = counters[i];
        sum += count;
        *has_greater |= count > limit;
        greatest = max(greatest, count > limit ? 0 : count);
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
#define DEFINE_NETWORK(name, space, place, fence)                                                                      \
    INLINE void name##_exchange(space key_t *ranks, const uint low, const uint high, const uint n)                     \
    {                                                                                                                  \
        if (high < n) {                                                                                                \
            const key_t rank_low = ranks[place(low)], rank_high = ranks[place(high)];                                  \
            if (rank_high < rank_low) {                                                                                \
                ranks[place(low)] = rank_high;                                                                         \
                ranks[place(high)] = rank_low;                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    INLINE void name(space key_t *ranks, const uint n)                                                                 \
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

#define SAME_PLACE(i) (i)
DEFINE_NETWORK(sort_global, global, SAME_PLACE, CLK_GLOBAL_MEM_FENCE)
DEFINE_NETWORK(sort_slots, local, PLACE, CLK_LOCAL_MEM_FENCE)

#ifdef WARP
// In local memory the same network has OWN consecutive ranks of each work-item in registers: ranks that meet are those of one
// work-item or of one warp, else they go through local memory.
#if ITEMS > 4
#define OWN 8
#else
#define OWN 4
#endif

INLINE key_t shuffle_rank(const key_t rank, const uint bits)
{
#if KEY_BYTES == 8
    return (key_t)shuffle_xor((uint)(rank >> 32), bits) << 32 | shuffle_xor((uint)rank, bits);
#else
    return (key_t)shuffle_xor(rank, bits);
#endif
}

INLINE void exchange_own(key_t own[OWN], const uint low, const uint high)
{
    const key_t least = min(own[low], own[high]), greatest = max(own[low], own[high]);
    own[low] = least;
    own[high] = greatest;
}

// The steps of a block of up to OWN ranks: with is_mirrored all of its steps, else those behind the first.
INLINE void merge_own(key_t own[OWN], const uint block, const uint is_mirrored)
{
    UNROLL
    for (uint stride = block / 2; stride > 0; stride >>= 1) {
        UNROLL
        for (uint i = 0; i < OWN; i++) {
            const uint other = is_mirrored && stride == block / 2 ? i ^ (block - 1) : i ^ stride;
            if (other > i) {
                exchange_own(own, i, other);
            }
        }
    }
}

INLINE key_t read_own(local const key_t *ranks, const uint slot, const uint n)
{
    return slot < n ? ranks[PLACE(slot)] : (key_t) ~(key_t)0;
}

INLINE void write_own(local key_t *ranks, const key_t own[OWN], const uint n)
{
    UNROLL
    for (uint i = 0; i < OWN; i++) {
        const uint slot = get_local_id(0) * OWN + i;
        if (slot < n) {
            ranks[PLACE(slot)] = own[i];
        }
    }
}

// A step between work-items whose numbers differ in these bits. If it is mirrored the other's ranks go the other way round.
INLINE void exchange_items(local key_t *ranks, key_t own[OWN], const uint bits, const uint is_mirrored, const uint n)
{
    const uint item = get_local_id(0), other = item ^ bits;
    if (bits >= WARP) {
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        write_own(ranks, own, n);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < OWN; i++) {
            const key_t rank = read_own(ranks, other * OWN + (is_mirrored ? OWN - 1 - i : i), n);
            own[i] = other > item ? min(own[i], rank) : max(own[i], rank);
        }
    } else if (item / WARP * WARP * OWN < n) { // the warp has ranks
        UNROLL
        for (uint i = 0; i < (is_mirrored ? OWN / 2 : OWN); i++) {
            const uint k = is_mirrored ? OWN - 1 - i : i;
            const key_t first = shuffle_rank(own[k], bits), second = i != k ? shuffle_rank(own[i], bits) : 0;
            own[i] = other > item ? min(own[i], first) : max(own[i], first);
            if (i != k) {
                own[k] = other > item ? min(own[k], second) : max(own[k], second);
            }
        }
    }
}

// Sorts n ranks, as many as there is room for in registers. Behind n all ranks are the greatest there is, and stay there.
INLINE void sort_own(local key_t *ranks, const uint n)
{
    key_t own[OWN];
    UNROLL
    for (uint i = 0; i < OWN; i++) {
        own[i] = read_own(ranks, get_local_id(0) * OWN + i, n);
    }
    UNROLL
    for (uint block = 2; block <= OWN; block <<= 1) {
        merge_own(own, block, 1);
    }
    ROLLED
    for (uint half_block = OWN; half_block < n; half_block <<= 1) {
        exchange_items(ranks, own, 2 * half_block / OWN - 1, 1, n);
        ROLLED
        for (uint stride = half_block / 2; stride >= OWN; stride >>= 1) {
            exchange_items(ranks, own, stride / OWN, 0, n);
        }
        merge_own(own, OWN, 0);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    write_own(ranks, own, n);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#endif

INLINE void sort_local(local key_t *ranks, const uint n)
{
#ifdef WARP
    if (n <= OWN * GROUP_SIZE) {
        sort_own(ranks, n);
    } else {
        sort_slots(ranks, n);
    }
#else
    sort_slots(ranks, n);
#endif
}

// ------------------------------------------------------------------------------------------- a sort in local memory

// How ranks from low on are divided into bins.
struct division {
    key_t low;
    uint shift, factor;
    uint n_bins;
};

// A division of what lies between low and high for n ranks: more bins than ranks, if that can be, and a power of two.
INLINE void divide(struct division *division, const key_t low, const key_t high, const uint n)
{
    division->n_bins = min((uint)BINS, max(32u, 1u << (32 - clz(n))));
    const key_t width = high - low;
    division->low = low;
    division->shift = 0;
#if KEY_BYTES == 8
    division->shift = width >> 32 ? 32 - clz((uint)(width >> 32)) : 0;
#endif
    // A little less than n_bins / n_steps, as a fraction of 2^32, so that rounding does not lead beyond the last bin.
    const float n_steps = (float)(uint)(width >> division->shift) + 1.0f;
    division->factor = (uint)min(4294967040.0f, (float)division->n_bins * 4294963200.0f / n_steps);
}

// Where a rank lies among bins, as a fraction of 2^32; never falls when the rank grows. If there are as many bins as steps each
// has its own, though the factor is less than 2^32.
INLINE ulong position_of(const key_t rank, const struct division division)
{
    return ((ulong)((key_t)(rank - division.low) >> division.shift) + 1) * division.factor;
}

INLINE uint bin_of(const key_t rank, const struct division division)
{
    return (uint)(position_of(rank, division) >> 32);
}

// What a sort needs beside its ranks. A bin's ranks are those from ends[bin - 1] to ends[bin]; while they come in, ends[bin] is
// where the next one goes, and before that how many there are.
struct bins {
    uint ends[BINS + 1];
    uint scratch[SCAN_PLACES];
    uint greatest; // bin that is not large
    uint has_large;
    uint has_mixed; // a large bin's keys are not all alike
};

// Consecutive bins whose ranks are in local memory together.
struct part {
    uint first_bin, last_bin; // the latter is not in it
    uint begin, end;          // of their ranks
};

// The sort, for every work-item: begin_bins(); a barrier; count_rank() for each of its ranks; a barrier; scan_bins(); put_rank()
// for each, and end_rows(); a barrier; end_bins().
INLINE void begin_bins(local struct bins *bins)
{
    ROLLED
    for (uint bin = get_local_id(0); bin < BINS; bin += GROUP_SIZE) {
        bins->ends[bin] = 0;
    }
    if (get_local_id(0) == 0) {
        bins->greatest = 0;
        bins->has_large = 0;
        bins->has_mixed = 0;
    }
}

INLINE void count_rank(local struct bins *bins, const key_t rank, const struct division division)
{
    atomic_inc(&bins->ends[bin_of(rank, division)]);
}

// The next barrier makes the greatest bin known.
INLINE void scan_bins(local struct bins *bins, const struct division division)
{
    uint has_large;
    uint greatest = scan_counters(bins->ends, division.n_bins, bins->scratch, LARGE_BIN, &has_large);
    if (has_large) {
        atomic_or(&bins->has_large, 1u);
    }
#ifdef WARP
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        greatest = max(greatest, shuffle_xor(greatest, bit));
    }
    if (get_local_id(0) % WARP == 0) {
        atomic_max(&bins->greatest, greatest);
    }
#else
    atomic_max(&bins->greatest, greatest);
#endif
}

INLINE void put_rank(local struct bins *bins, local key_t *ranks, const key_t rank, const struct division division,
                     const struct part part)
{
    const uint slot = atomic_inc(&bins->ends[bin_of(rank, division)]) - part.begin;
    ranks[PLACE(slot)] = rank;
}

// A comparator of Batcher's odd-even merge sort (Sorting networks and their applications, 1968).
#define COMPARE(a, b)                                                                                                  \
    {                                                                                                                  \
        const key_t low_ = min(row[a], row[b]), high_ = max(row[a], row[b]);                                           \
        row[a] = low_;                                                                                                 \
        row[b] = high_;                                                                                                \
    }
// clang-format off
#define SORT_ROW(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(1, 2) X(5, 6) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(2, 4) X(3, 5) X(1, 2) X(3, 4) X(5, 6)
// clang-format on

// Behind n ranks, which sort_rows() reads in whole rows, it needs the greatest there are; a barrier has to follow.
INLINE void end_rows(local key_t *ranks, const uint n)
{
    ROLLED
    for (uint slot = n + get_local_id(0); slot < n + 2 * ROW; slot += GROUP_SIZE) {
        ranks[PLACE(slot)] = (key_t) ~(key_t)0;
    }
}

// Sorts n ranks that are in order but inside bins of up to greatest. Rows are sorted, then those that begin in the middle of
// these, and so on: that is an odd-even transposition sort of half rows, which takes as many steps as a bin has half rows.
INLINE void sort_rows(local key_t *ranks, const uint n, const uint greatest)
{
    const uint n_steps = (greatest + ROW - 2) / (ROW / 2);
    ROLLED
    for (uint step = 0; step < n_steps; step++) {
        const uint is_odd = step % 2;
        ROLLED
        for (uint first = get_local_id(0); first * ROW + is_odd * (ROW / 2) < n; first += GROUP_SIZE) {
            local key_t *low = ranks + first * (ROW + 1) + is_odd * (ROW / 2);
            local key_t *high = low + ROW / 2 + is_odd; // a place is left out between rows
            key_t row[ROW];
            UNROLL
            for (uint i = 0; i < ROW; i++) {
                row[i] = i < ROW / 2 ? low[i] : high[i - ROW / 2];
            }
            SORT_ROW(COMPARE)
            UNROLL
            for (uint i = 0; i < ROW; i++) {
                *(i < ROW / 2 ? low + i : high + (i - ROW / 2)) = row[i];
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts the ranks inside their bins. If the keys of a large bin differ, the network sorts all of the part. It ends with a barrier.
INLINE void end_bins(local struct bins *bins, local key_t *ranks, const struct part part,
                     const struct division division)
{
    const uint n = part.end - part.begin;
    if (bins->has_large) {
        ROLLED
        for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
            const key_t rank = ranks[PLACE(slot)];
            const uint bin = bin_of(rank, division);
            const uint begin = bin > part.first_bin ? bins->ends[bin - 1] - part.begin : 0;
            if (bins->ends[bin] - part.begin - begin > LARGE_BIN && rank != ranks[PLACE(begin)]) {
                atomic_or(&bins->has_mixed, 1u);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    if (bins->has_mixed) {
        sort_local(ranks, n);
    } else {
        sort_rows(ranks, n, bins->greatest);
    }
}

// ------------------------------------------------------------------------------------------------------- first launch

// The position of one of 2^n_bits samples: each run of four neighbours, which are read as fast as one of them, is drawn from its
// own part of the keys. There are as many keys, or one sample.
INLINE uint sample_position(const uint sample, const uint n_bits, const uint count)
{
    const uint run_bits = min(n_bits, 2u), n_run_bits = n_bits - run_bits, run = sample >> run_bits;
    uint random = (run + 1) * 0x9e3779b9u;
    random = (random ^ random >> 15) * 0x85ebca6bu;
    return (uint)((ulong)run * count >> n_run_bits) + mul_hi(random, (count >> n_run_bits) - ((1u << run_bits) - 1)) +
           (sample & ((1u << run_bits) - 1));
}

// The curve: how many samples lie below each of SEGMENTS equal parts of their range, and below its end, as fractions of
// 2^CURVE_BITS. Between it is taken to be straight. So a segment's samples make its buckets even, not the few of each bucket.
#define SEGMENT_BITS 5
#define SEGMENTS (1 << SEGMENT_BITS)
#define CURVE_BITS 16

// How ranks are told apart into buckets. While no bin has many samples, the curve tells the bucket. Else the samples are sorted,
// and the bucket is searched among bounds.
struct partition {
    struct division division; // of the samples
    uint is_curve;
    uint n_bucket_bits, n_sample_bits;
    uint low, high; // the least and the greatest sample, as far as 32 bits tell
};

// Bits of a bin's number that a segment's bins differ in.
INLINE uint segment_bits(const struct division division)
{
    return 31 - clz(division.n_bins) - SEGMENT_BITS;
}

// Makes the numbers of samples in segments a curve.
INLINE void scan_curve(local uint *curve)
{
    const uint item = get_local_id(0);
#ifdef WARP
    if (item < WARP) {
        uint sum = curve[item];
        for (uint distance = 1; distance < WARP; distance <<= 1) {
            const uint below = shuffle_up(sum, distance);
            sum += item >= distance ? below : 0;
        }
        curve[item] = (sum - curve[item]) << CURVE_BITS;
        if (item == WARP - 1) {
            curve[SEGMENTS] = sum << CURVE_BITS;
        }
    }
#else
    uint before = 0;
    ROLLED
    for (uint segment = 0; segment <= (item == 0 ? SEGMENTS : 0); segment++) {
        if (item == 0) {
            const uint n = curve[segment];
            curve[segment] = before << CURVE_BITS;
            before += n;
        }
    }
#endif
}

// samples[i] is of slot i * GROUP_SIZE + item. Every work-item calls it; it ends with a barrier.
INLINE void divide_into_buckets(struct partition *partition, const key_t samples[SAMPLE_ROWS], const uint n_sample_bits,
                                const uint n_bucket_bits, local struct bins *bins, local key_t *ranks,
                                local uint *range, local uint *curve, local key_t *bounds)
{
    const uint item = get_local_id(0), shift = KEY_BYTES == 8 ? 32 : 0;
    const uint n_samples = 1u << n_sample_bits, distance = n_sample_bits - n_bucket_bits;
    uint low = UINT_MAX, high = 0;
    begin_bins(bins);
    if (item == 0) {
        range[0] = UINT_MAX;
        range[1] = 0;
    }
    ROLLED
    for (uint segment = item; segment <= SEGMENTS; segment += GROUP_SIZE) {
        curve[segment] = 0;
    }
    UNROLL
    for (uint i = 0; i < SAMPLE_ROWS; i++) {
        if (i * GROUP_SIZE + item < n_samples) {
            low = min(low, (uint)(samples[i] >> shift));
            high = max(high, (uint)(samples[i] >> shift));
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    widen(range, low, high);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    low = range[0];
    high = range[1];
    struct division division;
    divide(&division, (key_t)((key_t)low << shift), (key_t)(((key_t)high << shift) | (((key_t)1 << shift) - 1)),
           n_samples);
    const struct part all = {0, division.n_bins, 0, n_samples};
    // Of even samples a bin has more than that once in many millions.
    const uint limit = 6 + 4 * (n_samples / division.n_bins + 1);
    UNROLL
    for (uint i = 0; i < SAMPLE_ROWS; i++) {
        if (i * GROUP_SIZE + item < n_samples) {
            const uint bin = bin_of(samples[i], division);
            atomic_inc(&curve[bin >> segment_bits(division)]);
            if (atomic_inc(&bins->ends[bin]) >= limit) {
                atomic_or(&bins->has_large, 1u);
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    partition->division = division;
    partition->is_curve = !bins->has_large;
    partition->n_bucket_bits = n_bucket_bits;
    partition->n_sample_bits = n_sample_bits;
    partition->low = low;
    partition->high = high;
    scan_curve(curve);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (!partition->is_curve) {
        scan_bins(bins, division);
        UNROLL
        for (uint i = 0; i < SAMPLE_ROWS; i++) {
            if (i * GROUP_SIZE + item < n_samples) {
                put_rank(bins, ranks, samples[i], division, all);
            }
        }
        end_rows(ranks, n_samples);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        end_bins(bins, ranks, all, division);
        ROLLED
        for (uint bound = item; bound <= 1u << n_bucket_bits; bound += GROUP_SIZE) {
            bounds[bound] = ranks[PLACE(min(bound << distance, n_samples - 1))];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// The bucket of a rank by the curve: 0 and the last one have what is below the least sample and above the greatest.
INLINE uint bucket_by_curve(local const uint *curve, const struct partition partition, const key_t rank)
{
    const uint top = (uint)(rank >> (KEY_BYTES == 8 ? 32 : 0));
    if (top < partition.low || top > partition.high) {
        return top < partition.low ? 0 : (1u << partition.n_bucket_bits) + 1;
    }
    const ulong position = position_of(rank, partition.division) >> segment_bits(partition.division);
    const uint segment = (uint)(position >> 32);
    const uint before = curve[segment];
    const uint samples = before + mul_hi((uint)position, curve[segment + 1] - before);
    return 1 + (samples >> (CURVE_BITS + partition.n_sample_bits - partition.n_bucket_bits));
}

// The bound before bucket b + 1 by the curve: the least rank that goes there or to one behind it.
INLINE key_t bound_by_curve(local const uint *curve, const struct partition partition, const uint b)
{
    const struct division division = partition.division;
    const uint shift = KEY_BYTES == 8 ? 32 : 0;
    const uint samples = b << (CURVE_BITS + partition.n_sample_bits - partition.n_bucket_bits);
    const key_t high = (key_t)(((key_t)partition.high << shift) | (((key_t)1 << shift) - 1));
    if (b == 0 || b == 1u << partition.n_bucket_bits) {
        return b == 0 ? division.low : high;
    }
    uint segment = 0; // the last one that begins below so many samples
    ROLLED
    for (uint step = SEGMENTS / 2; step > 0; step >>= 1) {
        segment += curve[segment + step] < samples ? step : 0;
    }
    const uint before = curve[segment], width = curve[segment + 1] - before;
    const ulong fraction = (((ulong)(samples - before) << 32) + width - 1) / width;
    const ulong position = (((ulong)segment << 32) + fraction) << segment_bits(division);
    const ulong steps = (position + division.factor - 1) / division.factor - 1;
    return steps > (ulong)(key_t)(high - division.low) >> division.shift
               ? high
               : (key_t)(division.low + ((key_t)steps << division.shift));
}

// How many of n sorted bounds are below a rank, or with or_equal are it. n <= 2 * n_buckets.
INLINE uint count_bounds(local const key_t *bounds, const uint n, const uint n_buckets, const key_t rank,
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

// One of n numbers from 0 on, each for as many slots.
INLINE uint one_of(const uint n, const uint slot)
{
    return mul_hi(slot * 0x9e3779b9u, n);
}

// Finds for each bound how many are like it from there on.
INLINE void find_runs(local const key_t *bounds, const uint n_bounds, const uint n_buckets, local ushort *runs)
{
    ROLLED
    for (uint bound = get_local_id(0); bound < n_bounds; bound += GROUP_SIZE) {
        runs[bound] = (ushort)(count_bounds(bounds, n_bounds, n_buckets, bounds[bound], 1) - bound);
    }
}

// The buckets of a tile's ranks among bounds: b has the ranks from bounds[b - 1] to bounds[b]. A rank that is several bounds is
// spread over the buckets between them by its position, with tiles of one key too. All are searched together, as each search is a chain of reads.
INLINE void search_buckets(local const key_t *bounds, local const ushort *runs, const uint n_bounds,
                           const uint n_buckets, const uint begin, const uint n, const key_t mine[ROWS],
                           uint buckets[ROWS])
{
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        buckets[i] = 0; // bounds below it
    }
    ROLLED
    for (uint step = max(n_buckets, 2u); step > 0; step >>= 1) {
        UNROLL
        for (uint i = 0; i < ROWS; i++) {
            const uint below = buckets[i] + step;
            if (i * GROUP_SIZE < n && below <= n_bounds) {
                buckets[i] = bounds[below - 1] < mine[i] ? below : buckets[i];
            }
        }
    }
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint below = buckets[i], slot = i * GROUP_SIZE + get_local_id(0);
        if (i * GROUP_SIZE < n && below < n_bounds && bounds[below] == mine[i]) {
            buckets[i] += 1 + one_of(runs[below], begin + slot);
        }
    }
}

INLINE void read_tile(global const key_t *keys_in, key_t mine[ROWS], const uint begin, const uint n)
{
    UNROLL
    for (uint i = 0; i < ROWS; i++) {
        const uint slot = i * GROUP_SIZE + get_local_id(0);
        mine[i] = slot < n ? keys_in[begin + slot] : 0;
    }
}

// Tile t, of keys [t * tile_items, (t + 1) * tile_items), has its ranks written to the same places of parted, in order of their
// buckets; table[b * n_tiles + t] is where bucket b begins in it. A work-group has group_tiles of them, one after the other.
KERNEL void distribute(global const key_t *keys_in, const ulong keys_in_offset, global key_t *parted,
                       const ulong parted_offset, global ushort *table, const ulong table_offset, global key_t *bounds,
                       const ulong bounds_offset, const uint count, const uint tile_items, const uint n_tiles,
                       const uint group_tiles, const uint n_bucket_bits, const uint n_sample_bits, ORDER_PARAMETERS)
{
    local union {
        struct {
            key_t ranks[PLACES(SAMPLES)];
            struct bins bins;
        } sample;
        key_t ranks[ROWS * GROUP_SIZE];
    } room;
    local key_t local_bounds[MAX_BUCKETS + 1];
    local ushort runs[MAX_BUCKETS + 1];
    local uint starts[MAX_BUCKETS + 3];
    local uint curve[SEGMENTS + 1];
    local uint range[2];
    const uint item = get_local_id(0);
    const uint n_buckets = 1u << n_bucket_bits;
    const uint n_bounds = count > 0 ? n_buckets + 1 : 0;
    const uint first_tile = get_group_id(0) * group_tiles, last_tile = min(first_tile + group_tiles, n_tiles);
    key_t mine[ROWS], samples[SAMPLE_ROWS];
    uint buckets[ROWS], has_greater; // in the upper half of buckets is the number in the bucket
    keys_in += keys_in_offset;
    UNROLL
    for (uint i = 0; i < SAMPLE_ROWS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        const bool is_sample = slot < 1u << n_sample_bits && count > 0;
        samples[i] = is_sample ? key_rank(keys_in[sample_position(slot, n_sample_bits, count)], ORDER) : 0;
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
            mine[i] = key_rank(mine[i], ORDER);
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

// A bucket's pieces, one in each tile: tile t's is at parted[t * tile_items + table[t]] on, up to table[n_tiles + t].
struct source {
    global const key_t *parted;
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
                       key_t ranks[SLOTS_AHEAD])
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

// Ranks of one bin that local memory has no room for, in the output. If they differ, the network sorts them there.
INLINE void end_large_bin(local struct bins *bins, global key_t *ranks, const uint n, ORDER_PARAMETERS)
{
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
        if (ranks[slot] != ranks[0]) {
            atomic_or(&bins->has_mixed, 1u);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (bins->has_mixed) {
        sort_global(ranks, n);
    }
    ROLLED
    for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
        ranks[slot] = key_of_rank(ranks[slot], ORDER);
    }
}

// What was done with a bucket, for tests to see: any of these.
#define SORTED_BY_NETWORK 1
#define SORTED_IN_GLOBAL_MEMORY 2
#define SORTED_IN_PARTS 4
#define FILLED 8

// Work-group b sorts bucket b and writes its keys. Buckets whose bounds are alike are filled. Those that are too large for
// local memory are sorted in parts: runs of bins, for each of which the bucket is read again.
KERNEL void sort_buckets(global const key_t *parted, const ulong parted_offset, global const ushort *table,
                         const ulong table_offset, global const key_t *bounds, const ulong bounds_offset,
                         global uint *ways, const ulong ways_offset, global key_t *keys_out,
                         const ulong keys_out_offset, const uint n_tiles, const uint tile_items,
                         const uint n_bucket_bits, const uint count, ORDER_PARAMETERS)
{
    local union {
        key_t ranks[PLACES(TILE)];
        uint places[TILE];
    } room;
    local struct bins bins;
    local struct pieces pieces;
    const uint item = get_local_id(0), bucket = get_group_id(0);
    const key_t low = count > 0 && bucket > 0 ? bounds[bounds_offset + bucket - 1] : 0;
    const key_t high = count > 0 && bucket <= 1u << n_bucket_bits ? bounds[bounds_offset + bucket] : (key_t) ~(key_t)0;
    const struct source source = {parted + parted_offset, table + table_offset + bucket * n_tiles, n_tiles, tile_items};
    struct division division;
    struct part part = {0, 0, 0, 0};
    uint ways_taken = 0;
    divide(&division, low, high, (count >> n_bucket_bits) + 1);
    begin_bins(&bins);
    if (item == 0) {
        pieces.before = 0;
        pieces.n_long = 0;
    }
    find_pieces(source, &pieces, bins.scratch);
    const uint n = pieces.starts[n_tiles];
    const uint n_filled = low == high ? n : 0, n_sorted = n - n_filled, n_mine = n_sorted <= TILE ? n_sorted : 0;
    key_t mine[ITEMS];
    keys_out += keys_out_offset + pieces.before;
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
    ROLLED
    for (uint slot = n_mine + item; slot < n_sorted; slot += SLOTS_AHEAD * GROUP_SIZE) {
        key_t next[SLOTS_AHEAD];
        read_slots(source, &pieces, slot, n, next);
        UNROLL
        for (uint i = 0; i < SLOTS_AHEAD; i++) {
            if (slot + i * GROUP_SIZE < n) {
                count_rank(&bins, next[i], division);
            }
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
    ROLLED
    while (part.end < n_sorted) {
        next_part(&part, &bins, n, division);
        const uint n_ranks = part.end - part.begin;
        global key_t *part_out = keys_out + part.begin;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        ROLLED
        for (uint slot = n_mine + item; slot < n; slot += SLOTS_AHEAD * GROUP_SIZE) {
            key_t next[SLOTS_AHEAD];
            read_slots(source, &pieces, slot, n, next);
            UNROLL
            for (uint i = 0; i < SLOTS_AHEAD; i++) {
                const uint bin = slot + i * GROUP_SIZE < n ? bin_of(next[i], division) : BINS;
                if (bin >= part.first_bin && bin < part.last_bin && n_ranks <= TILE) {
                    put_rank(&bins, room.ranks, next[i], division, part);
                } else if (bin == part.first_bin) {
                    keys_out[atomic_inc(&bins.ends[bin])] = next[i];
                }
            }
        }
        if (n_ranks <= TILE) {
            end_rows(room.ranks, n_ranks);
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (n_ranks > TILE) {
            end_large_bin(&bins, part_out, n_ranks, ORDER);
        } else {
            end_bins(&bins, room.ranks, part, division);
            ROLLED
            for (uint slot = item; slot < n_ranks; slot += GROUP_SIZE) {
                part_out[slot] = key_of_rank(room.ranks[PLACE(slot)], ORDER);
            }
        }
        ways_taken |= (bins.has_mixed ? (n_ranks > TILE ? SORTED_IN_GLOBAL_MEMORY : SORTED_BY_NETWORK) : 0) |
                      (part.end < n ? SORTED_IN_PARTS : 0);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            bins.has_mixed = 0;
        }
    }
    ROLLED
    for (uint slot = item; slot < n_filled; slot += GROUP_SIZE) {
        keys_out[slot] = key_of_rank(low, ORDER);
    }
    if (item == 0) {
        ways[ways_offset + bucket] = ways_taken | (n_filled > 0 ? FILLED : 0);
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
        const uint slot = i * GROUP_SIZE + item;
        const bool is_sample = slot < 1u << n_sample_bits && count > 0;
        samples[i] = is_sample ? key_rank(keys_in[sample_position(slot, n_sample_bits, count)], ORDER) : 0;
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
    atomic_add(&n_before, before);
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
    end_bins(&bins, ranks, all, division);
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
