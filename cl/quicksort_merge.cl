// A stable merge sort of a work-group in local memory, by comparisons alone.
//
// Rows of neighbours are sorted in registers, and runs of them merged by pairs: each row of the result finds by bisection where it
// begins in both (Odeh, Green, Mwassi, Shmueli, Birk, Merge path, 2012).

#define ROW 8
#define N_ROWS ((ITEMS + ROW - 1) / ROW)
// A place is left out behind each row, so that work-items that read rows of their own do not meet in one bank.
#define PLACE(slot) ((slot) + (slot) / ROW)
#define PLACES PLACE(GROUP_SIZE *N_ROWS *ROW)
// Rows of arrays that a work-item has registers for.
#if UNROLL_LOOPS && ITEMS <= 64
#define UNROLL_ROW _Pragma("unroll")
#else
#define UNROLL_ROW
#endif

// What is sorted. Keys alone: whole ranks. With values: what is compared of a key and, below it, the position before the sort, so that
// all are different; of keys of 8 bytes the positions are beside them.
#if VALUE_BYTES && KEY_BYTES < 8
typedef ulong element_t;
#define POSITION_BITS 16
#define HAS_POSITIONS 0
#else
typedef key_t element_t;
#define POSITION_BITS 0
#define HAS_POSITIONS (VALUE_BYTES > 0)
#endif

struct slots {
    local element_t *elements;
    local ushort *positions;
    uint n;
    uint shift; // (element >> shift) & mask is compared
    element_t mask;
};
#define LOCAL_SLOTS                                                                                                    \
    local element_t slot_elements[PLACES];                                                                             \
    local ushort slot_positions[HAS_POSITIONS ? PLACES : 1];

// Slots of which all is compared.
#define WHOLE_SLOTS(n)                                                                                                 \
    {                                                                                                                  \
        slot_elements, slot_positions, (n), 0, (element_t)-1                                                           \
    }

struct row {
    element_t elements[N_ROWS * ROW];
#if HAS_POSITIONS
    ushort positions[N_ROWS * ROW];
#endif
};

// Sets a slot to what is compared of a key.
INLINE void set_slot(const struct slots *slots, const uint slot, const key_t compared)
{
#if HAS_POSITIONS
    slots->elements[PLACE(slot)] = compared;
    slots->positions[PLACE(slot)] = (ushort)slot;
#else
    slots->elements[PLACE(slot)] = (element_t)compared << POSITION_BITS | (POSITION_BITS ? slot : 0);
#endif
}

// What was set.
INLINE key_t compared_of_slot(const struct slots *slots, const uint slot)
{
    return (key_t)(slots->elements[PLACE(slot)] >> POSITION_BITS);
}

#if VALUE_BYTES
INLINE uint position_of_slot(const struct slots *slots, const uint slot)
{
    return HAS_POSITIONS ? slots->positions[PLACE(slot)] : (uint)slots->elements[PLACE(slot)] & 0xffff;
}
#endif

INLINE bool is_greater(const struct slots *slots, const element_t a, const element_t b)
{
    return (a >> slots->shift & slots->mask) > (b >> slots->shift & slots->mask);
}

// The first slot of a work-item's row number i.
INLINE uint first_of_row(const uint i)
{
    return (i * GROUP_SIZE + item_id()) * ROW;
}

// Behind the last slot come the greatest there can be.
INLINE void read_row_of_slots(const struct slots *slots, const uint first, struct row *row)
{
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        const bool is_inside = first + n < slots->n;
        row->elements[n] = is_inside ? slots->elements[PLACE(first) + n] : (element_t)-1;
#if HAS_POSITIONS
        row->positions[n] = is_inside ? slots->positions[PLACE(first) + n] : 0;
#endif
    }
}

INLINE void write_row(const struct slots *slots, const uint first, const uint i, const struct row *row)
{
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        if (first + n < slots->n) {
            slots->elements[PLACE(first) + n] = row->elements[i * ROW + n];
#if HAS_POSITIONS
            slots->positions[PLACE(first) + n] = row->positions[i * ROW + n];
#endif
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- networks

// Sorts a row by odd-even transposition, which keeps equal ones in order.
INLINE void sort_row(const struct slots *slots, const uint first)
{
    struct row row;
    read_row_of_slots(slots, first, &row);
    UNROLL_ROW
    for (uint round = 0; round < ROW; round++) {
        UNROLL_ROW
        for (uint n = round % 2; n + 1 < ROW; n += 2) {
            const element_t low = row.elements[n], high = row.elements[n + 1];
            const bool is_exchanged = is_greater(slots, low, high);
            row.elements[n] = is_exchanged ? high : low;
            row.elements[n + 1] = is_exchanged ? low : high;
#if HAS_POSITIONS
            const ushort low_position = row.positions[n], high_position = row.positions[n + 1];
            row.positions[n] = is_exchanged ? high_position : low_position;
            row.positions[n + 1] = is_exchanged ? low_position : high_position;
#endif
        }
    }
    write_row(slots, first, 0, &row);
}

#if defined WARP && !HAS_POSITIONS
// Rows of a warp, of elements that are different or alike in all: a bitonic sort through shuffles (Batcher, Sorting networks and their
// applications, 1968; Hou, Liu, Wang, Feng, Fast segmented sort on GPUs, 2017).
#define COMPARE(a, b) COMPARE_AS(element_t, row.elements, a, b)

INLINE element_t shuffle_element(const element_t element, const uint bits)
{
    uint high = 0;
    if (sizeof(element_t) == 8) {
        high = shuffle_xor((uint)((ulong)element >> 32), bits);
    }
    return (element_t)((ulong)high << 32 | shuffle_xor((uint)element, bits));
}

// Compares a row with that of the work-item whose number differs in these bits, the last first if is_mirrored. The work-item with a 0 in
// the highest of them keeps the lesser ones.
INLINE void exchange_rows(element_t row[ROW], const uint bits, const uint highest, const bool is_mirrored)
{
    const bool keeps_low = (item_id() & highest) == 0;
    element_t other[ROW];
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        other[n] = shuffle_element(row[is_mirrored ? ROW - 1 - n : n], bits);
    }
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        row[n] = keeps_low ? min(row[n], other[n]) : max(row[n], other[n]);
    }
}

// Sorts the rows of a warp together, of which `first` is this work-item's. All of the warp calls it.
INLINE void sort_rows_of_warp(const struct slots *slots, const uint first)
{
    struct row row;
    read_row_of_slots(slots, first, &row);
    SORT_EIGHT(COMPARE)
    ROLLED
    for (uint lanes = 2; lanes <= WARP; lanes *= 2) {
        exchange_rows(row.elements, lanes - 1, lanes / 2, true);
        ROLLED
        for (uint distance = lanes / 4; distance > 0; distance /= 2) {
            exchange_rows(row.elements, distance, distance, false);
        }
        MERGE_EIGHT(COMPARE)
    }
    write_row(slots, first, 0, &row);
}
#endif

// Sorts runs of as many slots as it returns.
INLINE uint sort_first_runs(const struct slots *slots)
{
#if defined WARP && !HAS_POSITIONS
    if (slots->shift == 0 && slots->mask == (element_t)-1) {
        ROLLED
        for (uint i = 0; i < N_ROWS && (i * GROUP_SIZE + item_id() / WARP * WARP) * ROW < slots->n; i++) {
            sort_rows_of_warp(slots, first_of_row(i));
        }
        return WARP * ROW;
    }
#endif
    ROLLED
    for (uint i = 0; i < N_ROWS && first_of_row(i) < slots->n; i++) {
        sort_row(slots, first_of_row(i));
    }
    return ROW;
}

// --------------------------------------------------------------------------------------------------------------- merges

// The row at `first` of the result where runs of `run` slots are merged by pairs. Returns whether it may differ from what is there.
INLINE bool merge_row(const struct slots *slots, const uint run, const uint first, const uint i, struct row *row)
{
    const uint begin = first & ~(2 * run - 1), middle = begin + run, end = min(begin + 2 * run, slots->n);
    if (first >= slots->n || middle >= slots->n ||
        !is_greater(slots, slots->elements[PLACE(middle - 1)], slots->elements[PLACE(middle)])) {
        return false;
    }
    const uint distance = first - begin;
    uint low = distance > end - middle ? distance - (end - middle) : 0, high = min(distance, run);
    ROLLED
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_behind =
            is_greater(slots, slots->elements[PLACE(begin + at)], slots->elements[PLACE(middle + distance - 1 - at)]);
        low = is_behind ? low : at + 1;
        high = is_behind ? at : high;
    }
    uint left = begin + low, right = middle + distance - low;
    element_t left_element = slots->elements[PLACE(min(left, middle - 1))],
              right_element = slots->elements[PLACE(min(right, end - 1))];
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        const bool is_left = right >= end || (left < middle && !is_greater(slots, left_element, right_element));
        row->elements[i * ROW + n] = is_left ? left_element : right_element;
#if HAS_POSITIONS
        row->positions[i * ROW + n] = slots->positions[PLACE(min(is_left ? left : right, end - 1))];
#endif
        left += is_left ? 1 : 0;
        right += is_left ? 0 : 1;
        const element_t next = slots->elements[PLACE(min(is_left ? left : right, end - 1))];
        left_element = is_left ? next : left_element;
        right_element = is_left ? right_element : next;
    }
    return true;
}

// Sorts the slots. It begins behind a barrier and ends with one.
INLINE void sort_slots(const struct slots *slots)
{
    struct row rows;
    bool are_merged[N_ROWS];
    const uint first_run = sort_first_runs(slots);
    ROLLED
    for (uint run = first_run; run < slots->n; run <<= 1) { // the same for the whole work-group
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL_ROW
        for (uint i = 0; i < N_ROWS; i++) {
            are_merged[i] = merge_row(slots, run, first_of_row(i), i, &rows);
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL_ROW
        for (uint i = 0; i < N_ROWS; i++) {
            if (are_merged[i]) {
                write_row(slots, first_of_row(i), i, &rows);
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
