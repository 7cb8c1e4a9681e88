// Segments with values that fit the local memory of a work-group, or of a part of one, and what partitions leave: sorted by bins, in one
// read and one write, and by merging where bins did not serve. An element is (rank less the lowest of the task, slot in the task): no two are
// equal, so that bins, which keep no order of equal ones, sort stably.

#if ELEMENT_WORDS != 2
#error "ELEMENT_WORDS has to be 2"
#endif

// ------------------------------------------------------------------------------------------------------------------ bins

// How a part makes elements of ranks, and how bins divide what lies between the lowest and the highest of them evenly: by an addend and
// a factor for what SCALE_BITS bits tell of an element.
struct scale {
    rank_t lowest;
    uint slot_bits;
    uint dropped;               // the lowest bits of ranks, for which elements have no room
    uint shift, factor, addend; // that of the part's first bin
};

INLINE void find_scale(local const uint *words, const uint part_bits, const uint number, struct scale *scale)
{
    const uint bin_bits = BIN_BITS - part_bits;
    rank_t span;
    scale->slot_bits = SLOT_BITS - part_bits;
    const uint bits = find_bounds(words, &scale->lowest, &span) + scale->slot_bits;
    scale->dropped = bits > ELEMENT_BITS ? bits - ELEMENT_BITS : 0;
    const element_t highest = (element_t)(span >> scale->dropped) << scale->slot_bits | ((1u << scale->slot_bits) - 1);
    const uint used = bits - scale->dropped;
    scale->shift = used > SCALE_BITS ? used - SCALE_BITS : 0;
    scale->factor = (1u << (bin_bits + SCALE_BITS)) / ((uint)(highest >> scale->shift) + 1);
    scale->addend = number << (bin_bits + SCALE_BITS);
}

INLINE element_t element_of(const rank_t rank, const uint slot, const struct scale *scale)
{
    return (element_t)((rank - scale->lowest) >> scale->dropped) << scale->slot_bits | slot;
}

INLINE uint bin_of(const element_t element, const struct scale *scale)
{
    return ((uint)(element >> scale->shift) * scale->factor + scale->addend) >> SCALE_BITS;
}

#define LOAD_PARTS(bits)                                                                                               \
    UNROLL                                                                                                             \
    for (uint i = 0; i < ITEMS; i++) {                                                                                 \
        ranks[i] = 0;                                                                                                  \
        if (i < part.n_own) {                                                                                          \
            ranks[i] = key_rank(keys[i * (GROUP_SIZE >> (bits))], LAYOUT_ORDER);                                       \
        }                                                                                                              \
    }

// Reads the ranks of a task, which lies in `buffer` as all that are sorted together, and counts their elements in bins.
INLINE void read_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint buffer, const uint part_bits, const struct parts *parts, rank_t *ranks)
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
    }
    if ((item & ((GROUP_SIZE >> part_bits) - 1)) == 0) {
        set_task(parts, item >> (GROUP_BITS - part_bits), task);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts);
    global const key_t *keys = keys_of(arrays, buffer) + task->from + part.lane;
    FOR_PART_BITS(LOAD_PARTS)
    add_bounds(parts->words + part.number * BIT_WORDS, ranks, &part);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_scale(parts->words + part.number * BIT_WORDS, part_bits, part.number, &scale);
    FOR_PART(
        add_to_bin(parts->bucket.bins, bin_of(element_of(ranks[i], i * part.n_lanes + part.lane, &scale), &scale)));
}

// Puts the elements of each part into its bins, with others behind them that stay behind.
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
            const uint slot = (first + i) * part.n_lanes + part.lane;
            to[i] = 0;
            if (first + i < part.n_own) {
                to[i] = add_to_bin(parts->bucket.bins, bin_of(element_of(ranks[first + i], slot, &scale), &scale));
            }
        }
        UNROLL
        for (uint i = 0; i < KEYS_AT_ONCE && first + i < ITEMS; i++) {
            const uint slot = (first + i) * part.n_lanes + part.lane;
            if (first + i < part.n_own) {
                slots[PLACE(to[i])] = element_of(ranks[first + i], slot, &scale);
            }
        }
    }
    for (uint slot = part.count + part.lane; slot < part.count + 2 * ROW; slot += part.n_lanes) {
        slots[PLACE(part.first_slot + slot)] = ELEMENT_LAST;
    }
}

#if KEY_BYTES == 8
// Whether elements are in order though they lack bits of ranks, for every work-item.
INLINE bool is_order_right(const struct layout *layout, const struct arrays *arrays, const uint buffer,
                           const uint part_bits, const struct parts *parts)
{
    struct part part;
    struct scale scale;
    uint is_behind = 0;
    find_part(&part, part_bits, parts);
    find_scale(parts->words + part.number * BIT_WORDS, part_bits, part.number, &scale);
    local const element_t *slots = parts->bucket.slots + PLACE(part.first_slot);
    global const key_t *keys = keys_of(arrays, buffer) + parts->froms[part.number];
    const uint slot_mask = (1u << scale.slot_bits) - 1;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE); // the largest bin has been read
    if (item_id() == 0) {
        *parts->bucket.largest = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint first = 1; first < TILE >> part_bits; first += part.n_lanes) { // as is_sorted() in cl/hybrid_bins.cl
        const uint slot = min(first + part.lane, max(part.count, 2u) - 1);
        const element_t a = slots[PLACE(slot - 1)], b = slots[PLACE(slot)];
        if (part.count > 1 && scale.dropped > 0 && a >> scale.slot_bits == b >> scale.slot_bits) {
            is_behind |=
                key_rank(keys[(uint)a & slot_mask], LAYOUT_ORDER) > key_rank(keys[(uint)b & slot_mask], LAYOUT_ORDER);
        }
    }
    if (is_behind) {
        atomic_or(parts->bucket.largest, 1);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return *parts->bucket.largest == 0;
}
#endif

// ---------------------------------------------------------------------------------------------------------------- writing

// Puts words in the order of their slots, the same words of all that a task has: reads them all before it writes.
#define STAGE_PARTS(bits)                                                                                              \
    FOR_PART(own_staged[i * (GROUP_SIZE >> (bits))] = words_from[i * (GROUP_SIZE >> (bits)) * n_words])
#define STORE_PARTS(bits) FOR_PART(words_to[i * (GROUP_SIZE >> (bits)) * n_words] = staged[GET_SLOT(slots, i)])
#define MOVE_WORDS(word_t, words_of_element, source, destination)                                                      \
    for (uint word = 0; word < (words_of_element); word++) {                                                           \
        const uint n_words = words_of_element;                                                                         \
        global const word_t *words_from = (global const word_t *)(source) + word + part.lane * n_words;                \
        global word_t *words_to = (global word_t *)(destination) + word + part.lane * n_words;                         \
        local uint *own_staged = staged + part.lane;                                                                   \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                     \
        FOR_PART_BITS(STAGE_PARTS)                                                                                     \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                     \
        FOR_PART_BITS(STORE_PARTS)                                                                                     \
    }

// Writes the keys of each part; all slots have been read into registers.
INLINE void move_keys(const struct arrays *arrays, const uint buffer, const uint part_bits, const struct parts *parts,
                      const uint *slots)
{
    struct part part;
    find_part(&part, part_bits, parts);
    local uint *staged = (local uint *)parts->bucket.slots + part.first_slot;
    MOVE_WORDS(key_word_t, KEY_WORDS, keys_of(arrays, buffer) + parts->froms[part.number],
               arrays->keys_out + parts->tos[part.number])
}

#define STORE_POSITIONS(bits) FOR_PART(values_to[i * (GROUP_SIZE >> (bits))] = first + GET_SLOT(slots, i))

// Writes the values likewise.
INLINE void move_values(const struct layout *layout, const struct arrays *arrays, const uint buffer,
                        const uint part_bits, const struct parts *parts, const uint *slots)
{
    struct part part;
    find_part(&part, part_bits, parts);
    const uint from = parts->froms[part.number];
    local uint *staged = (local uint *)parts->bucket.slots + part.first_slot;
    global value_t *values_to = arrays->values_out + parts->tos[part.number];
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
    if (buffer == IN_INPUT && layout->generate_index) { // the same for the whole work-group
        const uint first = layout->generate_index == IN_SEGMENT ? 0 : from;
        values_to += part.lane;
        FOR_PART_BITS(STORE_POSITIONS)
    } else
#endif
    {
        global const value_t *values = buffer == IN_INPUT ? arrays->values_in
                                       : buffer == IN_X   ? arrays->x_values
                                                          : arrays->values_out;
        MOVE_WORDS(value_word_t, VALUE_WORDS, values + from, values_to)
        END_OF_BRANCH();
    }
}

#define READ_SLOTS(bits) FOR_PART(SET_SLOT(slots, i, (uint)elements[PART_PLACE(bits, i)] & slot_mask))
#define STORE_KEYS(bits)                                                                                               \
    FOR_PART(const rank_t rank = (rank_t)(elements[PART_PLACE(bits, i)] >> scale.slot_bits);                           \
             keys_to[i * (GROUP_SIZE >> (bits))] = key_of_rank((key_t)(scale.lowest + rank), LAYOUT_ORDER))

// Sorts a task of each part of the work-group to the output by bins; returns whether that was done, for every work-item.
INLINE bool sort_parts(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                       const uint buffer, const uint part_bits, const struct parts *parts)
{
    rank_t ranks[ITEMS];
    struct part part;
    read_parts(layout, arrays, task, buffer, part_bits, parts, ranks);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_parts(part_bits, parts);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    fill_parts(ranks, part_bits, parts);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts);
    bool is_done = sort_bins(&parts->bucket, parts->bucket.slots + PLACE(part.first_slot), part.count,
                             TILE >> part_bits, part.lane, part.n_lanes);
#if KEY_BYTES == 8
    if (is_done) { // the same for the whole work-group
        is_done = is_order_right(layout, arrays, buffer, part_bits, parts);
        END_OF_BRANCH();
    }
#endif
    if (is_done) { // likewise
        uint slots[(ITEMS + 1) / 2];
        struct scale scale;
        bool keys_are_known = KEY_BYTES <= 4; // by elements that have all bits
#if KEY_IS_FLOAT
        keys_are_known &= !layout->order_merge;
#endif
        find_part(&part, part_bits, parts);
        find_scale(parts->words + part.number * BIT_WORDS, part_bits, part.number, &scale);
        const uint slot_mask = (1u << scale.slot_bits) - 1;
        global key_t *keys_to = arrays->keys_out + parts->tos[part.number] + part.lane;
        local const element_t *elements = parts->bucket.slots + PLACE(part.first_slot);
        FOR_PART_BITS(READ_SLOTS)
        if (keys_are_known && layout->write_keys) {
            FOR_PART_BITS(STORE_KEYS)
        }
        if (!keys_are_known && layout->write_keys) {
            move_keys(arrays, buffer, part_bits, parts, slots);
            END_OF_BRANCH();
        }
        move_values(layout, arrays, buffer, part_bits, parts, slots);
        END_OF_BRANCH();
    }
    return is_done;
}

// --------------------------------------------------------------------------------------------------------------- kernels

// A task that bins did not serve: its number in a list, of which there are fewer than 1 << HARD_LIST_BITS.
#define HARD_LIST_BITS 3
#define HARD(list, number) ((number) << HARD_LIST_BITS | (list))
#define HARD_LIST(hard) ((hard) & ((1u << HARD_LIST_BITS) - 1))
#define HARD_NUMBER(hard) ((hard) >> HARD_LIST_BITS)

#define LOCAL_TASKS local uint counts[MOST_PARTS], froms[MOST_PARTS], tos[MOST_PARTS]

// Sorts what `level` says, and leaves to `hard` what bins do not serve.
KERNEL void middle(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    LOCAL_TASKS;
    local uint words[MOST_PARTS * BIT_WORDS];
    const struct parts parts = {bucket, words, counts, froms, tos, 0};
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    const uint n_batches = count_batches(&layout, control, level);
    for (uint at = get_group_id(0); at < n_batches; at += get_num_groups(0)) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        struct batch batch;
        struct task task = {0, 0, 0, IN_INPUT};
        find_batch(&layout, control, level, at, &batch);
        const uint number = batch.first + item_id() / (GROUP_SIZE >> batch.bits);
        if (number < batch.n) {
            task = LIST(batch.list)[number];
        }
        const uint buffer = batch.list == OF_PARTITIONS ? PLACE_BUFFER(task.place) : IN_INPUT;
        if (!sort_parts(&layout, &arrays, &task, buffer, batch.bits, &parts) && item_id() == 0) {
            const uint n = min(1u << batch.bits, batch.n - batch.first);
            const uint place = atomic_add(control + CONTROL_HARD, n);
            for (uint i = 0; i < n; i++) {
                AREA(uint, hard)[place + i] = HARD(batch.list, batch.first + i);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts the tasks that bins did not serve, by merging, each by a whole work-group.
KERNEL void hard(HYBRID_PARAMETERS)
{
    LOCAL_RUN;
    LOCAL_TASKS;
    const struct bucket bucket = {(local element_t *)run_area, 0, 0, 0, 0};
    const struct parts parts = {bucket, 0, counts, froms, tos, 0};
    const struct layout layout = LAYOUT;
    const uint n_hard = AREA(const uint, control)[CONTROL_HARD];
    for (uint at = get_group_id(0); at < n_hard; at += get_num_groups(0)) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        const uint entry = AREA(const uint, hard)[at];
        const struct task task = LIST(HARD_LIST(entry))[HARD_NUMBER(entry)];
        const uint buffer = PLACE_BUFFER(task.place);
        uint slots[(ITEMS + 1) / 2];
        struct part part;
        merge_pairs(&layout, keys_of(&arrays, buffer) + task.from, task.count, &run);
        if (item_id() == 0) {
            set_task(&parts, 0, &task);
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        find_part(&part, 0, &parts);
        FOR_PART(SET_SLOT(slots, i, (uint)run.slots[MERGE_PLACE(i * part.n_lanes + part.lane)]))
        if (layout.write_keys) {
            move_keys(&arrays, buffer, 0, &parts, slots);
            END_OF_BRANCH();
        }
        move_values(&layout, &arrays, buffer, 0, &parts, slots);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
