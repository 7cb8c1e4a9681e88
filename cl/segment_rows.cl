// Sorts short segments in registers, side by side.
//
// A work-item sorts a row of 16 keys by a network; rows of several work-items are merged by bitonic merges (Batcher, Sorting networks
// and their applications, 1968) through shuffles or local memory, as Hou, Liu, Wang, Feng do it (Fast segmented sort on GPUs,
// 2017). The longest segments come first, so that each begins at a multiple of its width.

#if ITEMS != ROW
#error "ITEMS has to be ROW"
#endif

#define HALVES (2 * GROUP_SIZE) // of rows: the width of a segment is 1 << bits halves
#define MOST_WIDTH_BITS 6       // 32 work-items
#define N_WIDTHS (MOST_WIDTH_BITS + 1)

// What a work-group knows of its segments in local memory.
struct segment_lists {
    local uint *counts; // N_KINDS: segments
    local uint *places; // N_KINDS: where they begin in the list, those of parts in their global list
    local uint *halves; // N_WIDTHS: where they begin in halves
    local uint *begins; // HALVES: of short segments, by falling width
    local ushort *lengths;
    local uint *keys; // of ranges: the lower 16 bits of their lengths, the upper, and whether there is room
};

// -------------------------------------------------------------------------------------------------------------- entries

// An entry of a row: a rank, with its position in the input if there are values. No two with positions are equal, so that a network, which
// keeps no order of equal ones, sorts stably.
#if VALUE_BYTES && KEY_BYTES == 8
typedef ulong2 entry_t;
#define ENTRY_LAST ((entry_t)(~0ul, ~0u)) // positions have 32 bits
#define IS_BEFORE(a, b) ((a).x < (b).x || ((a).x == (b).x && (a).y < (b).y))
#define ENTRY_OF(key, position) ((entry_t)(key_rank(key, LAYOUT_ORDER), position))
#define RANK_OF(entry) ((key_t)(entry).x)
#define POSITION_OF(entry) ((uint)(entry).y)
#define COMPARE_ENTRIES(a, b)                                                                                          \
    {                                                                                                                  \
        const entry_t a_ = row[a], b_ = row[b];                                                                        \
        const bool is_swapped = IS_BEFORE(b_, a_);                                                                     \
        row[a] = is_swapped ? b_ : a_;                                                                                 \
        row[b] = is_swapped ? a_ : b_;                                                                                 \
    }

INLINE void read_entries(local const entry_t *slots, const uint slot, entry_t *row)
{
    UNROLL
    for (uint i = 0; i < HALF_ROW; i++) {
        row[i] = slots[PLACE(slot) + i];
    }
}

INLINE void write_entries(local entry_t *slots, const uint slot, const entry_t *row)
{
    UNROLL
    for (uint i = 0; i < HALF_ROW; i++) {
        slots[PLACE(slot) + i] = row[i];
    }
}
#else
#if VALUE_BYTES && ELEMENT_WORDS != 2
#error "with values ELEMENT_WORDS has to be 2"
#endif
typedef element_t entry_t;
#define ENTRY_LAST ELEMENT_LAST
#define IS_BEFORE(a, b) ((a) < (b))
#if VALUE_BYTES
#define ENTRY_OF(key, position) ((entry_t)key_rank(key, LAYOUT_ORDER) << 32 | (position))
#define RANK_OF(entry) ((key_t)((entry) >> 32))
#define POSITION_OF(entry) ((uint)(entry))
#else
#define ENTRY_OF(key, position) key_rank(key, LAYOUT_ORDER)
#define RANK_OF(entry) ((key_t)(entry))
#endif
#define COMPARE_ENTRIES COMPARE
#define read_entries read_half_row
#define write_entries write_half_row
#endif

#if VALUE_BYTES
// The value at position `from` of the input, in a segment that begins at `begin`.
INLINE value_t value_at(const struct layout *layout, const struct arrays *arrays, const uint from, const uint begin)
{
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
    if (layout->generate_index) {
        return (value_t)(layout->generate_index == IN_SEGMENT ? from - begin : from);
    }
#endif
    return arrays->values_in[from];
}

// The key of an entry. Where several keys share a rank it is read from where it was.
INLINE key_t key_of_entry(const struct layout *layout, const struct arrays *arrays, const entry_t entry)
{
#if KEY_IS_FLOAT
    if (layout->order_merge) {
        return arrays->keys_in[POSITION_OF(entry)];
    }
#endif
    return key_of_rank(RANK_OF(entry), LAYOUT_ORDER);
}

// What goes to the output takes the place of an entry: the key, and the value if there is room, else that is kept in registers.
#if VALUE_BYTES > 8
#error "values have to be of 8 bytes at most"
#elif KEY_BYTES == 8
#define OUTPUT_OF(key, value) ((entry_t)(key, value))
#define OUTPUT_KEY(output) ((key_t)(output).x)
#define OUTPUT_VALUE(output, kept) ((value_t)(output).y)
#elif VALUE_BYTES <= 4
#define OUTPUT_OF(key, value) ((entry_t)(key) << 32 | (value))
#define OUTPUT_KEY(output) ((key_t)((output) >> 32))
#define OUTPUT_VALUE(output, kept) ((value_t)(output))
#else
#define IS_KEPT
#define OUTPUT_OF(key, value) ((entry_t)(key))
#define OUTPUT_KEY(output) ((key_t)(output))
#endif

// Makes the entry at `place` of a segment that begins at `begin` what goes to the output.
INLINE void fetch_output(const struct layout *layout, const struct arrays *arrays, const uint begin,
                         local entry_t *place, value_t *kept)
{
    const entry_t entry = *place;
    const value_t value = value_at(layout, arrays, POSITION_OF(entry), begin);
    *place = OUTPUT_OF(key_of_entry(layout, arrays, entry), value);
#ifdef IS_KEPT
    *kept = value;
#endif
}
#else
#define OUTPUT_KEY(entry) key_of_rank(RANK_OF(entry), LAYOUT_ORDER)
#endif

#ifdef IS_KEPT
#define OUTPUT_VALUE(output, kept) (*(kept))
#define N_KEPT ROW
#define FETCHES_AT_ONCE ROW
#else
#define N_KEPT 1
#define FETCHES_AT_ONCE KEYS_AT_ONCE
#endif
#define KEPT(i) ((i) % N_KEPT)

// Writes what has taken the place of an entry to position `to`.
INLINE void write_output(const struct layout *layout, const struct arrays *arrays, const uint to, const entry_t output,
                         const value_t *kept)
{
    if (!VALUE_BYTES || layout->write_keys) {
        arrays->keys_out[to] = OUTPUT_KEY(output);
    }
#if VALUE_BYTES
    arrays->values_out[to] = OUTPUT_VALUE(output, kept);
#endif
}

// Copies what is at a position of a segment that begins at `begin`.
INLINE void copy_entry(const struct layout *layout, const struct arrays *arrays, const uint at, const uint begin)
{
    if (!VALUE_BYTES || layout->write_keys) {
        arrays->keys_out[at] = arrays->keys_in[at];
    }
#if VALUE_BYTES
    arrays->values_out[at] = value_at(layout, arrays, at, begin);
#endif
}

// ------------------------------------------------------------------------------------------------------------- networks

// clang-format off
// The last steps of a bitonic merge, within a row.
#define MERGE_ROW(X) \
    X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) \
    X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(8, 12) X(9, 13) X(10, 14) X(11, 15) \
    X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(8, 10) X(9, 11) X(12, 14) X(13, 15) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15)
// clang-format on

// What a work-item keeps of two keys.
INLINE entry_t keep(const entry_t own, const entry_t other, const bool keeps_low, const bool is_merged)
{
    return is_merged && IS_BEFORE(other, own) == keeps_low ? other : own;
}

#ifdef WARP
INLINE ulong shuffle_words(const ulong words, const uint bits)
{
    return (ulong)shuffle_xor((uint)(words >> 32), bits) << 32 | shuffle_xor((uint)words, bits);
}

INLINE entry_t shuffle_entry(const entry_t entry, const uint bits)
{
#if VALUE_BYTES && KEY_BYTES == 8
    return (entry_t)(shuffle_words(entry.x, bits), shuffle_xor((uint)entry.y, bits));
#elif ELEMENT_WORDS > 1
    return shuffle_words(entry, bits);
#else
    return shuffle_xor(entry, bits);
#endif
}
#endif

// Compares a row with that of the work-item whose number differs in these bits, key by key or, is_mirrored, with the last first. The work-item
// with a 0 in the highest of them keeps the low keys. The whole work-group calls it; those that are not is_merged keep all.
INLINE void exchange_rows(entry_t *row, const uint bits, const uint highest, const bool is_mirrored,
                          const bool is_merged, local entry_t *slots)
{
    const bool keeps_low = (item_id() & highest) == 0;
#ifdef WARP
    UNROLL
    for (uint i = 0; i < HALF_ROW; i++) {
        const uint mirror = ROW - 1 - i;
        const entry_t low = shuffle_entry(row[i], bits), high = shuffle_entry(row[mirror], bits);
        row[i] = keep(row[i], is_mirrored ? high : low, keeps_low, is_merged);
        row[mirror] = keep(row[mirror], is_mirrored ? low : high, keeps_low, is_merged);
    }
#else
    entry_t other[ROW];
    const uint own_slot = item_id() * ROW, other_slot = (item_id() ^ bits) * ROW;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    write_entries(slots, own_slot, row);
    write_entries(slots, own_slot + HALF_ROW, row + HALF_ROW);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    read_entries(slots, other_slot, other);
    read_entries(slots, other_slot + HALF_ROW, other + HALF_ROW);
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        row[i] = keep(row[i], other[is_mirrored ? ROW - 1 - i : i], keeps_low, is_merged);
    }
#endif
}

// Sorts runs of rows of 1 << bits halves, where `widest` is the most bits of all that exchange rows.
INLINE void sort_rows_of_items(entry_t *row, const uint bits, const uint widest, local entry_t *slots)
{
    SORT_EIGHTS(COMPARE_ENTRIES)
    if (bits > 0) {
        MERGE_EIGHTS(COMPARE_ENTRIES)
    }
    ROLLED
    for (uint merge = 1; merge < widest; merge++) {
        const bool is_merged = merge < bits;
        exchange_rows(row, (1u << merge) - 1, 1u << (merge - 1), true, is_merged, slots);
        ROLLED
        for (uint distance = (1u << merge) / 4; distance > 0; distance /= 2) {
            exchange_rows(row, distance, distance, false, is_merged, slots);
        }
        if (is_merged) {
            MERGE_ROW(COMPARE_ENTRIES)
        }
    }
}

// Work-items that share rows, and how they wait for each other: a warp, or the whole work-group.
#ifdef WARP
#define TEAM WARP
#define TEAM_BARRIER() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define TEAM GROUP_SIZE
#define TEAM_BARRIER() GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | (VALUE_BYTES ? CLK_GLOBAL_MEM_FENCE : 0))
#endif

// A half of a row: where its keys begin, and how many it has.
typedef uint2 half_t;

// Where a half of a row lies in its segment.
struct half_place {
    uint begin;      // of the segment, in the array
    uint first, end; // keys of the segment before the half, and all
    uint bits;       // of the segment's width
};

// Finds half number `at` of those that a work-group has.
INLINE void find_half(const struct segment_lists *lists, const uint at, struct half_place *found)
{
    uint bits = MOST_WIDTH_BITS;
    UNROLL
    for (uint narrower = 0; narrower < MOST_WIDTH_BITS; narrower++) {
        bits -= at >= lists->halves[narrower];
    }
    const uint distance = at - lists->halves[bits], number = lists->places[bits] + (distance >> bits);
    found->begin = lists->begins[number];
    found->first = (distance & ((1u << bits) - 1)) * HALF_ROW;
    found->end = lists->lengths[number];
    found->bits = bits;
}

// ---------------------------------------------------------------------------------------------------- rows of any width

// What a team knows of the halves of its rows.
struct halves {
    local half_t *keys;
    local uint *begins; // of their segments; only where there are values, which may be positions in those
    local uchar *bits;  // of the widths of their segments
};

// The half that a work-item reads and writes with others as its n-th, the place of its key, and which key of the half that is.
#if TEAM % ROW == 0
#define HALF_OF(keys, n) ((keys) + lane / HALF_ROW)[(n) * (TEAM / HALF_ROW)]
#define PLACE_OF(slots, n) ((slots) + PLACE(lane))[(n)*PLACE(TEAM)]
#else
#define HALF_OF(keys, n) (keys)[((n)*TEAM + lane) / HALF_ROW]
#define PLACE_OF(slots, n) (slots)[PLACE((n)*TEAM + lane)]
#endif
#define KEY_OF_HALF(n) (((n)*TEAM + lane) % HALF_ROW)

// Rows are read and written by so many keys at a time: what more are under way takes registers.
#define KEYS_AT_ONCE 8

INLINE void describe_half(const struct segment_lists *lists, const uint at, const uint n_halves, const uint own,
                          const struct halves *halves)
{
    struct half_place own_half = {0, 0, 0, 0};
    if (at < n_halves) {
        find_half(lists, at, &own_half);
    }
    halves->keys[own] =
        (half_t)(own_half.begin + own_half.first, // as many as there are behind it
                 own_half.end > own_half.first ? min(own_half.end - own_half.first, (uint)HALF_ROW) : 0);
    halves->bits[own] = (uchar)own_half.bits;
#if VALUE_BYTES
    halves->begins[own] = own_half.begin;
#endif
}

// Reads what the halves of a team hold into its slots, which neighbours in a segment do together.
INLINE void load_halves(const struct layout *layout, const struct arrays *arrays, const struct halves *halves,
                        local entry_t *slots)
{
    const uint lane = item_id() % TEAM;
    ROLLED
    for (uint first = 0; first < ROW; first += KEYS_AT_ONCE) {
        entry_t entries[KEYS_AT_ONCE];
        UNROLL
        for (uint i = 0; i < KEYS_AT_ONCE; i++) {
            const half_t own = HALF_OF(halves->keys, first + i);
            const uint key = KEY_OF_HALF(first + i);
            entries[i] = ENTRY_LAST;
            if (key < own.y) {
                entries[i] = ENTRY_OF(arrays->keys_in[own.x + key], own.x + key);
            }
        }
        UNROLL
        for (uint i = 0; i < KEYS_AT_ONCE; i++) {
            PLACE_OF(slots, first + i) = entries[i];
        }
    }
}

#if VALUE_BYTES
// Makes them what goes to the output.
INLINE void fetch_halves(const struct layout *layout, const struct arrays *arrays, const struct halves *halves,
                         local entry_t *slots, value_t *kept)
{
    const uint lane = item_id() % TEAM;
    ROLLED
    for (uint first = 0; first < ROW; first += FETCHES_AT_ONCE) {
        UNROLL
        for (uint i = 0; i < FETCHES_AT_ONCE; i++) {
            if (KEY_OF_HALF(first + i) < HALF_OF(halves->keys, first + i).y) {
                fetch_output(layout, arrays, HALF_OF(halves->begins, first + i), &PLACE_OF(slots, first + i),
                             kept + KEPT(i));
            }
        }
    }
}
#endif

// Writes them as they were read.
INLINE void store_halves(const struct layout *layout, const struct arrays *arrays, const struct halves *halves,
                         local const entry_t *slots, const value_t *kept)
{
    const uint lane = item_id() % TEAM;
    ROLLED
    for (uint first = 0; first < ROW; first += FETCHES_AT_ONCE) {
        UNROLL
        for (uint i = 0; i < FETCHES_AT_ONCE; i++) {
            const half_t own = HALF_OF(halves->keys, first + i);
            const uint key = KEY_OF_HALF(first + i);
            if (key < own.y) {
                write_output(layout, arrays, own.x + key, PLACE_OF(slots, first + i), kept + KEPT(i));
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ wide rows

// Where all segments of a team have WIDE_LANES work-items or more, so many neighbours read keys of one segment together: into rows at
// once, as it is no matter which keys of a segment a row begins with.
#define WIDE_LANES 8
#define WIDE_BITS 4 // of the width in halves
#define HAS_WIDE (TEAM % WIDE_LANES == 0)
// Behind the rows of so many work-items some places are left out, so that those do not meet in one bank when they read keys together.
#define WIDE_PLACE(item) (PLACE((item)*ROW) + (item) / WIDE_LANES * HALF_ROW)
#define TEAM_PLACES WIDE_PLACE(TEAM)

// The keys that a work-item reads and writes with its neighbours: every WIDE_LANES-th of n_valid from `begin` on.
struct wide {
    uint begin, n_valid;
    uint segment; // where that begins
};

// Finds them; returns the bits of the width of their segment.
INLINE uint find_wide(const struct segment_lists *lists, const uint first, struct wide *wide)
{
    const uint lane = item_id() % TEAM;
    struct half_place own;
    find_half(lists, first + lane / WIDE_LANES * (2 * WIDE_LANES), &own);
    const uint from = own.first + lane % WIDE_LANES;
    wide->begin = own.begin + from;
    wide->segment = own.begin;
    wide->n_valid = own.end > from ? own.end - from : 0;
    return own.bits;
}

INLINE void load_wide(const struct layout *layout, const struct arrays *arrays, const struct wide *wide, entry_t *row)
{
    global const key_t *keys = arrays->keys_in + wide->begin;
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        row[i] = ENTRY_LAST;
        if (i * WIDE_LANES < wide->n_valid) {
            row[i] = ENTRY_OF(keys[i * WIDE_LANES], wide->begin + i * WIDE_LANES);
        }
    }
}

// The places of the keys that a work-item reads and writes.
INLINE local entry_t *wide_places(local entry_t *slots)
{
    const uint lane = item_id() % TEAM;
    return slots + WIDE_PLACE(lane / WIDE_LANES * WIDE_LANES) + lane % WIDE_LANES;
}

#if VALUE_BYTES
INLINE void fetch_wide(const struct layout *layout, const struct arrays *arrays, const struct wide *wide,
                       local entry_t *slots, value_t *kept)
{
    local entry_t *own = wide_places(slots);
    ROLLED
    for (uint first = 0; first < ROW; first += FETCHES_AT_ONCE) {
        UNROLL
        for (uint i = 0; i < FETCHES_AT_ONCE; i++) {
            if ((first + i) * WIDE_LANES < wide->n_valid) {
                fetch_output(layout, arrays, wide->segment, own + PLACE((first + i) * WIDE_LANES), kept + KEPT(i));
            }
        }
    }
}
#endif

INLINE void store_wide(const struct layout *layout, const struct arrays *arrays, const struct wide *wide,
                       local entry_t *slots, const value_t *kept)
{
    local const entry_t *own = wide_places(slots);
    UNROLL
    for (uint i = 0; i < ROW; i++) {
        if (i * WIDE_LANES < wide->n_valid) {
            write_output(layout, arrays, wide->begin + i * WIDE_LANES, own[PLACE(i * WIDE_LANES)], kept + KEPT(i));
        }
    }
}

// Sorts the short segments of a work-group: each team takes as many rows as it has work-items, and then those behind all teams.
INLINE void sort_short(const struct layout *layout, const struct arrays *arrays, const struct segment_lists *lists,
                       const struct halves *all_halves, local entry_t *all_slots)
{
    const uint team = item_id() / TEAM, lane = item_id() % TEAM;
    const uint n_halves = lists->halves[0] + lists->counts[0];
    const struct halves halves = {all_halves->keys + team * 2 * TEAM,
                                  all_halves->begins + (VALUE_BYTES ? team * 2 * TEAM : 0),
                                  all_halves->bits + team * 2 * TEAM};
    local entry_t *slots = all_slots + team * TEAM_PLACES;
    for (uint first = team * 2 * TEAM; first < n_halves; first += HALVES) { // the same for the whole team
        const bool is_wide = HAS_WIDE && first + 2 * TEAM <= lists->halves[WIDE_BITS - 1];
        struct wide wide = {0, 0, 0};
        entry_t row[ROW];
        uint bits = 0;
        if (is_wide) {
            bits = find_wide(lists, first, &wide);
            load_wide(layout, arrays, &wide, row);
        } else {
            describe_half(lists, first + lane, n_halves, lane, &halves);
            describe_half(lists, first + TEAM + lane, n_halves, TEAM + lane, &halves);
        }
        TEAM_BARRIER();
        if (!is_wide) {
            bits = halves.bits[2 * lane];
            load_halves(layout, arrays, &halves, slots);
        }
        TEAM_BARRIER();
        if (!is_wide) {
            read_entries(slots, lane * ROW, row);
            read_entries(slots, lane * ROW + HALF_ROW, row + HALF_ROW);
        }
        struct half_place widest; // the first of a team
        find_half(lists, first, &widest);
        sort_rows_of_items(row, bits, widest.bits, slots);
        local entry_t *own = slots + (is_wide ? WIDE_PLACE(lane) : PLACE(lane * ROW));
#ifndef WARP
        TEAM_BARRIER();
#endif
        write_entries(own, 0, row);
        write_entries(own, HALF_ROW, row + HALF_ROW);
        TEAM_BARRIER();
        value_t kept[N_KEPT];
#if VALUE_BYTES // which may lie where they go, and keys where they are read again: the team writes none before it has read all
        if (is_wide) {
            find_wide(lists, fresh_uint(first), &wide);
            fetch_wide(layout, arrays, &wide, slots, kept);
        } else {
            fetch_halves(layout, arrays, &halves, slots, kept);
        }
        TEAM_BARRIER();
#endif
        if (is_wide) {
            find_wide(lists, fresh_uint(first), &wide); // anew, so that no registers keep it
            store_wide(layout, arrays, &wide, slots, kept);
        } else {
            store_halves(layout, arrays, &halves, slots, kept);
        }
        TEAM_BARRIER();
    }
}
