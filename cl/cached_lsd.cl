// LSD radix sort of a range of images by one work-item, in the caches of its core; stable.
//
// Only as many of the highest bits that vary as tell most images apart are sorted by digits; an insertion sort does the rest, unless
// it has to move too many: then digits of all bits that vary do it.

// Digits of a pass; so many counters stay in the first cache.
#define MOST_DIGIT_BITS 11
#define N_COUNTERS (1 << MOST_DIGIT_BITS)
// Up to this count insertion alone is fastest.
#define INSERTION_COUNT 16
// Bits above the logarithm of the count: a sixteenth of uniform images meets an equal one.
#define SPARE_BITS 3
// Moves of the insertion for each image, at most: they take a third of the time of digits of all 64 bits.
#define MOST_MOVES 2
// More bits than that are left to the insertion.
#define FEW_BITS 4

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
enum { WENT_BY_INSERTION = 1, WENT_BY_ALL_BITS = 2, WENT_BY_OTHER_BITS = 4 };

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
        const size_t place = places[digit_of(image, digit, comparison)]++;
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

// Digits that sort images which differ in bits [low, high) at most: two of the highest bits, or all from low on.
struct digits {
    uint shift, width;
};

// Two digits of the highest bits, so many that few of n images agree in all of them.
INLINE void choose_highest_digits(struct digits *digits, const uint low, const uint high, const index_t n)
{
    const uint enough = 64 - (uint)clz((ulong)n) + SPARE_BITS;
    // A few bits more by digits take less time than an insertion sort.
    const uint n_bits = high - low <= enough + FEW_BITS ? high - low : enough;
    const uint width = (min(n_bits, 2u * MOST_DIGIT_BITS) + 1) / 2;
    digits->shift = high - min(high, 2 * width);
    digits->width = width;
}

// Of an even number of digits of all bits, the lowest two. A pass over n images should not take much less than one over its counters.
INLINE void choose_lowest_digits(struct digits *digits, const uint low, const uint high, const index_t n)
{
    const uint n_bits = 64 - (uint)clz((ulong)n);
    const uint most_width = min(max(n_bits - 3, (n_bits + SPARE_BITS) / 2), (uint)MOST_DIGIT_BITS);
    const uint n_pairs = (high - low + 2 * most_width - 1) / (2 * most_width);
    digits->shift = low;
    digits->width = (high - low + 2 * n_pairs - 1) / (2 * n_pairs);
}

// Sorts n elements of `from` into `to`, which may be `from`, by way of `other`. What is compared differs in bits [low, high) at
// most. counters has 2 * N_COUNTERS of them. Returns how it went.
CALLED uint sort_range(struct elements from, const struct elements other, const struct elements to, const index_t n,
                       uint low, uint high, global index_t *counters, const struct comparison comparison)
{
    global index_t *high_counters = counters + N_COUNTERS;
    uint way = 0;
    if (n <= INSERTION_COUNT || high <= low) {
        copy_elements(from, to, n);
        if (n > 1 && high > low) {
            sort_by_insertion(to, n, n * n, comparison);
        }
        return way;
    }
    struct digits digits;
    choose_highest_digits(&digits, low, high, n);
    for (;;) {
        struct digit low_digit, high_digit;
        make_digit(&low_digit, digits.shift, digits.width, comparison);
        make_digit(&high_digit, digits.shift + digits.width, digits.width, comparison);
        const uint radix = 1u << digits.width;
        count_two_digits(from.keys, n, counters, high_counters, low_digit, high_digit, radix, comparison);
        if (!way && high_counters[digit_of(from.keys[0], high_digit, comparison)] == n) {
            // The high digit tells nothing: look which bits do.
            const key_t varying = varying_bits(from.keys, n, comparison);
            way = WENT_BY_OTHER_BITS;
            high = bit_length(varying);
            low = varying ? lowest_bit(varying) : high;
            if (low == high) {
                copy_elements(from, to, n);
                return way;
            }
            choose_highest_digits(&digits, low, high, n);
            continue;
        }
        make_places(counters, radix);
        make_places(high_counters, radix);
        move_by_digit(from, other, n, counters, low_digit, comparison);
        move_by_digit(other, to, n, high_counters, high_digit, comparison);
        from = to;
        if (way & WENT_BY_ALL_BITS) {
            digits.shift += 2 * digits.width;
            if (digits.shift >= high) {
                return way;
            }
        } else if (digits.shift <= low) {
            return way;
        } else {
            way |= WENT_BY_INSERTION;
            if (sort_by_insertion(to, n, MOST_MOVES * n, comparison)) {
                return way;
            }
            way |= WENT_BY_ALL_BITS;
            const key_t varying = varying_bits(from.keys, n, comparison);
            low = lowest_bit(varying);
            high = bit_length(varying);
            choose_lowest_digits(&digits, low, high, n);
        }
    }
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
