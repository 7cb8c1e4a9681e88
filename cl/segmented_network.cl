// Segments: sorts the short ones in registers, and lists the others for those kernels that sort and partition ranges.

#define MOST_PART_BITS 3
#define PARTED N_WIDTHS // from here on: segments that parts of a work-group sort
#define N_KINDS (PARTED + MOST_PART_BITS + 1)
#define KIND_RANGE N_KINDS // too long for a work-group
#define KIND_COPY (N_KINDS + 1)
#define KIND_NONE (N_KINDS + 2)

// What becomes of segments that are longer than register_limit: copied, or listed up to the capacity of a work-group, or all.
#define COPY_OTHERS 0
#define LIST_PARTED 1
#define LIST_ALL 2

// The longest segment for 1 << bits parts of a work-group; each part needs two more rows of local memory, and begins with a row.
INLINE uint part_capacity(const struct layout *layout, const uint bits)
{
    const uint room = (layout->bucket_capacity + 2 * ROW) >> bits;
    return bits == 0 ? layout->bucket_capacity : min(room / ROW * ROW - 2 * ROW, layout->bucket_capacity >> bits);
}

// Bits of the width of a segment that has keys.
INLINE uint width_bits(const uint length)
{
    return 32 - clz((length - 1) / HALF_ROW);
}

// What is done with a segment of this length.
INLINE uint kind_of(const struct layout *layout, const uint length, const uint listing)
{
    if (length < 2) {
        return KIND_NONE;
    }
    if (length <= layout->register_limit) {
        return width_bits(length);
    }
    if (listing == COPY_OTHERS || (listing == LIST_PARTED && length > layout->bucket_capacity)) {
        return KIND_COPY;
    }
    uint bits = layout->part_bits;
    while (bits > 0 && length > part_capacity(layout, bits)) {
        bits--;
    }
    return length > layout->bucket_capacity ? KIND_RANGE : PARTED + bits;
}

// Reserves room for the keys of ranges. There is not enough only where segments overlap; then the ranges of this work-group are not
// listed, so that lists which have room for `count` keys never overflow. Few keys are added before it is known whether they fit:
// work-groups that first ask and then compare take turns, at a microsecond each. The sum would wrap only if thousands of work-groups
// added at once what does not fit.
#define FEW_KEYS (1u << 19)
INLINE bool reserve_keys(global uint *listed, const ulong n_keys, const uint count)
{
    uint before = atomic_or(listed, 0u), seen = before;
    if (n_keys <= FEW_KEYS && before <= count) {
        before = atomic_add(listed, (uint)n_keys);
        return before + n_keys <= count;
    }
    bool has_room = before + n_keys <= count;
    while (has_room && (seen = atomic_cmpxchg(listed, before, before + (uint)n_keys)) != before) {
        before = seen;
        has_room = before + n_keys <= count;
    }
    return has_room;
}

// Finds places for the kinds of a work-group's segments. Each kind has a work-item, so that they wait for the counters in global
// memory together.
INLINE void find_places(global uint *control, const uint count, const struct segment_lists *lists)
{
    for (uint kind = item_id(); kind <= KIND_RANGE; kind += GROUP_SIZE) {
        if (kind < PARTED) {
            uint place = 0, first_half = 0;
            for (uint wider = kind + 1; wider < N_WIDTHS; wider++) {
                place += lists->counts[wider];
                first_half += lists->counts[wider] << wider;
            }
            lists->places[kind] = place;
            lists->halves[kind] = first_half;
        } else if (kind < KIND_RANGE) {
            const uint n = lists->counts[kind];
            lists->places[kind] = n > 0 ? atomic_add(control + CONTROL_PARTED + kind - PARTED, n) : 0;
        } else {
            const ulong n_keys = ((ulong)lists->keys[1] << 16) + lists->keys[0];
            lists->keys[2] = n_keys == 0 || reserve_keys(control + CONTROL_LISTED, n_keys, count);
        }
    }
}

// What is left to the whole work-group: to copy a segment, or to prepare a giant range.
struct left {
    local uint *n;
    local uint *numbers; // of ranges; NO_NUMBER: to be copied
    local uint *firsts;  // block, or key
    local uint *lengths;
};
#define NO_NUMBER 0xffffffffu

INLINE void leave(const struct left *left, const uint number, const uint first, const uint length)
{
    const uint at = atomic_inc(left->n);
    left->numbers[at] = number;
    left->firsts[at] = first;
    left->lengths[at] = length;
}

// Lists a segment as a range.
INLINE void list_range(const struct layout *layout, global uint *control, const struct segment *segment,
                       global struct range *giants, global struct range *mediums, const struct left *left)
{
    struct range range = {
        segment->begin, segment->begin, segment->begin, segment->length, 8 * KEY_BYTES, IN_INPUT, 0, 0};
    if (range.count <= layout->giant_limit) {
        list_medium(control, range, mediums);
    } else {
        const uint number = atomic_inc(control + CONTROL_RANGES);
        range.first_block = atomic_add(control + CONTROL_BLOCKS, n_blocks_of(layout, range.count));
        giants[number] = range;
        leave(left, number, range.first_block, range.count);
    }
}

// Fills the map of a giant range, and clears its histogram and cursors, by the whole work-group.
INLINE void prepare_giant(const struct layout *layout, const uint number, const uint first_block, const uint count,
                          global uint *map, global uint *counts, global uint *cursors, global uint *bits)
{
    fill_map(layout, map, count, number, first_block);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        counts[number * RADIX + digit] = 0;
        if (!VALUE_BYTES) { // stable partitions have tables
            cursors[number * RADIX + digit] = 0;
        }
    }
    for (uint word = item_id(); word < BIT_WORDS; word += GROUP_SIZE) {
        bits[number * BIT_WORDS + word] = 0;
    }
}

// -------------------------------------------------------------------------------------------------------------- kernel

// Clears the counters.
KERNEL void begin(HYBRID_PARAMETERS)
{
    const struct layout layout = LAYOUT;
    for (uint word = item_id(); word < CONTROL_WORDS; word += GROUP_SIZE) {
        AREA(uint, control)[word] = word == CONTROL_OVERFLOW ? ALL_EXACT : 0;
    }
}

// Takes segments_of_group segments, two for each work-item at most: sorts them or lists them, as `level` says.
KERNEL void classify(HYBRID_PARAMETERS, SEGMENT_PARAMETERS)
{
    local entry_t slots[GROUP_SIZE / TEAM * TEAM_PLACES] __attribute__((aligned(16)));
    local uint counts[N_KINDS], places[N_KINDS], halves_before[N_WIDTHS], short_begins[HALVES];
    local uint listed_keys[3], has_left[1], n_left[1];
    local ushort short_lengths[HALVES];
    local half_t half_keys[HALVES];
    local uint half_begins[VALUE_BYTES ? HALVES : 1];
    local uchar half_bits[HALVES];
    const struct layout layout = LAYOUT;
    const struct segment_lists lists = {counts, places, halves_before, short_begins, short_lengths, listed_keys};
    const struct halves halves = {half_keys, half_begins, half_bits};
    const uint item = item_id();
    const ulong from = (ulong)get_group_id(0) * layout.segments_of_group;
    const uint n_own = from < n_segments ? (uint)min((ulong)layout.segments_of_group, n_segments - from) : 0;
    global uint *control = AREA(uint, control);
    local uint *left_words = (local uint *)slots; // before rows lie there
    const struct left left = {n_left, left_words, left_words + HALVES, left_words + 2 * HALVES};
    for (uint kind = item; kind < N_KINDS; kind += GROUP_SIZE) {
        counts[kind] = 0;
    }
    for (uint word = item; word < 3; word += GROUP_SIZE) {
        listed_keys[word] = 0;
    }
    if (item == 0) {
        has_left[0] = n_left[0] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    struct segment segments[2];
    uint kinds[2], at[2];
    UNROLL
    for (uint n = 0; n < 2; n++) {
        const uint number = n * GROUP_SIZE + item;
        segments[n].begin = segments[n].length = at[n] = 0;
        if (number < n_own) {
            read_segment(&segments[n], (index_t)(from + number), SEGMENTS);
        }
    }
    UNROLL
    for (uint n = 0; n < 2; n++) {
        kinds[n] = kind_of(&layout, segments[n].length, level);
        if (kinds[n] < N_KINDS) {
            at[n] = atomic_inc(counts + kinds[n]);
        }
        if (kinds[n] == KIND_RANGE) {
            atomic_add(listed_keys, segments[n].length & 0xffff);
            atomic_add(listed_keys + 1, segments[n].length >> 16);
        }
        if (kinds[n] == KIND_RANGE || kinds[n] == KIND_COPY) {
            has_left[0] = 1; // all that write it write the same
        }
        if (segments[n].length == 1) {
            const struct arrays arrays = ARRAYS;
            copy_entry(&layout, &arrays, segments[n].begin, segments[n].begin);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    find_places(control, layout.count, &lists);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint n = 0; n < 2; n++) {
        const struct segment segment = segments[n];
        if (kinds[n] < PARTED) {
            short_begins[places[kinds[n]] + at[n]] = segment.begin;
            short_lengths[places[kinds[n]] + at[n]] = (ushort)segment.length;
        } else if (kinds[n] < N_KINDS) {
            const struct task task = {segment.begin, segment.begin, segment.length, IN_INPUT};
            const uint bits = kinds[n] - PARTED, place = places[kinds[n]] + at[n];
            if (place < parted_room(&layout, bits)) { // there is none only where segments overlap
                PARTED_LIST(struct task, bits)[place] = task;
            }
        }
    }
    if (has_left[0]) { // the same for the whole work-group
        UNROLL
        for (uint n = 0; n < 2; n++) {
            if (kinds[n] == KIND_COPY) {
                leave(&left, NO_NUMBER, segments[n].begin, segments[n].length);
            } else if (kinds[n] == KIND_RANGE && listed_keys[2]) {
                list_range(&layout, control, &segments[n], AREA(struct range, even_ranges), AREA(struct range, medium),
                           &left);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < n_left[0]; i++) { // the same for the whole work-group
            const struct arrays arrays = ARRAYS;
            const uint first = left.firsts[i], length = left.lengths[i];
            if (left.numbers[i] != NO_NUMBER) {
                prepare_giant(&layout, left.numbers[i], first, length, AREA(uint, even_map), AREA(uint, even_counts),
                              AREA(uint, even_cursors), AREA(uint, even_bits));
            } else {
                for (uint key = item; key < length; key += GROUP_SIZE) {
                    copy_entry(&layout, &arrays, first + key, first);
                }
            }
        }
        END_OF_BRANCH();
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const struct arrays arrays = ARRAYS;
    sort_short(&layout, &arrays, &lists, &halves, slots);
}
