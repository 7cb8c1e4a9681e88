/* text.h: text with one number a line, read as keys and written line by line. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "input.h"
#include "key.h"
#include "output.h"

struct text_lines {
    uint64_t n_lines;
    void *keys;       /* one key of each line */
    uint64_t *starts; /* n_lines + 1 byte offsets into the input; a line has its newline, but the last may lack it */
};

/* Reads all lines. Says on standard error which line is wrong, if one is. */
bool text_read(const struct input *input, const struct key_info *info, struct text_lines *lines);
void text_release(struct text_lines *lines);

/* Writes the lines in the order of indices of index_bytes (4 or 8) each; each gets a newline if it lacks one. */
bool text_write_lines(struct output *output, const struct input *input, const struct text_lines *lines,
                      const void *indices, unsigned index_bytes);

/* Writes the indices themselves, one a line. */
bool text_write_indices(struct output *output, const void *indices, unsigned index_bytes, uint64_t count);

#endif
