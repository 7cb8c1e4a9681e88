/* tune_switches.c: finds the counts at which the library changes from one algorithm to another. */
#include "tune_switches.h"

#include "tune_progress.h"
#include "tune_space.h"

#include <math.h>
#include <string.h>

enum { n_algorithms_most = 32, n_counts_most = TUNE_COUNTS_LIMIT };

static const double slow_seconds = 0.3; /* a sort that takes so long is none to switch to */
static const double not_timed = 1e3;    /* seconds, in place of a time that there is none of */

/* Seconds of each algorithm at each count; 0: not timed. */
struct sweep {
    const struct tune_model *model;
    const struct tune_case *c;
    uint64_t counts[n_counts_most];
    size_t n_counts;
    double seconds[n_algorithms_most][n_counts_most];
};

/* Factors of two from 2^8 on. */
static void set_counts(struct sweep *sweep)
{
    for (uint64_t count = 256; count <= sweep->c->largest_count && sweep->n_counts < n_counts_most; count *= 2)
        sweep->counts[sweep->n_counts++] = count;
    if (sweep->n_counts == 0)
        sweep->counts[sweep->n_counts++] = sweep->c->largest_count;
}

/* Algorithms that no switch leads to, or that the search has left out on this kind of device. */
static bool is_candidate(const struct sweep *sweep, const char *algorithm)
{
    const struct tune_group *group = tune_group_of(algorithm);
    if (strncmp(algorithm, "segmented", 9) == 0 || strcmp(algorithm, "bitonic_global") == 0)
        return false;
    return group == NULL || tune_group_is_likely(group, sweep->model->type, sweep->c->is_full);
}

/* False if there was no time for it, so that what is known does not make a picture. */
static bool time_algorithm(struct tune_session *session, struct sweep *sweep, size_t a)
{
    struct tune_trial trial = {.info = sweep->c->info, .value_bytes = sweep->c->value_bytes};
    struct tune_result result;
    trial.operation = trial.value_bytes > 0 ? CLSORT_PAIRS : CLSORT_KEYS;
    trial.algorithm = clsort_algorithm_name(a);
    trial.candidate = &sweep->c->best;
    trial.start = &sweep->c->start;
    trial.seconds = sweep->c->seconds / 2.0;
    trial.drop_seconds = slow_seconds;
    trial.n_counts = sweep->n_counts;
    memcpy(trial.counts, sweep->counts, sizeof sweep->counts);
    tune_measure(session, &trial, &result);
    /* What was timed stands: most are refused above their largest count, and a lost one is lost from the next count on. */
    for (size_t i = 0; i < result.n_times && i < sweep->n_counts; i++)
        sweep->seconds[a][i] = result.times[i].candidate_seconds;
    return result.state != TUNE_STOPPED;
}

static double seconds_of(const struct sweep *sweep, const char *algorithm, size_t i)
{
    for (size_t a = 0; a < n_algorithms_most && clsort_algorithm_name(a) != NULL; a++) {
        if (strcmp(clsort_algorithm_name(a), algorithm) == 0 && sweep->seconds[a][i] > 0.0)
            return sweep->seconds[a][i];
    }
    return not_timed;
}

/* Sum of the logarithms of the times that the library's choices take, so that every count weighs the same; infinite if the
   values are not legal. */
static double cost_of(const struct sweep *sweep, const struct tune_values *values)
{
    double cost = 0.0;
    clsort_sorter *sorter = tune_model_sorter(sweep->model, values);
    for (size_t i = 0; i < sweep->n_counts && sorter != NULL; i++) {
        char name[32];
        tune_model_choice(sorter, sweep->c->info, sweep->c->value_bytes, sweep->counts[i], name);
        cost += name[0] != 0 ? log(seconds_of(sweep, name, i)) : INFINITY;
    }
    clsort_destroy(sorter);
    return sorter != NULL ? cost : INFINITY;
}

/* The best place of one switch with all others as they are: none, or between two counts. Returns whether it moved. */
static bool move_switch(const struct sweep *sweep, const struct tune_switch *which, struct tune_values *values,
                        double *cost)
{
    struct tune_values candidate = *values, best = *values;
    double best_cost = *cost;
    uint32_t *number = tune_values_at(&candidate, which->field);
    for (size_t i = 0; i <= sweep->n_counts && number != NULL; i++) {
        /* Three quarters of a count is midway from the one before, up to the rounding of a middle. */
        *number = i == 0 ? 0 : (uint32_t)(which->is_from ? sweep->counts[i - 1] * 3 / 4 : sweep->counts[i - 1] * 3 / 2);
        double candidate_cost = cost_of(sweep, &candidate);
        if (candidate_cost < best_cost) {
            best = candidate;
            best_cost = candidate_cost;
        }
    }
    if (best_cost > *cost - TUNE_NOISE)
        return false;
    *values = best;
    *cost = best_cost;
    return true;
}

/* Whether a count goes to another algorithm with the candidate than with the best values so far. */
static bool changes_choice(const struct tune_model *model, const struct tune_case *c,
                           const struct tune_values *candidate, uint64_t count)
{
    char now[32], then[32];
    clsort_sorter *of_best = tune_model_sorter(model, &c->best), *of_candidate = tune_model_sorter(model, candidate);
    tune_model_choice(of_best, c->info, c->value_bytes, count, now);
    tune_model_choice(of_candidate, c->info, c->value_bytes, count, then);
    clsort_destroy(of_best);
    clsort_destroy(of_candidate);
    return then[0] != 0 && strcmp(now, then) != 0;
}

/* Moves a switch by a factor of two if a count between is faster then, both timed by turns. */
static bool push_switch(struct tune_session *session, const struct tune_model *model, struct tune_case *c,
                        const char *field, bool is_up)
{
    struct tune_values candidate = c->best;
    struct tune_trial trial = {.info = c->info, .value_bytes = c->value_bytes};
    struct tune_result result;
    uint32_t *number = tune_values_at(&candidate, field);
    uint64_t before = number != NULL ? *number : 0, count = is_up ? before * 3 / 2 : before * 3 / 4;
    if (before < 16 || count > c->largest_count)
        return false;
    *number = (uint32_t)(is_up ? before * 2 : before / 2);
    if (!changes_choice(model, c, &candidate, count))
        return false;
    trial.operation = trial.value_bytes > 0 ? CLSORT_PAIRS : CLSORT_KEYS;
    trial.base = &c->best;
    trial.start = &c->start;
    trial.candidate = &candidate;
    trial.seconds = c->seconds * 2.0;
    trial.counts[0] = count;
    trial.n_counts = 1;
    tune_measure(session, &trial, &result);
    if (result.state != TUNE_TIMED || result.n_times == 0 || result.times[0].ratio > 1.0 - TUNE_NOISE)
        return false;
    c->best = candidate;
    return true;
}

/* The times of the sweep are of different processes and moments, so each switch is looked at again where it stands. */
static void push_switches(struct tune_session *session, const struct tune_model *model, struct tune_case *c)
{
    for (size_t i = 0; tune_switch_at(i) != NULL; i++) {
        const char *field = tune_switch_at(i)->field;
        bool is_moved = false;
        while (push_switch(session, model, c, field, true))
            is_moved = true;
        while (!is_moved && push_switch(session, model, c, field, false))
            continue;
    }
}

void tune_find_switches(struct tune_session *session, struct tune_model *model, struct tune_case *c)
{
    static struct sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    sweep.model = model;
    sweep.c = c;
    set_counts(&sweep);
    for (size_t a = 0; a < n_algorithms_most && clsort_algorithm_name(a) != NULL; a++) {
        if (is_candidate(&sweep, clsort_algorithm_name(a)) && !time_algorithm(session, &sweep, a))
            return;
    }
    double cost = cost_of(&sweep, &c->best);
    bool is_moved = true;
    while (is_moved && !tune_is_stopped(session)) {
        is_moved = false;
        for (size_t i = 0; tune_switch_at(i) != NULL; i++)
            is_moved = move_switch(&sweep, tune_switch_at(i), &c->best, &cost) || is_moved;
    }
    push_switches(session, model, c);
}
