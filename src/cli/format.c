/* format.c: tells which format a file has. */
#include "format.h"

#include "npy.h"

#include <ctype.h>
#include <string.h>

enum { n_looked_at = 4096 }; /* binary numbers show in fewer bytes than that */

static const char *const names[] = {
    [FORMAT_NONE] = NULL, [FORMAT_RAW] = "raw", [FORMAT_NPY] = "npy", [FORMAT_TEXT] = "text"};

static const struct {
    const char *extension;
    enum format format;
} extensions[] = {
    {".npy", FORMAT_NPY}, {".txt", FORMAT_TEXT}, {".text", FORMAT_TEXT}, {".bin", FORMAT_RAW}, {".raw", FORMAT_RAW}};

const char *format_name(enum format format)
{
    return names[format];
}

enum format format_from_name(const char *name)
{
    for (enum format format = FORMAT_RAW; format <= FORMAT_TEXT; format++) {
        if (strcmp(name, names[format]) == 0)
            return format;
    }
    return FORMAT_NONE;
}

static bool ends_in(const char *path, const char *extension)
{
    size_t n_path = strlen(path);
    size_t n_extension = strlen(extension);
    if (n_path < n_extension)
        return false;
    for (size_t i = 0; i < n_extension; i++) {
        if (tolower((unsigned char)path[n_path - n_extension + i]) != extension[i])
            return false;
    }
    return true;
}

enum format format_from_path(const char *path)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (ends_in(path, extensions[i].extension))
            return extensions[i].format;
    }
    return FORMAT_NONE;
}

enum format format_from_content(const struct input *input)
{
    if (npy_is_seen_in(input->bytes, input->n_bytes))
        return FORMAT_NPY;
    for (uint64_t i = 0; i < input->n_bytes && i < n_looked_at; i++) {
        unsigned char c = input->bytes[i];
        if ((c < ' ' && !(c >= '\t' && c <= '\r')) || c > '~')
            return FORMAT_RAW;
    }
    return FORMAT_TEXT;
}
