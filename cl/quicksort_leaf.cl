// What quicksort does besides partitions: it draws and sorts samples, sorts tasks in local memory, and merges what is left after the
// last level. All of it compares ranks and does nothing else with them.

// ------------------------------------------------------------------------------------------------------------- splitters

// Samples for each bucket: a bucket has twice what it has on average once in some thousand times.
#define SAMPLES_OF_BUCKET 16

// A number for a number that looks random (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014, have
// such steps), so that no order of the keys meets the samples by chance.
INLINE uint scramble(uint number)
{
    number = (number ^ number >> 16) * 0x85ebca6bu;
    number = (number ^ number >> 13) * 0xc2b2ae35u;
    return number ^ number >> 16;
}

// Where a sample is drawn from: a place of its own part of the range.
INLINE index_t sample_position(const struct range *range, const uint sample, const uint n_samples)
{
    const index_t part = range->length / n_samples;
    const uint random = scramble(sample + 0x9e3779b9u * (uint)range->begin);
    return range->begin + (index_t)((ulong)range->length * sample / n_samples) + random % part;
}

// Finds the splitters of each range of a level.
KERNEL void split(global const key_t *keys, const ulong keys_offset, QUICKSORT_PARAMETERS, const uint level)
{
    READ_PLAN
    LOCAL_SLOTS
    const uint item = get_local_id(0), n_ranges = LEVEL_COUNTERS(level)[LEVEL_RANGES];
    for (uint r = get_group_id(0); r < n_ranges; r += get_num_groups(0)) {
        const struct range range = LEVEL_AREA(struct range, ranges, level)[r];
        const uint n_buckets = 1u << range.bits, n = min((uint)SAMPLES_OF_BUCKET << range.bits, plan->capacity);
        const struct slots slots = WHOLE_SLOTS(n);
        global key_t *splitters = AREA(key_t, splitters) + range.first_bucket;
        for (uint sample = item; sample < n; sample += GROUP_SIZE) {
            const key_t key = keys[keys_offset + sample_position(&range, sample, n)];
            set_slot(&slots, sample, COMPARED(key));
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        sort_slots(&slots);
        for (uint bucket = item; bucket + 1 < n_buckets; bucket += GROUP_SIZE) {
            splitters[bucket] = compared_of_slot(&slots, (bucket + 1) * n >> range.bits);
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// ----------------------------------------------------------------------------------------------------------------- tasks

// The buffers by their places, to read from, and how values are read from the first.
struct buffers {
    global const key_t *keys[3];
    global const value_t *values[3];
    global key_t *x_keys, *y_keys;
    global value_t *x_values, *y_values;
    uint generate_index;
    uint write_keys; // 0: those of tasks are not written
};

#define BUFFER_PARAMETERS                                                                                              \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *x_keys, const ulong x_keys_offset,          \
        global key_t *y_keys, const ulong y_keys_offset, global const value_t *values_in,                              \
        const ulong values_in_offset, global value_t *x_values, const ulong x_values_offset, global value_t *y_values, \
        const ulong y_values_offset, QUICKSORT_PARAMETERS, const uint generate_index, const uint write_keys
#define BUFFERS                                                                                                        \
    {                                                                                                                  \
        {keys_in + keys_in_offset, x_keys + x_keys_offset, y_keys + y_keys_offset},                                    \
            {values_in + values_in_offset, x_values + x_values_offset, y_values + y_values_offset},                    \
            x_keys + x_keys_offset, y_keys + y_keys_offset, x_values + x_values_offset, y_values + y_values_offset,    \
            generate_index, write_keys                                                                                 \
    }

// Copies the first n elements of a task.
INLINE void copy_task(const struct buffers *buffers, const struct task *task, const uint place, const uint n)
{
    for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
        const index_t at = task->begin + slot;
        if (buffers->write_keys) {
            buffers->y_keys[at] = buffers->keys[place][at];
        }
#if VALUE_BYTES
        buffers->y_values[at] = buffers->values[place][at];
#endif
    }
}

#if VALUE_BYTES
// Moves n things of a type that `from` points at, one in each stride, to the places of `to` that positions say; both may be the same.
// It goes through local memory, so that work-items which are neighbours read and write neighbours. It ends with a barrier.
#define MOVE_BY_POSITIONS(type, from, to, stride, n, positions, room)                                                  \
    {                                                                                                                  \
        local type *const things = (local type *)(room);                                                               \
        for (uint slot = item; slot < (n); slot += GROUP_SIZE) {                                                       \
            things[slot] = (from)[(stride)*slot];                                                                      \
        }                                                                                                              \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                     \
        UNROLL                                                                                                         \
        for (uint i = 0; i < ITEMS; i++) {                                                                             \
            const uint slot = i * GROUP_SIZE + item;                                                                   \
            if (slot < (n)) {                                                                                          \
                (to)[(stride)*slot] = things[(positions)[i]];                                                          \
            }                                                                                                          \
        }                                                                                                              \
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);                                                                            \
    }

// Writes the n values of a task, or the positions that are their values.
INLINE void move_values(const struct buffers *buffers, const struct task *task, const uint place, const uint n,
                        const ushort positions[ITEMS], local element_t *room)
{
    const uint item = get_local_id(0);
    global const value_t *from = buffers->values[place] + task->begin;
    global value_t *to = buffers->y_values + task->begin;
    uint n_made = 0;
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
    const index_t first = buffers->generate_index == IN_SEGMENT ? 0 : task->begin;
    n_made = place == IN_INPUT && buffers->generate_index ? n : 0;
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (i * GROUP_SIZE + item < n_made) {
            to[i * GROUP_SIZE + item] = (value_t)(first + positions[i]);
        }
    }
#endif
#if VALUE_BYTES == 16
    // In two halves, of which there is room for one.
    MOVE_BY_POSITIONS(ulong, &from->low, &to->low, 2, n, positions, room)
    MOVE_BY_POSITIONS(ulong, &from->high, &to->high, 2, n, positions, room)
#else
    MOVE_BY_POSITIONS(value_t, from, to, 1, n - n_made, positions, room)
#endif
}

// Sorts what is compared of the keys with their positions. All keys are read before any is written, and so are values, since a task may
// lie in the output.
INLINE void sort_task(const struct buffers *buffers, const struct task *task, const uint place,
                      const struct slots *slots, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask)
{
    const uint item = get_local_id(0), n_keys = buffers->write_keys ? slots->n : 0;
    global const key_t *keys = buffers->keys[place] + task->begin;
    for (uint slot = item; slot < slots->n; slot += GROUP_SIZE) {
        set_slot(slots, slot, COMPARED(keys[slot]));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    sort_slots(slots);
    ushort positions[ITEMS];
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        positions[i] = slot < slots->n ? (ushort)position_of_slot(slots, slot) : 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    MOVE_BY_POSITIONS(key_t, keys, buffers->y_keys + task->begin, 1, n_keys, positions, slots->elements)
    move_values(buffers, task, place, slots->n, positions, slots->elements);
}
#else
// Sorts whole ranks, which give the keys back.
INLINE void sort_task(const struct buffers *buffers, const struct task *task, const uint place,
                      const struct slots *slots, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask)
{
    global const key_t *keys = buffers->keys[place] + task->begin;
    const struct slots ranks = {slots->elements, slots->positions, slots->n, begin_bit, (key_t)rank_mask};
    for (uint slot = get_local_id(0); slot < ranks.n; slot += GROUP_SIZE) {
        set_slot(&ranks, slot, key_rank(keys[slot], ORDER));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    sort_slots(&ranks);
    for (uint slot = get_local_id(0); slot < ranks.n; slot += GROUP_SIZE) {
        buffers->y_keys[task->begin + slot] = key_of_rank(compared_of_slot(&ranks, slot), ORDER);
    }
}
#endif

// Sorts the tasks, or copies those that are sorted, to Y. whole: elements of the input that are the only task, or 0. Barriers are in no
// branch: of what is not done there are no elements.
KERNEL void sort_tasks(BUFFER_PARAMETERS, const index_t whole)
{
    READ_PLAN
    LOCAL_SLOTS
    const struct buffers buffers = BUFFERS;
    const uint n_tasks = whole ? 1 : min(AREA(uint, counters)[COUNTER_TASKS], plan->n_tasks);
    for (uint t = get_group_id(0); t < n_tasks; t += get_num_groups(0)) {
        struct task task = {0, (uint)whole, IN_INPUT};
        if (!whole) {
            task = AREA(struct task, tasks)[t];
        }
        const uint place = task.place & ~IS_SORTED, n_sorted = task.place & IS_SORTED ? task.length : 0;
        const struct slots slots = WHOLE_SLOTS(task.length - n_sorted);
        copy_task(&buffers, &task, place, n_sorted);
        sort_task(&buffers, &task, place, &slots, ORDER, begin_bit, rank_mask);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// ------------------------------------------------------------------------------------------------------------ what is left

// Elements of a run that a work-item sorts by itself, and of a merge's result that it finds.
#define RUN 16

// Sorts the run at position `first` in its place; an insertion sort.
INLINE void sort_run(global key_t *keys, global value_t *values, const index_t first, const uint n, ORDER_PARAMETERS,
                     const uint begin_bit, const ulong rank_mask)
{
    for (uint i = 1; i < n; i++) {
        const key_t key = keys[first + i], compared = COMPARED(key);
#if VALUE_BYTES
        const value_t value = values[first + i];
#endif
        uint at = i;
        for (; at > 0 && COMPARED(keys[first + at - 1]) > compared; at--) {
            keys[first + at] = keys[first + at - 1];
#if VALUE_BYTES
            values[first + at] = values[first + at - 1];
#endif
        }
        keys[first + at] = key;
#if VALUE_BYTES
        values[first + at] = value;
#endif
    }
}

// Where a merge reads and writes; what lies behind the first run only is copied.
struct merge {
    global const key_t *keys_from;
    global key_t *keys_to;
    global const value_t *values_from;
    global value_t *values_to;
};

// Finds RUN elements of the merged runs of `run` elements, from number `first` of n on.
INLINE void merge_run(const struct merge *merge, const index_t run, const index_t first, const index_t n,
                      ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask)
{
    const index_t begin = first - first % run - (first / run % 2 ? run : 0);
    const index_t middle = begin + min(run, n - begin), end = middle + min(run, n - middle);
    const index_t distance = first - begin;
    index_t low = distance > end - middle ? distance - (end - middle) : 0, high = min(distance, middle - begin);
    while (low < high) {
        const index_t at = low + (high - low) / 2;
        const bool is_behind =
            COMPARED(merge->keys_from[begin + at]) > COMPARED(merge->keys_from[middle + distance - 1 - at]);
        low = is_behind ? low : at + 1;
        high = is_behind ? at : high;
    }
    index_t left = begin + low, right = middle + distance - low;
    for (index_t to = first; to < min(first + RUN, end); to++) {
        const bool has_left = left < middle, has_right = right < end;
        const bool is_left =
            has_left && (!has_right || COMPARED(merge->keys_from[left]) <= COMPARED(merge->keys_from[right]));
        const index_t from = is_left ? left : right;
        merge->keys_to[to] = merge->keys_from[from];
#if VALUE_BYTES
        merge->values_to[to] = merge->values_from[from];
#endif
        left += is_left ? 1 : 0;
        right += is_left ? 0 : 1;
    }
}

// Sorts the ranges of the last level, which hardly ever has any, in rounds: in round 0 runs where they are, in each one after that merges
// of runs of RUN << (round - 1), from X to Y or back. is_shared: all work-groups have a part of each range, and there is one round;
// else a work-group has a range to itself. So the time is bounded for any keys.
KERNEL void merge_rest(BUFFER_PARAMETERS, const uint first_round, const uint last_round, const uint is_shared)
{
    READ_PLAN
    const struct buffers buffers = BUFFERS;
    const uint n_ranges = LEVEL_COUNTERS(plan->n_levels)[LEVEL_RANGES];
    const index_t first_part = RUN * (index_t)(is_shared ? get_global_id(0) : get_local_id(0));
    const index_t step = RUN * (index_t)(is_shared ? get_global_size(0) : GROUP_SIZE);
    for (uint r = is_shared ? 0 : get_group_id(0); r < n_ranges; r += is_shared ? 1 : get_num_groups(0)) {
        const struct range range = LEVEL_AREA(struct range, ranges, plan->n_levels)[r];
        for (uint round = first_round; round < last_round; round++) {
            // Round 0 leaves elements where they are, and so does each other round that begins in X end in Y.
            const bool is_in_x = place_of_level(plan->n_levels + (round ? round - 1 : 0)) == IN_X;
            global key_t *x = buffers.x_keys + range.begin, *y = buffers.y_keys + range.begin;
            global value_t *x_values = buffers.x_values + range.begin, *y_values = buffers.y_values + range.begin;
            const struct merge merge = {is_in_x ? x : y, is_in_x ? y : x, is_in_x ? x_values : y_values,
                                        is_in_x ? y_values : x_values};
            for (index_t first = first_part; first < range.length; first += step) {
                if (round == 0) {
                    sort_run(is_in_x ? x : y, is_in_x ? x_values : y_values, first,
                             (uint)min((index_t)RUN, range.length - first), ORDER, begin_bit, rank_mask);
                } else {
                    const index_t run = (index_t)min((ulong)RUN << (round - 1), (ulong)range.length);
                    merge_run(&merge, run, first, range.length, ORDER, begin_bit, rank_mask);
                }
            }
            GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
        }
    }
}
