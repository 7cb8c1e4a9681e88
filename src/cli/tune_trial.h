/* tune_trial.h: what the tuner has a child process check and time, and what came of it. */
#ifndef CLI_TUNE_TRIAL_H
#define CLI_TUNE_TRIAL_H

#include "key.h"
#include "tune_values.h"

#include <stdbool.h>

enum { TUNE_COUNTS_LIMIT = 32 };

/* One or two sets of values for the same sorts. */
struct tune_trial {
    const struct key_info *info;
    clsort_operation operation;
    uint32_t value_bytes;                /* of pairs, or of an index of argsort; 0: keys alone */
    const char *algorithm;               /* NULL: the library chooses */
    const struct tune_values *base;      /* what the candidate is timed against, by turns; NULL: nothing */
    const struct tune_values *candidate; /* whose results are checked first */
    const struct tune_values *start;     /* what messages show the candidate as a change of, without base */
    uint64_t counts[TUNE_COUNTS_LIMIT];  /* rising */
    size_t n_counts;
    double seconds;      /* of timing for each count */
    double drop_ratio;   /* a candidate that takes longer than so many times the base is not timed for larger counts */
    double drop_seconds; /* nor is one that takes longer than this for a sort */
    bool in_place;
    uint64_t segment_length; /* 0: the whole is sorted as one */
};

enum tune_state {
    TUNE_TIMED,   /* for n_counts counts */
    TUNE_REFUSED, /* the values are not legal, or the algorithm does not do this with them */
    TUNE_LOST,    /* a wrong result, a failure, a crash, or it took too long */
    TUNE_STOPPED  /* by the user */
};

struct tune_time {
    uint64_t count;
    double base_seconds;
    double candidate_seconds;
    double ratio; /* median of candidate over base of the pairs; 0 without base */
};

struct tune_result {
    enum tune_state state;
    size_t n_times;
    struct tune_time times[TUNE_COUNTS_LIMIT];
    char why[160];
};

/* The lines by which the child tells its parent begin with this; a driver may write others. */
#define TUNE_TRIAL_MARK "clsort-tune "

/* Name of the hidden command that runs a trial; its exit code is 0 if what it found out stands in its lines. */
#define TUNE_TRIAL_COMMAND "tune-trial"

#endif
