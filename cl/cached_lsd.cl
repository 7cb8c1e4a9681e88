// LSD radix sort of a range of images by one work-item, in the caches of its core; stable.
//
// Only as many of the highest bits that vary as tell most images apart are sorted by digits; an insertion sort does the rest. If it
// has to move more than it would uniform images, all bits are sorted by digits.

// Digits of a pass; so many counters stay in the first cache.
#define MOST_DIGIT_BITS 11
#define N_COUNTERS (1 << MOST_DIGIT_BITS)
// Up to this count insertion alone is fastest.
#define INSERTION_COUNT 16
// Bits above the logarithm of the count: of uniform images an eighth agree with another one in so many, at most.
#define SPARE_BITS 3
// More bits than that are left to the insertion.
#define FEW_BITS 4
// Of uniform images a 32nd are out of order then. An insertion sort may move so many times that, and some more where the count
// is small.
#define BUDGET(n) ((n) / 8 + 16)
// Up to this count no insertion sort moves so many that passes over all bits would be faster.
#define UNLIMITED_COUNT 64

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
struct course {
    uint way;
    uint n_moved; // elements, once for each time
};

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

// Turns counts into the places of each digit's first element; returns how many the most frequent one has.
INLINE index_t make_places(global index_t *counts, const uint radix)
{
    index_t before = 0, most = 0;
    for (uint digit = 0; digit < radix; digit++) {
        const index_t n = counts[digit];
        counts[digit] = before;
        before += n;
        most = max(most, n);
    }
    return most;
}

INLINE void move_to_place(const struct elements from, const size_t i, const struct elements to, const size_t n,
                          global index_t *places, const struct digit digit, const struct comparison comparison)
{
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

// Moves elements by a digit; places is where the next of each goes.
CALLED void move_by_digit(const struct elements from, const struct elements to, const size_t n, global index_t *places,
                          const struct digit digit, const struct comparison comparison)
{
    for (size_t i = 0; i < n; i++) {
        move_to_place(from, i, to, n, places, digit, comparison);
    }
}

// Insertion sort in place; gives up once elements had to move past more than budget others. Returns whether all are sorted, and adds
// to *n_moved.
CALLED bool sort_by_insertion(const struct elements range, const index_t n, const index_t budget, uint *n_moved,
                              const struct comparison comparison)
{
    index_t n_passed = 0;
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
        } while (place > 0 && compared(range.keys[place - 1], comparison) > own && i - place + n_passed <= budget);
        range.keys[place] = image;
#if VALUE_BYTES
        range.values[place] = value;
#endif
        n_passed += i - place;
        if (n_passed > budget) {
            break;
        }
    }
    *n_moved += (uint)n_passed;
    return n_passed <= budget;
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
// differs in bits [*low, *high) at most, which may be narrowed. Returns the number of low bits that they are not sorted by, 0 if
// that is none, and *high if they are not sorted by any; course notes how it went.
CALLED uint sort_by_highest_digits(const struct elements from, const struct elements other, const struct elements to,
                                   const index_t n, uint *low, uint *high, global index_t *counters,
                                   struct course *course, const struct comparison comparison)
{
    global index_t *high_counters = counters + N_COUNTERS;
    struct digit low_digit, high_digit;
    bool knows_bits = false;
    for (;;) {
        const uint width = digit_width(*low, *high, n), radix = 1u << width;
        const uint shift = *high - min(*high, 2 * width);
        make_digit(&low_digit, shift, width, comparison);
        make_digit(&high_digit, shift + width, width, comparison);
        count_two_digits(from.keys, n, counters, high_counters, low_digit, high_digit, radix, comparison);
        if (knows_bits || high_counters[digit_of(from.keys[0], high_digit, comparison)] < n) {
            make_places(counters, radix);
            const index_t most = make_places(high_counters, radix);
            if (most > n / 2 && shift > *low) {
                copy_elements(from, to, n);
                return *high;
            }
            move_by_digit(from, other, n, counters, low_digit, comparison);
            move_by_digit(other, to, n, high_counters, high_digit, comparison);
            course->n_moved += 2 * (uint)n;
            return shift <= *low ? 0 : shift;
        }
        // The high digit tells nothing: look which bits do.
        const key_t varying = varying_bits(from.keys, n, comparison);
        course->way |= WENT_BY_OTHER_BITS;
        knows_bits = true;
        *high = bit_length(varying);
        if (*high == 0) {
            copy_elements(from, to, n);
            return 0;
        }
        *low = lowest_bit(varying);
    }
}

// Counts the digits of both halves by turns, each in counters of its own: equal neighbours do not wait for each other.
CALLED void count_halves(global const key_t *keys, const size_t n, global index_t *first_counts,
                         global index_t *second_counts, const struct digit digit, const uint radix,
                         const struct comparison comparison)
{
    const size_t middle = n / 2;
    for (uint i = 0; i < radix; i++) {
        first_counts[i] = 0;
        second_counts[i] = 0;
    }
    for (size_t i = 0; i < middle; i++) {
        first_counts[digit_of(keys[i], digit, comparison)]++;
        second_counts[digit_of(keys[middle + i], digit, comparison)]++;
    }
    if (n % 2) {
        second_counts[digit_of(keys[n - 1], digit, comparison)]++;
    }
}

// Moves elements of both halves by turns.
CALLED void move_halves(const struct elements from, const struct elements to, const size_t n,
                        global index_t *first_places, global index_t *second_places, const struct digit digit,
                        const struct comparison comparison)
{
    const size_t middle = n / 2;
    for (size_t i = 0; i < middle; i++) {
        move_to_place(from, i, to, n, first_places, digit, comparison);
        move_to_place(from, middle + i, to, n, second_places, digit, comparison);
    }
    if (n % 2) {
        move_to_place(from, n - 1, to, n, second_places, digit, comparison);
    }
}

// Sorts n elements of `range` in place by all bits in [low, high), by way of `other`. Digits of more bits than the count has would
// take longer to add up than to move by. Returns how many times elements were moved.
CALLED uint sort_by_all_digits(const struct elements range, const struct elements other, const index_t n,
                               const uint low, const uint high, global index_t *counters,
                               const struct comparison comparison)
{
    global index_t *second_counters = counters + N_COUNTERS;
    const uint most = min(63 - (uint)clz((ulong)n), (uint)MOST_DIGIT_BITS);
    const uint n_passes = (high - low + most - 1) / most;
    const uint width = (high - low + n_passes - 1) / n_passes, radix = 1u << width;
    uint n_moves = 0;
    bool is_in_other = false;
    for (uint shift = low; shift < high; shift += width) {
        const struct elements from = is_in_other ? other : range, to = is_in_other ? range : other;
        struct digit digit;
        make_digit(&digit, shift, width, comparison);
        count_halves(from.keys, n, counters, second_counters, digit, radix, comparison);
        const uint own = digit_of(from.keys[0], digit, comparison);
        if (counters[own] + second_counters[own] == n) {
            continue;
        }
        index_t before = 0;
        for (uint i = 0; i < radix; i++) {
            const index_t n_first = counters[i], n_second = second_counters[i];
            counters[i] = before;
            second_counters[i] = before + n_first;
            before += n_first + n_second;
        }
        move_halves(from, to, n, counters, second_counters, digit, comparison);
        is_in_other = !is_in_other;
        n_moves++;
    }
    if (is_in_other) {
        copy_elements(other, range, n);
    }
    return n_moves;
}

// Sorts n elements of `from` into `to`, which may be `from`, by way of `other`. What is compared differs in bits [low, high) at
// most. counters has 2 * N_COUNTERS of them. course receives how it went.
CALLED void sort_range(const struct elements from, const struct elements other, const struct elements to,
                       const index_t n, uint low, uint high, global index_t *counters, struct course *course,
                       const struct comparison comparison)
{
    const index_t unlimited = (index_t) ~(index_t)0;
    course->way = course->n_moved = 0;
    if (n <= INSERTION_COUNT || high <= low) {
        copy_elements(from, to, n);
        if (n > 1 && high > low) {
            sort_by_insertion(to, n, unlimited, &course->n_moved, comparison);
        }
        return;
    }
    const uint n_bits = sort_by_highest_digits(from, other, to, n, &low, &high, counters, course, comparison);
    if (n_bits == 0) {
        return;
    }
    const bool is_partly_sorted = n_bits < high;
    course->way |= is_partly_sorted ? WENT_BY_INSERTION : 0;
    const index_t budget = n <= UNLIMITED_COUNT ? unlimited : BUDGET(n);
    if (!is_partly_sorted || !sort_by_insertion(to, n, budget, &course->n_moved, comparison)) {
        course->way |= WENT_BY_ALL_BITS;
        course->n_moved += (uint)n * sort_by_all_digits(to, other, n, low, high, counters, comparison);
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

// Element i's value of an array that begins at position index_base of what argsort's positions count in.
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
#define VALUE_FROM(index_base, i) (generate_index ? (value_t)((index_base) + (i)) : values_in[i])
#else
#define VALUE_FROM(index_base, i) values_in[i]
#endif

// Of an array of n elements, puts those at positions begin to end and their counterparts from the end on in each other's place in
// `out`, which may be where they are.
CALLED void reverse(global const key_t *keys_in, global const value_t *values_in, const struct elements out,
                    const index_t n, const index_t begin, const index_t end, const uint generate_index,
                    const index_t index_base, const uint write_keys)
{
    for (index_t i = begin; i < end && write_keys; i++) {
        const key_t low = keys_in[i], high = keys_in[n - 1 - i];
        out.keys[i] = high;
        out.keys[n - 1 - i] = low;
    }
#if VALUE_BYTES
    for (index_t i = begin; i < end; i++) {
        const value_t low = VALUE_FROM(index_base, i), high = VALUE_FROM(index_base, n - 1 - i);
        out.values[i] = high;
        out.values[n - 1 - i] = low;
    }
#endif
}

// Sorts n > 0 keys with their values into `out`, which may be where they are, by way of `other`. counters has 2 * N_COUNTERS of
// them.
CALLED void sort_array(global const key_t *keys_in, global const value_t *values_in, const struct elements out,
                       const struct elements other, const index_t n, global index_t *counters,
                       const uint generate_index, const index_t index_base, const uint write_keys,
                       const struct comparison comparison, ORDER_PARAMETERS)
{
    const key_t first = compared(image_of_key(keys_in[0], ORDER), comparison);
    key_t varying = 0, before = first;
    uint n_falls = 0;
    for (index_t i = 0; i < n; i++) {
        const key_t image = image_of_key(keys_in[i], ORDER);
        const key_t own = compared(image, comparison);
        varying |= own ^ first;
        n_falls += own < before;
        before = own;
        out.keys[i] = image;
    }
#if VALUE_BYTES
    for (index_t i = 0; i < n; i++) {
        out.values[i] = VALUE_FROM(index_base, i);
    }
#endif
    if (n_falls == n - 1) {
        reverse(out.keys, out.values, out, n, 0, n - n / 2, 0, 0, true);
    } else if (n_falls > 0) {
        struct course course;
        sort_range(out, other, out, n, lowest_bit(varying), bit_length(varying), counters, &course, comparison);
    }
    if (write_keys) {
        restore_keys(out.keys, n, ORDER);
    }
}
