// Hybrid radix sort of keys alone, its end: a work-group sorts what fits its local memory, in one read and one write.

INLINE void write_bucket(const struct layout *layout, const struct arrays *arrays, const uint to, const uint count,
                         const struct bucket *bucket)
{
    const uint item = item_id();
    FOR_BUCKET(count, arrays->keys_out[to + slot] = key_of_rank((key_t)bucket->slots[ROW_PLACE(i)], LAYOUT_ORDER));
}

// Finds how many of the lowest bits vary in a bucket.
INLINE uint find_varying(const rank_t *ranks, const uint count, local uint *bits)
{
    const uint item = item_id();
    rank_t ones = 0, zeros = 0;
    for (uint word = item; word < BIT_WORDS; word += GROUP_SIZE) {
        bits[word] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_BUCKET(count, ones |= ranks[i]; zeros |= ~ranks[i]);
    add_bits(bits, ones);
    add_bits(bits + ZEROS, zeros);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return varying_bits(bits[0] & bits[ZEROS], bits[1] & bits[ZEROS + 1]);
}

// Sorts a task to the output by bins; returns whether that was done, for every work-item: if not it still lies where it was. bits:
// those that may vary, or 0 if that has to be found out.
INLINE bool sort_task(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                      const uint known_bits, const struct bucket *bucket)
{
    rank_t ranks[ITEMS];
    load_rows(layout, arrays, PLACE_BUFFER(task->place) == IN_X ? IN_X : IN_Y, task->from, task->count, LOOSE_ROWS,
              ranks);
    const uint bits = known_bits ? known_bits : find_varying(ranks, task->count, bucket->bits);
    const uint shift = bits > BIN_BITS ? bits - BIN_BITS : 0;
    count_bins(ranks, task->count, shift, bucket);
    put_in_bins(ranks, task->count, shift, bucket);
    const bool is_done =
        shift == 0 || sort_bins(bucket, bucket->slots, task->count, task->count, item_id(), GROUP_SIZE);
    if (is_done) { // the same for the whole work-group
        write_bucket(layout, arrays, task->to, task->count, bucket);
    }
    return is_done;
}

// Lists what bins did not serve: a task for `hard`, and a bucket as a task.
INLINE void leave_task(const struct task *task, const uint number, const bool is_listed, global uint *control,
                       global struct task *tasks, global uint *hard)
{
    if (is_listed) {
        hard[atomic_inc(control + CONTROL_HARD)] = number;
    } else {
        tasks[atomic_inc(control + CONTROL_TASKS)] = *task;
    }
}

// Sorts the buckets of the second optimistic level, or if there are none such the first tasks, one of each work-group: a kernel
// without a loop has fewer registers.
KERNEL void bucket(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    global struct task *tasks = AREA(struct task, tasks);
    const bool is_exact = control[CONTROL_OVERFLOW] != 0;
    const uint number = get_group_id(0);
    const uint bits = 8 * KEY_BYTES - layout.first_bits - layout.second_bits;
    struct task task = {0, 0, 0, 0};
    if (is_exact && number < control[CONTROL_TASKS]) {
        task = tasks[number];
        task.count = task.place & PLACE_HARD ? 0 : task.count;
    } else if (!is_exact && number >> (layout.first_bits + layout.second_bits) == 0) {
        task.from = number * layout.second_capacity;
        task.to = AREA(const uint, second_offsets)[number];
        task.count = AREA(const uint, second_sizes)[number];
        task.place = IN_Y | bits << PLACE_BITS;
    }
    if (task.count > 0) { // the same for the whole work-group
        const bool is_done = sort_task(&layout, &arrays, &task, is_exact ? 0 : bits, &bucket);
        if (!is_done) {
            if (item_id() == 0) {
                leave_task(&task, number, is_exact, control, tasks, AREA(uint, hard));
            }
        }
        END_OF_BRANCH();
    }
}

// Expands the giant ranges of the last level, whose histograms are there; counts and ends have room for RADIX each.
INLINE void expand_giants(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                          local uint *counts, local uint *ends, local index_t *scratch)
{
    // The same for the whole work-group.
    for (uint at = get_group_id(0); at < giants->n_blocks; at += get_num_groups(0)) {
        const uint number = giants->map[at];
        const struct range range = giants->ranges[number];
        const uint begin = (at - range.first_block) * layout->block;
        global const uint *words = giants->bits + number * BIT_WORDS;
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            counts[digit] = giants->counts[number * RADIX + digit];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        find_ends(counts, ends, scratch);
        expand_part(layout, arrays, &range, rank_of_ones(words[0], words[1]), giant_bits(giants, number) == 0, begin,
                    min(begin + layout->block, range.count), ends);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts the tasks that `bucket` did not, likewise. Before that, it expands the giant ranges of the level, which is the last.
KERNEL void task(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET;
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    const uint n_tasks = control[CONTROL_TASKS], n_done = control[CONTROL_OVERFLOW] ? layout.bucket_groups : 0;
    if (control[CONTROL_BLOCKS + level] > 0) {
        const struct arrays arrays = ARRAYS;
        const struct giants giants = GIANTS(level);
        expand_giants(&layout, &arrays, &giants, COUNTS_IN_SLOTS, COUNTS_IN_SLOTS + RADIX, bucket.scratch);
    }
    for (uint number = n_done + get_group_id(0); number < n_tasks; number += get_num_groups(0)) {
        const struct arrays arrays = ARRAYS;
        const struct task task = AREA(const struct task, tasks)[number];
        if (task.count > 0 && !(task.place & PLACE_HARD)) { // the same for the whole work-group
            const bool is_done = sort_task(&layout, &arrays, &task, 0, &bucket);
            if (!is_done) {
                if (item_id() == 0) {
                    AREA(uint, hard)[atomic_inc(control + CONTROL_HARD)] = number;
                }
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts a task to the output by bins of a code.
INLINE void sort_hard_task(const struct layout *layout, const struct arrays *arrays, const struct task *task,
                           global uint *control, const struct bucket *bucket)
{
    const uint n_digits = ((task->place >> PLACE_BITS) + CODE_DIGIT_BITS - 1) / CODE_DIGIT_BITS;
    rank_t ranks[ITEMS];
    load_rows(layout, arrays, PLACE_BUFFER(task->place) == IN_X ? IN_X : IN_Y, task->from, task->count, LOOSE_ROWS,
              ranks);
    sort_by_code(ranks, task->count, n_digits, control, bucket);
    write_bucket(layout, arrays, task->to, task->count, bucket);
}

// Sorts the tasks that bins did not serve. A kernel of its own, as it needs more registers.
KERNEL void hard(HYBRID_PARAMETERS)
{
    LOCAL_BUCKET_OF(PLACES > CODE_PLACES ? PLACES : CODE_PLACES);
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    local uint next;
    const uint n_hard = control[CONTROL_HARD];
    uint at = get_group_id(0);
    while (at < n_hard) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        const struct task task = AREA(const struct task, tasks)[AREA(const uint, hard)[at]];
        if (item_id() == 0) {
            next = get_num_groups(0) + atomic_inc(control + CONTROL_NEXT_HARD);
        }
        sort_hard_task(&layout, &arrays, &task, control, &bucket);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        at = next;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
