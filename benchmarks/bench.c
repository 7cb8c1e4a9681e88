/* Runs cases and says what came of them. */
#include "bench.h"
#include "cases.h"
#include <inttypes.h>
#include <stdlib.h>

static void add_row(struct bench *b, const struct sort_case *c, const struct run_result *result)
{
    char library[96], checksum[32];
    snprintf(library, sizeof library, "clsort%s%s", c->algorithm ? "/" : "", c->algorithm ? c->algorithm : "");
    snprintf(checksum, sizeof checksum, "%016" PRIx64, result->checksum);
    struct result_row row = {library,
                             b->place,
                             c->operation_name,
                             clsort_key_type_name(c->key_type),
                             c->value_name,
                             c->descending ? "desc" : "asc",
                             c->data_name,
                             c->n,
                             result->ms,
                             b->options.runs,
                             case_moved_bytes(c),
                             result->copy_ms,
                             result->workspace_bytes,
                             checksum,
                             result->algorithm,
                             result->tuning};
    output_row(&b->output, &row);
}

enum run_outcome bench_case(struct bench *b, const struct sort_case *c, struct run_result *result)
{
    char name[256], text[4096] = "";
    case_describe(c, name, sizeof name);
    progress_show(&b->progress, name);
    enum run_outcome outcome = run_case(&b->device, &b->options, c, result, text, sizeof text);
    progress_step(&b->progress, c->n);
    progress_clear(&b->progress);
    switch (outcome) {
    case RUN_DONE:
        b->done++;
        fprintf(stderr, "# case %s: right, checksum=%016" PRIx64 " algorithm=%s tuning=%s\n", name, result->checksum,
                result->algorithm, result->tuning);
        if (!b->options.verify_only)
            add_row(b, c, result);
        if (b->options.phases && !b->options.verify_only)
            phases_print(&b->device.phases, stderr);
        break;
    case RUN_SKIPPED:
        b->skipped++;
        fprintf(stderr, "# case %s: skipped: %s\n", name, text);
        break;
    default:
        b->failed++;
        fprintf(stderr, "clsort-bench: %s %s: %s\n", outcome == RUN_WRONG ? "WRONG RESULT" : "failed", name, text);
    }
    return outcome;
}

int bench_sweep(struct bench *b)
{
    struct case_list list;
    struct run_result result;
    int made = cases_make(&list, &b->options);
    progress_begin(&b->progress);
    for (size_t i = 0; made && i < list.length; i++)
        progress_expect(&b->progress, list.cases[i].n);
    for (size_t i = 0; made && i < list.length; i++)
        bench_case(b, &list.cases[i], &result);
    free(list.cases);
    return made;
}
