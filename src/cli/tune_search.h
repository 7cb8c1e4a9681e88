/* tune_search.h: finds the values of one case: of each algorithm, of the counts between algorithms, and whether they pay. */
#ifndef CLI_TUNE_SEARCH_H
#define CLI_TUNE_SEARCH_H

#include "tune_measure.h"
#include "tune_model.h"

/* What is faster or slower by less than this is taken as noise. */
#define TUNE_NOISE 0.03

struct tune_case {
    const struct key_info *info; /* an unsigned type */
    uint32_t value_bytes;        /* 0: keys alone */
    bool is_full;                /* looks at what is not likely too */
    const char *algorithm;       /* whose values alone are looked for; NULL: of all, and the counts between them */
    uint64_t largest_count;
    double seconds;              /* of timing for each count */
    struct tune_values built_in; /* the row that serves the case without the tuner */
    struct tune_values start;    /* where the search begins, mostly the same */
    struct tune_values best;
    bool is_complete;     /* all was tried that there is to try; else the time was over or the user stopped */
    bool is_worth_it;     /* best is faster than built_in somewhere, and nowhere slower, beyond the noise */
    double slowest_ratio; /* of the times of best over those of built_in, over all counts */
    double fastest_ratio;
    uint64_t rate_count; /* a count, and how many keys a second are sorted: by best and by built_in */
    double rate, built_in_rate;
};

/* Fills in best and what is below it. share_end: when, by clock_seconds(), the search for better values ends. */
void tune_search(struct tune_session *session, struct tune_model *model, struct tune_case *c, double share_end);

#endif
