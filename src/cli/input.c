/* input.c: gets the whole content of an input file or of standard input into memory. */
#include "input.h"

#include "files.h"
#include "progress.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first guess for a stream of unknown length; it doubles from there. */
static const uint64_t first_capacity = (uint64_t)1 << 20;

/* Memory is asked for in steps of this, so that progress can be shown while a large file is read. */
static const uint64_t read_bytes = (uint64_t)1 << 24;

bool path_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool grow(struct input *input, uint64_t *capacity)
{
    uint64_t wanted = *capacity * 2;
    unsigned char *bytes = wanted <= SIZE_MAX ? realloc(input->bytes, (size_t)wanted) : NULL;
    if (bytes == NULL) {
        report_error("%s: not enough memory to read it", input->name);
        return false;
    }
    input->bytes = bytes;
    *capacity = wanted;
    return true;
}

static bool read_stream(FILE *stream, struct input *input)
{
    uint64_t expected = file_size(stream);
    /* One byte more than expected, so that the end is seen without growing. */
    uint64_t capacity = expected > first_capacity / 2 ? expected / 2 + 1 : first_capacity / 2;
    if (!grow(input, &capacity))
        return false;
    for (;;) {
        if (input->n_bytes == capacity && !grow(input, &capacity))
            return false;
        uint64_t room = capacity - input->n_bytes;
        size_t n_read =
            fread(input->bytes + input->n_bytes, 1, (size_t)(room < read_bytes ? room : read_bytes), stream);
        input->n_bytes += n_read;
        if (n_read == 0)
            break;
        progress_update(input->n_bytes, expected);
    }
    if (ferror(stream)) {
        report_error("%s: %s", input->name, strerror(errno));
        return false;
    }
    return true;
}

bool input_read(const char *path, struct input *input)
{
    bool is_standard = path_is_standard(path);
    bool is_read = false;
    *input = (struct input){.name = is_standard ? "standard input" : path};
    FILE *stream = is_standard ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        report_error("%s: %s", path, strerror(errno));
        goto done;
    }
    input->bytes = file_map(stream, &input->n_bytes);
    input->is_mapped = input->bytes != NULL;
    is_read = input->is_mapped || read_stream(stream, input);
done:
    if (stream != NULL && !is_standard)
        fclose(stream);
    if (!is_read)
        input_release(input);
    return is_read;
}

void input_release(struct input *input)
{
    if (input->is_mapped)
        file_unmap(input->bytes, input->n_bytes);
    else
        free(input->bytes);
    *input = (struct input){.name = input->name};
}
