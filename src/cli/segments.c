/* segments.c: reads the offsets of segments and checks them. */
#include "segments.h"

#include "format.h"
#include "npy.h"
#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Copies integers to offsets; a negative one is more than any count. */
static bool copy_offsets(const struct key_info *info, const void *keys, uint64_t n, struct segment_offsets *segments)
{
    const uint64_t sign = (uint64_t)1 << (8 * info->n_bytes - 1);
    segments->offsets =
        n < SIZE_MAX / sizeof *segments->offsets ? malloc(((size_t)n + 1) * sizeof *segments->offsets) : NULL;
    if (segments->offsets == NULL) {
        report_error("not enough memory for %" PRIu64 " offsets", n);
        return false;
    }
    segments->n_offsets = n;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = key_load(info, keys, i);
        segments->offsets[i] = info->kind == KEY_KIND_SIGNED && (bits & sign) != 0 ? UINT64_MAX : bits;
    }
    return true;
}

static bool read_text(const struct input *input, struct segment_offsets *segments)
{
    const struct key_info *info = key_info_of(CLSORT_U64);
    struct text_lines lines = {0};
    const bool is_good = text_read(input, info, &lines) && copy_offsets(info, lines.keys, lines.n_lines, segments);
    text_release(&lines);
    return is_good;
}

static bool read_npy(const struct input *input, struct segment_offsets *segments)
{
    struct npy_array array;
    if (!npy_read(input, &array))
        return false;
    const clsort_key_type type = npy_key_type(input, &array);
    if (type == 0)
        return false;
    const struct key_info *info = key_info_of(type);
    if (info->kind == KEY_KIND_FLOAT) {
        report_error("%s: offsets are whole numbers, not %s", input->name, info->name);
        return false;
    }
    return copy_offsets(info, input->bytes + array.n_header_bytes, array.shape[0], segments);
}

static bool read_raw(const struct input *input, struct segment_offsets *segments)
{
    const struct key_info *info = key_info_of(CLSORT_U64);
    if (input->n_bytes % info->n_bytes != 0) {
        report_error("%s: %" PRIu64 " bytes are no whole number of offsets of 8 bytes", input->name, input->n_bytes);
        return false;
    }
    return copy_offsets(info, input->bytes, input->n_bytes / info->n_bytes, segments);
}

/* Offsets that fall would make segments overlap, whose result is not specified. */
static bool check_offsets(const char *name, uint64_t count, const struct segment_offsets *segments)
{
    if (segments->n_offsets == 0) {
        report_error("%s: no offset, where one more than segments is needed", name);
        return false;
    }
    for (uint64_t i = 0; i < segments->n_offsets; i++) {
        if (segments->offsets[i] > count) {
            report_error("%s: offset %" PRIu64 " is beyond the %" PRIu64 " keys", name, i, count);
            return false;
        }
        if (i > 0 && segments->offsets[i] < segments->offsets[i - 1]) {
            report_error("%s: offset %" PRIu64 " is below the one before it", name, i);
            return false;
        }
    }
    return true;
}

bool segments_read(const char *path, uint64_t count, struct segment_offsets *segments)
{
    struct input input = {0};
    bool is_good = input_read(path, &input);
    if (is_good) {
        enum format format = format_from_path(path);
        if (format == FORMAT_NONE)
            format = format_from_content(&input);
        is_good = (format == FORMAT_NPY    ? read_npy(&input, segments)
                   : format == FORMAT_TEXT ? read_text(&input, segments)
                                           : read_raw(&input, segments)) &&
                  check_offsets(input.name, count, segments);
    }
    input_release(&input);
    return is_good;
}

void segments_release(struct segment_offsets *segments)
{
    free(segments->offsets);
    *segments = (struct segment_offsets){0};
}
