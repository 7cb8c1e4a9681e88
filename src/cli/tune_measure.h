/* tune_measure.h: has trials run by child processes, and keeps what came of them in a file, so that a run can go on later. */
#ifndef CLI_TUNE_MEASURE_H
#define CLI_TUNE_MEASURE_H

#include "tune_trial.h"

struct tune_memory; /* results of trials by what they were about */

struct tune_session {
    const char *device;      /* its index in the list of devices */
    const char *state_path;  /* results so far */
    const char *output_path; /* of the child that runs */
    const char *cache;       /* folder for compiled programs of candidates */
    double limit_seconds;    /* of a trial */
    double search_end_time;  /* trials begin before it, by clock_seconds() */
    double end_time;         /* trials end before it */
    unsigned n_tries_most;   /* trials of a search that are not known yet; 0: no limit */
    bool is_comparing;       /* the search is over, and what it found is compared with the built-in row */
    struct tune_memory *memory;
    unsigned n_run, n_known, n_lost;
    bool is_broken; /* no child can be started, or the state cannot be written */
};

/*
 * Reads the results of an earlier run, if title, which says what was tuned where and how, is the same. False if there is no
 * memory or the file cannot be written. *n_known: how many there are.
 */
bool tune_session_open(struct tune_session *session, const char *title, size_t *n_known);

/* Gives up what the session holds; with is_done its files too. */
void tune_session_close(struct tune_session *session, bool is_done);

/* Runs a trial, unless its result is known, or there is no time for it (stopped). A lost one is told on standard error. */
void tune_measure(struct tune_session *session, const struct tune_trial *trial, struct tune_result *result);

/* Whether no more trials are run: the user wants to stop, or something is broken. */
bool tune_is_stopped(const struct tune_session *session);

/* Whether there is time for one more trial. */
bool tune_has_time(const struct tune_session *session);

/* "u32 keys", "u64 keys with 4-byte values". */
void tune_case_name(const struct key_info *info, uint32_t value_bytes, char *text, size_t n_text);

#endif
