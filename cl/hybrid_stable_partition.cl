// Hybrid radix sort of pairs and argsort, its partitions: from the whole input down to ranges that fit local memory. They keep the
// order of equal keys, by tables of how many keys of each digit there are before every block of tiles and, in it, before every tile.

// ------------------------------------------------------------------------------------------------------------ one tile

// A tile in parts, each of which LANES work-items have in rows.
#if defined WARP
#define LANES WARP
#else
#define LANES GROUP_SIZE
#endif
#define N_PARTS (GROUP_SIZE / LANES)

// Local memory that holds in turn what ranks are found with, the keys, and the values of a tile; in bytes.
#if defined WARP
#define RANKING_BYTES (2 * N_PARTS * RADIX * 4)
#else
#define RANKING_BYTES ((TILE_SLOTS + N_COUNTERS) * 4)
#endif
#define WIDEST (KEY_BYTES > VALUE_BYTES ? KEY_BYTES : VALUE_BYTES)
#define AREA_BYTES (RANKING_BYTES > TILE * WIDEST ? RANKING_BYTES : TILE * WIDEST)

struct tile {
    local ulong *area;
    local uint *counts; // RADIX: keys of a digit
    local uint *bases;  // RADIX: the first slot of a digit; then, with the slot added, where it goes
    local uint *starts; // RADIX: where the next key of a digit goes
    local index_t *scratch;
};

#define LOCAL_TILE                                                                                                     \
    local ulong tile_area[(AREA_BYTES + 7) / 8];                                                                       \
    local uint tile_counts[RADIX], tile_bases[RADIX], tile_starts[RADIX];                                              \
    local index_t tile_scratch[2 * GROUP_SIZE];                                                                        \
    const struct tile tile = {tile_area, tile_counts, tile_bases, tile_starts, tile_scratch}

// A tile is TILE pairs, ITEMS of each work-item, or a smaller one with n_items. Functions are told which when they are compiled, and
// whether all slots have a pair: that they may not would cost twice the registers. What is left of whole tiles is moved by REST_ITEMS.
#if defined WARP && ITEMS > 8
#define REST_ITEMS 8
#else
#define REST_ITEMS ITEMS
#endif

// The first slot of a work-item; the others are LANES further each.
#define FIRST_SLOT(item) ((item) / LANES * (LANES * n_items) + (item) % LANES)

// Slots without a key are behind all others and have the last digit.
#define DIGIT_OF(key) ((uint)(key_rank((key), LAYOUT_ORDER) >> shift) & digit_mask)
#define DIGIT_AT(i) (is_whole || first + (i)*LANES < n_valid ? DIGIT_OF(keys[i]) : digit_mask)

#if defined WARP
// PTX ISA 8.0, bar.warp.sync.
#define WARP_BARRIER() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")

// Finds where the keys of a tile go in it, in order of their digits and stable: each warp ranks the rows of its part one by one, and
// learns in a mask for each digit who in the row has it.
INLINE void rank_tile(const struct layout *layout, const key_t *keys, const uint n_items, const bool is_whole,
                      const uint n_valid, const uint from_bit, const uint digit_mask, const struct tile *tile,
                      uint *slots)
{
    const uint item = item_id(), first = FIRST_SLOT(item);
    local uint *all = (local uint *)tile->area, *own = all + item / WARP * RADIX;
    local uint *masks = own + N_PARTS * RADIX;
    uint shift = from_bit;
    for (uint i = item; i < N_PARTS * RADIX; i += GROUP_SIZE) {
        all[i] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        atomic_inc(own + DIGIT_AT(i));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        uint sum = 0;
        for (uint part = 0; part < N_PARTS; part++) {
            sum += all[part * RADIX + digit];
        }
        tile->counts[digit] = sum;
        tile->bases[digit] = sum;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(tile->bases, tile->scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        uint next = tile->bases[digit];
        for (uint part = 0; part < N_PARTS; part++) {
            const uint count = all[part * RADIX + digit];
            all[part * RADIX + digit] = next;
            next += count;
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    shift = fresh_uint(from_bit); // the digits are made again, not kept
    const uint lanes_before = (1u << item % WARP) - 1;
    for (uint i = item % WARP; i < RADIX; i += WARP) {
        masks[i] = 0;
    }
    WARP_BARRIER();
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        const uint digit = DIGIT_AT(i);
        atomic_or(masks + digit, 1u << item % WARP);
        WARP_BARRIER();
        const uint peers = masks[digit], next = own[digit];
        const uint before = popcount(peers & lanes_before);
        WARP_BARRIER();
        if (before == 0) {
            own[digit] = next + popcount(peers);
            masks[digit] = 0;
        }
        WARP_BARRIER();
        SET_SLOT(slots, i, next + before);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#else
// Finds where the keys of a tile go in it, in order of their digits and stable: entries (digit, slot) are sorted, RANK_BITS at a
// time.
INLINE void rank_tile(const struct layout *layout, const key_t *keys, const uint n_items, const bool is_whole,
                      const uint n_valid, const uint shift, const uint digit_mask, const struct tile *tile, uint *slots)
{
    const uint item = item_id(), first = FIRST_SLOT(item);
    local uint *entries = (local uint *)tile->area, *counters = entries + TILE_SLOTS;
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        tile->counts[digit] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        const uint digit = DIGIT_AT(i);
        atomic_inc(tile->counts + digit);
        entries[ROW_SLOT(item, i)] = digit << 16 | (i * GROUP_SIZE + item);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        tile->bases[digit] = tile->counts[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(tile->bases, tile->scratch);
    for (uint bit = 0; bit < RADIX_BITS; bit += RANK_BITS) {
        uint own[ITEMS], places[ITEMS];
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        rank_begin(counters);
        UNROLL
        for (uint i = 0; i < n_items; i++) {
            own[i] = entries[OWN_SLOT(item, i)];
            places[i] = rank_count(counters, own[i] >> (16 + bit) & (RANK_DIGITS - 1));
        }
        rank_scan(counters, tile->scratch);
        UNROLL
        for (uint i = 0; i < n_items; i++) {
            places[i] += rank_start(counters, own[i] >> (16 + bit) & (RANK_DIGITS - 1));
            if (bit + RANK_BITS < RADIX_BITS) {
                entries[SLOT(places[i])] = own[i];
            } else {
                entries[SLOT(own[i] & 0xffff)] = places[i];
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        SET_SLOT(slots, i, entries[ROW_SLOT(item, i)]);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
#endif

// Where the keys and values of a range are, and go.
struct places {
    global const key_t *keys;
    global const value_t *values;
    uint count;
    uint from;      // of the first of them, if
    bool generates; // the values are the positions
    global key_t *keys_to;
    global value_t *values_to;
};

INLINE void find_places(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                        struct places *places)
{
    const uint buffer = range->buffer;
    places->keys = (buffer == IN_INPUT ? arrays->keys_in
                    : buffer == IN_X   ? arrays->x_keys
                                       : arrays->y_keys) +
                   range->from;
    places->values = (buffer == IN_INPUT ? arrays->values_in
                      : buffer == IN_X   ? arrays->x_values
                                         : arrays->values_out) +
                     range->from;
    places->count = range->count;
    // A segment's range in the input is all of it.
    places->from = layout->generate_index == IN_SEGMENT ? 0 : range->from;
    places->generates = buffer == IN_INPUT && layout->generate_index;
    places->keys_to = (buffer == IN_X ? arrays->y_keys : arrays->x_keys) + range->other;
    places->values_to = (buffer == IN_X ? arrays->values_out : arrays->x_values) + range->other;
}

// Moves a tile, of n_valid pairs, from a place in a range on. tile->starts says where the next of each digit goes.
INLINE void move_tile(const struct layout *layout, const struct places *places, const uint at, const uint n_items,
                      const bool is_whole, const uint n_valid, const uint shift, const uint digit_mask,
                      const struct tile *tile)
{
    const uint item = item_id(), first = FIRST_SLOT(item), last = n_valid - 1;
    key_t keys[ITEMS];
    value_t values[ITEMS];
    uint slots[(ITEMS + 1) / 2], digits[(ITEMS + 3) / 4];
    local key_t *tile_keys = (local key_t *)tile->area;
    local value_t *tile_values = (local value_t *)tile->area;
    // A pointer to the first, so that the others are at known distances.
    global const key_t *keys_from = places->keys + at + (is_whole ? first : 0);
    global const value_t *values_from = places->values + at + (is_whole ? first : 0);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        keys[i] = keys_from[is_whole ? i * LANES : min(first + i * LANES, last)];
    }
    rank_tile(layout, keys, n_items, is_whole, n_valid, shift, digit_mask, tile, slots);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        tile_keys[GET_SLOT(slots, i)] = keys[i];
    }
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
    if (places->generates) {
        UNROLL
        for (uint i = 0; i < n_items; i++) {
            values[i] = places->from + at + first + i * LANES;
        }
    } else
#endif
    {
        UNROLL
        for (uint i = 0; i < n_items; i++) {
            values[i] = values_from[is_whole ? i * LANES : min(first + i * LANES, last)];
        }
    }
    // Keys that have changed since they were counted, as they may where segments overlap, stay in the range all the same.
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        const uint n_empty = is_whole || digit != digit_mask ? 0 : n_items * GROUP_SIZE - n_valid;
        const uint count = tile->counts[digit] - n_empty, start = min(tile->starts[digit], places->count - count);
        tile->starts[digit] = start + count;
        tile->bases[digit] = start - tile->bases[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        const uint slot = i * GROUP_SIZE + item;
        const key_t key = tile_keys[slot];
        const uint digit = DIGIT_OF(key);
        if (is_whole || slot < n_valid) {
            places->keys_to[tile->bases[digit] + slot] = key;
        }
        digits[i / 4] = i % 4 ? digits[i / 4] | digit << i % 4 * 8 : digit;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        tile_values[GET_SLOT(slots, i)] = values[i];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < n_items; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (is_whole || slot < n_valid) {
            places->values_to[tile->bases[digits[i / 4] >> i % 4 * 8 & 0xff] + slot] = tile_values[slot];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Moves a part of a tile likewise.
INLINE void move_rest(const struct layout *layout, const struct places *places, const uint begin, const uint end,
                      const uint shift, const uint digit_mask, const struct tile *tile)
{
    for (uint at = begin; at < end; at += REST_ITEMS * GROUP_SIZE) {
        move_tile(layout, places, at, REST_ITEMS, false, min((uint)(REST_ITEMS * GROUP_SIZE), end - at), shift,
                  digit_mask, tile);
    }
}

// Copies a part of a range of equal keys to the output, unless it lies there.
INLINE void copy_part(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                      const uint begin, const uint end)
{
    struct places places;
    find_places(layout, arrays, range, &places);
    for (uint i = begin + item_id(); i < end && range->buffer != IN_Y; i += GROUP_SIZE) {
        if (layout->write_keys) {
            arrays->keys_out[range->to + i] = places.keys[i];
        }
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
        arrays->values_out[range->to + i] = places.generates ? (value_t)(places.from + i) : places.values[i];
#else
        arrays->values_out[range->to + i] = places.values[i];
#endif
    }
}

// -------------------------------------------------------------------------------------------------------- giant ranges

// The digit of a level.
#define LEVEL_BITS(of_level) ((of_level) == 0 ? layout.first_bits : (of_level) == 1 ? layout.second_bits : RADIX_BITS)

// A block of a giant range.
struct block {
    struct range range;
    uint number; // of the range
    uint begin, end;
};

INLINE void find_block(const struct layout *layout, const struct giants *giants, const uint at, struct block *block)
{
    block->number = giants->map[at];
    block->range = giants->ranges[block->number];
    block->begin = (at - block->range.first_block) * layout->block;
    block->end = min(block->begin + layout->block, block->range.count);
}

// Clears what the others count in and makes the whole input the giant range of level 0.
KERNEL void begin(HYBRID_PARAMETERS)
{
    const struct layout layout = LAYOUT;
    global uint *control = AREA(uint, control);
    clear_histograms(&layout, AREA(uint, even_counts), AREA(uint, even_bits));
    clear_words(AREA(uint, even_map), n_blocks_of(&layout, layout.count));
    for (uint word = item_id(); get_group_id(0) == 0 && word < CONTROL_WORDS; word += GROUP_SIZE) {
        control[word] = 0;
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    if (get_group_id(0) == 0 && item_id() == 0 && layout.count > 0) {
        begin_whole(&layout, control, AREA(struct range, even_ranges));
    }
}

INLINE uint tiles_of_block(const struct layout *layout)
{
    return layout->block / TILE;
}

// Tiles of a level's giant ranges, some of which are empty.
INLINE uint n_tiles_of(const struct layout *layout, const struct giants *giants)
{
    return giants->n_blocks * tiles_of_block(layout);
}

// Histograms of the giant ranges of a level and of each block, a row of the table, and for each tile what there is before it in its
// block.
KERNEL void histogram(HYBRID_PARAMETERS)
{
    local uint counts[RADIX], bits[BIT_WORDS];
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    const struct giants giants = GIANTS(level);
    global uint *table = AREA(uint, table), *tile_table = AREA(uint, tile_table);
    const uint digit_bits = LEVEL_BITS(level);
    if (giants.n_blocks > 0) {
        clear_histograms(&layout, LEVEL_AREA(uint, counts, level + 1), LEVEL_AREA(uint, bits, level + 1));
    }
    for (uint at = get_group_id(0); at < giants.n_blocks;
         at += get_num_groups(0)) { // the same for the whole work-group
        struct block block;
        find_block(&layout, &giants, at, &block);
        clear_counts(counts, bits);
        global uint *row = tile_table + at * tiles_of_block(&layout) * RADIX;
        for (uint begin = block.begin; begin < block.end; begin += TILE) {
            for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
                row[digit] = counts[digit];
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
            count_part(&layout, &arrays, &block.range, begin, min(begin + TILE, block.end),
                       digit_shift(block.range.bits, digit_bits), (1u << digit_bits) - 1, counts, bits);
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
            row += RADIX;
        }
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            table[at * RADIX + digit] = counts[digit];
        }
        add_counts(&giants, block.number, counts, bits);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Columns of a range's part of the table that a work-group takes: few of the one range that a level has, which is long, and more of
// one of several.
#define COLUMNS_OF(n_ranges) min(min(RADIX, GROUP_SIZE), (n_ranges) == 1 ? 4 : 64)

// Makes columns of a range's part of the table their exclusive prefix sums, from the digits' starts in the range on.
INLINE void scan_columns(global uint *rows, const uint n_rows, const uint first_digit, const uint n_columns,
                         local const uint *counts, local const uint *ends, local uint *sums)
{
    const uint item = item_id(), digit = first_digit + item % n_columns, slice = item / n_columns;
    const uint n_slices = GROUP_SIZE / n_columns, share = (n_rows + n_slices - 1) / n_slices;
    const uint begin = min(slice * share, n_rows), end = min(begin + share, n_rows);
    uint sum = 0, next = ends[digit] - counts[digit];
    uint some[LOADS];
    rows += digit;
    for (uint row = begin; row < end; row += LOADS) {
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            some[n] = row + n < end ? rows[(row + n) * RADIX] : 0;
        }
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            sum += some[n];
        }
    }
    sums[item] = sum;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint before = item % n_columns; before < item; before += n_columns) {
        next += sums[before];
    }
    for (uint row = begin; row < end; row += LOADS) {
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            some[n] = row + n < end ? rows[(row + n) * RADIX] : 0;
        }
        UNROLL
        for (uint n = 0; n < LOADS; n++) {
            if (row + n < end) {
                rows[(row + n) * RADIX] = next;
                next += some[n];
            }
        }
    }
}

// Makes the table of a level say where each block's keys go, and lists the children of the ranges.
KERNEL void scan(HYBRID_PARAMETERS)
{
    local uint counts[RADIX], ends[RADIX], windows[RADIX], heads[RADIX], sums[GROUP_SIZE], children_word;
    local index_t scratch[2 * GROUP_SIZE];
    const struct layout layout = LAYOUT;
    const struct giants giants = GIANTS(level);
    const struct lists lists = LISTS(level + 1, 8 * KEY_BYTES);
    const struct children children = {windows, heads, scratch, &children_word};
    global uint *table = AREA(uint, table);
    const uint n_ranges = giants.control[CONTROL_RANGES + level];
    const uint n_columns = COLUMNS_OF(n_ranges), n_shares = RADIX / n_columns;
    // One more work-group lists the range's children.
    const uint n = n_ranges * (n_shares + 1);
    for (uint at = get_group_id(0); at < n; at += get_num_groups(0)) { // the same for the whole work-group
        const uint number = at / (n_shares + 1), share = at % (n_shares + 1);
        const struct range range = giants.ranges[number];
        const uint bits = giant_bits(&giants, number), shift = digit_shift(range.bits, LEVEL_BITS(level));
        for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
            counts[digit] = giants.counts[number * RADIX + digit];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        find_ends(counts, ends, scratch);
        if (share < n_shares && bits > shift) {
            scan_columns(table + range.first_block * RADIX, n_blocks_of(&layout, range.count), share * n_columns,
                         n_columns, counts, ends, sums);
            END_OF_BRANCH();
        } else if (share == n_shares && bits > shift) {
            list_children(&layout, giants.control, &lists, &range, shift, counts, ends, &children);
        } else if (share == n_shares && bits > 0) {
            list_again(&layout, giants.control, &lists, range, bits, &children);
            END_OF_BRANCH();
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Where the keys of a tile go, by the work-items that read it again.
INLINE void read_starts(global const uint *table, global const uint *tile_table, const uint block, const uint at,
                        local uint *starts)
{
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        starts[digit] = table[block * RADIX + digit] + tile_table[at * RADIX + digit];
    }
}

// Moves tile number at of a level's giant ranges by their next digit, or copies it if their keys are equal.
INLINE void move_at(const struct layout *layout, const struct arrays *arrays, const struct giants *giants,
                    const uint digit_bits, global const uint *table, global const uint *tile_table, const uint at,
                    const struct tile *tile)
{
    const uint number = at / tiles_of_block(layout);
    struct block block;
    find_block(layout, giants, number, &block);
    const uint begin = block.begin + at % tiles_of_block(layout) * TILE, bits = giant_bits(giants, block.number);
    const uint shift = digit_shift(block.range.bits, digit_bits), digit_mask = (1u << digit_bits) - 1;
    if (bits > shift && begin < block.end) { // the same for the whole work-group
        struct places places;
        find_places(layout, arrays, &block.range, &places);
        read_starts(table, tile_table, number, at, tile->starts);
        if (begin + TILE <= block.end) {
            move_tile(layout, &places, begin, ITEMS, true, TILE, shift, digit_mask, tile);
        } else {
            move_rest(layout, &places, begin, block.end, shift, digit_mask, tile);
        }
    } else if (bits == 0) {
        copy_part(layout, arrays, &block.range, begin, min(begin + TILE, block.end));
    }
}

// Moves the giant ranges of a level, one tile of each work-group: a loop would cost registers. Tiles that follow each other are moved
// at about the same time, so that what they write side by side meets in the cache.
KERNEL void move(HYBRID_PARAMETERS)
{
    LOCAL_TILE;
    const struct layout layout = LAYOUT;
    const struct giants giants = GIANTS(level);
    if (get_group_id(0) < n_tiles_of(&layout, &giants)) { // the same for the whole work-group
        const struct arrays arrays = ARRAYS;
        move_at(&layout, &arrays, &giants, LEVEL_BITS(level), AREA(const uint, table), AREA(const uint, tile_table),
                get_group_id(0), &tile);
    }
}

// The same for levels that seldom have any: work-groups that find nothing to do take time too.
KERNEL void deep_move(HYBRID_PARAMETERS)
{
    LOCAL_TILE;
    const struct layout layout = LAYOUT;
    const struct giants giants = GIANTS(level);
    for (uint at = get_group_id(0); at < n_tiles_of(&layout, &giants); at += get_num_groups(0)) { // likewise
        const struct arrays arrays = ARRAYS;
        move_at(&layout, &arrays, &giants, LEVEL_BITS(level), AREA(const uint, table), AREA(const uint, tile_table), at,
                &tile);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// ------------------------------------------------------------------------------------------------------- medium ranges

// Moves all of a range to its children, which end where `ends` says.
INLINE void move_medium(const struct layout *layout, const struct arrays *arrays, const struct range *range,
                        const uint shift, local const uint *counts, local const uint *ends, const struct tile *tile)
{
    struct places places;
    uint at = 0;
    find_places(layout, arrays, range, &places);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        tile->starts[digit] = ends[digit] - counts[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (; at + TILE <= range->count; at += TILE) {
        move_tile(layout, &places, at, ITEMS, true, TILE, shift, RADIX - 1, tile);
    }
    move_rest(layout, &places, at, range->count, shift, RADIX - 1, tile);
}

// Copies what is in order once its last digit is, from where that has moved it.
INLINE void copy_sorted(const struct layout *layout, const struct arrays *arrays, const struct range *range)
{
    struct range child;
    make_child(range, 0, range->count, 0, &child);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    copy_part(layout, arrays, &child, 0, child.count);
}

// Sorts medium ranges down to tasks: a work-group takes one at a time, and its children depth first. Before that it copies the
// giant ranges of the level, which is the last: their keys are equal.
KERNEL void medium(HYBRID_PARAMETERS)
{
    LOCAL_TILE;
    LOCAL_STACK;
    local uint counts[RADIX], ends[RADIX], words[BIT_WORDS], children_word;
    const struct layout layout = LAYOUT;
    const struct arrays arrays = ARRAYS;
    const struct giants giants = GIANTS(level);
    const struct children children = {tile_starts, tile_bases, tile_scratch, &children_word};
    global uint *control = AREA(uint, control);
    global const struct range *mediums = AREA(const struct range, medium);
    const uint n_mediums = control[CONTROL_MEDIUM];
    for (uint at = get_group_id(0); at < giants.n_blocks; at += get_num_groups(0)) {
        struct block block;
        find_block(&layout, &giants, at, &block);
        copy_part(&layout, &arrays, &block.range, block.begin, block.end);
    }
    uint number = get_group_id(0);
    while (number < n_mediums) { // the same for the whole work-group
        struct part_of_medium taken;
        take_medium(control, mediums + number, &stack, &taken);
        bool is_done = false;
        while (!is_done) {
            uint bits;
            const uint shift = count_medium(&layout, &arrays, &taken.range, counts, words, &bits);
            find_ends(counts, ends, tile.scratch);
            if (bits == 0) {
                copy_part(&layout, &arrays, &taken.range, 0, taken.range.count);
            } else {
                if (shift > 0) {
                    const struct task_lists lists = {AREA(struct task, tasks), AREA(uint, hard)};
                    list_tasks(&layout, control, &lists, &taken.range, shift, ends, &children);
                    push_children(&layout, &taken, shift, counts, ends, &stack);
                    END_OF_BRANCH();
                }
                move_medium(&layout, &arrays, &taken.range, shift, counts, ends, &tile);
                if (shift == 0) {
                    copy_sorted(&layout, &arrays, &taken.range);
                    END_OF_BRANCH();
                }
                END_OF_BRANCH();
            }
            is_done = take_child(mediums + number, &stack, &taken);
        }
        number = stack_next;
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
