// Segments of keys alone that fit the local memory of a work-group, or of a part of one, and what partitions leave: sorted by bins, in one
// read and one write, and then by merging where bins did not serve.

#define MOST_PARTS 8
#define GROUP_BITS (31 - clz((uint)GROUP_SIZE))

// A part of a work-group, which sorts a task; all parts have barriers and bins in common.
struct part {
    uint number, lane, n_lanes;
    uint count, n_own; // keys of its task, and of this work-item
    uint first_slot;   // a multiple of ROW
};

// Local memory of the parts, of each a number.
struct parts {
    struct bucket bucket;
    local uint *words;      // BIT_WORDS for each part: the lowest and the highest rank, or the bits of ranks
    local uint *counts;     // of the tasks
    local uint *tos;        // where they go
    local uint *needs_rows; // one for all
};

INLINE uint first_slot_of(const uint number, const uint part_bits)
{
    return number * (((TILE + 2 * ROW) >> part_bits) / ROW * ROW);
}

// The part of this work-item. It is found anew by each step: what steps have in common would stay in registers otherwise.
INLINE void find_part(struct part *part, const uint part_bits, const struct parts *parts)
{
    const uint item = item_id(), lane_bits = GROUP_BITS - part_bits;
    part->n_lanes = 1u << lane_bits;
    part->number = item >> lane_bits;
    part->lane = item & (part->n_lanes - 1);
    part->count = parts->counts[part->number];
    part->n_own = (part->count + part->n_lanes - 1 - part->lane) >> lane_bits;
    part->first_slot = first_slot_of(part->number, part_bits);
}

// Does `statement` for the i-th key of a work-item.
#define FOR_PART(statement)                                                                                            \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        if (i < part.n_own) {                                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

// Does what `of_bits` says for a work-group of 1 << bits parts, in code of its own for each: keys are at known distances then.
#define FOR_PART_BITS(of_bits)                                                                                         \
    if (part_bits == 0) {                                                                                              \
        of_bits(0)                                                                                                     \
    } else if (part_bits == 1) {                                                                                       \
        of_bits(1)                                                                                                     \
    } else if (part_bits == 2) {                                                                                       \
        of_bits(2)                                                                                                     \
    } else {                                                                                                           \
        of_bits(3)                                                                                                     \
    }

// Batches of a class of n tasks, 1 << bits in each.
INLINE uint n_batches_of(const uint n, const uint bits)
{
    return (n >> bits) + ((n & ((1u << bits) - 1)) != 0);
}

// ------------------------------------------------------------------------------------------------------------------ bins

// Bins divide what lies between the lowest and the highest rank of a part evenly: an addend and a factor for what SCALE_BITS bits tell
// of a rank. Ranks of two words are taken to lie between the bounds of the bits that they have in common.
#define SCALE_BITS 18
struct scale {
    rank_t lowest;
    uint shift, factor, addend; // that of the part's first bin
};

INLINE uint bin_of(const rank_t rank, const struct scale *scale)
{
    return ((uint)((rank - scale->lowest) >> scale->shift) * scale->factor + scale->addend) >> SCALE_BITS;
}

// Gathers the bounds of ranks, by the whole work-group.
INLINE void add_bounds(local uint *words, const rank_t *ranks, const struct part *of_item)
{
    const struct part part = *of_item;
#if RANK_WORDS > 1
    rank_t ones = 0, zeros = 0;
    FOR_PART(ones |= ranks[i]; zeros |= ~ranks[i]);
    add_bits(words, ones);
    add_bits(words + ZEROS, zeros);
#else
    uint lowest = ~0u, highest = 0;
    FOR_PART(lowest = min(lowest, ranks[i]); highest = max(highest, ranks[i]));
#ifdef WARP
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        const uint other_low = shuffle_xor(lowest, bit), other_high = shuffle_xor(highest, bit);
        lowest = min(lowest, other_low);
        highest = max(highest, other_high);
    }
    const bool is_first = item_id() % WARP == 0;
#else
    const bool is_first = true;
#endif
    if (is_first) {
        atomic_min(words, lowest);
        atomic_max(words + ZEROS, highest);
    }
#endif
}

INLINE void clear_bounds(local uint *words)
{
    for (uint word = item_id(); word < MOST_PARTS * BIT_WORDS; word += GROUP_SIZE) {
        words[word] = RANK_WORDS == 1 && word % BIT_WORDS == 0 ? ~0u : 0;
    }
}

// The scale of a part; returns whether ranks that differ may share a bin.
INLINE bool find_scale(local const uint *words, const uint part_bits, const uint number, struct scale *scale)
{
    const uint bin_bits = BIN_BITS - part_bits;
#if RANK_WORDS > 1
    const uint bits = varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
    const rank_t span = bits > 0 ? ~(rank_t)0 >> (64 - bits) : 0;
    scale->lowest = rank_of_ones(words[0], words[1]) & ~span;
#else
    const rank_t span = words[ZEROS] > words[0] ? words[ZEROS] - words[0] : 0;
    scale->lowest = words[0];
    const uint bits = 32 - clz(span);
#endif
    scale->shift = bits > SCALE_BITS ? bits - SCALE_BITS : 0;
    scale->factor = (1u << (bin_bits + SCALE_BITS)) / ((uint)(span >> scale->shift) + 1);
    scale->addend = number << (bin_bits + SCALE_BITS);
    return span >> bin_bits != 0;
}

#define LOAD_PARTS(bits)                                                                                               \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        ranks[i] = 0;                                                                                                  \
        if (i < part.n_own) {                                                                                          \
            ranks[i] = keys[i * (GROUP_SIZE >> (bits))];                                                               \
        }                                                                                                              \
    }

// Reads the ranks of a task, and counts them in bins.
INLINE void read_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint part_bits, const struct parts *parts, rank_t *ranks)
{
    const uint item = item_id();
    struct part part;
    struct scale scale;
    clear_bounds(parts->words);
    for (uint place = item; place < BIN_PLACES; place += GROUP_SIZE) {
        parts->bucket.bins[place] = 0;
    }
    if (item == 0) {
        *parts->bucket.largest = 0;
        *parts->needs_rows = 0;
    }
    if ((item & ((GROUP_SIZE >> part_bits) - 1)) == 0) {
        parts->counts[item >> (GROUP_BITS - part_bits)] = task->count;
        parts->tos[item >> (GROUP_BITS - part_bits)] = task->to;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts);
    const bool is_input = PLACE_BUFFER(task->place) == IN_INPUT; // of all tasks that are sorted together
    global const key_t *keys = (is_input                            ? arrays->keys_in
                                : PLACE_BUFFER(task->place) == IN_X ? arrays->x_keys
                                                                    : arrays->y_keys) +
                               task->from + part.lane;
    FOR_PART_BITS(LOAD_PARTS)
    if (is_input) {
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            ranks[i] = key_rank((key_t)ranks[i], LAYOUT_ORDER);
        }
    }
    add_bounds(parts->words + part.number * BIT_WORDS, ranks, &part);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (find_scale(parts->words + part.number * BIT_WORDS, part_bits, part.number, &scale) && part.lane == 0) {
        *parts->needs_rows = 1; // all that write it write the same
    }
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint bin = bin_of(ranks[i], &scale); // before the condition, which is on one instruction then
        if (i < part.n_own) {
            add_to_bin(parts->bucket.bins, bin);
        }
    }
}

// As scan_bins(), but the sums count from the first slot of each part, and counters are read again, not kept beside the ranks.
INLINE void scan_parts(const uint part_bits, const struct parts *parts)
{
    const struct bucket *bucket = &parts->bucket;
    const uint first = item_id() * WORDS_OF_ITEM;
    uint sum = 0, largest = 0;
    UNROLL
    for (uint i = 0; i < WORDS_OF_ITEM; i++) {
        const uint word = first + i < WORDS_OF_BINS ? bucket->bins[BIN_PLACE(first + i)] : 0;
        sum += (word & 0xffff) + (word >> 16); // of a counter alone in its word the upper half is 0
        largest = max(largest, max(word & 0xffff, word >> 16));
    }
    if (largest > HALF_ROW) {
        atomic_max(bucket->largest, largest);
    }
    index_t total;
    uint before = (uint)group_scan(sum, bucket->scratch, &total);
    const uint number =
        min(first * BINS_OF_WORD >> (BIN_BITS - part_bits), (1u << part_bits) - 1); // of the part they are in
    before += first_slot_of(number, part_bits);
    for (uint other = 0; other < number; other++) {
        before -= parts->counts[other];
    }
    UNROLL
    for (uint i = 0; i < WORDS_OF_ITEM; i++) {
        if (first + i < WORDS_OF_BINS) {
            const uint word = bucket->bins[BIN_PLACE(first + i)], low = word & 0xffff;
            bucket->bins[BIN_PLACE(first + i)] = BINS_OF_WORD == 2 ? (before + low) << 16 | before : before;
            before += low + (word >> 16);
        }
    }
}

// Counters that a work-item waits for together.
#define KEYS_AT_ONCE 6

// Puts the ranks of each part into its bins, with elements behind them that stay behind.
INLINE void fill_parts(const rank_t *ranks, const uint part_bits, const struct parts *parts)
{
    struct part part;
    struct scale scale; // made again, not kept
    local element_t *slots = parts->bucket.slots;
    find_part(&part, part_bits, parts);
    find_scale(parts->words + part.number * BIT_WORDS, fresh_uint(part_bits), part.number, &scale);
    UNROLL
    for (uint first = 0; first < ITEMS; first += KEYS_AT_ONCE) {
        uint to[KEYS_AT_ONCE];
        UNROLL
        for (uint i = 0; i < KEYS_AT_ONCE && first + i < ITEMS; i++) {
            const uint bin = bin_of(ranks[first + i], &scale);
            to[i] = 0;
            if (first + i < part.n_own) {
                to[i] = add_to_bin(parts->bucket.bins, bin);
            }
        }
        UNROLL
        for (uint i = 0; i < KEYS_AT_ONCE && first + i < ITEMS; i++) {
            if (first + i < part.n_own) {
                slots[PLACE(to[i])] = ranks[first + i];
            }
        }
    }
    for (uint slot = part.count + part.lane; slot < part.count + 2 * ROW; slot += part.n_lanes) {
        slots[PLACE(part.first_slot + slot)] = ELEMENT_LAST;
    }
}

// Place of a work-item's i-th slot where a part has GROUP_SIZE >> bits work-items.
#define PART_PLACE(bits, i)                                                                                            \
    ((GROUP_SIZE >> (bits)) % ROW == 0 ? PLACE(part.lane) + (i)*PLACE(GROUP_SIZE >> (bits))                            \
                                       : PLACE((i) * (GROUP_SIZE >> (bits)) + part.lane))
#define STORE_PARTS(bits)                                                                                              \
    FOR_PART(keys[i * (GROUP_SIZE >> (bits))] = key_of_rank((key_t)slots[PART_PLACE(bits, i)], LAYOUT_ORDER))

// Sorts a task of each part of the work-group to the output by bins; returns whether that was done, for every work-item. If not, it is
// there nearly in order.
INLINE bool sort_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint part_bits, const struct parts *parts)
{
    rank_t ranks[ITEMS];
    struct part part;
    read_parts(layout, arrays, task, part_bits, parts, ranks);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_parts(part_bits, parts);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    fill_parts(ranks, part_bits, parts);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts);
    local element_t *slots = parts->bucket.slots + PLACE(part.first_slot);
    bool is_done = true;
    if (*parts->needs_rows) { // the same for the whole work-group
        is_done = sort_bins(&parts->bucket, slots, part.count, TILE >> part_bits, part.lane, part.n_lanes);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE); // the largest bin has been read
        if (!is_done) {                     // full bins may have equal ranks alone
            is_done = is_sorted(&parts->bucket, slots, part.count, TILE >> part_bits, part.lane, part.n_lanes);
            END_OF_BRANCH();
        }
        END_OF_BRANCH();
    }
    global key_t *keys = arrays->keys_out + parts->tos[part.number] + part.lane;
    FOR_PART_BITS(STORE_PARTS)
    return is_done;
}

// Lists: by the bits of how many parts a work-group has for their tasks, and last those that partitions have left.
#define OF_PARTITIONS 4
INLINE global const struct task *list_of(const struct layout *layout, global uchar *areas, const uint list)
{
    const uint area = list < OF_PARTITIONS ? parted_area(layout, list) : layout->tasks;
    return (global const struct task *)(areas + (ulong)area * 256);
}
#define LIST(list) list_of(&layout, workspace + fresh(workspace_offset), list)

// Segments of a list; more than there is room for are counted where they overlap.
INLINE uint n_parted(const struct layout *layout, global const uint *control, const uint bits)
{
    return min(control[CONTROL_PARTED + bits], parted_room(layout, bits));
}

// Tasks that a work-group sorts together.
struct batch {
    uint list, bits; // it has 1 << bits parts for them
    uint first, n;   // the number of the first of them in the list, and where the list ends
};

// What a launch sorts: segments that are listed for parts of a work-group, tasks that partitions have left, or both.
#define SORT_PARTED 1
#define SORT_TASKS 2

INLINE uint count_batches(const struct layout *layout, global const uint *control, const uint sorted)
{
    uint n = sorted & SORT_TASKS ? control[CONTROL_TASKS] : 0;
    for (uint bits = 0; bits <= layout->part_bits && sorted & SORT_PARTED; bits++) {
        n += n_batches_of(n_parted(layout, control, bits), bits);
    }
    return n;
}

// Finds batch number `at`.
INLINE void find_batch(const struct layout *layout, global const uint *control, const uint sorted, uint at,
                       struct batch *batch)
{
    uint list = sorted & SORT_TASKS ? OF_PARTITIONS : 0, bits = 0;
    uint n = sorted & SORT_TASKS ? control[CONTROL_TASKS] : n_parted(layout, control, 0);
    while (at >= n_batches_of(n, bits)) {
        at -= n_batches_of(n, bits);
        list = list == OF_PARTITIONS ? 0 : list + 1;
        bits = list;
        n = n_parted(layout, control, list);
    }
    batch->list = list;
    batch->bits = bits;
    batch->first = at << bits;
    batch->n = n;
}

// Merges a task that lies in the output.
INLINE void merge_to_output(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                            local element_t *slots)
{
    for (uint slot = item_id(); slot < task->count; slot += GROUP_SIZE) {
        slots[PLACE(slot)] = key_rank(arrays->keys_out[task->to + slot], LAYOUT_ORDER);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    merge_slots(slots, task->count);
    for (uint slot = item_id(); slot < task->count; slot += GROUP_SIZE) {
        arrays->keys_out[task->to + slot] = key_of_rank((key_t)slots[PLACE(slot)], LAYOUT_ORDER);
    }
}

// Sorts what `level` says. Before that, it counts the digits of the giant ranges that segments are, if it sorts segments: their
// histograms need no launch of their own. Each work-group names batches that bins did not serve in places of its own, and
// merges them when it is through: beside the bins that would take more registers.
KERNEL void middle(HYBRID_PARAMETERS)
{
    local element_t bucket_slots[PLACES] __attribute__((aligned(16)));
    local uint bucket_bins[BIN_PLACES], bucket_largest, bucket_bits[BIT_WORDS];
    local index_t bucket_scratch[2 * GROUP_SIZE];
    const struct bucket bucket = {bucket_slots, bucket_bins, bucket_scratch, &bucket_largest, bucket_bits};
    local uint words[MOST_PARTS * BIT_WORDS], counts[MOST_PARTS], tos[MOST_PARTS], needs_rows;
    const struct parts parts = {bucket, words, counts, tos, &needs_rows};
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    if ((level & SORT_PARTED) && control[CONTROL_BLOCKS] > 0) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        const struct giants giants = GIANTS(0);
        count_giants(&layout, &arrays, &giants, get_num_groups(0), COUNTS_IN_SLOTS, words);
        END_OF_BRANCH();
    }
    const uint n_batches = count_batches(&layout, control, level);
    uint n_hard = 0;
    for (uint at = get_group_id(0); at < n_batches; at += get_num_groups(0)) {
        const struct arrays arrays = ARRAYS;
        struct batch batch;
        struct task task = {0, 0, 0, IN_INPUT};
        find_batch(&layout, control, level, at, &batch);
        const uint number = batch.first + item_id() / (GROUP_SIZE >> batch.bits);
        if (number < batch.n) {
            task = LIST(batch.list)[number];
        }
        if (!sort_parts(&layout, &arrays, &task, batch.bits, &parts)) { // the same for the whole work-group
            if (item_id() == 0) {
                atomic_inc(control + CONTROL_HARD);
                AREA(uint, hard)[n_hard * get_num_groups(0) + get_group_id(0)] = at;
            }
            n_hard++;
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = 0; i < n_hard; i++) { // the same for the whole work-group, as what follows
        struct batch batch;
        find_batch(&layout, control, level, AREA(const uint, hard)[i * get_num_groups(0) + get_group_id(0)], &batch);
        const uint end = min(batch.first + (1u << batch.bits), batch.n);
        for (uint number = batch.first; number < end; number++) {
            const struct arrays arrays = ARRAYS;
            const struct task task = LIST(batch.list)[number];
            merge_to_output(&layout, &arrays, &task, bucket.slots);
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
    }
}
