/* clsort-bench: times sorts of every combination of the options, as CSV. */
#include "items.h"
#include "options.h"
#include "run.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char csv_header[] = "library,device,op,key,value,order,data,n,ms_median,ms_best,gkeys_per_s,"
                                 "workspace_bytes\n";

/* What main() goes through the cases with. */
struct bench {
    struct options options;
    struct bench_device device;
    FILE *csv; /* NULL unless asked for */
    unsigned done, skipped, failed;
};

static void describe(const struct sort_case *c, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s %s %s %s %s n=%" PRIu64 "%s%s", c->operation_name, clsort_key_type_name(c->key_type),
             c->value_name, c->descending ? "desc" : "asc", c->data_name, c->n, c->algorithm ? " by " : "",
             c->algorithm ? c->algorithm : "");
}

static void print_row(FILE *file, const struct bench *b, const struct sort_case *c, const struct run_result *result)
{
    double rate = result->median_ms > 0 ? (double)c->n / result->median_ms / 1e6 : 0;
    fprintf(file, "clsort%s%s,%s,%s,%s,%s,%s,%s,%" PRIu64 ",%.5f,%.5f,%.4f,%" PRIu64 "\n", c->algorithm ? "/" : "",
            c->algorithm ? c->algorithm : "", b->device.name, c->operation_name, clsort_key_type_name(c->key_type),
            c->value_name, c->descending ? "desc" : "asc", c->data_name, c->n, result->median_ms, result->best_ms, rate,
            result->workspace_bytes);
    fflush(file);
}

static void report(struct bench *b, const struct sort_case *c, const struct run_result *result)
{
    char name[256];
    describe(c, name, sizeof name);
    fprintf(stderr, "# case %s: right, checksum=%016" PRIx64 " algorithm=%s tuning=%s\n", name, result->checksum,
            result->algorithm, result->tuning);
    if (b->options.verify_only)
        return;
    print_row(stdout, b, c, result);
    if (b->csv)
        print_row(b->csv, b, c, result);
    if (b->options.phases)
        phases_print(&b->device.phases, stderr);
}

static void run_one(struct bench *b, const struct sort_case *c)
{
    char name[256], text[4096] = "";
    struct run_result result;
    enum run_outcome outcome = run_case(&b->device, &b->options, c, &result, text, sizeof text);
    describe(c, name, sizeof name);
    switch (outcome) {
    case RUN_DONE:
        b->done++;
        report(b, c, &result);
        break;
    case RUN_SKIPPED:
        b->skipped++;
        fprintf(stderr, "# case %s: skipped: %s\n", name, text);
        break;
    default:
        b->failed++;
        fprintf(stderr, "clsort-bench: %s %s: %s\n", outcome == RUN_WRONG ? "WRONG RESULT" : "failed", name, text);
    }
}

/* All counts of all shapes and algorithms, with the operation, types and order given. */
static void run_shapes(struct bench *b, struct sort_case *c)
{
    const struct options *o = &b->options;
    for (size_t shape = 0; shape < o->shapes.length; shape++) {
        const struct option_item *data = &o->shapes.items[shape];
        const char *slash = strchr(data->text, '/');
        c->data_name = data->text;
        c->shape = (enum data_shape)(data->number % ITEM_SEGMENTED);
        c->segments.kind = SEGMENTS_NONE;
        if (data->number & ITEM_SEGMENTED)
            segments_read(slash ? slash + 1 : data->text, &c->segments);
        for (size_t algorithm = 0; algorithm < o->algorithms.length; algorithm++) {
            const struct option_item *item = &o->algorithms.items[algorithm];
            c->algorithm = item->number ? item->text : NULL;
            for (size_t i = 0; i < o->n_counts; i++) {
                c->n = segments_used(c->segments, o->counts[i]);
                run_one(b, c);
            }
        }
    }
}

static void run_values(struct bench *b, struct sort_case *c)
{
    const struct options *o = &b->options;
    size_t n_values = c->operation == CLSORT_KEYS ? 1 : o->values.length;
    for (size_t value = 0; value < n_values; value++) {
        int keys = c->operation == CLSORT_KEYS;
        c->value_bytes = keys ? 0 : o->values.items[value].number;
        c->value_name = keys ? "-" : o->values.items[value].text;
        for (size_t order = 0; order < o->orders.length; order++) {
            c->descending = (int)o->orders.items[order].number;
            run_shapes(b, c);
        }
    }
}

static void run_all(struct bench *b)
{
    const struct options *o = &b->options;
    struct sort_case c = {0};
    for (size_t i = 0; i < o->flags.length; i++)
        c.flags |= (uint32_t)o->flags.items[i].number;
    for (size_t operation = 0; operation < o->operations.length; operation++) {
        c.operation = (clsort_operation)(o->operations.items[operation].number % ITEM_SEGMENTED);
        c.operation_name = o->operations.items[operation].text;
        for (size_t key = 0; key < o->keys.length; key++) {
            c.key_type = (clsort_key_type)o->keys.items[key].number;
            run_values(b, &c);
        }
    }
}

static int usage_error(const char *text)
{
    fprintf(stderr, "clsort-bench: %s\n", text);
    return 2;
}

static int print_about(const struct options *options)
{
    if (options->help)
        fputs(options_help, stdout);
    else
        printf("clsort-bench %d.%d.%d\n", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    return 0;
}

/* The header of the CSV, and what the rows do not say. */
static void print_head(const struct bench *b)
{
    fprintf(stderr, "# device %s, driver %s, clsort %d.%d.%d\n", b->device.name, b->device.driver, CLSORT_VERSION_MAJOR,
            CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    if (b->options.verify_only)
        return;
    fputs(csv_header, stdout);
    if (b->csv)
        fputs(csv_header, b->csv);
}

static int finish(struct bench *b, int code)
{
    int bad = fflush(stdout) || ferror(stdout);
    if (b->csv)
        bad |= fclose(b->csv) != 0;
    if (bad)
        fprintf(stderr, "clsort-bench: the rows could not be written\n");
    return bad && !code ? 1 : code;
}

int main(int argc, char **argv)
{
    static struct bench b;
    char text[4096] = "";
    if (!options_read(&b.options, argc, argv, text, sizeof text))
        return usage_error(text);
    if (b.options.help || b.options.version)
        return print_about(&b.options);
    clsort_status status = device_open(&b.device, &b.options, text, sizeof text);
    if (status) {
        fprintf(stderr, "clsort-bench: %s\n", text);
        device_close(&b.device);
        return status == CLSORT_INVALID_TUNING ? 2 : 1;
    }
    if (b.options.csv && !(b.csv = fopen(b.options.csv, "w"))) {
        fprintf(stderr, "clsort-bench: %s cannot be written\n", b.options.csv);
        device_close(&b.device);
        return 1;
    }
    print_head(&b);
    run_all(&b);
    device_close(&b.device);
    if (b.failed || !b.done)
        fprintf(stderr, "clsort-bench: %u done, %u skipped, %u failed\n", b.done, b.skipped, b.failed);
    else
        fprintf(stderr, "# %u cases right, %u skipped\n", b.done, b.skipped);
    return finish(&b, b.failed || !b.done);
}
