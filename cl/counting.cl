// Counting sort of keys of 1 or 2 bytes alone: counts how often each key occurs, and writes it as often.
//
// Seward, Information sorting in the application of electronic digital computers to business operations, 1954. Keys
// that have equal bits are the same key, so that the input is read once and nothing is moved.

#if KEY_BYTES > 2
#error "KEY_BYTES has to be 1 or 2: each key has a counter"
#endif

#define N_KEYS (1 << 8 * KEY_BYTES)
// Keys of a segment of the order; src/counting.c has the same.
#define SEGMENT (KEY_BYTES == 1 ? 32 : 128)
#define N_SEGMENTS (N_KEYS / SEGMENT)
// Ranks that are tried one by one before they are searched.
#define NEAR_RANKS 4

// Memory is read and written fastest in whole aligned vectors.
typedef uint4 vector_t;
#define VECTOR_KEYS (16 / KEY_BYTES)
#define KEYS_OF_WORD (4 / KEY_BYTES)
// The word whose keys are all this one.
#define SPLAT(key) ((uint)(key) * (0xffffffffu / (N_KEYS - 1)))

// An array as vectors between two edges of single keys, as it may start and end anywhere.
struct division {
    index_t first; // position of the first vector
    index_t n_vectors;
    uint n_edge; // keys before and behind the vectors, together
};

static void divide(global const key_t *keys, const index_t count, struct division *division)
{
    const uint n_before = (16 - (uint)((uintptr_t)keys & 15)) % 16 / KEY_BYTES;
    division->first = min((index_t)n_before, count);
    division->n_vectors = (count - division->first) / VECTOR_KEYS;
    division->n_edge = (uint)(count - division->n_vectors * VECTOR_KEYS);
}

static index_t edge_position(const struct division *division, const uint i)
{
    return i < division->first ? i : i + division->n_vectors * VECTOR_KEYS;
}

// Counters of a work-group have three forms. Each has a count_key() here, and a count_block() below.
#if KEY_BYTES == 1
// A counter for each key in several copies side by side, and neighbours use different ones: work-items that meet the
// same key do not wait for each other, as each copy is in a bank of its own; nor does one key wait for the key before.
#define COPIES                                                                                                         \
    (TILE >= 32 * N_KEYS   ? 32                                                                                        \
     : TILE >= 16 * N_KEYS ? 16                                                                                        \
     : TILE >= 8 * N_KEYS  ? 8                                                                                         \
     : TILE >= 4 * N_KEYS  ? 4                                                                                         \
     : TILE >= 2 * N_KEYS  ? 2                                                                                         \
                           : 1)
#define N_SLICES 1
#define LOCAL_WORDS (N_KEYS * COPIES)
typedef local uint *counters_t;

INLINE void count_key(counters_t counters, const uint key, const uint n, const uint place)
{
#if GROUP_SIZE == 1
    counters[key * COPIES + place % COPIES] += n;
#else
    atomic_add(&counters[key * COPIES + get_local_id(0) % COPIES], n);
#endif
}
#elif GROUP_SIZE == 1
// Counters in global memory, which a CPU's caches hold as well as local memory.
#define N_SLICES 1
typedef global uint *counters_t;

// Where keys differ in their upper bits alone, their counters would meet in one set of the cache.
#define COUNTER_OF(key) ((key) ^ (key) >> 10 << 4)

INLINE void count_key(counters_t counters, const uint key, const uint n, const uint place)
{
    counters[COUNTER_OF(key)] += n;
}
#else
// Two counters of 16 bits to a word of local memory. That holds a part of the keys, a slice, and each slice of a block
// has a work-group of its own, which reads the whole block.
#define COUNTERS (TILE < N_KEYS / 2 ? TILE : N_KEYS / 2)
#define SLICE (2 * COUNTERS)
#define N_SLICES ((N_KEYS + SLICE - 1) / SLICE)
#define SLICE_BEGIN ((uint)(get_group_id(0) % N_SLICES) * SLICE)
// Counts are moved to the table, but for less than 1024 of each, before a counter can overflow: after that many
// vectors.
#define KEPT 0x03ff03ffu
#define INTERVAL ((65536 - 1024) / VECTOR_KEYS / GROUP_SIZE * GROUP_SIZE)
// Behind the counters: hot keys, how many these are, and how often they were met. If they were three eighths of all
// keys, work-items waited for their counters, and each work-item counts them by itself for the next interval.
#define N_HOT 4
#define HOT 8192
#define MANY_HOT (3 * 8192)
#define NO_KEY 0xffffffffu
#define LOCAL_WORDS (COUNTERS + N_HOT + 2)
typedef local uint *counters_t;

INLINE void count_key(counters_t counters, const uint key, const uint n, const uint place)
{
    const uint i = key - SLICE_BEGIN;
    if (i < SLICE) {
        atomic_add(&counters[i / 2], n << i % 2 * 16);
    }
}
#endif

INLINE void count_word(counters_t counters, const uint word)
{
    count_key(counters, word & (N_KEYS - 1), 1, 0);
    count_key(counters, word >> 8 * KEY_BYTES & (N_KEYS - 1), 1, 1);
#if KEY_BYTES == 1
    count_key(counters, word >> 16 & (N_KEYS - 1), 1, 2);
    count_key(counters, word >> 24, 1, 3);
#endif
}

// Whether all keys of a vector are the first one, which would wait for one counter.
static int has_one_key(const vector_t vector)
{
    const uint word = SPLAT(vector.x & (N_KEYS - 1));
    return ((vector.x ^ word) | (vector.y ^ word) | (vector.z ^ word) | (vector.w ^ word)) == 0;
}

INLINE void count_vector(counters_t counters, const vector_t vector)
{
    if (has_one_key(vector)) {
        count_key(counters, vector.x & (N_KEYS - 1), VECTOR_KEYS, 0);
    } else {
        count_word(counters, vector.x);
        count_word(counters, vector.y);
        count_word(counters, vector.z);
        count_word(counters, vector.w);
    }
}

INLINE void count_vectors(counters_t counters, global const vector_t *vectors, const index_t begin, const index_t end)
{
    index_t i = begin + get_local_id(0);
    for (; i + 3 * GROUP_SIZE < end; i += 4 * GROUP_SIZE) {
        const vector_t first = vectors[i];
        const vector_t second = vectors[i + GROUP_SIZE];
        const vector_t third = vectors[i + 2 * GROUP_SIZE];
        const vector_t fourth = vectors[i + 3 * GROUP_SIZE];
        count_vector(counters, first);
        count_vector(counters, second);
        count_vector(counters, third);
        count_vector(counters, fourth);
    }
    for (; i < end; i += GROUP_SIZE) {
        count_vector(counters, vectors[i]);
    }
}

#if KEY_BYTES == 2 && GROUP_SIZE > 1
INLINE void count_cool_key(counters_t counters, const uint key, const uint4 hot, uint4 *n_hot)
{
    const int4 is_hot = hot == (uint4)(key);
    *n_hot -= as_uint4(is_hot); // true is -1
    if (!any(is_hot)) {
        count_key(counters, key, 1, 0);
    }
}

INLINE void count_cool_word(counters_t counters, const uint word, const uint4 hot, uint4 *n_hot)
{
    count_cool_key(counters, word & 0xffff, hot, n_hot);
    count_cool_key(counters, word >> 16, hot, n_hot);
}

INLINE void count_vectors_with_hot(counters_t counters, global const vector_t *vectors, const index_t begin,
                                   const index_t end, const uint4 hot)
{
    uint4 n_hot = 0;
    for (index_t i = begin + get_local_id(0); i < end; i += GROUP_SIZE) {
        const vector_t vector = vectors[i];
        if (has_one_key(vector)) {
            count_key(counters, vector.x & 0xffff, VECTOR_KEYS, 0);
        } else {
            count_cool_word(counters, vector.x, hot, &n_hot);
            count_cool_word(counters, vector.y, hot, &n_hot);
            count_cool_word(counters, vector.z, hot, &n_hot);
            count_cool_word(counters, vector.w, hot, &n_hot);
        }
    }
    count_key(counters, hot.x, n_hot.x, 0);
    count_key(counters, hot.y, n_hot.y, 0);
    count_key(counters, hot.z, n_hot.z, 0);
    count_key(counters, hot.w, n_hot.w, 0);
}

INLINE void note_hot_key(local uint *hot_keys, const uint key, const uint count)
{
    if (count >= HOT) {
        const uint place = atomic_inc(&hot_keys[N_HOT]);
        if (place < N_HOT) {
            hot_keys[place] = key;
            atomic_add(&hot_keys[N_HOT + 1], count);
        }
    }
}

// Moves counts of the work-group's slice to its part of the table, but for those bits of each that are to be kept; all,
// where these are none. A work-item always takes the same counters, so that it alone writes there. *is_begun: it has
// done so. Returns the hot keys if they are many, NO_KEY in the other places.
INLINE uint4 move_counts(local uint *counters, global uint2 *slice, const uint kept, uint *is_begun)
{
    local uint *hot_keys = counters + COUNTERS;
    const uint n_words = min((uint)COUNTERS, N_KEYS / 2 - SLICE_BEGIN / 2);
    uint moved = kept == 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < N_HOT + 2; i += GROUP_SIZE) {
        hot_keys[i] = i < N_HOT ? NO_KEY : 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < n_words; i += GROUP_SIZE) {
        moved |= counters[i] & ~kept;
    }
    for (uint i = get_local_id(0); i < n_words && moved != 0; i += GROUP_SIZE) {
        const uint word = counters[i] & ~kept;
        const uint2 counts = (uint2)(word & 0xffff, word >> 16);
        slice[i] = *is_begun ? slice[i] + counts : counts;
        counters[i] -= word;
        note_hot_key(hot_keys, SLICE_BEGIN + 2 * i, counts.x);
        note_hot_key(hot_keys, SLICE_BEGIN + 2 * i + 1, counts.y);
    }
    *is_begun |= moved != 0;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint4 hot = (uint4)(hot_keys[0], hot_keys[1], hot_keys[2], hot_keys[3]);
    return hot_keys[N_HOT + 1] < MANY_HOT ? (uint4)(NO_KEY) : hot;
}
#endif

// Counts the vectors from begin to end into a row of the table.
INLINE void count_block(counters_t counters, global uint *row, global const vector_t *vectors, const index_t begin,
                        const index_t end)
{
#if KEY_BYTES == 1
    count_vectors(counters, vectors, begin, end);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint key = get_local_id(0); key < N_KEYS; key += GROUP_SIZE) {
        uint sum = 0;
        for (uint copy = 0; copy < COPIES; copy++) {
            sum += counters[key * COPIES + (key + copy) % COPIES]; // each work-item in another bank
        }
        row[key] = sum;
    }
#elif GROUP_SIZE == 1
    count_vectors(counters, vectors, begin, end);
#else
    global uint2 *slice = (global uint2 *)(row + SLICE_BEGIN);
    uint4 hot = NO_KEY;
    uint is_begun = 0;
    index_t i = begin;
    do {
        const index_t next = min(i + INTERVAL, end);
        if (hot.x == NO_KEY) {
            count_vectors(counters, vectors, i, next);
        } else {
            count_vectors_with_hot(counters, vectors, i, next, hot);
        }
        hot = move_counts(counters, slice, next < end ? KEPT : 0, &is_begun);
        i = next;
    } while (i < end);
#endif
}

// Counts the keys of a block into its row of the table: table[block * N_KEYS + key]. The first block takes the edges.
KERNEL void count_keys(global const key_t *keys, const ulong keys_offset, global uint *table, const ulong table_offset,
                       const index_t count, const index_t block_vectors)
{
    const uint item = get_local_id(0);
    const uint block = get_group_id(0) / N_SLICES;
    keys += keys_offset;
    global uint *row = table + table_offset + (ulong)block * N_KEYS;
    struct division division;
    divide(keys, count, &division);
    global const vector_t *vectors = (global const vector_t *)(keys + division.first);
    const index_t begin = min(block * block_vectors, division.n_vectors);
    const index_t end = min(begin + block_vectors, division.n_vectors);
#if KEY_BYTES == 2 && GROUP_SIZE == 1
    counters_t counters = row;
    for (uint i = 0; i < N_KEYS / 4; i++) {
        ((global uint4 *)row)[i] = 0;
    }
#else
    local uint counters[LOCAL_WORDS];
    for (uint i = item; i < LOCAL_WORDS; i += GROUP_SIZE) {
        counters[i] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint i = item; i < division.n_edge && block == 0; i += GROUP_SIZE) {
        count_key(counters, keys[edge_position(&division, i)], 1, 0);
    }
    count_block(counters, row, vectors, begin, end);
}

#ifndef COUNTER_OF
#define COUNTER_OF(key) (key)
#endif

// Adds up the rows of the table for one segment of the order. starts[rank] becomes the number of keys before that rank
// in the segment, and segment_counts[segment] that of all in it.
KERNEL void sum_counts(global const uint *table, const ulong table_offset, global index_t *starts,
                       const ulong starts_offset, global index_t *segment_counts, const ulong segment_counts_offset,
                       const uint n_blocks, ORDER_PARAMETERS)
{
#define COLUMNS (GROUP_SIZE < SEGMENT ? GROUP_SIZE : SEGMENT)
#define ROWS (GROUP_SIZE / COLUMNS)
#define OWN_COLUMNS (SEGMENT / COLUMNS)
    local index_t sums[ROWS * SEGMENT];
    local index_t scratch[2 * GROUP_SIZE];
    const uint item = get_local_id(0);
    const uint first_rank = get_group_id(0) * SEGMENT;
    table += table_offset;
    for (uint column = item % COLUMNS; column < SEGMENT; column += COLUMNS) {
        const uint counter = COUNTER_OF((uint)key_of_rank(first_rank + column, ORDER));
        index_t sum = 0;
        for (uint block = item / COLUMNS; block < n_blocks; block += ROWS) {
            sum += table[(ulong)block * N_KEYS + counter];
        }
        sums[item / COLUMNS * SEGMENT + column] = sum;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    index_t own[OWN_COLUMNS];
    index_t sum = 0;
    for (uint i = 0; i < OWN_COLUMNS; i++) {
        own[i] = sum;
        for (uint row = 0; row < ROWS && item < COLUMNS; row++) {
            sum += sums[row * SEGMENT + item * OWN_COLUMNS + i];
        }
    }
    index_t total;
    const index_t before = group_scan(sum, scratch, &total);
    starts += starts_offset + first_rank;
    for (uint i = 0; i < OWN_COLUMNS && item < COLUMNS; i++) {
        starts[item * OWN_COLUMNS + i] = before + own[i];
    }
    if (item == 0) {
        segment_counts[segment_counts_offset + get_group_id(0)] = total;
    }
}

// Where the keys of each rank begin.
struct order {
    local const index_t *segments;
    global const index_t *starts; // within the segment
    index_t count;
};

INLINE void load_segments(local index_t *segments, local index_t *scratch, global const index_t *segment_counts)
{
    const uint item = get_local_id(0);
    const uint n_own = (N_SEGMENTS + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min(item * n_own, (uint)N_SEGMENTS);
    const uint last = min(first + n_own, (uint)N_SEGMENTS);
    index_t sum = 0;
    for (uint segment = first; segment < last; segment++) {
        sum += segment_counts[segment];
    }
    index_t total;
    index_t before = group_scan(sum, scratch, &total);
    for (uint segment = first; segment < last; segment++) {
        segments[segment] = before;
        before += segment_counts[segment];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// The last of segments first to last that begins at the position or before it; the first one does.
INLINE uint find_segment(const struct order *order, const index_t position, uint first, uint last)
{
    while (first < last) {
        const uint middle = (first + last + 1) / 2;
        if (order->segments[middle] <= position) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}

// The keys of one rank.
struct run {
    uint rank;
    index_t end; // position behind them
};

INLINE index_t end_of_rank(const struct order *order, const uint rank)
{
    const uint next = rank + 1;
    return next == N_KEYS ? order->count : order->segments[next / SEGMENT] + order->starts[next];
}

// Finds the run with this position, which is in segments first to last.
INLINE void find_run(const struct order *order, const index_t position, const uint first, const uint last,
                     struct run *run)
{
    const uint segment = find_segment(order, position, first, last);
    const index_t in_segment = position - order->segments[segment];
    uint rank = segment * SEGMENT;
    for (uint width = SEGMENT / 2; width > 0; width /= 2) {
        if (order->starts[rank + width] <= in_segment) {
            rank += width;
        }
    }
    run->rank = rank;
    run->end = end_of_rank(order, rank);
}

// The same from the run with an earlier position on, to which it is near as a rule.
INLINE void next_run(const struct order *order, const index_t position, const uint last, struct run *run)
{
    for (uint i = 0; i < NEAR_RANKS && position >= run->end; i++) {
        run->rank++;
        run->end = end_of_rank(order, run->rank);
    }
    if (position >= run->end) {
        find_run(order, position, run->rank / SEGMENT, last, run);
    }
}

// Writes a block of the output. The first block takes the edges.
KERNEL void expand(global key_t *keys, const ulong keys_offset, global const index_t *starts, const ulong starts_offset,
                   global const index_t *segment_counts, const ulong segment_counts_offset, const index_t count,
                   const index_t block_vectors, ORDER_PARAMETERS)
{
    local index_t segments[N_SEGMENTS];
    local index_t scratch[2 * GROUP_SIZE];
    const uint item = get_local_id(0);
    const uint block = get_group_id(0);
    const struct order order = {segments, starts + starts_offset, count};
    load_segments(segments, scratch, segment_counts + segment_counts_offset);
    keys += keys_offset;
    struct division division;
    divide(keys, count, &division);
    global vector_t *vectors = (global vector_t *)(keys + division.first);
    const index_t begin = min(block * block_vectors, division.n_vectors);
    const index_t end = min(begin + block_vectors, division.n_vectors);
    const uint last = find_segment(&order, division.first + end * VECTOR_KEYS, 0, N_SEGMENTS - 1);
    struct run run;
    find_run(&order, division.first + (begin + item) * VECTOR_KEYS, 0, last, &run);
    for (index_t i = begin + item; i < end; i += GROUP_SIZE) {
        const index_t position = division.first + i * VECTOR_KEYS;
        if (position >= run.end) {
            next_run(&order, position, last, &run);
        }
        if (position + VECTOR_KEYS <= run.end) {
            vectors[i] = SPLAT(key_of_rank(run.rank, ORDER));
        } else {
            for (uint k = 0; k < VECTOR_KEYS; k++) {
                if (position + k >= run.end) {
                    next_run(&order, position + k, last, &run);
                }
                keys[position + k] = key_of_rank(run.rank, ORDER);
            }
        }
    }
    for (uint i = item; i < division.n_edge && block == 0; i += GROUP_SIZE) {
        const index_t position = edge_position(&division, i);
        find_run(&order, position, 0, N_SEGMENTS - 1, &run);
        keys[position] = key_of_rank(run.rank, ORDER);
    }
}
