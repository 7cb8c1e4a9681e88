// Partitions of quicksort: ranges are divided into buckets by splitters, block by block. A launch counts the keys of each block's
// buckets, one makes prefix sums of these counts, and one moves the keys and lists what has to be done with the buckets. No
// work-group waits for another.
//
// Cederman and Tsigas, GPU-Quicksort, 2009; with many pivots at once as in Sanders and Winkel, Super scalar sample sort, 2004.

#define MOST_BUCKETS (2 * RADIX)
// Rows of up to so many counts are summed by a work-item, longer ones by a work-group.
#define FEW_COUNTS 32

// ------------------------------------------------------------------------------------------------------- the first list

// Clears the counters, and makes an array the one range of level 0, if there is any; by one work-group.
KERNEL void begin(QUICKSORT_PARAMETERS, const index_t whole)
{
    READ_PLAN
    const uint item = get_local_id(0);
    for (uint word = item; word < COUNTER_WORDS; word += GROUP_SIZE) {
        AREA(uint, counters)[word] = 0;
    }
    GROUP_BARRIER(CLK_GLOBAL_MEM_FENCE);
    const uint n_blocks = whole ? n_blocks_of(whole, plan) : 0;
    for (uint block = item; block < n_blocks; block += GROUP_SIZE) {
        LEVEL_AREA(uint, map, 0)[block] = 0;
    }
    if (whole && item == 0) {
        struct range range;
        list_range(PLAN, 0, 0, whole, &range);
    }
}

// Makes ranges and tasks of the long segments in the list of cl/segment_classes.cl. Each takes a unit of room for each plan->slots of its
// elements. All those that do not overlap have room; a work-item that finds none leaves its segment as it is. The launch has so
// few work-items that the count of units does not wrap.
KERNEL void list_long(QUICKSORT_PARAMETERS, global const struct segment *list, const ulong list_offset,
                      global const uint *classes, const ulong classes_offset)
{
    READ_PLAN
    global uint *units = AREA(uint, counters) + COUNTER_UNITS;
    list += list_offset + first_long(classes + classes_offset);
    classes += classes_offset + CONTROL_COUNTS;
    const index_t n_long = (index_t)classes[FEW_BLOCKS_CLASS] + classes[MANY_BLOCKS_CLASS];
    for (index_t i = get_global_id(0); i < n_long; i += get_global_size(0)) {
        const struct segment segment = list[i];
        const uint n_own = (uint)(segment.length / plan->slots);
        if (atomic_or(units, 0u) < plan->n_units && atomic_add(units, n_own) + n_own <= plan->n_units) {
            if (segment.length <= plan->capacity) {
                list_task(PLAN, segment.begin, (uint)segment.length, IN_INPUT);
            } else {
                list_whole_range(PLAN, 0, segment.begin, segment.length);
            }
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- blocks

struct block {
    struct range range;
    uint place, n_blocks; // which one it is, of those of its range
    index_t begin, end;
};

INLINE void read_block(struct block *block, PLAN_PARAMETERS, const uint level, const uint number)
{
    block->range = LEVEL_AREA(struct range, ranges, level)[LEVEL_AREA(uint, map, level)[number]];
    block->place = number - block->range.first_block;
    block->n_blocks = n_blocks_of(block->range.length, plan);
    const index_t first = (index_t)block->place * plan->block;
    block->begin = block->range.begin + first;
    block->end = block->begin + min((index_t)plan->block, block->range.length - first);
}

// -------------------------------------------------------------------------------------------------------------- buckets

// The splitters of a range, from the least to the greatest, and as a search tree whose node n has the children 2n and 2n + 1: in that
// order those that work-items compare with at a time lie side by side, in banks of their own.
//
// Bucket b has what is above splitter b - 1 and up to splitter b. If splitters are alike, it is the first one's bucket that would have
// what equals them; that goes to the second one's instead, which has nothing else: so it needs no sorting.
struct splitters {
    local key_t *sorted, *tree;
    local uint *has_equal; // whether there are any alike
    uint bits;
};

#define LOCAL_SPLITTERS                                                                                                \
    local key_t sorted_splitters[MOST_BUCKETS], splitter_tree[MOST_BUCKETS];                                           \
    local uint has_equal[1];

// The splitter between buckets i and i + 1 is at a node whose children lie between others.
INLINE uint node_of(const uint i, const uint bits)
{
    const uint height = 31 - (uint)clz((i + 1) & -(i + 1));
    return (1u << (bits - 1 - height)) + ((i + 1) >> (height + 1));
}

// It begins behind a barrier and ends with one.
INLINE void load_splitters(const struct splitters *splitters, global const key_t *from)
{
    const uint item = get_local_id(0), n = (1u << splitters->bits) - 1;
    if (item == 0) {
        *splitters->has_equal = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < n; i += GROUP_SIZE) {
        const key_t splitter = from[i];
        splitters->sorted[i] = splitter;
        splitters->tree[node_of(i, splitters->bits)] = splitter;
        if (i > 0 && from[i - 1] == splitter) {
            *splitters->has_equal = 1; // all that write it write the same
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Whether all in a bucket equal its splitter.
INLINE bool is_equal_bucket(const struct splitters *splitters, const uint bucket)
{
    return bucket > 0 && bucket + 1 < 1u << splitters->bits &&
           splitters->sorted[bucket - 1] == splitters->sorted[bucket];
}

// From the node that a search ended at.
INLINE uint bucket_of_node(const struct splitters *splitters, const bool has_equal, const uint node,
                           const key_t compared)
{
    const uint bucket = node - (1u << splitters->bits);
    return bucket +
           (has_equal && bucket + 2 < 1u << splitters->bits && splitters->sorted[bucket + 1] == compared ? 1 : 0);
}

INLINE uint bucket_of(const struct splitters *splitters, const bool has_equal, const key_t compared)
{
    uint node = 1;
    for (uint bit = 0; bit < splitters->bits; bit++) {
        node = 2 * node + (splitters->tree[node] < compared ? 1 : 0);
    }
    return bucket_of_node(splitters, has_equal, node, compared);
}

#if GROUP_SIZE > 1
// Those of a tile's keys, in rows over the work-group: searches go down the tree together, as each step waits for local memory.
INLINE void buckets_of_row(const struct splitters *splitters, const bool has_equal, const key_t compared[ITEMS],
                           uint buckets[ITEMS])
{
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        buckets[i] = 1;
    }
    ROLLED
    for (uint bit = 0; bit < splitters->bits; bit++) {
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            buckets[i] = 2 * buckets[i] + (splitters->tree[buckets[i]] < compared[i] ? 1 : 0);
        }
    }
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        buckets[i] = bucket_of_node(splitters, has_equal, buckets[i], compared[i]);
    }
}

INLINE void read_row(global const key_t *keys, const uint n, key_t row[ITEMS])
{
    const uint item = get_local_id(0);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        row[i] = i * GROUP_SIZE + item < n ? (keys + item)[i * GROUP_SIZE] : 0;
    }
}
#endif

// ------------------------------------------------------------------------------------------------------------- counting

INLINE void count_block(global const key_t *keys, const struct block *block, const struct splitters *splitters,
                        local uint *counts, ORDER_PARAMETERS, const uint begin_bit, const ulong rank_mask)
{
    const bool has_equal = *splitters->has_equal;
#if GROUP_SIZE == 1
    for (index_t i = block->begin; i < block->end; i++) {
        counts[bucket_of(splitters, has_equal, COMPARED(keys[i]))]++;
    }
#else
    for (index_t first = block->begin; first < block->end; first += TILE) {
        const uint n = (uint)min((index_t)TILE, block->end - first);
        key_t row[ITEMS];
        uint buckets[ITEMS];
        read_row(keys + first, n, row);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            row[i] = COMPARED(row[i]);
        }
        buckets_of_row(splitters, has_equal, row, buckets);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            if (i * GROUP_SIZE + get_local_id(0) < n) {
                atomic_inc(counts + buckets[i]);
            }
        }
    }
#endif
}

// Counts the keys of each bucket in each block.
KERNEL void count(global const key_t *keys, const ulong keys_offset, QUICKSORT_PARAMETERS, const uint level)
{
    READ_PLAN
    LOCAL_SPLITTERS
    local uint counts[MOST_BUCKETS];
    const uint n_blocks = LEVEL_COUNTERS(level)[LEVEL_BLOCKS];
    for (uint i = get_group_id(0); i < n_blocks; i += get_num_groups(0)) {
        struct block block;
        read_block(&block, PLAN, level, i);
        const struct splitters splitters = {sorted_splitters, splitter_tree, has_equal, block.range.bits};
        const uint n_buckets = 1u << block.range.bits;
        for (uint bucket = get_local_id(0); bucket < n_buckets; bucket += GROUP_SIZE) {
            counts[bucket] = 0;
        }
        load_splitters(&splitters, AREA(key_t, splitters) + block.range.first_bucket);
        count_block(keys + keys_offset, &block, &splitters, counts, ORDER, begin_bit, rank_mask);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        for (uint bucket = get_local_id(0); bucket < n_buckets; bucket += GROUP_SIZE) {
            AREA(index_t, table)[block.range.first_entry + bucket * block.n_blocks + block.place] = counts[bucket];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Turns the counts of each bucket in its range's blocks into exclusive prefix sums. The rows of a range of many blocks are shared
// out among them; those of another are left to its first block, a row to each work-item.
KERNEL void scan(QUICKSORT_PARAMETERS, const uint level)
{
    READ_PLAN
    local index_t scratch[2 * GROUP_SIZE];
    const uint n_blocks = LEVEL_COUNTERS(level)[LEVEL_BLOCKS];
    for (uint i = get_group_id(0); i < n_blocks; i += get_num_groups(0)) {
        struct block block;
        read_block(&block, PLAN, level, i);
        const uint n_buckets = 1u << block.range.bits;
        global index_t *table = AREA(index_t, table) + block.range.first_entry;
        global index_t *totals = AREA(index_t, totals) + block.range.first_bucket;
        const bool is_long = block.n_blocks > FEW_COUNTS;
        for (uint bucket = is_long ? block.place : n_buckets; bucket < n_buckets; bucket += block.n_blocks) {
            const index_t total = scan_row(table + bucket * block.n_blocks, block.n_blocks, scratch);
            if (get_local_id(0) == 0) {
                totals[bucket] = total;
            }
            GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        }
        const uint first = is_long || block.place > 0 ? n_buckets : get_local_id(0);
        for (uint bucket = first; bucket < n_buckets; bucket += GROUP_SIZE) {
            totals[bucket] = scan_row_alone(table + bucket * block.n_blocks, block.n_blocks);
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- moving

// What is copied as it is, in pieces so large that one work-item can list them.
#define PIECE_TASKS 8

// Lists what has to be done with a bucket that was moved from a level.
INLINE void list_bucket(PLAN_PARAMETERS, const uint level, const index_t begin, const index_t length,
                        const bool is_equal)
{
    const uint place = place_of_level(level + 1);
    if (length == 0) {
        return;
    }
    if (is_equal || length == 1) {
        const index_t piece = (index_t)plan->capacity * PIECE_TASKS;
        for (index_t done = 0; done < length && place == IN_X; done += piece) {
            list_task(PLAN, begin + done, (uint)min(piece, length - done), place | IS_SORTED);
        }
        if (place == IN_X) {
            atomic_add(AREA(uint, counters) + COUNTER_COPIED, (uint)length);
        }
    } else if (length <= plan->capacity) {
        list_task(PLAN, begin, (uint)length, place);
    } else {
        list_whole_range(PLAN, level + 1, begin, length);
    }
}

// Where a block's first key of each bucket goes; the first block of a range lists its buckets. It ends with a barrier.
INLINE void load_starts(local index_t *starts, local index_t *scratch, PLAN_PARAMETERS, const uint level,
                        const struct block *block, const struct splitters *splitters)
{
    const uint item = get_local_id(0), n_buckets = 1u << block->range.bits;
    const uint n_own = (n_buckets + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min(item * n_own, n_buckets), last = min(first + n_own, n_buckets);
    global const index_t *totals = AREA(index_t, totals) + block->range.first_bucket;
    global const index_t *table = AREA(index_t, table) + block->range.first_entry;
    index_t sum = 0;
    for (uint bucket = first; bucket < last; bucket++) {
        sum += totals[bucket];
    }
    index_t total;
    index_t before = block->range.begin + group_scan(sum, scratch, &total);
    for (uint bucket = first; bucket < last; bucket++) {
        const index_t length = totals[bucket];
        starts[bucket] = before + table[bucket * block->n_blocks + block->place];
        if (block->place == 0) {
            list_bucket(PLAN, level, before, length, is_equal_bucket(splitters, bucket));
        }
        before += length;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

#define MOVE_PARAMETERS                                                                                                \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, QUICKSORT_PARAMETERS, const uint level, const uint generate_index

#define BLOCK_ARRAYS(block)                                                                                            \
    {                                                                                                                  \
        keys_in + keys_in_offset, keys_out + keys_out_offset, values_in + values_in_offset,                            \
            values_out + values_out_offset, generate_index, generate_index == IN_SEGMENT ? (block).range.begin : 0, 1  \
    }

#if GROUP_SIZE == 1
// Moves the keys and values of each block to their buckets; stable.
KERNEL void move(MOVE_PARAMETERS)
{
    READ_PLAN
    LOCAL_SPLITTERS
    local index_t starts[MOST_BUCKETS], scratch[2];
    const uint n_blocks = LEVEL_COUNTERS(level)[LEVEL_BLOCKS];
    for (uint n = get_group_id(0); n < n_blocks; n += get_num_groups(0)) {
        struct block block;
        read_block(&block, PLAN, level, n);
        const struct arrays arrays = BLOCK_ARRAYS(block);
        const struct splitters splitters = {sorted_splitters, splitter_tree, has_equal, block.range.bits};
        load_splitters(&splitters, AREA(key_t, splitters) + block.range.first_bucket);
        load_starts(starts, scratch, PLAN, level, &block, &splitters);
        const bool any_equal = *has_equal;
        for (index_t i = block.begin; i < block.end; i++) {
            const key_t key = arrays.keys_in[i];
            const index_t to = starts[bucket_of(&splitters, any_equal, COMPARED(key))]++;
            arrays.keys_out[to] = key;
#if VALUE_BYTES
            arrays.values_out[to] = ARRAY_VALUE(&arrays, i);
#endif
        }
    }
}
#else
// A tile in order of its buckets. Keys alone, if ties may go in any order, are there as ranks beside the numbers of their buckets. Else
// words has of each slot its bucket in the upper half, and in the lower one the slot it had before.
struct bucket_tile {
    local uint *words;
    local key_t *ranks;
    local ushort *buckets;
    local uint *counts;   // of each bucket; 0 between tiles
    local uint *firsts;   // slots
    local uint *counters; // of the ranks of cl/group.cl
    local index_t *scratch;
    local index_t *starts; // where the next key of each bucket goes
};

// Adds up the buckets before each, and lets starts[bucket] + slot be where a slot goes. It begins and ends with a barrier.
INLINE void begin_buckets(const struct bucket_tile *tile, const uint n_buckets)
{
    const uint n_own = (n_buckets + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min((uint)get_local_id(0) * n_own, n_buckets), last = min(first + n_own, n_buckets);
    uint sum = 0;
    index_t total;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint bucket = first; bucket < last; bucket++) {
        sum += tile->counts[bucket];
    }
    uint before = (uint)group_scan(sum, tile->scratch, &total);
    for (uint bucket = first; bucket < last; bucket++) {
        tile->firsts[bucket] = before;
        tile->starts[bucket] -= before;
        before += tile->counts[bucket];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

INLINE void end_buckets(const struct bucket_tile *tile, const uint n_buckets)
{
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint bucket = get_local_id(0); bucket < n_buckets; bucket += GROUP_SIZE) {
        tile->starts[bucket] += tile->firsts[bucket] + tile->counts[bucket];
        tile->counts[bucket] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// Sorts n words by their buckets, RANK_BITS at a time; stable, as sort_tile() of radix_tile.cl. It begins and ends with a barrier.
INLINE void sort_words(const struct bucket_tile *tile, const uint n, const uint bits)
{
    const uint item = get_local_id(0);
    const uint n_own = min(n - min(n, item * ITEMS), (uint)ITEMS);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint bit = 16; bit < 16 + bits; bit += RANK_BITS) {
        uint ranks[ITEMS], words[ITEMS];
        rank_begin(tile->counters);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            words[i] = i < n_own ? tile->words[OWN_SLOT(item, i)] : 0xffffffffu;
            ranks[i] = rank_count(tile->counters, words[i] >> bit & (RANK_DIGITS - 1));
        }
        rank_scan(tile->counters, tile->scratch);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            ranks[i] += rank_start(tile->counters, words[i] >> bit & (RANK_DIGITS - 1));
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            tile->words[SLOT(ranks[i])] = words[i];
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}

// Puts a tile of n keys in order of its buckets; is_stable: equal keys stay in order.
INLINE void order_tile(global const key_t *keys, const uint n, const struct bucket_tile *tile,
                       const struct splitters *splitters, const bool is_stable, ORDER_PARAMETERS, const uint begin_bit,
                       const ulong rank_mask)
{
    const uint item = get_local_id(0);
    key_t compared[ITEMS];
    uint buckets[ITEMS]; // in the upper half is the number in the bucket
    read_row(keys, n, compared);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        compared[i] = COMPARED(compared[i]);
    }
    buckets_of_row(splitters, *splitters->has_equal, compared, buckets);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item;
        if (is_stable && slot < n) {
            tile->words[ROW_SLOT(item, i)] = buckets[i] << 16 | slot;
        }
        if (slot < n) {
            buckets[i] |= atomic_inc(tile->counts + buckets[i]) << 16;
        }
    }
    begin_buckets(tile, 1u << splitters->bits);
    if (is_stable) {
        sort_words(tile, n, splitters->bits);
        return;
    }
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        const uint slot = i * GROUP_SIZE + item, bucket = buckets[i] & 0xffff;
        if (slot < n) {
            const uint place = SLOT(tile->firsts[bucket] + (buckets[i] >> 16));
#if VALUE_BYTES
            tile->words[place] = bucket << 16 | slot;
#else
            tile->ranks[place] = compared[i];
            tile->buckets[place] = (ushort)bucket;
#endif
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

INLINE void move_block(const struct arrays *arrays, const struct block *block, const struct bucket_tile *tile,
                       const struct splitters *splitters, const bool is_stable, ORDER_PARAMETERS, const uint begin_bit,
                       const ulong rank_mask)
{
    for (index_t first = block->begin; first < block->end; first += TILE) {
        const uint n = (uint)min((index_t)TILE, block->end - first);
        order_tile(arrays->keys_in + first, n, tile, splitters, is_stable, ORDER, begin_bit, rank_mask);
        for (uint slot = get_local_id(0); slot < n; slot += GROUP_SIZE) {
#if !VALUE_BYTES
            if (!is_stable) {
                const index_t place = tile->starts[tile->buckets[SLOT(slot)]] + slot;
                arrays->keys_out[place] = key_of_rank(tile->ranks[SLOT(slot)], ORDER);
                continue;
            }
#endif
            const uint word = tile->words[SLOT(slot)];
            const index_t from = first + (word & 0xffff), to = tile->starts[word >> 16] + slot;
            arrays->keys_out[to] = arrays->keys_in[from];
#if VALUE_BYTES
            arrays->values_out[to] = ARRAY_VALUE(arrays, from);
#endif
        }
        end_buckets(tile, 1u << splitters->bits);
    }
}

INLINE void move_blocks(const struct bucket_tile *tile, local key_t *sorted_splitters, local key_t *splitter_tree,
                        local uint *has_equal, const bool is_stable, MOVE_PARAMETERS)
{
    READ_PLAN
    const uint n_blocks = LEVEL_COUNTERS(level)[LEVEL_BLOCKS];
    for (uint bucket = get_local_id(0); bucket < MOST_BUCKETS; bucket += GROUP_SIZE) {
        tile->counts[bucket] = 0;
    }
    for (uint i = get_group_id(0); i < n_blocks; i += get_num_groups(0)) {
        struct block block;
        read_block(&block, PLAN, level, i);
        const struct arrays arrays = BLOCK_ARRAYS(block);
        const struct splitters splitters = {sorted_splitters, splitter_tree, has_equal, block.range.bits};
        load_splitters(&splitters, AREA(key_t, splitters) + block.range.first_bucket);
        load_starts(tile->starts, tile->scratch, PLAN, level, &block, &splitters);
        move_block(&arrays, &block, tile, &splitters, is_stable, ORDER, begin_bit, rank_mask);
    }
}

#define MOVE_ARGUMENTS                                                                                                 \
    keys_in, keys_in_offset, keys_out, keys_out_offset, values_in, values_in_offset, values_out, values_out_offset,    \
        workspace, workspace_offset, plan_words, ORDER, begin_bit, rank_mask, level, generate_index

#define LOCAL_BUCKETS                                                                                                  \
    LOCAL_SPLITTERS                                                                                                    \
    local uint counts[MOST_BUCKETS], firsts[MOST_BUCKETS];                                                             \
    local index_t starts[MOST_BUCKETS], scratch[2 * GROUP_SIZE];

// Moves the keys and values of each block to their buckets, in any order: of keys alone these are compared wholly.
KERNEL void move(MOVE_PARAMETERS)
{
    LOCAL_BUCKETS
    local uint words[VALUE_BYTES ? TILE_SLOTS : 1];
    local key_t ranks[VALUE_BYTES ? 1 : TILE_SLOTS];
    local ushort buckets[VALUE_BYTES ? 1 : TILE_SLOTS];
    const struct bucket_tile tile = {words, ranks, buckets, counts, firsts, firsts, scratch, starts};
    move_blocks(&tile, sorted_splitters, splitter_tree, has_equal, false, MOVE_ARGUMENTS);
}

// The same, and keeps equal keys in order.
KERNEL void move_stable(MOVE_PARAMETERS)
{
    LOCAL_BUCKETS
    local uint words[TILE_SLOTS], counters[N_COUNTERS];
    local key_t no_ranks[1];
    local ushort no_buckets[1];
    const struct bucket_tile tile = {words, no_ranks, no_buckets, counts, firsts, counters, scratch, starts};
    move_blocks(&tile, sorted_splitters, splitter_tree, has_equal, true, MOVE_ARGUMENTS);
}
#endif
