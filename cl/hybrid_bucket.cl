// Hybrid radix sort, its end: a work-group sorts what fits its local memory, in one read and one write.

// Elements are put in bins by their highest bits that vary, about one to a bin. Each lies less than eight places from its own then,
// if no bin has more than eight. A work-item sorts 16 neighbours in registers, and then the 16 that begin eight places further.
#define ROW 16
#define HALF_ROW 8
#define MAX_ROUNDS 5 // of that, where bins have more: then another way is taken
#define FULL_BIN 64  // bins above it are not tried at all

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
#define ROW_GAP (ELEMENT_WORDS == 1 ? 4 : ELEMENT_WORDS == 2 ? 2 : 1)
#define PLACE(slot) ((slot) + (slot) / ROW * ROW_GAP)
// Places of the merge sort: one is left out behind each work-item's.
#define MERGE_PLACE(slot) ((slot) + (slot) / ITEMS)
#define PLACES (PLACE(TILE + 2 * ROW) > MERGE_PLACE(TILE) ? PLACE(TILE + 2 * ROW) : MERGE_PLACE(TILE))
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

// A comparator of Batcher's odd-even merge sort (Sorting networks and their applications, 1968).
#if ELEMENT_WORDS == 3
#define COMPARE(a, b)                                                                                                  \
    {                                                                                                                  \
        const bool swap_ = element_less(row[b], row[a]);                                                               \
        const element_t low_ = swap_ ? row[b] : row[a], high_ = swap_ ? row[a] : row[b];                               \
        row[a] = low_;                                                                                                 \
        row[b] = high_;                                                                                                \
    }
#else
#define COMPARE(a, b)                                                                                                  \
    {                                                                                                                  \
        const element_t low_ = min(row[a], row[b]), high_ = max(row[a], row[b]);                                       \
        row[a] = low_;                                                                                                 \
        row[b] = high_;                                                                                                \
    }
#endif

struct bucket {
    struct slots slots;
    local uint *bins;
    local index_t *scratch;
    local uint *largest; // bin, or whether something is out of order
    local uint *bits;    // BIT_WORDS
};

#define LOCAL_BUCKET                                                                                                   \
    LOCAL_SLOTS(bucket_slots, PLACES);                                                                                 \
    local uint bucket_bins[BIN_PLACES];                                                                                \
    local index_t bucket_scratch[2 * GROUP_SIZE];                                                                      \
    local uint bucket_largest, bucket_bits[BIT_WORDS];                                                                 \
    const struct bucket bucket = {bucket_slots, bucket_bins, bucket_scratch, &bucket_largest, bucket_bits}

// Counts of digits have the place of the slots before those are used; the host sees to it that two times RADIX fit.
#if ELEMENT_WORDS == 3
#define COUNTS_IN_SLOTS ((local uint *)bucket.slots.keys)
#else
#define COUNTS_IN_SLOTS ((local uint *)bucket.slots.elements)
#endif

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

#define BIN(element) (element_bits(layout, (element), shift) & (BINS - 1))

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

// Puts the elements of a bucket into bins in local memory, with elements behind them that stay behind.
INLINE void fill_bins(const struct layout *layout, const element_t *elements, const uint count, const uint bin_shift,
                      const struct bucket *bucket)
{
    uint shift = bin_shift;
    const uint item = item_id();
    for (uint place = item; place < BIN_PLACES; place += GROUP_SIZE) {
        bucket->bins[place] = 0;
    }
    if (item == 0) {
        *bucket->largest = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_BUCKET(count, add_to_bin(bucket->bins, BIN(elements[i])));
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    shift = fresh_uint(bin_shift); // the bins are made again, not kept
    FOR_BUCKET(count, const uint to = add_to_bin(bucket->bins, BIN(elements[i]));
               set_slot(&bucket->slots, PLACE(to), elements[i]));
    for (uint slot = count + item; slot < count + 2 * ROW; slot += GROUP_SIZE) {
        set_slot(&bucket->slots, PLACE(slot), element_last());
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Reads and writes eight slots from a multiple of eight on.
INLINE void read_half_row(const struct slots *slots, const uint slot, element_t *row)
{
    const uint place = PLACE(slot);
#if ELEMENT_WORDS == 1
    local const uint4 *vectors = (local const uint4 *)(slots->elements + place);
    const uint4 low = vectors[0], high = vectors[1];
    row[0] = low.x;
    row[1] = low.y;
    row[2] = low.z;
    row[3] = low.w;
    row[4] = high.x;
    row[5] = high.y;
    row[6] = high.z;
    row[7] = high.w;
#elif ELEMENT_WORDS == 2
    local const ulong2 *vectors = (local const ulong2 *)(slots->elements + place);
    UNROLL
    for (uint i = 0; i < HALF_ROW / 2; i++) {
        const ulong2 two = vectors[i];
        row[2 * i] = two.x;
        row[2 * i + 1] = two.y;
    }
#else
    UNROLL
    for (uint i = 0; i < HALF_ROW; i++) {
        row[i] = get_slot(slots, place + i);
    }
#endif
}

INLINE void write_half_row(const struct slots *slots, const uint slot, const element_t *row)
{
    const uint place = PLACE(slot);
#if ELEMENT_WORDS == 1
    local uint4 *vectors = (local uint4 *)(slots->elements + place);
    vectors[0] = (uint4)(row[0], row[1], row[2], row[3]);
    vectors[1] = (uint4)(row[4], row[5], row[6], row[7]);
#elif ELEMENT_WORDS == 2
    local ulong2 *vectors = (local ulong2 *)(slots->elements + place);
    UNROLL
    for (uint i = 0; i < HALF_ROW / 2; i++) {
        vectors[i] = (ulong2)(row[2 * i], row[2 * i + 1]);
    }
#else
    UNROLL
    for (uint i = 0; i < HALF_ROW; i++) {
        set_slot(slots, place + i, row[i]);
    }
#endif
}

// Sorts each row, then merges what meets at the rows' borders.
INLINE void sort_rows(const struct slots *slots, const uint count)
{
    for (uint slot = item_id() * ROW; slot < count; slot += GROUP_SIZE * ROW) {
        element_t row[ROW];
        read_half_row(slots, slot, row);
        read_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
        SORT_EIGHTS(COMPARE)
        MERGE_EIGHTS(COMPARE)
        write_half_row(slots, slot, row);
        write_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item_id() * ROW + HALF_ROW; slot + HALF_ROW < count; slot += GROUP_SIZE * ROW) {
        element_t row[ROW];
        read_half_row(slots, slot, row);
        read_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
        MERGE_EIGHTS(COMPARE)
        write_half_row(slots, slot, row);
        write_half_row(slots, slot + HALF_ROW, row + HALF_ROW);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Whether the bucket is in order, for every work-item.
INLINE bool is_sorted(const struct bucket *bucket, const uint count)
{
    uint is_behind = 0;
    if (item_id() == 0) {
        *bucket->largest = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint slot = item_id() + 1; slot < count; slot += GROUP_SIZE) {
        is_behind |= element_less(get_slot(&bucket->slots, PLACE(slot)), get_slot(&bucket->slots, PLACE(slot - 1)));
    }
    if (is_behind) {
        atomic_or(bucket->largest, 1);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return *bucket->largest == 0;
}

// Sorts what is in bins; returns whether that was done, for every work-item.
INLINE bool sort_bins(const struct bucket *bucket, const uint count)
{
    const uint largest = *bucket->largest;
    bool is_done = false;
    for (uint round = 0; round < MAX_ROUNDS && largest <= FULL_BIN && !is_done; round++) {
        sort_rows(&bucket->slots, count);
        is_done = largest <= HALF_ROW;
        if (!is_done) {
            is_done = is_sorted(bucket, count);
        }
    }
    return is_done;
}

INLINE void write_bucket(const struct layout *layout, const struct arrays *arrays, const uint to, const uint count,
                         const struct bucket *bucket)
{
    const uint item = item_id();
    FOR_BUCKET(count, write_output(layout, arrays, to + slot, get_slot(&bucket->slots, ROW_PLACE(i))));
}

// Sorts the buckets of the second optimistic level from Y to the output; those that bins do not serve become tasks. A work-group
// for each. Before that, the first `level` of them count the giant ranges of level 0.
KERNEL void bucket(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    if (control[CONTROL_TILES] > 0) {
        const struct giants giants = GIANTS(0);
        count_giants(&layout, &arrays, &giants, min(level, (uint)get_num_groups(0)), COUNTS_IN_SLOTS, bucket.bits);
    }
    const uint number = get_group_id(0);
    const uint count = control[CONTROL_OVERFLOW] ? 0 : AREA(const uint, second_sizes)[number];
    const uint bits = 8 * KEY_BYTES + layout.position_bits - layout.first_bits - layout.second_bits;
    if (count > 0) { // the same for the whole work-group
        const uint from = number * layout.second_capacity;
        const uint to = AREA(const uint, second_offsets)[number];
        element_t elements[ITEMS];
        load_rows(&layout, &arrays, IN_Y, from, count, LOOSE_ROWS, elements);
        fill_bins(&layout, elements, count, bits > BIN_BITS ? bits - BIN_BITS : 0, &bucket);
        if (sort_bins(&bucket, count)) {
            write_bucket(&layout, &arrays, to, count, &bucket);
        } else if (item_id() == 0) {
            const struct task task = {from, to, count, IN_Y};
            AREA(struct task, tasks)[atomic_inc(control + CONTROL_TASKS)] = task;
        }
    }
}

// Finds how many of the lowest bits vary in a bucket.
INLINE uint find_varying(const struct layout *layout, const element_t *elements, const uint count, local uint *bits)
{
    const uint item = item_id();
    element_t ones = element_complement(element_last()), zeros = ones;
    for (uint word = item; word < BIT_WORDS; word += GROUP_SIZE) {
        bits[word] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_BUCKET(count, ones = element_union(ones, elements[i]);
               zeros = element_union(zeros, element_complement(elements[i])));
    add_bits(bits, ones);
    add_bits(bits + ZEROS, zeros);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return varying_bits(layout, bits[0] & bits[ZEROS], bits[1] & bits[ZEROS + 1], bits[2] & bits[ZEROS + 2]);
}

// Sorts the ITEMS elements of a work-item in registers: odd-even transposition.
INLINE void sort_own(element_t *row)
{
    UNROLL
    for (uint round = 0; round < ITEMS; round++) {
        UNROLL
        for (uint i = round & 1; i + 1 < ITEMS; i += 2) {
            COMPARE(i, i + 1)
        }
    }
}

// Merges runs of `run` elements by pairs: finds by bisection where a work-item's ITEMS elements of the result begin in both
// (Odeh, Green, Mwassi, Shmueli, Birk, Merge path, 2012), and takes them into registers.
INLINE void merge_own(const struct slots *slots, const uint run, const uint count, element_t *row)
{
    const uint own = item_id() * ITEMS;
    const uint begin = own / (2 * run) * (2 * run);
    const uint middle = min(begin + run, count), end = min(begin + 2 * run, count);
    const uint distance = min(own, end) - min(begin, end);
    uint low = distance > end - middle ? distance - (end - middle) : 0;
    uint high = min(distance, middle - begin);
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_before = !element_less(get_slot(slots, MERGE_PLACE(middle + distance - 1 - at)),
                                             get_slot(slots, MERGE_PLACE(begin + at)));
        low = is_before ? at + 1 : low;
        high = is_before ? high : at;
    }
    uint left = begin + low, right = middle + distance - low;
    for (uint i = 0; i < ITEMS; i++) {
        const bool has_left = left < middle, has_right = right < end;
        element_t a = element_last(), b = element_last();
        if (has_left) {
            a = get_slot(slots, MERGE_PLACE(left));
        }
        if (has_right) {
            b = get_slot(slots, MERGE_PLACE(right));
        }
        const bool is_left = has_left && (!has_right || !element_less(b, a));
        row[i] = is_left ? a : b;
        left += is_left;
        right += !is_left;
    }
}

// Sorts a task by merging to slots of MERGE_PLACE(): as fast for any elements.
INLINE void merge_task(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const struct slots *slots)
{
    const uint item = item_id();
    element_t row[ITEMS];
    for (uint slot = item; slot < task->count; slot += GROUP_SIZE) {
        set_slot(slots, MERGE_PLACE(slot), read_element(layout, arrays, task->buffer, task->from + slot));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        row[i] = element_last();
        if (item * ITEMS + i < task->count) {
            row[i] = get_slot(slots, MERGE_PLACE(item * ITEMS + i));
        }
    }
    sort_own(row);
    uint run = ITEMS;
    bool is_merged = false;
    while (!is_merged) { // the same for the whole work-group
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            if (item * ITEMS + i < task->count) {
                set_slot(slots, MERGE_PLACE(item * ITEMS + i), row[i]);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        is_merged = run >= task->count;
        if (!is_merged) {
            merge_own(slots, run, task->count, row);
        }
        run *= 2;
    }
}

// Expands the giant ranges of the last level, whose histograms are there; counts and ends have room for RADIX each.
INLINE void expand_giants(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                          local uint *counts, local uint *ends, local index_t *scratch)
{
    for (uint at = get_group_id(0); at < giants->n_tiles;
         at += get_num_groups(0)) { // the same for the whole work-group
        const uint number = giants->map[at];
        const struct range range = giants->ranges[number];
        const uint begin = (at - range.first_tile) * layout->tile;
        global const uint *words = giants->bits + number * BIT_WORDS;
        const uint bits =
            varying_bits(layout, words[0] & words[ZEROS], words[1] & words[ZEROS + 1], words[2] & words[ZEROS + 2]);
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            counts[digit] = giants->counts[number * RADIX + digit];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        find_ends(counts, ends, scratch);
        expand_part(layout, arrays, &range, element_of_ones(words[0], words[1], words[2]), bits == 0, begin,
                    min(begin + layout->tile, range.count), ends);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts tasks to the output by bins; those that bins do not serve are left to `hard`. Before that, it expands the giant ranges of the
// level, which is the last.
KERNEL void task(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    global const struct task *tasks = AREA(const struct task, tasks);
    const uint n_tasks = control[CONTROL_TASKS];
    if (control[CONTROL_TILES + level] > 0) {
        const struct arrays arrays = ARRAYS;
        const struct giants giants = GIANTS(level);
        expand_giants(&layout, &arrays, &giants, COUNTS_IN_SLOTS, COUNTS_IN_SLOTS + RADIX, bucket.scratch);
    }
    for (uint number = get_group_id(0); number < n_tasks; number += get_num_groups(0)) {
        const struct arrays arrays = ARRAYS;
        const struct task task = tasks[number];
        element_t elements[ITEMS];
        if (task.count > 0) { // the same for the whole work-group
            load_rows(&layout, &arrays, task.buffer, task.from, task.count, LOOSE_ROWS, elements);
            const uint bits = find_varying(&layout, elements, task.count, bucket.bits);
            fill_bins(&layout, elements, task.count, bits > BIN_BITS ? bits - BIN_BITS : 0, &bucket);
            if (bits <= BIN_BITS || sort_bins(&bucket, task.count)) {
                write_bucket(&layout, &arrays, task.to, task.count, &bucket);
            } else if (item_id() == 0) {
                AREA(uint, hard)[atomic_inc(control + CONTROL_HARD)] = number;
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts the tasks that `task` left, by merging. A kernel of its own, since it needs half the registers.
KERNEL void hard(HYBRID_PARAMETERS)
{
    LOCAL_SLOTS(slots, MERGE_PLACE(TILE));
    const struct layout layout = LAYOUT;
    const uint n_hard = AREA(const uint, control)[CONTROL_HARD];
    for (uint at = get_group_id(0); at < n_hard; at += get_num_groups(0)) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        const struct task task = AREA(const struct task, tasks)[AREA(const uint, hard)[at]];
        merge_task(&layout, &arrays, &task, &slots);
        for (uint slot = item_id(); slot < task.count; slot += GROUP_SIZE) {
            write_output(&layout, &arrays, task.to + slot, get_slot(&slots, MERGE_PLACE(slot)));
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
