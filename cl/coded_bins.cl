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
struct code {
    uint2 parts[CODE_DIGITS *
                CODE_VALUES]; // what lies below a value of a digit, and how wide it is, as fractions of 2^32
    uint ones[CODE_DIGITS * CODE_DIGIT_BITS]; // samples that have a bit
    rank_t samples[MOST_SAMPLES];
};
#define CODE_PLACES ((sizeof(struct code) + sizeof(rank_t) - 1) / sizeof(rank_t))

// The part of the code below a bit that is set.
INLINE uint zeros_part(local const struct code *code, const uint bit, const uint n_samples)
{
    const uint zeros = 2 * (n_samples - code->ones[bit]);
    return clamp(zeros, 1u, 2 * n_samples - 1) * (0xffffffffu / (2 * n_samples)); // what has not been seen may be there
}

// Makes the code of ranks whose lowest n_digits digits vary, from a sample of them: ranks[i] is number i * GROUP_SIZE + item of count. It
// ends with a barrier.
INLINE void make_code(local struct code *code, const rank_t *ranks, const uint count, const uint n_digits)
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
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    // Work-items that read the same sample count different bits.
    const uint n_bits = CODE_DIGITS * CODE_DIGIT_BITS, n_shares = GROUP_SIZE > n_bits ? GROUP_SIZE / n_bits : 1;
    for (uint at = item; at < n_bits * n_shares; at += GROUP_SIZE) {
        const uint bit = at % n_bits;
        uint ones = 0;
        for (uint i = at / n_bits; i < n_samples; i += n_shares) {
            ones += (uint)(code->samples[i] >> bit) & 1;
        }
        atomic_add(code->ones + bit, ones);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
    for (uint at = item; at < n_digits * CODE_VALUES; at += GROUP_SIZE) {
        uint below = 0, width = 0xffffffff;
        for (uint i = CODE_DIGIT_BITS; i-- > 0;) {
            const uint zeros = mul_hi(width, zeros_part(code, at / CODE_VALUES * CODE_DIGIT_BITS + i, n_samples));
            const bool is_set = at >> i & 1;
            below += is_set ? zeros : 0;
            width = is_set ? width - zeros : zeros;
        }
        code->parts[at] = (uint2)(below, width);
    }
    GROUP_BARRIER(CLK_LOCAL_MEM_FENCE);
}

// The bin of a rank. What is narrower than a bin is not looked at. A rank that is as wide as two has one for itself: those below it
// end before its second one, where those above it do not begin.
INLINE uint coded_bin(local const struct code *code, const rank_t rank, const uint n_digits)
{
    uint below = 0, width = 0xffffffff;
    for (uint digit = n_digits; digit > 0 && width >> (32 - BIN_BITS) > 0;) {
        digit--;
        const uint2 part =
            code->parts[digit * CODE_VALUES + ((uint)(rank >> digit * CODE_DIGIT_BITS) & (CODE_VALUES - 1))];
        below += mul_hi(width, part.x);
        width = mul_hi(width, part.y);
    }
    return (below >> (32 - BIN_BITS)) + (width >> (32 - BIN_BITS) >= 2);
}
