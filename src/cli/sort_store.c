/* sort_store.c: writes what was sorted in the format of the input. */
#include "sort_task.h"

#include "files.h"
#include "progress.h"
#include "report.h"

/* Pieces of an array between two looks at the clock. */
static const uint64_t write_bytes = (uint64_t)1 << 24;

bool sort_open_outputs(struct sort_task *task)
{
    bool is_binary = task->format != FORMAT_TEXT;
    if (path_is_standard(task->options.output) && is_binary && terminal_has(stdout)) {
        report_error("standard output: a terminal is no place for binary data (--output FILE, or a pipe)");
        return false;
    }
    return output_open(task->options.output, &task->output) &&
           (task->options.values == NULL || output_open(task->options.values_output, &task->values_output));
}

static bool write_array(struct output *output, const void *bytes, uint64_t n_bytes)
{
    for (uint64_t i = 0; i < n_bytes; i += write_bytes) {
        uint64_t n_piece = n_bytes - i < write_bytes ? n_bytes - i : write_bytes;
        if (!output_write(output, (const unsigned char *)bytes + i, n_piece))
            return false;
        progress_update(i + n_piece, n_bytes);
    }
    return true;
}

static bool store_indices(struct sort_task *task)
{
    const clsort_request *request = &task->job.request;
    if (task->format == FORMAT_TEXT)
        return text_write_indices(&task->output, task->job.values_out, request->index_bytes, request->count);
    if (task->format == FORMAT_NPY &&
        !npy_write_header(&task->output, npy_index_descr(request->index_bytes), request->count))
        return false;
    return write_array(&task->output, task->job.values_out, request->count * request->index_bytes);
}

static bool store_keys(struct sort_task *task)
{
    const clsort_request *request = &task->job.request;
    if (task->format == FORMAT_TEXT)
        return text_write_lines(&task->output, &task->input, &task->lines, task->job.values_out, request->index_bytes);
    /* The array has the type and the size of the input, and so its header. */
    return output_write(&task->output, task->input.bytes, task->array.n_header_bytes) &&
           write_array(&task->output, task->job.keys_out, request->count * task->key->n_bytes);
}

/* Values of text are moved as its lines are. */
static bool store_gathered_values(struct sort_task *task, uint64_t value_bytes)
{
    const unsigned char *values = task->job.values;
    for (uint64_t i = 0; i < task->job.request.count; i++) {
        uint64_t from = task->job.request.index_bytes == 8 ? ((const uint64_t *)task->job.values_out)[i]
                                                           : ((const uint32_t *)task->job.values_out)[i];
        if (!output_write(&task->values_output, values + from * value_bytes, value_bytes))
            return false;
    }
    return true;
}

static bool store_values(struct sort_task *task)
{
    uint64_t n_bytes = task->values.n_bytes - task->values_header_bytes;
    if (!output_write(&task->values_output, task->values.bytes, task->values_header_bytes))
        return false;
    if (task->format != FORMAT_TEXT)
        return write_array(&task->values_output, task->job.values_out, n_bytes);
    return task->job.request.count == 0 || store_gathered_values(task, n_bytes / task->job.request.count);
}

bool sort_store(struct sort_task *task)
{
    progress_phase("writing");
    bool is_good = task->options.argsort ? store_indices(task) : store_keys(task);
    if (is_good && task->options.values != NULL)
        is_good = store_values(task);
    /* All have to be complete before the first one takes its place. */
    return is_good && output_complete(&task->output) && output_complete(&task->values_output) &&
           output_publish(&task->output) && output_publish(&task->values_output);
}
