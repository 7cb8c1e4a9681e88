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

// Images and their values, if there are any.
struct elements {
    global key_t *keys;
    global value_t *values;
};

INLINE struct elements elements_at(struct elements elements, const index_t i)
{
    elements.keys += i;
    elements.values += i;
    return elements;
}

INLINE void move_element(const struct elements from, const index_t i, const struct elements to, const index_t place)
{
    to.keys[place] = from.keys[i];
#if VALUE_BYTES
    to.values[place] = from.values[i];
#endif
}

INLINE void copy_elements(const struct elements from, const struct elements to, const index_t n)
{
    for (index_t i = 0; i < n; i++) {
        move_element(from, i, to, i);
    }
}

// How the sort of a range went, for tests.
enum { WENT_BY_DIGITS, WENT_BY_INSERTION, WENT_BY_ALL_BITS };

// Counts two neighbouring digits at once.
INLINE void count_two_digits(global const key_t *restrict keys, const index_t n, global index_t *restrict counts,
                             const uint shift, const uint width, const struct comparison comparison)
{
    const uint mask = (1u << width) - 1;
    global index_t *restrict high_counts = counts + N_COUNTERS;
    for (uint digit = 0; digit <= mask; digit++) {
        counts[digit] = 0;
        high_counts[digit] = 0;
    }
    for (index_t i = 0; i < n; i++) {
        const key_t bits = compared(keys[i], comparison) >> shift;
        counts[(uint)bits & mask]++;
        high_counts[(uint)(bits >> width) & mask]++;
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

// Moves elements by a digit; places is where the next of each goes. Four keys are read ahead.
INLINE void move_by_digit(const struct elements from, const struct elements to, const index_t n,
                          global index_t *restrict places, const uint shift, const uint width,
                          const struct comparison comparison)
{
    const uint mask = (1u << width) - 1;
    global const key_t *restrict keys = from.keys;
    global key_t *restrict keys_to = to.keys;
    index_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const key_t key[4] = {keys[i], keys[i + 1], keys[i + 2], keys[i + 3]};
        for (uint k = 0; k < 4; k++) {
            const index_t place = places[image_digit(key[k], shift, mask, comparison)]++;
            keys_to[place] = key[k];
#if VALUE_BYTES
            to.values[place] = from.values[i + k];
#endif
        }
    }
    for (; i < n; i++) {
        move_element(from, i, to, places[image_digit(keys[i], shift, mask, comparison)]++);
    }
}

// Insertion sort in place; gives up once elements had to move past more than budget others. Returns whether all are sorted.
INLINE bool sort_by_insertion(const struct elements range, const index_t n, index_t budget,
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
INLINE key_t varying_bits(global const key_t *keys, const index_t n, const struct comparison comparison)
{
    const key_t first = compared(keys[0], comparison);
    key_t varying = 0;
    for (index_t i = 0; i < n; i++) {
        varying |= compared(keys[i], comparison) ^ first;
    }
    return varying;
}

// Sorts n elements of `from` into `to`, which may be `from`, by way of `other`. What is compared differs in bits [low, high) at
// most. counters has 2 * N_COUNTERS of them. Returns how it went.
INLINE uint sort_range(struct elements from, const struct elements other, const struct elements to, const index_t n,
                       uint low, uint high, global index_t *restrict counters, const struct comparison comparison)
{
    if (n <= INSERTION_COUNT || high <= low) {
        if (from.keys != to.keys) {
            copy_elements(from, to, n);
        }
        if (n > 1 && high > low) {
            sort_by_insertion(to, n, n * n, comparison);
        }
        return WENT_BY_DIGITS;
    }
    // Two digits of the highest bits first, of all from the lowest on after that.
    const uint most_bits = min(64 - (uint)clz((ulong)n) + SPARE_BITS, 2u * MOST_DIGIT_BITS);
    uint width = (min(high - low, most_bits) + 1) / 2;
    uint shift = high - min(high, 2 * width);
    uint way = WENT_BY_DIGITS;
    bool knows_bits = false;
    for (;;) {
        count_two_digits(from.keys, n, counters, shift, width, comparison);
        const uint mask = (1u << width) - 1;
        const uint first = image_digit(from.keys[0], shift + width, mask, comparison);
        if (!knows_bits && counters[N_COUNTERS + first] == n) {
            // The high digit tells nothing: look which bits do.
            const key_t varying = varying_bits(from.keys, n, comparison);
            if (varying == 0) {
                if (from.keys != to.keys) {
                    copy_elements(from, to, n);
                }
                return way;
            }
            knows_bits = true;
            high = bit_length(varying);
            low = lowest_bit(varying);
            width = (min(high - low, most_bits) + 1) / 2;
            shift = high - min(high, 2 * width);
            continue;
        }
        make_places(counters, mask + 1);
        make_places(counters + N_COUNTERS, mask + 1);
        move_by_digit(from, other, n, counters, shift, width, comparison);
        move_by_digit(other, to, n, counters + N_COUNTERS, shift + width, width, comparison);
        from = to;
        if (way != WENT_BY_ALL_BITS) {
            if (shift <= low) {
                return way;
            }
            way = WENT_BY_INSERTION;
            if (sort_by_insertion(to, n, n / 2, comparison)) {
                return way;
            }
            way = WENT_BY_ALL_BITS;
            const key_t varying = knows_bits ? 0 : varying_bits(from.keys, n, comparison);
            low = knows_bits ? low : lowest_bit(varying);
            high = knows_bits ? high : bit_length(varying);
            knows_bits = true;
            const uint n_pairs = (high - low + most_bits - 1) / most_bits;
            width = (high - low + 2 * n_pairs - 1) / (2 * n_pairs);
            shift = low;
        } else {
            shift += 2 * width;
            if (shift >= high) {
                return way;
            }
        }
    }
}

// Turns images back into keys.
INLINE void restore_keys(global key_t *keys, const index_t n, ORDER_PARAMETERS)
{
    if (!IMAGE_IS_KEY) {
        for (index_t i = 0; i < n; i++) {
            keys[i] = key_of_image(keys[i], ORDER);
        }
    }
}
