// Sort of a bucket of samplesort in local memory: ranks are divided into bins, in proportion to what they are, and bins are sorted in
// registers; what has large bins is merged as a whole.

// What is sorted: ranks of keys alone; with values, which keep the order of equal keys, (rank, position), of which no two are equal.
#if VALUE_BYTES
typedef ulong rank_t;
#define RANK_BYTES 8
#else
typedef key_t rank_t;
#define RANK_BYTES KEY_BYTES
#endif

// Bins that ranks are divided into, at most.
#if TILE < 512
#define BINS 64
#elif TILE < 2048
#define BINS 256
#elif TILE < 4096 && RANK_BYTES < 8
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

// --------------------------------------------------------------------------------------------- sorts without bins

// Batcher's network as in cl/bitonic_network.cl, for ranks of one work-group in global memory, or in local memory where work-items have
// many.
#define DEFINE_NETWORK(name, space, place, fence)                                                                      \
    INLINE void name##_exchange(space rank_t *ranks, const uint low, const uint high, const uint n)                    \
    {                                                                                                                  \
        if (high < n) {                                                                                                \
            const rank_t rank_low = ranks[place(low)], rank_high = ranks[place(high)];                                 \
            if (rank_high < rank_low) {                                                                                \
                ranks[place(low)] = rank_high;                                                                         \
                ranks[place(high)] = rank_low;                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    INLINE void name(space rank_t *ranks, const uint n)                                                                \
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
#define COMPARE(a, b) COMPARE_AS(rank_t, row, a, b)

// Two rows of each work-item would be too many registers for two work-groups on a compute unit.
#if GROUP_SIZE >= 32 && ITEMS <= ROW
INLINE rank_t read_slot(local const rank_t *ranks, const uint slot, const uint end)
{
    return slot < end ? ranks[PLACE(slot)] : (rank_t) ~(rank_t)0;
}

INLINE void write_row(local rank_t *ranks, const uint first, const uint n, const rank_t row[ROW])
{
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        if (first + i < n) {
            ranks[PLACE(first + i)] = row[i];
        }
    }
}

INLINE void sort_row(local rank_t *ranks, const uint first, const uint n)
{
    rank_t row[ROW];
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        row[i] = read_slot(ranks, first + i, n);
    }
    SORT_EIGHT(COMPARE)
    write_row(ranks, first, n, row);
}

// The row at `first` of the result where runs of `run` ranks are merged by pairs: bisection finds where it begins in both (Odeh,
// Green, Mwassi, Shmueli, Birk, Merge path, 2012). Returns whether it may differ from what is there.
INLINE bool merge_row(local const rank_t *ranks, const uint run, const uint first, const uint n, rank_t row[ROW])
{
    const uint begin = first & ~(2 * run - 1), middle = begin + run, end = min(begin + 2 * run, n);
    if (first >= n || middle >= n || ranks[PLACE(middle - 1)] <= ranks[PLACE(middle)]) {
        return false;
    }
    const uint distance = first - begin;
    uint low = distance > end - middle ? distance - (end - middle) : 0, high = min(distance, run);
    ROLLED
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_before = ranks[PLACE(begin + at)] <= ranks[PLACE(middle + distance - 1 - at)];
        low = is_before ? at + 1 : low;
        high = is_before ? high : at;
    }
    uint left = begin + low, right = middle + distance - low;
    rank_t left_rank = read_slot(ranks, left, middle), right_rank = read_slot(ranks, right, end);
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        const bool is_left = right >= end || (left < middle && left_rank <= right_rank);
        row[i] = is_left ? left_rank : right_rank;
        left += is_left ? 1 : 0;
        right += is_left ? 0 : 1;
        const rank_t next = is_left ? read_slot(ranks, left, middle) : read_slot(ranks, right, end);
        left_rank = is_left ? next : left_rank;
        right_rank = is_left ? right_rank : next;
    }
    return true;
}

// Sorts n ranks, no more than the work-items have rows for, by merging; runs that follow each other in order already cost nothing. It
// begins and ends behind a barrier.
INLINE void sort_local(local rank_t *ranks, const uint n)
{
    const uint first = get_local_id(0) * ROW;
    rank_t row[ROW];
    sort_row(ranks, first, n);
    ROLLED
    for (uint run = ROW; run < n; run <<= 1) { // the same for the whole work-group
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        const bool is_merged = merge_row(ranks, run, first, n, row);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        if (is_merged) {
            write_row(ranks, first, n, row);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#else
DEFINE_NETWORK(sort_local, local, PLACE, CLK_LOCAL_MEM_FENCE)
#endif

// ------------------------------------------------------------------------------------------- a sort in local memory

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
