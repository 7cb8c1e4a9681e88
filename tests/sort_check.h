/*
 * One sort, run and checked against the oracle: keys and values bit for bit (ties in open order: the same records), the
 * input unchanged out of place, 64 guard elements around everything the library may write, the status, an end in time.
 */
#ifndef TESTS_SORT_CHECK_H
#define TESTS_SORT_CHECK_H

#include "data.h"
#include "oracle.h"
#include "support.h"

/* Elements of 0xA5 bytes before and after each range. */
#define N_GUARD 64

/* Every operation with every size of values or indices, and the flags of every order; the first two are all that are not floats have. */
enum { N_VALUE_VARIANTS = 11, N_KEY_ORDERS = 4 };
struct value_variant {
    clsort_operation operation;
    uint32_t bytes;
};
extern const struct value_variant value_variants[N_VALUE_VARIANTS];
extern const uint32_t key_orders[N_KEY_ORDERS];

enum workspace_kind { WORKSPACE_POOL, WORKSPACE_LEAST, WORKSPACE_BEST };

/* The segments of a case: by offsets, or all of one length. */
struct segment_case {
    uint64_t n;
    const uint64_t *begins, *ends; /* ends NULL: of one array, begins[i + 1] */
    uint32_t offset_bytes;         /* 4 or 8 */
    uint64_t length, stride;       /* of one length, if not 0; then the above are not used */
    uint64_t promised;             /* max_segment_length */
    bool copied;                   /* segments that are longer than promised have to come out as they were */
};

struct sort_case {
    clsort_operation operation;
    clsort_key_type key_type;
    uint64_t count;
    struct data data;
    const void *given; /* the keys of DATA_GIVEN */
    uint32_t flags;
    uint32_t begin_bit, end_bit;         /* with CLSORT_BIT_RANGE */
    uint64_t value_bytes;                /* pairs; 0 is 4 */
    uint32_t index_bytes;                /* argsort; 0 is 4 */
    const struct segment_case *segments; /* NULL: one whole array */
    const char *algorithm;
    bool in_place;
    bool without_keys_out; /* argsort */
    enum workspace_kind workspace;
    uint64_t start;  /* element offset of every range; 0 is N_GUARD */
    bool misaligned; /* buffers over host memory that starts one element past an aligned address */
    bool exact;      /* buffers of exactly count elements, no guards: for a checker of memory accesses */
};

enum sort_outcome { SORT_RIGHT, SORT_REFUSED, SORT_WRONG };

/*
 * Runs the case on the device's queue. SORT_REFUSED: the named algorithm cannot do it (INVALID_ALGORITHM) and nothing was
 * written. SORT_WRONG: message says what. Threads may call it at the same time.
 */
enum sort_outcome run_sort(const struct device *device, const struct sort_case *c, char *message, size_t bytes);
/* Runs the case and asserts that it is right. */
void check_sort(const struct device *device, struct sort_case c);
/* The same, but the named algorithm may refuse the case: returns whether it ran. */
bool check_sort_if_fits(const struct device *device, struct sort_case c);
/* Compiles what the case needs, which takes PoCL half a minute for some programs, outside the time limit of a sort. */
void prepare_sort(const struct device *device, const struct sort_case *c);
/* Number of sorts that were found right so far in this process. */
unsigned long n_sorts_checked(void);

/* The whole case in words. */
void describe_case(const struct sort_case *c, char *text, size_t bytes);
/* The order that a case is sorted in. */
struct oracle_order order_of_case(const struct sort_case *c);

/* Sizes: 0..70; 2^k-1, 2^k, 2^k+1 for k from 5; 3*2^k+1 for k from 4; up to largest. The caller frees. */
uint64_t *edge_sizes(uint64_t largest, size_t *n_sizes);

#endif
