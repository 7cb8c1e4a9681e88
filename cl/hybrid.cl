// What the kernels of the hybrid radix sorts share: the layout of the workspace, ranges, tasks, counters, reading.

// What the host knows. From count on as in src/hybrid_layout.h, and passed as three vectors: compilers have trouble with structs as
// arguments. Areas of the workspace are in units of 256 bytes from its start.
struct layout {
    ulong order_flip, order_bias, order_infinity;
    uint order_merge;
    uint count;
    uint first_bits, second_bits;         // digits of the two optimistic levels, or of the first two stable ones
    uint first_capacity, second_capacity; // keys that an optimistic bucket has room for
    uint block;                           // keys of a giant range that are counted or moved together
    uint bucket_capacity;                 // keys that a work-group sorts in local memory
    uint giant_limit;                     // ranges above it are partitioned by many work-groups
    uint n_ranges;                        // giant ranges of a level, at most
    uint y_is_output;                     // Y has its keys in the output, not in an area
    uint write_keys;
    uint generate_index; // argsort: the values of the input are the positions
    uint control;
    // Of levels of even and of odd number.
    uint even_ranges, even_map, even_counts, even_cursors, even_bits;
    uint odd_ranges, odd_map, odd_counts, odd_cursors, odd_bits;
    uint medium, tasks, hard;
    uint first_cursors, first_offsets, first_tiles; // of the optimistic levels
    uint second_cursors, second_offsets, second_sizes;
    uint x_keys, y_keys;
    uint table, tile_table, x_values; // of the stable sort; its Y has the values in the output
    // Bits that may vary in tasks that the stable sort sorts in 32 bits; of keys alone, that bins serve whatever the keys are.
    uint narrow_bits;
    uint bucket_groups;    // work-groups of the kernel `bucket` of keys alone
    uint histogram_groups; // work-groups that count the giant ranges of a level
    // Of segments: the longest that is sorted in registers, how many a work-group puts into classes, lists of those that several
    // parts of a work-group sort, by the bits of how many, with the end of the last, and the most bits of that.
    uint register_limit;
    uint segments_of_group;
    uint parted_0, parted_1, parted_2, parted_3, parted_end;
    uint part_bits;
};

// Where the list of segments for 1 << bits parts of a work-group begins, and how many it has room for.
INLINE uint parted_area(const struct layout *layout, const uint bits)
{
    return bits == 0   ? layout->parted_0
           : bits == 1 ? layout->parted_1
           : bits == 2 ? layout->parted_2
           : bits == 3 ? layout->parted_3
                       : layout->parted_end;
}
#define PARTED_LIST(type, bits)                                                                                        \
    ((global type *)(workspace + fresh(workspace_offset) + (ulong)parted_area(&layout, bits) * 256))

// Words of the control area. There are fewer than MOST_LEVELS levels, with digits of one bit too.
#define MOST_LEVELS 96
enum {
    CONTROL_OVERFLOW,    // one of the states below
    CONTROL_MEDIUM,      // medium ranges
    CONTROL_NEXT_MEDIUM, // the next that is taken
    CONTROL_TASKS,
    CONTROL_HARD,        // tasks that bins do not serve
    CONTROL_NARROW,      // whether there are tasks of narrow_bits at most
    CONTROL_WIDE,        // and others
    CONTROL_FAILED,      // buckets of the first level one of whose children was full
    CONTROL_LISTED,      // keys of the segments that are listed as ranges
    CONTROL_PARTED,      // segments for 1 << part bits parts of a work-group
    CONTROL_MERGED = 13, // tasks that a code did not serve either
    CONTROL_NEXT_HARD,   // of the hard tasks, the next that is taken
    CONTROL_RANGES = 16, // giant, of level L: word CONTROL_RANGES + L; their blocks likewise
    CONTROL_BLOCKS = CONTROL_RANGES + MOST_LEVELS,
    CONTROL_WORDS = CONTROL_BLOCKS + MOST_LEVELS
};

// States of the optimistic way.
enum {
    NO_OVERFLOW,
    ALL_EXACT,    // it was not tried
    LATE_OVERFLOW // a bucket of its first level was full
};

// Places that a range can be in.
enum { IN_INPUT, IN_X, IN_Y };

// Keys whose ranks agree in all bits above `bits` and that belong at `to` of the output. They lie at `from` of their buffer; their
// children go to `other` of the other one.
struct range {
    uint from, other, to, count;
    uint bits;
    uint buffer;
    uint first_block; // in its level's map
    uint unused;
};

// A range that fits the local memory of a work-group. place: its buffer, and from PLACE_BITS on how many bits may vary.
struct task {
    uint from, to, count, place;
};
INLINE uint parted_room(const struct layout *layout, const uint bits)
{
    return (parted_area(layout, bits + 1) - parted_area(layout, bits)) * (256 / (uint)sizeof(struct task));
}

#define PLACE_BITS 8
#define PLACE_HARD 0x80u // it is listed as hard from the start
#define PLACE_BUFFER(place) ((place) & (PLACE_HARD - 1))

#define FULL_BIN 64 // tasks with bins above it are not tried: they are hard

// What stands for a key in registers and in local memory: its rank.
#if KEY_BYTES <= 4
typedef uint rank_t;
#define RANK_WORDS 1
#else
typedef ulong rank_t;
#define RANK_WORDS 2
#endif

struct arrays {
    global const key_t *keys_in;
    global key_t *keys_out;
    global const value_t *values_in;
    global value_t *values_out;
    global key_t *x_keys, *y_keys;
    global value_t *x_values;
};

#define HYBRID_PARAMETERS                                                                                              \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, global uchar *workspace, const ulong workspace_offset, ORDER_PARAMETERS,        \
        const uint16 layout_0, const uint16 layout_1, const uint16 layout_2, const uint level
#define UINTS(v) v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se, v.sf
#define LAYOUT                                                                                                         \
    {                                                                                                                  \
        ORDER, UINTS(layout_0), UINTS(layout_1), UINTS(layout_2)                                                       \
    }
#define AREA(type, area) ((global type *)(workspace + fresh(workspace_offset) + (ulong)layout.area * 256))
// In a loop, made in each turn: PTX reads the offsets anew, so that no pointers are kept in registers.
#define ARRAYS                                                                                                         \
    {                                                                                                                  \
        keys_in + fresh(keys_in_offset), keys_out + fresh(keys_out_offset), values_in + fresh(values_in_offset),       \
            values_out + fresh(values_out_offset), AREA(key_t, x_keys),                                                \
            layout.y_is_output &&layout.write_keys ? keys_out + fresh(keys_out_offset) : AREA(key_t, y_keys),          \
            AREA(value_t, x_values)                                                                                    \
    }
#define LAYOUT_ORDER layout->order_flip, layout->order_bias, layout->order_infinity, layout->order_merge

// ------------------------------------------------------------------------------------------------------------------ keys

// X and Y hold ranks where keys alone are sorted, which are made once then, and the keys themselves where they have values: keys
// that differ may share a rank.
INLINE rank_t rank_of_stored(const struct layout *layout, const key_t stored)
{
    return VALUE_BYTES ? key_rank(stored, LAYOUT_ORDER) : stored;
}

INLINE rank_t read_rank(const struct layout *layout, const struct arrays *arrays, const uint buffer, const uint i)
{
    if (buffer == IN_INPUT) {
        return key_rank(arrays->keys_in[i], LAYOUT_ORDER);
    }
    return rank_of_stored(layout, (buffer == IN_X ? arrays->x_keys : arrays->y_keys)[i]);
}

// The bits that are set in some of several ranks, word by word, and from ZEROS on, those that are not set in some.
#define BIT_WORDS 4
#define ZEROS 2

// Ors a word of each work-item into one in local memory: by warps, as work-items that meet at a word are served one by one.
INLINE void add_word(local uint *word, uint own)
{
#ifdef WARP
    for (uint bit = WARP / 2; bit > 0; bit >>= 1) {
        own |= shuffle_xor(own, bit);
    }
    if (item_id() % WARP == 0) {
        atomic_or(word, own);
    }
#else
    atomic_or(word, own);
#endif
}

// Ors a rank of each work-item into words of bits, ones or zeros; all of them call it.
INLINE void add_bits(local uint *words, const rank_t rank)
{
    add_word(words, (uint)rank);
#if RANK_WORDS > 1
    add_word(words + 1, (uint)(rank >> 32));
#endif
}

// The ones as a rank, which is each of the ranks if they are equal.
INLINE rank_t rank_of_ones(const uint low, const uint high)
{
#if RANK_WORDS > 1
    return (ulong)high << 32 | low;
#else
    return low;
#endif
}

// How many bits of ranks vary, from bit 0 on.
INLINE uint varying_bits(const uint low, const uint high)
{
    return RANK_WORDS > 1 && high ? 64 - clz(high) : 32 - clz(low);
}

// Does `statement` for the i-th items of a work-item, each with its `slot`, where that is below n_valid. All but the last `loose` are
// done without tests, which cost registers, if n_valid says that they may be.
#define FOR_ITEMS(slot_of_item, n_valid, loose, statement)                                                             \
    do {                                                                                                               \
        if ((n_valid) >= (ITEMS - (loose)) * GROUP_SIZE) {                                                             \
            UNROLL                                                                                                     \
            for (uint i = 0; i < ITEMS - (loose); i++) {                                                               \
                const uint slot = slot_of_item;                                                                        \
                statement;                                                                                             \
            }                                                                                                          \
            UNROLL                                                                                                     \
            for (uint i = ITEMS - (loose); i < ITEMS; i++) {                                                           \
                const uint slot = slot_of_item;                                                                        \
                if (slot < (n_valid)) {                                                                                \
                    statement;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        } else {                                                                                                       \
            UNROLL                                                                                                     \
            for (uint i = 0; i < ITEMS; i++) {                                                                         \
                const uint slot = slot_of_item;                                                                        \
                if (slot < (n_valid)) {                                                                                \
                    statement;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

// The same where the items of all work-items are rows over the work-group.
#define FOR_ROWS(n_valid, loose, statement) FOR_ITEMS(i *GROUP_SIZE + item, n_valid, loose, statement)

// Two slots to a word, as they are below 65536.
#define GET_SLOT(slots, i) ((slots)[(i) / 2] >> (i) % 2 * 16 & 0xffff)
#define SET_SLOT(slots, i, slot) ((slots)[(i) / 2] = (i) % 2 ? (slots)[(i) / 2] | (slot) << 16 : (slot))

// Reads the ranks of n_valid keys of a buffer into registers; loose, known when this is compiled, as above.
INLINE void load_rows(const struct layout *layout, const struct arrays *arrays, const uint buffer, const uint from,
                      const uint n_valid, const uint loose, rank_t *ranks)
{
    const uint item = item_id();
    // A pointer to the first row, so that the others are at known distances.
    if (buffer == IN_INPUT) {
        global const key_t *keys = arrays->keys_in + from + item;
        FOR_ROWS(n_valid, loose, ranks[i] = key_rank(keys[i * GROUP_SIZE], LAYOUT_ORDER));
    } else {
        global const key_t *keys = (buffer == IN_X ? arrays->x_keys : arrays->y_keys) + from + item;
        FOR_ROWS(n_valid, loose, ranks[i] = rank_of_stored(layout, keys[i * GROUP_SIZE]));
    }
}

// --------------------------------------------------------------------------------------------------- digits of a group

#define DIGITS_OF_ITEM (RADIX > GROUP_SIZE ? RADIX / GROUP_SIZE : 1)

// Makes counts of the RADIX digits their exclusive prefix sums, by the whole work-group. Every count has been written; the sums
// are there after the barrier that the caller has to set.
INLINE void scan_digits(local uint *counts, local index_t *scratch)
{
    const uint first = item_id() * DIGITS_OF_ITEM;
    uint sum = 0;
    for (uint i = 0; i < DIGITS_OF_ITEM; i++) {
        sum += first + i < RADIX ? counts[first + i] : 0;
    }
    index_t total;
    uint before = (uint)group_scan(sum, scratch, &total);
    for (uint i = 0; i < DIGITS_OF_ITEM; i++) {
        if (first + i < RADIX) {
            const uint count = counts[first + i];
            counts[first + i] = before;
            before += count;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- giant ranges

#define LEVEL_AREA(type, area, of_level) ((of_level)&1 ? AREA(type, odd_##area) : AREA(type, even_##area))

// What of the workspace belongs to the giant ranges of a level.
struct giants {
    global uint *control;
    global const struct range *ranges;
    global const uint *map; // of blocks, to numbers of ranges
    global uint *counts, *cursors, *bits;
    uint n_blocks;
    global const uint *late_cursors; // of the first optimistic level, if they have the counts; else 0
    uint late_bits;                  // of its digit
};

#define GIANTS(of_level)                                                                                               \
    {                                                                                                                  \
        AREA(uint, control), LEVEL_AREA(const struct range, ranges, of_level), LEVEL_AREA(const uint, map, of_level),  \
            LEVEL_AREA(uint, counts, of_level), LEVEL_AREA(uint, cursors, of_level), LEVEL_AREA(uint, bits, of_level), \
            AREA(uint, control)[CONTROL_BLOCKS + (of_level)], 0, 0                                                     \
    }

// The bit from which on the next digit of a range lies, if it has so many bits.
INLINE uint digit_shift(const uint bits, const uint digit_bits)
{
    return bits > digit_bits ? bits - digit_bits : 0;
}

#define DIGIT(rank) ((uint)((rank) >> shift) & digit_mask)

#define LOADS 8 // reads that are under way together

// Counts the digits of a part of a range in local memory, and gathers which bits its ranks have.
INLINE void count_part(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                       const uint begin, const uint end, const uint shift, const uint digit_mask, local uint *counts,
                       local uint *bits)
{
    const uint item = item_id();
    rank_t ones = 0, zeros = 0;
    uint i = begin + item;
    for (; i + (LOADS - 1) * GROUP_SIZE < end; i += LOADS * GROUP_SIZE) {
        rank_t ranks[LOADS];
        if (range->buffer == IN_INPUT) {
            UNROLL
            for (uint n = 0; n < LOADS; n++) {
                ranks[n] = read_rank(layout, arrays, IN_INPUT, range->from + i + n * GROUP_SIZE);
            }
        } else {
            UNROLL
            for (uint n = 0; n < LOADS; n++) {
                ranks[n] =
                    read_rank(layout, arrays, range->buffer == IN_X ? IN_X : IN_Y, range->from + i + n * GROUP_SIZE);
            }
        }
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            ones |= ranks[n];
            zeros |= ~ranks[n];
            atomic_inc(counts + DIGIT(ranks[n]));
        }
    }
    if (i < end) {
        rank_t ranks[LOADS];
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            ranks[n] = read_rank(layout, arrays, range->buffer, range->from + min(i + n * GROUP_SIZE, end - 1));
        }
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            if (i + n * GROUP_SIZE < end) {
                ones |= ranks[n];
                zeros |= ~ranks[n];
                atomic_inc(counts + DIGIT(ranks[n]));
            }
        }
    }
    add_bits(bits, ones);
    add_bits(bits + ZEROS, zeros);
}

// Clears counts of RADIX digits and words of bits, and sets a barrier.
INLINE void clear_counts(local uint *counts, local uint *bits)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        counts[digit] = 0;
    }
    for (uint word = item_id(); word < BIT_WORDS; word += GROUP_SIZE) {
        bits[word] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Adds what a work-group counted to a giant range's histogram.
INLINE void add_counts(const struct giants *giants, const uint number, local const uint *counts, local const uint *bits)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        if (counts[digit]) {
            atomic_add(giants->counts + number * RADIX + digit, counts[digit]);
        }
    }
    if (item_id() == 0) {
        global uint *words = giants->bits + number * BIT_WORDS;
        for (uint word = 0; word < RANK_WORDS; word++) {
            atomic_or(words + word, bits[word]);
            atomic_or(words + ZEROS + word, bits[ZEROS + word]);
        }
    }
}

// Histograms of the giant ranges of a level. A work-group takes a run of blocks, and writes where a range of it ends. counts has room
// for RADIX, bits for BIT_WORDS.
INLINE void count_giants(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                         const uint n_groups, local uint *counts, local uint *bits)
{
    const uint group = get_group_id(0);
    uint block = group < n_groups ? (uint)((ulong)giants->n_blocks * group / n_groups) : 0;
    const uint end_block = group < n_groups ? (uint)((ulong)giants->n_blocks * (group + 1) / n_groups) : 0;
    while (block < end_block) { // the same for the whole work-group
        const uint number = giants->map[block];
        const struct range range = giants->ranges[number];
        const uint range_end = min(end_block, range.first_block + (range.count + layout->block - 1) / layout->block);
        clear_counts(counts, bits);
        count_part(layout, arrays, &range, (block - range.first_block) * layout->block,
                   min((range_end - range.first_block) * layout->block, range.count),
                   digit_shift(range.bits, RADIX_BITS), RADIX - 1, counts, bits);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        add_counts(giants, number, counts, bits);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        block = range_end;
    }
}

// The bits that vary in a giant range, once it has been counted.
INLINE uint giant_bits(const struct giants *giants, const uint number)
{
    global const uint *words = giants->bits + number * BIT_WORDS;
    return varying_bits(words[0] & words[ZEROS], words[1] & words[ZEROS + 1]);
}

// Makes ends[digit], of its keys in a range, from counts.
INLINE void find_ends(local const uint *counts, local uint *ends, local index_t *scratch)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        ends[digit] = counts[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(ends, scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        ends[digit] += counts[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Writes a part of a range whose ranks are all `ones`, or differ from it in no more than the bits of the last digit: as often as
// each was counted, with no move. ends[digit]: of its keys in the range.
INLINE void expand_part(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                        const rank_t ones, const bool is_equal, const uint begin, const uint end,
                        local const uint *ends)
{
    uint digit = 0;
    for (uint distance = RADIX / 2; distance > 0; distance /= 2) {
        digit += ends[digit + distance - 1] <= begin + item_id() ? distance : 0;
    }
    for (uint i = begin + item_id(); i < end; i += GROUP_SIZE) {
        while (ends[digit] <= i) {
            digit++;
        }
        arrays->keys_out[range->to + i] =
            key_of_rank((key_t)(is_equal ? ones : (ones & ~(rank_t)(RADIX - 1)) | digit), LAYOUT_ORDER);
    }
}
