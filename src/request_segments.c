/* Checks the segments of a request, field by field; their buffers are checked with the others. */
#include "request_segments.h"

/* Kernels count segments in 32 bits. */
static const uint64_t max_segment_count = UINT32_MAX;

static int is_given(clsort_range range)
{
    return range.buffer != NULL || range.offset != 0;
}

/* The field that is given where it does not belong, as a failure with why. */
static clsort_status check_absent(const clsort_request *r, int offsets, int lengths, const char *why,
                                  struct failure *failure)
{
    if (offsets && r->segment_count) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_COUNT, "segment_count: %s", why);
    }
    if (offsets && is_given(r->segment_begins)) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_BEGINS, "segment_begins: %s", why);
    }
    if (offsets && is_given(r->segment_ends)) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_ENDS, "segment_ends: %s", why);
    }
    if (offsets && r->segment_offset_bytes) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_OFFSET_BYTES, "segment_offset_bytes: %s", why);
    }
    if (lengths && (r->segment_length || r->segment_stride)) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_LENGTH, "segment_length, segment_stride: %s", why);
    }
    return CLSORT_SUCCESS;
}

static clsort_status check_uniform_segments(const clsort_request *r, struct segments *segments, struct failure *failure)
{
    const uint64_t length = r->segment_length, stride = r->segment_stride ? r->segment_stride : length;
    if (check_absent(r, 1, 0, "given with segment_length", failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (stride < length) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_LENGTH, "segment_stride: %llu for segments of %llu",
                            (unsigned long long)stride, (unsigned long long)length);
    }
    if (r->count % stride != 0 && r->count % stride != length) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_LENGTH,
                            "segment_length %llu, segment_stride %llu: a count of %llu ends within a segment or gap",
                            (unsigned long long)length, (unsigned long long)stride, (unsigned long long)r->count);
    }
    segments->length = length;
    segments->stride = stride;
    segments->count = r->count / stride + (r->count % stride != 0);
    segments->longest = length < r->count ? length : r->count;
    return CLSORT_SUCCESS;
}

/* The longest segment that there can be. A promise is no use where loops end early: a segment that breaks it is copied by one. */
static uint64_t longest_segment(const clsort_request *r, const struct device_caps *caps)
{
    const int is_copied = !caps->loop_limit || r->count <= caps->loop_limit / 4;
    return r->max_segment_length && r->max_segment_length < r->count && is_copied ? r->max_segment_length : r->count;
}

clsort_status clsort__request_segments(const clsort_request *r, const struct device_caps *caps,
                                       struct segments *segments, struct failure *failure)
{
    if (!(r->flags & CLSORT_SEGMENTS)) {
        if ((r->flags & CLSORT_INDEX_IN_SEGMENT)) {
            return clsort__fail(failure, CLSORT_INVALID_FLAGS,
                                "flags: CLSORT_INDEX_IN_SEGMENT without CLSORT_SEGMENTS");
        }
        if (r->max_segment_length) {
            return clsort__fail(failure, CLSORT_INVALID_SEGMENT_LENGTH,
                                "max_segment_length: given without CLSORT_SEGMENTS in flags");
        }
        return check_absent(r, 1, 1, "given without CLSORT_SEGMENTS in flags", failure);
    }
    if ((r->flags & CLSORT_INDEX_IN_SEGMENT) && r->operation != CLSORT_ARGSORT) {
        return clsort__fail(failure, CLSORT_INVALID_FLAGS, "flags: CLSORT_INDEX_IN_SEGMENT without argsort");
    }
    segments->are_given = 1;
    if (r->segment_length) {
        return check_uniform_segments(r, segments, failure);
    }
    if (check_absent(r, 0, 1, "a stride without a length", failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (r->segment_count > max_segment_count) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_COUNT, "segment_count: %llu is above 2^32 - 1",
                            (unsigned long long)r->segment_count);
    }
    if (r->segment_offset_bytes != 0 && r->segment_offset_bytes != 4 && r->segment_offset_bytes != 8) {
        return clsort__fail(failure, CLSORT_INVALID_SEGMENT_OFFSET_BYTES, "segment_offset_bytes: %u, not 4 or 8",
                            (unsigned)r->segment_offset_bytes);
    }
    segments->count = r->segment_count;
    segments->offset_bytes = r->segment_offset_bytes ? r->segment_offset_bytes : 4;
    segments->longest = longest_segment(r, caps);
    segments->begins = r->segment_begins;
    segments->ends = r->segment_ends;
    if (!r->segment_ends.buffer) {
        segments->ends = clsort_make_range(r->segment_begins.buffer, r->segment_begins.offset + 1);
    }
    return CLSORT_SUCCESS;
}
