// Tasks of pairs: slots, words of keys and values, and a sort by merging.

// Bits of a slot.
#if TILE <= 256
#define SLOT_BITS 8
#elif TILE <= 1024
#define SLOT_BITS 10
#elif TILE <= 2048
#define SLOT_BITS 11
#elif TILE <= 4096
#define SLOT_BITS 12
#elif TILE <= 8192
#define SLOT_BITS 13
#else
#define SLOT_BITS 16
#endif
#define SLOT_MASK ((1u << SLOT_BITS) - 1)
#define ELEMENT_BITS (32 * ELEMENT_WORDS)

// Keys and values are moved through local memory a word at a time, or what they have if that is less.
#if KEY_BYTES == 8
#define KEY_WORDS 2
typedef uint key_word_t;
#else
#define KEY_WORDS 1
typedef key_t key_word_t;
#endif
#if VALUE_BYTES > 4
#define VALUE_WORDS (VALUE_BYTES / 4)
typedef uint value_word_t;
#else
#define VALUE_WORDS 1
typedef value_t value_word_t;
#endif

// ------------------------------------------------------------------------------------------------------------ by merging

// Places of the merge sort: one is left out behind each work-item's, where there is room.
#if KEY_BYTES == 8
#define MERGE_PLACE(slot) (slot)
#else
#define MERGE_PLACE(slot) ((slot) + (slot) / ITEMS)
#endif

// Ranks in local memory with the slots they came from.
struct run {
    local rank_t *ranks;
    local ushort *slots;
};

// Sorts the ITEMS ranks of a work-item in registers: odd-even transposition, which is stable.
INLINE void sort_own(rank_t *ranks, ushort *slots)
{
    UNROLL
    for (uint round = 0; round < ITEMS; round++) {
        UNROLL
        for (uint i = round & 1; i + 1 < ITEMS; i += 2) {
            const bool swap = ranks[i] > ranks[i + 1];
            const rank_t low = swap ? ranks[i + 1] : ranks[i], high = swap ? ranks[i] : ranks[i + 1];
            const ushort low_slot = swap ? slots[i + 1] : slots[i], high_slot = swap ? slots[i] : slots[i + 1];
            ranks[i] = low;
            ranks[i + 1] = high;
            slots[i] = low_slot;
            slots[i + 1] = high_slot;
        }
    }
}

// Merges runs of `length` by pairs, as merge_own() in cl/hybrid_merge.cl; ties go to the left.
INLINE void merge_own(const struct run *run, const uint length, const uint count, rank_t *ranks, ushort *slots)
{
    const uint own = item_id() * ITEMS;
    const uint begin = own / (2 * length) * (2 * length);
    const uint middle = min(begin + length, count), end = min(begin + 2 * length, count);
    const uint distance = min(own, end) - min(begin, end);
    uint low = distance > end - middle ? distance - (end - middle) : 0;
    uint high = min(distance, middle - begin);
    while (low < high) {
        const uint at = (low + high) / 2;
        const bool is_before =
            run->ranks[MERGE_PLACE(begin + at)] <= run->ranks[MERGE_PLACE(middle + distance - 1 - at)];
        low = is_before ? at + 1 : low;
        high = is_before ? high : at;
    }
    uint left = begin + low, right = middle + distance - low;
    for (uint i = 0; i < ITEMS; i++) {
        const bool has_left = left < middle, has_right = right < end;
        rank_t a = 0, b = 0;
        if (has_left) {
            a = run->ranks[MERGE_PLACE(left)];
        }
        if (has_right) {
            b = run->ranks[MERGE_PLACE(right)];
        }
        const bool is_left = has_left && (!has_right || a <= b);
        const uint from = is_left ? left : right;
        ranks[i] = is_left ? a : b;
        slots[i] = 0;
        if (has_left || has_right) {
            slots[i] = run->slots[MERGE_PLACE(from)];
        }
        left += is_left;
        right += !is_left;
    }
}

// Sorts the keys of a task by merging: as fast for any keys. Their slots are in run->slots, by MERGE_PLACE().
INLINE void merge_pairs(const struct layout *layout, global const key_t *keys, const uint count, const struct run *run)
{
    const uint item = item_id();
    rank_t ranks[ITEMS];
    ushort own[ITEMS];
    for (uint slot = item; slot < count; slot += GROUP_SIZE) {
        run->ranks[MERGE_PLACE(slot)] = key_rank(keys[slot], LAYOUT_ORDER);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ITEMS; i++) {
        ranks[i] = ~(rank_t)0;
        own[i] = (ushort)(item * ITEMS + i);
        if (item * ITEMS + i < count) {
            ranks[i] = run->ranks[MERGE_PLACE(item * ITEMS + i)];
        }
    }
    sort_own(ranks, own);
    uint length = ITEMS;
    bool is_merged = false;
    while (!is_merged) { // the same for the whole work-group
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ITEMS; i++) {
            if (item * ITEMS + i < count) {
                run->ranks[MERGE_PLACE(item * ITEMS + i)] = ranks[i];
                run->slots[MERGE_PLACE(item * ITEMS + i)] = own[i];
            }
        }
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
        is_merged = length >= count;
        if (!is_merged) {
            merge_own(run, length, count, ranks, own);
        }
        length *= 2;
    }
}

// Local memory for that.
#define LOCAL_RUN                                                                                                      \
    local ulong run_area[(MERGE_PLACE(TILE) * RANK_WORDS + 1) / 2];                                                    \
    local ushort run_slots[MERGE_PLACE(TILE)];                                                                         \
    const struct run run = {(local rank_t *)run_area, run_slots}
