/* Reads the command line: lists of names, counts and ranges of counts. */
#include "options.h"
#include "data.h"
#include "items.h"
#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: clsort-bench [OPTION...]\n"
                            "       clsort-bench compare BEFORE.json AFTER.json [OPTION...]\n"
                            "       clsort-bench report FILE.json... -o REPORT.html [--svg FOLDER]\n"
                            "Times sorts on OpenCL devices and prints a CSV row for each; notes go to standard error.\n"
                            "compare and report have a --help of their own.\n"
                            "\n";

static const char what[] =
    "Options with ... take a list with commas; every combination is a case.\n"
    "\n"
    "  --device SPEC     device, as for clsort (default: $CLSORT_DEVICE, else a GPU first);\n"
    "                    all: every device of this machine, one after the other\n"
    "  --op OP...        keys (default), pairs, argsort; segmented_keys, _pairs, _argsort\n"
    "  --key KEY...      u8 u16 u32 (default) u64 i8 i16 i32 i64 f16 bf16 f32 f64\n"
    "  --value SIZE...   value of pairs or index of argsort: u32 (default), u64 or bytes\n"
    "  --n COUNT...      N, 2^A, 2^A+N, 2^A-N or FROM..TO (default 2^12..2^24)\n"
    "  --step STEP       next count of a range: factor 2^A (default 2^1) or a plain number to add\n"
    "  --order ORDER...  asc (default), desc\n"
    "  --data SHAPE...   uniform (default) sorted reversed equal few16 low16 and3 quarter_equal zipf\n"
    "                    two_values organ_pipe last_minimum median_killer one_outlier staircase\n"
    "                    two_middles two_ends hot_500 hot_20000 zero_bytes fixed_bytes bell\n"
    "                    runs_10000 modulo_1000\n"
    "                    of segmented: segments_of_N, segments_to_N, segments_powerlaw,\n"
    "                    segments_one_huge, segments_empty, or SHAPE/segments_...\n"
    "  --algorithm A...  by name; auto (default): the library chooses\n"
    "  --flags FLAG...   unstable, low_memory: for all cases\n"
    "  --promise-length  tells the library the longest segment, as max_segment_length\n"
    "  --tuning TEXT     name=value,... over the device's own\n";

static const char how[] =
    "  --runs N          timed runs of a case, 1 to 10000 (default 15), after 3 that are not\n"
    "  --phases          also prints the time of each phase, from events\n"
    "  --verify-only     checks the results and times nothing\n"
    "  --csv FILE        writes the rows to FILE too\n"
    "  --json FILE       writes them as JSON, which compare and report read\n"
    "  --note TEXT       what is to be known about these rows, kept in the JSON file\n"
    "  --check-choice    times every algorithm beside the one that the library chooses, for u32, u64,\n"
    "                    pairs and argsort (or --op, --key, --value) and says where another is better;\n"
    "                    with --algorithm those of its list only\n"
    "  --tolerance P     by how many percent a choice may be behind the best, 0 to 1000 (default 10)\n"
    "  --experiment E    crossover: bitonic against radix over n;\n"
    "                    histograms: local-memory histograms against global atomics\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 1 if a result was wrong, a sort failed or a choice was not the best; 2 for wrong\n"
    "usage.\n";

void options_print_help(FILE *file)
{
    fputs(usage, file);
    fputs(what, file);
    fputs(how, file);
}

/* The arguments that are still to be read, and where to say what is wrong. */
struct reader {
    struct options *options;
    const char *name; /* of the option at hand */
    const char *rest; /* of its argument */
    char *text;
    size_t text_bytes;
};

static int complain(struct reader *r, const char *item, const char *what)
{
    snprintf(r->text, r->text_bytes, "%s%s%s: %s", r->name, *item ? " " : "", item, what);
    return 0;
}

/* Copies the next item of the list and steps over its comma; 0 at the end. */
static int next_item(struct reader *r, char *item, size_t item_bytes)
{
    if (!r->rest)
        return 0;
    size_t length = strcspn(r->rest, ",");
    snprintf(item, item_bytes, "%.*s", (int)(length < item_bytes ? length : item_bytes), r->rest);
    r->rest = r->rest[length] ? r->rest + length + 1 : NULL;
    return 1;
}

static int read_list(struct reader *r, struct option_list *list, int (*item_number)(const char *, uint64_t *))
{
    list->length = 0;
    for (;;) {
        struct option_item item;
        if (!next_item(r, item.text, sizeof item.text))
            return 1;
        if (!item_number(item.text, &item.number))
            return complain(r, item.text, "not known");
        if (list->length == OPTIONS_ITEMS)
            return complain(r, item.text, "too long a list");
        list->items[list->length++] = item;
    }
}

static int add_count(struct options *o, uint64_t count)
{
    if (o->n_counts == OPTIONS_COUNTS)
        return 0;
    o->counts[o->n_counts++] = count;
    return 1;
}

/* From first to last; step is a factor or a distance. */
static int add_range(struct options *o, uint64_t first, uint64_t last, const char *step)
{
    const char *p = step;
    uint64_t number;
    int factor = !strncmp(step, "2^", 2);
    if (!item_count_number(&p, &number) || *p || number < (factor ? 2u : 1u) || (factor && !first))
        return 0;
    for (uint64_t count = first;;) {
        if (!add_count(o, count))
            return 0;
        if (factor ? count > last / number : last - count < number)
            return 1;
        count = factor ? count * number : count + number;
    }
}

static int read_counts(struct reader *r, const char *step)
{
    char item[64];
    r->options->n_counts = 0;
    while (next_item(r, item, sizeof item)) {
        const char *p = item;
        uint64_t first, last;
        if (!item_count_number(&p, &first))
            return complain(r, item, "not a count");
        last = first;
        if (!strncmp(p, "..", 2)) {
            p += 2;
            if (!item_count_number(&p, &last) || last < first)
                return complain(r, item, "not a range of counts");
        }
        if (*p)
            return complain(r, item, "not a count");
        if (last == first ? !add_count(r->options, first) : !add_range(r->options, first, last, step))
            return complain(r, item, "too many counts, or --step does not fit");
    }
    return 1;
}

static int read_number(struct reader *r, unsigned least, unsigned most, unsigned *to)
{
    char text[64];
    const char *p = r->rest;
    uint64_t number;
    snprintf(text, sizeof text, "not a number from %u to %u", least, most);
    if (!item_plain_number(&p, &number) || *p || number < least || number > most)
        return complain(r, r->rest, text);
    *to = (unsigned)number;
    return 1;
}

static int read_experiment(struct reader *r)
{
    if (strcmp(r->rest, "crossover") != 0 && strcmp(r->rest, "histograms") != 0)
        return complain(r, r->rest, "not known");
    r->options->experiment = r->rest;
    return 1;
}

static int has_argument(struct reader *r)
{
    return r->rest ? 1 : complain(r, "", "an argument is missing");
}

/* An option with an argument; n and step are only noted, as they belong together. */
static int read_argument(struct reader *r, const char **counts, const char **step)
{
    struct options *o = r->options;
    const struct {
        const char *name;
        struct option_list *list;
        int (*item_number)(const char *, uint64_t *);
    } lists[] = {{"--op", &o->operations, item_operation},
                 {"--key", &o->keys, item_key},
                 {"--value", &o->values, item_value},
                 {"--order", &o->orders, item_order},
                 {"--data", &o->shapes, item_shape},
                 {"--flags", &o->flags, item_flag},
                 {"--algorithm", &o->algorithms, item_algorithm}};
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"--device", &o->device}, {"--tuning", &o->tuning}, {"--csv", &o->csv}, {"--json", &o->json},
                 {"--note", &o->note},     {"--n", counts},          {"--step", step}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!strcmp(r->name, lists[i].name))
            return has_argument(r) && read_list(r, lists[i].list, lists[i].item_number);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strcmp(r->name, texts[i].name)) {
            *texts[i].text = r->rest;
            return has_argument(r);
        }
    if (!strcmp(r->name, "--runs"))
        return has_argument(r) && read_number(r, 1, 10000, &o->runs);
    if (!strcmp(r->name, "--tolerance"))
        return has_argument(r) && read_number(r, 0, 1000, &o->tolerance);
    if (!strcmp(r->name, "--experiment"))
        return has_argument(r) && read_experiment(r);
    return complain(r, "", "no such option; --help lists them");
}

/* Options that take no argument; NULL if name is none of them. */
static int *switch_of(struct options *o, const char *name)
{
    if (!strcmp(name, "--phases"))
        return &o->phases;
    if (!strcmp(name, "--promise-length"))
        return &o->promise_length;
    if (!strcmp(name, "--verify-only"))
        return &o->verify_only;
    if (!strcmp(name, "--check-choice"))
        return &o->check_choice;
    if (!strcmp(name, "--version"))
        return &o->version;
    return !strcmp(name, "--help") || !strcmp(name, "-h") ? &o->help : NULL;
}

static void add_default(struct option_list *list, const char *text, uint64_t number)
{
    struct option_item *item = &list->items[list->length++];
    item->number = number;
    snprintf(item->text, sizeof item->text, "%s", text);
}

/* Lists that were not given. The choice is checked for the kinds of sorts that take ways of their own. */
static void set_defaults(struct options *o)
{
    if (!o->operations.length) {
        add_default(&o->operations, "keys", CLSORT_KEYS);
        if (o->check_choice) {
            add_default(&o->operations, "pairs", CLSORT_PAIRS);
            add_default(&o->operations, "argsort", CLSORT_ARGSORT);
        }
    }
    if (!o->keys.length) {
        add_default(&o->keys, "u32", CLSORT_U32);
        if (o->check_choice)
            add_default(&o->keys, "u64", CLSORT_U64);
    }
    if (!o->values.length)
        add_default(&o->values, "u32", 4);
    if (!o->orders.length)
        add_default(&o->orders, "asc", 0);
    if (!o->shapes.length)
        add_default(&o->shapes, "uniform", DATA_UNIFORM);
    if (!o->algorithms.length)
        add_default(&o->algorithms, "auto", 0);
}

/* Operations on segments go with data in segments, and no others do. */
static int check_segments(struct reader *r)
{
    const struct options *o = r->options;
    for (size_t i = 0; i < o->operations.length; i++)
        for (size_t j = 0; j < o->shapes.length; j++)
            if ((o->operations.items[i].number ^ o->shapes.items[j].number) & ITEM_SEGMENTED) {
                r->name = "--data";
                return complain(r, o->shapes.items[j].text, "does not go with the operation");
            }
    return 1;
}

static int check_together(struct reader *r)
{
    const struct options *o = r->options;
    for (size_t i = 0; i < o->operations.length; i++)
        for (size_t j = 0; j < o->values.length; j++)
            if (o->operations.items[i].number % ITEM_SEGMENTED == CLSORT_ARGSORT && o->values.items[j].number != 4 &&
                o->values.items[j].number != 8) {
                r->name = "--value";
                return complain(r, o->values.items[j].text, "an index of argsort has 4 or 8 bytes");
            }
    return check_segments(r);
}

/* What the ways besides a sweep leave no room for. */
static int check_way(struct reader *r)
{
    const struct options *o = r->options;
    r->name = o->check_choice ? "--check-choice" : "--experiment";
    if (o->check_choice && o->experiment)
        return complain(r, "", "does not go with --experiment");
    if ((o->check_choice || o->experiment) && o->verify_only)
        return complain(r, "", "does not go with --verify-only");
    if (o->verify_only && o->json) {
        r->name = "--json";
        return complain(r, "", "does not go with --verify-only");
    }
    return 1;
}

void options_set_counts(struct options *options, const char *counts, const char *step)
{
    char text[256];
    struct reader r = {options, "--n", counts, text, sizeof text};
    read_counts(&r, step);
}

int options_read(struct options *options, int argc, char **argv, char *text, size_t text_bytes)
{
    struct reader r = {options, NULL, NULL, text, text_bytes};
    const char *counts = NULL, *step = "2^1";
    memset(options, 0, sizeof *options);
    options->runs = 15;
    options->tolerance = 10;
    for (int i = 1; i < argc; i++) {
        r.name = argv[i];
        int *on = switch_of(options, r.name);
        if (on) {
            *on = 1;
            continue;
        }
        r.rest = ++i < argc ? argv[i] : NULL;
        if (!read_argument(&r, &counts, &step))
            return 0;
    }
    if (!check_way(&r))
        return 0;
    set_defaults(options);
    options->counts_given = counts != NULL;
    r.name = "--n";
    r.rest = counts ? counts : "2^12..2^24";
    return read_counts(&r, step) && check_together(&r);
}
