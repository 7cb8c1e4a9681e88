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
    CONTROL_BY_OTHER_BITS,
    CONTROL_IS_RECOUNTED,
    CONTROL_MOVED,
    CONTROL_WORDS
};

// What a chunk's keys are like.
struct survey {
    ulong varying; // bits in which what is compared differs from the array's first key
    uint orders;   // HAS_FALL and HAS_RISE
    uint shift;    // of the digit that was counted
};
// What neighbours are like that are not sorted, and that are not falling strictly.
#define HAS_FALL 1
#define HAS_RISE 2

// Areas of the workspace are in units of 256 bytes from its start.
#define CHUNKED_PARAMETERS                                                                                             \
    global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out, const ulong keys_out_offset,      \
        global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,                     \
        const ulong values_out_offset, global uchar *workspace, const ulong workspace_offset, ORDER_PARAMETERS,        \
        const uint begin_bit, const uint end_bit, const index_t count_of_array, const uint n_chunks, const uint bits,  \
        const index_t slab_count, const index_t skew_limit, const uint in_place, const uint generate_index,            \
        const uint write_keys, const uint use_buffers, const uint control_area, const uint ranges_area,                \
        const uint surveys_area, const uint table_area, const uint starts_area, const uint workers_area,               \
        const uint worker_units, const uint x_keys_area, const uint x_values_area, const uint y_keys_area,             \
        const uint range_number, const uint step_number
#define AREA(type, area) ((global type *)(workspace + workspace_offset + (ulong)(area)*256))
#define CONTROL AREA(uint, control_area)
#define SURVEYS AREA(struct survey, surveys_area)
#define TABLE AREA(index_t, table_area)
#define STARTS AREA(index_t, starts_area)
#define X                                                                                                              \
    {                                                                                                                  \
        AREA(key_t, x_keys_area), AREA(value_t, x_values_area)                                                         \
    }
#define OUT                                                                                                            \
    {                                                                                                                  \
        (write_keys ? keys_out + keys_out_offset : AREA(key_t, y_keys_area)) + range_begin,                            \
            values_out + values_out_offset + range_begin                                                               \
    }
// A work-item's own memory: counters, then buffers or a bucket's copy.
#define WORKER AREA(uchar, workers_area + (uint)get_group_id(0) * worker_units)
#define COUNTER_BYTES (2 * N_COUNTERS * INDEX_BYTES)

// The bits to sort by.
struct plan {
    uint low, high;
    bool is_sorted, is_falling;
};

INLINE void make_plan(struct plan *plan, global const struct survey *surveys, const uint n_chunks)
{
    key_t varying = 0;
    uint orders = 0;
    for (uint chunk = 0; chunk < n_chunks; chunk++) {
        varying |= (key_t)surveys[chunk].varying;
        orders |= surveys[chunk].orders;
    }
    plan->is_sorted = !(orders & HAS_FALL);
    plan->is_falling = !(orders & HAS_RISE);
    plan->low = varying ? lowest_bit(varying) : 0;
    plan->high = bit_length(varying);
}

// Where the digit begins that tells buckets.
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

#define IMAGE(key) (are_images ? (key) : image_of_key(key, ORDER))

// Counts the digits of n keys, in two rows of counters by turns: equal neighbours do not wait for each other.
CALLED void count_keys(global const key_t *keys, const index_t n, global index_t *even, global index_t *odd,
                       const struct digit digit, const bool are_images, const struct comparison comparison,
                       ORDER_PARAMETERS)
{
    index_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const key_t a = keys[i], b = keys[i + 1], c = keys[i + 2], d = keys[i + 3];
        even[digit_of(IMAGE(a), digit, comparison)]++;
        odd[digit_of(IMAGE(b), digit, comparison)]++;
        even[digit_of(IMAGE(c), digit, comparison)]++;
        odd[digit_of(IMAGE(d), digit, comparison)]++;
    }
    for (; i < n; i++) {
        even[digit_of(IMAGE(keys[i]), digit, comparison)]++;
    }
}

INLINE void add_counts(global index_t *counts, global const index_t *others, const uint n)
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

// What is sorted: the array, or one of the ranges of it that are listed in the workspace by begin and length, all of which have
// their turn with the same memory.
#define FIND_ELEMENTS                                                                                                  \
    struct comparison comparison;                                                                                      \
    make_comparison(&comparison, begin_bit, end_bit, ORDER);                                                           \
    const index_t range_begin = range_number ? AREA(index_t, ranges_area)[2 * range_number - 2] : 0;                   \
    const index_t count_of_elements = range_number ? AREA(index_t, ranges_area)[2 * range_number - 1] : count_of_array;
// The work-item's chunk of that.
#define FIND_CHUNK                                                                                                     \
    FIND_ELEMENTS                                                                                                      \
    const uint chunk = get_group_id(0);                                                                                \
    const index_t chunk_count = count_of_elements / n_chunks + (count_of_elements % n_chunks != 0);                    \
    const index_t begin = min(chunk * chunk_count, count_of_elements);                                                 \
    const index_t end = min(begin + chunk_count, count_of_elements);

// Looks which bits of a chunk's keys vary and whether they are sorted or falling, and counts the digit that a sample shows.
KERNEL void survey(CHUNKED_PARAMETERS)
{
    FIND_CHUNK
    global const key_t *keys = keys_in + keys_in_offset + range_begin;
    global index_t *counts = TABLE + ((ulong)chunk << bits);
    global index_t *others = (global index_t *)WORKER;
    if (count_of_elements == 0) {
        return;
    }
    const uint shift = high_shift(guess_high(keys, count_of_elements, comparison, ORDER), bits);
    struct digit digit;
    make_digit(&digit, shift, bits, comparison);
    const key_t first = compared(image_of_key(keys[0], ORDER), comparison);
    key_t varying = 0;
    uint orders = 0;
    clear(counts, 1u << bits);
    clear(others, 1u << bits);
    for (index_t block = begin; block < end; block += BLOCK) {
        const index_t n = min((index_t)BLOCK, end - block);
        // The last of a chunk is compared with the next chunk's first.
        const index_t n_pairs = min(n, count_of_elements - 1 - block);
        for (index_t i = 0; i < n; i++) {
            varying |= compared(image_of_key(keys[block + i], ORDER), comparison) ^ first;
        }
        for (index_t i = 0; orders != (HAS_FALL | HAS_RISE) && i < n_pairs; i += 256) {
            const index_t last = min(i + 256, n_pairs);
            uint n_falls = 0;
            for (index_t k = i; k < last; k++) {
                n_falls += compared(image_of_key(keys[block + k + 1], ORDER), comparison) <
                           compared(image_of_key(keys[block + k], ORDER), comparison);
            }
            orders |= (n_falls > 0 ? HAS_FALL : 0) | (n_falls < last - i ? HAS_RISE : 0);
        }
        count_keys(keys + block, n, counts, others, digit, false, comparison, ORDER);
    }
    add_counts(counts, others, 1u << bits);
    const struct survey survey = {varying, orders, shift};
    SURVEYS[chunk] = survey;
    if (chunk == 0) {
        for (uint word = 0; word < CONTROL_WORDS; word++) {
            CONTROL[word] = 0;
        }
    }
}

// A movement of all elements by a digit: step 0 makes buckets, those from 1 on are the LSD passes over a skewed array.
struct step {
    bool is_taken;
    bool reads_keys, writes_keys; // else images
    struct elements from, to;
    struct digit digit;
    uint radix;
};

INLINE void make_bucket_step(struct step *step, const struct plan plan, const uint bits, const struct elements in,
                             const struct elements buckets, const struct comparison comparison)
{
    step->is_taken = !plan.is_sorted && !plan.is_falling;
    step->reads_keys = true;
    step->writes_keys = false;
    step->from = in;
    step->to = buckets;
    step->radix = 1u << bits;
    make_digit(&step->digit, high_shift(plan.high, bits), bits, comparison);
}

// The last pass writes to the output, the one before it to X, and so on. In place there are an even number of them, so that the
// first one does not write what it reads.
INLINE void make_pass_step(struct step *step, const struct plan plan, const bool is_skewed, const uint in_place,
                           const uint pass, const struct elements in, const struct elements x,
                           const struct elements out, const struct comparison comparison)
{
    const uint n_bits = plan.high - plan.low;
    uint n_passes = (n_bits + PASS_BITS - 1) / PASS_BITS;
    n_passes += in_place && n_passes % 2;
    const uint width = n_passes ? (n_bits + n_passes - 1) / n_passes : 0;
    const bool ends_in_out = (n_passes - pass) % 2 == 1;
    step->is_taken = is_skewed && pass < n_passes;
    step->reads_keys = pass == 0;
    step->writes_keys = pass + 1 == n_passes;
    step->from = pass == 0 ? in : ends_in_out ? x : out;
    step->to = ends_in_out ? out : x;
    step->radix = 1u << width;
    make_digit(&step->digit, plan.low + pass * width, width, comparison);
}

#define IN                                                                                                             \
    {                                                                                                                  \
        (global key_t *)keys_in + keys_in_offset + range_begin,                                                        \
            (global value_t *)values_in + values_in_offset + range_begin                                               \
    }
#define MAKE_STEP(step)                                                                                                \
    if (step_number == 0) {                                                                                            \
        make_bucket_step(step, plan, bits, in, in_place ? x : out, comparison);                                        \
    } else {                                                                                                           \
        make_pass_step(step, plan, CONTROL[CONTROL_IS_SKEWED], in_place, step_number - 1, in, x, out, comparison);     \
    }

// Counts the digits of a chunk for a step; those of step 0 only if the sample did not show the highest bit that varies.
KERNEL void count(CHUNKED_PARAMETERS)
{
    FIND_CHUNK
    const struct elements in = IN, x = X, out = OUT;
    if (count_of_elements == 0) {
        return;
    }
    struct plan plan;
    make_plan(&plan, SURVEYS, n_chunks);
    struct step step;
    MAKE_STEP(&step)
    if (!step.is_taken || (step_number == 0 && SURVEYS[0].shift == step.digit.shift)) {
        return;
    }
    global index_t *counts = TABLE + (size_t)chunk * step.radix;
    global index_t *others = (global index_t *)WORKER;
    clear(counts, step.radix);
    clear(others, step.radix);
    count_keys(step.from.keys + begin, end - begin, counts, others, step.digit, !step.reads_keys, comparison, ORDER);
    add_counts(counts, others, step.radix);
    if (step_number == 0 && chunk == 0) {
        CONTROL[CONTROL_IS_RECOUNTED] = 1;
    }
}

// Where the elements of each digit of a chunk begin. starts (may be NULL): those of all chunks together. Returns how many the
// most frequent digit has.
CALLED index_t find_places(global const index_t *table, const uint radix, const uint chunk, const uint n_chunks,
                           global index_t *places, global index_t *firsts, global index_t *starts)
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

// Writes out a full buffer. Its place in memory is that of whole lines, unless the array is not aligned to its elements.
INLINE void store_buffer(global const uint *buffer, global uint *to)
{
    const bool is_aligned = (uintptr_t)to % LINE_BYTES == 0;
    for (uint line = 0; line < BUFFER_BYTES / LINE_BYTES; line++) {
        if (is_aligned) {
            store_line((global uint16 *)to + line, vload16(line, buffer));
        } else {
            vstore16(vload16(line, buffer), line, to);
        }
    }
}

#if VALUE_BYTES
#define VALUES_OF_BUFFER (BUFFER_BYTES / VALUE_BYTES)
#endif

// Writes out the buffer of a digit whose last slot was filled. What comes before the digit's first element is not the work-item's
// own: then elements are written one by one.
#define STORE(array, buffer, n_slots, bias, first, place)                                                              \
    if (place + 1 >= first + n_slots) {                                                                                \
        store_buffer((global const uint *)(buffer), (global uint *)(array + (place + 1 - n_slots)));                   \
    } else {                                                                                                           \
        STORE_SLOTS(array, buffer, n_slots, bias, first, place + 1)                                                    \
    }
#define STORE_SLOTS(array, buffer, n_slots, bias, begin, end)                                                          \
    for (index_t at = begin; at < end; at++) {                                                                         \
        array[at] = (buffer)[(at + bias) % n_slots];                                                                   \
    }
// The same for what is in a buffer at the end.
#define STORE_REST(array, buffer, n_slots, bias, first, end)                                                           \
    STORE_SLOTS(array, buffer, n_slots, bias, end - min(end - first, (end + bias) % n_slots), end)

// Where argsort's positions count from.
#define INDEX_BASE (generate_index == IN_SEGMENT ? 0 : range_begin)

// A step of a chunk: where the elements of each digit go.
struct partition {
    struct step step;
    uint generate_index;
    index_t index_base;
    global index_t *places, *firsts;
    global uchar *buffers; // of each digit one for keys, then of each one for values
    global value_t *value_buffers;
    index_t value_bias; // of a place, from where the memory of a buffer of values begins
};

CALLED void partition_plainly(const struct partition *partition, const size_t begin, const size_t end,
                              const struct comparison comparison, ORDER_PARAMETERS)
{
    global const key_t *keys = partition->step.from.keys;
    global key_t *keys_to = partition->step.to.keys;
    global index_t *places = partition->places;
    const struct digit digit = partition->step.digit;
#if VALUE_BYTES
    global const value_t *values_in = partition->step.from.values;
    global value_t *values_to = partition->step.to.values;
    const uint generate_index = partition->generate_index;
    const index_t index_base = partition->index_base;
    (void)generate_index, (void)index_base;
#endif
    // Of step 0 alone, which reads keys and writes images.
    for (size_t i = begin; i < end; i++) {
        const key_t image = image_of_key(keys[i], ORDER);
        const size_t place = places[digit_of(image, digit, comparison)]++;
        keys_to[place] = image;
#if VALUE_BYTES
        values_to[place] = VALUE_FROM(index_base, i);
#endif
    }
}

// Puts elements from i on into the buffers of their digits until one is full; returns the position behind the last. A function of
// its own, as compilers keep the variables of a larger one out of registers.
CALLED size_t fill_buffers(const struct partition *partition, size_t i, const size_t end,
                           const struct comparison comparison, ORDER_PARAMETERS)
{
    global const key_t *keys = partition->step.from.keys;
    global key_t *key_buffers = (global key_t *)partition->buffers;
    global index_t *places = partition->places;
    const struct digit digit = partition->step.digit;
    const bool reads_keys = partition->step.reads_keys, writes_keys = partition->step.writes_keys;
#if VALUE_BYTES
    global const value_t *values_in = partition->step.from.values;
    global value_t *value_buffers = partition->value_buffers;
    const index_t value_bias = partition->value_bias;
    const uint generate_index = partition->generate_index;
    const index_t index_base = partition->index_base;
    (void)generate_index, (void)index_base;
#endif
    bool is_full;
    do {
        const key_t image = reads_keys ? image_of_key(keys[i], ORDER) : keys[i];
        const size_t own_digit = digit_of(image, digit, comparison);
        const index_t place = places[own_digit];
        places[own_digit] = place + 1;
        key_buffers[own_digit * KEYS_OF_BUFFER + place % KEYS_OF_BUFFER] =
            writes_keys ? key_of_image(image, ORDER) : image;
        is_full = place % KEYS_OF_BUFFER == KEYS_OF_BUFFER - 1;
#if VALUE_BYTES
        const index_t value_slot = (place + value_bias) % VALUES_OF_BUFFER;
        value_buffers[own_digit * VALUES_OF_BUFFER + value_slot] = VALUE_FROM(index_base, i);
        is_full |= value_slot == VALUES_OF_BUFFER - 1;
#endif
        i++;
    } while (!is_full && i < end);
    return i;
}

CALLED void partition_by_buffers(struct partition *partition, const size_t begin, const size_t end,
                                 const struct comparison comparison, ORDER_PARAMETERS)
{
    const uint radix = partition->step.radix;
    global index_t *places = partition->places;
    global index_t *firsts = partition->firsts;
    global key_t *key_buffers = (global key_t *)partition->buffers;
    // Places are counted from where the memory of a buffer begins.
    const uint n_before = (uint)((uintptr_t)partition->step.to.keys / KEY_BYTES) % KEYS_OF_BUFFER;
    global key_t *keys = partition->step.to.keys - n_before;
    for (uint digit = 0; digit < radix; digit++) {
        places[digit] += n_before;
        firsts[digit] += n_before;
    }
#if VALUE_BYTES
    global value_t *values = partition->step.to.values - n_before;
    partition->value_buffers = (global value_t *)(partition->buffers + radix * BUFFER_BYTES);
    partition->value_bias = (uint)((uintptr_t)values / VALUE_BYTES) % VALUES_OF_BUFFER;
#endif
    for (size_t i = begin; i < end;) {
        i = fill_buffers(partition, i, end, comparison, ORDER);
        const key_t key = partition->step.from.keys[i - 1];
        const key_t image = partition->step.reads_keys ? image_of_key(key, ORDER) : key;
        const size_t digit = digit_of(image, partition->step.digit, comparison);
        const index_t place = places[digit] - 1;
        if (place % KEYS_OF_BUFFER == KEYS_OF_BUFFER - 1) {
            STORE(keys, key_buffers + digit * KEYS_OF_BUFFER, KEYS_OF_BUFFER, 0, firsts[digit], place)
        }
#if VALUE_BYTES
        if ((place + partition->value_bias) % VALUES_OF_BUFFER == VALUES_OF_BUFFER - 1) {
            STORE(values, partition->value_buffers + digit * VALUES_OF_BUFFER, VALUES_OF_BUFFER, partition->value_bias,
                  firsts[digit], place)
        }
#endif
    }
    for (uint digit = 0; digit < radix; digit++) {
        STORE_REST(keys, key_buffers + digit * KEYS_OF_BUFFER, KEYS_OF_BUFFER, 0, firsts[digit], places[digit])
#if VALUE_BYTES
        STORE_REST(values, partition->value_buffers + digit * VALUES_OF_BUFFER, VALUES_OF_BUFFER, partition->value_bias,
                   firsts[digit], places[digit])
#endif
    }
    // Stores around the caches are ordered with no others.
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// Copies a chunk of the input to the output, if these are two.
CALLED void copy_chunk(global const key_t *keys_in, global const value_t *values_in, const struct elements out,
                       const index_t begin, const index_t end, const uint generate_index, const index_t index_base,
                       const uint write_keys)
{
    if (write_keys && keys_in != out.keys) {
        for (index_t i = begin; i < end; i++) {
            out.keys[i] = keys_in[i];
        }
    }
#if VALUE_BYTES
    if (generate_index || values_in != out.values) {
        for (index_t i = begin; i < end; i++) {
            out.values[i] = VALUE_FROM(index_base, i);
        }
    }
#endif
}

// Takes a step: moves a chunk's elements to the places of their digits. Sorted arrays are copied by step 0, falling ones reversed.
KERNEL void move(CHUNKED_PARAMETERS)
{
    FIND_CHUNK
    const struct elements in = IN, x = X, out = OUT;
    if (count_of_elements == 0) {
        return;
    }
    struct plan plan;
    make_plan(&plan, SURVEYS, n_chunks);
    if (plan.is_sorted && step_number == 0) {
        copy_chunk(in.keys, in.values, out, begin, end, generate_index, INDEX_BASE, write_keys);
    } else if (plan.is_falling && step_number == 0) {
        // A chunk has its share of the first half, and what is as far from the end.
        reverse(in.keys, in.values, out, count_of_elements, begin / 2,
                chunk + 1 == n_chunks ? count_of_elements - count_of_elements / 2 : end / 2, generate_index, INDEX_BASE,
                write_keys);
    }
    struct partition partition;
    MAKE_STEP(&partition.step)
    partition.generate_index = generate_index && step_number <= 1;
    partition.index_base = INDEX_BASE;
    partition.places = (global index_t *)WORKER;
    partition.firsts = partition.places + N_COUNTERS;
    partition.buffers = WORKER + COUNTER_BYTES;
    if (!partition.step.is_taken) {
        return;
    }
    const index_t most = find_places(TABLE, partition.step.radix, chunk, n_chunks, partition.places, partition.firsts,
                                     step_number == 0 && chunk == 0 ? STARTS : (global index_t *)0);
    if (step_number == 0 && most > skew_limit) {
        if (chunk == 0) {
            CONTROL[CONTROL_IS_SKEWED] = 1;
        }
        return;
    }
    if (use_buffers || step_number > 0) {
        partition_by_buffers(&partition, begin, end, comparison, ORDER);
    } else {
        partition_plainly(&partition, begin, end, comparison, ORDER);
    }
}

// Sorts buckets, one after the other, until none is left.
KERNEL void sort_buckets(CHUNKED_PARAMETERS)
{
    FIND_ELEMENTS
    const struct elements x = X, out = OUT;
    if (count_of_elements == 0) {
        return;
    }
    struct plan plan;
    make_plan(&plan, SURVEYS, n_chunks);
    if (plan.is_sorted || plan.is_falling || CONTROL[CONTROL_IS_SKEWED]) {
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
        const struct elements own_x = {x.keys + begin, x.values + begin},
                              own_out = {out.keys + begin, out.values + begin};
        const struct elements other = !is_large ? slab : in_place ? own_out : own_x;
        const struct elements to = is_large && in_place ? own_x : own_out;
        struct course course;
        sort_range(in_place ? own_x : own_out, other, to, n, plan.low, high, (global index_t *)worker, &course,
                   comparison);
        copy_elements(to, own_out, n);
        if (write_keys) {
            restore_keys(own_out.keys, n, ORDER);
        }
        if (is_large) {
            atomic_inc(CONTROL + CONTROL_LARGE_BUCKETS);
        }
        if (course.way & WENT_BY_INSERTION) {
            atomic_inc(CONTROL + CONTROL_BY_INSERTION);
        }
        if (course.way & WENT_BY_ALL_BITS) {
            atomic_inc(CONTROL + CONTROL_BY_ALL_BITS);
        }
        if (course.way & WENT_BY_OTHER_BITS) {
            atomic_inc(CONTROL + CONTROL_BY_OTHER_BITS);
        }
        atomic_add(CONTROL + CONTROL_MOVED, course.n_moved);
    }
}
