// The optimistic way of the hybrid radix sort: a sample says whether buckets with some slack will hold the keys; two levels of them
// are filled without counting.

// ---------------------------------------------------------------------------------------------------------- sample

#define SAMPLES_OF_ITEM (2048 / GROUP_SIZE)
#define SAMPLES (SAMPLES_OF_ITEM * GROUP_SIZE)

// Adds to *sum the squared distances of the counts of SAMPLES digits from the mean; much, for a count that is far above it.
INLINE void add_distances(local const uint *counts, const uint n_digits, local uint *sum)
{
    const uint mean = SAMPLES / n_digits;
    for (uint digit = item_id(); digit < n_digits; digit += GROUP_SIZE) {
        const uint count = counts[digit];
        const uint distance = max(count, mean) - min(count, mean);
        atomic_add(sum, count > 2 * mean + 8 ? 1u << 20 : distance * distance);
    }
}

// Whether chi-square, the sum of squared distances over the mean, is within six standard deviations of what equally likely digits
// give: n, with a variance of 2 n.
INLINE bool is_likely(const uint sum, const uint n_digits)
{
    return sum < (SAMPLES / n_digits) * (n_digits + 6 * sqrt(2.0f * n_digits));
}

// Whether the digits of the two optimistic levels look uniform in a sample of the input, so that buckets with some slack will
// hold them. counts has room for two times RADIX, sums for two.
INLINE bool sample_is_uniform(const struct layout *layout, const struct arrays *arrays, local uint *counts,
                              local uint *sums)
{
    const uint item = item_id();
    const uint first_digits = 1u << layout->first_bits, second_digits = 1u << layout->second_bits;
    const uint first_shift = 8 * KEY_BYTES - layout->first_bits;
    const uint second_shift = first_shift - layout->second_bits;
    const uint stride = layout->count / SAMPLES;
    for (uint digit = item; digit < 2 * RADIX; digit += GROUP_SIZE) {
        counts[digit] = 0;
    }
    if (item == 0) {
        sums[0] = 0;
        sums[1] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    rank_t ranks[SAMPLES_OF_ITEM];
    UNROLL
    for (uint i = 0; i < SAMPLES_OF_ITEM; i++) {
        // One place in each stride, by a multiplicative hash, so that periods of the input do not matter.
        const uint sample = i * GROUP_SIZE + item;
        uint hash = sample * 0x9e3779b1u;
        hash = (hash ^ hash >> 15) * 0x85ebca6bu;
        const uint place = stride ? sample * stride + mul_hi(hash, stride) : sample % layout->count;
        ranks[i] = read_rank(layout, arrays, IN_INPUT, place);
    }
    UNROLL
    for (uint i = 0; i < SAMPLES_OF_ITEM; i++) {
        atomic_inc(counts + ((uint)(ranks[i] >> first_shift) & (first_digits - 1)));
        atomic_inc(counts + RADIX + ((uint)(ranks[i] >> second_shift) & (second_digits - 1)));
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    add_distances(counts, first_digits, sums);
    add_distances(counts + RADIX, second_digits, sums + 1);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return is_likely(sums[0], first_digits) && is_likely(sums[1], second_digits);
}

// --------------------------------------------------------------------------------------------------------- buckets

// A tile of an optimistic level: its keys, and the buckets that they go to.
struct optimistic_tile {
    uint buffer, from, n_valid;
    uint shift, n_digits;
    uint first_bucket, capacity;
};

// Takes the tile of the work-group's number in the input.
INLINE void take_input_tile(const struct layout *layout, struct optimistic_tile *taken)
{
    const uint from = get_group_id(0) * TILE;
    taken->buffer = IN_INPUT;
    taken->from = from;
    taken->n_valid = from < layout->count ? min((uint)TILE, layout->count - from) : 0;
    taken->shift = 8 * KEY_BYTES - layout->first_bits;
    taken->n_digits = 1u << layout->first_bits;
    taken->first_bucket = 0;
    taken->capacity = layout->first_capacity;
}

// The same of the first level's buckets; numbers has room for two. Every work-item calls it.
INLINE void take_bucket_tile(const struct layout *layout, global const uint *first_tiles,
                             global const uint *first_cursors, local uint *numbers, struct optimistic_tile *taken)
{
    const uint number = get_group_id(0);
    if (item_id() == 0) {
        numbers[0] = RADIX;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        if (first_tiles[digit] <= number && number < first_tiles[digit + 1]) {
            numbers[0] = digit;
            numbers[1] = number - first_tiles[digit];
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    const uint bucket = numbers[0];
    taken->buffer = IN_X;
    taken->from = 0;
    taken->n_valid = 0;
    taken->shift = 8 * KEY_BYTES - layout->first_bits - layout->second_bits;
    taken->n_digits = 1u << layout->second_bits;
    taken->first_bucket = bucket * taken->n_digits;
    taken->capacity = layout->second_capacity;
    if (bucket < RADIX) {
        taken->from = bucket * layout->first_capacity + numbers[1] * TILE;
        taken->n_valid = min((uint)TILE, first_cursors[bucket] - taken->from);
    }
}

// Reserves places for a tile's digits behind cursors, which go on counting; a digit whose bucket would get more than its capacity is
// not moved. Returns whether the work-item saw one.
INLINE bool reserve_in_buckets(const struct tile *tile, global uint *cursors, const struct optimistic_tile *taken)
{
    bool is_full = false;
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        const uint count = tile->counts[digit];
        uint start = 0;
        if (digit < taken->n_digits && count > 0) {
            const uint bucket = taken->first_bucket + digit;
            start = atomic_add(cursors + bucket, count);
            if (start + count > (bucket + 1) * taken->capacity) {
                start = NO_ROOM;
                is_full = true;
            }
        }
        tile->starts[digit] = start;
    }
    return is_full;
}

// Where the first level's buckets go in the output and in the order of tiles, by one work-group. sizes and tiles have room for RADIX.
INLINE void scan_first_buckets(const struct layout *layout, global const uint *cursors, global uint *offsets,
                               global uint *first_tiles, local uint *sizes, local uint *tiles, local index_t *scratch)
{
    const uint n_digits = 1u << layout->first_bits;
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        sizes[digit] = digit < n_digits ? cursors[digit] - digit * layout->first_capacity : 0;
        tiles[digit] = (sizes[digit] + TILE - 1) / TILE;
    }
    const uint last_size = cursors[n_digits - 1] - (n_digits - 1) * layout->first_capacity;
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(sizes, scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(tiles, scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        offsets[digit] = sizes[digit];
        first_tiles[digit] = tiles[digit];
    }
    if (item_id() == 0) {
        first_tiles[RADIX] = tiles[RADIX - 1] + (n_digits == RADIX ? (last_size + TILE - 1) / TILE : 0);
    }
}

// Where the second level's buckets go in the output, those of one first bucket by its work-group. If one of them is full, all are
// given up: their elements still lie in X, as a range. sizes has room for RADIX.
INLINE void scan_second_buckets(const struct layout *layout, const uint bucket, global uint *control,
                                global const uint *first_cursors, const uint to, global const uint *cursors,
                                global uint *offsets, global uint *all_sizes, global struct range *mediums,
                                local uint *sizes, local uint *is_full, local index_t *scratch)
{
    const uint n_second = 1u << layout->second_bits, first = bucket * n_second;
    const uint capacity = layout->second_capacity;
    if (item_id() == 0) {
        *is_full = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < RADIX; digit += GROUP_SIZE) {
        sizes[digit] = digit < n_second ? cursors[first + digit] - (first + digit) * capacity : 0;
        if (sizes[digit] > capacity) {
            *is_full = 1; // all that write it write the same
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < n_second; digit += GROUP_SIZE) {
        all_sizes[first + digit] = *is_full ? 0 : sizes[digit];
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_digits(sizes, scratch);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item_id(); digit < n_second; digit += GROUP_SIZE) {
        offsets[first + digit] = to + sizes[digit];
    }
    if (item_id() == 0 && *is_full) {
        const uint from = bucket * layout->first_capacity;
        const struct range range = {
            from, first * capacity, to, first_cursors[bucket] - from, 8 * KEY_BYTES - layout->first_bits, IN_X, 0, 0};
        atomic_inc(control + CONTROL_FAILED);
        list_medium(control, range, mediums);
    }
}
