// Sorts segments by single work-items, for CPU devices: no barriers, no local memory; stable.
//
// Work-items take batches of segments until none is left. Short segments are sorted by a network, one in each lane of vectors;
// longer ones each by itself as in cached_lsd.cl. Those that would be too large a share of all for one work-item are listed, for
// chunked_radix.cl.

// Segments of a batch, at most; src/segmented_serial.c has the same numbers.
#define BATCH 256
#define N_LANES 16
#define MOST_OF_LANE 256
// Fewer segments than that take less time one after the other.
#define LEAST_LANES 5
#define CACHE_LINE 64
// Of vectors, which are as long as that at most.
#define VECTOR_ALIGNMENT 128

// A lane's element: an image, and where there are values the element's position below it, which makes the network stable.
#if VALUE_BYTES == 0
typedef key_t lane_t;
#if KEY_BYTES == 1
typedef uchar16 lanes_t;
#elif KEY_BYTES == 2
typedef ushort16 lanes_t;
#elif KEY_BYTES == 4
typedef uint16 lanes_t;
#else
typedef ulong16 lanes_t;
#endif
#define POSITION_BITS 0
#elif KEY_BYTES <= 2
typedef uint lane_t;
typedef uint16 lanes_t;
#define POSITION_BITS 16
#else
typedef ulong lane_t;
typedef ulong16 lanes_t;
#define POSITION_BITS 32
#endif

// Images of 8 bytes leave no room: their positions are vectors of their own, behind those of the images.
#if VALUE_BYTES && KEY_BYTES == 8
#define COMPARE_EXCHANGE(lanes, i, k)                                                                                  \
    {                                                                                                                  \
        const lanes_t a = (lanes)[i], b = (lanes)[k];                                                                  \
        const lanes_t a_position = (lanes)[MOST_OF_LANE + (i)], b_position = (lanes)[MOST_OF_LANE + (k)];              \
        const long16 swaps = a > b || (a == b && a_position > b_position);                                             \
        (lanes)[i] = select(a, b, swaps);                                                                              \
        (lanes)[k] = select(b, a, swaps);                                                                              \
        (lanes)[MOST_OF_LANE + (i)] = select(a_position, b_position, swaps);                                           \
        (lanes)[MOST_OF_LANE + (k)] = select(b_position, a_position, swaps);                                           \
    }
#else
#define COMPARE_EXCHANGE(lanes, i, k)                                                                                  \
    {                                                                                                                  \
        const lanes_t a = (lanes)[i], b = (lanes)[k];                                                                  \
        (lanes)[i] = min(a, b);                                                                                        \
        (lanes)[k] = max(a, b);                                                                                        \
    }
#endif

// What a work-item has for all of its segments.
struct worker {
    global const key_t *keys_in;
    global const value_t *values_in;
    struct elements out, slab, x;
    index_t slab_count;
    global index_t *counters;
    global struct segment *list, *other_list;
    global lanes_t *lanes;
    struct elements copies; // of a lane's elements
    uint generate_index, write_keys, in_place, has_x;
    uint n_in_lanes, n_alone, n_outside; // segments so far: in lanes, by themselves, and of these without the slab
};

// Sorts n elements in each lane: Batcher's merge exchange (Knuth, The art of computer programming 3, algorithm 5.2.2M).
CALLED void sort_lanes(global lanes_t *lanes, const uint n)
{
    uint top = 1;
    while (2 * top < n) {
        top *= 2;
    }
    for (uint p = n > 1 ? top : 0; p > 0; p /= 2) {
        uint distance = p, begin = 0;
        for (uint q = top; q >= p; q /= 2) {
            for (uint block = begin; block < n - distance; block += 2 * p) {
                const uint end = min(block + p, n - distance);
                for (uint i = block; i < end; i++) {
                    COMPARE_EXCHANGE(lanes, i, i + distance)
                }
            }
            distance = q - p;
            begin = p;
        }
    }
}

// Puts the segments of a group into lanes of `longest` elements; behind a segment's end are ones that come last.
CALLED void fill_lanes(const struct worker *worker, global const struct segment *group, const uint n_segments,
                       const uint longest, const struct comparison comparison, ORDER_PARAMETERS)
{
    for (uint lane = 0; lane < N_LANES; lane++) {
        global lane_t *slots = (global lane_t *)worker->lanes + lane;
        const uint n = lane < n_segments ? (uint)group[lane].length : 0;
        global const key_t *keys = worker->keys_in + (n ? group[lane].begin : 0);
        for (uint i = 0; i < n; i++) {
            const key_t image = image_of_key(keys[i], ORDER);
#if VALUE_BYTES == 0
            slots[i * N_LANES] = image;
#elif KEY_BYTES == 8
            slots[i * N_LANES] = compared(image, comparison);
            slots[(MOST_OF_LANE + i) * N_LANES] = i;
#else
            slots[i * N_LANES] = (lane_t)compared(image, comparison) << POSITION_BITS | i;
#endif
        }
        for (uint i = n; i < longest; i++) {
            slots[i * N_LANES] = (lane_t) ~(lane_t)0;
#if VALUE_BYTES && KEY_BYTES == 8
            slots[(MOST_OF_LANE + i) * N_LANES] = i;
#endif
        }
    }
}

// Writes a lane to its segment, by way of copies where it is read from where it is written.
CALLED void empty_lane(const struct worker *worker, const struct segment segment, const uint lane, ORDER_PARAMETERS)
{
    const uint n = (uint)segment.length;
    const struct elements out = {worker->out.keys + segment.begin, worker->out.values + segment.begin};
#if VALUE_BYTES == 0
    global const lane_t *slots = (global const lane_t *)worker->lanes + lane;
    for (uint i = 0; i < n; i++) {
        out.keys[i] = key_of_image(slots[i * N_LANES], ORDER);
    }
#else
    global const lane_t *slots =
        (global const lane_t *)worker->lanes + (KEY_BYTES == 8 ? MOST_OF_LANE * N_LANES : 0) + lane;
    global const key_t *keys = worker->keys_in + segment.begin;
    global const value_t *values_in = worker->values_in + segment.begin;
    const uint generate_index = worker->generate_index;
    const index_t index_base = generate_index == IN_SEGMENT ? 0 : segment.begin;
    const uint position_mask = POSITION_BITS == 16 ? 0xffff : 0xffffffff;
    const struct elements to = worker->in_place ? worker->copies : out;
    (void)generate_index, (void)index_base;
    for (uint i = 0; i < n; i++) {
        const uint position = (uint)slots[i * N_LANES] & position_mask;
        if (worker->write_keys) {
            to.keys[i] = keys[position];
        }
        to.values[i] = VALUE_FROM(index_base, position);
    }
    for (uint i = 0; i < n && worker->in_place; i++) {
        if (worker->write_keys) {
            out.keys[i] = to.keys[i];
        }
        out.values[i] = to.values[i];
    }
#endif
}

// Sorts a segment by itself. One that is longer than was promised may have no memory to be sorted by, and is copied.
CALLED void sort_alone(struct worker *worker, const struct segment segment, const struct comparison comparison,
                       ORDER_PARAMETERS)
{
    global const key_t *keys = worker->keys_in + segment.begin;
    global const value_t *values_in = worker->values_in + segment.begin;
    const struct elements out = {worker->out.keys + segment.begin, worker->out.values + segment.begin};
    const struct elements x = {worker->x.keys + segment.begin, worker->x.values + segment.begin};
    const uint generate_index = worker->generate_index;
    const index_t index_base = generate_index == IN_SEGMENT ? 0 : segment.begin;
    worker->n_alone++;
    worker->n_outside += segment.length > worker->slab_count;
    if (segment.length <= worker->slab_count || worker->has_x) {
        sort_array(keys, values_in, out, segment.length <= worker->slab_count ? worker->slab : x, segment.length,
                   worker->counters, generate_index, index_base, worker->write_keys, comparison, ORDER);
        return;
    }
    for (index_t i = 0; i < segment.length; i++) {
        if (worker->write_keys) {
            out.keys[i] = keys[i];
        }
#if VALUE_BYTES
        out.values[i] = VALUE_FROM(index_base, i);
#endif
    }
}

// Reads a short segment's memory into the cache in the order of the array, which processors foresee.
INLINE void touch(const struct worker *worker, const struct segment segment)
{
    for (index_t i = segment.begin; i < segment.begin + segment.length; i += CACHE_LINE / KEY_BYTES) {
        (void)*(volatile global const key_t *)&worker->keys_in[i];
        (void)*(volatile global const key_t *)&worker->out.keys[i];
    }
#if VALUE_BYTES
    for (index_t i = segment.begin; i < segment.begin + segment.length; i += (CACHE_LINE - 1) / VALUE_BYTES + 1) {
        if (!worker->generate_index) {
            (void)*(volatile global const uchar *)&worker->values_in[i];
        }
        (void)*(volatile global const uchar *)&worker->out.values[i];
    }
#endif
}

// Brings segments of one length next to each other; returns the list that has them so.
CALLED global struct segment *order_by_length(const struct worker *worker, const uint n)
{
    global struct segment *list = worker->list, *to = worker->other_list;
    global index_t *places = worker->counters;
    index_t differs = 0;
    for (uint i = 1; i < n; i++) {
        differs |= list[i].length ^ list[0].length;
    }
    if (differs == 0) {
        return list;
    }
    for (uint length = 0; length <= MOST_OF_LANE; length++) {
        places[length] = 0;
    }
    for (uint i = 0; i < n; i++) {
        places[list[i].length]++;
        touch(worker, list[i]);
    }
    make_places(places, MOST_OF_LANE + 1);
    for (uint i = 0; i < n; i++) {
        to[places[list[i].length]++] = list[i];
    }
    return to;
}

// Sorts the n short segments of the worker's list.
CALLED void sort_short(struct worker *worker, const uint n, const struct comparison comparison, ORDER_PARAMETERS)
{
    global struct segment *list = order_by_length(worker, n);
    for (uint begin = 0; begin < n; begin += N_LANES) {
        global const struct segment *group = list + begin;
        const uint n_segments = min(n - begin, (uint)N_LANES);
        const uint longest = (uint)group[n_segments - 1].length;
        if (n_segments >= LEAST_LANES) {
            fill_lanes(worker, group, n_segments, longest, comparison, ORDER);
            sort_lanes(worker->lanes, longest);
            worker->n_in_lanes += n_segments;
        }
        for (uint lane = 0; lane < n_segments; lane++) {
            if (n_segments >= LEAST_LANES) {
                empty_lane(worker, group[lane], lane, ORDER);
            } else {
                sort_alone(worker, group[lane], comparison, ORDER);
            }
        }
    }
}

// Words at the begin of the workspace; the last ones are for tests.
enum { CONTROL_NEXT_BATCH, CONTROL_RANGES, CONTROL_IN_LANES, CONTROL_ALONE, CONTROL_OUTSIDE, CONTROL_OF_SEGMENTS };

// Areas of the workspace are in units of 256 bytes from its start.
#define AREA(type, area) ((global type *)(workspace + workspace_offset + (ulong)(area)*256))
#define CONTROL AREA(uint, 0)
#define RANGES AREA(index_t, ranges_area)

KERNEL void begin(global uchar *workspace, const ulong workspace_offset, const uint ranges_area, const uint n_ranges)
{
    for (uint word = 0; word < CONTROL_OF_SEGMENTS; word++) {
        CONTROL[word] = 0;
    }
    for (uint i = 0; i < 2 * n_ranges; i++) {
        RANGES[i] = 0;
    }
}

// Sorts segments, batch after batch, until none is left. Those of more than range_count elements are listed instead, as many as
// n_ranges at most. lane_count: elements of the longest segments that are sorted in lanes, 0: none are.
KERNEL void sort_segments(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                          const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                          global value_t *values_out, const ulong values_out_offset, SEGMENT_PARAMETERS,
                          global uchar *workspace, const ulong workspace_offset, ORDER_PARAMETERS, const uint begin_bit,
                          const uint end_bit, const uint in_place, const uint generate_index, const uint write_keys,
                          const uint has_x, const uint lane_count, const uint batch_count, const index_t slab_count,
                          const index_t range_count, const uint n_ranges, const uint ranges_area,
                          const uint workers_area, const uint worker_units, const uint lanes_area,
                          const uint lanes_units, const uint x_keys_area, const uint x_values_area,
                          const uint y_keys_area)
{
    struct comparison comparison;
    make_comparison(&comparison, begin_bit, end_bit, ORDER);
    const uint group = get_group_id(0);
    global uchar *own = AREA(uchar, workers_area + group * worker_units);
    global uchar *lists = AREA(uchar, lanes_area + group * lanes_units);
    global uchar *copies = lists + 2 * BATCH * sizeof(struct segment);
    global uchar *lanes = copies + MOST_OF_LANE * (KEY_BYTES + VALUE_BYTES);
    struct worker worker;
    worker.keys_in = keys_in + keys_in_offset;
    worker.values_in = values_in + values_in_offset;
    worker.out.keys = write_keys ? keys_out + keys_out_offset : AREA(key_t, y_keys_area);
    worker.out.values = values_out + values_out_offset;
    worker.counters = (global index_t *)own;
    worker.slab.keys = (global key_t *)(own + 2 * N_COUNTERS * INDEX_BYTES);
    worker.slab.values = (global value_t *)(own + 2 * N_COUNTERS * INDEX_BYTES + slab_count * KEY_BYTES);
    worker.slab_count = slab_count;
    worker.x.keys = AREA(key_t, x_keys_area);
    worker.x.values = AREA(value_t, x_values_area);
    worker.list = (global struct segment *)lists;
    worker.other_list = worker.list + BATCH;
    // Where values have 16 bytes, their copies are first.
    worker.copies.values = (global value_t *)copies;
    worker.copies.keys = (global key_t *)(copies + MOST_OF_LANE * VALUE_BYTES);
    // The workspace may begin anywhere.
    worker.lanes =
        (global lanes_t *)(lanes + (VECTOR_ALIGNMENT - (uintptr_t)lanes % VECTOR_ALIGNMENT) % VECTOR_ALIGNMENT);
    worker.generate_index = generate_index;
    worker.write_keys = write_keys;
    worker.in_place = in_place;
    worker.has_x = has_x;
    worker.n_in_lanes = worker.n_alone = worker.n_outside = 0;
    const index_t n_batches = n_segments / batch_count + (n_segments % batch_count != 0);
    for (index_t batch = atomic_inc(CONTROL + CONTROL_NEXT_BATCH); batch < n_batches;
         batch = atomic_inc(CONTROL + CONTROL_NEXT_BATCH)) {
        const index_t last = min((batch + 1) * batch_count, n_segments);
        uint n_short = 0;
        for (index_t i = batch * batch_count; i < last; i++) {
            struct segment segment;
            read_segment(&segment, i, SEGMENTS);
            if (segment.length > range_count) {
                const uint place = atomic_inc(CONTROL + CONTROL_RANGES);
                if (place < n_ranges) {
                    RANGES[2 * place] = segment.begin;
                    RANGES[2 * place + 1] = segment.length;
                    continue;
                }
            }
            if (segment.length > lane_count) {
                sort_alone(&worker, segment, comparison, ORDER);
            } else if (segment.length > 0) {
                worker.list[n_short++] = segment;
            }
        }
        if (n_short > 0) {
            sort_short(&worker, n_short, comparison, ORDER);
        }
    }
    atomic_add(CONTROL + CONTROL_IN_LANES, worker.n_in_lanes);
    atomic_add(CONTROL + CONTROL_ALONE, worker.n_alone);
    atomic_add(CONTROL + CONTROL_OUTSIDE, worker.n_outside);
}
