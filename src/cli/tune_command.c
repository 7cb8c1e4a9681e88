/* tune_command.c: clsort tune: finds values of the tuning parameters for a device and keeps them for later runs. */
#include "commands.h"
#include "files.h"
#include "options.h"
#include "process.h"
#include "progress.h"
#include "report.h"
#include "tune_file.h"
#include "tune_progress.h"
#include "tune_space.h"
#include "usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n_cases_most = 64, n_path_limit = 4096, n_list_most = 16 };

/* Ends within three minutes with what is left of a trial and the last comparison. */
static const double quick_seconds = 150.0, full_seconds = 3600.0, spare_seconds = 20.0;
static const double quick_limit_seconds = 15.0, full_limit_seconds = 120.0; /* of a candidate */
static const double quick_timing_seconds = 0.15, full_timing_seconds = 0.4; /* of each count */
static const double search_share = 0.6; /* of the time of a case; the rest is for the last comparison */
static const uint64_t most_seconds = 1000000;

struct tune_options {
    const char *device, *keys, *values, *count, *seconds, *tries, *limit, *from, *algorithm;
    bool quick, full, help;
};

struct tune_run {
    struct tune_options options;
    clsort_device_info device;
    struct tune_model model;
    struct tune_session session;
    struct tune_case *cases;
    size_t n_cases;
    char index[16], tuning_path[n_path_limit], state_path[n_path_limit + 16], lock_path[n_path_limit + 16],
        output_path[n_path_limit + 16], cache[n_path_limit + 16];
    int lock; /* negative: none */
    unsigned n_stored, n_incomplete;
};

static bool report_usage(const char *option, const char *what)
{
    report_error("tune: %s %s ('clsort tune --help' lists the options)", option, what);
    return false;
}

/* ----------------------------------------------------------------------------------------------------- the cases */

/* Rows are for sizes of keys: the unsigned type stands for all of its size. */
static const struct key_info *unsigned_of(const struct key_info *info)
{
    static const char *const names[] = {"u8", "u16", "u32", "u64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct key_info *of_size = key_info_of(clsort_key_type_from_name(names[i]));
        if (of_size->n_bytes == info->n_bytes)
            return of_size;
    }
    return info;
}

/* Splits text at its commas; an entry is at most as long as a name. */
static bool next_entry(const char **text, char entry[16])
{
    size_t n_entry = strcspn(*text, ",");
    if (n_entry == 0 || n_entry >= 16)
        return false;
    memcpy(entry, *text, n_entry);
    entry[n_entry] = 0;
    *text += n_entry + ((*text)[n_entry] == ',');
    return true;
}

static bool read_keys(const char *text, const struct key_info *infos[n_list_most], size_t *n)
{
    char entry[16];
    *n = 0;
    while (*text != 0) {
        const struct key_info *info = next_entry(&text, entry) ? key_info_of(clsort_key_type_from_name(entry)) : NULL;
        if (info == NULL || *n == n_list_most)
            return report_usage("--key", "takes key types with commas between");
        infos[(*n)++] = unsigned_of(info);
    }
    return *n > 0 || report_usage("--key", "takes key types with commas between");
}

static bool read_value_sizes(const char *text, uint32_t sizes[n_list_most], size_t *n)
{
    static const char expected[] = "takes sizes of values, 1 2 4 8 16 or none, with commas between";
    char entry[16];
    *n = 0;
    while (*text != 0) {
        uint64_t size = 0;
        if (!next_entry(&text, entry) || *n == n_list_most)
            return report_usage("--value", expected);
        if (strcmp(entry, "none") != 0 && (!options_number(entry, 16, &size) || size == 0 || (size & (size - 1)) != 0))
            return report_usage("--value", expected);
        sizes[(*n)++] = (uint32_t)size;
    }
    return *n > 0 || report_usage("--value", expected);
}

static void add_case(struct tune_run *run, const struct key_info *info, uint32_t value_bytes)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        if (run->cases[i].info == info && run->cases[i].value_bytes == value_bytes)
            return;
    }
    if (run->n_cases < n_cases_most)
        run->cases[run->n_cases++] = (struct tune_case){.info = info, .value_bytes = value_bytes};
}

/* What was asked for; else for a quick run the sorts that are most in use. */
static bool list_cases(struct tune_run *run)
{
    const struct tune_options *o = &run->options;
    const struct key_info *infos[n_list_most];
    uint32_t sizes[n_list_most];
    size_t n_infos = 0, n_sizes = 0;
    const char *values = o->values != NULL ? o->values : "none,4";
    if (!read_keys(o->keys != NULL ? o->keys : (o->full ? "u32,u64,u16,u8" : "u32,u64"), infos, &n_infos) ||
        !read_value_sizes(o->values == NULL && o->full ? "none,4,8" : values, sizes, &n_sizes))
        return false;
    for (size_t s = 0; s < n_sizes; s++) {
        for (size_t i = 0; i < n_infos; i++) {
            bool is_rare = sizes[s] > 0 && infos[i]->n_bytes != 4 && !o->full && o->keys == NULL && o->values == NULL;
            if (!is_rare)
                add_case(run, infos[i], sizes[s]);
        }
    }
    return true;
}

/* As large as a device may be given without asking: its own cache is left behind, and a host sort checks it in a second. */
static uint64_t default_count(const struct tune_run *run)
{
    bool is_cpu = (run->model.type & CL_DEVICE_TYPE_CPU) != 0;
    uint64_t count = (uint64_t)1 << (is_cpu ? (run->options.full ? 22 : 20) : 24);
    while (count > 1 << 16 && count * 200 > run->model.global_bytes)
        count /= 2;
    return count;
}

static bool set_up_cases(struct tune_run *run)
{
    const struct tune_options *o = &run->options;
    uint64_t count = 0;
    bool is_safe = o->from != NULL && strcmp(o->from, "safe") == 0;
    if (o->count != NULL && (!options_number(o->count, UINT32_MAX / 2, &count) || count < 16))
        return report_usage("--count", "takes a number from 16 to 2147483647");
    if (o->algorithm != NULL && tune_group_of(o->algorithm) == NULL)
        return report_usage("--algorithm", "takes the name of an algorithm that has values to tune");
    for (size_t i = 0; i < run->n_cases; i++) {
        struct tune_case *c = &run->cases[i];
        c->is_full = o->full;
        c->algorithm = o->algorithm;
        c->seconds = o->full ? full_timing_seconds : quick_timing_seconds;
        c->largest_count = o->count != NULL ? count : default_count(run);
        if (!tune_model_row(&run->model, c->info, c->value_bytes, false, &c->built_in) ||
            !tune_model_row(&run->model, c->info, c->value_bytes, is_safe, &c->start))
            return false;
        if (o->from != NULL && !is_safe && !tune_values_lay_over(&c->start, o->from))
            return report_usage("--from", "takes 'safe' or NAME=VALUE with commas between");
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- device and files */

static bool find_device(struct tune_run *run)
{
    size_t capacity = 0, n_devices = 0;
    clsort_status status = clsort_list_devices(run->options.device, 0, NULL, &capacity);
    clsort_device_info *devices = calloc(capacity + 1, sizeof *devices);
    if (devices != NULL && status == CLSORT_SUCCESS)
        status = clsort_list_devices(run->options.device, capacity, devices, &n_devices);
    if (devices == NULL || status != CLSORT_SUCCESS) {
        report_library_error(NULL, status != CLSORT_SUCCESS ? status : CL_OUT_OF_HOST_MEMORY);
        free(devices);
        return false;
    }
    for (size_t i = 0; i < n_devices && i < capacity; i++) {
        if (devices[i].chosen) {
            run->device = devices[i];
            snprintf(run->index, sizeof run->index, "%u", (unsigned)i);
        }
    }
    free(devices);
    return true;
}

/* Two runs would go on from each other's results, and time each other's work. */
static bool lock_tuning_file(struct tune_run *run)
{
    snprintf(run->lock_path, sizeof run->lock_path, "%s.lock", run->tuning_path);
    run->lock = file_lock(run->lock_path);
    if (run->lock >= 0)
        return true;
    if (errno == EBUSY)
        report_error("tune: another run is at work on %s", run->tuning_path);
    else
        report_error("tune: %s: %s", run->lock_path, strerror(errno));
    return false;
}

/* Where the rows go; a file that is there has to be one that can be kept up. */
static bool find_tuning_file(struct tune_run *run)
{
    char fault[2048] = "";
    clsort_sorter *sorter = NULL;
    clsort_status status = clsort_create_default(run->options.device, NULL, &sorter);
    if (status == CLSORT_SUCCESS)
        status =
            clsort_get_info(sorter, NULL, CLSORT_INFO_TUNING_FILE, sizeof run->tuning_path, run->tuning_path, NULL);
    if (status == CLSORT_SUCCESS)
        status = clsort_get_info(sorter, NULL, CLSORT_INFO_TUNING_FILE_FAULT, sizeof fault, fault, NULL);
    if (status != CLSORT_SUCCESS)
        report_library_error(sorter, status);
    clsort_destroy(sorter);
    if (status != CLSORT_SUCCESS)
        return false;
    if (run->tuning_path[0] == 0) {
        report_error("tune: there is no folder for settings; CLSORT_TUNING_FILE can name a file for the rows");
        return false;
    }
    FILE *file = fopen(run->tuning_path, "r");
    bool is_missing = file == NULL && errno == ENOENT;
    if (file != NULL)
        fclose(file);
    if (fault[0] != 0 && !is_missing) {
        report_error("%s", fault);
        report_error("tune: move that file away, or name another by CLSORT_TUNING_FILE");
        return false;
    }
    snprintf(run->state_path, sizeof run->state_path, "%s.state", run->tuning_path);
    snprintf(run->output_path, sizeof run->output_path, "%s.trial", run->tuning_path);
    snprintf(run->cache, sizeof run->cache, "%s.cache", run->tuning_path);
    if (!folder_create_for(run->tuning_path)) {
        report_error("tune: the folder of %s cannot be made: %s", run->tuning_path, strerror(errno));
        return false;
    }
    return lock_tuning_file(run);
}

/* An earlier run goes on only if it was about the same. */
static bool open_session(struct tune_run *run)
{
    static char title[2048];
    const struct tune_options *o = &run->options;
    size_t n_known = 0;
    snprintf(title, sizeof title, "clsort-tune 1, clsort %u, %s, %s, driver %s, %s, from %s",
             (unsigned)clsort_version(), run->device.platform_name, run->model.name, run->model.driver,
             o->full ? "full" : "quick", o->from != NULL ? o->from : "the built-in rows");
    run->session.device = run->index;
    run->session.state_path = run->state_path;
    run->session.output_path = run->output_path;
    run->session.cache = run->cache;
    if (!tune_session_open(&run->session, title, &n_known)) {
        report_error("tune: %s: %s", run->state_path, strerror(errno));
        return false;
    }
    if (n_known > 0)
        fprintf(stderr, "clsort: tune: going on with %u results of an earlier run, kept in %s\n", (unsigned)n_known,
                run->state_path);
    return true;
}

static bool set_times(struct tune_run *run)
{
    const struct tune_options *o = &run->options;
    uint64_t seconds = 0, limit = 0, tries = 0;
    if (o->seconds != NULL && (!options_number(o->seconds, most_seconds, &seconds) || seconds == 0))
        return report_usage("--seconds", "takes a number of seconds");
    if (o->limit != NULL && (!options_number(o->limit, most_seconds, &limit) || limit == 0))
        return report_usage("--limit", "takes a number of seconds");
    if (o->tries != NULL && (!options_number(o->tries, most_seconds, &tries) || tries == 0))
        return report_usage("--tries", "takes a number");
    run->session.n_tries_most = (unsigned)tries;
    double run_seconds = seconds > 0 ? (double)seconds : (o->full ? full_seconds : quick_seconds);
    double now = clock_seconds();
    run->session.limit_seconds = limit > 0 ? (double)limit : (o->full ? full_limit_seconds : quick_limit_seconds);
    run->session.search_end_time = now + run_seconds;
    run->session.end_time = now + run_seconds + spare_seconds;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- the run */

static void tell_case(const struct tune_run *run, const struct tune_case *c)
{
    char name[64], changes[TUNE_TEXT_LIMIT];
    tune_case_name(c->info, c->value_bytes, name, sizeof name);
    progress_clear();
    if (c->is_worth_it) {
        tune_values_print_changes(&c->built_in, &c->best, changes);
        fprintf(stderr, "clsort: tune: %s: %.3g to %.3g times as fast as the built-in row by %s\n", name,
                1.0 / c->slowest_ratio, 1.0 / c->fastest_ratio, changes);
    } else if (run->options.from != NULL && c->slowest_ratio > 0.0) {
        fprintf(stderr, "clsort: tune: %s: %.3g to %.3g times as fast as the built-in row, which stays\n", name,
                1.0 / c->slowest_ratio, 1.0 / c->fastest_ratio);
    } else {
        fprintf(stderr, "clsort: tune: %s: nothing found that is better than the built-in row, which stays\n", name);
    }
    if (!c->is_complete)
        fprintf(stderr, "clsort: tune: %s: not all was tried\n", name);
}

static bool tune_cases(struct tune_run *run)
{
    struct tune_session *session = &run->session;
    for (size_t i = 0; i < run->n_cases && !tune_is_stopped(session); i++) {
        struct tune_case *c = &run->cases[i];
        double now = clock_seconds();
        double share = (session->search_end_time - now) / (double)(run->n_cases - i);
        tune_search(session, &run->model, c, now + search_share * share);
        if (tune_is_stopped(session) && !c->is_worth_it) {
            run->n_incomplete++;
            break;
        }
        run->n_incomplete += !c->is_complete;
        tell_case(run, c);
        if (!c->is_worth_it && run->options.from == NULL)
            continue;
        if (c->rate > 0.0)
            tune_file_print_row(&run->model, c);
        fflush(stdout);
        if (c->is_worth_it && !tune_file_store(run->tuning_path, &run->model, c))
            return false;
        run->n_stored += c->is_worth_it;
    }
    return true;
}

static int finish(struct tune_run *run, bool is_good)
{
    bool is_stopped = tune_is_stopped(&run->session);
    progress_clear();
    if (run->n_stored > 0)
        fprintf(stderr, "clsort: tune: %u %s in %s, used from now on\n", run->n_stored,
                run->n_stored == 1 ? "row is" : "rows are", run->tuning_path);
    if (run->session.n_lost > 0)
        fprintf(stderr, "clsort: tune: %u %s lost, which lines above tell\n", run->session.n_lost,
                run->session.n_lost == 1 ? "candidate was" : "candidates were");
    if (is_stopped)
        fprintf(stderr, "clsort: tune: stopped; the same command goes on from %s\n", run->state_path);
    if (!is_good || run->session.is_broken)
        return EXIT_CODE_FAILURE;
    int code = report_standard_output();
    return is_stopped ? EXIT_CODE_INTERRUPTED : code;
}

static int run_tune(struct tune_run *run)
{
    int code = EXIT_CODE_FAILURE;
    if (!find_device(run) || !find_tuning_file(run) || !tune_model_open(&run->model, &run->device, run->cache))
        goto done;
    if (!set_up_cases(run)) {
        code = EXIT_CODE_USAGE;
        goto done;
    }
    if (open_session(run)) {
        interrupt_watch();
        tune_progress_start(&run->session);
        code = finish(run, tune_cases(run));
    }
    tune_session_close(&run->session, code == EXIT_CODE_SUCCESS);
done:
    tune_model_close(&run->model);
    if (run->lock >= 0)
        file_unlock(run->lock, run->lock_path);
    return code;
}

int tune_command(int n_arguments, char **arguments)
{
    static struct tune_run run;
    struct tune_options *o = &run.options;
    const struct option options[] = {
        {"device", 0, OPTION_TEXT, &o->device},       {"quick", 0, OPTION_SWITCH, &o->quick},
        {"full", 0, OPTION_SWITCH, &o->full},         {"key", 0, OPTION_TEXT, &o->keys},
        {"value", 0, OPTION_TEXT, &o->values},        {"count", 0, OPTION_TEXT, &o->count},
        {"seconds", 0, OPTION_TEXT, &o->seconds},     {"tries", 0, OPTION_TEXT, &o->tries},
        {"limit", 0, OPTION_TEXT, &o->limit},         {"from", 0, OPTION_TEXT, &o->from},
        {"algorithm", 0, OPTION_TEXT, &o->algorithm}, {"help", 'h', OPTION_SWITCH, &o->help}};
    const struct option_set set = {"tune", options, sizeof options / sizeof *options, NULL, 0};
    if (!options_read(&set, n_arguments, arguments))
        return EXIT_CODE_USAGE;
    if (o->help) {
        usage_print_tune(stdout);
        return report_standard_output();
    }
    if (o->quick && o->full) {
        report_usage("--quick", "does not go with --full");
        return EXIT_CODE_USAGE;
    }
    run.lock = -1;
    run.cases = calloc(n_cases_most, sizeof *run.cases);
    int code = EXIT_CODE_USAGE;
    if (run.cases == NULL)
        report_error("tune: not enough memory");
    else if (list_cases(&run) && set_times(&run))
        code = run_tune(&run);
    free(run.cases);
    return code;
}
