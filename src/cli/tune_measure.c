/* tune_measure.c: has trials run by child processes, and keeps what came of them in a file, so that a run can go on later. */
#include "tune_measure.h"

#include "files.h"
#include "process.h"
#include "report.h"
#include "tune_progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the time limit: the last comparison is of many counts, and what a search begins with is not doubted. */
static const double patient_factor = 4.0;

/* A result is a line of the state file: the hash of the trial's arguments, then the text of the result. */
struct entry {
    uint64_t hash;
    char *text;
};

struct tune_memory {
    struct entry *entries;
    size_t n_entries, n_room;
};

enum { n_line_limit = 4096, n_arguments = 40, n_number = 32 };

/* ---------------------------------------------------------------------------------------------------- results as text */

static const char *const state_names[] = {"timed", "refused", "lost"};

static void print_result(const struct tune_result *result, char line[n_line_limit])
{
    int n = snprintf(line, n_line_limit, "%s %zu", state_names[result->state], result->n_times);
    for (size_t i = 0; i < result->n_times; i++) {
        const struct tune_time *time = &result->times[i];
        n += snprintf(line + n, (size_t)(n_line_limit - n), " %" PRIu64 " %.9f %.9f %.5f", time->count,
                      time->base_seconds, time->candidate_seconds, time->ratio);
    }
    snprintf(line + n, (size_t)(n_line_limit - n), " %s", result->why);
}

static bool read_time(const char *text, struct tune_time *time, int *n_read)
{
    return sscanf(text, "%" SCNu64 " %lf %lf %lf%n", &time->count, &time->base_seconds, &time->candidate_seconds,
                  &time->ratio, n_read) == 4;
}

static bool read_result(const char *line, struct tune_result *result)
{
    char name[16];
    int n_read = 0;
    memset(result, 0, sizeof *result);
    if (sscanf(line, "%15s %zu%n", name, &result->n_times, &n_read) != 2 || result->n_times > TUNE_COUNTS_LIMIT)
        return false;
    for (size_t i = 0; i < result->n_times; i++) {
        int n_time = 0;
        if (!read_time(line + n_read, &result->times[i], &n_time))
            return false;
        n_read += n_time;
    }
    snprintf(result->why, sizeof result->why, "%.*s", (int)strcspn(line + n_read + (line[n_read] == ' '), "\n"),
             line + n_read + (line[n_read] == ' '));
    for (int state = TUNE_TIMED; state <= TUNE_LOST; state++) {
        if (strcmp(name, state_names[state]) == 0) {
            result->state = (enum tune_state)state;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------- the memory */

static bool remember(struct tune_memory *memory, uint64_t hash, const char *text)
{
    if (memory->n_entries == memory->n_room) {
        size_t n_room = memory->n_room > 0 ? 2 * memory->n_room : 64;
        struct entry *entries = realloc(memory->entries, n_room * sizeof *entries);
        if (entries == NULL)
            return false;
        memory->entries = entries;
        memory->n_room = n_room;
    }
    size_t n_text = strlen(text) + 1;
    char *copy = malloc(n_text);
    if (copy == NULL)
        return false;
    memcpy(copy, text, n_text);
    memory->entries[memory->n_entries++] = (struct entry){hash, copy};
    return true;
}

static const char *recall(const struct tune_memory *memory, uint64_t hash)
{
    for (size_t i = 0; i < memory->n_entries; i++) {
        if (memory->entries[i].hash == hash)
            return memory->entries[i].text;
    }
    return NULL;
}

/* Appends to the state file at once, so that a killed run keeps it too. */
static bool keep(struct tune_session *session, uint64_t hash, const char *text)
{
    FILE *file = fopen(session->state_path, "a");
    if (file == NULL)
        return false;
    fprintf(file, "%016" PRIx64 " %s\n", hash, text);
    return fclose(file) == 0 && remember(session->memory, hash, text);
}

/* Reads the lines behind the title. One that is cut off, as a full disk leaves it, is left out. */
static void read_state(struct tune_session *session, FILE *file)
{
    static char line[n_line_limit];
    struct tune_result result;
    while (fgets(line, sizeof line, file) != NULL) {
        uint64_t hash = 0;
        int n_read = 0;
        if (strchr(line, '\n') != NULL && sscanf(line, "%16" SCNx64 " %n", &hash, &n_read) == 1 && n_read > 0 &&
            read_result(line + n_read, &result))
            remember(session->memory, hash, line + n_read);
    }
}

bool tune_session_open(struct tune_session *session, const char *title, size_t *n_known)
{
    static char line[n_line_limit];
    session->memory = calloc(1, sizeof *session->memory);
    *n_known = 0;
    if (session->memory == NULL)
        return false;
    FILE *file = fopen(session->state_path, "r");
    bool is_same = false;
    if (file != NULL) {
        if (fgets(line, sizeof line, file) != NULL) {
            line[strcspn(line, "\n")] = 0;
            is_same = strcmp(line, title) == 0;
        }
        if (is_same)
            read_state(session, file);
        fclose(file);
        if (!is_same)
            report_error("tune: the results of another run in %s are given up", session->state_path);
    }
    *n_known = session->memory->n_entries;
    if (is_same)
        return true;
    file = fopen(session->state_path, "w");
    if (file == NULL)
        return false;
    fprintf(file, "%s\n", title);
    return fclose(file) == 0;
}

void tune_session_close(struct tune_session *session, bool is_done)
{
    if (session->memory != NULL) {
        for (size_t i = 0; i < session->memory->n_entries; i++)
            free(session->memory->entries[i].text);
        free(session->memory->entries);
        free(session->memory);
        session->memory = NULL;
    }
    remove(session->output_path);
    if (is_done) {
        clsort_options options;
        clsort_options_init(&options);
        options.cache_directory = session->cache;
        clsort_clear_cache(&options);
        remove(session->cache);
        remove(session->state_path);
    }
}

/* --------------------------------------------------------------------------------------------------- the child */

/* Arguments of the child, with room for those that are made here. */
struct child_arguments {
    const char *list[n_arguments];
    size_t n;
    char base[TUNE_TEXT_LIMIT], candidate[TUNE_TEXT_LIMIT], counts[TUNE_COUNTS_LIMIT * 21];
    char value[n_number], seconds[n_number], drop_ratio[n_number], drop_seconds[n_number], segment_length[n_number],
        end_after[n_number];
};

static void add(struct child_arguments *arguments, const char *name, const char *text)
{
    arguments->list[arguments->n++] = name;
    if (text != NULL)
        arguments->list[arguments->n++] = text;
}

static void add_counts(struct child_arguments *arguments, const struct tune_trial *trial)
{
    size_t n_text = 0;
    for (size_t i = 0; i < trial->n_counts; i++)
        n_text += (size_t)snprintf(arguments->counts + n_text, sizeof arguments->counts - n_text, "%s%" PRIu64,
                                   i > 0 ? "," : "", trial->counts[i]);
    add(arguments, "--counts", arguments->counts);
}

static void add_number(struct child_arguments *arguments, const char *name, char text[n_number], double number)
{
    if (number <= 0.0)
        return;
    snprintf(text, n_number, "%g", number);
    add(arguments, name, text);
}

/* What the trial is about; its hash tells trials apart. */
static uint64_t describe(const struct tune_trial *trial, struct child_arguments *arguments)
{
    static const char *const operations[] = {"", "keys", "pairs", "argsort"};
    memset(arguments, 0, sizeof *arguments);
    add(arguments, TUNE_TRIAL_COMMAND, NULL);
    add(arguments, "--key", trial->info->name);
    add(arguments, "--operation", operations[trial->operation]);
    add_number(arguments, "--value", arguments->value, trial->value_bytes);
    if (trial->algorithm != NULL)
        add(arguments, "--algorithm", trial->algorithm);
    if (trial->base != NULL) {
        tune_values_print(trial->base, arguments->base);
        add(arguments, "--base", arguments->base);
    }
    tune_values_print(trial->candidate, arguments->candidate);
    add(arguments, "--candidate", arguments->candidate);
    add_counts(arguments, trial);
    add_number(arguments, "--seconds", arguments->seconds, trial->seconds);
    add_number(arguments, "--drop-ratio", arguments->drop_ratio, trial->drop_ratio);
    add_number(arguments, "--drop-seconds", arguments->drop_seconds, trial->drop_seconds);
    add_number(arguments, "--segment-length", arguments->segment_length, (double)trial->segment_length);
    if (trial->in_place)
        add(arguments, "--in-place", NULL);
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a: draft-eastlake-fnv */
    for (size_t i = 0; i < arguments->n; i++) {
        for (const char *p = arguments->list[i];; p++) {
            hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
            if (*p == 0)
                break;
        }
    }
    return hash;
}

/* Reads the child's lines. What it says of itself goes before how it ended. */
static bool read_output(const char *path, struct tune_result *result)
{
    static char line[n_line_limit];
    const size_t n_mark = sizeof TUNE_TRIAL_MARK - 1;
    bool is_said = false;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        char word[16] = "";
        int n_word = 0, n_time = 0;
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, TUNE_TRIAL_MARK, n_mark) != 0 || sscanf(line + n_mark, "%15s %n", word, &n_word) != 1)
            continue;
        const char *rest = line + n_mark + n_word;
        if (strcmp(word, "time") == 0 && result->n_times < TUNE_COUNTS_LIMIT) {
            if (read_time(rest, &result->times[result->n_times], &n_time))
                result->n_times++;
            continue;
        }
        is_said = true;
        result->state = strcmp(word, "refused") == 0 ? TUNE_REFUSED : TUNE_LOST;
        snprintf(result->why, sizeof result->why, "%.150s", rest);
    }
    fclose(file);
    return is_said;
}

static void judge(const struct tune_session *session, struct process_end end, double limit, bool is_cut,
                  struct tune_result *result)
{
    memset(result, 0, sizeof *result);
    bool is_said = read_output(session->output_path, result);
    if (end.state == PROCESS_INTERRUPTED || (end.state == PROCESS_TIMED_OUT && is_cut)) {
        result->state = TUNE_STOPPED; /* the run has no more time, which is no fault of the candidate */
    } else if (end.state == PROCESS_CRASHED) {
        result->state = TUNE_LOST;
        snprintf(result->why, sizeof result->why, "it crashed (%s %d)",
                 end.code >= 0 && end.code < 256 ? "signal" : "code", end.code);
    } else if (end.state == PROCESS_TIMED_OUT) {
        result->state = TUNE_LOST;
        snprintf(result->why, sizeof result->why, "it did not end in %g s", limit);
    } else if (end.state == PROCESS_NOT_STARTED || (!is_said && (end.code != 0 || result->n_times == 0))) {
        result->state = TUNE_LOST;
        snprintf(result->why, sizeof result->why, "the process that was to try it failed (exit code %d)", end.code);
    }
}

bool tune_is_stopped(const struct tune_session *session)
{
    return session->is_broken || interrupt_seen();
}

bool tune_has_time(const struct tune_session *session)
{
    bool has_tries = session->n_tries_most == 0 || session->is_comparing || session->n_run < session->n_tries_most;
    return has_tries && clock_seconds() <= session->search_end_time;
}

static void run_child(struct tune_session *session, struct child_arguments *arguments, bool has_base,
                      struct tune_result *result)
{
    double left = session->end_time - clock_seconds();
    bool is_patient = session->is_comparing || !has_base;
    double limit = session->limit_seconds * (is_patient ? patient_factor : 1.0);
    bool is_cut = left < limit;
    limit = is_cut ? left : limit;
    snprintf(arguments->end_after, n_number, "%.0f", ceil(limit) + 2.0);
    add(arguments, "--device", session->device);
    add(arguments, "--cache", session->cache);
    add(arguments, "--end-after", arguments->end_after);
    struct process_end end = process_run(arguments->list, session->output_path, limit, tune_progress_tick);
    judge(session, end, limit, is_cut, result);
    if (end.state == PROCESS_NOT_STARTED && !session->is_broken) {
        session->is_broken = true;
        report_error("tune: clsort cannot be started as a process of its own");
    }
}

static void tell_loss(struct tune_session *session, const struct tune_trial *trial, const struct tune_result *result)
{
    char changes[TUNE_TEXT_LIMIT], name[64];
    session->n_lost++;
    tune_values_print_changes(trial->base != NULL ? trial->base : trial->start, trial->candidate, changes);
    tune_case_name(trial->info, trial->value_bytes, name, sizeof name);
    bool has_changes = strcmp(changes, "none") != 0;
    report_error("tune: %s, %s: lost the candidate with %s: %s", name,
                 trial->algorithm != NULL ? trial->algorithm : "the library's choice",
                 has_changes ? changes : "the values it began with", result->why);
}

void tune_measure(struct tune_session *session, const struct tune_trial *trial, struct tune_result *result)
{
    static struct child_arguments arguments;
    static char line[n_line_limit];
    uint64_t hash = describe(trial, &arguments);
    const char *known = recall(session->memory, hash);
    memset(result, 0, sizeof *result);
    if (known != NULL && read_result(known, result)) {
        session->n_known++;
        return;
    }
    result->state = TUNE_STOPPED;
    if (tune_is_stopped(session) || !tune_has_time(session))
        return;
    run_child(session, &arguments, trial->base != NULL, result);
    session->n_run++;
    if (result->state == TUNE_STOPPED)
        return;
    print_result(result, line);
    if (!session->is_broken && !keep(session, hash, line)) {
        session->is_broken = true;
        report_error("tune: %s cannot be written", session->state_path);
    }
    if (result->state == TUNE_LOST)
        tell_loss(session, trial, result);
}

void tune_case_name(const struct key_info *info, uint32_t value_bytes, char *text, size_t n_text)
{
    if (value_bytes > 0)
        snprintf(text, n_text, "%s keys with %" PRIu32 "-byte values", info->name, value_bytes);
    else
        snprintf(text, n_text, "%s keys", info->name);
}
