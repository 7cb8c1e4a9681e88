/* tune_search.c: finds the values of one case: of each algorithm, of the counts between algorithms, and whether they pay. */
#include "tune_search.h"

#include "files.h"
#include "tune_progress.h"
#include "tune_space.h"
#include "tune_switches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double drop_ratio = 1.15;       /* at the small count: too far behind to come first at the large one */
static const double group_share = 0.5;       /* of the time left, so that no algorithm takes all of it */
static const double hopeless_ratio = 3.0;    /* an algorithm that is so far behind the best is not tuned */
static const double final_time_factor = 2.0; /* the last comparison is timed longer, and where it fails longer again */

enum { n_repairs_most = 4, n_groups_most = 16 };

/* What the last comparison sorts. */
enum kind { OUT_OF_PLACE, IN_PLACE, ARGSORT, SHORT_SEGMENTS, LONG_SEGMENTS, n_kinds };

struct search {
    struct tune_session *session;
    struct tune_model *model;
    struct tune_case *c;
    char name[64];
    uint64_t faster[TUNE_COUNTS_LIMIT]; /* counts that seemed faster than with the built-in row */
    size_t n_faster;
    bool was_cut;            /* the search for the values of some algorithm, by its share of the time */
    double best_seconds[64]; /* of any algorithm so far, by the count's logarithm; 0: not known */
};

static bool is_over(const struct search *search)
{
    return tune_is_stopped(search->session) || !tune_has_time(search->session);
}

/* The trial that all of a case have in common. */
static struct tune_trial trial_of(const struct tune_case *c)
{
    struct tune_trial trial = {.info = c->info, .value_bytes = c->value_bytes, .seconds = c->seconds};
    trial.operation = c->value_bytes > 0 ? CLSORT_PAIRS : CLSORT_KEYS;
    trial.candidate = &c->best;
    trial.start = &c->start;
    return trial;
}

static unsigned bits_of(uint64_t count)
{
    unsigned n_bits = 0;
    while (n_bits < 63 && (uint64_t)2 << n_bits <= count)
        n_bits++;
    return n_bits;
}

/* ------------------------------------------------------------------------------------------- one algorithm's values */

static bool is_for_case(const struct search *search, const struct tune_group *group)
{
    const struct tune_case *c = search->c;
    if (c->algorithm != NULL && tune_group_of(c->algorithm) != group)
        return false;
    if (c->value_bytes > 0 ? !group->sorts_values : !group->sorts_keys_alone)
        return false;
    if (c->info->n_bytes > group->n_key_bytes_most)
        return false;
    return tune_group_is_likely(group, search->model->type, c->is_full);
}

/* A small and a large count, or the one that both are. */
static void set_counts(const struct search *search, const struct tune_group *group, struct tune_trial *trial)
{
    uint64_t largest = search->c->largest_count;
    uint64_t small = (uint64_t)1 << group->n_small_bits;
    uint64_t large = group->n_large_bits > 0 ? (uint64_t)1 << group->n_large_bits : largest;
    trial->counts[0] = small < largest ? small : largest;
    trial->counts[1] = large < largest ? large : largest;
    trial->n_counts = trial->counts[1] > trial->counts[0] ? 2 : 1;
}

static void note_seconds(struct search *search, const struct tune_result *result)
{
    for (size_t i = 0; i < result->n_times; i++) {
        double *best = &search->best_seconds[bits_of(result->times[i].count)];
        if (*best <= 0.0 || result->times[i].candidate_seconds < *best)
            *best = result->times[i].candidate_seconds;
    }
}

/* The geometric mean of the ratios, 0 unless all counts were timed and none is slower beyond the noise. */
static double gain_of(const struct tune_trial *trial, const struct tune_result *result)
{
    double sum = 0.0;
    if (result->state != TUNE_TIMED || result->n_times != trial->n_counts)
        return 0.0;
    for (size_t i = 0; i < result->n_times; i++) {
        if (result->times[i].ratio > 1.0 + TUNE_NOISE)
            return 0.0;
        sum += log(result->times[i].ratio);
    }
    return exp(sum / (double)result->n_times);
}

/* Times a candidate against the best so far, and puts it in its place if it is faster. */
static bool try_candidate(struct search *search, const struct tune_group *group, const struct tune_values *candidate,
                          double *times_faster)
{
    struct tune_case *c = search->c;
    struct tune_trial trial = trial_of(c);
    struct tune_result result;
    if (tune_values_are_same(candidate, &c->best) || is_over(search) ||
        !tune_model_is_legal(search->model, c->info, c->value_bytes, candidate))
        return false;
    trial.algorithm = group->algorithm;
    trial.base = &c->best;
    trial.candidate = candidate;
    trial.drop_ratio = drop_ratio;
    set_counts(search, group, &trial);
    tune_measure(search->session, &trial, &result);
    double gain = gain_of(&trial, &result);
    if (gain <= 0.0 || gain > 1.0 - TUNE_NOISE)
        return false;
    c->best = *candidate;
    note_seconds(search, &result);
    *times_faster /= gain;
    tune_progress_gain(*times_faster);
    return true;
}

/* Seconds of the best values so far for the counts of the group; false if the algorithm cannot do them all. */
static bool time_best(struct search *search, const struct tune_group *group, struct tune_result *result)
{
    struct tune_trial trial = trial_of(search->c);
    trial.algorithm = group->algorithm;
    trial.drop_seconds = 1.0;
    set_counts(search, group, &trial);
    tune_measure(search->session, &trial, result);
    return result->state == TUNE_TIMED && result->n_times == trial.n_counts;
}

/* Takes the first seed that works where the values so far do not. */
static bool find_any(struct search *search, const struct tune_group *group, struct tune_result *result)
{
    const struct tune_values before = search->c->best;
    for (size_t i = 0; i < sizeof group->seeds / sizeof *group->seeds && group->seeds[i] != NULL; i++) {
        if (is_over(search))
            break;
        if ((search->c->is_full || tune_seed_is_likely(group->seeds[i], search->model->type)) &&
            tune_values_lay_over(&search->c->best, group->seeds[i]) &&
            tune_model_is_legal(search->model, search->c->info, search->c->value_bytes, &search->c->best) &&
            time_best(search, group, result))
            return true;
        search->c->best = before;
    }
    return false;
}

static bool is_hopeless(const struct search *search, const struct tune_result *result)
{
    bool hopeless = true;
    for (size_t i = 0; i < result->n_times; i++) {
        double best = search->best_seconds[bits_of(result->times[i].count)];
        hopeless = hopeless && best > 0.0 && result->times[i].candidate_seconds > hopeless_ratio * best;
    }
    return hopeless;
}

static void try_seeds(struct search *search, const struct tune_group *group, double *times_faster)
{
    for (size_t i = 0; i < sizeof group->seeds / sizeof *group->seeds && group->seeds[i] != NULL; i++) {
        struct tune_values candidate = search->c->best;
        if ((search->c->is_full || tune_seed_is_likely(group->seeds[i], search->model->type)) &&
            tune_values_lay_over(&candidate, group->seeds[i]))
            try_candidate(search, group, &candidate, times_faster);
    }
}

/* Steps along each parameter in turn, again where one helped, until none does. */
static void descend(struct search *search, const struct tune_group *group, double *times_faster)
{
    bool may_group = search->c->is_full || !(search->model->type & CL_DEVICE_TYPE_CPU);
    bool is_better = true;
    while (is_better && !is_over(search)) {
        struct tune_values candidate = search->c->best;
        bool changes = false;
        is_better = false;
        for (size_t i = 0; tune_move(group, i, may_group, &candidate, &changes) && !is_over(search); i++) {
            while (changes && try_candidate(search, group, &candidate, times_faster)) {
                is_better = true;
                tune_move(group, i, may_group, &candidate, &changes);
            }
            candidate = search->c->best;
        }
    }
}

static void tune_algorithm(struct search *search, const struct tune_group *group)
{
    struct tune_result result;
    double times_faster = 1.0;
    char stage[64];
    if (!is_for_case(search, group) || is_over(search))
        return;
    snprintf(stage, sizeof stage, "values of %s", group->algorithm);
    tune_progress_stage(search->name, stage);
    if (!time_best(search, group, &result) && !find_any(search, group, &result))
        return;
    note_seconds(search, &result);
    try_seeds(search, group, &times_faster);
    if (time_best(search, group, &result) && is_hopeless(search, &result))
        return;
    descend(search, group, &times_faster);
}

/* ---------------------------------------------------------------------------------------- the last comparison */

/* Out of place counts in between too: those of the search may lie well for a tile or a bucket. */
static void set_final_counts(const struct tune_case *c, bool has_between, struct tune_trial *trial)
{
    trial->n_counts = 0;
    for (uint64_t count = 256; count <= c->largest_count && trial->n_counts < TUNE_COUNTS_LIMIT; count *= 4) {
        trial->counts[trial->n_counts++] = count;
        if (has_between && count * 3 <= c->largest_count && count >= 4096 && trial->n_counts < TUNE_COUNTS_LIMIT)
            trial->counts[trial->n_counts++] = count * 3 - 1;
    }
    if (trial->n_counts == 0)
        trial->counts[trial->n_counts++] = c->largest_count;
}

/* One more look at the counts that seemed slower; what still does stays in counts. */
static bool look_again(struct search *search, struct tune_trial *trial, struct tune_result *result)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_times; i++) {
        if (result->times[i].ratio > 1.0 + TUNE_NOISE)
            trial->counts[n++] = result->times[i].count;
    }
    trial->n_counts = n;
    if (n == 0)
        return true;
    trial->seconds *= final_time_factor;
    tune_measure(search->session, trial, result);
    return result->state == TUNE_TIMED && result->n_times == trial->n_counts;
}

/* Of sorts out of place: how many keys a second, and the counts that seem faster. */
static void note_rates(struct search *search, const struct tune_result *result)
{
    struct tune_case *c = search->c;
    search->n_faster = 0;
    for (size_t i = 0; i < result->n_times; i++) {
        const struct tune_time *time = &result->times[i];
        if (c->fastest_ratio <= 0.0 || time->ratio < c->fastest_ratio)
            c->fastest_ratio = time->ratio;
        if (time->ratio < 1.0 - TUNE_NOISE)
            search->faster[search->n_faster++] = time->count;
        if (time->candidate_seconds > 0.0 && time->count >= c->rate_count) {
            c->rate_count = time->count;
            c->rate = (double)time->count / time->candidate_seconds;
            c->built_in_rate = c->rate * time->ratio;
        }
    }
}

/* Compares one kind of sort at many counts. False if it could not be finished; *slower receives a count that is slower. */
static bool compare_kind(struct search *search, enum kind kind, struct tune_trial *trial, uint64_t *slower)
{
    struct tune_case *c = search->c;
    struct tune_result result;
    double slowest = 0.0;
    trial->base = &c->built_in;
    trial->seconds = c->seconds * final_time_factor;
    tune_measure(search->session, trial, &result);
    *slower = 0;
    if (result.state != TUNE_TIMED || result.n_times != trial->n_counts)
        return false;
    if (kind == OUT_OF_PLACE)
        note_rates(search, &result);
    for (int again = 0; again < 2; again++) {
        slowest = 0.0;
        for (size_t i = 0; i < result.n_times; i++) {
            if (result.times[i].ratio > slowest) {
                slowest = result.times[i].ratio;
                *slower = result.times[i].count;
            }
        }
        if (slowest <= 1.0 + TUNE_NOISE)
            break;
        if (!look_again(search, trial, &result))
            return false;
    }
    if (slowest > c->slowest_ratio)
        c->slowest_ratio = slowest;
    if (slowest <= 1.0 + TUNE_NOISE)
        *slower = 0;
    return true;
}

/* Segments share parameters with other algorithms. */
static bool changes_segments(const struct tune_case *c)
{
    static const char *const shared[] = {"local_group_size",  "local_items",  "hybrid_group_size",
                                         "hybrid_items",      "hybrid_bits",  "stable_items",
                                         "bucket_group_size", "bucket_items", "chunked_count",
                                         "group_size",        "items",        "radix_bits",
                                         "blocks_per_unit",   "bucket_keys",  "chunked_groups"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (tune_values_get(&c->best, shared[i]) != tune_values_get(&c->built_in, shared[i]))
            return true;
    }
    return false;
}

/* Sets up a trial of a kind of sort; false if the case has none. */
static bool set_kind(const struct tune_case *c, enum kind kind, struct tune_trial *trial)
{
    *trial = trial_of(c);
    set_final_counts(c, kind == OUT_OF_PLACE, trial);
    if (kind == ARGSORT && c->value_bytes != 4 && c->value_bytes != 8)
        return false;
    if (kind == ARGSORT)
        trial->operation = CLSORT_ARGSORT;
    trial->in_place = kind == IN_PLACE;
    if (kind == SHORT_SEGMENTS || kind == LONG_SEGMENTS) {
        uint64_t length = kind == SHORT_SEGMENTS ? 100 : 5000,
                 count = c->largest_count < 200000 ? c->largest_count : 200000;
        trial->counts[0] = count / length * length;
        trial->n_counts = 1;
        trial->segment_length = length;
        return trial->counts[0] > 0 && changes_segments(c);
    }
    return true;
}

static void put_group_back(const struct tune_group *group, const struct tune_values *from, struct tune_values *values)
{
    for (size_t i = 0; i < sizeof group->fields / sizeof *group->fields && group->fields[i] != NULL; i++)
        *tune_values_at(values, group->fields[i]) = tune_values_get(from, group->fields[i]);
}

/* Puts values that are to blame for a slower count back to those of the built-in row. False if there are none left. */
static bool repair(struct search *search, uint64_t slower, enum kind kind)
{
    struct tune_case *c = search->c;
    const struct tune_values before = c->best;
    char built_in[32], best[32];
    clsort_sorter *of_built_in = tune_model_sorter(search->model, &c->built_in);
    clsort_sorter *of_best = tune_model_sorter(search->model, &c->best);
    tune_model_choice(of_built_in, c->info, c->value_bytes, slower, built_in);
    tune_model_choice(of_best, c->info, c->value_bytes, slower, best);
    clsort_destroy(of_built_in);
    clsort_destroy(of_best);
    const struct tune_group *group = tune_group_of(best);
    if (kind >= SHORT_SEGMENTS) {
        c->best = c->built_in;
    } else if (strcmp(built_in, best) != 0 || group == NULL) {
        for (size_t i = 0; tune_switch_at(i) != NULL; i++) {
            const char *field = tune_switch_at(i)->field;
            *tune_values_at(&c->best, field) = tune_values_get(&c->built_in, field);
        }
    } else {
        put_group_back(group, &c->built_in, &c->best);
    }
    if (tune_values_are_same(&before, &c->best) ||
        !tune_model_is_legal(search->model, c->info, c->value_bytes, &c->best))
        c->best = c->built_in;
    return !tune_values_are_same(&c->best, &c->built_in);
}

/* Compares all kinds of sorts with those of the built-in row. Returns whether it came to an end. */
static bool compare(struct search *search, uint64_t *slower, enum kind *slower_kind)
{
    struct tune_trial trial;
    struct tune_case *c = search->c;
    c->slowest_ratio = c->fastest_ratio = c->rate = 0.0;
    c->rate_count = 0;
    *slower = 0;
    for (int kind = 0; kind < n_kinds && *slower == 0; kind++) {
        if (set_kind(c, (enum kind)kind, &trial) && !compare_kind(search, (enum kind)kind, &trial, slower))
            return false;
        *slower_kind = (enum kind)kind;
    }
    return true;
}

/* Times the counts that seemed faster once more and longer: of many counts some do by chance. */
static bool confirm(struct search *search)
{
    struct tune_case *c = search->c;
    struct tune_result result;
    struct tune_trial trial = trial_of(c);
    trial.base = &c->built_in;
    trial.seconds = c->seconds * final_time_factor * final_time_factor;
    trial.n_counts = search->n_faster;
    memcpy(trial.counts, search->faster, sizeof search->faster);
    c->fastest_ratio = 1.0;
    if (trial.n_counts == 0)
        return false;
    tune_measure(search->session, &trial, &result);
    for (size_t i = 0; i < result.n_times && result.state == TUNE_TIMED; i++) {
        if (result.times[i].ratio < c->fastest_ratio)
            c->fastest_ratio = result.times[i].ratio;
    }
    return c->fastest_ratio < 1.0 - TUNE_NOISE;
}

/* Whether the library takes an algorithm of the group for any of the counts that are compared. */
static bool is_taken(const struct search *search, const struct tune_group *group)
{
    const struct tune_case *c = search->c;
    struct tune_trial trial;
    bool taken = false;
    clsort_sorter *sorter = tune_model_sorter(search->model, &c->best);
    set_final_counts(c, true, &trial);
    for (size_t i = 0; i < trial.n_counts && !taken; i++) {
        char name[32];
        tune_model_choice(sorter, c->info, c->value_bytes, trial.counts[i], name);
        taken = tune_group_of(name) == group;
    }
    clsort_destroy(sorter);
    return taken;
}

/* Values of algorithms that the library does not take go back: they would say nothing, and segments share some of them. */
static void put_unused_back(struct search *search)
{
    struct tune_case *c = search->c;
    for (size_t i = 0; tune_group_at(i) != NULL; i++) {
        const struct tune_group *group = tune_group_at(i);
        struct tune_values candidate = c->best;
        if (is_taken(search, group))
            continue;
        put_group_back(group, &c->built_in, &candidate);
        if (tune_model_is_legal(search->model, c->info, c->value_bytes, &candidate))
            c->best = candidate;
    }
}

/* A search that did not begin at the built-in row is compared with it, and no more: mended it would be that row. */
static void compare_and_repair(struct search *search)
{
    struct tune_case *c = search->c;
    bool is_of_built_in = tune_values_are_same(&c->start, &c->built_in);
    tune_progress_stage(search->name, "comparing with the built-in row");
    if (is_of_built_in)
        put_unused_back(search);
    for (int i = 0; i < n_repairs_most && !tune_values_are_same(&c->best, &c->built_in); i++) {
        uint64_t slower = 0;
        enum kind kind = OUT_OF_PLACE;
        if (!compare(search, &slower, &kind)) {
            c->is_complete = false;
            return;
        }
        c->is_worth_it = slower == 0 && confirm(search);
        if (slower == 0 || !is_of_built_in || !repair(search, slower, kind))
            return;
        c->is_worth_it = false;
    }
}

/* Those that the library takes now come first, as they matter for sure. */
static void tune_algorithms(struct search *search)
{
    struct tune_session *session = search->session;
    const double search_end = session->search_end_time;
    bool is_first[n_groups_most] = {false};
    for (size_t i = 0; tune_group_at(i) != NULL && i < n_groups_most; i++)
        is_first[i] = is_taken(search, tune_group_at(i));
    for (int second = 0; second < 2; second++) {
        for (size_t i = 0; tune_group_at(i) != NULL && i < n_groups_most; i++) {
            double now = clock_seconds();
            if (is_first[i] == (second != 0))
                continue;
            session->search_end_time = now + group_share * (search_end - now);
            tune_algorithm(search, tune_group_at(i));
            search->was_cut = search->was_cut || is_over(search);
            session->search_end_time = search_end;
        }
    }
}

void tune_search(struct tune_session *session, struct tune_model *model, struct tune_case *c, double share_end)
{
    struct search search = {.session = session, .model = model, .c = c};
    double run_end = session->search_end_time;
    tune_case_name(c->info, c->value_bytes, search.name, sizeof search.name);
    c->best = c->start;
    c->is_worth_it = false;
    session->search_end_time = share_end;
    tune_algorithms(&search);
    if (!is_over(&search) && c->algorithm == NULL) {
        tune_progress_stage(search.name, "counts between algorithms");
        tune_find_switches(session, model, c);
    }
    c->is_complete = !is_over(&search) && !search.was_cut;
    session->search_end_time = run_end;
    session->is_comparing = true;
    if (!tune_is_stopped(session))
        compare_and_repair(&search);
    session->is_comparing = false;
}
