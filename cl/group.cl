// Steps of one work-group: prefix sum, and stable rank of a tile's digits.

// A barrier of the work-group; nothing where that is one work-item, which also keeps CPU compilers from splitting kernels.
#if GROUP_SIZE == 1
#define GROUP_BARRIER(fences)
#else
#define GROUP_BARRIER(fences) barrier(fences)
#endif

// The end of a branch that the whole work-group takes, with a barrier in it and then conditions of work-items: PoCL 3.1 takes those
// from the first work-item, unless another barrier follows in the branch.
#define END_OF_BRANCH() GROUP_BARRIER(CLK_LOCAL_MEM_FENCE)

// The work-item's number in its work-group. PTX: read each time, since what is computed from it would otherwise be kept in registers
// over a whole loop.
INLINE uint item_id(void)
{
#if PTX
    uint item;
    __asm__ volatile("mov.u32 %0, %%tid.x;" : "=r"(item));
    return item;
#else
    return get_local_id(0);
#endif
}

// A number that does not change, read anew likewise.
INLINE ulong fresh(const ulong number)
{
#if PTX
    ulong copy;
    __asm__ volatile("mov.u64 %0, %1;" : "=l"(copy) : "l"(number));
    return copy;
#else
    return number;
#endif
}

INLINE uint fresh_uint(const uint number)
{
#if PTX
    uint copy;
    __asm__ volatile("mov.u32 %0, %1;" : "=r"(copy) : "r"(number));
    return copy;
#else
    return number;
#endif
}

#if PTX && INDEX_BYTES == 4 && GROUP_SIZE % 32 == 0
#define WARP 32
// The value of the work-item so many below in the warp (PTX ISA 8.0, shfl.sync); its own where there is none.
INLINE uint shuffle_up(const uint value, const uint distance)
{
    uint shuffled;
    __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(shuffled) : "r"(value), "r"(distance));
    return shuffled;
}

// The value of the work-item of the warp whose number differs in these bits.
INLINE uint shuffle_xor(const uint value, const uint bits)
{
    uint shuffled;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(shuffled) : "r"(value), "r"(bits));
    return shuffled;
}
#endif

// A comparator of Batcher's odd-even merge sort (Sorting networks and their applications, 1968) in a work-item's row.
#define COMPARE_AS(type, row, a, b)                                                                                    \
    {                                                                                                                  \
        const type low_ = min((row)[a], (row)[b]), high_ = max((row)[a], (row)[b]);                                    \
        (row)[a] = low_;                                                                                               \
        (row)[b] = high_;                                                                                              \
    }
// Its comparators for a row of eight, and those of the last steps of a bitonic merge of eight.
// clang-format off
#define SORT_EIGHT(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(1, 2) X(5, 6) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(2, 4) X(3, 5) X(1, 2) X(3, 4) X(5, 6)
#define MERGE_EIGHT(X) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(0, 1) X(2, 3) X(4, 5) X(6, 7)
// clang-format on

// Exclusive prefix sum of one value a work-item over the work-group; *total receives the sum of all. scratch has room for
// 2 * GROUP_SIZE. Every work-item has to call it, and a barrier has to stand between two calls.
INLINE index_t group_scan(const index_t value, local index_t *scratch, index_t *total)
{
#if GROUP_SIZE == 1
    *total = value;
    return 0;
#elif defined WARP
    const uint item = item_id();
    uint sum = value, before = 0, all = 0;
    for (uint distance = 1; distance < WARP; distance <<= 1) {
        const uint below = shuffle_up(sum, distance);
        sum += item % WARP >= distance ? below : 0;
    }
    if (item % WARP == WARP - 1) {
        scratch[item / WARP] = sum;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint warp = 0; warp < GROUP_SIZE / WARP; warp++) {
        before += warp < item / WARP ? scratch[warp] : 0;
        all += scratch[warp];
    }
    *total = all;
    return before + sum - value;
#else
    const uint item = get_local_id(0);
    local index_t *from = scratch;
    local index_t *to = scratch + GROUP_SIZE;
    from[item] = value;
    // Hillis and Steele, Data parallel algorithms, 1986; two buffers, so one barrier a step.
    for (uint distance = 1; distance < GROUP_SIZE; distance <<= 1) {
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        to[item] = from[item] + (item >= distance ? from[item - distance] : 0);
        local index_t *swap = from;
        from = to;
        to = swap;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    *total = from[GROUP_SIZE - 1];
    return item == 0 ? 0 : from[item - 1];
#endif
}

// Place of tile slot i in local memory: one place is left out behind each ITEMS slots, so that the work-items of a row that
// each read ITEMS slots of their own do not meet in one bank.
#if GROUP_SIZE == 1
#define SLOT(i) (i)
#else
#define SLOT(i) ((i) + (i) / ITEMS)
#endif
#define TILE_SLOTS SLOT(TILE)
// Places of a work-item's i-th slot where rows go over the work-group, and of its i-th own slot: a place of i = 0, and a
// distance that is known when the kernel is compiled.
#if GROUP_SIZE % ITEMS == 0
#define ROW_SLOT(item, i) (SLOT(item) + (i)*SLOT(GROUP_SIZE))
#else
#define ROW_SLOT(item, i) SLOT((i)*GROUP_SIZE + (item))
#endif
#define OWN_SLOT(item, i) ((item)*SLOT(ITEMS) + (i))

#if GROUP_SIZE > 1
// Stable ranks of a tile's digits, in four parts: every work-item calls rank_begin; rank_count for the digits of its
// ITEMS slots in order; rank_scan; and then a digit's rank in the tile is what rank_count returned plus rank_start.
//
// A work-item has a column of counters, a row for each two digits d and d + RANK_ROWS, which share a word as its halves
// (Satish, Harris, Garland, Designing efficient sorting algorithms for manycore GPUs, 2009, use such counters).
#define RANK_DIGITS (1 << RANK_BITS)
#define RANK_ROWS (RANK_DIGITS / 2)
#define COLUMN(item) ((item) + (item) / RANK_ROWS)
#define COUNTER(row, item) ((row)*COLUMN(GROUP_SIZE) + COLUMN(item))
#define N_COUNTERS (RANK_ROWS * COLUMN(GROUP_SIZE))
#define HALF(digit) ((digit) / RANK_ROWS * 16)

INLINE void rank_begin(local uint *counters)
{
    for (uint row = 0; row < RANK_ROWS; row++) {
        counters[COUNTER(row, get_local_id(0))] = 0;
    }
}

INLINE uint rank_count(local uint *counters, const uint digit)
{
    const uint at = COUNTER(digit & (RANK_ROWS - 1), get_local_id(0));
    const uint count = counters[at];
    counters[at] = count + (1u << HALF(digit));
    return count >> HALF(digit) & 0xffff;
}

INLINE void rank_scan(local uint *counters, local index_t *scratch)
{
    const uint item = get_local_id(0);
    uint sum = 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < RANK_ROWS; i++) {
        const uint n = item * RANK_ROWS + i;
        sum += counters[COUNTER(n / GROUP_SIZE, n % GROUP_SIZE)];
    }
    index_t total;
    uint before = (uint)group_scan(sum, scratch, &total);
    before += (uint)total << 16; // all low halves come before the first high half
    for (uint i = 0; i < RANK_ROWS; i++) {
        const uint n = item * RANK_ROWS + i;
        const uint at = COUNTER(n / GROUP_SIZE, n % GROUP_SIZE);
        const uint count = counters[at];
        counters[at] = before;
        before += count;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

INLINE uint rank_start(local const uint *counters, const uint digit)
{
    return counters[COUNTER(digit & (RANK_ROWS - 1), get_local_id(0))] >> HALF(digit) & 0xffff;
}
#endif
