/* input.h: the whole content of an input file or of standard input. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct input {
    const char *name; /* as messages call it */
    unsigned char *bytes;
    uint64_t n_bytes;
    bool is_mapped;
};

/* Whether path means standard input or output. */
bool path_is_standard(const char *path);

/* Reads a file, or standard input for "-". Says on standard error what failed. */
bool input_read(const char *path, struct input *input);
void input_release(struct input *input);

#endif
