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

/* A line that does not fit the terminal could not be taken off it again. */
enum { n_terminal_columns = 79 };

static void print_line(void)
{
    double left = shown.session->end_time - clock_seconds();
    unsigned seconds = left > 0.0 ? (unsigned)left : 0;
    char gain[48] = "";
    if (shown.times_faster > 1.0)
        snprintf(gain, sizeof gain, ", %.2f times as fast", shown.times_faster);
    snprintf(shown.line, sizeof shown.line, "tune: at most %u:%02u left; %u tried, %u lost; %s: %s%s", seconds / 60,
             seconds % 60, shown.session->n_run, shown.session->n_lost, shown.case_name, shown.stage, gain);
    if (terminal_has(stderr))
        shown.line[n_terminal_columns] = 0;
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
