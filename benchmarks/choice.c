/* Times every algorithm beside the one that the library chooses, and says where another is better. */
#include "choice.h"
#include "cases.h"
#include <stdlib.h>
#include <string.h>

#define MOST_ALGORITHMS 64
/* An algorithm this much slower than the best at one count, and no nearer to it than at the count before, is left out
   at the counts that follow: bitonic networks of 2^24 keys take minutes on a CPU. */
#define HOPELESS 4.0

/* One algorithm over the growing counts of a series. */
struct rival {
    const char *name;
    int left_out;
    double times_best;      /* its time over the best at the last count; 0: not timed there */
    double times_best_once; /* and at the one before */
    double ms;              /* at this count; 0: not timed */
};

struct rivals {
    size_t length;
    struct rival items[MOST_ALGORITHMS];
};

/* The algorithms of the command line, or all. */
static void find_rivals(const struct option_list *list, struct rivals *rivals)
{
    const char *name;
    memset(rivals, 0, sizeof *rivals);
    for (size_t i = 0; rivals->length < MOST_ALGORITHMS && (name = clsort_algorithm_name(i)) != NULL; i++) {
        int wanted = list->length == 1 && !list->items[0].number;
        for (size_t j = 0; j < list->length; j++)
            wanted |= list->items[j].number == i + 1;
        if (wanted)
            rivals->items[rivals->length++].name = name;
    }
}

static void begin_series(struct rivals *rivals)
{
    for (size_t i = 0; i < rivals->length; i++) {
        const struct rival fresh = {rivals->items[i].name, 0, 0, 0, 0};
        rivals->items[i] = fresh;
    }
}

static double time_of(struct bench *b, const struct sort_case *c, const char *algorithm, struct run_result *result)
{
    struct sort_case forced = *c;
    forced.algorithm = algorithm;
    return bench_case(b, &forced, result) == RUN_DONE ? result->ms.median : 0;
}

/* The best of the others, NULL if none could do the case. */
static struct rival *time_rivals(struct bench *b, const struct sort_case *c, const char *chosen, struct rivals *rivals)
{
    struct rival *best = NULL;
    struct run_result result;
    for (size_t i = 0; i < rivals->length; i++) {
        struct rival *rival = &rivals->items[i];
        int timed = !rival->left_out && strcmp(rival->name, chosen) != 0;
        rival->ms = timed ? time_of(b, c, rival->name, &result) : 0;
        if (!timed)
            progress_step(&b->progress, c->n);
        if (rival->ms > 0 && (!best || rival->ms < best->ms))
            best = rival;
    }
    return best;
}

static void leave_out(struct rivals *rivals, double best_ms)
{
    for (size_t i = 0; i < rivals->length; i++) {
        struct rival *rival = &rivals->items[i];
        rival->times_best_once = rival->times_best;
        rival->times_best = rival->ms > 0 ? rival->ms / best_ms : 0;
        if (rival->times_best > HOPELESS && rival->times_best_once > HOPELESS &&
            rival->times_best >= rival->times_best_once) {
            rival->left_out = 1;
            fprintf(stderr, "# choice: %s is left out above this count, %.1f times the best\n", rival->name,
                    rival->times_best);
        }
    }
}

static double percent_behind(double ms, double other_ms)
{
    return (ms / other_ms - 1) * 100;
}

/* A difference counts if it is there a second time, with both timed anew. */
static void judge(struct bench *b, const struct sort_case *c, const struct run_result *chosen, const char *rival,
                  double rival_ms)
{
    char name[256];
    struct run_result again;
    double ms = chosen->ms.median, tolerance = b->options.tolerance;
    case_describe(c, name, sizeof name);
    if (percent_behind(ms, rival_ms) > tolerance) {
        progress_expect(&b->progress, 2 * c->n);
        double rival_again = time_of(b, c, rival, &again), chosen_again = time_of(b, c, NULL, &again);
        if (rival_again > 0 && chosen_again > 0 &&
            percent_behind(chosen_again, rival_again) < percent_behind(ms, rival_ms)) {
            ms = chosen_again;
            rival_ms = rival_again;
        }
    }
    double behind = percent_behind(ms, rival_ms);
    if (behind > tolerance) {
        b->beaten++;
        fprintf(stderr, "# choice %s: NOT THE BEST: %s takes %.5f ms, %s %.5f ms, %.0f %% less\n", name,
                chosen->algorithm, ms, rival, rival_ms, (1 - rival_ms / ms) * 100);
    } else {
        fprintf(stderr, "# choice %s: good: %s takes %.5f ms, %s %.5f ms\n", name, chosen->algorithm, ms, rival,
                rival_ms);
    }
}

static void check_case(struct bench *b, const struct sort_case *c, struct rivals *rivals)
{
    struct run_result chosen;
    if (bench_case(b, c, &chosen) != RUN_DONE)
        return;
    struct rival *best = time_rivals(b, c, chosen.algorithm, rivals);
    leave_out(rivals, best && best->ms < chosen.ms.median ? best->ms : chosen.ms.median);
    if (best)
        judge(b, c, &chosen, best->name, best->ms);
}

/* Whether c is the first count of a series. */
static int begins_series(const struct case_list *list, size_t i)
{
    return i == 0 || list->cases[i].n <= list->cases[i - 1].n;
}

int choice_check(struct bench *b)
{
    struct case_list list;
    struct rivals rivals;
    const struct option_list given = b->options.algorithms;
    find_rivals(&given, &rivals);
    /* The cases leave the choice to the library. */
    b->options.algorithms.length = 1;
    b->options.algorithms.items[0].number = 0;
    if (!b->options.counts_given)
        options_set_counts(&b->options, "2^8..2^24", "2^2");
    int made = cases_make(&list, &b->options);
    b->options.algorithms = given;
    progress_begin(&b->progress);
    for (size_t i = 0; made && i < list.length; i++)
        for (size_t algorithm = 0; algorithm <= rivals.length; algorithm++)
            progress_expect(&b->progress, list.cases[i].n);
    for (size_t i = 0; made && i < list.length; i++) {
        if (begins_series(&list, i))
            begin_series(&rivals);
        check_case(b, &list.cases[i], &rivals);
    }
    free(list.cases);
    return made;
}
