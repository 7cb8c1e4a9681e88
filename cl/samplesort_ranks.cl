// What samplesort sorts, steps that a work-group takes together, and sorts of ranks as a whole, without bins.

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
