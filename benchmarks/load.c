/* Reads whole files into memory. */
#include "load.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((long)1 << 30)

char *load_file(const char *path, size_t *length, char *text, size_t text_bytes)
{
    FILE *file = fopen(path, "rb");
    char *content = NULL;
    long bytes = -1;
    if (!file) {
        snprintf(text, text_bytes, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!fseek(file, 0, SEEK_END) && (bytes = ftell(file)) >= 0 && bytes <= LARGEST_FILE && !fseek(file, 0, SEEK_SET))
        content = malloc((size_t)bytes + 1);
    if (content && fread(content, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(content);
        content = NULL;
    }
    if (content)
        content[bytes] = '\0';
    else
        snprintf(text, text_bytes, "%s: cannot be read", path);
    if (length)
        *length = (size_t)bytes;
    fclose(file);
    return content;
}
