/* output.h: an output file that takes its place only when it is complete, or standard output. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output {
    const char *name; /* as messages call it */
    FILE *stream;
    char *target;    /* NULL: the stream is written directly */
    char *temporary; /* NULL: likewise */
    unsigned char *buffer;
    uint64_t n_buffered;
};

/* Every function says on standard error what failed, and returns whether it went well. "-" is standard output. */
bool output_open(const char *path, struct output *output);
bool output_write(struct output *output, const void *bytes, uint64_t n_bytes);

/* Has everything on the disk; nothing can be written any more. */
bool output_complete(struct output *output);

/* Puts a complete output in its place. */
bool output_publish(struct output *output);

/* Removes what was not published. Fine for an output that is all 0. */
void output_release(struct output *output);

#endif
