// Lists of the hybrid radix sorts: giant ranges, which many work-groups partition together, medium ranges, of which a work-group
// takes one, and tasks, which fit its local memory.

INLINE uint n_blocks_of(const struct layout *layout, const uint count)
{
    return (count + layout->block - 1) / layout->block;
}

// Makes the whole input the one giant range of level 0.
INLINE void begin_whole(const struct layout *layout, global uint *control, global struct range *ranges)
{
    const struct range whole = {0, 0, 0, layout->count, 8 * KEY_BYTES, IN_INPUT, 0, 0};
    ranges[0] = whole;
    control[CONTROL_RANGES] = 1;
    control[CONTROL_BLOCKS] = n_blocks_of(layout, layout->count);
}

// Sets n words to zero, by all work-groups together.
INLINE void clear_words(global uint *words, const uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        words[i] = 0;
    }
}

// Clears the histograms of the giant ranges of a level, likewise.
INLINE void clear_histograms(const struct layout *layout, global uint *counts, global uint *bits)
{
    clear_words(counts, layout->n_ranges * RADIX);
    clear_words(bits, layout->n_ranges * BIT_WORDS);
}

// Adds a giant range to a level, by any work-item; *number and *first_block are for those who fill the map of blocks.
INLINE void list_giant(const struct layout *layout, global uint *control, struct range range, const uint level,
                       global struct range *giants, local uint *number, local uint *first_block)
{
    *number = atomic_inc(control + CONTROL_RANGES + level);
    range.first_block = atomic_add(control + CONTROL_BLOCKS + level, n_blocks_of(layout, range.count));
    *first_block = range.first_block;
    giants[*number] = range;
}

// Fills the map for the blocks of a giant range, by the whole work-group.
INLINE void fill_map(const struct layout *layout, global uint *map, const uint count, const uint number,
                     const uint first_block)
{
    for (uint block = item_id(); block < n_blocks_of(layout, count); block += GROUP_SIZE) {
        map[first_block + block] = number;
    }
}

INLINE void list_medium(global uint *control, const struct range range, global struct range *mediums)
{
    mediums[atomic_inc(control + CONTROL_MEDIUM)] = range;
}

// Local memory in which the children of a range are listed.
struct children {
    local uint *windows; // RADIX
    local uint *heads;   // RADIX
    local index_t *scratch;
    local uint *word;
};

#define NO_WINDOW 0xffffffffu
#define IS_RANGE 0x80000000u  // of a head: no task
#define IS_SINGLE 0x40000000u // of a head: one child; starts are below, as counts are below 2^30
#define START_OF(head) ((head) & ~(IS_RANGE | IS_SINGLE))

// Where tasks are listed.
struct task_lists {
    global struct task *tasks;
    global uint *hard;
};

// How many times the mean one child of a range has if keys are skewed: then bins by their highest bits will not do in its tasks either.
#define SKEWED_CHILD 16

// Makes tasks of the children that fit local memory; small neighbours whose starts lie in one window of three quarters of the
// capacity are joined. ends[digit]: of the child, counted from the range's start, in whose keys
// the lowest `shift` bits may vary; what are ranges become tasks of nothing. Tasks of keys alone are hard if these are skewed.
INLINE void list_tasks(const struct layout *layout, global uint *control, const struct task_lists *lists,
                       const struct range *range, const uint shift, local const uint *ends,
                       const struct children *children)
{
    global struct task *tasks = lists->tasks;
    if (item_id() == 0) {
        *children->word = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint capacity = layout->bucket_capacity;
    const uint window = max(capacity * 3 / 4, 1u);
    const uint first = item_id() * DIGITS_OF_ITEM;
    for (uint digit = first; digit < min(first + DIGITS_OF_ITEM, (uint)RADIX); digit++) {
        const uint start = digit ? ends[digit - 1] : 0;
        const bool is_small = ends[digit] - start <= capacity - window;
        children->windows[digit] = is_small ? start / window : NO_WINDOW;
        if (!VALUE_BYTES && (ends[digit] - start) / SKEWED_CHILD > range->count / RADIX) {
            *children->word = 1; // all that write it write the same
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const bool is_skewed = *children->word;
    uint n_own = 0;
    for (uint digit = first; digit < min(first + DIGITS_OF_ITEM, (uint)RADIX); digit++) {
        n_own += digit == 0 || children->windows[digit] == NO_WINDOW ||
                 children->windows[digit] != children->windows[digit - 1];
    }
    index_t total;
    uint at = (uint)group_scan(n_own, children->scratch, &total);
    for (uint digit = first; digit < min(first + DIGITS_OF_ITEM, (uint)RADIX); digit++) {
        const uint start = digit ? ends[digit - 1] : 0;
        if (digit == 0 || children->windows[digit] == NO_WINDOW ||
            children->windows[digit] != children->windows[digit - 1]) {
            children->heads[at++] = start | (ends[digit] - start > capacity ? IS_RANGE : 0) |
                                    (children->windows[digit] == NO_WINDOW ? IS_SINGLE : 0);
        }
    }
    if (item_id() == 0) {
        *children->word = atomic_add(control + CONTROL_TASKS, (uint)total);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint i = item_id(); i < total; i += GROUP_SIZE) {
        const uint head = children->heads[i], start = START_OF(head);
        const uint end = i + 1 < total ? START_OF(children->heads[i + 1]) : range->count;
        const uint bits = head & IS_SINGLE ? shift : range->bits;
        const uint count = head & IS_RANGE ? 0 : end - start;
        const bool is_hard = is_skewed && bits > layout->narrow_bits && count > FULL_BIN;
        const struct task task = {range->other + start, range->to + start, count,
                                  (range->buffer == IN_X ? IN_Y : IN_X) | (is_hard ? PLACE_HARD : 0) |
                                      bits << PLACE_BITS};
        tasks[*children->word + i] = task;
        if (is_hard) {
            lists->hard[atomic_inc(control + CONTROL_HARD)] = *children->word + i;
        }
        if (task.count > 0) {
            control[bits > layout->narrow_bits ? CONTROL_WIDE : CONTROL_NARROW] = 1; // all that write it write the same
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Makes the child of a range that is a range again.
INLINE void make_child(const struct range *range, const uint start, const uint count, const uint bits,
                       struct range *child)
{
    // The input is never written, so a child of a range there goes on in the place that X has for it.
    const uint back = range->buffer == IN_INPUT ? range->other : range->from;
    child->from = range->other + start;
    child->other = back + start;
    child->to = range->to + start;
    child->count = count;
    child->bits = bits;
    child->buffer = range->buffer == IN_X ? IN_Y : IN_X;
    child->first_block = 0;
    child->unused = 0;
}

// Where what comes of giant ranges is listed.
struct lists {
    global struct range *giants;
    global uint *map;
    global struct range *mediums;
    struct task_lists of_tasks;
    uint level; // of the giants
    uint most_bits;
};

#define LISTS(of_level, most_bits)                                                                                     \
    {                                                                                                                  \
        LEVEL_AREA(struct range, ranges, of_level), LEVEL_AREA(uint, map, of_level), AREA(struct range, medium),       \
            {AREA(struct task, tasks), AREA(uint, hard)}, of_level, most_bits                                          \
    }

INLINE bool is_giant(const struct layout *layout, const struct lists *lists, const uint count, const uint bits)
{
    return count > layout->giant_limit && bits <= lists->most_bits;
}

// The map of a giant child is filled by the work-item that lists it, and if it has more blocks, by all of them.
#define FEW_BLOCKS 32
#define IS_LONG(count) (is_giant(layout, lists, count, shift) && n_blocks_of(layout, count) > FEW_BLOCKS)

// Lists the children of a giant range as tasks, medium and giant ranges.
INLINE void list_children(const struct layout *layout, global uint *control, const struct lists *lists,
                          const struct range *range, const uint shift, local const uint *counts, local const uint *ends,
                          const struct children *children)
{
    local uint *numbers = children->windows, *first_blocks = children->heads, *has_long = children->word;
    list_tasks(layout, control, &lists->of_tasks, range, shift, ends, children);
    if (item_id() == 0) {
        *has_long = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        const uint count = counts[digit];
        struct range child;
        make_child(range, ends[digit] - count, count, shift, &child);
        if (is_giant(layout, lists, count, shift)) {
            list_giant(layout, control, child, lists->level, lists->giants, numbers + digit, first_blocks + digit);
            if (IS_LONG(count)) {
                *has_long = 1; // all that write it write the same
            }
            for (uint block = 0; block < min(n_blocks_of(layout, count), (uint)FEW_BLOCKS); block++) {
                lists->map[first_blocks[digit] + block] = numbers[digit];
            }
        } else if (count > layout->bucket_capacity) {
            list_medium(control, child, lists->mediums);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = 0; digit < RADIX && *has_long; digit++) { // the same for the whole work-group
        if (IS_LONG(counts[digit])) {
            fill_map(layout, lists->map, counts[digit], numbers[digit], first_blocks[digit]);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Lists a range again whose ranks differ only in its lowest bits: nothing is moved, the next level takes those. The whole input
// may be no giant range by its size.
INLINE void list_again(const struct layout *layout, global uint *control, const struct lists *lists, struct range range,
                       const uint bits, const struct children *children)
{
    local uint *number = children->windows, *first_block = children->heads;
    const bool is_listed = is_giant(layout, lists, range.count, bits);
    range.bits = bits;
    if (item_id() == 0) {
        if (is_listed) {
            list_giant(layout, control, range, lists->level, lists->giants, number, first_block);
        } else {
            list_medium(control, range, lists->mediums);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (is_listed) {
        fill_map(layout, lists->map, range.count, *number, *first_block);
    }
}

// Children of a medium range that exceed a bucket's capacity, at a time: a bucket of the first optimistic level has no more, nor has
// a range of giant_limit keys; the host sees to it. Nor has a range that is larger, as it differs in two digits.
#define STACKED_CHILDREN 256

// Such a child, packed: from bit 0 on where it starts in the medium range; its count less 1; the bits that may vary in it, less 1; and
// whether it lies where the children of children do.
typedef ulong stacked_t;
#define STACKED_COUNT 28
#define STACKED_BITS 56
#define STACKED_BACK 62
#define STACKED_FIELD(child, from, to) ((uint)((child) >> (from)) & ((1u << ((to) - (from))) - 1))
#define STACKED_START(child) STACKED_FIELD(child, 0, STACKED_COUNT)

INLINE stacked_t pack_child(const uint start, const uint count, const uint bits, const uint is_back)
{
    return (ulong)is_back << STACKED_BACK | (ulong)(bits - 1) << STACKED_BITS | (ulong)(count - 1) << STACKED_COUNT |
           start;
}

// The range that a stacked child of a medium range is.
INLINE void unpack_child(const struct range *medium, const stacked_t child, struct range *range)
{
    // The input is never written, so that a child of a child of a range there lies in the place that X has for it.
    const bool is_input = medium->buffer == IN_INPUT, is_back = child >> STACKED_BACK != 0;
    const bool to_x = medium->buffer != IN_X; // where children are
    const uint back = is_input ? medium->other : medium->from, start = STACKED_START(child);
    range->from = (is_back ? back : medium->other) + start;
    range->other = (is_back ? medium->other : back) + start;
    range->to = medium->to + start;
    range->count = STACKED_FIELD(child, STACKED_COUNT, STACKED_BITS) + 1;
    range->bits = STACKED_FIELD(child, STACKED_BITS, STACKED_BACK) + 1;
    range->buffer = to_x == is_back ? IN_Y : IN_X;
    range->first_block = 0;
    range->unused = 0;
}

// The children of a medium range that a work-group has still to take apart.
struct stack {
    local stacked_t *children; // STACKED_CHILDREN
    local uint *n;
    local uint *next; // number of the medium range that comes then
};

#define LOCAL_STACK                                                                                                    \
    local stacked_t stack_children[STACKED_CHILDREN];                                                                  \
    local uint stack_n, stack_next;                                                                                    \
    const struct stack stack = {stack_children, &stack_n, &stack_next}

// What a work-group takes apart: a medium range, or what has become of a part of it.
struct part_of_medium {
    struct range range;
    uint start;   // in the medium range
    uint is_back; // whether its children lie where the medium range does
};

// Begins with a medium range, and finds the number of the one that comes next.
INLINE void take_medium(global uint *control, global const struct range *medium, const struct stack *stack,
                        struct part_of_medium *taken)
{
    taken->range = *medium;
    taken->start = taken->is_back = 0;
    if (item_id() == 0) {
        *stack->next = get_num_groups(0) + atomic_inc(control + CONTROL_NEXT_MEDIUM);
        *stack->n = 0;
        stack->children[0] = 0; // is read where there is no child
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Stacks the children of a range that exceed the capacity of a bucket.
INLINE void push_children(const struct layout *layout, const struct part_of_medium *taken, const uint shift,
                          local const uint *counts, local const uint *ends, const struct stack *stack)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        const uint count = counts[digit];
        if (count > layout->bucket_capacity) {
            stack->children[atomic_inc(stack->n)] =
                pack_child(taken->start + ends[digit] - count, count, shift, taken->is_back);
        }
    }
}

// Goes on with a child; returns whether there was none. Children are read by other work-items than wrote them.
INLINE bool take_child(global const struct range *medium, const struct stack *stack, struct part_of_medium *taken)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint n = *stack->n;
    const bool is_done = n == 0;
    const struct range whole = *medium;
    const stacked_t child = stack->children[is_done ? 0 : n - 1];
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    if (item_id() == 0 && !is_done) {
        *stack->n = n - 1;
    }
    unpack_child(&whole, child, &taken->range);
    taken->start = STACKED_START(child);
    taken->is_back = child >> STACKED_BACK == 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return is_done;
}

// Counts a range's digits, from its highest bit that varies on; returns the shift, and the bits that vary.
INLINE uint count_medium(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                         local uint *counts, local uint *words, uint *bits)
{
    uint shift = digit_shift(range->bits, RADIX_BITS);
    for (uint is_done = 0; !is_done;) {
        clear_counts(counts, words);
        count_part(layout, arrays, range, 0, range->count, shift, RADIX - 1, counts, words);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        *bits = varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
        is_done = *bits > shift || *bits == 0;
        shift = is_done ? shift : digit_shift(*bits, RADIX_BITS);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
    return shift;
}
