// Steps of one work-group: prefix sum, and stable rank of a tile's digits.

// A barrier of the work-group; nothing where that is one work-item, which also keeps CPU compilers from splitting kernels.
#if GROUP_SIZE == 1
#define GROUP_BARRIER(fences)
#else
#define GROUP_BARRIER(fences) barrier(fences)
#endif

// Exclusive prefix sum of one value a work-item over the work-group; *total receives the sum of all. scratch has room for
// 2 * GROUP_SIZE. Every work-item has to call it, and a barrier has to stand between two calls.
static index_t group_scan(const index_t value, local index_t *scratch, index_t *total)
{
#if GROUP_SIZE == 1
    *total = value;
    return 0;
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

// Place of tile slot i in local memory: one slot in 32 is left out, so that the work-items of a row that each read ITEMS
// slots of their own do not meet in one bank.
#if GROUP_SIZE == 1
#define SLOT(i) (i)
#else
#define SLOT(i) ((i) + ((i) >> 5))
#endif
#define TILE_SLOTS SLOT(TILE)

#if GROUP_SIZE > 1
// Counters of a tile: a column a work-item, a row for each two digits d and d + RANK_ROWS, which share a word as its
// halves (Satish, Harris, Garland, Designing efficient sorting algorithms for manycore GPUs, 2009, use such counters).
#define RANK_ROWS (1 << (RANK_BITS - 1))
#define RANK_DIGITS (1 << RANK_BITS)
#define COLUMN(item) ((item) + (item) / RANK_ROWS)
#define COUNTER(row, item) ((row) * COLUMN(GROUP_SIZE) + COLUMN(item))
#define N_COUNTERS (RANK_ROWS * COLUMN(GROUP_SIZE))

// Stable rank in the tile of ITEMS digits a work-item, which are those of slots get_local_id(0) * ITEMS and following.
static void group_rank(const uint digits[ITEMS], uint ranks[ITEMS], local uint *counters, local index_t *scratch)
{
    const uint item = get_local_id(0);
    for (uint row = 0; row < RANK_ROWS; row++) {
        counters[COUNTER(row, item)] = 0;
    }
    for (uint i = 0; i < ITEMS; i++) {
        const uint at = COUNTER(digits[i] & (RANK_ROWS - 1), item);
        const uint part = digits[i] / RANK_ROWS * 16;
        const uint count = counters[at];
        ranks[i] = count >> part & 0xffff;
        counters[at] = count + (1u << part);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
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
    for (uint i = 0; i < ITEMS; i++) {
        const uint part = digits[i] / RANK_ROWS * 16;
        ranks[i] += counters[COUNTER(digits[i] & (RANK_ROWS - 1), item)] >> part & 0xffff;
    }
}
#endif
