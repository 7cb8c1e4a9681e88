/* Times the sorts of another library: the cases, data, checks and rows are those of clsort-bench. */
#include "../cases.h"
#include "../machine.h"
#include "../output.h"
#include "../progress.h"
#include "../verify.h"
#include "peer.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UP_RUNS 3
#define VALUE_SEED 3

struct bench {
    struct options options;
    struct output output;
    size_t place;
    struct progress progress;
    unsigned done, skipped, failed;
};

/* A case with its arrays. */
struct job {
    const struct sort_case *c;
    struct peer_case given;
    void *keys, *values;
    uint64_t keys_bytes, values_bytes;
};

static int make_job(struct job *job, const struct sort_case *c)
{
    int pairs = c->operation == CLSORT_PAIRS, keys_out = c->operation != CLSORT_ARGSORT;
    job->c = c;
    job->keys_bytes = c->n * clsort_key_type_bytes(c->key_type);
    job->values_bytes = c->n * c->value_bytes;
    job->keys = malloc(data_room(job->keys_bytes));
    job->values = pairs ? malloc(data_room(job->values_bytes)) : NULL;
    void *sorted_keys = keys_out ? calloc(1, data_room(job->keys_bytes)) : NULL;
    void *sorted_values = c->value_bytes ? calloc(1, data_room(job->values_bytes)) : NULL;
    const struct peer_case given = {c->operation, c->key_type, c->n,        c->value_bytes,
                                    job->keys,    job->values, sorted_keys, sorted_values};
    job->given = given;
    if (!job->keys || (pairs && !job->values) || (keys_out && !sorted_keys) || (c->value_bytes && !sorted_values))
        return 0;
    data_fill_keys(job->keys, c->n, c->key_type, c->shape);
    if (pairs) {
        data_fill(job->values, job->values_bytes, VALUE_SEED);
        data_number_values(job->values, c->n, c->value_bytes);
    }
    return 1;
}

static void free_job(struct job *job)
{
    free(job->keys);
    free(job->values);
    free(job->given.keys_out);
    free(job->given.values_out);
}

/* Other orders of floats and of segments are not the same sort. */
static const char *why_not(const struct sort_case *c)
{
    int value = c->value_bytes == 4 || c->value_bytes == 8 || c->operation == CLSORT_KEYS;
    int is_float = c->key_type == CLSORT_F16 || c->key_type == CLSORT_BF16 || c->key_type == CLSORT_F32 ||
                   c->key_type == CLSORT_F64;
    return c->segments.kind ? "segments"
           : is_float       ? "float keys"
           : !value         ? "such values"
           : c->descending  ? "desc"
                            : NULL;
}

/* One sort that is checked, then those that are timed. 0 and a line of text if something was wrong. */
static int run_library(const struct peer_library *library, void *state, struct job *job, unsigned runs,
                       struct spread *ms, char *text, size_t text_bytes)
{
    struct sort_case c = *job->c;
    const struct peer_case *given = &job->given;
    const struct verify_data data = {given->keys_in, given->keys_out, given->values_in, given->values_out};
    c.flags = library->is_stable ? 0 : CLSORT_UNSTABLE;
    snprintf(text, text_bytes, "the library failed");
    if (!library->restore(state) || !library->sort(state) || !library->fetch(state) ||
        !verify(&c, &data, NULL, text, text_bytes))
        return 0;
    double *times = malloc(runs * sizeof *times);
    int right = times != NULL;
    for (unsigned i = 0; right && i < runs + WARM_UP_RUNS; i++) {
        right = library->restore(state);
        double begin = machine_clock();
        right = right && library->sort(state);
        if (i >= WARM_UP_RUNS)
            times[i - WARM_UP_RUNS] = machine_clock() - begin;
    }
    if (right)
        *ms = statistics_spread(times, runs);
    free(times);
    return right;
}

static void add_row(struct bench *b, const struct peer_library *library, void *state, const struct job *job,
                    const struct spread *ms)
{
    const struct sort_case *c = job->c;
    char checksum[32];
    struct result_row row = {0};
    snprintf(checksum, sizeof checksum, "%016" PRIx64, data_checksum(job->keys, job->keys_bytes));
    row.library = library->name;
    row.device = b->place;
    row.operation = c->operation_name;
    row.key = clsort_key_type_name(c->key_type);
    row.value = c->value_name;
    row.order = "asc";
    row.data = c->data_name;
    row.n = c->n;
    row.ms = *ms;
    row.runs = b->options.runs;
    row.moved_bytes = case_moved_bytes(c);
    row.workspace_bytes = library->workspace_bytes(state);
    row.checksum = checksum;
    output_row(&b->output, &row);
}

static void run_case(struct bench *b, const struct peer_library *library, struct job *job)
{
    char name[256], text[1024];
    struct spread ms;
    case_describe(job->c, name, sizeof name);
    progress_show(&b->progress, name);
    void *state = library->open(&job->given);
    int right = state && run_library(library, state, job, b->options.runs, &ms, text, sizeof text);
    progress_step(&b->progress, job->c->n);
    progress_clear(&b->progress);
    if (!state) {
        b->skipped++;
        fprintf(stderr, "# case %s by %s: skipped: the library cannot do it\n", name, library->name);
    } else if (!right) {
        b->failed++;
        fprintf(stderr, "WRONG RESULT %s by %s: %s\n", name, library->name, text);
    } else {
        b->done++;
        add_row(b, library, state, job, &ms);
    }
    if (state)
        library->close(state);
}

static int run_cases(struct bench *b)
{
    struct case_list list;
    int made = cases_make(&list, &b->options);
    progress_begin(&b->progress);
    for (size_t i = 0; made && i < list.length; i++)
        for (const struct peer_library *library = peer_libraries; library->name; library++)
            progress_expect(&b->progress, list.cases[i].n);
    for (size_t i = 0; made && i < list.length; i++) {
        struct job job = {0};
        const struct sort_case *c = &list.cases[i];
        if (why_not(c)) {
            fprintf(stderr, "# case of %s: skipped\n", why_not(c));
            b->skipped++;
            continue;
        }
        made = make_job(&job, c);
        for (const struct peer_library *library = peer_libraries; made && library->name; library++)
            run_case(b, library, &job);
        free_job(&job);
    }
    free(list.cases);
    return made;
}

static int run(struct bench *b, char *text, size_t text_bytes)
{
    struct peer_device device = {0};
    const struct options *o = &b->options;
    if (!peer_open_device(o->device, &device, text, text_bytes) ||
        !output_open(&b->output, o->csv, o->json, o->note, text, text_bytes))
        return 0;
    const struct result_device facts = {device.name, device.vendor,        device.platform,    device.driver,
                                        device.type, device.compute_units, device.memory_bytes};
    fprintf(stderr, "# device %s, %s\n", device.name, device.driver);
    snprintf(text, text_bytes, "not enough memory");
    return output_device(&b->output, &facts, &b->place) && run_cases(b);
}

int main(int argc, char **argv)
{
    static struct bench b;
    char text[1024] = "";
    if (!options_read(&b.options, argc, argv, text, sizeof text)) {
        fprintf(stderr, "%s\n", text);
        return 2;
    }
    if (b.options.help) {
        puts("Times the sorts of another library, with the cases, data, checks and rows of clsort-bench. Of its "
             "options\n"
             "--op, --key, --value, --n, --step, --data, --runs, --csv, --json, --note and --device count here.");
        return 0;
    }
    int code = run(&b, text, sizeof text) ? 0 : 1;
    if (code)
        fprintf(stderr, "%s\n", text);
    code |= !output_close(&b.output);
    peer_close_device();
    fprintf(stderr, "# %u cases right, %u skipped, %u failed\n", b.done, b.skipped, b.failed);
    return code || b.failed || !b.done;
}
