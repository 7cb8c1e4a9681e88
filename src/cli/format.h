/* format.h: the formats of input and output, and which one a file has. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "input.h"

enum format { FORMAT_NONE, FORMAT_RAW, FORMAT_NPY, FORMAT_TEXT };

/* NULL for FORMAT_NONE. */
const char *format_name(enum format format);
enum format format_from_name(const char *name);

/* What the extension of a file's name says, FORMAT_NONE if nothing. */
enum format format_from_path(const char *path);

/* What the first bytes of a file look like. */
enum format format_from_content(const struct input *input);

#endif
