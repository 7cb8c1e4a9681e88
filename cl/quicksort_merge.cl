// A stable merge sort of a work-group in local memory, by comparisons alone.
//
// Rows of neighbours are sorted in registers, and runs of them merged by pairs: each row of the result finds by bisection where it
// begins in both (Odeh, Green, Mwassi, Shmueli, Birk, Merge path, 2012). With values a slot also has its position before the sort.

#define ROW (ITEMS < 16 ? 8 : 16)
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

struct slots {
    local key_t *keys;
    local ushort *positions;
    uint n;
    uint shift; // what is compared of a key is (key >> shift) & mask
    key_t mask;
};

#if VALUE_BYTES
#define LOCAL_SLOTS                                                                                                    \
    local key_t slot_keys[PLACES];                                                                                     \
    local ushort slot_positions[PLACES];
#else
#define LOCAL_SLOTS                                                                                                    \
    local key_t slot_keys[PLACES];                                                                                     \
    local ushort slot_positions[1];
#endif

struct row {
    key_t keys[N_ROWS * ROW];
#if VALUE_BYTES
    ushort positions[N_ROWS * ROW];
#endif
};

INLINE bool is_greater(const struct slots *slots, const key_t a, const key_t b)
{
    return (a >> slots->shift & slots->mask) > (b >> slots->shift & slots->mask);
}

// The first slot of a work-item's row number i.
INLINE uint first_of_row(const uint i)
{
    return (i * GROUP_SIZE + item_id()) * ROW;
}

INLINE void write_row(const struct slots *slots, const uint first, const uint i, const struct row *row)
{
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        if (first + n < slots->n) {
            slots->keys[PLACE(first) + n] = row->keys[i * ROW + n];
#if VALUE_BYTES
            slots->positions[PLACE(first) + n] = row->positions[i * ROW + n];
#endif
        }
    }
}

// Sorts a row by odd-even transposition, which keeps equal ones in order. Behind the last slot come the greatest there can be.
INLINE void sort_row(const struct slots *slots, const uint first)
{
    struct row row;
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        const bool is_inside = first + n < slots->n;
        row.keys[n] = is_inside ? slots->keys[PLACE(first) + n] : (key_t)-1;
#if VALUE_BYTES
        row.positions[n] = is_inside ? slots->positions[PLACE(first) + n] : 0;
#endif
    }
    UNROLL_ROW
    for (uint round = 0; round < ROW; round++) {
        UNROLL_ROW
        for (uint n = round % 2; n + 1 < ROW; n += 2) {
            const key_t low = row.keys[n], high = row.keys[n + 1];
            const bool is_exchanged = is_greater(slots, low, high);
            row.keys[n] = is_exchanged ? high : low;
            row.keys[n + 1] = is_exchanged ? low : high;
#if VALUE_BYTES
            const ushort low_position = row.positions[n], high_position = row.positions[n + 1];
            row.positions[n] = is_exchanged ? high_position : low_position;
            row.positions[n + 1] = is_exchanged ? low_position : high_position;
#endif
        }
    }
    write_row(slots, first, 0, &row);
}

// The row at `first` of the result where runs of `run` slots are merged by pairs. Returns whether it may differ from what is there.
INLINE bool merge_row(const struct slots *slots, const uint run, const uint first, const uint i, struct row *row)
{
    const uint begin = first & ~(2 * run - 1), middle = begin + run, end = min(begin + 2 * run, slots->n);
    if (first >= slots->n || middle >= slots->n ||
        !is_greater(slots, slots->keys[PLACE(middle - 1)], slots->keys[PLACE(middle)])) {
        return false;
    }
    const uint distance = first - begin;
    uint low = distance > end - middle ? distance - (end - middle) : 0, high = min(distance, run);
    ROLLED
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_behind =
            is_greater(slots, slots->keys[PLACE(begin + at)], slots->keys[PLACE(middle + distance - 1 - at)]);
        low = is_behind ? low : at + 1;
        high = is_behind ? at : high;
    }
    uint left = begin + low, right = middle + distance - low;
    key_t left_key = slots->keys[PLACE(min(left, middle - 1))], right_key = slots->keys[PLACE(min(right, end - 1))];
    UNROLL_ROW
    for (uint n = 0; n < ROW; n++) {
        const bool is_left = right >= end || (left < middle && !is_greater(slots, left_key, right_key));
        row->keys[i * ROW + n] = is_left ? left_key : right_key;
#if VALUE_BYTES
        row->positions[i * ROW + n] = slots->positions[PLACE(min(is_left ? left : right, end - 1))];
#endif
        left += is_left ? 1 : 0;
        right += is_left ? 0 : 1;
        const key_t next = slots->keys[PLACE(min(is_left ? left : right, end - 1))];
        left_key = is_left ? next : left_key;
        right_key = is_left ? right_key : next;
    }
    return true;
}

// Sorts the slots. It begins behind a barrier and ends with one.
INLINE void sort_slots(const struct slots *slots)
{
    struct row rows;
    bool are_merged[N_ROWS];
    for (uint i = 0; i < N_ROWS && first_of_row(i) < slots->n; i++) {
        sort_row(slots, first_of_row(i));
    }
    ROLLED
    for (uint run = ROW; run < slots->n; run <<= 1) { // the same for the whole work-group
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
