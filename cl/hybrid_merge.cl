// Sort of tasks in local memory by merging: as fast for any elements.

// Sorts the ITEMS elements of a work-item in registers: odd-even transposition.
INLINE void sort_own(element_t *row)
{
    UNROLL
    for (uint round = 0; round < ITEMS; round++) {
        UNROLL
        for (uint i = round & 1; i + 1 < ITEMS; i += 2) {
            COMPARE(i, i + 1)
        }
    }
}

// Merges runs of `run` elements by pairs: finds by bisection where a work-item's ITEMS elements of the result begin in both
// (Odeh, Green, Mwassi, Shmueli, Birk, Merge path, 2012), and takes them into registers. Returns whether there was anything to do.
INLINE bool merge_own(local const element_t *slots, const uint run, const uint count, element_t *row)
{
    const uint own = item_id() * ITEMS;
    const uint begin = own / (2 * run) * (2 * run);
    const uint middle = min(begin + run, count), end = min(begin + 2 * run, count);
    if (own >= end || middle >= end || slots[PLACE(middle - 1)] <= slots[PLACE(middle)]) {
        return false;
    }
    const uint distance = own - begin;
    uint low = distance > end - middle ? distance - (end - middle) : 0;
    uint high = min(distance, middle - begin);
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_before = slots[PLACE(begin + at)] <= slots[PLACE(middle + distance - 1 - at)];
        low = is_before ? at + 1 : low;
        high = is_before ? high : at;
    }
    uint left = begin + low, right = middle + distance - low;
    for (uint i = 0; i < ITEMS; i++) {
        const bool has_left = left < middle, has_right = right < end;
        element_t a = ELEMENT_LAST, b = ELEMENT_LAST;
        if (has_left) {
            a = slots[PLACE(left)];
        }
        if (has_right) {
            b = slots[PLACE(right)];
        }
        const bool is_left = has_left && (!has_right || a <= b);
        row[i] = is_left ? a : b;
        left += is_left;
        right += !is_left;
    }
    return true;
}

INLINE void write_own(local element_t *slots, const uint count, const element_t *row)
{
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        if (item_id() * ITEMS + i < count) {
            slots[PLACE(item_id() * ITEMS + i)] = row[i];
        }
    }
}

// Sorts slots, which are nearly in order, by merging: runs that need no merge are left.
INLINE void merge_slots(local element_t *slots, const uint count)
{
    const uint item = item_id();
    element_t row[ITEMS];
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        row[i] = ELEMENT_LAST;
        if (item * ITEMS + i < count) {
            row[i] = slots[PLACE(item * ITEMS + i)];
        }
    }
    sort_own(row);
    write_own(slots, count, row);
    for (uint run = ITEMS; run < count; run *= 2) { // the same for the whole work-group
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        const bool is_merged = merge_own(slots, run, count, row);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        if (is_merged) {
            write_own(slots, count, row);
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}
