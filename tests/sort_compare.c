/* Compares the buffers of a sort with the oracle's, element by element or, where ties are in open order, as records. */
#include "sort_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares a part of an image with what is there; says the first element that differs. */
static enum sort_outcome compare(const struct run *run, const struct image *image, const unsigned char *expected,
                                 const unsigned char *found, size_t first, size_t end)
{
    if (end <= first || memcmp(expected + first, found + first, end - first) == 0) {
        return SORT_RIGHT;
    }
    while (expected[first] == found[first]) {
        first++;
    }
    size_t index = first / image->element_bytes;
    char what[256];
    int length = snprintf(what, sizeof what, "%s element %" PRId64 " expected", image->name,
                          image == &run->workspace ? (int64_t)index - CLSORT_WORKSPACE_ALIGNMENT
                                                   : (int64_t)index - (int64_t)run->start);
    for (int side = 0; side < 2; side++) {
        length += snprintf(what + length, sizeof what - (size_t)length, side ? ", found" : "");
        for (size_t b = 0; b < image->element_bytes && b < 16; b++) {
            length += snprintf(what + length, sizeof what - (size_t)length, " %02x",
                               (side ? found : expected)[index * image->element_bytes + b]);
        }
    }
    return sort_is_wrong(run, what);
}

/* Compares a whole image with its buffer. */
static enum sort_outcome compare_buffer(const struct run *run, const struct image *image, const unsigned char *expected)
{
    if (!image->buffer) {
        return SORT_RIGHT;
    }
    unsigned char *found = allocate(image->bytes);
    read_buffer(run->device, image->buffer, image->bytes, found);
    enum sort_outcome outcome = SORT_RIGHT;
    if (image == &run->workspace) {
        outcome = compare(run, image, expected, found, 0, CLSORT_WORKSPACE_ALIGNMENT);
        if (outcome == SORT_RIGHT) {
            outcome = compare(run, image, expected, found, image->bytes - CLSORT_WORKSPACE_ALIGNMENT, image->bytes);
        }
    } else {
        outcome = compare(run, image, expected, found, 0, image->bytes);
    }
    free(found);
    return outcome;
}

static _Thread_local size_t record_bytes; /* of the records that compare_records looks at */
static int compare_records(const void *a, const void *b)
{
    return memcmp(a, b, record_bytes);
}

/* Puts the records (key, value) of each run of ties into one fixed order, in place of the order that is left open; of keys alone, which
   have values of 0 bytes, the keys. */
static void settle_ties(const struct run *run, unsigned char *keys, unsigned char *values, size_t value_bytes)
{
    size_t key_bytes = key_facts(run->c->key_type)->bytes;
    size_t bytes = key_bytes + value_bytes;
    unsigned char *records = allocate(run->c->count * bytes);
    uint64_t first = 0;
    for (uint64_t i = 0; i < run->c->count; i++) {
        memcpy(records + i * bytes, keys + i * key_bytes, key_bytes);
        if (values) {
            memcpy(records + i * bytes + key_bytes, values + i * value_bytes, value_bytes);
        }
        bool last = i + 1 == run->c->count || oracle_compared(&run->order, get_key(keys, run->c->key_type, i)) !=
                                                  oracle_compared(&run->order, get_key(keys, run->c->key_type, i + 1));
        if (last) {
            record_bytes = bytes;
            qsort(records + first * bytes, i + 1 - first, bytes, compare_records);
            first = i + 1;
        }
    }
    for (uint64_t i = 0; i < run->c->count; i++) {
        memcpy(keys + i * key_bytes, records + i * bytes, key_bytes);
        if (values) {
            memcpy(values + i * value_bytes, records + i * bytes + key_bytes, value_bytes);
        }
    }
    free(records);
}

/* The comparison of the outputs where ties are in open order: both sides' ties are settled first. */
static enum sort_outcome compare_unstable(const struct run *run)
{
    const struct sort_case *c = run->c;
    const struct image *keys_out = c->in_place ? &run->keys_in : &run->keys_out;
    const struct image *values_out = run->values_out.buffer ? &run->values_out : &run->values_in;
    size_t key_bytes = key_facts(c->key_type)->bytes, value_bytes = values_out->element_bytes;
    unsigned char *keys = allocate(run->keys_in.bytes), *values = NULL, *expected_values = NULL;
    if (values_out->buffer) {
        values = allocate(values_out->bytes);
        read_buffer(run->device, values_out->buffer, values_out->bytes, values);
        expected_values = values_out->after + run->start * value_bytes;
    }
    if (c->without_keys_out) {
        memset(keys, 0xA5, run->keys_in.bytes);
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t index = 0;
            memcpy(&index, image_element(run, values_out, values, i), run->index_bytes);
            if (index >= c->count) {
                index = 0; /* found by the comparison of the indices */
            }
            memcpy(keys + (run->start + i) * key_bytes, image_element(run, &run->keys_in, run->keys_in.before, index),
                   key_bytes);
        }
    } else {
        read_buffer(run->device, keys_out->buffer, keys_out->bytes, keys);
    }
    /* what is expected: from the oracle's positions, as an image need not have the keys */
    unsigned char *expected_keys = allocate(run->keys_in.bytes);
    memset(expected_keys, 0xA5, run->keys_in.bytes);
    for (uint64_t i = 0; i < c->count; i++) {
        memcpy(expected_keys + (run->start + i) * key_bytes,
               image_element(run, &run->keys_in, run->keys_in.before, run->positions[i]), key_bytes);
    }
    size_t first_key = run->start * key_bytes;
    settle_ties(run, expected_keys + first_key, expected_values, value_bytes);
    settle_ties(run, keys + first_key, values ? values + run->start * value_bytes : NULL, value_bytes);
    enum sort_outcome outcome =
        values ? compare(run, values_out, values_out->after, values, 0, values_out->bytes) : SORT_RIGHT;
    if (outcome == SORT_RIGHT) {
        outcome = compare(run, keys_out->buffer ? keys_out : &run->keys_in, expected_keys, keys, 0, run->keys_in.bytes);
    }
    if (outcome == SORT_RIGHT && !c->in_place) {
        outcome = compare_buffer(run, &run->keys_in, run->keys_in.before);
    }
    if (outcome == SORT_RIGHT && !c->in_place) {
        outcome = compare_buffer(run, &run->values_in, run->values_in.before);
    }
    free(keys);
    free(values);
    free(expected_keys);
    return outcome;
}

enum sort_outcome compare_buffers(const struct run *run, bool sorted)
{
    enum sort_outcome outcome = SORT_RIGHT;
    const struct image *images[] = {&run->keys_out, &run->values_out, &run->keys_in, &run->values_in};
    const bool has_ties = run->c->operation != CLSORT_KEYS || run->c->flags & CLSORT_BIT_RANGE;
    /* Segments are sorted stably whatever is asked for, and neighbours of one key may be of two of them. */
    if (sorted && has_ties && run->c->flags & CLSORT_UNSTABLE && !run->c->segments) {
        outcome = compare_unstable(run);
    } else {
        for (size_t i = 0; i < N_ELEMENTS(images) && outcome == SORT_RIGHT; i++) {
            outcome = compare_buffer(run, images[i], sorted ? images[i]->after : images[i]->before);
        }
    }
    return outcome == SORT_RIGHT ? compare_buffer(run, &run->workspace, run->workspace.after) : outcome;
}
