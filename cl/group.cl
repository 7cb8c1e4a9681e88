// Steps of one work-group: prefix sum, and stable rank of a tile's digits.

// A barrier of the work-group; nothing where that is one work-item, which also keeps CPU compilers from splitting kernels.
#if GROUP_SIZE == 1
#define GROUP_BARRIER(fences)
#else
#define GROUP_BARRIER(fences) barrier(fences)
#endif

#if PTX
// NVIDIA's OpenCL has no sub-group functions, so the warp's are had from PTX (ISA 6.0 or later, sm_30).
#define WARP 32
static uint warp_ballot(const uint predicate)
{
    uint lanes;
    __asm__ volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}"
                 : "=r"(lanes)
                 : "r"(predicate));
    return lanes;
}
static uint warp_lanes_below(void)
{
    uint lanes;
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
    return lanes;
}
static uint warp_shift_up(const uint value, const uint distance)
{
    uint shifted;
    __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(shifted) : "r"(value), "r"(distance));
    return shifted;
}
static void warp_barrier(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}
#endif

// Exclusive prefix sum of one value a work-item over the work-group; *total receives the sum of all. scratch has room for
// 2 * GROUP_SIZE. Every work-item has to call it, and a barrier has to stand between two calls.
static index_t group_scan(const index_t value, local index_t *scratch, index_t *total)
{
#if GROUP_SIZE == 1
    *total = value;
    return 0;
#elif PTX && INDEX_BYTES == 4
    const uint item = get_local_id(0);
    uint inclusive = value;
    for (uint distance = 1; distance < WARP; distance <<= 1) {
        const uint before = warp_shift_up(inclusive, distance);
        inclusive += item % WARP >= distance ? before : 0;
    }
    if (item % WARP == WARP - 1) {
        scratch[item / WARP] = inclusive;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint before = 0, sum = 0;
    for (uint warp = 0; warp < GROUP_SIZE / WARP; warp++) {
        before += warp < item / WARP ? scratch[warp] : 0;
        sum += scratch[warp];
    }
    *total = sum;
    return before + inclusive - value;
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
#define ROW_SLOT(item, i) (SLOT(item) + (i) * SLOT(GROUP_SIZE))
#else
#define ROW_SLOT(item, i) SLOT((i) * GROUP_SIZE + (item))
#endif
#define OWN_SLOT(item, i) ((item) * SLOT(ITEMS) + (i))

#if PTX
// Steps rank whole digits. A warp has ITEMS rows of 32 keys side by side.
#define STEP_BITS RADIX_BITS
#define KEY_SLOT(item, i) (((item) / WARP * ITEMS + (i)) * WARP + (item) % WARP)
#define N_COUNTERS (GROUP_SIZE / WARP * RADIX)
#else
// A work-item has ITEMS keys side by side.
#define STEP_BITS RANK_BITS
#define KEY_SLOT(item, i) ((item) * ITEMS + (i))
#endif
#define STEP_DIGITS (1 << STEP_BITS)

// Stable ranks of a tile's digits, in four parts: every work-item calls rank_begin; rank_count for its digits in the order of
// KEY_SLOT; rank_scan; and then a digit's rank in the tile is what rank_count returned plus rank_start.
#if PTX
// A warp counts in RADIX counters of its own, and finds by ballots which of its lanes have the same digit.
static local uint *rank_counters(local uint *counters)
{
    return counters + get_local_id(0) / WARP * RADIX;
}

static void rank_begin(local uint *counters)
{
    local uint *own = rank_counters(counters);
    for (uint digit = get_local_id(0) % WARP; digit < RADIX; digit += WARP) {
        own[digit] = 0;
    }
    warp_barrier();
}

static uint rank_count(local uint *counters, const uint digit)
{
    local uint *own = rank_counters(counters);
    uint peers = 0xffffffff;
    UNROLL
    for (uint bit = 0; bit < RADIX_BITS; bit++) {
        const uint is_set = digit >> bit & 1;
        const uint lanes = warp_ballot(is_set);
        peers &= is_set ? lanes : ~lanes;
    }
    const uint before = own[digit];
    const uint peers_below = peers & warp_lanes_below();
    warp_barrier();
    if (peers_below == 0) {
        own[digit] = before + popcount(peers);
    }
    warp_barrier();
    return before + popcount(peers_below);
}

static void rank_scan(local uint *counters, local index_t *scratch)
{
    const uint n_own = (RADIX + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min((uint)get_local_id(0) * n_own, (uint)RADIX);
    const uint last = min(first + n_own, (uint)RADIX);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint digit = first; digit < last; digit++) {
        for (uint warp = 0; warp < GROUP_SIZE / WARP; warp++) {
            sum += counters[warp * RADIX + digit];
        }
    }
    index_t total;
    uint before = (uint)group_scan(sum, scratch, &total);
    for (uint digit = first; digit < last; digit++) {
        for (uint warp = 0; warp < GROUP_SIZE / WARP; warp++) {
            const uint count = counters[warp * RADIX + digit];
            counters[warp * RADIX + digit] = before;
            before += count;
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

static uint rank_start(local const uint *counters, const uint digit)
{
    return counters[get_local_id(0) / WARP * RADIX + digit];
}
#elif GROUP_SIZE > 1
// A work-item has a column of counters, a row for each two digits d and d + RANK_ROWS, which share a word as its halves
// (Satish, Harris, Garland, Designing efficient sorting algorithms for manycore GPUs, 2009, use such counters).
#define RANK_ROWS (1 << (RANK_BITS - 1))
#define COLUMN(item) ((item) + (item) / RANK_ROWS)
#define COUNTER(row, item) ((row) * COLUMN(GROUP_SIZE) + COLUMN(item))
#define N_COUNTERS (RANK_ROWS * COLUMN(GROUP_SIZE))
#define HALF(digit) ((digit) / RANK_ROWS * 16)

static void rank_begin(local uint *counters)
{
    for (uint row = 0; row < RANK_ROWS; row++) {
        counters[COUNTER(row, get_local_id(0))] = 0;
    }
}

static uint rank_count(local uint *counters, const uint digit)
{
    const uint at = COUNTER(digit & (RANK_ROWS - 1), get_local_id(0));
    const uint count = counters[at];
    counters[at] = count + (1u << HALF(digit));
    return count >> HALF(digit) & 0xffff;
}

static void rank_scan(local uint *counters, local index_t *scratch)
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

static uint rank_start(local const uint *counters, const uint digit)
{
    return counters[COUNTER(digit & (RANK_ROWS - 1), get_local_id(0))] >> HALF(digit) & 0xffff;
}
#endif
