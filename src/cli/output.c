/* output.c: writes an output beside its target and puts it in place when it is complete. */
#include "output.h"

#include "files.h"
#include "input.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { buffer_bytes = 1 << 20 }; /* lines are short and system calls are not */

static bool report_output_error(const struct output *output)
{
    report_error("%s: %s", output->name, strerror(errno));
    return false;
}

/* Opens what cannot be replaced: standard output, a device, a pipe. */
static bool open_directly(const char *path, struct output *output)
{
    output->stream = path_is_standard(path) ? stdout : fopen(path, "wb");
    return output->stream != NULL || report_output_error(output);
}

static bool open_beside(const char *path, struct output *output)
{
    output->target = file_resolve(path);
    output->stream = output->target != NULL ? file_create_beside(output->target, &output->temporary) : NULL;
    return output->stream != NULL || report_output_error(output);
}

bool output_open(const char *path, struct output *output)
{
    bool is_standard = path_is_standard(path);
    *output = (struct output){.name = is_standard ? "standard output" : path};
    output->buffer = malloc(buffer_bytes);
    if (output->buffer == NULL)
        return report_output_error(output);
    bool is_open = is_standard || file_is_special(path) ? open_directly(path, output) : open_beside(path, output);
    if (is_open)
        setvbuf(output->stream, NULL, _IONBF, 0); /* the buffer here is enough */
    return is_open;
}

static bool write_through(struct output *output, const void *bytes, uint64_t n_bytes)
{
    if (n_bytes > 0 && fwrite(bytes, 1, (size_t)n_bytes, output->stream) != n_bytes)
        return report_output_error(output);
    return true;
}

static bool flush_buffer(struct output *output)
{
    uint64_t n_buffered = output->n_buffered;
    output->n_buffered = 0;
    return write_through(output, output->buffer, n_buffered);
}

bool output_write(struct output *output, const void *bytes, uint64_t n_bytes)
{
    if (n_bytes > buffer_bytes - output->n_buffered && !flush_buffer(output))
        return false;
    if (n_bytes > buffer_bytes)
        return write_through(output, bytes, n_bytes);
    memcpy(output->buffer + output->n_buffered, bytes, (size_t)n_bytes);
    output->n_buffered += n_bytes;
    return true;
}

bool output_complete(struct output *output)
{
    if (output->stream == NULL)
        return true;
    if (!flush_buffer(output))
        return false;
    if (fflush(output->stream) != 0 || (output->temporary != NULL && !file_sync(output->stream)))
        return report_output_error(output);
    /* Standard output is closed here and not at the end of the process, as some file systems report errors only now. */
    int failed = fclose(output->stream);
    output->stream = NULL;
    return failed == 0 || report_output_error(output);
}

bool output_publish(struct output *output)
{
    if (output->temporary == NULL)
        return true;
    if (!file_replace(output->temporary, output->target))
        return report_output_error(output);
    free(output->temporary);
    output->temporary = NULL;
    return true;
}

void output_release(struct output *output)
{
    if (output->stream != NULL && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary != NULL)
        file_remove(output->temporary);
    free(output->temporary);
    free(output->target);
    free(output->buffer);
    *output = (struct output){0};
}
