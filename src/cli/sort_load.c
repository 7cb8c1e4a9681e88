/* sort_load.c: reads keys and values, and makes the request to sort them. */
#include "sort_task.h"

#include "progress.h"
#include "report.h"

#include <inttypes.h>

static const uint64_t largest_count_of_4_bytes = (uint64_t)1 << 32;

/* The output has the input's format, so a name that promises another one is most likely a slip. */
static bool check_output_name(const struct sort_task *task)
{
    enum format promised = format_from_path(task->options.output);
    if (task->options.format != FORMAT_NONE || promised == FORMAT_NONE || promised == task->format)
        return true;
    report_error("%s: the name stands for %s, but the output is %s as the input is (--format says it is meant)",
                 task->options.output, format_name(promised), format_name(task->format));
    return false;
}

static bool choose_format(struct sort_task *task)
{
    task->format = task->options.format;
    if (task->format == FORMAT_NONE)
        task->format = format_from_path(task->options.input);
    if (task->format == FORMAT_NONE)
        task->format = format_from_content(&task->input);
    return check_output_name(task);
}

static bool load_raw(struct sort_task *task)
{
    if (task->input.n_bytes % task->key->n_bytes != 0) {
        report_error("%s: %" PRIu64 " bytes are no whole number of %s keys", task->input.name, task->input.n_bytes,
                     task->key->name);
        return false;
    }
    task->job.keys = task->input.bytes;
    task->job.request.count = task->input.n_bytes / task->key->n_bytes;
    return true;
}

static bool load_npy(struct sort_task *task)
{
    clsort_key_type type = npy_key_type(&task->input, &task->array);
    if (type == 0)
        return false;
    if (task->options.key_type != 0 && task->options.key_type != type) {
        report_error("%s: holds %s, not %s", task->input.name, clsort_key_type_name(type), task->key->name);
        return false;
    }
    task->key = key_info_of(type);
    task->job.keys = task->input.bytes + task->array.n_header_bytes;
    task->job.request.count = task->array.shape[0];
    return true;
}

static bool load_text(struct sort_task *task)
{
    if (!text_read(&task->input, task->key, &task->lines))
        return false;
    task->job.keys = task->lines.keys;
    task->job.request.count = task->lines.n_lines;
    return true;
}

static bool load_keys(struct sort_task *task)
{
    if (!input_read(task->options.input, &task->input) || !choose_format(task))
        return false;
    clsort_key_type type = task->options.key_type;
    if (type == 0)
        type = task->format == FORMAT_TEXT ? CLSORT_I64 : CLSORT_U32;
    task->key = key_info_of(type);
    if (task->format == FORMAT_NPY)
        return npy_read(&task->input, &task->array) && load_npy(task);
    return task->format == FORMAT_TEXT ? load_text(task) : load_raw(task);
}

static bool check_value_count(const struct sort_task *task, uint64_t n_values)
{
    if (n_values == task->job.request.count)
        return true;
    report_error("%s: %" PRIu64 " values for %" PRIu64 " keys", task->values.name, n_values, task->job.request.count);
    return false;
}

static bool load_npy_values(struct sort_task *task)
{
    struct npy_array array;
    uint64_t n_rows = 0;
    uint64_t row_bytes = 0;
    if (!npy_read(&task->values, &array) || !npy_rows(&task->values, &array, &n_rows, &row_bytes))
        return false;
    if (row_bytes == 0 || (task->options.value_bytes != 0 && task->options.value_bytes != row_bytes)) {
        report_error("%s: a value has %" PRIu64 " bytes, not %" PRIu64, task->values.name, row_bytes,
                     task->options.value_bytes);
        return false;
    }
    task->values_header_bytes = array.n_header_bytes;
    task->job.request.value_bytes = row_bytes;
    return check_value_count(task, n_rows);
}

static bool load_raw_values(struct sort_task *task)
{
    uint64_t value_bytes = task->options.value_bytes;
    if (value_bytes == 0) {
        report_error("%s: raw values need --value-bytes", task->values.name);
        return false;
    }
    if (task->values.n_bytes % value_bytes != 0) {
        report_error("%s: %" PRIu64 " bytes are no whole number of values of %" PRIu64 " bytes", task->values.name,
                     task->values.n_bytes, value_bytes);
        return false;
    }
    task->job.request.value_bytes = value_bytes;
    return check_value_count(task, task->values.n_bytes / value_bytes);
}

static bool load_values(struct sort_task *task)
{
    if (task->options.values == NULL)
        return true;
    if (!input_read(task->options.values, &task->values))
        return false;
    enum format format = format_from_path(task->options.values);
    if (format == FORMAT_NONE)
        format = format_from_content(&task->values);
    bool is_good = format == FORMAT_NPY ? load_npy_values(task) : load_raw_values(task);
    task->job.values = task->values.bytes + task->values_header_bytes;
    return is_good;
}

static uint32_t request_flags(const struct sort_options *options)
{
    return (options->descending ? CLSORT_DESCENDING : 0u) |
           (options->float_total_order ? CLSORT_FLOAT_TOTAL_ORDER : 0u) | (options->unstable ? CLSORT_UNSTABLE : 0u) |
           (options->low_memory ? CLSORT_LOW_MEMORY : 0u) | (options->has_bits ? CLSORT_BIT_RANGE : 0u) |
           (options->segments != NULL || options->segment_length != 0 ? CLSORT_SEGMENTS : 0u) |
           (options->index_in_segment ? CLSORT_INDEX_IN_SEGMENT : 0u);
}

/* Lines are moved on the host, so that text needs their order only. */
static clsort_operation choose_operation(const struct sort_task *task)
{
    if (task->options.argsort || task->format == FORMAT_TEXT)
        return CLSORT_ARGSORT;
    return task->options.values != NULL ? CLSORT_PAIRS : CLSORT_KEYS;
}

/* With a length the library would refuse a count that is no multiple of it, in words of its fields. */
static bool load_segments(struct sort_task *task)
{
    const uint64_t length = task->options.segment_length;
    clsort_request *request = &task->job.request;
    if (length != 0 && request->count % length != 0) {
        report_error("--segment-length %" PRIu64 ": %" PRIu64 " keys are no whole number of segments", length,
                     request->count);
        return false;
    }
    request->segment_length = length;
    if (task->options.segments == NULL)
        return true;
    if (!segments_read(task->options.segments, request->count, &task->segments))
        return false;
    request->segment_count = task->segments.n_offsets - 1;
    request->segment_offset_bytes = 8;
    task->job.segment_offsets = task->segments.offsets;
    return true;
}

static bool complete_request(struct sort_task *task)
{
    const struct sort_options *options = &task->options;
    clsort_request *request = &task->job.request;
    request->operation = choose_operation(task);
    request->key_type = task->key->type;
    request->flags = request_flags(options);
    request->begin_bit = options->begin_bit;
    request->end_bit = options->end_bit;
    request->algorithm = options->algorithm;
    if (options->has_bits && options->end_bit > 8 * task->key->n_bytes) {
        report_error("--bits %" PRIu32 ":%" PRIu32 ": a key of type %s has %u bits", options->begin_bit,
                     options->end_bit, task->key->name, 8 * task->key->n_bytes);
        return false;
    }
    if (request->operation != CLSORT_ARGSORT)
        return true;
    request->value_bytes = 0;
    request->index_bytes = options->index_bytes;
    if (request->index_bytes == 0)
        request->index_bytes = request->count > largest_count_of_4_bytes ? 8 : 4;
    return true;
}

bool sort_load(struct sort_task *task)
{
    clsort_request_init(&task->job.request);
    progress_phase("reading");
    return load_keys(task) && load_values(task) && load_segments(task) && complete_request(task);
}
