/* Checks a request, field by field, and makes a job of it. */
#include "request_segments.h"
#include "sorter.h"

#include <string.h>

enum { max_value_bytes = 65536 };

/* Counts above need kernels with 8-byte positions: padding to a power of two must not wrap. */
static const uint64_t max_count_of_4_byte_positions = (uint64_t)1 << 31;

static const uint32_t all_flags = CLSORT_DESCENDING | CLSORT_FLOAT_TOTAL_ORDER | CLSORT_UNSTABLE | CLSORT_LOW_MEMORY |
                                  CLSORT_BIT_RANGE | CLSORT_SEGMENTS | CLSORT_INDEX_IN_SEGMENT;

clsort_status clsort__request_read(const clsort_request *from, clsort_request *request, struct failure *failure)
{
    /* The first version had no segments. */
    if (!from || (from->size != sizeof *from && from->size != offsetof(clsort_request, segment_count))) {
        return clsort__fail(failure, CLSORT_INVALID_REQUEST, "request: %s", from ? "its size field" : "NULL");
    }
    memset(request, 0, sizeof *request);
    memcpy(request, from, from->size);
    return CLSORT_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------------- buffers */

/* Facts of a buffer object. */
struct buffer_facts {
    cl_mem buffer;
    cl_int error; /* of reading the others */
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t bytes;
    cl_context context;
    cl_mem root;
    size_t root_offset;
};

/* The buffers of one request: each is asked for its facts once, as that takes time. */
struct known_buffers {
    struct buffer_facts facts[7];
    size_t n;
};

static cl_int read_facts(cl_mem buffer, struct buffer_facts *facts)
{
    const struct {
        cl_mem_info name;
        size_t bytes;
        void *value;
    } queries[] = {
        {CL_MEM_TYPE, sizeof facts->type, &facts->type},
        {CL_MEM_FLAGS, sizeof facts->flags, &facts->flags},
        {CL_MEM_SIZE, sizeof facts->bytes, &facts->bytes},
        {CL_MEM_CONTEXT, sizeof facts->context, &facts->context},
        {CL_MEM_ASSOCIATED_MEMOBJECT, sizeof facts->root, &facts->root},
        {CL_MEM_OFFSET, sizeof facts->root_offset, &facts->root_offset}, /* of a sub-buffer only */
    };
    const size_t n = sizeof queries / sizeof queries[0];
    for (size_t i = 0; i < n && (i + 1 < n || facts->root); i++) {
        const cl_int error = clGetMemObjectInfo(buffer, queries[i].name, queries[i].bytes, queries[i].value, NULL);
        if (error != CL_SUCCESS) {
            return error;
        }
    }
    facts->root = facts->root ? facts->root : buffer;
    return CL_SUCCESS;
}

static const struct buffer_facts *read_buffer(struct known_buffers *known, cl_mem buffer)
{
    for (size_t i = 0; i < known->n; i++) {
        if (known->facts[i].buffer == buffer) {
            return &known->facts[i];
        }
    }
    struct buffer_facts *facts = &known->facts[known->n++];
    memset(facts, 0, sizeof *facts);
    facts->buffer = buffer;
    facts->error = read_facts(buffer, facts);
    return facts;
}

/* Whether two ranges start at the same memory: two sub-buffers can be the same. Both missing counts as the same. */
static int start_alike(struct known_buffers *known, clsort_range a, clsort_range b, uint64_t element_bytes)
{
    if (a.buffer == b.buffer || !a.buffer || !b.buffer) {
        return a.buffer == b.buffer && a.offset == b.offset;
    }
    const struct buffer_facts *facts_a = read_buffer(known, a.buffer), *facts_b = read_buffer(known, b.buffer);
    return facts_a->error == CL_SUCCESS && facts_b->error == CL_SUCCESS && facts_a->root == facts_b->root &&
           facts_a->root_offset + a.offset * element_bytes == facts_b->root_offset + b.offset * element_bytes;
}

/* ------------------------------------------------------------------------------------------------ kind of the sort */

static clsort_status check_bits(const clsort_request *r, const struct key_info *key, struct job *job,
                                struct failure *failure)
{
    const uint32_t width = 8 * key->bytes;
    if (!(r->flags & CLSORT_BIT_RANGE)) {
        if (r->begin_bit || r->end_bit) {
            return clsort__fail(failure, CLSORT_INVALID_BIT_RANGE,
                                "begin_bit, end_bit: given without CLSORT_BIT_RANGE in flags");
        }
        job->begin_bit = 0;
        job->end_bit = width;
        return CLSORT_SUCCESS;
    }
    if (r->begin_bit > r->end_bit || r->end_bit > width) {
        return clsort__fail(failure, CLSORT_INVALID_BIT_RANGE, "begin_bit %u, end_bit %u: of a key of %u bits",
                            (unsigned)r->begin_bit, (unsigned)r->end_bit, (unsigned)width);
    }
    job->begin_bit = r->begin_bit;
    job->end_bit = r->end_bit;
    return CLSORT_SUCCESS;
}

/* Sets job->value_bytes, of values or of indices. */
static clsort_status check_value_sizes(const clsort_request *r, struct job *job, struct failure *failure)
{
    const int has_values = r->operation == CLSORT_PAIRS, has_indices = r->operation == CLSORT_ARGSORT;
    if (has_values ? r->value_bytes < 1 || r->value_bytes > max_value_bytes : r->value_bytes != 0) {
        return clsort__fail(failure, CLSORT_INVALID_VALUE_BYTES, "value_bytes: %llu%s",
                            (unsigned long long)r->value_bytes, has_values ? ", not 1 to 65536" : " without values");
    }
    if (has_indices ? r->index_bytes != 0 && r->index_bytes != 4 && r->index_bytes != 8 : r->index_bytes != 0) {
        return clsort__fail(failure, CLSORT_INVALID_INDEX_BYTES, "index_bytes: %u%s", (unsigned)r->index_bytes,
                            has_indices ? ", not 4 or 8" : " without argsort");
    }
    const uint32_t index_bytes = r->index_bytes ? r->index_bytes : 4;
    if (has_indices && index_bytes == 4 && r->count > (uint64_t)1 << 32) {
        return clsort__fail(failure, CLSORT_INVALID_INDEX_BYTES, "index_bytes: 4 for a count of %llu",
                            (unsigned long long)r->count);
    }
    job->value_bytes = has_values ? r->value_bytes : has_indices ? index_bytes : 0;
    return CLSORT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------------- kind */

/* Whether count elements of that size are more than the device's largest buffer. */
static int is_too_large(const struct device_caps *caps, uint64_t count, uint64_t element_bytes)
{
    const uint64_t address_limit = caps->address_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << caps->address_bits) - 1;
    const uint64_t limit = caps->allocation_bytes < address_limit ? caps->allocation_bytes : address_limit;
    return element_bytes != 0 && count > limit / element_bytes;
}

static clsort_status count_too_large(const struct device_caps *caps, uint64_t count, struct failure *failure)
{
    return clsort__fail(failure, CLSORT_COUNT_TOO_LARGE, "count: %llu elements do not fit a buffer of %s, %llu bytes",
                        (unsigned long long)count, caps->name, (unsigned long long)caps->allocation_bytes);
}

static clsort_status check_kind(clsort_sorter *sorter, const clsort_request *r, struct known_buffers *known,
                                struct job *job, struct failure *failure)
{
    if (r->operation != CLSORT_KEYS && r->operation != CLSORT_PAIRS && r->operation != CLSORT_ARGSORT) {
        return clsort__fail(failure, CLSORT_INVALID_OPERATION, "operation: %d", (int)r->operation);
    }
    job->key = clsort__key_find(r->key_type);
    if (!job->key) {
        return clsort__fail(failure, CLSORT_INVALID_KEY_TYPE, "key_type: %d", (int)r->key_type);
    }
    if (r->flags & ~all_flags) {
        return clsort__fail(failure, CLSORT_INVALID_FLAGS, "flags: 0x%x", (unsigned)(r->flags & ~all_flags));
    }
    if (check_bits(r, job->key, job, failure) != CLSORT_SUCCESS ||
        check_value_sizes(r, job, failure) != CLSORT_SUCCESS ||
        clsort__request_segments(r, &sorter->caps, &job->segments, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    job->caps = &sorter->caps;
    job->programs = &sorter->programs;
    job->failure = failure;
    job->operation = r->operation;
    job->flags = r->flags;
    job->count = r->count;
    job->order = clsort__key_order(job->key, r->flags, r->operation != CLSORT_KEYS);
    const int is_large =
        r->count > max_count_of_4_byte_positions || job->segments.count > max_count_of_4_byte_positions;
    job->index_bytes = is_large || (sorter->options.flags & CLSORT_FORCE_64_BIT_INDEX) ? 8 : 4;
    job->write_keys = r->operation != CLSORT_ARGSORT || r->keys_out.buffer != NULL;
    job->has_workspace = r->workspace.buffer != NULL;
    job->keys_in_place = start_alike(known, r->keys_in, r->keys_out, job->key->bytes);
    job->values_in_place =
        r->operation == CLSORT_PAIRS && start_alike(known, r->values_in, r->values_out, job->value_bytes);
    job->workspace_limit = r->workspace.buffer ? r->workspace.bytes : UINT64_MAX;
    job->is_estimate = r->keys_in.buffer == NULL;
    struct tuning_choice choice;
    if (clsort__request_tuning(sorter, job, &choice, failure) == CLSORT_SUCCESS) {
        job->tuning = choice.values;
    }
    return failure->status;
}

struct tuning_use clsort__request_tuning_use(const struct job *job)
{
    return (struct tuning_use){job->key->bytes, (uint32_t)job->value_bytes, job->index_bytes};
}

clsort_status clsort__request_tuning(clsort_sorter *sorter, const struct job *job, struct tuning_choice *choice,
                                     struct failure *failure)
{
    const struct tuning_use use = clsort__request_tuning_use(job);
    return clsort__tuning_look_up(&sorter->caps, &sorter->tuning, &use, choice, failure);
}

/* ---------------------------------------------------------------------------------------------------------- places */

/* A range of bytes of a root buffer. */
struct place {
    const char *field;
    clsort_status status; /* for what is wrong with this field */
    cl_mem root;
    uint64_t begin, end;
    int is_written;
};

static clsort_status bad_place(const struct place *place, const char *why, struct failure *failure)
{
    return clsort__fail(failure, place->status, "%s: %s", place->field, why);
}

/* What places are checked against. */
struct checking {
    const clsort_sorter *sorter;
    struct known_buffers *known;
};

/* Checks that bytes from offset on lie in the buffer and sets the place. */
static clsort_status check_place(const struct checking *checking, cl_mem buffer, uint64_t offset, uint64_t bytes,
                                 struct place *place, struct failure *failure)
{
    if (!buffer) {
        return bad_place(place, "NULL", failure);
    }
    const struct buffer_facts *facts = read_buffer(checking->known, buffer);
    if (facts->error != CL_SUCCESS || facts->type != CL_MEM_OBJECT_BUFFER) {
        return bad_place(place, "not a buffer", failure);
    }
    if (facts->context != checking->sorter->context) {
        return bad_place(place, "of another context", failure);
    }
    if (place->is_written && (facts->flags & CL_MEM_READ_ONLY)) {
        return bad_place(place, "read-only", failure);
    }
    if (facts->flags & CL_MEM_WRITE_ONLY) {
        return bad_place(place, "write-only, and outputs too are read between passes", failure);
    }
    if (offset > facts->bytes || bytes > facts->bytes - offset) {
        return clsort__fail(failure, place->status, "%s: %llu bytes from byte %llu on, in a buffer of %llu",
                            place->field, (unsigned long long)bytes, (unsigned long long)offset,
                            (unsigned long long)facts->bytes);
    }
    place->root = facts->root;
    place->begin = facts->root_offset + offset;
    place->end = place->begin + bytes;
    return CLSORT_SUCCESS;
}

/* The same for count elements of a range; a count no buffer could hold has its own status. */
static clsort_status check_range(const struct checking *checking, clsort_range range, uint64_t count,
                                 uint64_t element_bytes, struct place *place, struct failure *failure)
{
    const struct device_caps *caps = &checking->sorter->caps;
    const size_t buffer_bytes = range.buffer ? read_buffer(checking->known, range.buffer)->bytes : 0;
    if (count > buffer_bytes / element_bytes && is_too_large(caps, count, element_bytes)) {
        return count_too_large(caps, count, failure);
    }
    if (count > UINT64_MAX / element_bytes || range.offset > UINT64_MAX / element_bytes) {
        return bad_place(place, "offset and count are beyond 2^64 bytes", failure);
    }
    return check_place(checking, range.buffer, range.offset * element_bytes, count * element_bytes, place, failure);
}

static int touch(const struct place *a, const struct place *b)
{
    return a->root == b->root && a->begin < b->end && b->begin < a->end;
}

static int is_same(const struct place *a, const struct place *b)
{
    return a->root && a->root == b->root && a->begin == b->begin && a->end == b->end;
}

/* in may be out, as a whole. */
static clsort_status check_overlaps(const struct place *places, size_t n, struct failure *failure)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            const struct place *a = &places[i], *b = &places[j];
            const int is_in_place = b == a + 1 && i % 2 == 0 && j < 4 && is_same(a, b);
            if ((a->is_written || b->is_written) && touch(a, b) && !is_in_place) {
                return clsort__fail(failure, CLSORT_OVERLAP, "%s and %s overlap", a->field, b->field);
            }
        }
    }
    return CLSORT_SUCCESS;
}

static clsort_status check_unused(clsort_range range, const struct place *place, struct failure *failure)
{
    return range.buffer || range.offset ? bad_place(place, "not used by this operation", failure) : CLSORT_SUCCESS;
}

/* Offsets of segments are only read; without segment_ends there is one more begin. */
static clsort_status check_offsets(const struct checking *checking, const clsort_request *r,
                                   const struct segments *segments, struct place places[2], struct failure *failure)
{
    const int has_ends = r->segment_ends.buffer != NULL;
    if (!segments->are_given || segments->length || segments->count == 0) {
        return CLSORT_SUCCESS;
    }
    if (!has_ends && r->segment_ends.offset) {
        return bad_place(&places[1], "an offset without a buffer", failure);
    }
    if (r->segment_begins.offset == UINT64_MAX) {
        return bad_place(&places[0], "offset and count are beyond 2^64 bytes", failure);
    }
    check_range(checking, r->segment_begins, segments->count + !has_ends, segments->offset_bytes, &places[0], failure);
    if (has_ends && failure->status == CLSORT_SUCCESS) {
        check_range(checking, r->segment_ends, segments->count, segments->offset_bytes, &places[1], failure);
    }
    return failure->status;
}

static clsort_status check_buffers(const struct checking *checking, const clsort_request *r, struct job *job,
                                   struct failure *failure)
{
    /* In this order for check_overlaps: 0 and 1, 2 and 3 may be the same. */
    struct place places[] = {
        {"keys_in", CLSORT_INVALID_KEYS_IN, NULL, 0, 0, 0},
        {"keys_out", CLSORT_INVALID_KEYS_OUT, NULL, 0, 0, 1},
        {"values_in", CLSORT_INVALID_VALUES_IN, NULL, 0, 0, 0},
        {"values_out", CLSORT_INVALID_VALUES_OUT, NULL, 0, 0, 1},
        {"workspace", CLSORT_INVALID_WORKSPACE, NULL, 0, 0, 1},
        {"segment_begins", CLSORT_INVALID_SEGMENT_BEGINS, NULL, 0, 0, 0},
        {"segment_ends", CLSORT_INVALID_SEGMENT_ENDS, NULL, 0, 0, 0},
    };
    const uint32_t key_bytes = job->key->bytes;
    if (r->operation != CLSORT_PAIRS && check_unused(r->values_in, &places[2], failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (r->operation == CLSORT_KEYS && check_unused(r->values_out, &places[3], failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (r->count == 0) {
        return CLSORT_SUCCESS; /* nothing is read or written, so the buffers may even be missing */
    }
    check_range(checking, r->keys_in, r->count, key_bytes, &places[0], failure);
    if (job->write_keys && failure->status == CLSORT_SUCCESS) {
        check_range(checking, r->keys_out, r->count, key_bytes, &places[1], failure);
    }
    if (r->operation == CLSORT_PAIRS && failure->status == CLSORT_SUCCESS) {
        check_range(checking, r->values_in, r->count, job->value_bytes, &places[2], failure);
    }
    if (r->operation != CLSORT_KEYS && failure->status == CLSORT_SUCCESS) {
        check_range(checking, r->values_out, r->count, job->value_bytes, &places[3], failure);
    }
    if (failure->status == CLSORT_SUCCESS) {
        check_offsets(checking, r, &job->segments, &places[5], failure);
    }
    if (r->workspace.buffer && failure->status == CLSORT_SUCCESS) {
        if (r->workspace.offset % CLSORT_WORKSPACE_ALIGNMENT != 0) {
            return bad_place(&places[4], "its offset is not a multiple of CLSORT_WORKSPACE_ALIGNMENT", failure);
        }
        check_place(checking, r->workspace.buffer, r->workspace.offset, r->workspace.bytes, &places[4], failure);
    }
    if (failure->status != CLSORT_SUCCESS) {
        return failure->status;
    }
    /* One handle stands for both. */
    if (job->keys_in_place) {
        job->keys_in = job->keys_out;
    }
    if (job->values_in_place) {
        job->values_in = job->values_out;
    }
    return check_overlaps(places, sizeof places / sizeof places[0], failure);
}

/* Without buffers to look at, the sizes alone. */
static clsort_status check_count(const clsort_sorter *sorter, const struct job *job, struct failure *failure)
{
    if (is_too_large(&sorter->caps, job->count, job->key->bytes) ||
        is_too_large(&sorter->caps, job->count, job->value_bytes)) {
        return count_too_large(&sorter->caps, job->count, failure);
    }
    return CLSORT_SUCCESS;
}

clsort_status clsort__request_resolve(clsort_sorter *sorter, const clsort_request *request, enum request_scope scope,
                                      struct job *job, struct failure *failure)
{
    clsort_request r = {0};
    struct known_buffers known;
    const struct checking checking = {sorter, &known};
    known.n = 0;
    memset(job, 0, sizeof *job);
    if (clsort__request_read(request, &r, failure) != CLSORT_SUCCESS ||
        check_kind(sorter, &r, &known, job, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (scope == REQUEST_KIND) {
        return check_count(sorter, job, failure);
    }
    job->keys_in = r.keys_in;
    job->keys_out = r.keys_out;
    job->values_in = r.values_in;
    job->values_out = r.values_out;
    job->workspace = r.workspace.buffer;
    job->workspace_offset = r.workspace.offset;
    return check_buffers(&checking, &r, job, failure);
}
