// Parts of a work-group, each of which sorts a task by bins: segments, and what partitions leave.

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
    local uint *froms;      // where they are; only where there are values
    local uint *tos;        // where they go
    local uint *needs_rows; // one for all; only of keys alone
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

// Says what a part has to sort, by one work-item.
INLINE void set_task(const struct parts *parts, const uint number, const struct task *task)
{
    parts->counts[number] = task->count;
    parts->tos[number] = task->to;
    if (VALUE_BYTES) {
        parts->froms[number] = task->from;
    }
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

// Place of a work-item's i-th slot where a part has GROUP_SIZE >> bits work-items.
#define PART_PLACE(bits, i)                                                                                            \
    ((GROUP_SIZE >> (bits)) % ROW == 0 ? PLACE(part.lane) + (i)*PLACE(GROUP_SIZE >> (bits))                            \
                                       : PLACE((i) * (GROUP_SIZE >> (bits)) + part.lane))

// ------------------------------------------------------------------------------------------------------------------ bins

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

// The lowest rank of a part and what the highest one has more; returns the bits of that. Ranks of two words are taken to lie between the
// bounds of the bits that they have in common.
INLINE uint find_bounds(local const uint *words, rank_t *lowest, rank_t *span)
{
#if RANK_WORDS > 1
    const uint bits = varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
    *span = bits > 0 ? ~(rank_t)0 >> (64 - bits) : 0;
    *lowest = rank_of_ones(words[0], words[1]) & ~*span;
    return bits;
#else
    *span = words[ZEROS] > words[0] ? words[ZEROS] - words[0] : 0;
    *lowest = words[0];
    return 32 - clz(*span);
#endif
}

// The buffer that a task lies in.
INLINE global const key_t *keys_of(const struct arrays *arrays, const uint buffer)
{
    return buffer == IN_INPUT ? arrays->keys_in : buffer == IN_X ? arrays->x_keys : arrays->y_keys;
}

// Bits of an element, from its highest that varies on, which tell its bin.
#define SCALE_BITS 18

// Counters that a work-item waits for together.
#define KEYS_AT_ONCE 6

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

// --------------------------------------------------------------------------------------------------------------- batches

// Batches of a class of n tasks, 1 << bits in each.
INLINE uint n_batches_of(const uint n, const uint bits)
{
    return (n >> bits) + ((n & ((1u << bits) - 1)) != 0);
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
