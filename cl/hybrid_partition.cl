// Hybrid radix sort of keys alone, its partitions: from the whole input down to ranges that fit local memory.

// Clears what the others count in and decides how to begin: optimistic (cursors of the buckets stand at their starts) or by exact
// histograms, with the whole input as a giant range. level: 1 to try the optimistic way.
KERNEL void plan(HYBRID_PARAMETERS)
{
    local uint counts[2 * RADIX], sums[2];
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    global uint *first_cursors = AREA(uint, first_cursors);
    global uint *second_cursors = AREA(uint, second_cursors);
    clear_histograms(&layout, AREA(uint, even_counts), AREA(uint, even_bits));
    clear_words(AREA(uint, even_cursors), layout.n_ranges * RADIX);
    clear_words(AREA(uint, even_map), n_blocks_of(&layout, layout.count));
    if (level == 1) {
        const uint n_second = 1u << (layout.first_bits + layout.second_bits);
        for (uint i = get_global_id(0); i < n_second; i += get_global_size(0)) {
            second_cursors[i] = i * layout.second_capacity;
        }
        for (uint i = get_global_id(0); i < 1u << layout.first_bits; i += get_global_size(0)) {
            first_cursors[i] = i * layout.first_capacity;
        }
    }
    const bool is_first = get_group_id(0) == 0;
    for (uint word = item_id(); is_first && word < CONTROL_WORDS; word += GROUP_SIZE) {
        control[word] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool is_uniform = false;
    if (is_first && level == 1 && layout.count > 0) { // the same for the whole work-group
        is_uniform = sample_is_uniform(&layout, &arrays, counts, sums);
        END_OF_BRANCH();
    }
    if (is_first && item_id() == 0 && !is_uniform && layout.count > 0) {
        control[CONTROL_OVERFLOW] = ALL_EXACT;
        begin_whole(&layout, control, AREA(struct range, even_ranges));
    }
}

// -------------------------------------------------------------------------------------------------------- giant ranges

// Chooses a digit that more than a sixth of a range has, into a local word that holds NO_DIGIT.
INLINE void find_heavy(local const uint *counts, const uint count, local uint *heavy)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        if (counts[digit] > count / 6) {
            atomic_min(heavy, digit);
        }
    }
}

// Local memory for a range that is partitioned.
struct partition {
    local uint *counts, *ends; // RADIX
    local uint *heavy;
    struct tile tile;
    struct children children;
};

#define LOCAL_PARTITION                                                                                                \
    LOCAL_TILE;                                                                                                        \
    local uint range_counts[RADIX], range_ends[RADIX], range_heavy, children_word;                                     \
    const struct children children = {tile_starts, tile_counts, tile_scratch, &children_word};                         \
    const struct partition partition = {range_counts, range_ends, &range_heavy, tile, children}

INLINE global key_t *children_keys(const struct arrays *arrays, const struct range *range)
{
    return (range->buffer == IN_X ? arrays->y_keys : arrays->x_keys) + range->other;
}

// Moves one tile of a giant range. There is no room for a digit only where segments overlap, so that keys have changed since they were
// counted: nothing outside of the range is to be touched then.
INLINE void partition_giant(const struct arrays *arrays, const struct range *range, const uint shift,
                            const rank_t *ranks, const uint n_valid, global uint *cursors,
                            const struct partition *partition)
{
    const struct tile *tile = &partition->tile;
    if (item_id() == 0) {
        *partition->heavy = NO_DIGIT;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_heavy(partition->counts, range->count, partition->heavy);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    count_tile(ranks, n_valid, shift, RADIX - 1, *partition->heavy, tile);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        const uint count = tile->counts[digit];
        // Not added to in local memory: PoCL 3.1 takes the condition of a work-group's first work-item for that of all then.
        uint start = partition->ends[digit] - partition->counts[digit];
        if (count > 0) {
            start += atomic_add(cursors + digit, count);
        }
        tile->starts[digit] = start + count > partition->ends[digit] ? NO_ROOM : start;
    }
    scatter_tile(ranks, n_valid, shift, RADIX - 1, tile, children_keys(arrays, range));
}

// Levels whose giant ranges are partitioned: the last digit is counted with the medium ranges and expanded with the tasks.
#define PARTITIONED_LEVELS ((8 * KEY_BYTES + RADIX_BITS - 1) / RADIX_BITS - 1)

// Bits of giant ranges of a level: of the last one that are no more than its digit, and ranges that have more are medium. That is so
// of some where a bucket of the first optimistic level was full and its digit is narrower.
#define MOST_BITS(of_level) ((of_level) < PARTITIONED_LEVELS ? 8 * KEY_BYTES : RADIX_BITS)

// Begins a level: moves its elements to buckets in the optimistic way, else counts the digits of its giant ranges.
KERNEL void begin_level(HYBRID_PARAMETERS)
{
    LOCAL_TILE;
    local uint numbers[2], bits[BIT_WORDS], state_of_all[1];
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    if (item_id() == 0) {
        state_of_all[0] = control[CONTROL_OVERFLOW]; // other work-groups may set it meanwhile
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint state = state_of_all[0];
    rank_t ranks[ITEMS];
    // The same for the whole work-group, as all that follows. A full bucket does not stop the first level, which counts to its end.
    if (level == 0 ? state != ALL_EXACT : level == 1 && state == NO_OVERFLOW) {
        struct optimistic_tile taken;
        if (level == 0) {
            take_input_tile(&layout, &taken);
        } else {
            take_bucket_tile(&layout, AREA(const uint, first_tiles), AREA(const uint, first_cursors), numbers, &taken);
        }
        if (taken.n_valid > 0) {
            load_rows(&layout, &arrays, taken.buffer, taken.from, taken.n_valid, 0, ranks);
            count_tile(ranks, taken.n_valid, taken.shift, taken.n_digits - 1, NO_DIGIT, &tile);
            if (reserve_in_buckets(&tile, level ? AREA(uint, second_cursors) : AREA(uint, first_cursors), &taken) &&
                level == 0) {
                control[CONTROL_OVERFLOW] = LATE_OVERFLOW; // all that write it write the same
                begin_whole(&layout, control, AREA(struct range, even_ranges));
            }
            scatter_tile(ranks, taken.n_valid, taken.shift, taken.n_digits - 1, &tile,
                         level ? arrays.y_keys : arrays.x_keys);
            END_OF_BRANCH();
        }
    } else if (level < PARTITIONED_LEVELS) {
        const struct giants giants = GIANTS(level);
        count_giants(&layout, &arrays, &giants, min((uint)get_num_groups(0), layout.histogram_groups), tile.counts,
                     bits);
    }
}

// What a level leaves to the next: lists, histograms and cursors, cleared.
#define CLEAR_NEXT_LEVEL                                                                                               \
    if (giants.n_blocks > 0) {                                                                                         \
        clear_histograms(&layout, LEVEL_AREA(uint, counts, level + 1), LEVEL_AREA(uint, bits, level + 1));             \
        clear_words(LEVEL_AREA(uint, cursors, level + 1), layout.n_ranges *RADIX);                                     \
    }

// Reads the histogram of a giant range. That of the whole input, if a bucket of its first optimistic level was full, is what the
// cursors of those buckets counted.
INLINE void read_counts(const struct layout *layout, const struct giants *giants, const uint number,
                        const struct partition *partition)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        uint count = 0;
        if (!giants->late_cursors) {
            count = giants->counts[number * RADIX + digit];
        } else if (digit >> giants->late_bits == 0) {
            count = giants->late_cursors[digit] - digit * layout->first_capacity;
        }
        partition->counts[digit] = count;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_ends(partition->counts, partition->ends, partition->tile.scratch);
}

// Where the digit of a giant range begins.
INLINE uint shift_of(const struct giants *giants, const struct range *range)
{
    return digit_shift(range->bits, giants->late_cursors ? giants->late_bits : RADIX_BITS);
}

// The bits that vary in a giant range; of cursors that is not known.
INLINE uint bits_of(const struct giants *giants, const uint number, const struct range *range)
{
    return giants->late_cursors ? range->bits : giant_bits(giants, number);
}

// Lists the children of a giant range.
INLINE void list_giant_range(const struct layout *layout, const struct giants *giants, const struct lists *lists,
                             const uint number, const struct partition *partition)
{
    const struct range range = giants->ranges[number];
    const uint bits = bits_of(giants, number, &range), shift = shift_of(giants, &range);
    if (bits > shift && shift > 0) { // the same for the whole work-group
        read_counts(layout, giants, number, partition);
        list_children(layout, giants->control, lists, &range, shift, partition->counts, partition->ends,
                      &partition->children);
    } else if (bits > 0 && shift > 0) {
        list_again(layout, giants->control, lists, range, bits, &partition->children);
        END_OF_BRANCH();
    }
}

// Moves a block of a giant range by its next digit, or expands it if that is the last one or keys are equal.
INLINE void partition_block(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                            const uint at, const struct partition *partition)
{
    const uint number = giants->map[at];
    const struct range range = giants->ranges[number];
    const uint begin = (at - range.first_block) * TILE;
    const uint bits = bits_of(giants, number, &range), shift = shift_of(giants, &range);
    const uint n_valid = min((uint)TILE, range.count - begin);
    rank_t ranks[ITEMS];
    if (bits > shift && shift > 0) { // the same for the whole work-group
        // Under way while the histogram is read.
        load_rows(layout, arrays, range.buffer, range.from + begin, n_valid, 0, ranks);
        read_counts(layout, giants, number, partition);
        partition_giant(arrays, &range, shift, ranks, n_valid, giants->cursors + number * RADIX, partition);
        END_OF_BRANCH();
    } else if (bits == 0 || shift == 0) {
        global const uint *words = giants->bits + number * BIT_WORDS;
        read_counts(layout, giants, number, partition);
        expand_part(layout, arrays, &range, rank_of_ones(words[0], words[1]), bits == 0, begin,
                    min(begin + TILE, range.count), partition->ends);
        END_OF_BRANCH();
    }
}

// Ends a level. The optimistic way: finds where buckets go. Else it partitions the giant ranges by their next digit: there is a
// work-group for each block, which meet at the range's cursors in any order, and one for each range, which lists its children. A
// loop would cost registers.
KERNEL void end_level(HYBRID_PARAMETERS)
{
    LOCAL_PARTITION;
    const struct layout layout = LAYOUT;
    struct giants giants = GIANTS(level);
    const uint at = get_group_id(0), n_ranges = giants.control[CONTROL_RANGES + level];
    const uint state = giants.control[CONTROL_OVERFLOW];
    // The same for the whole work-group, as all that follows.
    if (state == NO_OVERFLOW) {
        if (level == 0 && at == 0) {
            scan_first_buckets(&layout, AREA(const uint, first_cursors), AREA(uint, first_offsets),
                               AREA(uint, first_tiles), partition.counts, partition.ends, tile.scratch);
            END_OF_BRANCH();
        } else if (level == 1 && at < 1u << layout.first_bits) {
            scan_second_buckets(&layout, at, giants.control, AREA(const uint, first_cursors),
                                AREA(const uint, first_offsets)[at], AREA(const uint, second_cursors),
                                AREA(uint, second_offsets), AREA(uint, second_sizes), AREA(struct range, medium),
                                partition.counts, partition.heavy, tile.scratch);
            END_OF_BRANCH();
        }
    } else if (level < PARTITIONED_LEVELS) {
        giants.late_cursors = level == 0 && state == LATE_OVERFLOW ? AREA(const uint, first_cursors) : 0;
        giants.late_bits = layout.first_bits;
        CLEAR_NEXT_LEVEL
        if (at < n_ranges) {
            const struct lists lists = LISTS(level + 1, MOST_BITS(level + 1));
            list_giant_range(&layout, &giants, &lists, at, &partition);
        } else if (at - n_ranges < giants.n_blocks) {
            const struct arrays arrays = ARRAYS;
            partition_block(&layout, &arrays, &giants, at - n_ranges, &partition);
        }
    }
}

// The same for levels that seldom have giant ranges: work-groups that find nothing to do take time too.
KERNEL void deep_partition(HYBRID_PARAMETERS)
{
    LOCAL_PARTITION;
    const struct layout layout = LAYOUT;
    const struct giants giants = GIANTS(level);
    const uint n_ranges = giants.control[CONTROL_RANGES + level];
    CLEAR_NEXT_LEVEL
    for (uint at = get_group_id(0); at < n_ranges + giants.n_blocks; at += get_num_groups(0)) {
        if (at < n_ranges) { // the same for the whole work-group
            const struct lists lists = LISTS(level + 1, MOST_BITS(level + 1));
            list_giant_range(&layout, &giants, &lists, at, &partition);
        } else {
            const struct arrays arrays = ARRAYS;
            partition_block(&layout, &arrays, &giants, at - n_ranges, &partition);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- medium ranges

// Moves all tiles of a range to its children.
INLINE void partition_medium(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                             const uint shift, const struct partition *partition)
{
    const struct tile *tile = &partition->tile;
    for (uint begin = 0; begin < range->count; begin += TILE) {
        const uint n_valid = min((uint)TILE, range->count - begin);
        rank_t ranks[ITEMS];
        load_rows(layout, arrays, range->buffer, range->from + begin, n_valid, 0, ranks);
        count_tile(ranks, n_valid, shift, RADIX - 1, *partition->heavy, tile);
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            // What is left of a digit's count says where its next elements go; as above, there may be no room.
            const uint left = partition->counts[digit], count = tile->counts[digit];
            tile->starts[digit] = count > left ? NO_ROOM : partition->ends[digit] - left;
            partition->counts[digit] = left - min(count, left);
        }
        scatter_tile(ranks, n_valid, shift, RADIX - 1, tile, children_keys(arrays, range));
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Sorts medium ranges down to tasks: a work-group takes one at a time, and its children depth first. Before that it counts the
// giant ranges of the level, which is the last: keys alone, that differ in one more digit at most.
KERNEL void medium(HYBRID_PARAMETERS)
{
    LOCAL_PARTITION;
    LOCAL_STACK;
    local uint words[BIT_WORDS];
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    global uint *control = AREA(uint, control);
    global const struct range *mediums = AREA(const struct range, medium);
    const uint n_mediums = control[CONTROL_MEDIUM];
    if (AREA(uint, control)[CONTROL_BLOCKS + level] > 0) {
        const struct giants giants = GIANTS(level);
        count_giants(&layout, &arrays, &giants, get_num_groups(0), partition.counts, words);
    }
    uint number = get_group_id(0);
    while (number < n_mediums) { // the same for the whole work-group
        struct part_of_medium taken;
        take_medium(control, mediums + number, &stack, &taken);
        bool is_done = false;
        while (!is_done) {
            uint bits;
            if (item_id() == 0) {
                *partition.heavy = NO_DIGIT;
            }
            const uint shift = count_medium(&layout, &arrays, &taken.range, partition.counts, words, &bits);
            find_ends(partition.counts, partition.ends, partition.tile.scratch);
            if (bits == 0 || shift == 0) {
                expand_part(&layout, &arrays, &taken.range, rank_of_ones(words[0], words[1]), bits == 0, 0,
                            taken.range.count, partition.ends);
            } else {
                find_heavy(partition.counts, taken.range.count, partition.heavy);
                const struct task_lists lists = {AREA(struct task, tasks), AREA(uint, hard)};
                list_tasks(&layout, control, &lists, &taken.range, shift, partition.ends, &partition.children);
                push_children(&layout, &taken, shift, partition.counts, partition.ends, &stack);
                GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
                partition_medium(&layout, &arrays, &taken.range, shift, &partition);
            }
            is_done = take_child(mediums + number, &stack, &taken);
        }
        number = stack_next;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
