// Segments of keys alone that fit the local memory of a work-group, or of a part of one, and what partitions leave: sorted by bins, in one
// read and one write, and then by merging where bins did not serve.

#define MOST_PARTS 8

// A part of a work-group, which sorts a task; all parts have barriers and bins in common.
struct part {
    uint number, lane, n_lanes;
    uint bin_bits;
    uint count; // of its task
    local element_t *slots;
};

// The part of this work-item. It is found anew by each step: what steps have in common would stay in registers otherwise.
INLINE void find_part(struct part *part, const uint part_bits, local const uint *counts, const struct bucket *bucket)
{
    const uint item = item_id(), room = (TILE + 2 * ROW) >> part_bits;
    part->n_lanes = GROUP_SIZE >> part_bits;
    part->number = item / part->n_lanes;
    part->lane = item % part->n_lanes;
    part->bin_bits = BIN_BITS - part_bits;
    part->count = counts[part->number];
    part->slots = bucket->slots + PLACE(part->number * (room / ROW * ROW));
}

// Does `statement` for the i-th item of a work-item, with its slot.
#define FOR_PART(statement)                                                                                            \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        const uint slot = i * part.n_lanes + part.lane;                                                                \
        if (slot < part.count) {                                                                                       \
            statement;                                                                                                 \
        }                                                                                                              \
    }

// Reads for the parts of a work-group that has 1 << bits of them: where that is known, keys are at known distances.
#define LOAD_PARTS(bits)                                                                                               \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        if (i * (GROUP_SIZE >> (bits)) + part.lane < part.count) {                                                     \
            ranks[i] = keys[i * (GROUP_SIZE >> (bits))];                                                               \
        }                                                                                                              \
    }

#define PART_BIN(rank) ((part.number << part.bin_bits) + ((uint)((rank) >> shift) & ((1u << part.bin_bits) - 1)))

// Batches of a class of n tasks, 1 << bits in each.
INLINE uint n_batches_of(const uint n, const uint bits)
{
    return (n >> bits) + ((n & ((1u << bits) - 1)) != 0);
}

// Local memory of the parts.
struct parts {
    struct bucket bucket;
    local uint *words;  // BIT_WORDS for each part
    local uint *counts; // of the tasks
    local uint *tos;    // where they go
    local uint *needs_rows;
};

// Reads the ranks of a task, and finds from which bit on they are put into bins.
INLINE uint read_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint part_bits, const struct parts *parts, rank_t *ranks)
{
    const uint item = item_id();
    for (uint word = item; word < MOST_PARTS * BIT_WORDS; word += GROUP_SIZE) {
        parts->words[word] = 0;
    }
    for (uint place = item; place < BIN_PLACES; place += GROUP_SIZE) {
        parts->bucket.bins[place] = 0;
    }
    if (item == 0) {
        *parts->bucket.largest = 0;
        *parts->needs_rows = 0;
    }
    if (item % (GROUP_SIZE >> part_bits) == 0) {
        parts->counts[item / (GROUP_SIZE >> part_bits)] = task->count;
        parts->tos[item / (GROUP_SIZE >> part_bits)] = task->to;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    struct part part;
    find_part(&part, part_bits, parts->counts, &parts->bucket);
    const bool is_input = PLACE_BUFFER(task->place) == IN_INPUT;
    global const key_t *keys = (is_input                                 ? arrays->keys_in
                                : PLACE_BUFFER(task->place) == IN_X ? arrays->x_keys
                                                                    : arrays->y_keys) +
                               task->from + part.lane;
    if (part_bits == 0) {
        LOAD_PARTS(0)
    } else if (part_bits == 1) {
        LOAD_PARTS(1)
    } else if (part_bits == 2) {
        LOAD_PARTS(2)
    } else {
        LOAD_PARTS(3)
    }
    if (is_input) {
        FOR_PART(ranks[i] = key_rank(ranks[i], LAYOUT_ORDER));
    }
    rank_t ones = 0, zeros = 0;
    FOR_PART(ones |= ranks[i]; zeros |= ~ranks[i]);
    local uint *words = parts->words + part.number * BIT_WORDS;
    add_bits(words, ones);
    add_bits(words + ZEROS, zeros);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint bits = varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
    const uint shift = bits > part.bin_bits ? bits - part.bin_bits : 0;
    if (shift > 0 && part.lane == 0) {
        *parts->needs_rows = 1; // all that write it write the same
    }
    return shift;
}

// As scan_bins(), but counters are read again, not kept beside the ranks.
INLINE void scan_parts(const struct bucket *bucket)
{
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
    UNROLL
    for (uint i = 0; i < WORDS_OF_ITEM; i++) {
        if (first + i < WORDS_OF_BINS) {
            const uint word = bucket->bins[BIN_PLACE(first + i)], low = word & 0xffff;
            bucket->bins[BIN_PLACE(first + i)] = BINS_OF_WORD == 2 ? (before + low) << 16 | before : before;
            before += low + (word >> 16);
        }
    }
}

// Puts the ranks of each part into its bins, with elements behind them that stay behind.
INLINE void fill_parts(const rank_t *ranks, const uint bin_shift, const uint part_bits, const struct parts *parts)
{
    struct part part;
    uint shift = bin_shift, before = 0;
    find_part(&part, part_bits, parts->counts, &parts->bucket);
    FOR_PART(add_to_bin(parts->bucket.bins, PART_BIN(ranks[i])));
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_parts(&parts->bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts->counts, &parts->bucket);
    shift = fresh_uint(bin_shift); // the bins are made again, not kept
    for (uint other = 0; other < part.number; other++) {
        before += parts->counts[other]; // bins of all parts are counted together
    }
    FOR_PART(const uint to = add_to_bin(parts->bucket.bins, PART_BIN(ranks[i])) - before;
             part.slots[PLACE(to)] = ranks[i]);
    for (uint slot = part.count + part.lane; slot < part.count + 2 * ROW; slot += part.n_lanes) {
        part.slots[PLACE(slot)] = ELEMENT_LAST;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Sorts a task of each part of the work-group to the output by bins; returns whether that was done, for every work-item. If not, it is
// there nearly in order.
INLINE bool sort_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint part_bits, const struct parts *parts)
{
    rank_t ranks[ITEMS];
    struct part part;
    const uint shift = read_parts(layout, arrays, task, part_bits, parts, ranks);
    fill_parts(ranks, shift, part_bits, parts);
    find_part(&part, part_bits, parts->counts, &parts->bucket);
    bool is_done = true;
    if (*parts->needs_rows) { // the same for the whole work-group
        is_done = sort_bins(&parts->bucket, part.slots, part.count, part.lane, part.n_lanes);
        END_OF_BRANCH();
    }
    global key_t *keys = arrays->keys_out + parts->tos[part.number];
    for (uint slot = part.lane; slot < part.count; slot += part.n_lanes) {
        keys[slot] = key_of_rank((key_t)part.slots[PLACE(slot)], LAYOUT_ORDER);
    }
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

// Slots for bins, and for merging.
#define MIDDLE_PLACES (MERGE_PLACE(TILE) > PLACES ? MERGE_PLACE(TILE) : PLACES)

// Sorts what `level` says. Before that, it counts the digits of the giant ranges that segments are, if it sorts segments: their
// histograms need no launch of their own. Each work-group names batches that bins did not serve in places of its own, and
// merges them when it is through: beside the bins that would take more registers.
KERNEL void middle(HYBRID_PARAMETERS)
{
    local element_t bucket_slots[MIDDLE_PLACES] __attribute__((aligned(16)));
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
