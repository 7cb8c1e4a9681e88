/* Says on standard error how far a sweep is and how long it will still take. */
#ifndef BENCHMARKS_PROGRESS_H
#define BENCHMARKS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct progress {
    size_t done, total;
    double work_done, work_total; /* in elements, with something for each case */
    double begin_ms, shown_ms;
    int terminal; /* a line is written over; else one is added now and then */
    int shown;    /* such a line stands there */
};

void progress_begin(struct progress *progress);

/* Adds a case that will be run. */
void progress_expect(struct progress *progress, uint64_t n);

/* Says what is run next. */
void progress_show(struct progress *progress, const char *what);

/* A case of n elements is over. */
void progress_step(struct progress *progress, uint64_t n);

/* Takes the line away, before something else is printed. */
void progress_clear(struct progress *progress);

#endif
