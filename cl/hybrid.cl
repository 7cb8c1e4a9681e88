// What the kernels of the hybrid radix sort share: elements, the layout of the workspace, ranges, tasks, counters.

// Kernels of pairs and argsort sort elements (rank of the key, position in the input): no two are equal, so that ways that do
// not keep the order of ties are stable all the same, and values are read once, at the end.
#define HAS_POSITIONS (VALUE_BYTES > 0)

// What the host knows. From count on as in src/hybrid.c, which passes it as three vectors: compilers have trouble with structs as
// arguments. Areas of the workspace are in units of 256 bytes from its start.
struct layout {
    ulong order_flip, order_bias, order_infinity;
    uint order_merge;
    uint count;
    uint position_bits;                   // bits of a position in an element, 0 without positions
    uint first_bits, second_bits;         // digits of the two optimistic levels
    uint first_capacity, second_capacity; // elements that a bucket of theirs has room for
    uint tile;                            // elements of a tile of giant ranges
    uint bucket_capacity;                 // elements that a work-group of cl/hybrid_bucket.cl sorts in local memory
    uint giant_limit;                     // ranges above it are partitioned by many work-groups
    uint n_ranges;                        // giant ranges of a level, at most
    uint y_is_output;                     // Y is the output, not an area
    uint write_keys;
    uint generate_index; // argsort: the position is the value
    uint control;
    // Of levels of even and of odd number.
    uint even_ranges, even_map, even_counts, even_cursors, even_bits;
    uint odd_ranges, odd_map, odd_counts, odd_cursors, odd_bits;
    uint medium, tasks, hard;
    uint first_cursors, first_offsets, first_tiles; // of the optimistic levels
    uint second_cursors, second_offsets, second_sizes;
    uint x_keys, x_positions, y_keys, y_positions;
};

// Words of the control area. There are fewer than MOST_LEVELS levels, with digits of one bit too: an element has 94 bits at most.
#define MOST_LEVELS 96
enum {
    CONTROL_OVERFLOW,    // not optimistic: 1 from the start, 2 since a bucket of the first level was full
    CONTROL_MEDIUM,      // medium ranges
    CONTROL_NEXT_MEDIUM, // the next that is taken
    CONTROL_TASKS,
    CONTROL_HARD,        // tasks that bins did not serve
    CONTROL_FAILED,      // buckets of the first level one of whose children was full
    CONTROL_RANGES = 16, // of level L: word CONTROL_RANGES + L; so CONTROL_TILES
    CONTROL_TILES = CONTROL_RANGES + MOST_LEVELS,
    CONTROL_WORDS = CONTROL_TILES + MOST_LEVELS
};

// Places that a range can be in.
enum { IN_INPUT, IN_X, IN_Y };

// Elements that agree in all bits above `bits` and belong at `to` of the output. They lie at `from` of their buffer; their
// children go to `other` of the other one.
struct range {
    uint from, other, to, count;
    uint bits;
    uint buffer;
    uint first_tile; // of its level
    uint unused;
};

// A range that fits the local memory of a work-group.
struct task {
    uint from, to, count, buffer;
};

#if !HAS_POSITIONS && KEY_BYTES <= 4
typedef uint element_t;
#define ELEMENT_WORDS 1
#elif !HAS_POSITIONS || KEY_BYTES <= 4
typedef ulong element_t;
#define ELEMENT_WORDS 2
#else
// Position, then the key from its low half on: a vector, as functions that return structs are more than Oclgrind 21.10 can inline.
typedef uint3 element_t;
#define ELEMENT_WORDS 3
#define WIDE_KEY(element) ((ulong)(element).z << 32 | (element).y)
#endif

struct arrays {
    global const key_t *keys_in;
    global key_t *keys_out;
    global const value_t *values_in;
    global value_t *values_out;
    global key_t *x_keys, *y_keys;
    global uint *x_positions, *y_positions;
};

#define HYBRID_PARAMETERS                                                                                              \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, global uchar *workspace, const ulong workspace_offset, ORDER_PARAMETERS,        \
        const uint16 layout_0, const uint16 layout_1, const uint8 layout_2, const uint level
#define UINTS(v) v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se, v.sf
#define LAYOUT                                                                                                         \
    {                                                                                                                  \
        ORDER, UINTS(layout_0), UINTS(layout_1), layout_2.s0, layout_2.s1, layout_2.s2, layout_2.s3, layout_2.s4       \
    }
#define AREA(type, area) ((global type *)(workspace + fresh(workspace_offset) + (ulong)layout.area * 256))
// In a loop, made in each turn: PTX reads the offsets anew, so that no pointers are kept in registers.
#define ARRAYS                                                                                                         \
    {                                                                                                                  \
        keys_in + fresh(keys_in_offset), keys_out + fresh(keys_out_offset), values_in + fresh(values_in_offset),       \
            values_out + fresh(values_out_offset), AREA(key_t, x_keys),                                                \
            layout.y_is_output &&layout.write_keys ? keys_out + fresh(keys_out_offset) : AREA(key_t, y_keys),          \
            AREA(uint, x_positions),                                                                                   \
            layout.y_is_output &&VALUE_BYTES == 4 ? (global uint *)(values_out + fresh(values_out_offset))             \
                                                  : AREA(uint, y_positions)                                            \
    }
#define LAYOUT_ORDER layout->order_flip, layout->order_bias, layout->order_infinity, layout->order_merge

// ------------------------------------------------------------------------------------------------------------- elements

INLINE element_t make_element(const struct layout *layout, const key_t rank, const uint position)
{
#if ELEMENT_WORDS == 3
    return (uint3)(position, (uint)rank, (uint)(rank >> 32));
#elif HAS_POSITIONS
    return (ulong)rank << layout->position_bits | position;
#else
    return rank;
#endif
}

INLINE key_t element_rank(const struct layout *layout, const element_t element)
{
#if ELEMENT_WORDS == 3
    return WIDE_KEY(element);
#elif HAS_POSITIONS
    return (key_t)(element >> layout->position_bits);
#else
    return (key_t)element;
#endif
}

INLINE uint element_position(const struct layout *layout, const element_t element)
{
#if ELEMENT_WORDS == 3
    return element.x;
#elif HAS_POSITIONS
    return (uint)element & ((1u << layout->position_bits) - 1);
#else
    return 0;
#endif
}

INLINE bool element_less(const element_t a, const element_t b)
{
#if ELEMENT_WORDS == 3
    const ulong key_a = WIDE_KEY(a), key_b = WIDE_KEY(b);
    return key_a < key_b || (key_a == key_b && a.x < b.x);
#else
    return a < b;
#endif
}

// The bits of an element from shift on. Of three words the lowest ones are a position.
INLINE uint element_bits(const struct layout *layout, const element_t element, const uint shift)
{
#if ELEMENT_WORDS == 3
    const uint position_bits = layout->position_bits;
    const ulong key = WIDE_KEY(element);
    return shift >= position_bits ? (uint)(key >> (shift - position_bits))
                                  : (uint)((key << position_bits | element.x) >> shift);
#else
    return (uint)(element >> shift);
#endif
}

// Bits that are set in one of two elements.
INLINE element_t element_union(const element_t a, const element_t b)
{
    return a | b;
}

// The element with its lowest RADIX_BITS bits replaced; a position has no fewer.
INLINE element_t element_with_digit(const element_t element, const uint digit)
{
#if ELEMENT_WORDS == 3
    return (uint3)((element.x & ~(RADIX - 1u)) | digit, element.yz);
#else
    return (element & ~(element_t)(RADIX - 1)) | digit;
#endif
}

INLINE element_t element_complement(const element_t element)
{
    return ~element;
}

// The element with all bits set, behind all others.
INLINE element_t element_last(void)
{
    return (element_t) ~(element_t)0;
}

#if ELEMENT_WORDS == 3
#define LOW_WORD(element) (element).x
#define HIGH_WORD(element) (element).y
#define TOP_WORD(element) (element).z
#elif ELEMENT_WORDS == 2
#define LOW_WORD(element) (uint)(element)
#define HIGH_WORD(element) (uint)((element) >> 32)
#define TOP_WORD(element) 0
#else
#define LOW_WORD(element) (element)
#define HIGH_WORD(element) 0
#define TOP_WORD(element) 0
#endif

// The bits that are set in some of several elements, word by word, and from ZEROS on, those that are not set in some.
#define BIT_WORDS 8
#define ZEROS 4

// Ors an element into words of bits in local memory, ones or zeros.
INLINE void add_bits(local uint *words, const element_t element)
{
    atomic_or(words, LOW_WORD(element));
#if ELEMENT_WORDS > 1
    atomic_or(words + 1, HIGH_WORD(element));
#endif
#if ELEMENT_WORDS > 2
    atomic_or(words + 2, TOP_WORD(element));
#endif
}

// The ones as an element, which is each of the elements if they are equal.
INLINE element_t element_of_ones(const uint low, const uint high, const uint top)
{
#if ELEMENT_WORDS == 3
    return (uint3)(low, high, top);
#elif ELEMENT_WORDS == 2
    return (ulong)high << 32 | low;
#else
    return low;
#endif
}

// How many bits of elements vary, from bit 0 on.
INLINE uint varying_bits(const struct layout *layout, const uint low, const uint high, const uint top)
{
#if ELEMENT_WORDS == 3
    if (top) {
        return layout->position_bits + 64 - clz(top);
    }
    return high ? layout->position_bits + 32 - clz(high) : 32 - clz(low);
#else
    return high ? 64 - clz(high) : 32 - clz(low);
#endif
}

// ------------------------------------------------------------------------------------------------ elements in memory

INLINE element_t read_input(const struct layout *layout, const struct arrays *arrays, const uint i)
{
    return make_element(layout, key_rank(arrays->keys_in[i], LAYOUT_ORDER), i);
}

INLINE element_t read_stored(const struct layout *layout, global const key_t *keys, global const uint *positions,
                             const uint i)
{
    return make_element(layout, keys[i], HAS_POSITIONS ? positions[i] : 0);
}

INLINE element_t read_element(const struct layout *layout, const struct arrays *arrays, const uint buffer, const uint i)
{
    if (buffer == IN_INPUT) {
        return read_input(layout, arrays, i);
    }
    return read_stored(layout, buffer == IN_X ? arrays->x_keys : arrays->y_keys,
                       buffer == IN_X ? arrays->x_positions : arrays->y_positions, i);
}

INLINE void write_stored(const struct layout *layout, global key_t *keys, global uint *positions, const uint i,
                         const element_t element)
{
    keys[i] = element_rank(layout, element);
#if HAS_POSITIONS
    positions[i] = element_position(layout, element);
#endif
}

// The key that an element stands for. In the merged order of floats zeros share a rank, as NaNs do, so those are read again.
INLINE key_t element_key(const struct layout *layout, const struct arrays *arrays, const element_t element)
{
    const key_t rank = element_rank(layout, element);
#if KEY_IS_FLOAT && HAS_POSITIONS
    if (layout->order_merge && rank_is_merged(rank, LAYOUT_ORDER)) {
        return arrays->keys_in[element_position(layout, element)];
    }
#endif
    return key_of_rank(rank, LAYOUT_ORDER);
}

INLINE void write_output(const struct layout *layout, const struct arrays *arrays, const uint to,
                         const element_t element)
{
    if (layout->write_keys) {
        arrays->keys_out[to] = element_key(layout, arrays, element);
    }
#if HAS_POSITIONS
    const uint position = element_position(layout, element);
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
    arrays->values_out[to] = layout->generate_index ? (value_t)position : arrays->values_in[position];
#else
    arrays->values_out[to] = arrays->values_in[position];
#endif
#endif
}

// ------------------------------------------------------------------------------------------- elements in local memory

#if ELEMENT_WORDS == 3
struct slots {
    local ulong *keys;
    local uint *positions;
};
#define LOCAL_SLOTS(name, n)                                                                                           \
    local ulong name##_keys[n];                                                                                        \
    local uint name##_positions[n];                                                                                    \
    const struct slots name = {name##_keys, name##_positions}
#else
struct slots {
    local element_t *elements;
};
// Aligned for the vectors of read_row() in cl/hybrid_bucket.cl.
#define LOCAL_SLOTS(name, n)                                                                                           \
    local element_t name##_elements[n] __attribute__((aligned(16)));                                                   \
    const struct slots name = {name##_elements}
#endif

INLINE element_t get_slot(const struct slots *slots, const uint slot)
{
#if ELEMENT_WORDS == 3
    const ulong key = slots->keys[slot];
    return (uint3)(slots->positions[slot], (uint)key, (uint)(key >> 32));
#else
    return slots->elements[slot];
#endif
}

INLINE void set_slot(const struct slots *slots, const uint slot, const element_t element)
{
#if ELEMENT_WORDS == 3
    slots->keys[slot] = WIDE_KEY(element);
    slots->positions[slot] = element.x;
#else
    slots->elements[slot] = element;
#endif
}

// Does `statement` for the i-th elements of a work-item whose `slot` is below n_valid, where rows go over the work-group. All rows
// but the last `loose` are done without tests, which cost registers, if they are whole.
#define FOR_ROWS(n_valid, loose, statement)                                                                            \
    do {                                                                                                               \
        if ((n_valid) >= (ITEMS - (loose)) * GROUP_SIZE) {                                                             \
            UNROLL                                                                                                     \
            for (uint i = 0; i < ITEMS - (loose); i++) {                                                               \
                const uint slot = i * GROUP_SIZE + item;                                                               \
                statement;                                                                                             \
            }                                                                                                          \
            UNROLL                                                                                                     \
            for (uint i = ITEMS - (loose); i < ITEMS; i++) {                                                           \
                const uint slot = i * GROUP_SIZE + item;                                                               \
                if (slot < (n_valid)) {                                                                                \
                    statement;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        } else {                                                                                                       \
            UNROLL                                                                                                     \
            for (uint i = 0; i < ITEMS; i++) {                                                                         \
                const uint slot = i * GROUP_SIZE + item;                                                               \
                if (slot < (n_valid)) {                                                                                \
                    statement;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

// Reads n_valid elements of a buffer into registers; loose, known when this is compiled, as above.
INLINE void load_rows(const struct layout *layout, const struct arrays *arrays, const uint buffer, const uint from,
                      const uint n_valid, const uint loose, element_t *elements)
{
    const uint item = item_id();
    // Pointers to the first row, so that the others are at known distances.
    if (buffer == IN_INPUT) {
        global const key_t *keys = arrays->keys_in + from + item;
        FOR_ROWS(n_valid, loose, const key_t rank = key_rank(keys[i * GROUP_SIZE], LAYOUT_ORDER);
                 elements[i] = make_element(layout, rank, from + slot));
    } else {
        global const key_t *keys = (buffer == IN_X ? arrays->x_keys : arrays->y_keys) + from + item;
        global const uint *positions = (buffer == IN_X ? arrays->x_positions : arrays->y_positions) + from + item;
        FOR_ROWS(n_valid, loose, elements[i] = read_stored(layout, keys, positions, i * GROUP_SIZE));
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
    global const uint *map;
    global uint *counts, *cursors, *bits;
    uint n_tiles;
};

#define GIANTS(of_level)                                                                                               \
    {                                                                                                                  \
        AREA(uint, control), LEVEL_AREA(const struct range, ranges, of_level), LEVEL_AREA(const uint, map, of_level),  \
            LEVEL_AREA(uint, counts, of_level), LEVEL_AREA(uint, cursors, of_level), LEVEL_AREA(uint, bits, of_level), \
            AREA(uint, control)[CONTROL_TILES + (of_level)]                                                            \
    }

// The bit from which on the next digit of a range lies.
INLINE uint digit_shift(const uint bits)
{
    return bits > RADIX_BITS ? bits - RADIX_BITS : 0;
}

#define DIGIT(element) (element_bits(layout, (element), shift) & digit_mask)

#define LOADS 8 // reads that are under way together

// Counts the digits of a part of a range in local memory, and gathers which bits its elements have.
INLINE void count_part(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                       const uint begin, const uint end, const uint shift, local uint *counts, local uint *bits)
{
    const uint item = item_id();
    const uint digit_mask = RADIX - 1;
    element_t ones = element_complement(element_last()), zeros = ones;
    uint i = begin + item;
    for (; i + (LOADS - 1) * GROUP_SIZE < end; i += LOADS * GROUP_SIZE) {
        element_t elements[LOADS];
        if (range->buffer == IN_INPUT) {
            UNROLL
            for (uint n = 0; n < LOADS; n++) {
                elements[n] = read_input(layout, arrays, range->from + i + n * GROUP_SIZE);
            }
        } else {
            UNROLL
            for (uint n = 0; n < LOADS; n++) {
                elements[n] =
                    read_element(layout, arrays, range->buffer == IN_X ? IN_X : IN_Y, range->from + i + n * GROUP_SIZE);
            }
        }
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            ones = element_union(ones, elements[n]);
            zeros = element_union(zeros, element_complement(elements[n]));
            atomic_inc(counts + DIGIT(elements[n]));
        }
    }
    for (; i < end; i += GROUP_SIZE) {
        const element_t element = read_element(layout, arrays, range->buffer, range->from + i);
        ones = element_union(ones, element);
        zeros = element_union(zeros, element_complement(element));
        atomic_inc(counts + DIGIT(element));
    }
    add_bits(bits, ones);
    add_bits(bits + ZEROS, zeros);
}

// Histograms of the giant ranges of a level. A work-group takes a run of tiles, and writes where a range of it ends. counts has room
// for RADIX, bits for BIT_WORDS.
INLINE void count_giants(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                         const uint n_groups, local uint *counts, local uint *bits)
{
    const uint group = get_group_id(0);
    uint tile = group < n_groups ? (uint)((ulong)giants->n_tiles * group / n_groups) : 0;
    const uint end_tile = group < n_groups ? (uint)((ulong)giants->n_tiles * (group + 1) / n_groups) : 0;
    while (tile < end_tile) { // the same for the whole work-group
        const uint number = giants->map[tile];
        const struct range range = giants->ranges[number];
        const uint range_end = min(end_tile, range.first_tile + (range.count + layout->tile - 1) / layout->tile);
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            counts[digit] = 0;
        }
        for (uint word = item_id(); word < BIT_WORDS; word += GROUP_SIZE) {
            bits[word] = 0;
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        count_part(layout, arrays, &range, (tile - range.first_tile) * layout->tile,
                   min((range_end - range.first_tile) * layout->tile, range.count), digit_shift(range.bits), counts,
                   bits);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            if (counts[digit]) {
                atomic_add(giants->counts + number * RADIX + digit, counts[digit]);
            }
        }
        if (item_id() == 0) {
            global uint *words = giants->bits + number * BIT_WORDS;
            for (uint word = 0; word < ELEMENT_WORDS; word++) {
                atomic_or(words + word, bits[word]);
                atomic_or(words + ZEROS + word, bits[ZEROS + word]);
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        tile = range_end;
    }
}

// Makes ends[digit], of its elements in a range, from counts.
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

// Writes a part of a range whose elements are all `ones`, or differ from it in no more than the bits of the last digit: as often as
// each was counted, with no move. ends[digit]: of its elements in the range.
INLINE void expand_part(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                        const element_t ones, const bool is_equal, const uint begin, const uint end,
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
        write_output(layout, arrays, range->to + i, is_equal ? ones : element_with_digit(ones, digit));
    }
}
