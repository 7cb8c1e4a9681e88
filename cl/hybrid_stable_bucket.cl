// Hybrid radix sort of pairs and argsort, its end: a work-group sorts what fits its local memory. An element is (bits of the rank that
// vary, slot in the task): no two are equal, so that bins, which keep no order of equal ones, sort stably. Keys that leave
// room for a slot in 32 bits are sorted as such (ELEMENT_WORDS 1), others in 64 bits (2).

// Where the pairs of a task are and go.
struct pairs {
    global const key_t *keys_from;
    global const value_t *values_from;
    global key_t *keys_to;
    global value_t *values_to;
};

INLINE void find_pairs(const struct arrays *arrays, const struct task *task, struct pairs *pairs)
{
    const bool is_in_x = PLACE_BUFFER(task->place) == IN_X;
    pairs->keys_from = (is_in_x ? arrays->x_keys : arrays->y_keys) + task->from;
    pairs->values_from = (is_in_x ? arrays->x_values : arrays->values_out) + task->from;
    pairs->keys_to = arrays->keys_out + task->to;
    pairs->values_to = arrays->values_out + task->to;
}

// Puts words in the order of their slots, the same words of all that a task has: reads them all before it writes.
#define MOVE_WORDS(word_t, n_words, source, destination)                                                               \
    for (uint word = 0; word < (n_words); word++) {                                                                    \
        global const word_t *words_from = (global const word_t *)(source) + word + item * (n_words);                   \
        global word_t *words_to = (global word_t *)(destination) + word + item * (n_words);                            \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                     \
        FOR_BUCKET(count, (staged + item)[i * GROUP_SIZE] = words_from[i * GROUP_SIZE * (n_words)]);                   \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                     \
        FOR_BUCKET(count, words_to[i * GROUP_SIZE * (n_words)] = (word_t)staged[GET_SLOT(slots, i)]);                  \
    }

INLINE void move_keys(const struct pairs *pairs, const uint count, const uint *slots, local uint *staged)
{
    const uint item = item_id();
    MOVE_WORDS(key_word_t, KEY_WORDS, pairs->keys_from, pairs->keys_to)
}

INLINE void move_values(const struct pairs *pairs, const uint count, const uint *slots, local uint *staged)
{
    const uint item = item_id();
    MOVE_WORDS(value_word_t, VALUE_WORDS, pairs->values_from, pairs->values_to)
}

// --------------------------------------------------------------------------------------------------------------- by bins

// Reads the ranks of a task into registers and finds how many of the lowest bits vary; *high receives the others.
INLINE uint load_ranks(const struct layout *layout, const struct pairs *pairs, const uint count, local uint *words,
                       rank_t *ranks, rank_t *high)
{
    const uint item = item_id();
    rank_t ones = 0, zeros = 0;
    for (uint word = item; word < BIT_WORDS; word += GROUP_SIZE) {
        words[word] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    global const key_t *keys = pairs->keys_from + item;
    FOR_BUCKET(count, ranks[i] = key_rank(keys[i * GROUP_SIZE], LAYOUT_ORDER));
    FOR_BUCKET(count, ones |= ranks[i]; zeros |= ~ranks[i]);
    add_bits(words, ones);
    add_bits(words + ZEROS, zeros);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint bits = varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
    const rank_t mask = bits < 8 * sizeof(rank_t) ? ((rank_t)1 << bits) - 1 : ~(rank_t)0;
    *high = rank_of_ones(words[0], words[1]) & ~mask;
    return bits;
}

// Whether elements that left out the `dropped` lowest bits of ranks are in order all the same, for every work-item.
INLINE bool is_order_right(const struct layout *layout, const struct pairs *pairs, const uint count,
                           const struct bucket *bucket)
{
    uint is_behind = 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE); // *bucket->largest has been read
    if (item_id() == 0) {
        *bucket->largest = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint first = 1; first < count; first += GROUP_SIZE) { // as is_sorted() in cl/hybrid_bins.cl
        const uint slot = min(first + item_id(), count - 1);
        const element_t a = bucket->slots[PLACE(slot - 1)], b = bucket->slots[PLACE(slot)];
        if (a >> SLOT_BITS == b >> SLOT_BITS) {
            is_behind |= key_rank(pairs->keys_from[(uint)a & SLOT_MASK], LAYOUT_ORDER) >
                         key_rank(pairs->keys_from[(uint)b & SLOT_MASK], LAYOUT_ORDER);
        }
    }
    if (is_behind) {
        atomic_or(bucket->largest, 1);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return *bucket->largest == 0;
}

// Sorts a task of pairs in bins; returns whether that was done, for every work-item.
INLINE bool sort_pairs(const struct layout *layout, const struct pairs *pairs, const uint count,
                       const struct bucket *bucket)
{
    const uint item = item_id();
    rank_t ranks[ITEMS], high;
    element_t elements[ITEMS];
    uint slots[(ITEMS + 1) / 2];
    const uint bits = load_ranks(layout, pairs, count, bucket->bits, ranks, &high);
    const uint dropped = bits + SLOT_BITS > ELEMENT_BITS ? bits + SLOT_BITS - ELEMENT_BITS : 0;
    const uint used = bits - dropped + SLOT_BITS;
    FOR_BUCKET(count, elements[i] = (element_t)((ranks[i] ^ high) >> dropped) << SLOT_BITS | slot);
    count_bins(elements, count, used > BIN_BITS ? used - BIN_BITS : 0, bucket);
    put_in_bins(elements, count, used > BIN_BITS ? used - BIN_BITS : 0, bucket);
    bool is_done = sort_bins(bucket, bucket->slots, count, count, item_id(), GROUP_SIZE);
    if (is_done && dropped > 0) {
        is_done = is_order_right(layout, pairs, count, bucket);
    }
    if (is_done) { // the same for the whole work-group
        bool keys_are_known = dropped == 0;
#if KEY_IS_FLOAT
        keys_are_known &= !layout->order_merge;
#endif
        global key_t *keys_to = pairs->keys_to + item;
        FOR_BUCKET(
            count, const element_t element = bucket->slots[ROW_PLACE(i)]; SET_SLOT(slots, i, (uint)element & SLOT_MASK);
            if (keys_are_known && layout->write_keys) {
                keys_to[i * GROUP_SIZE] = key_of_rank((key_t)(high | (rank_t)(element >> SLOT_BITS)), LAYOUT_ORDER);
            });
        if (!keys_are_known && layout->write_keys) {
            move_keys(pairs, count, slots, (local uint *)bucket->slots);
        }
        move_values(pairs, count, slots, (local uint *)bucket->slots);
    }
    return is_done;
}

// Sorts one task to the output by bins, if it is one for elements of this width; is left to `hard` if bins do not serve it.
INLINE void sort_task(const struct layout *layout, const struct arrays *arrays, global const struct task *tasks,
                      const uint number, global uint *control, global uint *hard_tasks, const struct bucket *bucket)
{
    const struct task task = tasks[number];
    bool is_served = task.count > 0; // the same for the whole work-group
#if KEY_BYTES == 4
    is_served &= (task.place >> PLACE_BITS > layout->narrow_bits) == (ELEMENT_WORDS == 2);
#endif
    if (is_served) {
        struct pairs pairs;
        find_pairs(arrays, &task, &pairs);
        if (!sort_pairs(layout, &pairs, task.count, bucket) && item_id() == 0) {
            hard_tasks[atomic_inc(control + CONTROL_HARD)] = number;
        }
    }
}

// Tasks that elements of this width are for, or 0 if there are none.
INLINE uint n_tasks_here(global const uint *control)
{
#if KEY_BYTES == 4
    return control[ELEMENT_WORDS == 2 ? CONTROL_WIDE : CONTROL_NARROW] ? control[CONTROL_TASKS] : 0;
#else
    return control[CONTROL_TASKS];
#endif
}

// Sorts the first tasks, one of each work-group: as many as uniform keys have. A kernel without a loop has fewer registers.
KERNEL void bucket(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    if (get_group_id(0) < n_tasks_here(control)) { // the same for the whole work-group
        sort_task(&layout, &arrays, AREA(const struct task, tasks), get_group_id(0), control, AREA(uint, hard),
                  &bucket);
        END_OF_BRANCH();
    }
}

// Sorts the tasks from number `level` on.
KERNEL void task(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    const uint n_tasks = n_tasks_here(control);
    for (uint number = level + get_group_id(0); number < n_tasks; number += get_num_groups(0)) {
        const struct arrays arrays = ARRAYS;
        sort_task(&layout, &arrays, AREA(const struct task, tasks), number, control, AREA(uint, hard), &bucket);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts the tasks that bins did not serve, by merging.
KERNEL void hard(HYBRID_PARAMETERS)
{
    LOCAL_RUN;
    const struct layout layout = LAYOUT;
    const uint n_hard = AREA(const uint, control)[CONTROL_HARD];
    for (uint at = get_group_id(0); at < n_hard; at += get_num_groups(0)) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        const struct task task = AREA(const struct task, tasks)[AREA(const uint, hard)[at]];
        const uint count = task.count, item = item_id();
        uint slots[(ITEMS + 1) / 2];
        struct pairs pairs;
        find_pairs(&arrays, &task, &pairs);
        merge_pairs(&layout, pairs.keys_from, count, &run);
        FOR_BUCKET(count, SET_SLOT(slots, i, (uint)run.slots[MERGE_PLACE(slot)]));
        if (layout.write_keys) {
            move_keys(&pairs, count, slots, (local uint *)run_area);
        }
        move_values(&pairs, count, slots, (local uint *)run_area);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
