// What the kernels of quicksort share: the layout of the workspace, lists of ranges and tasks, and what is compared of a key.

// What the host knows, passed as one vector: compilers have trouble with structs as arguments. Areas of the workspace are in units of
// 256 bytes from its start.
struct plan {
    uint counters;
    uint even_ranges, odd_ranges, even_map, odd_map; // of levels of even and of odd number
    uint splitters, totals, table, tasks;
    uint capacity;    // elements of a task, that is sorted in local memory
    uint bucket_bits; // a range is divided into so many buckets at most, 2 or more
    uint n_levels;    // ranges of level n_levels are merged
    uint n_tasks;     // that there is room for
    uint block;       // elements that are counted or moved together
    uint n_units;     // room for long segments, each of which takes one for each `slots` elements: see list_long
    uint slots;       // longest of the short segments
};

// Words of the counters: LEVEL_WORDS for each level, and others.
#define MOST_LEVELS 32
#define LEVEL_WORDS 8
enum { LEVEL_RANGES, LEVEL_BLOCKS, LEVEL_BUCKETS, LEVEL_ENTRIES, LEVEL_MOVED };
enum { COUNTER_TASKS = MOST_LEVELS * LEVEL_WORDS, COUNTER_UNITS, COUNTER_COPIED, COUNTER_WORDS = COUNTER_TASKS + 8 };

// A run of elements that belong where they lie, but not in this order. All ranges of a level lie in the same buffer and their
// buckets go to the same places of another: from the input to X, from there to Y, to X again and so on. Y is the output,
// but for the keys of an argsort without any.
struct range {
    index_t begin, length;
    uint first_block;  // of the level's blocks; in the map is each one's range
    uint bits;         // of a bucket's number
    uint first_bucket; // of the level's buckets: where its splitters and totals are
    uint first_entry;  // of the table, that has a row for each bucket with an entry for each block
};

// Elements that a work-group sorts in local memory, or that it copies to the output as they are. place: one of those below.
struct task {
    index_t begin;
    uint length;
    uint place;
};
enum { IN_INPUT, IN_X, IN_Y, IS_SORTED = 4 };

// The buffer that the ranges of a level lie in.
INLINE uint place_of_level(const uint level)
{
    return level == 0 ? IN_INPUT : level % 2 ? IN_X : IN_Y;
}

#define QUICKSORT_PARAMETERS                                                                                           \
    global uchar *workspace, const ulong workspace_offset, const uint16 plan_words, ORDER_PARAMETERS,                  \
        const uint begin_bit, const ulong rank_mask
// The first thing in a kernel that has these.
#define READ_PLAN                                                                                                      \
    const struct plan plan_ = {                                                                                        \
        plan_words.s0, plan_words.s1, plan_words.s2, plan_words.s3, plan_words.s4, plan_words.s5,                      \
        plan_words.s6, plan_words.s7, plan_words.s8, plan_words.s9, plan_words.sa, plan_words.sb,                      \
        plan_words.sc, plan_words.sd, plan_words.se, plan_words.sf};                                                   \
    const struct plan *plan = &plan_;                                                                                  \
    workspace += workspace_offset;
#define PLAN_PARAMETERS global uchar *workspace, const struct plan *plan
#define PLAN workspace, plan

#define AREA_BYTES 256
#define AREA(type, name) ((global type *)(workspace + (ulong)plan->name * AREA_BYTES))
#define LEVEL_AREA(type, name, level)                                                                                  \
    ((global type *)(workspace + (ulong)((level) % 2 ? plan->odd_##name : plan->even_##name) * AREA_BYTES))
#define LEVEL_COUNTERS(level) (AREA(uint, counters) + (level)*LEVEL_WORDS)

// What is compared of a key. Nothing is computed from it: keys may be in any order that has ranks.
#define COMPARED(key) ((key_t)(key_rank((key), ORDER) >> begin_bit & (key_t)rank_mask))

INLINE uint n_blocks_of(const index_t length, const struct plan *plan)
{
    return (uint)((length - 1) / plan->block + 1);
}

// Bits for so many buckets that one has half of a task's elements, on average, or as many as a level needs for that in the end, where
// there are more levels.
INLINE uint bits_of(const index_t length, const struct plan *plan)
{
    const ulong n_buckets = (2 * (ulong)length - 1) / plan->capacity + 1;
    const uint n_bits = 64 - (uint)clz(n_buckets - 1);
    const uint n_levels = (n_bits + plan->bucket_bits - 1) / plan->bucket_bits;
    return max((n_bits + n_levels - 1) / n_levels, 2u);
}

// Adds a range to a level, by one work-item. Returns its number; the map is for the caller to fill.
INLINE uint list_range(PLAN_PARAMETERS, const uint level, const index_t begin, const index_t length,
                       struct range *range)
{
    global uint *counters = LEVEL_COUNTERS(level);
    const bool is_merged = level >= plan->n_levels;
    const uint number = atomic_inc(counters + LEVEL_RANGES);
    const uint n_blocks = is_merged ? 0 : n_blocks_of(length, plan);
    const uint bits = bits_of(length, plan);
    range->begin = begin;
    range->length = length;
    range->bits = bits;
    range->first_block = range->first_bucket = range->first_entry = 0;
    if (!is_merged) {
        range->first_block = atomic_add(counters + LEVEL_BLOCKS, n_blocks);
        range->first_bucket = atomic_add(counters + LEVEL_BUCKETS, 1u << bits);
        range->first_entry = atomic_add(counters + LEVEL_ENTRIES, n_blocks << bits);
    }
    atomic_add(counters + LEVEL_MOVED, (uint)length);
    LEVEL_AREA(struct range, ranges, level)[number] = *range;
    return number;
}

// The same with the map.
INLINE void list_whole_range(PLAN_PARAMETERS, const uint level, const index_t begin, const index_t length)
{
    struct range range;
    const uint number = list_range(PLAN, level, begin, length, &range);
    const uint n_blocks = level < plan->n_levels ? n_blocks_of(length, plan) : 0;
    for (uint block = 0; block < n_blocks; block++) {
        LEVEL_AREA(uint, map, level)[range.first_block + block] = number;
    }
}

INLINE void list_task(PLAN_PARAMETERS, const index_t begin, const uint length, const uint place)
{
    const struct task task = {begin, length, place};
    const uint at = atomic_inc(AREA(uint, counters) + COUNTER_TASKS);
    if (at < plan->n_tasks) {
        AREA(struct task, tasks)[at] = task;
    }
}
