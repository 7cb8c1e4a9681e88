/* Small sorts whose result was worked out by hand. */
#include "vectors.h"

#define NEGATIVE(number) ((uint64_t) - (int64_t)(number))
#define DESCENDING CLSORT_DESCENDING
#define TOTAL CLSORT_FLOAT_TOTAL_ORDER

/* Signed keys of one width: mixed signs; with the type's ends; descending, where negating the keys would lose the minimum. */
#define SIGNED_VECTORS(type, width)                                                                                    \
    {"signed keys", CLSORT_KEYS, type, 0, 0, 0, 10,                                                                    \
     {5, NEGATIVE(1), 3, NEGATIVE(5), 1, NEGATIVE(3), 2, NEGATIVE(4), 4, NEGATIVE(2)},                                 \
     {NEGATIVE(5), NEGATIVE(4), NEGATIVE(3), NEGATIVE(2), NEGATIVE(1), 1, 2, 3, 4, 5}},                                \
        {"signed keys with the type's ends", CLSORT_KEYS, type, 0, 0, 0, 12,                                           \
         {5, NEGATIVE(1), INT##width##_MAX, 3, NEGATIVE(5), 1, NEGATIVE(3), 2, NEGATIVE(4), 4, NEGATIVE(2),            \
          (uint64_t)INT##width##_MIN},                                                                                 \
         {(uint64_t)INT##width##_MIN, NEGATIVE(5), NEGATIVE(4), NEGATIVE(3), NEGATIVE(2), NEGATIVE(1), 1, 2, 3, 4, 5,  \
          INT##width##_MAX}},                                                                                          \
        {"signed keys with the type's ends, descending", CLSORT_KEYS, type, DESCENDING, 0, 0, 5,                       \
         {0, (uint64_t)INT##width##_MIN, 1, INT##width##_MAX, NEGATIVE(1)},                                            \
         {INT##width##_MAX, 1, 0, NEGATIVE(1), (uint64_t)INT##width##_MIN}}

const struct vector vectors[] = {
    SIGNED_VECTORS(CLSORT_I8, 8),
    SIGNED_VECTORS(CLSORT_I16, 16),
    SIGNED_VECTORS(CLSORT_I32, 32),
    SIGNED_VECTORS(CLSORT_I64, 64),
    /* 1, -1, +0, -0, +inf, -inf, smallest denormal, its negative, 3.4e38, -3.4e38 */
    {"f32 numbers of every kind", CLSORT_KEYS, CLSORT_F32, 0, 0, 0, 10,
     {0x3f800000, 0xbf800000, 0, 0x80000000, 0x7f800000, 0xff800000, 1, 0x80000001, 0x7f7fc99e, 0xff7fc99e},
     {0xff800000, 0xff7fc99e, 0xbf800000, 0x80000001, 0x80000000, 0, 1, 0x3f800000, 0x7f7fc99e, 0x7f800000}},
    {"f32 zeros and denormals, descending", CLSORT_KEYS, CLSORT_F32, DESCENDING, 0, 0, 4,
     {0x80000000, 1, 0, 0x80000001},
     {1, 0, 0x80000000, 0x80000001}},
    /* 0, -0, 1, -0, 0, -1 */
    {"f32 pairs, equal zeros", CLSORT_PAIRS, CLSORT_F32, 0, 0, 0, 6,
     {0, 0x80000000, 0x3f800000, 0x80000000, 0, 0xbf800000},
     {5, 0, 1, 3, 4, 2}},
    {"f32 pairs, zeros in total order", CLSORT_PAIRS, CLSORT_F32, TOTAL, 0, 0, 6,
     {0, 0x80000000, 0x3f800000, 0x80000000, 0, 0xbf800000},
     {5, 1, 3, 0, 4, 2}},
    {"f32 pairs, equal zeros, descending", CLSORT_PAIRS, CLSORT_F32, DESCENDING, 0, 0, 6,
     {0, 0x80000000, 0x3f800000, 0x80000000, 0, 0xbf800000},
     {2, 0, 1, 3, 4, 5}},
    /* 3, NaN, 1, 2, NaN, 0 */
    {"f32 NaNs come last", CLSORT_KEYS, CLSORT_F32, 0, 0, 0, 6,
     {0x40400000, 0x7fc00000, 0x3f800000, 0x40000000, 0x7fc00000, 0},
     {0, 0x3f800000, 0x40000000, 0x40400000, 0x7fc00000, 0x7fc00000}},
    {"f32 NaNs come first when descending", CLSORT_KEYS, CLSORT_F32, DESCENDING, 0, 0, 6,
     {0x40400000, 0x7fc00000, 0x3f800000, 0x40000000, 0x7fc00000, 0},
     {0x7fc00000, 0x7fc00000, 0x40400000, 0x40000000, 0x3f800000, 0}},
    /* NaNs of both signs and three payloads, between +inf and -inf */
    {"f32 NaN payloads survive, by bits", CLSORT_KEYS, CLSORT_F32, 0, 0, 0, 7,
     {0xffc00001, 0x7fc12345, 0x7f800000, 0xff800001, 0x7f800001, 0xff800000, 0x7fffffff},
     {0xff800000, 0x7f800000, 0x7f800001, 0x7fc12345, 0x7fffffff, 0xffc00001, 0xff800001}},
    {"f32 NaNs in total order", CLSORT_KEYS, CLSORT_F32, TOTAL, 0, 0, 7,
     {0xffc00001, 0x7fc12345, 0x7f800000, 0xff800001, 0x7f800001, 0xff800000, 0x7fffffff},
     {0xffc00001, 0xff800001, 0xff800000, 0x7f800000, 0x7f800001, 0x7fc12345, 0x7fffffff}},
    {"f32 argsort, all NaNs are equal", CLSORT_ARGSORT, CLSORT_F32, 0, 0, 0, 7,
     {0xffc00001, 0x7fc12345, 0x7f800000, 0xff800001, 0x7f800001, 0xff800000, 0x7fffffff},
     {5, 2, 0, 1, 3, 4, 6}},
    {"f64 argsort, all NaNs are equal, descending", CLSORT_ARGSORT, CLSORT_F64, DESCENDING, 0, 0, 5,
     {0x3ff0000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff0000000000000, 0xbff0000000000000},
     {1, 2, 3, 0, 4}},
    {"f16 total order", CLSORT_KEYS, CLSORT_F16, TOTAL, 0, 0, 10,
     {0x7c00, 0xfc00, 0x0001, 0x8001, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x0000, 0x8000},
     {0xfc00, 0xfbff, 0xbc00, 0x8001, 0x8000, 0x0000, 0x0001, 0x3c00, 0x7bff, 0x7c00}},
    {"f16 numeric order", CLSORT_PAIRS, CLSORT_F16, 0, 0, 0, 6,
     {0xfe00, 0x8000, 0x0000, 0x7c01, 0x7c00, 0x8001},
     {5, 1, 2, 4, 0, 3}},
    {"bf16 numeric order", CLSORT_PAIRS, CLSORT_BF16, 0, 0, 0, 6,
     {0xffc0, 0x8000, 0x0000, 0x7f81, 0x7f80, 0xfc00},
     {5, 1, 2, 4, 0, 3}},
    {"i32 by the low byte", CLSORT_KEYS, CLSORT_I32, CLSORT_BIT_RANGE, 0, 8, 8,
     {NEGATIVE(1), 0, 1, NEGATIVE(128), 127, 256, NEGATIVE(256), 65535},
     {0, 256, NEGATIVE(256), 1, 127, NEGATIVE(128), NEGATIVE(1), 65535}},
    {"i32 by the sign", CLSORT_PAIRS, CLSORT_I32, CLSORT_BIT_RANGE, 31, 32, 5,
     {1, NEGATIVE(1), 0, NEGATIVE(7), 7},
     {1, 3, 0, 2, 4}},
    {"i32 by the sign, descending", CLSORT_PAIRS, CLSORT_I32, CLSORT_BIT_RANGE | DESCENDING, 31, 32, 5,
     {1, NEGATIVE(1), 0, NEGATIVE(7), 7},
     {0, 2, 4, 1, 3}},
    {"empty bit range copies", CLSORT_PAIRS, CLSORT_U32, CLSORT_BIT_RANGE | DESCENDING, 7, 7, 4, {3, 1, 2, 0}, {0, 1, 2, 3}},
    {"descending pairs are stable", CLSORT_PAIRS, CLSORT_U32, DESCENDING, 0, 0, 6, {3, 1, 3, 2, 1, 3}, {0, 2, 5, 3, 1, 4}},
    {"ascending pairs are stable", CLSORT_PAIRS, CLSORT_U32, 0, 0, 0, 6, {3, 1, 3, 2, 1, 3}, {1, 4, 3, 0, 2, 5}},
    {"eleven keys in reverse", CLSORT_KEYS, CLSORT_U32, 0, 0, 0, 11,
     {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {"u64 halves", CLSORT_KEYS, CLSORT_U64, 0, 0, 0, 4,
     {UINT64_C(0x100000000), 0xffffffff, UINT64_MAX, UINT64_C(0x8000000000000000)},
     {0xffffffff, UINT64_C(0x100000000), UINT64_C(0x8000000000000000), UINT64_MAX}},
};
const size_t n_vectors = sizeof vectors / sizeof vectors[0];
