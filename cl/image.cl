// Images of keys: what sorts by single work-items move in place of keys. An image is made once, compared in every pass, and turned
// back at the end.

// Functions that are called on CPU devices: PoCL compiles a kernel six times over, with all that is inlined there, and compilers keep
// a loop's variables in registers only if the function around it is small. GPUs are not for calls.
#if UNROLL_LOOPS
#define CALLED INLINE
#else
#define CALLED static __attribute__((noinline))
#endif

// The rank in which no two keys are alike, so that it gives back its key: key_rank() without merging, and without a branch on the
// sign, which no processor can foretell.
INLINE key_t image_of_key(key_t bits, ORDER_PARAMETERS)
{
#if KEY_IS_FLOAT
    const key_t all_if_negative = (key_t)(0 - (bits >> (8 * KEY_BYTES - 1)));
    bits ^= all_if_negative | KEY_SIGN;
    bits -= (key_t)order_bias;
#endif
    return bits ^ (key_t)order_flip;
}

INLINE key_t key_of_image(const key_t image, ORDER_PARAMETERS)
{
    key_t bits = image ^ (key_t)order_flip;
#if KEY_IS_FLOAT
    bits += (key_t)order_bias;
    const key_t all_if_negative = (key_t)((bits >> (8 * KEY_BYTES - 1)) - 1);
    bits ^= all_if_negative | KEY_SIGN;
#endif
    return bits;
}

// Whether an image is its key.
#define IMAGE_IS_KEY (!KEY_IS_FLOAT && order_flip == 0)

// Whether the ranks of several keys may be merged: those of zeros and of NaNs, where values tell them apart.
#define MERGES_RANKS (KEY_IS_FLOAT && VALUE_BYTES)

// How images are compared: by some of their bits, and merged ranks by the rank.
struct comparison {
    key_t mask;
#if MERGES_RANKS
    key_t minus_zero, plus_zero;
    key_t first_nan, n_nans; // images of NaNs are neighbours; n_nans is one less than there are
    key_t nan;
#endif
};

// Structures are filled through pointers: where a function that returns one is inlined, Clang makes an intrinsic that Oclgrind 21.10
// does not have.
INLINE void make_comparison(struct comparison *comparison, const uint begin_bit, const uint end_bit, ORDER_PARAMETERS)
{
    const uint n_bits = end_bit - begin_bit;
    const key_t all = (key_t) ~(key_t)0;
    comparison->mask = n_bits == 0 ? 0 : (key_t)((key_t)(all >> (8 * KEY_BYTES - n_bits)) << begin_bit);
#if MERGES_RANKS
    // Without merging, images that stand for themselves.
    comparison->minus_zero = comparison->plus_zero = comparison->first_nan = comparison->nan = comparison->n_nans = 0;
    if (order_merge) {
        const key_t positive = image_of_key((key_t)(order_infinity + 1), ORDER);
        const key_t negative = image_of_key((key_t)((order_infinity + 1) | KEY_SIGN), ORDER);
        comparison->minus_zero = image_of_key(KEY_SIGN, ORDER);
        comparison->plus_zero = image_of_key(0, ORDER);
        comparison->first_nan = min(positive, negative);
        comparison->n_nans = max(positive, negative) - comparison->first_nan;
        comparison->nan = key_rank((key_t)~KEY_SIGN, ORDER);
    }
#endif
}

// The image of the rank that an image is merged to.
INLINE key_t merged(key_t image, const struct comparison comparison)
{
#if MERGES_RANKS
    image = image == comparison.minus_zero ? comparison.plus_zero : image;
    image = (key_t)(image - comparison.first_nan) <= comparison.n_nans ? comparison.nan : image;
#endif
    return image;
}

// What of an image is compared.
INLINE key_t compared(const key_t image, const struct comparison comparison)
{
    return merged(image, comparison) & comparison.mask;
}

// A digit of what is compared: width bits from bit shift on, and of these the ones in mask, which leaves out what is not compared
// and what is beyond the key.
struct digit {
    uint shift, mask;
};

INLINE void make_digit(struct digit *digit, const uint shift, const uint width, const struct comparison comparison)
{
    const bool is_beyond = shift >= 8 * KEY_BYTES;
    digit->shift = is_beyond ? 0 : shift;
    digit->mask = is_beyond ? 0 : (uint)(comparison.mask >> shift) & ((1u << width) - 1);
}

INLINE uint digit_of(const key_t image, const struct digit digit, const struct comparison comparison)
{
    return (uint)(merged(image, comparison) >> digit.shift) & digit.mask;
}

// Number of bits up to the highest that is set; 0 for 0.
INLINE uint bit_length(const key_t bits)
{
    return 8 * KEY_BYTES - (uint)clz(bits);
}

// Number of the lowest bit that is set.
INLINE uint lowest_bit(const key_t bits)
{
    return bit_length(bits & (key_t)(0 - bits)) - 1;
}
