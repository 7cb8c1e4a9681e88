/* tune_trial_command.c: the hidden command that checks and times one candidate of the tuner, in a process of its own. */
#include "commands.h"
#include "files.h"
#include "options.h"
#include "process.h"
#include "report.h"
#include "tune_check.h"
#include "tune_trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n_warm_up_runs = 2, n_pairs_least = 5, n_pairs_most = 401 };

static const double slow_seconds = 0.01; /* of the test hook: far above the noise */

/* Base and candidate share data and queue. */
struct side {
    clsort_sorter *sorter;
    double seconds[n_pairs_most];
};

struct trial {
    struct tune_trial what;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    struct side base, candidate;
    struct tune_check check; /* data and expected results */
    cl_mem buffers[4];       /* keys in and out, values in and out */
    clsort_request request;
    const char *fault; /* what the tests have go wrong */
};

struct texts {
    const char *device, *key, *operation, *value, *algorithm, *base, *candidate, *counts, *seconds, *drop_ratio,
        *drop_seconds, *segment_length, *cache;
};

/* Says how it ends; a child has no other way. */
static int tell(const char *what, const char *text)
{
    printf(TUNE_TRIAL_MARK "%s %s\n", what, text);
    return fflush(stdout) == 0 ? EXIT_CODE_SUCCESS : EXIT_CODE_FAILURE;
}

/* Refused: the values or the algorithm are not for this; the rest is a failure. */
static int tell_status(clsort_sorter *sorter, clsort_status status)
{
    char text[1024];
    clsort_last_error(sorter, text, sizeof text);
    text[strcspn(text, "\n")] = 0;
    return tell(status == CLSORT_INVALID_TUNING || status == CLSORT_INVALID_ALGORITHM ? "refused" : "failed",
                text[0] != 0 ? text : clsort_status_text(status));
}

static bool find_device(struct trial *trial, const char *index)
{
    size_t n_devices = 0;
    clsort_list_devices(index, 0, NULL, &n_devices);
    clsort_device_info *devices = calloc(n_devices + 1, sizeof *devices);
    if (devices == NULL)
        return false;
    size_t capacity = n_devices;
    if (clsort_list_devices(index, capacity, devices, &n_devices) == CLSORT_SUCCESS) {
        for (size_t i = 0; i < n_devices && i < capacity; i++) {
            if (devices[i].chosen)
                trial->device = devices[i].device;
        }
    }
    free(devices);
    return trial->device != NULL;
}

static clsort_status make_sorter(struct trial *trial, const struct tune_values *values, const char *cache,
                                 clsort_sorter **sorter)
{
    char text[TUNE_TEXT_LIMIT];
    clsort_options options;
    clsort_options_init(&options);
    tune_values_print(values, text);
    options.tuning = text;
    options.cache_directory = cache;
    options.flags = CLSORT_NO_TUNING_FILE;
    return clsort_create(trial->context, trial->device, &options, sorter);
}

static cl_int make_buffers(struct trial *trial, uint64_t count)
{
    const size_t key_bytes = (size_t)count * trial->what.info->n_bytes;
    const size_t value_bytes = (size_t)count * trial->what.value_bytes;
    const size_t sizes[4] = {key_bytes, key_bytes, value_bytes, value_bytes};
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < 4 && status == CL_SUCCESS; i++) {
        if (sizes[i] > 0)
            trial->buffers[i] = clCreateBuffer(trial->context, CL_MEM_READ_WRITE, sizes[i], NULL, &status);
    }
    return status;
}

static void make_request(struct trial *trial)
{
    const struct tune_trial *what = &trial->what;
    clsort_request *request = &trial->request;
    clsort_request_init(request);
    request->operation = what->operation;
    request->key_type = what->info->type;
    request->algorithm = what->algorithm;
    request->keys_in = clsort_make_range(trial->buffers[0], 0);
    if (what->operation != CLSORT_ARGSORT)
        request->keys_out = clsort_make_range(trial->buffers[what->in_place ? 0 : 1], 0);
    if (what->operation == CLSORT_PAIRS) {
        request->value_bytes = what->value_bytes;
        request->values_in = clsort_make_range(trial->buffers[2], 0);
    }
    if (what->operation == CLSORT_ARGSORT)
        request->index_bytes = what->value_bytes;
    if (what->operation != CLSORT_KEYS)
        request->values_out =
            clsort_make_range(trial->buffers[what->in_place && what->operation == CLSORT_PAIRS ? 2 : 3], 0);
    if (what->segment_length > 0) {
        request->flags |= CLSORT_SEGMENTS;
        request->segment_length = what->segment_length;
    }
}

static cl_int upload(struct trial *trial, uint64_t count)
{
    const struct tune_trial *what = &trial->what;
    cl_int status = clEnqueueWriteBuffer(trial->queue, trial->buffers[0], CL_TRUE, 0,
                                         (size_t)count * what->info->n_bytes, trial->check.keys, 0, NULL, NULL);
    if (status == CL_SUCCESS && what->operation == CLSORT_PAIRS)
        status = clEnqueueWriteBuffer(trial->queue, trial->buffers[2], CL_TRUE, 0, (size_t)count * what->value_bytes,
                                      trial->check.values, 0, NULL, NULL);
    return status;
}

/* For tests: $CLSORT_TUNE_FAULT is "crash TEXT", "hang TEXT", "wrong TEXT" or "slow TEXT", which does so where the values that
   are tried hold TEXT. */
static bool has_fault(const struct trial *trial, const char *kind, const struct tune_values *values)
{
    char text[TUNE_TEXT_LIMIT];
    size_t n_kind = strlen(kind);
    if (trial->fault == NULL || strncmp(trial->fault, kind, n_kind) != 0 || trial->fault[n_kind] != ' ')
        return false;
    tune_values_print(values, text);
    return strstr(text, trial->fault + n_kind + 1) != NULL;
}

static void go_wrong(struct trial *trial)
{
    if (has_fault(trial, "crash", trial->what.candidate))
        abort();
    while (has_fault(trial, "hang", trial->what.candidate))
        clock_pause(1.0);
    if (has_fault(trial, "wrong", trial->what.candidate))
        ((unsigned char *)trial->check.expected_keys)[0] ^= 1;
}

/* One sort; *seconds: from the call to the end. */
static clsort_status sort_once(struct trial *trial, clsort_sorter *sorter, double *seconds)
{
    /* In place there is nothing left to sort after the first one. */
    clsort_status status = trial->what.in_place ? upload(trial, trial->request.count) : CL_SUCCESS;
    if (status != CLSORT_SUCCESS)
        return status;
    double begin = clock_seconds();
    status = clsort_enqueue(sorter, trial->queue, &trial->request, 0, NULL, NULL);
    if (status == CLSORT_SUCCESS)
        status = clFinish(trial->queue);
    const struct tune_values *values = sorter == trial->base.sorter ? trial->what.base : trial->what.candidate;
    if (trial->fault != NULL && has_fault(trial, "slow", values))
        clock_pause(slow_seconds);
    *seconds = clock_seconds() - begin;
    return status;
}

static cl_int download(struct trial *trial, uint64_t count)
{
    const struct tune_trial *what = &trial->what;
    cl_int status = CL_SUCCESS;
    if (what->operation != CLSORT_ARGSORT)
        status = clEnqueueReadBuffer(trial->queue, trial->request.keys_out.buffer, CL_TRUE, 0,
                                     (size_t)count * what->info->n_bytes, trial->check.keys_out, 0, NULL, NULL);
    if (status == CL_SUCCESS && what->operation != CLSORT_KEYS)
        status = clEnqueueReadBuffer(trial->queue, trial->request.values_out.buffer, CL_TRUE, 0,
                                     (size_t)count * what->value_bytes, trial->check.values_out, 0, NULL, NULL);
    return status;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *numbers, int n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, compare_numbers);
    return n % 2 != 0 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2.0;
}

/* A few pairs in any case, but for what is so slow that one tells enough. */
static bool is_worth_a_pair(const struct trial *trial, int n, double seconds)
{
    const double slow_factor = 20.0;
    return n == 0 || seconds < trial->what.seconds ||
           (n < n_pairs_least && seconds < slow_factor * trial->what.seconds);
}

/* Times both by turns, so that what slows the machine down for a while slows down both; which is first changes too. */
static clsort_status time_pairs(struct trial *trial, struct tune_time *time)
{
    static double ratios[n_pairs_most];
    bool has_base = trial->base.sorter != NULL;
    double begin = clock_seconds();
    int n = 0;
    while (n < n_pairs_most && is_worth_a_pair(trial, n, clock_seconds() - begin)) {
        clsort_status status = CLSORT_SUCCESS;
        for (int turn = 0; turn < 2 && status == CLSORT_SUCCESS; turn++) {
            struct side *side = (n + turn) % 2 != 0 ? &trial->base : &trial->candidate;
            if (side->sorter != NULL)
                status = sort_once(trial, side->sorter, &side->seconds[n]);
        }
        if (status != CLSORT_SUCCESS)
            return status;
        ratios[n] = has_base ? trial->candidate.seconds[n] / trial->base.seconds[n] : 0.0;
        n++;
    }
    time->count = trial->request.count;
    time->base_seconds = has_base ? median(trial->base.seconds, n) : 0.0;
    time->candidate_seconds = median(trial->candidate.seconds, n);
    time->ratio = median(ratios, n);
    return CLSORT_SUCCESS;
}

/* Compiles ahead, so that it is kept for the next child, and runs a few times; the first result is checked. */
static int check_side(struct trial *trial, struct side *side, bool *is_right)
{
    double seconds = 0.0;
    clsort_status status = clsort_prepare(side->sorter, &trial->request);
    for (int i = 0; i < n_warm_up_runs && status == CLSORT_SUCCESS; i++)
        status = sort_once(trial, side->sorter, &seconds);
    if (status == CLSORT_SUCCESS)
        status = download(trial, trial->request.count);
    *is_right = false;
    if (status != CLSORT_SUCCESS)
        return tell_status(side->sorter, status);
    if (!tune_check_is_right(&trial->check, trial->request.count)) {
        char text[96];
        snprintf(text, sizeof text, "%s result for %" PRIu64 " keys is wrong",
                 side == &trial->base ? "the base's" : "its", trial->request.count);
        return tell("wrong", text);
    }
    *is_right = true;
    return EXIT_CODE_SUCCESS;
}

/* All of one count; *goes_on: the next one is worth it. */
static int run_count(struct trial *trial, uint64_t count, bool *goes_on)
{
    struct tune_time time = {0};
    bool is_right = false;
    *goes_on = false;
    trial->request.count = count;
    tune_check_expect(&trial->check, count, trial->what.segment_length);
    go_wrong(trial);
    cl_int error = upload(trial, count);
    if (error != CL_SUCCESS)
        return tell("failed", clsort_status_text(error));
    int code = check_side(trial, &trial->candidate, &is_right);
    if (is_right && trial->base.sorter != NULL)
        code = check_side(trial, &trial->base, &is_right);
    if (!is_right)
        return code;
    clsort_status status = time_pairs(trial, &time);
    if (status != CLSORT_SUCCESS)
        return tell_status(NULL, status);
    printf(TUNE_TRIAL_MARK "time %" PRIu64 " %.9f %.9f %.5f\n", count, time.base_seconds, time.candidate_seconds,
           time.ratio);
    *goes_on = (time.ratio <= trial->what.drop_ratio || trial->what.drop_ratio <= 0.0) &&
               (time.candidate_seconds <= trial->what.drop_seconds || trial->what.drop_seconds <= 0.0);
    return fflush(stdout) == 0 ? EXIT_CODE_SUCCESS : EXIT_CODE_FAILURE;
}

static int run_counts(struct trial *trial)
{
    bool goes_on = true;
    int code = EXIT_CODE_SUCCESS;
    for (size_t i = 0; i < trial->what.n_counts && goes_on; i++)
        code = run_count(trial, trial->what.counts[i], &goes_on);
    return code;
}

static int run_trial(struct trial *trial, const char *device, const char *cache)
{
    const struct tune_trial *what = &trial->what;
    uint64_t largest = what->counts[what->n_counts - 1];
    cl_int error = CL_SUCCESS;
    if (!find_device(trial, device))
        return tell("failed", "the device is not there any more");
    trial->context = clCreateContext(NULL, 1, &trial->device, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        trial->queue = clCreateCommandQueue(trial->context, trial->device, 0, &error);
    if (error == CL_SUCCESS)
        error = make_buffers(trial, largest);
    if (error != CL_SUCCESS)
        return tell("failed", clsort_status_text(error));
    clsort_status status = make_sorter(trial, what->candidate, cache, &trial->candidate.sorter);
    if (status == CLSORT_SUCCESS && what->base != NULL)
        status = make_sorter(trial, what->base, cache, &trial->base.sorter);
    if (status != CLSORT_SUCCESS)
        return tell_status(NULL, status);
    if (!tune_check_make(&trial->check, what->info, what->operation, what->value_bytes, largest))
        return tell("failed", "not enough memory");
    make_request(trial);
    return run_counts(trial);
}

static void release(struct trial *trial)
{
    clsort_destroy(trial->base.sorter);
    clsort_destroy(trial->candidate.sorter);
    for (int i = 0; i < 4; i++) {
        if (trial->buffers[i] != NULL)
            clReleaseMemObject(trial->buffers[i]);
    }
    if (trial->queue != NULL)
        clReleaseCommandQueue(trial->queue);
    if (trial->context != NULL)
        clReleaseContext(trial->context);
    tune_check_release(&trial->check);
}

static bool read_counts(const char *text, struct tune_trial *what)
{
    what->n_counts = 0;
    while (*text != 0 && what->n_counts < TUNE_COUNTS_LIMIT) {
        char *end = NULL;
        what->counts[what->n_counts] = strtoull(text, &end, 10);
        if (end == text || what->counts[what->n_counts] == 0)
            return false;
        what->n_counts++;
        text = end + (*end == ',');
    }
    return what->n_counts > 0 && *text == 0;
}

/* The arguments are of the parent's making, so one message will do. */
static bool read_what(const struct texts *texts, struct tune_values *base, struct tune_values *candidate,
                      struct tune_trial *what)
{
    what->info = texts->key != NULL ? key_info_of(clsort_key_type_from_name(texts->key)) : NULL;
    if (what->info == NULL || texts->device == NULL || texts->candidate == NULL || texts->counts == NULL ||
        texts->seconds == NULL || texts->operation == NULL || !tune_values_read(texts->candidate, candidate) ||
        (texts->base != NULL && !tune_values_read(texts->base, base)) || !read_counts(texts->counts, what))
        return false;
    what->operation = texts->operation[0] == 'k'   ? CLSORT_KEYS
                      : texts->operation[0] == 'p' ? CLSORT_PAIRS
                                                   : CLSORT_ARGSORT;
    what->value_bytes = texts->value != NULL ? (uint32_t)strtoul(texts->value, NULL, 10) : 0;
    what->algorithm = texts->algorithm;
    what->base = texts->base != NULL ? base : NULL;
    what->candidate = candidate;
    what->seconds = strtod(texts->seconds, NULL);
    what->drop_ratio = texts->drop_ratio != NULL ? strtod(texts->drop_ratio, NULL) : 0.0;
    what->drop_seconds = texts->drop_seconds != NULL ? strtod(texts->drop_seconds, NULL) : 0.0;
    what->segment_length = texts->segment_length != NULL ? strtoull(texts->segment_length, NULL, 10) : 0;
    return (what->operation == CLSORT_KEYS) == (what->value_bytes == 0);
}

int tune_trial_command(int n_arguments, char **arguments)
{
    static struct trial trial;
    static struct tune_values base, candidate;
    struct texts texts = {0};
    const char *end_after = NULL;
    const struct option options[] = {{"device", 0, OPTION_TEXT, &texts.device},
                                     {"key", 0, OPTION_TEXT, &texts.key},
                                     {"operation", 0, OPTION_TEXT, &texts.operation},
                                     {"value", 0, OPTION_TEXT, &texts.value},
                                     {"algorithm", 0, OPTION_TEXT, &texts.algorithm},
                                     {"base", 0, OPTION_TEXT, &texts.base},
                                     {"candidate", 0, OPTION_TEXT, &texts.candidate},
                                     {"counts", 0, OPTION_TEXT, &texts.counts},
                                     {"seconds", 0, OPTION_TEXT, &texts.seconds},
                                     {"drop-ratio", 0, OPTION_TEXT, &texts.drop_ratio},
                                     {"drop-seconds", 0, OPTION_TEXT, &texts.drop_seconds},
                                     {"segment-length", 0, OPTION_TEXT, &texts.segment_length},
                                     {"cache", 0, OPTION_TEXT, &texts.cache},
                                     {"end-after", 0, OPTION_TEXT, &end_after},
                                     {"in-place", 0, OPTION_SWITCH, &trial.what.in_place}};
    const struct option_set set = {TUNE_TRIAL_COMMAND, options, sizeof options / sizeof *options, NULL, 0};
    if (!options_read(&set, n_arguments, arguments) || !read_what(&texts, &base, &candidate, &trial.what)) {
        report_error(TUNE_TRIAL_COMMAND ": this command is for the use of 'clsort tune' alone");
        return EXIT_CODE_USAGE;
    }
    if (end_after != NULL)
        process_end_after((unsigned)strtoul(end_after, NULL, 10));
    trial.fault = getenv("CLSORT_TUNE_FAULT");
    int code = run_trial(&trial, texts.device, texts.cache);
    release(&trial);
    return code;
}
