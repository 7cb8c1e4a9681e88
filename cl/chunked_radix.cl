// Radix sort for CPU devices: each work-item has a chunk of the input or a bucket, alone; no barriers, no local memory; stable.
//
// One partition by the highest bits that vary makes buckets that fit a core's cache, and those are sorted there (cached_lsd.cl).
// If one bucket has too large a share of all elements, LSD passes over the whole array do the sort instead. Writes of a partition
// are gathered in a buffer for each digit (Wassenberg and Sanders, Engineering a multi-core radix sort, 2011).

// Bytes of a digit's buffer: lines enough that the branch which writes it out is rarely taken.
#define BUFFER_BYTES 512
#define KEYS_OF_BUFFER (BUFFER_BYTES / KEY_BYTES)
#define LINE_BYTES 64
// Digits of the passes over the whole array.
#define PASS_BITS 8
// Keys that show which bits vary, mostly.
#define N_SAMPLES 64
// Keys that are looked at and then counted: they stay in the first cache meanwhile.
#define BLOCK 1024

// What the kernels tell each other, in words at the begin of the workspace; the last ones are for tests.
enum {
    CONTROL_NEXT_BUCKET,
    CONTROL_IS_SKEWED,
    CONTROL_LARGE_BUCKETS,
    CONTROL_BY_INSERTION,
    CONTROL_BY_ALL_BITS,
    CONTROL_RECOUNTED,
    CONTROL_WORDS
};

// What a chunk's keys are like.
struct survey {
    ulong varying; // bits in which what is compared differs from the array's first key
    uint is_unsorted;
    uint shift; // of the digit that was counted
};

// Areas of the workspace are in units of 256 bytes from its start.
#define CHUNKED_PARAMETERS                                                                                             \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, global uchar *workspace, const ulong workspace_offset, ORDER_PARAMETERS,        \
        const uint begin_bit, const uint end_bit, const index_t count, const index_t chunk_count, const uint n_chunks, \
        const uint bits, const index_t slab_count, const index_t skew_limit, const uint in_place,                      \
        const uint generate_index, const uint write_keys, const uint use_buffers, const uint surveys_area,             \
        const uint table_area, const uint starts_area, const uint workers_area, const uint worker_units,               \
        const uint x_keys_area, const uint x_values_area, const uint y_keys_area, const uint pass
#define AREA(type, area) ((global type *)(workspace + workspace_offset + (ulong)(area)*256))
#define CONTROL AREA(uint, 0)
#define SURVEYS AREA(struct survey, surveys_area)
#define TABLE AREA(index_t, table_area)
#define STARTS AREA(index_t, starts_area)
#define X                                                                                                              \
    {                                                                                                                  \
        AREA(key_t, x_keys_area), AREA(value_t, x_values_area)                                                         \
    }
#define OUT                                                                                                            \
    {                                                                                                                  \
        write_keys ? keys_out + keys_out_offset : AREA(key_t, y_keys_area), values_out + values_out_offset             \
    }
// A work-item's own memory: counters, then buffers or a bucket's copy.
#define WORKER AREA(uchar, workers_area + (uint)get_group_id(0) * worker_units)
#define COUNTER_BYTES (2 * N_COUNTERS * INDEX_BYTES)

// The bits to sort by.
struct plan {
    uint low, high;
    bool is_sorted;
};

INLINE struct plan make_plan(global const struct survey *surveys, const uint n_chunks)
{
    key_t varying = 0;
    struct plan plan = {0, 0, true};
    for (uint chunk = 0; chunk < n_chunks; chunk++) {
        varying |= (key_t)surveys[chunk].varying;
        plan.is_sorted = plan.is_sorted && !surveys[chunk].is_unsorted;
    }
    if (varying) {
        plan.low = lowest_bit(varying);
        plan.high = bit_length(varying);
    }
    return plan;
}

// Where the highest digit begins.
INLINE uint high_shift(const uint high, const uint bits)
{
    return high > bits ? high - bits : 0;
}

INLINE void clear(global index_t *counts, const uint n)
{
    for (uint i = 0; i < n; i++) {
        counts[i] = 0;
    }
}

// Counts the digits of n keys, in two rows of counters by turns: equal neighbours do not wait for each other.
INLINE void count_keys(global const key_t *restrict keys, const index_t n, global index_t *restrict even,
                       global index_t *restrict odd, const uint shift, const uint mask, const bool are_images,
                       const struct comparison comparison, ORDER_PARAMETERS)
{
    index_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const key_t key[4] = {keys[i], keys[i + 1], keys[i + 2], keys[i + 3]};
        for (uint k = 0; k < 4; k++) {
            const key_t image = are_images ? key[k] : image_of_key(key[k], ORDER);
            (k % 2 ? odd : even)[image_digit(image, shift, mask, comparison)]++;
        }
    }
    for (; i < n; i++) {
        even[image_digit(are_images ? keys[i] : image_of_key(keys[i], ORDER), shift, mask, comparison)]++;
    }
}

INLINE void add_counts(global index_t *restrict counts, global const index_t *restrict others, const uint n)
{
    for (uint i = 0; i < n; i++) {
        counts[i] += others[i];
    }
}

// The highest bit in which some keys of the whole array differ; others may differ in higher ones.
INLINE uint guess_high(global const key_t *keys, const index_t count, const struct comparison comparison,
                       ORDER_PARAMETERS)
{
    const key_t first = compared(image_of_key(keys[0], ORDER), comparison);
    key_t varying = 0;
    for (uint i = 1; i < N_SAMPLES; i++) {
        varying |= compared(image_of_key(keys[count / N_SAMPLES * i], ORDER), comparison) ^ first;
    }
    return bit_length(varying);
}

// Looks which bits of a chunk's keys vary and whether they are sorted, and counts the digit that a sample shows.
KERNEL void survey(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const uint chunk = get_group_id(0);
    const index_t begin = min(chunk * chunk_count, count);
    const index_t end = min(begin + chunk_count, count);
    global const key_t *keys = keys_in + keys_in_offset;
    global index_t *counts = TABLE + ((ulong)chunk << bits);
    global index_t *others = (global index_t *)WORKER;
    if (count == 0) {
        return;
    }
    const uint shift = high_shift(guess_high(keys, count, comparison, ORDER), bits);
    const key_t first = compared(image_of_key(keys[0], ORDER), comparison);
    key_t varying = 0;
    uint is_unsorted = 0;
    clear(counts, 1u << bits);
    clear(others, 1u << bits);
    for (index_t block = begin; block < end; block += BLOCK) {
        const index_t n = min((index_t)BLOCK, end - block);
        // The last of a chunk is compared with the next chunk's first.
        const index_t n_pairs = min(n, count - 1 - block);
        for (index_t i = 0; i < n; i++) {
            varying |= compared(image_of_key(keys[block + i], ORDER), comparison) ^ first;
        }
        for (index_t i = 0; !is_unsorted && i < n_pairs; i += 256) {
            uint n_falls = 0;
            for (index_t k = i; k < min(i + 256, n_pairs); k++) {
                n_falls |= compared(image_of_key(keys[block + k + 1], ORDER), comparison) <
                           compared(image_of_key(keys[block + k], ORDER), comparison);
            }
            is_unsorted |= n_falls;
        }
        count_keys(keys + block, n, counts, others, shift, (1u << bits) - 1, false, comparison, ORDER);
    }
    add_counts(counts, others, 1u << bits);
    const struct survey survey = {varying, is_unsorted, shift};
    SURVEYS[chunk] = survey;
    if (chunk == 0) {
        for (uint word = 0; word < CONTROL_WORDS; word++) {
            CONTROL[word] = 0;
        }
    }
}

// Counts the digit anew if the sample did not show the highest bit that varies.
KERNEL void recount(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const uint chunk = get_group_id(0);
    const index_t begin = min(chunk * chunk_count, count);
    const index_t end = min(begin + chunk_count, count);
    global index_t *counts = TABLE + ((ulong)chunk << bits);
    global index_t *others = (global index_t *)WORKER;
    if (count == 0) {
        return;
    }
    const struct plan plan = make_plan(SURVEYS, n_chunks);
    const uint shift = high_shift(plan.high, bits);
    if (plan.is_sorted || SURVEYS[0].shift == shift) {
        return;
    }
    clear(counts, 1u << bits);
    clear(others, 1u << bits);
    count_keys(keys_in + keys_in_offset + begin, end - begin, counts, others, shift, (1u << bits) - 1, false,
               comparison, ORDER);
    add_counts(counts, others, 1u << bits);
    if (chunk == 0) {
        CONTROL[CONTROL_RECOUNTED] = 1;
    }
}

// Where the elements of each digit of a chunk begin. starts (may be NULL): those of all chunks together. Returns how many the
// most frequent digit has.
INLINE index_t find_places(global const index_t *restrict table, const uint radix, const uint chunk,
                           const uint n_chunks, global index_t *restrict places, global index_t *restrict firsts,
                           global index_t *restrict starts)
{
    index_t before = 0, most = 0;
    for (uint digit = 0; digit < radix; digit++) {
        const index_t start = before;
        if (starts) {
            starts[digit] = start;
        }
        for (uint c = 0; c < n_chunks; c++) {
            if (c == chunk) {
                places[digit] = before;
                firsts[digit] = before;
            }
            before += table[c * radix + digit];
        }
        most = max(most, before - start);
    }
    if (starts) {
        starts[radix] = before;
    }
    return most;
}

// Stores a line around the caches, where the compiler has that.
INLINE void store_line(global uint16 *line, const uint16 words)
{
#if defined __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define HAS_NONTEMPORAL_STORE
#endif
#endif
#ifdef HAS_NONTEMPORAL_STORE
    __builtin_nontemporal_store(words, line);
#else
    *line = words;
#endif
}

// Writes out a full buffer, whose place in memory is aligned.
INLINE void store_buffer(global const uint *buffer, global uint16 *lines)
{
    for (uint line = 0; line < BUFFER_BYTES / LINE_BYTES; line++) {
        store_line(lines + line, vload16(line, buffer));
    }
}

// Position of an element in the buffer that its line has.
#define SLOT(array, place, n_slots) ((uint)((place) + ((uintptr_t)(array) / sizeof *(array))) & ((n_slots)-1))

// What comes before the first element of a buffer's memory is not the work-item's own: then elements are written one by one.
#define STORE(array, buffer, n_slots, first, place)                                                                    \
    if ((place) + 1 >= (first) + (n_slots)) {                                                                          \
        store_buffer((global const uint *)(buffer), (global uint16 *)((array) + (place) + 1 - (n_slots)));             \
    } else {                                                                                                           \
        for (index_t at = (first); at <= (place); at++) {                                                              \
            (array)[at] = (buffer)[SLOT(array, at, n_slots)];                                                          \
        }                                                                                                              \
    }
// What is left in a buffer at the end.
#define STORE_REST(array, buffer, n_slots, first, place)                                                               \
    for (index_t at = (place)-min((place) - (first), (index_t)SLOT(array, place, n_slots)); at < (place); at++) {      \
        (array)[at] = (buffer)[SLOT(array, at, n_slots)];                                                              \
    }

#if VALUE_BYTES
#define VALUES_OF_BUFFER (BUFFER_BYTES / VALUE_BYTES)
#endif

// Moves elements [begin, end) to the places of their digits.
struct partition {
    global const key_t *keys_in;
    global const value_t *values_in;
    struct elements to;
    uint shift, mask;
    bool reads_keys, writes_keys, generate_index; // else images
    global index_t *places, *firsts;
    global uchar *buffers; // of each digit one for keys, then one for values
};

#define MOVED_IMAGE(i) (partition->reads_keys ? image_of_key(partition->keys_in[i], ORDER) : partition->keys_in[i])
#define MOVED_KEY(image) (partition->writes_keys ? key_of_image(image, ORDER) : (image))

INLINE void partition_plainly(const struct partition *partition, const index_t begin, const index_t end,
                              const struct comparison comparison, ORDER_PARAMETERS)
{
    global const value_t *values_in = partition->values_in;
    const uint generate_index = partition->generate_index;
    index_t i = begin;
    for (; i + 4 <= end; i += 4) {
        const key_t image[4] = {MOVED_IMAGE(i), MOVED_IMAGE(i + 1), MOVED_IMAGE(i + 2), MOVED_IMAGE(i + 3)};
        for (uint k = 0; k < 4; k++) {
            const index_t place =
                partition->places[image_digit(image[k], partition->shift, partition->mask, comparison)]++;
            partition->to.keys[place] = MOVED_KEY(image[k]);
#if VALUE_BYTES
            partition->to.values[place] = VALUE_AT(i + k);
#endif
        }
    }
    for (; i < end; i++) {
        const key_t image = MOVED_IMAGE(i);
        const index_t place = partition->places[image_digit(image, partition->shift, partition->mask, comparison)]++;
        partition->to.keys[place] = MOVED_KEY(image);
#if VALUE_BYTES
        partition->to.values[place] = VALUE_AT(i);
#endif
    }
}

INLINE void partition_by_buffers(const struct partition *partition, const index_t begin, const index_t end,
                                 const struct comparison comparison, ORDER_PARAMETERS)
{
    global const value_t *values_in = partition->values_in;
    const uint generate_index = partition->generate_index;
    global key_t *key_buffers = (global key_t *)partition->buffers;
    global key_t *keys = partition->to.keys;
#if VALUE_BYTES
    global value_t *value_buffers = (global value_t *)(partition->buffers + (partition->mask + 1) * BUFFER_BYTES);
    global value_t *values = partition->to.values;
#endif
    for (index_t i = begin; i < end; i++) {
        const key_t image = MOVED_IMAGE(i);
        const uint digit = image_digit(image, partition->shift, partition->mask, comparison);
        const index_t place = partition->places[digit]++;
        global key_t *buffer = key_buffers + digit * KEYS_OF_BUFFER;
        const uint slot = SLOT(keys, place, KEYS_OF_BUFFER);
        buffer[slot] = MOVED_KEY(image);
        if (slot == KEYS_OF_BUFFER - 1) {
            STORE(keys, buffer, KEYS_OF_BUFFER, partition->firsts[digit], place)
        }
#if VALUE_BYTES
        global value_t *value_buffer = value_buffers + digit * VALUES_OF_BUFFER;
        const uint value_slot = SLOT(values, place, VALUES_OF_BUFFER);
        value_buffer[value_slot] = VALUE_AT(i);
        if (value_slot == VALUES_OF_BUFFER - 1) {
            STORE(values, value_buffer, VALUES_OF_BUFFER, partition->firsts[digit], place)
        }
#endif
    }
    for (uint digit = 0; digit <= partition->mask; digit++) {
        const index_t first = partition->firsts[digit], place = partition->places[digit];
        STORE_REST(keys, key_buffers + digit * KEYS_OF_BUFFER, KEYS_OF_BUFFER, first, place)
#if VALUE_BYTES
        STORE_REST(values, value_buffers + digit * VALUES_OF_BUFFER, VALUES_OF_BUFFER, first, place)
#endif
    }
    // Stores around the caches are ordered with no others.
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// Copies a chunk of the input to the output, if these are two.
INLINE void copy_chunk(global const key_t *keys_in, global const value_t *values_in, const struct elements out,
                       const index_t begin, const index_t end, const uint generate_index, const uint write_keys)
{
    if (write_keys && keys_in != out.keys) {
        for (index_t i = begin; i < end; i++) {
            out.keys[i] = keys_in[i];
        }
    }
#if VALUE_BYTES
    if (generate_index || values_in != out.values) {
        for (index_t i = begin; i < end; i++) {
            out.values[i] = VALUE_AT(i);
        }
    }
#endif
}

// Moves a chunk's elements to their buckets, or to the output if all are sorted.
KERNEL void scatter(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const uint chunk = get_group_id(0);
    const index_t begin = min(chunk * chunk_count, count);
    const index_t end = min(begin + chunk_count, count);
    const struct elements x = X, out = OUT;
    if (count == 0) {
        return;
    }
    const struct plan plan = make_plan(SURVEYS, n_chunks);
    keys_in += keys_in_offset;
    values_in += values_in_offset;
    if (plan.is_sorted) {
        copy_chunk(keys_in, values_in, out, begin, end, generate_index, write_keys);
        return;
    }
    global index_t *places = (global index_t *)WORKER;
    const index_t most = find_places(TABLE, 1u << bits, chunk, n_chunks, places, places + N_COUNTERS,
                                     chunk == 0 ? STARTS : (global index_t *)0);
    if (most > skew_limit) {
        if (chunk == 0) {
            CONTROL[CONTROL_IS_SKEWED] = 1;
        }
        return;
    }
    const struct partition partition = {
        keys_in,        values_in, in_place ? x : out,  high_shift(plan.high, bits), (1u << bits) - 1, true, false,
        generate_index, places,    places + N_COUNTERS, WORKER + COUNTER_BYTES};
    if (use_buffers) {
        partition_by_buffers(&partition, begin, end, comparison, ORDER);
    } else {
        partition_plainly(&partition, begin, end, comparison, ORDER);
    }
}

// Sorts buckets, one after the other, until none is left.
KERNEL void sort_buckets(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const struct elements x = X, out = OUT;
    if (count == 0) {
        return;
    }
    const struct plan plan = make_plan(SURVEYS, n_chunks);
    if (plan.is_sorted || CONTROL[CONTROL_IS_SKEWED]) {
        return;
    }
    global uchar *worker = WORKER;
    const struct elements slab = {(global key_t *)(worker + COUNTER_BYTES),
                                  (global value_t *)(worker + COUNTER_BYTES + slab_count * KEY_BYTES)};
    const uint high = high_shift(plan.high, bits);
    const uint n_buckets = 1u << bits;
    for (uint bucket = atomic_inc(CONTROL + CONTROL_NEXT_BUCKET); bucket < n_buckets;
         bucket = atomic_inc(CONTROL + CONTROL_NEXT_BUCKET)) {
        const index_t begin = STARTS[bucket];
        const index_t n = STARTS[bucket + 1] - begin;
        if (n == 0) {
            continue;
        }
        // A bucket that no slab holds is sorted between X and the output.
        const bool is_large = n > slab_count;
        const struct elements own_x = elements_at(x, begin), own_out = elements_at(out, begin);
        const struct elements other = !is_large ? slab : in_place ? own_out : own_x;
        const struct elements to = is_large && in_place ? own_x : own_out;
        const uint way =
            sort_range(in_place ? own_x : own_out, other, to, n, plan.low, high, (global index_t *)worker, comparison);
        if (to.keys != own_out.keys) {
            copy_elements(to, own_out, n);
        }
        if (write_keys) {
            restore_keys(own_out.keys, n, ORDER);
        }
        if (is_large) {
            atomic_inc(CONTROL + CONTROL_LARGE_BUCKETS);
        }
        if (way != WENT_BY_DIGITS) {
            atomic_inc(CONTROL + (way == WENT_BY_INSERTION ? CONTROL_BY_INSERTION : CONTROL_BY_ALL_BITS));
        }
    }
}

// The passes over a skewed array: n digits of `width` bits.
struct passes {
    uint n, width;
};

// In place there are an even number, so that the first one does not write what it reads.
INLINE struct passes make_passes(const struct plan plan, const uint in_place)
{
    const uint n_bits = plan.high - plan.low;
    struct passes passes = {(n_bits + PASS_BITS - 1) / PASS_BITS, 0};
    passes.n += in_place && passes.n % 2;
    passes.width = passes.n ? (n_bits + passes.n - 1) / passes.n : 0;
    return passes;
}

// Mask of a pass's digit; there may be nothing left for the last one of an even number.
INLINE uint pass_mask(const struct plan plan, const struct passes passes, const uint pass)
{
    return plan.low + pass * passes.width < plan.high ? (1u << passes.width) - 1 : 0;
}

INLINE uint pass_shift(const struct plan plan, const struct passes passes, const uint pass)
{
    return min(plan.low + pass * passes.width, plan.high - 1);
}

// Where a pass writes: the last one to the output, the one before it to X, and so on.
INLINE struct elements pass_output(const struct passes passes, const uint pass, const struct elements x,
                                   const struct elements out)
{
    return (passes.n - 1 - pass) % 2 == 0 ? out : x;
}

// The passes that sort a skewed array: each counts the digits of all chunks,
KERNEL void count_digit(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const uint chunk = get_group_id(0);
    const index_t begin = min(chunk * chunk_count, count);
    const index_t end = min(begin + chunk_count, count);
    const struct elements x = X, out = OUT;
    if (count == 0 || !CONTROL[CONTROL_IS_SKEWED]) {
        return;
    }
    const struct plan plan = make_plan(SURVEYS, n_chunks);
    const struct passes passes = make_passes(plan, in_place);
    if (pass >= passes.n) {
        return;
    }
    const uint radix = 1u << passes.width;
    global index_t *counts = TABLE + chunk * radix;
    global index_t *others = (global index_t *)WORKER;
    global const key_t *keys = pass == 0 ? keys_in + keys_in_offset : pass_output(passes, pass - 1, x, out).keys;
    clear(counts, radix);
    clear(others, radix);
    count_keys(keys + begin, end - begin, counts, others, pass_shift(plan, passes, pass), pass_mask(plan, passes, pass),
               pass > 0, comparison, ORDER);
    add_counts(counts, others, radix);
}

// and then moves their elements.
KERNEL void move_digit(CHUNKED_PARAMETERS)
{
    const struct comparison comparison = make_comparison(begin_bit, end_bit, ORDER);
    const uint chunk = get_group_id(0);
    const index_t begin = min(chunk * chunk_count, count);
    const index_t end = min(begin + chunk_count, count);
    const struct elements x = X, out = OUT;
    if (count == 0 || !CONTROL[CONTROL_IS_SKEWED]) {
        return;
    }
    const struct plan plan = make_plan(SURVEYS, n_chunks);
    const struct passes passes = make_passes(plan, in_place);
    if (pass >= passes.n) {
        return;
    }
    const struct elements from = pass_output(passes, pass + 1, x, out);
    global index_t *places = (global index_t *)WORKER;
    find_places(TABLE, 1u << passes.width, chunk, n_chunks, places, places + N_COUNTERS, (global index_t *)0);
    const struct partition partition = {pass == 0 ? keys_in + keys_in_offset : from.keys,
                                        pass == 0 ? values_in + values_in_offset : from.values,
                                        pass_output(passes, pass, x, out),
                                        pass_shift(plan, passes, pass),
                                        pass_mask(plan, passes, pass),
                                        pass == 0,
                                        pass + 1 == passes.n,
                                        generate_index && pass == 0,
                                        places,
                                        places + N_COUNTERS,
                                        WORKER + COUNTER_BYTES};
    partition_by_buffers(&partition, begin, end, comparison, ORDER);
}
