/* Collects the device times of a sort's commands by phase. */
#include "phases.h"
#include "statistics.h"
#include <stdlib.h>
#include <string.h>

void phases_drop_run(struct phases *p)
{
    for (size_t i = 0; i < p->n_events; i++)
        clReleaseEvent(p->events[i]);
    p->n_events = 0;
}

void phases_free(struct phases *p)
{
    phases_drop_run(p);
    for (size_t i = 0; i < p->n_phases; i++)
        free(p->phases[i].ms);
    free(p->span_ms);
    free(p->events);
    free(p->names);
    memset(p, 0, sizeof *p);
}

int phases_begin(struct phases *p, unsigned runs)
{
    phases_free(p);
    p->runs = runs;
    p->span_ms = calloc(runs, sizeof *p->span_ms);
    return p->span_ms != NULL;
}

static int grow(struct phases *p)
{
    size_t room = p->events_room ? 2 * p->events_room : 256;
    cl_event *events = realloc(p->events, room * sizeof(cl_event));
    if (events)
        p->events = events;
    char(*names)[PHASES_NAME] = realloc(p->names, room * sizeof *names);
    if (names)
        p->names = names;
    if (!events || !names)
        return 0;
    p->events_room = room;
    return 1;
}

void phases_command(void *user_data, const char *phase, cl_event event)
{
    struct phases *p = user_data;
    if ((p->n_events == p->events_room && !grow(p)) || clRetainEvent(event) != CL_SUCCESS) {
        p->lost = 1;
        return;
    }
    snprintf(p->names[p->n_events], PHASES_NAME, "%s", phase);
    p->events[p->n_events++] = event;
}

static struct phase *phase_of(struct phases *p, const char *name)
{
    for (size_t i = 0; i < p->n_phases; i++)
        if (!strcmp(p->phases[i].name, name))
            return &p->phases[i];
    if (p->n_phases == PHASES_ROOM)
        return NULL;
    struct phase *phase = &p->phases[p->n_phases];
    phase->ms = calloc(p->runs, sizeof *phase->ms);
    if (!phase->ms)
        return NULL;
    snprintf(phase->name, sizeof phase->name, "%s", name);
    p->n_phases++;
    return phase;
}

static int event_times(cl_event event, cl_ulong *start, cl_ulong *end)
{
    return clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof *start, start, NULL) == CL_SUCCESS &&
           clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *end, end, NULL) == CL_SUCCESS;
}

void phases_end_run(struct phases *p)
{
    cl_ulong first = ~(cl_ulong)0, last = 0, start, end;
    for (size_t i = 0; i < p->n_events; i++) {
        struct phase *phase = phase_of(p, p->names[i]);
        if (!phase || !event_times(p->events[i], &start, &end)) {
            p->lost = 1;
            continue;
        }
        phase->commands++;
        phase->ms[p->run] += (double)(end - start) / 1e6;
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    p->span_ms[p->run] = last > first ? (double)(last - first) / 1e6 : 0;
    p->run++;
    phases_drop_run(p);
}

void phases_print(const struct phases *p, FILE *file)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_phases; i++) {
        double ms = statistics_median(p->phases[i].ms, p->run);
        sum += ms;
        fprintf(file, "# phase %s commands=%.4g ms=%.5f\n", p->phases[i].name, (double)p->phases[i].commands / p->run,
                ms);
    }
    fprintf(file, "# phases sum_ms=%.5f span_ms=%.5f%s\n", sum, statistics_median(p->span_ms, p->run),
            p->lost ? " (some events are missing)" : "");
}
