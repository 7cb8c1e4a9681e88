/* tune_progress.c: shows on standard error what the tuner does, and how long it takes at most. */
#include "tune_progress.h"

#include "files.h"
#include "progress.h"

#include <stdio.h>

static struct {
    const struct tune_session *session;
    char case_name[64];
    char stage[64];
    char line[320];
    double times_faster;
} shown;

void tune_progress_start(const struct tune_session *session)
{
    shown.session = session;
    progress_start(true);
}

static void print_line(void)
{
    double left = shown.session->end_time - clock_seconds();
    unsigned seconds = left > 0.0 ? (unsigned)left : 0;
    int n = snprintf(shown.line, sizeof shown.line, "tune: %s: %s", shown.case_name, shown.stage);
    if (shown.times_faster > 1.0)
        n += snprintf(shown.line + n, sizeof shown.line - (size_t)n, ", %.2f times as fast", shown.times_faster);
    snprintf(shown.line + n, sizeof shown.line - (size_t)n, "; %u tried, %u lost, at most %u:%02u left",
             shown.session->n_run, shown.session->n_lost, seconds / 60, seconds % 60);
}

void tune_progress_stage(const char *case_name, const char *stage)
{
    snprintf(shown.case_name, sizeof shown.case_name, "%s", case_name);
    snprintf(shown.stage, sizeof shown.stage, "%s", stage);
    shown.times_faster = 1.0;
    print_line();
    progress_phase(shown.line);
}

void tune_progress_gain(double times_faster)
{
    shown.times_faster = times_faster;
    tune_progress_tick();
}

void tune_progress_tick(void)
{
    print_line(); /* progress.c draws this text */
    progress_update(0, 0);
}
