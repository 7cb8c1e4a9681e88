/* Tuning parameters: rows, look-up, scaling by key size, legality. Pure: no OpenCL calls. */
#ifndef CLSORT_TUNING_H
#define CLSORT_TUNING_H

#include "device.h"

/* X(field, what it is). All are counts, for keys of 4 bytes but for those of counting. */
#define TUNING_FIELDS(X)                                                                                               \
    X(group_size, "work-items of a work-group that sorts tiles; a power of two")                                       \
    X(items, "keys of a tile for each work-item")                                                                      \
    X(radix_bits, "digit width of a pass over global memory, 1 to 8")                                                  \
    X(rank_bits, "digit width of a step in local memory, 1 to radix_bits; not used where group_size is 1")             \
    X(blocks_per_unit, "work-groups a pass is given for each compute unit")                                            \
    X(local_group_size, "work-items of the work-group that sorts a whole small array; a power of two")                 \
    X(local_items, "keys of a small array for each work-item")                                                         \
    X(bitonic_count, "counts up to this go to bitonic rather than radix_local")                                        \
    X(hybrid_group_size, "work-items of a work-group that partitions for hybrid; a power of two above 1")              \
    X(hybrid_items, "elements of its tile for each work-item; fewer where local memory is short")                      \
    X(hybrid_bits, "digit width of its partitions, 1 to 8")                                                            \
    X(bucket_group_size, "work-items of a work-group that sorts a bucket in local memory; a power of two above 1")     \
    X(bucket_items, "elements of a bucket for each work-item; fewer where local memory is short")                      \
    X(hybrid_count, "keys alone of this count on go to hybrid_exact, of four times it on to hybrid; 0: none")          \
    X(stable_items,                                                                                                    \
      "pairs of a tile of hybrid_stable for each of hybrid_group_size; fewer where local memory is short")             \
    X(stable_count, "pairs and argsort of this count on go to hybrid_stable; 0: none")                                 \
    X(ptx, "1: NVIDIA's PTX instructions stand in for some steps of kernels; 0: OpenCL C alone")                       \
    X(counting_group_size, "work-items of a work-group that counts keys; a power of two")                              \
    X(counting_items, "words of counters in local memory for each work-item that counts keys")                         \
    X(counting_groups, "work-groups that count keys for each compute unit")                                            \
    X(counting_count, "counts of 2-byte keys alone from this on go to counting, of 1-byte keys from a 256th; 0: none") \
    X(rank_count, "counts up to this go to rank; 0: none")                                                             \
    X(samplesort_count, "counts up to this go to samplesort, if they do not go to rank; 0: none")                      \
    X(at_once_count, "counts up to this samplesort does in one launch, where it is not in place")                      \
    X(spread_group_size, "work-items of a work-group of rank and samplesort; a power of two")                          \
    X(spread_items, "keys of a work-group's local memory in rank and samplesort for each work-item")                   \
    X(serial_count, "counts up to this go to serial_radix; 0: none")                                                   \
    X(chunked_count, "counts from this on go to chunked_radix, and all segments to segmented_serial; 0: none")         \
    X(chunked_groups, "work-groups of chunked_radix for each compute unit")                                            \
    X(bucket_keys, "elements of a bucket that chunked_radix sorts in a core's cache")                                  \
    X(plain_kib, "KiB of output up to which chunked_radix needs no buffers; 0: half of the device's cache")            \
    X(network_keys,                                                                                                    \
      "segments of up to so many keys are sorted in registers; 0: segmented_hybrid, segmented_pairs not taken")        \
    X(segment_levels, "levels at which many work-groups partition the longest segments, 1 to 64")

struct tuning {
#define TUNING_MEMBER(field, text) uint32_t field;
    TUNING_FIELDS(TUNING_MEMBER)
#undef TUNING_MEMBER
};

/* struct tuning is uint32_t members only: field i, in their order. */
#define TUNING_COUNT(field, text) +1
enum { tuning_n_fields = 0 TUNING_FIELDS(TUNING_COUNT) };
#undef TUNING_COUNT
_Static_assert(tuning_n_fields <= 64, "a field has a bit of tuning_user.overridden");
uint32_t *clsort__tuning_field(struct tuning *values, size_t i);

/* A row applies where all of its conditions hold. */
struct tuning_row {
    const char *vendor;   /* glob over the device's vendor, * and ? */
    const char *device;   /* glob over the device's name */
    cl_device_type type;  /* any of these bits, or CL_DEVICE_TYPE_ALL */
    uint32_t key_bytes;   /* 0: any */
    uint32_t value_bytes; /* 0: any; TUNING_NO_VALUES: keys alone */
    struct tuning values;
};

#define TUNING_NO_VALUES UINT32_MAX

/* The built-in rows, specific first; the last is legal on every device. */
extern const struct tuning_row clsort__tuning_rows[];
extern const size_t clsort__tuning_n_rows;

/* A row of a file, with a condition that the built-in ones do without: they outlive versions of drivers. */
struct tuning_user_row {
    struct tuning_row row; /* its globs are owned */
    const char *driver;    /* glob over the version of the device's driver, owned */
};

/* Rows of a user's file and fields laid over every row. */
struct tuning_user {
    struct tuning_user_row *rows; /* owned */
    size_t n_rows;
    size_t line; /* of the text of rows, from 1: that where reading ended */
    struct tuning overrides;
    uint64_t overridden; /* bit i: field i of TUNING_FIELDS is overridden */
    int last_row_only;   /* of the built-in ones, and none of the file */
};

/* What a look-up found. */
struct tuning_choice {
    struct tuning values;     /* scaled to the key size */
    struct tuning row_values; /* as a row has them, for keys of 4 bytes, with what was laid over them */
    const struct tuning_row *row;
    const char *driver; /* the row's glob over the driver's version; NULL: any */
    size_t row_number;  /* from 1 */
    int is_of_user;     /* the row */
    int is_overridden;  /* fields were laid over it */
};

/* Which row was found, by what conditions, and what was laid over it, as text. */
void clsort__tuning_print_source(const struct tuning_choice *choice, char *text, size_t bytes);

/* Reads "name=value,..." into overrides; an empty text is fine. */
clsort_status clsort__tuning_parse_overrides(const char *text, struct tuning_user *user, struct failure *failure);

/* Reads the text of a file of rows, one a line: the row's conditions (vendor=GLOB, device=GLOB, driver=GLOB, key_bytes=N,
   value_bytes=N or none) and all fields, as name=value with commas between. # starts a comment. version=1 may stand first. */
clsort_status clsort__tuning_parse_rows(const char *text, struct tuning_user *user, struct failure *failure);

void clsort__tuning_user_clear(struct tuning_user *user);

/* Sizes of what is sorted. */
struct tuning_use {
    uint32_t key_bytes;
    uint32_t value_bytes; /* 0: keys only */
    uint32_t index_bytes; /* of positions */
};

/* The first row that applies and is legal: of user (may be NULL), else built in. Fails only if an override is not legal. */
clsort_status clsort__tuning_look_up(const struct device_caps *caps, const struct tuning_user *user,
                                     const struct tuning_use *use, struct tuning_choice *choice,
                                     struct failure *failure);

/* Writes a line for each row that applies but is not legal and so was passed over before the choice, and why. */
void clsort__tuning_print_passed(const struct device_caps *caps, const struct tuning_user *user,
                                 const struct tuning_use *use, const struct tuning_choice *choice, char *text,
                                 size_t bytes);

/* Local memory of the kernels of cl/samplesort.cl, for ranks of so many bytes, and what a compiler may take for itself. */
uint64_t clsort__tuning_samplesort_bytes(uint64_t group_size, uint64_t items, uint32_t rank_bytes);

/* The row's values for keys of this size: a tile stays about as large in bytes. */
struct tuning clsort__tuning_scale(struct tuning values, uint32_t key_bytes);

/* The one list of constraints on scaled values; NULL if they are met, else a text that names the field. */
const char *clsort__tuning_illegal(const struct device_caps *caps, const struct tuning *values,
                                   const struct tuning_use *use);

/* Writes "name=value,..." into text. */
void clsort__tuning_print(const struct tuning *values, char *text, size_t bytes);

#endif
