/* Checks a sorted result on the host: by positions, by a reference sort, or by order and a sum over all elements. */
#include "verify.h"
#include "order.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fault(char *text, size_t text_bytes, const char *what, uint64_t i)
{
    snprintf(text, text_bytes, "%s at output position %" PRIu64, what, i);
    return 0;
}

static int out_of_memory(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "not enough host memory to check the result");
    return 0;
}

/* Keys alone that are equal but differ in bits are ordered too, pairs are not. */
static uint64_t place(const struct sort_case *c, const struct key_order *order, uint64_t bits)
{
    return c->operation == CLSORT_KEYS ? order_rank(order, bits) : order_class(order, bits);
}

static const unsigned char *value_at(const void *values, const struct sort_case *c, uint64_t i)
{
    return (const unsigned char *)values + i * c->value_bytes;
}

/* Whether the values can say where they were. */
static int is_numbered(const struct sort_case *c)
{
    return c->value_bytes && c->n <= data_positions(c->value_bytes);
}

/* Each value says where its key came from: order, ties and completeness follow from that. seen has a bit per key. */
static int check_positions(const struct sort_case *c, const struct verify_data *d, unsigned char *seen, char *text,
                           size_t text_bytes)
{
    struct key_order order = order_of(c->key_type, c->descending);
    uint64_t last_place = 0, last_position = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t position = data_position(value_at(d->values_out, c, i), c->value_bytes);
        if (position >= c->n)
            return fault(text, text_bytes, "no input has the position", i);
        if (seen[position / 8] >> (position % 8) & 1)
            return fault(text, text_bytes, "an input for the second time", i);
        seen[position / 8] |= (unsigned char)(1 << (position % 8));
        uint64_t bits = order_load(&order, d->keys_in, position);
        if (d->keys_out && order_load(&order, d->keys_out, i) != bits)
            return fault(text, text_bytes, "the key is not the value's", i);
        if (d->values_in &&
            memcmp(value_at(d->values_in, c, position), value_at(d->values_out, c, i), (size_t)c->value_bytes) != 0)
            return fault(text, text_bytes, "the value has changed", i);
        uint64_t here = place(c, &order, bits);
        if (i && here < last_place)
            return fault(text, text_bytes, "out of order", i);
        if (i && here == last_place && position < last_position && !(c->flags & CLSORT_UNSTABLE))
            return fault(text, text_bytes, "equal keys not in input order", i);
        last_place = here;
        last_position = position;
    }
    return 1;
}

/* One pass of a counting sort of positions by a byte of their keys' places. */
static void reference_pass(const struct sort_case *c, const struct verify_data *d, unsigned shift, const uint32_t *from,
                           uint32_t *to)
{
    struct key_order order = order_of(c->key_type, c->descending);
    size_t start[257] = {0};
    for (uint64_t i = 0; i < c->n; i++)
        start[(place(c, &order, order_load(&order, d->keys_in, i)) >> shift & 255) + 1]++;
    for (unsigned digit = 0; digit < 256; digit++)
        start[digit + 1] += start[digit];
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t bits = order_load(&order, d->keys_in, from[i]);
        to[start[place(c, &order, bits) >> shift & 255]++] = from[i];
    }
}

/* Compares with a stable sort of the input. positions has room for two of them per key. */
static int check_reference(const struct sort_case *c, const struct verify_data *d, uint32_t *positions, char *text,
                           size_t text_bytes)
{
    struct key_order order = order_of(c->key_type, c->descending);
    uint32_t *from = positions, *to = positions + c->n;
    for (uint64_t i = 0; i < c->n; i++)
        from[i] = (uint32_t)i;
    for (unsigned shift = 0; shift < 8 * order.bytes; shift += 8) {
        reference_pass(c, d, shift, from, to);
        uint32_t *other = from;
        from = to;
        to = other;
    }
    for (uint64_t i = 0; i < c->n; i++) {
        if (order_load(&order, d->keys_out, i) != order_load(&order, d->keys_in, from[i]))
            return fault(text, text_bytes, "not the key of the host's sort", i);
        if (d->values_out &&
            memcmp(value_at(d->values_out, c, i), value_at(d->values_in, c, from[i]), (size_t)c->value_bytes) != 0)
            return fault(text, text_bytes, "not the value of the host's sort", i);
    }
    return 1;
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

/* A number for value i; the input of argsort has the position in place of a value. */
static uint64_t value_number(const struct sort_case *c, const void *values, uint64_t i)
{
    if (c->operation == CLSORT_KEYS)
        return 0;
    if (!values)
        return i;
    const unsigned char *value = value_at(values, c, i);
    if (c->value_bytes <= 4 || c->value_bytes == 8)
        return data_position(value, c->value_bytes);
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (uint64_t b = 0; b < c->value_bytes; b++)
        h = (h ^ value[b]) * 0x100000001b3u;
    return h;
}

/* Elements of which fewer are not worth threads: segments are checked one by one. */
#define LEAST_OF_THREADS 65536

/* Sum over all elements of a hash of key and value: the same for every order of them. */
static uint64_t sum_elements(const struct sort_case *c, const void *keys, const void *values)
{
    struct key_order order = order_of(c->key_type, 0);
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) if (c->n >= LEAST_OF_THREADS)
    for (uint64_t i = 0; i < c->n; i++)
        sum += mix(mix(order_load(&order, keys, i) + 0x9E3779B97F4A7C15u) + value_number(c, values, i));
    return sum;
}

/* Whether output element i > 0 may not follow the one before it; *is_tie says whether their keys are equal. */
static int is_out_of_order(const struct sort_case *c, const struct verify_data *d, const struct key_order *order,
                           int ties, uint64_t i, int *is_tie)
{
    uint64_t last = place(c, order, order_load(order, d->keys_out, i - 1));
    uint64_t here = place(c, order, order_load(order, d->keys_out, i));
    *is_tie = here == last;
    return here < last || (ties && *is_tie &&
                           data_position(value_at(d->values_out, c, i), c->value_bytes) <
                               data_position(value_at(d->values_out, c, i - 1), c->value_bytes));
}

/* Order, ties and the sum: reads memory in order only, so that large counts take seconds. */
static int check_sums(const struct sort_case *c, const struct verify_data *d, int numbered, char *text,
                      size_t text_bytes)
{
    struct key_order order = order_of(c->key_type, c->descending);
    int ties = numbered && !(c->flags & CLSORT_UNSTABLE), is_tie;
    uint64_t wrong = c->n; /* the first one that is */
#pragma omp parallel for reduction(min : wrong) private(is_tie) if (c->n >= LEAST_OF_THREADS)
    for (uint64_t i = 1; i < c->n; i++)
        if (i < wrong && is_out_of_order(c, d, &order, ties, i, &is_tie))
            wrong = i;
    if (wrong < c->n) {
        is_out_of_order(c, d, &order, ties, wrong, &is_tie);
        return fault(text, text_bytes, is_tie ? "equal keys not in input order" : "out of order", wrong);
    }
    if (sum_elements(c, d->keys_in, d->values_in) != sum_elements(c, d->keys_out, d->values_out)) {
        snprintf(text, text_bytes, "the output does not hold the elements of the input");
        return 0;
    }
    return 1;
}

/* The keys that the indices of argsort stand for. */
static int gather_keys(const struct sort_case *c, const struct verify_data *d, void *keys, char *text,
                       size_t text_bytes)
{
    struct key_order order = order_of(c->key_type, 0);
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t position = data_position(value_at(d->values_out, c, i), c->value_bytes);
        if (position >= c->n)
            return fault(text, text_bytes, "no input has the index", i);
        order_store(&order, keys, i, order_load(&order, d->keys_in, position));
    }
    return 1;
}

static int verify_large(const struct sort_case *c, const struct verify_data *data, int numbered, char *text,
                        size_t text_bytes)
{
    if (data->keys_out)
        return check_sums(c, data, numbered, text, text_bytes);
    struct verify_data with_keys = *data;
    void *keys = malloc(data_room(c->n * clsort_key_type_bytes(c->key_type)));
    if (!keys)
        return out_of_memory(text, text_bytes);
    with_keys.keys_out = keys;
    int right = gather_keys(c, data, keys, text, text_bytes) && check_sums(c, &with_keys, numbered, text, text_bytes);
    free(keys);
    return right;
}

static int verify_small(const struct sort_case *c, const struct verify_data *data, char *text, size_t text_bytes)
{
    int right;
    if (is_numbered(c)) {
        unsigned char *seen = calloc((size_t)(c->n / 8 + 1), 1);
        right = seen ? check_positions(c, data, seen, text, text_bytes) : out_of_memory(text, text_bytes);
        free(seen);
        return right;
    }
    uint32_t *positions = malloc((size_t)(2 * c->n + 1) * sizeof *positions);
    right = positions ? check_reference(c, data, positions, text, text_bytes) : out_of_memory(text, text_bytes);
    free(positions);
    return right;
}

static const void *shifted(const void *p, uint64_t bytes)
{
    return p ? (const unsigned char *)p + bytes : NULL;
}

/* Whether bytes [begin, end) of an output are as they were. */
static int is_untouched(const void *p, uint64_t begin, uint64_t end)
{
    const unsigned char *bytes = p;
    while (p && begin < end)
        if (bytes[begin++] != VERIFY_POISON)
            return 0;
    return 1;
}

static int verify_segments(const struct sort_case *c, const struct verify_data *d, const struct segments *segments,
                           char *text, size_t text_bytes)
{
    uint64_t key_bytes = clsort_key_type_bytes(c->key_type), value_bytes = c->value_bytes;
    for (size_t i = 0; i < segments->count; i++) {
        uint64_t begin = segments->offsets[i];
        struct sort_case part = *c;
        struct verify_data data = {shifted(d->keys_in, begin * key_bytes), shifted(d->keys_out, begin * key_bytes),
                                   shifted(d->values_in, begin * value_bytes),
                                   shifted(d->values_out, begin * value_bytes)};
        part.n = segments->offsets[i + 1] - begin;
        if (part.n && !verify_large(&part, &data, is_numbered(c), text, text_bytes)) {
            size_t length = strlen(text);
            snprintf(text + length, text_bytes - length, ", of segment %zu", i);
            return 0;
        }
    }
    uint64_t used = segments->offsets[segments->count];
    if (!is_untouched(d->keys_out, used * key_bytes, c->n * key_bytes) ||
        !is_untouched(d->values_out, used * value_bytes, c->n * value_bytes)) {
        snprintf(text, text_bytes, "an element in no segment was written");
        return 0;
    }
    return 1;
}

int verify(const struct sort_case *c, const struct verify_data *data, const struct segments *segments, char *text,
           size_t text_bytes)
{
    if (segments)
        return verify_segments(c, data, segments, text, text_bytes);
    /* Values too small to say where they were leave the order of ties open: no reference to compare with. */
    int open = c->value_bytes && !is_numbered(c) && c->flags & CLSORT_UNSTABLE;
    if (c->n > VERIFY_REFERENCE_LIMIT || open)
        return verify_large(c, data, is_numbered(c), text, text_bytes);
    return verify_small(c, data, text, text_bytes);
}
