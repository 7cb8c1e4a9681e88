// Sort of a bucket in local memory by bins: any elements of which none, or few, are alike in their highest bits that vary.

// Elements are put in bins by their highest bits that vary, about one to a bin. Each lies less than eight places from its own then,
// if no bin has more than eight. A work-item sorts 16 neighbours in registers, and then the 16 that begin eight places further.
#define ROW 16
#define HALF_ROW 8
#define MAX_ROUNDS 5 // of that, where bins have more: then another way is taken

// An element in local memory is a rank, or what the sort of pairs makes of one: a word or two of 4 bytes.
#if ELEMENT_WORDS == 1
typedef uint element_t;
#else
typedef ulong element_t;
#endif
#define ELEMENT_LAST ((element_t) ~(element_t)0)

// Bins: a power of two up to TILE; half of them for wide elements, which need the local memory.
#if TILE >= 8192
#define TILE_BITS 13
#elif TILE >= 4096
#define TILE_BITS 12
#elif TILE >= 2048
#define TILE_BITS 11
#elif TILE >= 1024
#define TILE_BITS 10
#elif TILE >= 512
#define TILE_BITS 9
#elif TILE >= 256
#define TILE_BITS 8
#elif TILE >= 64
#define TILE_BITS 6
#else
#define TILE_BITS 4
#endif
#define BIN_BITS (ELEMENT_WORDS > 1 ? TILE_BITS - 1 : TILE_BITS)
#define BINS (1 << BIN_BITS)

// Counters of bins: two to a word where elements are wide. A work-item scans BINS_OF_ITEM of them; one place is left out behind
// each so many, so that they do not meet in one bank.
#define BINS_OF_WORD (ELEMENT_WORDS > 1 ? 2 : 1)
#define WORDS_OF_BINS (BINS / BINS_OF_WORD)
#define WORDS_OF_ITEM (WORDS_OF_BINS > GROUP_SIZE ? WORDS_OF_BINS / GROUP_SIZE : 1)
#define BIN_PLACE(word) ((word) + (word) / WORDS_OF_ITEM)
#define BIN_PLACES (BIN_PLACE(WORDS_OF_BINS) + 1)

// Places of slots: some are left out behind each row, so that work-items that each read a row do not meet in one bank, and rows
// can be read as vectors.
#define ROW_GAP (ELEMENT_WORDS == 1 ? 4 : 2)
#define PLACE(slot) ((slot) + (slot) / ROW * ROW_GAP)
#define PLACES PLACE(TILE + 2 * ROW)
// Place of a work-item's slot in row i, where rows go over the work-group.
#if GROUP_SIZE % ROW == 0
#define ROW_PLACE(i) (PLACE(item) + (i)*PLACE(GROUP_SIZE))
#else
#define ROW_PLACE(i) PLACE((i)*GROUP_SIZE + item)
#endif

// clang-format off
#define SORT_EIGHTS(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(0, 2) X(1, 3) \
    X(4, 6) X(5, 7) X(8, 10) X(9, 11) X(12, 14) X(13, 15) X(1, 2) X(5, 6) X(9, 10) X(13, 14) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(8, 12) X(9, 13) X(10, 14) X(11, 15) X(2, 4) X(3, 5) \
    X(10, 12) X(11, 13) X(1, 2) X(3, 4) X(5, 6) X(9, 10) X(11, 12) X(13, 14)
#define MERGE_EIGHTS(X) \
    X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) X(4, 8) X(5, 9) \
    X(6, 10) X(7, 11) X(2, 4) X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13) X(1, 2) X(3, 4) \
    X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
// clang-format on

#define COMPARE(a, b) COMPARE_AS(element_t, row, a, b)

struct bucket {
    local element_t *slots; // aligned for vectors
    local uint *bins;
    local index_t *scratch;
    local uint *largest; // bin, or whether something is out of order
    local uint *bits;    // BIT_WORDS
};

#define LOCAL_BUCKET LOCAL_BUCKET_OF(PLACES)
#define LOCAL_BUCKET_OF(n_places)                                                                                      \
    local element_t bucket_slots[n_places] __attribute__((aligned(16)));                                               \
    local uint bucket_bins[BIN_PLACES];                                                                                \
    local index_t bucket_scratch[2 * GROUP_SIZE];                                                                      \
    local uint bucket_largest, bucket_bits[BIT_WORDS];                                                                 \
    const struct bucket bucket = {bucket_slots, bucket_bins, bucket_scratch, &bucket_largest, bucket_bits}

// Counts of digits have the place of the slots before those are used; the host sees to it that two times RADIX fit.
#define COUNTS_IN_SLOTS ((local uint *)bucket.slots)

// Buckets are seldom full, but mostly so in all rows but the last few.
#define LOOSE_ROWS (ITEMS > 4 ? 3 : ITEMS)
#define FOR_BUCKET(count, statement) FOR_ROWS(count, LOOSE_ROWS, statement)

// Adds to a bin's counter; returns what it was.
INLINE uint add_to_bin(local uint *bins, const uint bin)
{
#if ELEMENT_WORDS > 1
    const uint upper = (bin & 1) * 16;
    return atomic_add(bins + BIN_PLACE(bin / 2), 1u << upper) >> upper & 0xffff;
#else
    return atomic_inc(bins + BIN_PLACE(bin));
#endif
}

#define BIN(element) ((uint)((element) >> shift) & (BINS - 1))

// Makes the counters of bins their exclusive prefix sums; *bucket->largest receives the largest bin.
INLINE void scan_bins(const struct bucket *bucket)
{
    const uint first = item_id() * WORDS_OF_ITEM;
    uint sum = 0, largest = 0, words[WORDS_OF_ITEM];
    UNROLL
    for (uint i = 0; i < WORDS_OF_ITEM; i++) {
        const uint word = first + i < WORDS_OF_BINS ? bucket->bins[BIN_PLACE(first + i)] : 0;
        words[i] = word;
        sum += (word & 0xffff) + (word >> 16); // of a counter alone in its word the upper half is 0
        largest = max(largest, max(word & 0xffff, word >> 16));
    }
    if (largest > HALF_ROW) {
        atomic_max(bucket->largest, largest);
    }
    index_t total;
    uint before = (uint)group_scan(sum, bucket->scratch, &total);
    UNROLL
    for (uint i = 0; i < WORDS_OF_ITEM; i++) {
        if (first + i < WORDS_OF_BINS) {
            const uint low = words[i] & 0xffff;
            bucket->bins[BIN_PLACE(first + i)] = BINS_OF_WORD == 2 ? (before + low) << 16 | before : before;
            before += low + (words[i] >> 16);
        }
    }
}

// Clears the bins. A barrier has to follow.
INLINE void clear_bins(const struct bucket *bucket)
{
    for (uint place = item_id(); place < BIN_PLACES; place += GROUP_SIZE) {
        bucket->bins[place] = 0;
    }
    if (item_id() == 0) {
        *bucket->largest = 0;
    }
}

// Makes elements that stay behind those of a bucket.
INLINE void end_slots(const uint count, const struct bucket *bucket)
{
    for (uint slot = count + item_id(); slot < count + 2 * ROW; slot += GROUP_SIZE) {
        bucket->slots[PLACE(slot)] = ELEMENT_LAST;
    }
}

// Counts the elements of a bucket in bins; a barrier follows.
INLINE void count_bins(const element_t *elements, const uint count, const uint shift, const struct bucket *bucket)
{
    const uint item = item_id();
    clear_bins(bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_BUCKET(count, add_to_bin(bucket->bins, BIN(elements[i])));
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Puts them into their bins in local memory, likewise.
INLINE void put_in_bins(const element_t *elements, const uint count, const uint bin_shift, const struct bucket *bucket)
{
    const uint item = item_id(), shift = fresh_uint(bin_shift); // the bins are made again, not kept
    FOR_BUCKET(count, const uint to = add_to_bin(bucket->bins, BIN(elements[i]));
               bucket->slots[PLACE(to)] = elements[i]);
    end_slots(count, bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Reads and writes eight slots from a multiple of eight on.
INLINE void read_half_row(local const element_t *slots, const uint slot, element_t *row)
{
    const uint place = PLACE(slot);
#if ELEMENT_WORDS == 1
    local const uint4 *vectors = (local const uint4 *)(slots + place);
    const uint4 low = vectors[0], high = vectors[1];
    row[0] = low.x;
    row[1] = low.y;
    row[2] = low.z;
    row[3] = low.w;
    row[4] = high.x;
    row[5] = high.y;
    row[6] = high.z;
    row[7] = high.w;
#else
    local const ulong2 *vectors = (local const ulong2 *)(slots + place);
    UNROLL
    for (uint i = 0; i < HALF_ROW / 2; i++) {
        const ulong2 two = vectors[i];
        row[2 * i] = two.x;
        row[2 * i + 1] = two.y;
    }
#endif
}

INLINE void write_half_row(local element_t *slots, const uint slot, const element_t *row)
{
    const uint place = PLACE(slot);
#if ELEMENT_WORDS == 1
    local uint4 *vectors = (local uint4 *)(slots + place);
    vectors[0] = (uint4)(row[0], row[1], row[2], row[3]);
    vectors[1] = (uint4)(row[4], row[5], row[6], row[7]);
#else
    local ulong2 *vectors = (local ulong2 *)(slots + place);
    UNROLL
    for (uint i = 0; i < HALF_ROW / 2; i++) {
        vectors[i] = (ulong2)(row[2 * i], row[2 * i + 1]);
    }
#endif
}

// The following are for n_lanes work-items, of which this one is number `lane`: the whole work-group, or those of one of the parts that
// each have slots of their own. All parts have their barriers in common.

// Sorts each row, then merges what meets at the rows' borders.
INLINE void sort_rows(local element_t *slots, const uint count, const uint lane, const uint n_lanes)
{
    for (uint slot = lane * ROW; slot < count; slot += n_lanes * ROW) {
        element_t row[ROW];
        read_half_row(slots, slot, row);
        read_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
        SORT_EIGHTS(COMPARE)
        MERGE_EIGHTS(COMPARE)
        write_half_row(slots, slot, row);
        write_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = lane * ROW + HALF_ROW; slot + HALF_ROW < count; slot += n_lanes * ROW) {
        element_t row[ROW];
        read_half_row(slots, slot, row);
        read_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
        MERGE_EIGHTS(COMPARE)
        write_half_row(slots, slot, row);
        write_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Whether all slots are in order, for every work-item. most: no part has more; the loop is the same for all work-items, as PoCL 3.1 leaves
// out one that the last of them does not enter.
INLINE bool is_sorted(const struct bucket *bucket, local const element_t *slots, const uint count, const uint most,
                      const uint lane, const uint n_lanes)
{
    uint is_behind = 0;
    if (item_id() == 0) {
        *bucket->largest = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint first = 1; first < most; first += n_lanes) {
        const uint slot = min(first + lane, max(count, 2u) - 1); // what lies behind the last one is not below it
        is_behind |= slots[PLACE(slot)] < slots[PLACE(slot - 1)];
    }
    if (is_behind) {
        atomic_or(bucket->largest, 1);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return *bucket->largest == 0;
}

// Sorts what is in bins; returns whether that was done, for every work-item.
INLINE bool sort_bins(const struct bucket *bucket, local element_t *slots, const uint count, const uint most,
                      const uint lane, const uint n_lanes)
{
    const uint largest = *bucket->largest;
    bool is_done = false;
    for (uint round = 0; round < MAX_ROUNDS && largest <= FULL_BIN && !is_done; round++) {
        sort_rows(slots, count, lane, n_lanes);
        is_done = largest <= HALF_ROW;
        if (!is_done) {
            is_done = is_sorted(bucket, slots, count, most, lane, n_lanes);
        }
    }
    return is_done;
}
