/* text.c: reads text with one number a line as keys, and writes lines and indices. */
#include "text.h"

#include "number.h"
#include "progress.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { n_between_updates = 1 << 16 }; /* lines between two looks at the clock */

static uint64_t count_lines(const struct input *input)
{
    uint64_t n_lines = 0;
    for (uint64_t i = 0; i < input->n_bytes; i++)
        n_lines += input->bytes[i] == '\n';
    return n_lines + (input->n_bytes > 0 && input->bytes[input->n_bytes - 1] != '\n');
}

static bool allocate_lines(const struct input *input, const struct key_info *info, struct text_lines *lines)
{
    lines->n_lines = count_lines(input);
    if (lines->n_lines < SIZE_MAX / sizeof(uint64_t)) {
        lines->keys = malloc((size_t)lines->n_lines * info->n_bytes + 1);
        lines->starts = malloc(((size_t)lines->n_lines + 1) * sizeof *lines->starts);
    }
    if (lines->keys != NULL && lines->starts != NULL)
        return true;
    report_error("%s: not enough memory for %" PRIu64 " lines", input->name, lines->n_lines);
    return false;
}

static void report_line(const struct input *input, uint64_t line, const struct key_info *info, const char *begin,
                        const char *end, enum number_status status)
{
    char shown[48]; /* enough to recognise the line by */
    size_t n_shown = 0;
    for (const char *p = begin; p < end && n_shown < sizeof shown - 1; p++)
        shown[n_shown++] = *p >= ' ' && *p <= '~' ? *p : '?';
    shown[n_shown] = 0;
    const char *cut = (size_t)(end - begin) > n_shown ? "..." : "";
    if (status == NUMBER_EMPTY)
        report_error("%s: line %" PRIu64 " is empty, which is no number", input->name, line);
    else if (status == NUMBER_OUT_OF_RANGE)
        report_error("%s: line %" PRIu64 ": %s%s is out of the range of %s", input->name, line, shown, cut, info->name);
    else if (status == NUMBER_NO_MEMORY)
        report_error("%s: line %" PRIu64 ": not enough memory to read it", input->name, line);
    else
        report_error("%s: line %" PRIu64 ": '%s%s' is no number of type %s", input->name, line, shown, cut, info->name);
}

static bool read_lines(const struct input *input, const struct key_info *info, struct text_lines *lines)
{
    const char *text = (const char *)input->bytes;
    const char *text_end = text + input->n_bytes;
    const char *begin = text;
    for (uint64_t i = 0; i < lines->n_lines; i++) {
        const char *newline = memchr(begin, '\n', (size_t)(text_end - begin));
        const char *end = newline != NULL ? newline : text_end;
        uint64_t bits = 0;
        enum number_status status = number_read(info, begin, end, &bits);
        if (status != NUMBER_OK) {
            report_line(input, i + 1, info, begin, end, status);
            return false;
        }
        key_store(info, lines->keys, i, bits);
        lines->starts[i] = (uint64_t)(begin - text);
        begin = newline != NULL ? newline + 1 : text_end;
        if (i % n_between_updates == 0)
            progress_update((uint64_t)(begin - text), input->n_bytes);
    }
    lines->starts[lines->n_lines] = input->n_bytes;
    return true;
}

bool text_read(const struct input *input, const struct key_info *info, struct text_lines *lines)
{
    *lines = (struct text_lines){0};
    if (allocate_lines(input, info, lines) && read_lines(input, info, lines))
        return true;
    text_release(lines);
    return false;
}

void text_release(struct text_lines *lines)
{
    free(lines->keys);
    free(lines->starts);
    *lines = (struct text_lines){0};
}

static uint64_t load_index(const void *indices, unsigned index_bytes, uint64_t i)
{
    return index_bytes == 8 ? ((const uint64_t *)indices)[i] : ((const uint32_t *)indices)[i];
}

bool text_write_lines(struct output *output, const struct input *input, const struct text_lines *lines,
                      const void *indices, unsigned index_bytes)
{
    for (uint64_t i = 0; i < lines->n_lines; i++) {
        uint64_t line = load_index(indices, index_bytes, i);
        uint64_t n_bytes = lines->starts[line + 1] - lines->starts[line];
        const unsigned char *begin = input->bytes + lines->starts[line];
        if (!output_write(output, begin, n_bytes))
            return false;
        if (begin[n_bytes - 1] != '\n' && !output_write(output, "\n", 1))
            return false;
        if (i % n_between_updates == 0)
            progress_update(i, lines->n_lines);
    }
    return true;
}

bool text_write_indices(struct output *output, const void *indices, unsigned index_bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        char text[NUMBER_DIGITS_LIMIT + 1];
        unsigned n_text = number_write(load_index(indices, index_bytes, i), text);
        text[n_text] = '\n';
        if (!output_write(output, text, n_text + 1))
            return false;
        if (i % n_between_updates == 0)
            progress_update(i, count);
    }
    return true;
}
