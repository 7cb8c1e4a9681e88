// Segments of keys alone that fit the local memory of a work-group, or of a part of one, and what partitions leave: sorted by bins, in one
// read and one write, and then by bins of a code where those did not serve.

// ------------------------------------------------------------------------------------------------------------------ bins

// Bins divide what lies between the lowest and the highest rank of a part evenly: an addend and a factor for what SCALE_BITS bits tell
// of a rank.
struct scale {
    rank_t lowest;
    uint shift, factor, addend; // that of the part's first bin
};

INLINE uint bin_of(const rank_t rank, const struct scale *scale)
{
    return ((uint)((rank - scale->lowest) >> scale->shift) * scale->factor + scale->addend) >> SCALE_BITS;
}

// The scale of a part; returns whether ranks that differ may share a bin.
INLINE bool find_scale(local const uint *words, const uint part_bits, const uint number, struct scale *scale)
{
    const uint bin_bits = BIN_BITS - part_bits;
    rank_t span;
    const uint bits = find_bounds(words, &scale->lowest, &span);
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
        set_task(parts, item >> (GROUP_BITS - part_bits), task);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_part(&part, part_bits, parts);
    const uint buffer = PLACE_BUFFER(task->place); // of all tasks that are sorted together
    global const key_t *keys = keys_of(arrays, buffer) + task->from + part.lane;
    FOR_PART_BITS(LOAD_PARTS)
    if (buffer == IN_INPUT) {
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

// Sorts a task that lies in the output by bins of a code.
INLINE void sort_in_output(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                           global uint *control, const struct bucket *bucket)
{
    const uint item = item_id(), count = task->count;
    global key_t *keys = arrays->keys_out + task->to + item;
    rank_t ranks[ITEMS];
    FOR_BUCKET(count, ranks[i] = key_rank(keys[i * GROUP_SIZE], LAYOUT_ORDER));
    sort_by_code(ranks, count, CODE_DIGITS, control, bucket);
    keys = arrays->keys_out + task->to + item; // made again, not kept
    FOR_BUCKET(count, keys[i * GROUP_SIZE] = key_of_rank((key_t)bucket->slots[ROW_PLACE(i)], LAYOUT_ORDER));
}

// Sorts what `level` says. Before that, it counts the digits of the giant ranges that segments are, if it sorts segments: their
// histograms need no launch of their own. Each work-group names batches that bins did not serve in places of its own, and
// sorts them by a code when it is through: beside the bins that would take more registers.
KERNEL void middle(HYBRID_PARAMETERS)
{
    local element_t bucket_slots[PLACES > CODE_PLACES ? PLACES : CODE_PLACES] __attribute__((aligned(16)));
    local uint bucket_bins[BIN_PLACES], bucket_largest, bucket_bits[BIT_WORDS];
    local index_t bucket_scratch[2 * GROUP_SIZE];
    const struct bucket bucket = {bucket_slots, bucket_bins, bucket_scratch, &bucket_largest, bucket_bits};
    local uint words[MOST_PARTS * BIT_WORDS], counts[MOST_PARTS], tos[MOST_PARTS], needs_rows;
    const struct parts parts = {bucket, words, counts, 0, tos, &needs_rows};
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
            sort_in_output(&layout, &arrays, &task, control, &bucket);
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
    }
}
