// Buckets of samplesort: where they begin follows from a sample of the keys, that every work-group looks at for itself, and which one a
// rank belongs to.

// Samples of a work-item, and keys of a tile for each: a third more than a bucket has room, as there are no bins beside them.
#if GROUP_SIZE < 32
#define SAMPLE_ROWS (ITEMS < 128 ? ITEMS : 128)
#define ROWS SAMPLE_ROWS
#else
#define SAMPLE_ROWS (ITEMS < 2 ? 1 : ITEMS < 4 ? 2 : 4)
#define ROWS (ITEMS + ITEMS / 3 < 32 ? ITEMS + ITEMS / 3 : 32)
#endif
#define SAMPLES (SAMPLE_ROWS * GROUP_SIZE)
// How often bins of samples are divided again, where keys are the AND of three random ones, for instance.
#define SAMPLE_DIVISIONS 3

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
INLINE void divide_into_buckets(struct partition *partition, const rank_t samples[SAMPLE_ROWS],
                                const uint n_sample_bits, const uint n_bucket_bits, local struct bins *bins,
                                local rank_t *ranks, local uint *range, local uint *curve, local rank_t *bounds)
{
    const uint item = get_local_id(0), shift = RANK_BYTES == 8 ? 32 : 0;
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
    divide(&division, (rank_t)((rank_t)low << shift), (rank_t)(((rank_t)high << shift) | (((rank_t)1 << shift) - 1)),
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
        end_bins(bins, ranks, all, division, SAMPLE_DIVISIONS);
        ROLLED
        for (uint bound = item; bound <= 1u << n_bucket_bits; bound += GROUP_SIZE) {
            bounds[bound] = ranks[PLACE(min(bound << distance, n_samples - 1))];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// The bucket of a rank by the curve: 0 and the last one have what is below the least sample and above the greatest.
INLINE uint bucket_by_curve(local const uint *curve, const struct partition partition, const rank_t rank)
{
    const uint top = (uint)(rank >> (RANK_BYTES == 8 ? 32 : 0));
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
INLINE rank_t bound_by_curve(local const uint *curve, const struct partition partition, const uint b)
{
    const struct division division = partition.division;
    const uint shift = RANK_BYTES == 8 ? 32 : 0;
    const uint samples = b << (CURVE_BITS + partition.n_sample_bits - partition.n_bucket_bits);
    const rank_t high = (rank_t)(((rank_t)partition.high << shift) | (((rank_t)1 << shift) - 1));
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
    return rank_from(position, division, high);
}

// How many of n sorted bounds are below a rank, or with or_equal are it. n <= 2 * n_buckets.
INLINE uint count_bounds(local const rank_t *bounds, const uint n, const uint n_buckets, const rank_t rank,
                         const uint or_equal)
{
    uint below = 0;
    ROLLED
    for (uint step = n_buckets; step > 0; step >>= 1) {
        if (below + step <= n) {
            const rank_t bound = bounds[below + step - 1];
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
INLINE void find_runs(local const rank_t *bounds, const uint n_bounds, const uint n_buckets, local ushort *runs)
{
    ROLLED
    for (uint bound = get_local_id(0); bound < n_bounds; bound += GROUP_SIZE) {
        runs[bound] = (ushort)(count_bounds(bounds, n_bounds, n_buckets, bounds[bound], 1) - bound);
    }
}

// The buckets of a tile's ranks among bounds: b has the ranks from bounds[b - 1] to bounds[b]. A rank that is several bounds is
// spread over the buckets between them by its position, with tiles of one key too. All are searched together, as each search is a
// chain of reads.
INLINE void search_buckets(local const rank_t *bounds, local const ushort *runs, const uint n_bounds,
                           const uint n_buckets, const uint begin, const uint n, const rank_t mine[ROWS],
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
