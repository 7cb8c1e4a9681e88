// Checks the options the host gave and defines the types and the key order that every kernel uses.

#if !defined KEY_BYTES || (KEY_BYTES != 1 && KEY_BYTES != 2 && KEY_BYTES != 4 && KEY_BYTES != 8)
#error "KEY_BYTES has to be 1, 2, 4 or 8"
#endif
#if !defined KEY_IS_FLOAT || (KEY_IS_FLOAT != 0 && KEY_IS_FLOAT != 1)
#error "KEY_IS_FLOAT has to be 0 or 1"
#endif
#if !defined VALUE_BYTES || (VALUE_BYTES != 0 && VALUE_BYTES != 1 && VALUE_BYTES != 2 && VALUE_BYTES != 4 &&           \
                             VALUE_BYTES != 8 && VALUE_BYTES != 16)
#error "VALUE_BYTES has to be 0, 1, 2, 4, 8 or 16"
#endif
#if !defined INDEX_BYTES || (INDEX_BYTES != 4 && INDEX_BYTES != 8)
#error "INDEX_BYTES has to be 4 or 8"
#endif
#if !defined GROUP_SIZE || GROUP_SIZE < 1 || (GROUP_SIZE & (GROUP_SIZE - 1)) != 0
#error "GROUP_SIZE has to be a power of two"
#endif
#if !defined ITEMS || ITEMS < 1 || GROUP_SIZE * ITEMS > 65535
#error "ITEMS has to be 1 or more, and GROUP_SIZE * ITEMS 65535 at most"
#endif
#if !defined RADIX_BITS || RADIX_BITS < 1 || RADIX_BITS > 8
#error "RADIX_BITS has to be 1 to 8"
#endif
#if !defined RANK_BITS || RANK_BITS < 1 || RANK_BITS > RADIX_BITS
#error "RANK_BITS has to be 1 to RADIX_BITS"
#endif
#if !defined ELEMENT_WORDS || (ELEMENT_WORDS != 1 && ELEMENT_WORDS != 2)
#error "ELEMENT_WORDS has to be 1 or 2"
#endif
#if !defined UNROLL_LOOPS || (UNROLL_LOOPS != 0 && UNROLL_LOOPS != 1)
#error "UNROLL_LOOPS has to be 0 or 1"
#endif
#if !defined PTX || (PTX != 0 && PTX != 1)
#error "PTX has to be 0 or 1"
#endif
// The front end has to inline functions: PoCL 3.1 crashes now and then where its own pass does, and in a function that is given an
// array in local memory Clang may name the array instead of the parameter, and then PoCL gives it another one than the kernel's.
#define INLINE static inline __attribute__((always_inline))
#define KERNEL kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
// Before loops over the ITEMS of a work-item: on a GPU their arrays are registers only if all indices are known. On a CPU that
// gains nothing and compiling takes many times as long, as it does where there are more items than registers.
#if UNROLL_LOOPS && ITEMS <= 64
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

// Before loops that are better not unrolled: reading instructions takes time where each runs once or a few times.
#if UNROLL_LOOPS
#define ROLLED _Pragma("unroll 1")
#else
#define ROLLED
#endif

#define TILE (GROUP_SIZE * ITEMS)
#define RADIX (1 << RADIX_BITS)

#if KEY_BYTES == 1
typedef uchar key_t;
#elif KEY_BYTES == 2
typedef ushort key_t;
#elif KEY_BYTES == 4
typedef uint key_t;
#else
typedef ulong key_t;
#endif

// Positions and counts of elements.
#if INDEX_BYTES == 4
typedef uint index_t;
#else
typedef ulong index_t;
#endif

// Values are bytes. Without values the type only fills the parameter lists.
#if VALUE_BYTES == 2
typedef ushort value_t;
#elif VALUE_BYTES == 4
typedef uint value_t;
#elif VALUE_BYTES == 8
typedef ulong value_t;
#elif VALUE_BYTES == 16
typedef struct {
    ulong low, high;
} value_t;
#else
typedef uchar value_t;
#endif

// The key order, made by clsort__key_order() on the host.
#define ORDER_PARAMETERS                                                                                               \
    const ulong order_flip, const ulong order_bias, const ulong order_infinity, const uint order_merge
#define ORDER order_flip, order_bias, order_infinity, order_merge

#define KEY_SIGN ((key_t)((key_t)1 << (8 * KEY_BYTES - 1)))

// The unsigned integer whose order is the key's.
INLINE key_t key_rank(key_t bits, ORDER_PARAMETERS)
{
#if KEY_IS_FLOAT
    const key_t magnitude = bits & (key_t)~KEY_SIGN;
    if (order_merge && magnitude > (key_t)order_infinity) {
        bits = (key_t)~KEY_SIGN;
    }
    if (order_merge && magnitude == 0) {
        bits = 0;
    }
    bits = bits & KEY_SIGN ? (key_t)~bits : (key_t)(bits | KEY_SIGN);
    bits -= (key_t)order_bias;
#endif
    return bits ^ (key_t)order_flip;
}

// The key with a rank, where order_merge is 0 or rank_is_merged() says no.
INLINE key_t key_of_rank(const key_t rank, ORDER_PARAMETERS)
{
    key_t bits = rank ^ (key_t)order_flip;
#if KEY_IS_FLOAT
    bits += (key_t)order_bias;
    bits = bits & KEY_SIGN ? (key_t)(bits ^ KEY_SIGN) : (key_t)~bits;
#endif
    return bits;
}

#if KEY_IS_FLOAT
// Whether several keys have this rank if order_merge is 1: zeros and NaNs do.
INLINE bool rank_is_merged(const key_t rank, ORDER_PARAMETERS)
{
    const key_t zero = key_rank(0, order_flip, order_bias, order_infinity, 1);
    const key_t nan = key_rank((key_t)~KEY_SIGN, order_flip, order_bias, order_infinity, 1);
    return rank == zero || rank == nan;
}
#endif

// What generate_index says that values are, where there are segments: 0 is read, 1 positions in the array, 2 in the segment.
#define IN_SEGMENT 2

// The value at position i of the input, or i itself where the values are the positions (argsort).
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
#define VALUE_AT(i) (generate_index ? (value_t)(i) : values_in[i])
#else
#define VALUE_AT(i) values_in[i]
#endif
