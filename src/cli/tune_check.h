/* tune_check.h: data of a trial, and the result it has to have, worked out by a host sort. */
#ifndef CLI_TUNE_CHECK_H
#define CLI_TUNE_CHECK_H

#include "key.h"

#include <stdbool.h>

/* Arrays of count keys and values; values are the positions, so that the order of equal keys shows. */
struct tune_check {
    const struct key_info *info;
    clsort_operation operation;
    uint32_t value_bytes;
    void *keys, *keys_out, *expected_keys;
    void *values, *values_out, *expected_values;
    uint64_t *scratch[4]; /* keys and positions, twice */
};

/* Makes room for count elements and fills in random keys, of which a few are equal. The key type is an unsigned one. */
bool tune_check_make(struct tune_check *check, const struct key_info *info, clsort_operation operation,
                     uint32_t value_bytes, uint64_t count);
void tune_check_release(struct tune_check *check);

/* Sorts the first count keys on the host, in segments of segment_length each if that is not 0. */
void tune_check_expect(struct tune_check *check, uint64_t count, uint64_t segment_length);

/* Whether keys_out and values_out, as far as the operation has them, are what was expected. */
bool tune_check_is_right(const struct tune_check *check, uint64_t count);

#endif
