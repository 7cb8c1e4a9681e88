/* The experiments; of them "crossover": from which count on a radix sort is faster than a bitonic network. */
#include "experiment.h"
#include "cases.h"
#include "histograms.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char counts[] = "10000,20000,50000,100000,200000,500000,1000000,2000000,5000000,10000000";

/* Both sort over the whole device, at any count. */
static const char bitonic[] = "bitonic_global", radix[] = "radix";

/* Times at the last count where both were measured. */
struct before {
    double n, bitonic_ms, radix_ms; /* n 0: none yet */
};

/* The count at which both take as long, on straight lines in a plot of logarithms. */
static double crossing(const struct before *a, const struct before *b)
{
    double from = log(a->bitonic_ms / a->radix_ms), to = log(b->bitonic_ms / b->radix_ms);
    return exp(log(a->n) + (log(b->n) - log(a->n)) * from / (from - to));
}

static void compare_at(const struct before *here, struct before *before, const char *series)
{
    int bitonic_is_faster = here->bitonic_ms < here->radix_ms;
    fprintf(stderr, "# crossover %s n=%.0f: bitonic takes %.3g times as long as radix\n", series, here->n,
            here->bitonic_ms / here->radix_ms);
    if (before->n > 0 && before->n < here->n && bitonic_is_faster != (before->bitonic_ms < before->radix_ms))
        fprintf(stderr, "# crossover %s: from about n=%.0f on %s is faster\n", series, crossing(before, here),
                bitonic_is_faster ? bitonic : radix);
    *before = *here;
}

static void run_crossover(struct bench *b, const struct case_list *list)
{
    struct before before = {0, 0, 0};
    struct run_result result;
    for (size_t i = 0; i < list->length; i++) {
        struct sort_case c = list->cases[i];
        struct before here = {(double)c.n, 0, 0};
        char series[128];
        snprintf(series, sizeof series, "%s %s %s %s", c.operation_name, clsort_key_type_name(c.key_type), c.value_name,
                 c.data_name);
        c.algorithm = bitonic;
        if (bench_case(b, &c, &result) == RUN_DONE)
            here.bitonic_ms = result.ms.median;
        c.algorithm = radix;
        if (bench_case(b, &c, &result) == RUN_DONE)
            here.radix_ms = result.ms.median;
        if (here.bitonic_ms > 0 && here.radix_ms > 0)
            compare_at(&here, &before, series);
    }
}

int experiment_run(struct bench *b)
{
    struct case_list list;
    if (!b->options.counts_given)
        options_set_counts(&b->options, counts, "2^1");
    if (!strcmp(b->options.experiment, "histograms"))
        return histograms_run(b);
    b->options.algorithms.length = 1;
    b->options.algorithms.items[0].number = 0;
    int made = cases_make(&list, &b->options);
    progress_begin(&b->progress);
    for (size_t i = 0; made && i < 2 * list.length; i++)
        progress_expect(&b->progress, list.cases[i / 2].n);
    if (made)
        run_crossover(b, &list);
    free(list.cases);
    return made;
}
