/* Says on standard error how far a sweep is and how long it will still take. */
#include "progress.h"
#include "machine.h"
#include <stdio.h>
#include <string.h>

/* What a case costs besides its elements, in elements: compiling, small runs, checks. */
#define WORK_OF_A_CASE 65536.0
#define QUIET_MS 10000.0

void progress_begin(struct progress *p)
{
    memset(p, 0, sizeof *p);
    p->terminal = machine_is_terminal();
    p->begin_ms = p->shown_ms = machine_clock();
}

void progress_expect(struct progress *p, uint64_t n)
{
    p->total++;
    p->work_total += (double)n + WORK_OF_A_CASE;
}

static void time_left(const struct progress *p, double now, char *text, size_t text_bytes)
{
    double seconds = (now - p->begin_ms) / 1e3;
    *text = '\0';
    if (p->work_done <= 0 || seconds < 1)
        return;
    seconds *= (p->work_total - p->work_done) / p->work_done;
    if (seconds < 90)
        snprintf(text, text_bytes, ", about %.0f s left", seconds);
    else
        snprintf(text, text_bytes, ", about %.0f min left", seconds / 60);
}

void progress_show(struct progress *p, const char *what)
{
    char left[64];
    double now = machine_clock();
    if (!p->terminal && now - p->shown_ms < QUIET_MS)
        return;
    time_left(p, now, left, sizeof left);
    if (p->terminal)
        fprintf(stderr, "\r\033[K%zu/%zu done%s: %.60s", p->done, p->total, left, what);
    else
        fprintf(stderr, "# progress: %zu/%zu done%s\n", p->done, p->total, left);
    p->shown = p->terminal;
    p->shown_ms = now;
    fflush(stderr);
}

void progress_step(struct progress *p, uint64_t n)
{
    p->done++;
    p->work_done += (double)n + WORK_OF_A_CASE;
}

void progress_clear(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = 0;
}
