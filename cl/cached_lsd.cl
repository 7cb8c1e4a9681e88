// LSD radix sort of a range of images by one work-item, in the caches of its core; stable.
//
// Only as many of the highest bits that vary as tell most images apart are sorted by digits; an insertion sort does the rest. If it
// has to move too many, runs that agree in those bits are sorted likewise, each by itself.

// Digits of a pass; so many counters stay in the first cache.
#define MOST_DIGIT_BITS 11
#define N_COUNTERS (1 << MOST_DIGIT_BITS)
// Up to this count insertion alone is fastest.
#define INSERTION_COUNT 16
// Bits above the logarithm of the count: of uniform images an eighth agree with another one in so many, at most.
#define SPARE_BITS 3
// More bits than that are left to the insertion.
#define FEW_BITS 4
// More than 64 bits by digits of two times four bits, which more than INSERTION_COUNT images have at least.
#define MOST_LEVELS 9

// Images and their values, if there are any.
struct elements {
    global key_t *keys;
    global value_t *values;
};

INLINE void move_element(const struct elements from, const index_t i, const struct elements to, const index_t place)
{
    to.keys[place] = from.keys[i];
#if VALUE_BYTES
    to.values[place] = from.values[i];
#endif
}

// Nothing if these are the same.
CALLED void copy_elements(const struct elements from, const struct elements to, const index_t n)
{
    for (index_t i = 0; from.keys != to.keys && i < n; i++) {
        move_element(from, i, to, i);
    }
}

// How the sort of a range went, for tests: by digits alone if it is none of these.
enum { WENT_BY_INSERTION = 1, WENT_BY_RUNS = 2, WENT_BY_OTHER_BITS = 4 };

// Counts two neighbouring digits at once.
CALLED void count_two_digits(global const key_t *keys, const size_t n, global index_t *low_counts,
                             global index_t *high_counts, const struct digit low, const struct digit high,
                             const uint radix, const struct comparison comparison)
{
    for (uint digit = 0; digit < radix; digit++) {
        low_counts[digit] = 0;
        high_counts[digit] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const key_t image = keys[i];
        low_counts[digit_of(image, low, comparison)]++;
        high_counts[digit_of(image, high, comparison)]++;
    }
}

// Turns counts into the places of each digit's first element.
INLINE void make_places(global index_t *counts, const uint radix)
{
    index_t before = 0;
    for (uint digit = 0; digit < radix; digit++) {
        const index_t n = counts[digit];
        counts[digit] = before;
        before += n;
    }
}

// Moves elements by a digit; places is where the next of each goes.
CALLED void move_by_digit(const struct elements from, const struct elements to, const size_t n, global index_t *places,
                          const struct digit digit, const struct comparison comparison)
{
    for (size_t i = 0; i < n; i++) {
        const key_t image = from.keys[i];
        size_t place = places[digit_of(image, digit, comparison)]++;
#ifdef SEGMENTS_MAY_OVERLAP
        place = min(place, n - 1);
#endif
        to.keys[place] = image;
#if VALUE_BYTES
        to.values[place] = from.values[i];
#endif
    }
}

// Insertion sort in place; gives up once elements had to move past more than budget others. Returns whether all are sorted.
CALLED bool sort_by_insertion(const struct elements range, const index_t n, index_t budget,
                              const struct comparison comparison)
{
    key_t before = compared(range.keys[0], comparison);
    for (index_t i = 1; i < n; i++) {
        const key_t image = range.keys[i];
        const key_t own = compared(image, comparison);
        if (own >= before) {
            before = own;
            continue;
        }
#if VALUE_BYTES
        const value_t value = range.values[i];
#endif
        index_t place = i;
        do {
            move_element(range, place - 1, range, place);
            place--;
        } while (place > 0 && compared(range.keys[place - 1], comparison) > own && i - place <= budget);
        range.keys[place] = image;
#if VALUE_BYTES
        range.values[place] = value;
#endif
        if (i - place > budget) {
            return false;
        }
        budget -= i - place;
    }
    return true;
}

// Bits in which what is compared differs.
CALLED key_t varying_bits(global const key_t *keys, const index_t n, const struct comparison comparison)
{
    const key_t first = compared(keys[0], comparison);
    key_t varying = 0;
    for (index_t i = 0; i < n; i++) {
        varying |= compared(keys[i], comparison) ^ first;
    }
    return varying;
}

// Width of two digits that few of n images agree in, if these differ in bits [low, high).
INLINE uint digit_width(const uint low, const uint high, const index_t n)
{
    const uint enough = 64 - (uint)clz((ulong)n) + SPARE_BITS;
    // A few bits more by digits take less time than an insertion sort.
    const uint n_bits = high - low <= enough + FEW_BITS ? high - low : enough;
    return (min(n_bits, 2u * MOST_DIGIT_BITS) + 1) / 2;
}

// Sorts n elements of `from` into `to`, which may be `from`, by two digits of the highest bits, by way of `other`. What is compared
// differs in bits [low, high) at most. Returns the number of low bits that they are not sorted by, 0 if that is none; way
// notes how it went.
CALLED uint sort_by_highest_digits(const struct elements from, const struct elements other, const struct elements to,
                                   const index_t n, uint low, uint high, global index_t *counters, uint *way,
                                   const struct comparison comparison)
{
    global index_t *high_counters = counters + N_COUNTERS;
    struct digit low_digit, high_digit;
    bool knows_bits = false;
    for (;;) {
        const uint width = digit_width(low, high, n), radix = 1u << width;
        const uint shift = high - min(high, 2 * width);
        make_digit(&low_digit, shift, width, comparison);
        make_digit(&high_digit, shift + width, width, comparison);
        count_two_digits(from.keys, n, counters, high_counters, low_digit, high_digit, radix, comparison);
        if (knows_bits || high_counters[digit_of(from.keys[0], high_digit, comparison)] < n) {
            make_places(counters, radix);
            make_places(high_counters, radix);
            move_by_digit(from, other, n, counters, low_digit, comparison);
            move_by_digit(other, to, n, high_counters, high_digit, comparison);
            return shift <= low ? 0 : shift;
        }
        // The high digit tells nothing: look which bits do.
        const key_t varying = varying_bits(from.keys, n, comparison);
        *way |= WENT_BY_OTHER_BITS;
        knows_bits = true;
        high = bit_length(varying);
        if (high == 0) {
            copy_elements(from, to, n);
            return 0;
        }
        low = lowest_bit(varying);
    }
}

// A range that is sorted but for its lowest bits, up to where that is done for these too.
struct level {
    index_t next, end;
    uint n_bits;
};

// Sorts n elements in place that are sorted but for the lowest n_bits: each run of those that agree in all others by itself, again
// by two digits if it is long.
CALLED void sort_runs(const struct elements range, const struct elements other, const index_t n, const uint n_bits,
                      const uint low, global index_t *counters, uint *way, const struct comparison comparison)
{
    struct level levels[MOST_LEVELS];
    uint depth = 1;
    levels[0].next = 0;
    levels[0].end = n;
    levels[0].n_bits = n_bits;
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        const index_t begin = level->next;
        if (begin == level->end) {
            depth--;
            continue;
        }
        const key_t prefix = compared(range.keys[begin], comparison) >> level->n_bits;
        index_t end = begin + 1;
        while (end < level->end && compared(range.keys[end], comparison) >> level->n_bits == prefix) {
            end++;
        }
        level->next = end;
        const struct elements run = {range.keys + begin, range.values + begin};
        if (end - begin <= INSERTION_COUNT || depth == MOST_LEVELS) {
            sort_by_insertion(run, end - begin, (index_t) ~(index_t)0, comparison);
            continue;
        }
        const uint n_left =
            sort_by_highest_digits(run, other, run, end - begin, low, level->n_bits, counters, way, comparison);
        if (n_left > 0) {
            levels[depth].next = begin;
            levels[depth].end = end;
            levels[depth].n_bits = n_left;
            depth++;
        }
    }
}

// Sorts n elements of `from` into `to`, which may be `from`, by way of `other`. What is compared differs in bits [low, high) at
// most. counters has 2 * N_COUNTERS of them. Returns how it went.
CALLED uint sort_range(const struct elements from, const struct elements other, const struct elements to,
                       const index_t n, const uint low, const uint high, global index_t *counters,
                       const struct comparison comparison)
{
    uint way = 0;
    if (n <= INSERTION_COUNT || high <= low) {
        copy_elements(from, to, n);
        if (n > 1 && high > low) {
            sort_by_insertion(to, n, (index_t) ~(index_t)0, comparison);
        }
        return way;
    }
    const uint n_bits = sort_by_highest_digits(from, other, to, n, low, high, counters, &way, comparison);
    if (n_bits > 0) {
        way |= WENT_BY_INSERTION;
        if (!sort_by_insertion(to, n, n, comparison)) {
            way |= WENT_BY_RUNS;
            sort_runs(to, other, n, n_bits, low, counters, &way, comparison);
        }
    }
    return way;
}

// Turns images back into keys.
CALLED void restore_keys(global key_t *keys, const index_t n, ORDER_PARAMETERS)
{
    if (!IMAGE_IS_KEY) {
        for (index_t i = 0; i < n; i++) {
            keys[i] = key_of_image(keys[i], ORDER);
        }
    }
}

// Element i's value of an array that begins at position index_base of what argsort's positions count in.
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
#define VALUE_FROM(index_base, i) (generate_index ? (value_t)((index_base) + (i)) : values_in[i])
#else
#define VALUE_FROM(index_base, i) values_in[i]
#endif

// Sorts n > 0 keys with their values into `out`, which may be where they are, by way of `other`. counters has 2 * N_COUNTERS of
// them.
CALLED void sort_array(global const key_t *keys_in, global const value_t *values_in, const struct elements out,
                       const struct elements other, const index_t n, global index_t *counters,
                       const uint generate_index, const index_t index_base, const uint write_keys,
                       const struct comparison comparison, ORDER_PARAMETERS)
{
    const key_t first = compared(image_of_key(keys_in[0], ORDER), comparison);
    key_t varying = 0, before = first;
    uint is_unsorted = 0;
    for (index_t i = 0; i < n; i++) {
        const key_t image = image_of_key(keys_in[i], ORDER);
        const key_t own = compared(image, comparison);
        varying |= own ^ first;
        is_unsorted |= own < before;
        before = own;
        out.keys[i] = image;
    }
#if VALUE_BYTES
    for (index_t i = 0; i < n; i++) {
        out.values[i] = VALUE_FROM(index_base, i);
    }
#endif
    if (is_unsorted) {
        sort_range(out, other, out, n, lowest_bit(varying), bit_length(varying), counters, comparison);
    }
    if (write_keys) {
        restore_keys(out.keys, n, ORDER);
    }
}
