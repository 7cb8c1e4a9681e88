/* Collects the device times of a sort's commands by phase. */
#ifndef BENCHMARKS_PHASES_H
#define BENCHMARKS_PHASES_H

#include <clsort/clsort.h>
#include <stdio.h>

#define PHASES_ROOM 64
#define PHASES_NAME 64

/* One phase: commands and milliseconds, summed over one sort, then over all. */
struct phase {
    char name[PHASES_NAME];
    unsigned commands;
    double *ms; /* of each run */
};

struct phases {
    size_t n_events;
    size_t events_room;
    cl_event *events;
    char (*names)[PHASES_NAME]; /* of the events */
    size_t n_phases;
    struct phase phases[PHASES_ROOM];
    double *span_ms; /* of each run: from the first command's start to the last one's end */
    unsigned runs;
    unsigned run; /* the one that is being recorded */
    int lost;     /* an event could not be kept or read */
};

/* Forgets what was recorded and makes room for this many runs; 1 on success. */
int phases_begin(struct phases *p, unsigned runs);

/* A clsort_options.command callback; user_data is a struct phases. */
void phases_command(void *user_data, const char *phase, cl_event event);

/* Adds up the events of one run, which have to be complete. */
void phases_end_run(struct phases *p);

/* Drops the events without counting them, after a run that is not timed. */
void phases_drop_run(struct phases *p);

/* Prints a line for each phase and one for the whole: medians over the runs. */
void phases_print(const struct phases *p, FILE *file);

void phases_free(struct phases *p);

#endif
