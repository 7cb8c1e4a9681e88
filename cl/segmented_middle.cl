// Segments of keys alone that fit the local memory of a work-group, or of a part of one, and what partitions leave: sorted by bins, in one
// read and one write, or by merging where bins do not serve.

#define MOST_PARTS 8

// A part of a work-group, which sorts a task; all parts have barriers and bins in common.
struct part {
    uint number, lane, n_lanes;
    uint bin_bits;
    uint before; // keys of the parts before it, and so what its bins begin with
    local element_t *slots;
};

#define FOR_PART(count, statement)                                                                                     \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        const uint slot = i * part.n_lanes + part.lane;                                                                \
        if (slot < (count)) {                                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

#define PART_BIN(rank) ((part.number << part.bin_bits) + ((uint)((rank) >> shift) & ((1u << part.bin_bits) - 1)))

// Batches of a class of n tasks, 1 << bits in each.
INLINE uint n_batches_of(const uint n, const uint bits)
{
    return (n >> bits) + ((n & ((1u << bits) - 1)) != 0);
}

// Sorts a task of each part of the work-group to the output. words has room for BIT_WORDS of each part, counts for a word.
INLINE void sort_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint part_bits, const struct bucket *bucket, local uint *words, local uint *counts,
                       local uint *needs_rows)
{
    const uint item = item_id();
    const uint room = (TILE + 2 * ROW) >> part_bits;
    struct part part;
    part.n_lanes = GROUP_SIZE >> part_bits;
    part.number = item / part.n_lanes;
    part.lane = item % part.n_lanes;
    part.bin_bits = BIN_BITS - part_bits;
    part.before = 0;
    part.slots = bucket->slots + PLACE(part.number * (room / ROW * ROW));
    const uint count = task->count;
    rank_t ranks[ITEMS], ones = 0, zeros = 0;
    if (PLACE_BUFFER(task->place) == IN_INPUT) {
        FOR_PART(count, ranks[i] = read_rank(layout, arrays, IN_INPUT, task->from + slot));
    } else {
        const uint buffer = PLACE_BUFFER(task->place) == IN_X ? IN_X : IN_Y;
        FOR_PART(count, ranks[i] = read_rank(layout, arrays, buffer, task->from + slot));
    }
    for (uint word = item; word < MOST_PARTS * BIT_WORDS; word += GROUP_SIZE) {
        words[word] = 0;
    }
    for (uint place = item; place < BIN_PLACES; place += GROUP_SIZE) {
        bucket->bins[place] = 0;
    }
    if (item == 0) {
        *bucket->largest = 0;
        *needs_rows = 0;
    }
    if (part.lane == 0) {
        counts[part.number] = count;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_PART(count, ones |= ranks[i]; zeros |= ~ranks[i]);
    add_bits(words + part.number * BIT_WORDS, ones);
    add_bits(words + part.number * BIT_WORDS + ZEROS, zeros);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    local const uint *own = words + part.number * BIT_WORDS;
    const uint bits = varying_bits(own[0] & own[ZEROS], own[1] & own[ZEROS + 1]);
    const uint shift = bits > part.bin_bits ? bits - part.bin_bits : 0;
    uint most = 0;
    for (uint other = 0; other < 1u << part_bits; other++) {
        part.before += other < part.number ? counts[other] : 0;
        most = max(most, counts[other]);
    }
    if (shift > 0 && part.lane == 0) {
        *needs_rows = 1; // all that write it write the same
    }
    FOR_PART(count, add_to_bin(bucket->bins, PART_BIN(ranks[i])));
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_PART(count, const uint to = add_to_bin(bucket->bins, PART_BIN(ranks[i])) - part.before;
             part.slots[PLACE(to)] = ranks[i]);
    for (uint slot = count + part.lane; slot < count + 2 * ROW; slot += part.n_lanes) {
        part.slots[PLACE(slot)] = ELEMENT_LAST;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const bool is_done = !*needs_rows || sort_bins(bucket, part.slots, count, part.lane, part.n_lanes);
    if (is_done) { // the same for the whole work-group
        FOR_PART(count, arrays->keys_out[task->to + slot] =
                            key_of_rank((key_t)part.slots[PLACE(slot)], LAYOUT_ORDER));
    } else {
        part.slots = bucket->slots + MERGE_PLACE(part.number * part.n_lanes * ITEMS);
        merge_task(layout, arrays, task, part.slots, part.lane, part.n_lanes, most);
        FOR_PART(count, arrays->keys_out[task->to + slot] =
                            key_of_rank((key_t)part.slots[MERGE_PLACE(slot)], LAYOUT_ORDER));
        END_OF_BRANCH();
    }
}

// Sorts segments that are listed for parts of a work-group, or where `level` is not 0, the tasks that partitions have left.
KERNEL void middle(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    local uint words[MOST_PARTS * BIT_WORDS], counts[MOST_PARTS], needs_rows;
    const struct layout layout = LAYOUT;
    global const uint *control = AREA(const uint, control);
    uint n_batches = level ? control[CONTROL_TASKS] : 0;
    for (uint bits = 0; bits <= layout.part_bits && !level; bits++) {
        n_batches += n_batches_of(control[CONTROL_PARTED + bits], bits);
    }
    for (uint at = get_group_id(0); at < n_batches; at += get_num_groups(0)) {
        const struct arrays arrays = ARRAYS;
        global const struct task *tasks = AREA(const struct task, tasks);
        uint bits = 0, batch = at, n = level ? n_batches : control[CONTROL_PARTED];
        while (batch >= n_batches_of(n, bits)) {
            batch -= n_batches_of(n, bits);
            bits++;
            n = control[CONTROL_PARTED + bits];
        }
        if (!level) {
            tasks = bits == 0   ? AREA(const struct task, parted_0)
                    : bits == 1 ? AREA(const struct task, parted_1)
                    : bits == 2 ? AREA(const struct task, parted_2)
                                : AREA(const struct task, parted_3);
        }
        struct task task = {0, 0, 0, IN_INPUT};
        const uint number = (batch << bits) + item_id() / (GROUP_SIZE >> bits);
        if (number < n) {
            task = tasks[number];
        }
        sort_parts(&layout, &arrays, &task, bits, &bucket, words, counts, &needs_rows);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
