// Sort of a bucket of samplesort in local memory: ranks are divided into bins, in proportion to what they are, and bins are sorted in
// registers; what has large bins is merged as a whole.

// How ranks from low on are divided into bins.
struct division {
    rank_t low;
    uint shift, factor;
    uint n_bins;
};

// A division of what lies between low and high for n ranks: more bins than ranks, if that can be, and a power of two.
INLINE void divide(struct division *division, const rank_t low, const rank_t high, const uint n)
{
    division->n_bins = min((uint)BINS, max(32u, 1u << (32 - clz(n))));
    const rank_t width = high - low;
    division->low = low;
    division->shift = 0;
#if RANK_BYTES == 8
    division->shift = width >> 32 ? 32 - clz((uint)(width >> 32)) : 0;
#endif
    // A little less than n_bins / n_steps, as a fraction of 2^32, so that rounding does not lead beyond the last bin.
    const float n_steps = (float)(uint)(width >> division->shift) + 1.0f;
    division->factor = (uint)min(4294967040.0f, (float)division->n_bins * 4294963200.0f / n_steps);
}

// Where a rank lies among bins, as a fraction of 2^32; never falls when the rank grows. If there are as many bins as steps each
// has its own, though the factor is less than 2^32.
INLINE ulong position_of(const rank_t rank, const struct division division)
{
    return ((ulong)((rank_t)(rank - division.low) >> division.shift) + 1) * division.factor;
}

INLINE uint bin_of(const rank_t rank, const struct division division)
{
    return (uint)(position_of(rank, division) >> 32);
}

// The first step that lies at a position or behind it.
INLINE ulong step_from(const ulong position, const struct division division)
{
    return position > 0 ? (position + division.factor - 1) / division.factor - 1 : 0;
}

// The least rank that lies at a position or behind it, of those up to high.
INLINE rank_t rank_from(const ulong position, const struct division division, const rank_t high)
{
    const ulong step = step_from(position, division);
    return step > (ulong)(rank_t)(high - division.low) >> division.shift
               ? high
               : (rank_t)(division.low + ((rank_t)step << division.shift));
}

// The greatest rank that lies before a position, of those up to high.
INLINE rank_t rank_before(const ulong position, const struct division division, const rank_t high)
{
    const ulong step = step_from(position, division);
    return step > (ulong)(rank_t)(high - division.low) >> division.shift
               ? high
               : (rank_t)(division.low + ((rank_t)step << division.shift) - 1);
}

// What a sort needs beside its ranks. A bin's ranks are those from ends[bin - 1] to ends[bin]; while they come in, ends[bin] is
// where the next one goes, and before that how many there are.
struct bins {
    uint ends[BINS + 1];
    uint scratch[SCAN_PLACES];
    uint greatest; // bin that is not large
    uint has_large;
    uint has_mixed;   // a large bin's keys are not all alike
    uint most_behind; // different keys in a bin when those have been divided again
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
        bins->most_behind = 0;
    }
}

INLINE void count_rank(local struct bins *bins, const rank_t rank, const struct division division)
{
    atomic_inc(&bins->ends[bin_of(rank, division)]);
}

// Makes a number the greatest of all work-items', once that is known to be 0. A barrier has to follow.
INLINE void raise(local uint *greatest, uint own)
{
#ifdef WARP
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        own = max(own, shuffle_xor(own, bit));
    }
    if (get_local_id(0) % WARP == 0) {
        atomic_max(greatest, own);
    }
#else
    atomic_max(greatest, own);
#endif
}

// The next barrier makes the greatest bin known.
INLINE void scan_bins(local struct bins *bins, const struct division division)
{
    uint has_large;
    const uint greatest = scan_counters(bins->ends, division.n_bins, bins->scratch, LARGE_BIN, &has_large);
    if (has_large) {
        atomic_or(&bins->has_large, 1u);
    }
    raise(&bins->greatest, greatest);
}

INLINE void put_rank(local struct bins *bins, local rank_t *ranks, const rank_t rank, const struct division division,
                     const struct part part)
{
    const uint slot = atomic_inc(&bins->ends[bin_of(rank, division)]) - part.begin;
    ranks[PLACE(slot)] = rank;
}

// Behind n ranks, which sort_rows() reads in whole rows, it needs the greatest there are; a barrier has to follow.
INLINE void end_rows(local rank_t *ranks, const uint n)
{
    ROLLED
    for (uint slot = n + get_local_id(0); slot < n + 2 * ROW; slot += GROUP_SIZE) {
        ranks[PLACE(slot)] = (rank_t) ~(rank_t)0;
    }
}

// Sorts n ranks that are in order but inside bins of up to greatest. Rows are sorted, then those that begin in the middle of
// these, and so on: that is an odd-even transposition sort of half rows, which takes as many steps as a bin has half rows.
INLINE void sort_rows(local rank_t *ranks, const uint n, const uint greatest)
{
    const uint n_steps = (greatest + ROW - 2) / (ROW / 2);
    ROLLED
    for (uint step = 0; step < n_steps; step++) {
        const uint is_odd = step % 2;
        ROLLED
        for (uint first = get_local_id(0); first * ROW + is_odd * (ROW / 2) < n; first += GROUP_SIZE) {
            local rank_t *low = ranks + first * (ROW + 1) + is_odd * (ROW / 2);
            local rank_t *high = low + ROW / 2 + is_odd; // a place is left out between rows
            rank_t row[ROW];
            UNROLL
            for (uint i = 0; i < ROW; i++) {
                row[i] = i < ROW / 2 ? low[i] : high[i - ROW / 2];
            }
            SORT_EIGHT(COMPARE)
            UNROLL
            for (uint i = 0; i < ROW; i++) {
                *(i < ROW / 2 ? low + i : high + (i - ROW / 2)) = row[i];
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Where registers are few for that, bins are not divided again, nor where ranks are narrower than the counters that stand in their place
// meanwhile.
#define DIVIDES_AGAIN (RANK_BYTES >= 4 && (GROUP_SIZE < 32 || ITEMS <= ROW))
#if DIVIDES_AGAIN
// Bins of a part: where they begin in it, and how many ranks they have.
#define SPAN(begin, n) ((begin) | (n) << 16)
#define SPAN_BEGIN(span) ((span)&0xffff)
#define SPAN_N(span) ((span) >> 16)
#define FOR_OWN(n, statement)                                                                                          \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        if (i * GROUP_SIZE + item < (n)) {                                                                             \
            statement;                                                                                                 \
        }                                                                                                              \
    }

// Clears n counters, between barriers.
INLINE void clear_counters(local uint *counters, const uint n)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    ROLLED
    for (uint counter = get_local_id(0); counter < n; counter += GROUP_SIZE) {
        counters[counter] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Divides each bin into as many as it has ranks, and does that n_times, for keys that are uneven at every scale.
// It begins behind a barrier and ends with one, behind which most_behind is known.
INLINE void divide_again(local struct bins *bins, local rank_t *ranks, const struct part part,
                         const struct division division, const uint n_times)
{
    local uint *counters = (local uint *)ranks; // while the ranks are in registers
    const uint item = get_local_id(0), n = part.end - part.begin;
    rank_t mine[ITEMS];
    uint spans[ITEMS], fractions[ITEMS]; // of its bin, where a rank lies in it
    FOR_OWN(n, mine[i] = ranks[PLACE(i * GROUP_SIZE + item)]; const ulong position = position_of(mine[i], division);
            const uint bin = (uint)(position >> 32);
            const uint begin = bin > part.first_bin ? bins->ends[bin - 1] - part.begin : 0;
            spans[i] = SPAN(begin, bins->ends[bin] - part.begin - begin); fractions[i] = (uint)position)
    ROLLED
    for (uint time = 0; time < n_times; time++) {
        uint has_greater;
        clear_counters(counters, n);
        FOR_OWN(n, const ulong position = (ulong)fractions[i] * SPAN_N(spans[i]); fractions[i] = (uint)position;
                spans[i] = SPAN_BEGIN(spans[i]) + (uint)(position >> 32); atomic_inc(counters + spans[i]))
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        scan_counters(counters, n, bins->scratch, 0, &has_greater);
        FOR_OWN(n, const uint begin = counters[spans[i]]; spans[i] = SPAN(begin, counters[spans[i] + 1] - begin))
    }
    clear_counters(counters, n);
    FOR_OWN(n, const uint begin = SPAN_BEGIN(spans[i]); fractions[i] = begin + atomic_inc(counters + begin))
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_OWN(n, ranks[PLACE(fractions[i])] = mine[i])
    end_rows(ranks, n);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint most = 0;
    FOR_OWN(n, const bool is_alike = mine[i] == ranks[PLACE(SPAN_BEGIN(spans[i]))];
            most = is_alike ? most : max(most, SPAN_N(spans[i])))
    raise(&bins->most_behind, most);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#endif

// Sorts the ranks inside their bins. If the ranks of a large bin differ, bins are divided n_times again, and if that did not do, the
// part is sorted as if there were no bins; returns whether it was. It ends with a barrier.
INLINE bool end_bins(local struct bins *bins, local rank_t *ranks, const struct part part,
                     const struct division division, const uint n_times)
{
    const uint n = part.end - part.begin;
    if (bins->has_large) {
        ROLLED
        for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
            const rank_t rank = ranks[PLACE(slot)];
            const uint bin = bin_of(rank, division);
            const uint begin = bin > part.first_bin ? bins->ends[bin - 1] - part.begin : 0;
            if (bins->ends[bin] - part.begin - begin > LARGE_BIN && rank != ranks[PLACE(begin)]) {
                atomic_or(&bins->has_mixed, 1u);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    const bool has_mixed = bins->has_mixed;
#if DIVIDES_AGAIN
    if (has_mixed) {
        divide_again(bins, ranks, part, division, n_times);
    }
    const uint most = has_mixed ? bins->most_behind : bins->greatest;
#else
    const uint most = has_mixed ? n : bins->greatest;
#endif
    if (most > LARGE_BIN) {
        sort_local(ranks, n);
    } else {
        sort_rows(ranks, n, most);
    }
    return most > LARGE_BIN;
}
