/* sort_command.c: clsort sort: reads, sorts on a device, writes. */
#include "commands.h"
#include "files.h"
#include "progress.h"
#include "report.h"
#include "sort_task.h"
#include "usage.h"

#include <inttypes.h>
#include <stdlib.h>

static bool make_sorter(const struct sort_options *options, clsort_sorter **sorter)
{
    clsort_options settings;
    clsort_options_init(&settings);
    settings.flags = options->no_cache ? CLSORT_NO_DISK_CACHE : 0;
    settings.tuning = options->tuning;
    clsort_status status = clsort_create_default(options->device, &settings, sorter);
    if (status != CLSORT_SUCCESS) {
        report_library_error(NULL, status);
        return false;
    }
    report_tuning_file(*sorter);
    return true;
}

/* Only what was prepared is stored for the next run, and only then is the time of the sort free of compiling. */
static bool wants_prepare(const struct sort_options *options)
{
    return !options->no_cache || options->stats;
}

static bool allocate_results(struct device_job *job)
{
    const clsort_request *request = &job->request;
    uint64_t key_bytes = clsort_key_type_bytes(request->key_type);
    uint64_t value_bytes = request->operation == CLSORT_ARGSORT ? request->index_bytes : request->value_bytes;
    uint64_t n_limit = SIZE_MAX / (key_bytes > value_bytes ? key_bytes : value_bytes);
    /* One more byte, as nothing may be what memory of no size is. */
    if (request->count < n_limit && request->operation != CLSORT_ARGSORT)
        job->keys_out = malloc((size_t)(request->count * key_bytes) + 1);
    if (request->count < n_limit && request->operation != CLSORT_KEYS)
        job->values_out = malloc((size_t)(request->count * value_bytes) + 1);
    if ((job->keys_out != NULL || request->operation == CLSORT_ARGSORT) &&
        (job->values_out != NULL || request->operation == CLSORT_KEYS))
        return true;
    report_error("not enough memory for the result of %" PRIu64 " keys", request->count);
    return false;
}

static void print_text_info(clsort_sorter *sorter, const clsort_request *request, clsort_info info, const char *title)
{
    char text[1024] = "";
    if (clsort_get_info(sorter, request, info, sizeof text, text, NULL) == CLSORT_SUCCESS)
        fprintf(stderr, "%-10s %s\n", title, text);
}

static uint64_t number_info(clsort_sorter *sorter, clsort_info info)
{
    uint64_t number = 0;
    clsort_get_info(sorter, NULL, info, sizeof number, &number, NULL);
    return number;
}

static void print_stats(clsort_sorter *sorter, const struct sort_task *task)
{
    static const char *const operations[] = {
        [CLSORT_KEYS] = "keys", [CLSORT_PAIRS] = "pairs", [CLSORT_ARGSORT] = "argsort"};
    const struct device_job *job = &task->job;
    progress_clear();
    print_text_info(sorter, NULL, CLSORT_INFO_DEVICE_NAME, "device");
    print_text_info(sorter, NULL, CLSORT_INFO_DRIVER_VERSION, "driver");
    print_text_info(sorter, &job->request, CLSORT_INFO_ALGORITHM, "algorithm");
    print_text_info(sorter, &job->request, CLSORT_INFO_TUNING, "tuning");
    fprintf(stderr, "%-10s %s of %s\n", "operation", operations[job->request.operation], task->key->name);
    fprintf(stderr, "%-10s %" PRIu64 "\n", "count", job->request.count);
    fprintf(stderr, "%-10s %.6f s\n", "read", task->read_seconds);
    fprintf(stderr, "%-10s %.6f s (%" PRIu64 " programs compiled, %" PRIu64 " loaded)\n", "prepare",
            job->prepare_seconds, number_info(sorter, CLSORT_INFO_PROGRAMS_COMPILED),
            number_info(sorter, CLSORT_INFO_PROGRAMS_LOADED));
    fprintf(stderr, "%-10s %.6f s\n", "upload", job->upload_seconds);
    fprintf(stderr, "%-10s %.6f s\n", "sort", job->sort_seconds);
    fprintf(stderr, "%-10s %.6f s\n", "download", job->download_seconds);
    fprintf(stderr, "%-10s %.6f s\n", "write", task->write_seconds);
    if (job->sort_seconds > 0.0)
        fprintf(stderr, "%-10s %.3f million keys per second\n", "rate",
                (double)job->request.count / job->sort_seconds * 1e-6);
}

static bool load_timed(struct sort_task *task)
{
    double start = clock_seconds();
    bool is_good = sort_load(task);
    task->read_seconds = clock_seconds() - start;
    return is_good;
}

static bool store_timed(struct sort_task *task)
{
    double start = clock_seconds();
    bool is_good = sort_store(task);
    task->write_seconds = clock_seconds() - start;
    return is_good;
}

static void release_task(struct sort_task *task)
{
    output_release(&task->output);
    output_release(&task->values_output);
    text_release(&task->lines);
    input_release(&task->input);
    input_release(&task->values);
    segments_release(&task->segments);
    free(task->job.keys_out);
    free(task->job.values_out);
}

int sort_command(int n_arguments, char **arguments)
{
    struct sort_task task = {0};
    if (!sort_options_read(&task.options, n_arguments, arguments))
        return EXIT_CODE_USAGE;
    if (task.options.help) {
        usage_print_sort(stdout);
        return report_standard_output();
    }
    clsort_sorter *sorter = NULL;
    progress_start(task.options.progress);
    bool is_good = load_timed(&task) && make_sorter(&task.options, &sorter) && sort_open_outputs(&task) &&
                   allocate_results(&task.job) && device_job_run(sorter, wants_prepare(&task.options), &task.job) &&
                   store_timed(&task);
    progress_clear();
    if (is_good && task.options.stats)
        print_stats(sorter, &task);
    clsort_destroy(sorter);
    release_task(&task);
    return is_good ? EXIT_CODE_SUCCESS : EXIT_CODE_FAILURE;
}
