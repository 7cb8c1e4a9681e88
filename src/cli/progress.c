/* progress.c: shows on standard error how far long work has come. */
#include "progress.h"

#include "files.h"

#include <stdio.h>

static const double quiet_seconds = 1.0;    /* shorter work is not worth a line */
static const double redraw_seconds = 0.125; /* eight times a second reads as motion */

static struct {
    bool asked_for;
    bool on_terminal;
    bool line_is_drawn;
    double start_time;
    double draw_time;
    const char *phase;
} progress;

void progress_start(bool asked_for)
{
    progress.asked_for = asked_for;
    progress.on_terminal = terminal_has(stderr);
    progress.start_time = clock_seconds();
    progress.draw_time = 0.0;
    progress.phase = NULL;
}

bool progress_is_watched(void)
{
    return progress.on_terminal && progress.phase != NULL;
}

void progress_phase(const char *phase)
{
    progress.phase = phase;
    progress.draw_time = 0.0;
    if (progress.asked_for && !progress.on_terminal)
        fprintf(stderr, "clsort: %s\n", phase); /* a log gets one line for each phase */
    progress_update(0, 0);
}

void progress_update(uint64_t done, uint64_t total)
{
    if (!progress_is_watched())
        return;
    double now = clock_seconds();
    if (!progress.asked_for && now - progress.start_time < quiet_seconds)
        return;
    if (now - progress.draw_time < redraw_seconds)
        return;
    progress_clear();
    if (total > 0)
        fprintf(stderr, "%s %d%%", progress.phase, (int)(100.0 * (double)done / (double)total));
    else
        fprintf(stderr, "%s", progress.phase);
    fflush(stderr);
    progress.line_is_drawn = true;
    progress.draw_time = now;
}

void progress_clear(void)
{
    if (progress.line_is_drawn)
        fputs("\r\033[K", stderr);
    progress.line_is_drawn = false;
}
