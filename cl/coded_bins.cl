// Bins of a task by an arithmetic code of its ranks: as even where their bits are not, and with keys that are frequent alone in theirs.

// An arithmetic code keeps the order of what it codes (Witten, Neal, Cleary, Arithmetic coding for data compression, 1987), and gives
// a rank a part of the bins that is as wide as the rank is likely. Each bit is taken to be set as often as in a sample, whatever the
// bits above it are.
#define CODE_DIGIT_BITS 4
#define CODE_DIGITS (8 * sizeof(rank_t) / CODE_DIGIT_BITS)
#define CODE_VALUES (1 << CODE_DIGIT_BITS)
#if GROUP_SIZE < 256
#define MOST_SAMPLES ((GROUP_SIZE + 1) / 2)
#else
#define MOST_SAMPLES 128
#endif
// Samples of which one is looked for that many others are alike.
#define CANDIDATES 8
struct code {
    uint2 parts[CODE_DIGITS *
                CODE_VALUES]; // what lies below a value of a digit, and how wide it is, as fractions of 2^32
    uint ones[CODE_DIGITS * CODE_DIGIT_BITS]; // samples that have a bit, but for those that are the frequent one
    uint alike[CANDIDATES];                   // samples that a candidate is alike
    rank_t samples[MOST_SAMPLES];
};
#define CODE_PLACES ((sizeof(struct code) + sizeof(rank_t) - 1) / sizeof(rank_t))

// Counts for each of the first samples how many it is alike.
INLINE void count_alike(local struct code *code, const uint n_samples)
{
    const uint n_candidates = min(n_samples, (uint)CANDIDATES), n_shares = 32;
    for (uint at = item_id(); at < CANDIDATES * n_shares; at += GROUP_SIZE) {
        const uint candidate = at % CANDIDATES;
        uint alike = 0;
        for (uint i = candidate < n_candidates ? at / CANDIDATES : n_samples; i < n_samples; i += n_shares) {
            alike += code->samples[i] == code->samples[candidate];
        }
        atomic_add(code->alike + candidate, alike);
    }
}

// The sample that is alike most others, and how many these are.
INLINE rank_t frequent_of(local const struct code *code, uint *n_alike)
{
    uint most = 0;
    UNROLL
    for (uint candidate = 0; candidate < CANDIDATES; candidate++) {
        most = max(most, code->alike[candidate] * CANDIDATES + candidate);
    }
    *n_alike = most / CANDIDATES;
    return code->samples[most % CANDIDATES];
}

// The part of the code below a bit that is set.
INLINE uint zeros_part(local const struct code *code, const uint bit, const uint n_samples)
{
    const uint zeros = 2 * (n_samples - code->ones[bit]);
    return clamp(zeros, 1u, 2 * n_samples - 1) * (0xffffffffu / (2 * n_samples)); // what has not been seen may be there
}

// Makes the code of ranks whose lowest n_digits digits vary, from a sample of them: ranks[i] is number i * GROUP_SIZE + item of count.
// Returns the frequent one. It ends with a barrier.
INLINE rank_t make_code(local struct code *code, const rank_t *ranks, const uint count, const uint n_digits)
{
    const uint item = item_id(), n_samples = min(count, (uint)MOST_SAMPLES);
    const uint n_rows = (count + GROUP_SIZE - 1) / GROUP_SIZE;
    // Some of each row; of the last one, which may be shorter, the first.
    uint row = item % n_rows;
    row = row * GROUP_SIZE + item < count ? row : 0;
    rank_t sample = ranks[0];
    UNROLL
    for (uint i = 1; i < ITEMS; i++) {
        sample = i == row ? ranks[i] : sample;
    }
    if (item < n_samples) {
        code->samples[item] = sample;
    }
    for (uint bit = item; bit < CODE_DIGITS * CODE_DIGIT_BITS; bit += GROUP_SIZE) {
        code->ones[bit] = 0;
    }
    for (uint candidate = item; candidate < CANDIDATES; candidate += GROUP_SIZE) {
        code->alike[candidate] = 0;
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    count_alike(code, n_samples);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    uint n_alike;
    const rank_t frequent = frequent_of(code, &n_alike);
    const uint n_others = max(n_samples - n_alike, 1u);
    // Work-items that read the same sample count different bits.
    const uint n_bits = CODE_DIGITS * CODE_DIGIT_BITS, n_shares = GROUP_SIZE > n_bits ? GROUP_SIZE / n_bits : 1;
    for (uint at = item; at < n_bits * n_shares; at += GROUP_SIZE) {
        const uint bit = at % n_bits;
        uint ones = 0;
        for (uint i = at / n_bits; i < n_samples; i += n_shares) {
            const rank_t other = code->samples[i];
            ones += other == frequent ? 0 : (uint)(other >> bit) & 1;
        }
        atomic_add(code->ones + bit, ones);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint at = item; at < n_digits * CODE_VALUES; at += GROUP_SIZE) {
        uint below = 0, width = 0xffffffff;
        for (uint i = CODE_DIGIT_BITS; i-- > 0;) {
            const uint zeros = mul_hi(width, zeros_part(code, at / CODE_VALUES * CODE_DIGIT_BITS + i, n_others));
            const bool is_set = at >> i & 1;
            below += is_set ? zeros : 0;
            width = is_set ? width - zeros : zeros;
        }
        code->parts[at] = (uint2)(below, width);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    return frequent;
}

// Ranks whose bins are found together, since each is a chain of reads.
#define CODED_TOGETHER 3

// The bins of the ranks from ranks[first] on. A rank that is as wide as two has one for itself: those below it end before its second
// one, where those above it do not begin. So has the frequent one, between those of what is below and above it.
INLINE void find_coded_bins(local const struct code *code, const rank_t frequent, const rank_t *ranks, const uint first,
                            const uint n_digits, uint bins[CODED_TOGETHER])
{
    uint below[CODED_TOGETHER], width[CODED_TOGETHER];
    UNROLL
    for (uint i = 0; i < CODED_TOGETHER; i++) {
        below[i] = 0;
        width[i] = (BINS - 2u) << (32 - BIN_BITS);
    }
    ROLLED
    for (uint digit = n_digits; digit-- > 0;) {
        UNROLL
        for (uint i = 0; i < CODED_TOGETHER; i++) {
            const rank_t rank = ranks[min(first + i, ITEMS - 1u)];
            const uint2 part =
                code->parts[digit * CODE_VALUES + ((uint)(rank >> digit * CODE_DIGIT_BITS) & (CODE_VALUES - 1))];
            below[i] += mul_hi(width[i], part.x);
            width[i] = mul_hi(width[i], part.y);
        }
    }
    UNROLL
    for (uint i = 0; i < CODED_TOGETHER; i++) {
        const rank_t rank = ranks[min(first + i, ITEMS - 1u)];
        bins[i] =
            (below[i] >> (32 - BIN_BITS)) + (width[i] >> (32 - BIN_BITS) >= 2) + (rank >= frequent) + (rank > frequent);
    }
}

// Sorts the ranks of a task into the slots of a bucket by bins of a code; what that does not serve is merged, and counted. Their lowest
// n_digits digits may vary.
INLINE void sort_by_code(const rank_t *ranks, const uint count, const uint n_digits, global uint *control,
                         const struct bucket *bucket)
{
    local struct code *code = (local struct code *)bucket->slots; // until it has told the bins
    const uint item = item_id();
    uint bins[(ITEMS + 1) / 2];
    clear_bins(bucket);
    const rank_t frequent = make_code(code, ranks, count, n_digits);
    UNROLL
    for (uint first = 0; first < ITEMS; first += CODED_TOGETHER) {
        if (first * GROUP_SIZE < count) {
            uint coded[CODED_TOGETHER];
            find_coded_bins(code, frequent, ranks, first, n_digits, coded);
            UNROLL
            for (uint i = first; i < min(first + CODED_TOGETHER, (uint)ITEMS); i++) {
                if (i * GROUP_SIZE + item < count) {
                    SET_SLOT(bins, i, coded[i - first]);
                    add_to_bin(bucket->bins, coded[i - first]);
                }
            }
        }
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    scan_bins(bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    FOR_BUCKET(count, const uint to = add_to_bin(bucket->bins, GET_SLOT(bins, i)); bucket->slots[PLACE(to)] = ranks[i]);
    end_slots(count, bucket);
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    bool is_done = false;
    for (uint round = 0; round < MAX_ROUNDS && !is_done; round++) { // the same for the whole work-group
        sort_rows(bucket->slots, count, item, GROUP_SIZE);
        is_done = is_sorted(bucket, bucket->slots, count, count, item, GROUP_SIZE);
        GROUP_BARRIER(CLK_LOCAL_MEM_FENCE); // that has been read
    }
    if (!is_done && item == 0) { // outside of the branch, where PoCL 3.1 leaves it out
        atomic_inc(control + CONTROL_MERGED);
    }
    if (!is_done) {
        merge_slots(bucket->slots, count);
        END_OF_BRANCH();
    }
}
