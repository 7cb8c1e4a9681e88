/* clsort-bench compare: joins the rows of two files case by case and says what got slower. */
#include "compare.h"
#include "results.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: clsort-bench compare BEFORE.json AFTER.json [OPTION...]\n"
    "Prints for each case that both files have the median times and AFTER's over BEFORE's. A case is\n"
    "slower (or faster) if the medians differ by more than the threshold and the ranges between the\n"
    "quartiles do not overlap. CSV files are read too, if their names end in .csv.\n"
    "\n"
    "  --threshold P      percent, 0 to 1000 (default 5)\n"
    "  --across-devices   joins cases of devices of different names too\n"
    "  --help\n"
    "\n"
    "Exit status: 0; 1 if a case is slower; 2 for wrong usage, a file that cannot be read, or no case in\n"
    "common.\n";

struct comparison {
    const char *paths[2];
    double threshold; /* 0.05: 5 percent */
    int across_devices;
    int help;
    struct results before, after;
    size_t n_joined, n_slower, n_faster;
    double sum_of_logs; /* of the ratios */
};

static int usage_error(const char *what, const char *which)
{
    fprintf(stderr, "clsort-bench: compare: %s%s\n", what, which);
    return 2;
}

static int read_threshold(const char *text, double *threshold)
{
    char *end;
    double percent = text && *text ? strtod(text, &end) : -1;
    if (!(percent >= 0 && percent <= 1000) || *end)
        return 0;
    *threshold = percent / 100;
    return 1;
}

/* 0, or the exit status of wrong usage. */
static int read_arguments(struct comparison *c, int argc, char **argv)
{
    int n_paths = 0;
    c->threshold = 0.05;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--threshold")) {
            if (!read_threshold(i + 1 < argc ? argv[i + 1] : NULL, &c->threshold))
                return usage_error("--threshold: not a number from 0 to 1000", "");
            i++;
        } else if (!strcmp(argv[i], "--across-devices")) {
            c->across_devices = 1;
        } else if (!strcmp(argv[i], "--help")) {
            c->help = 1;
        } else if (argv[i][0] == '-') {
            return usage_error("no such option; --help lists them: ", argv[i]);
        } else if (n_paths == 2) {
            return usage_error("two files are compared, not more: ", argv[i]);
        } else {
            c->paths[n_paths++] = argv[i];
        }
    }
    return c->help || n_paths == 2 ? 0 : usage_error("two files are needed", "");
}

static int is_same_case(const struct comparison *c, const struct result_row *a, const struct result_row *b)
{
    return a->n == b->n && !strcmp(a->library, b->library) && !strcmp(a->operation, b->operation) &&
           !strcmp(a->key, b->key) && !strcmp(a->value, b->value) && !strcmp(a->order, b->order) &&
           !strcmp(a->data, b->data) &&
           (c->across_devices || !strcmp(c->before.devices[a->device].name, c->after.devices[b->device].name));
}

/* Of equal cases the first of one file goes with the first of the other: taken says which have gone. */
static const struct result_row *find_partner(const struct comparison *c, const struct result_row *row, char *taken)
{
    for (size_t i = 0; i < c->after.n_rows; i++)
        if (!taken[i] && is_same_case(c, row, &c->after.rows[i])) {
            taken[i] = 1;
            return &c->after.rows[i];
        }
    return NULL;
}

static const char *judge(struct comparison *c, const struct result_row *before, const struct result_row *after)
{
    const struct spread *a = &before->ms, *b = &after->ms;
    if (b->median > a->median * (1 + c->threshold) && b->lower_quartile > a->upper_quartile) {
        c->n_slower++;
        return "SLOWER";
    }
    if (a->median > b->median * (1 + c->threshold) && a->lower_quartile > b->upper_quartile) {
        c->n_faster++;
        return "faster";
    }
    return "";
}

/* Half the range between the quartiles, in percent of the median. */
static double percent_spread(const struct spread *ms)
{
    return ms->median > 0 ? (ms->upper_quartile - ms->lower_quartile) / ms->median * 50 : 0;
}

static void print_pair(struct comparison *c, const struct result_row *before, const struct result_row *after)
{
    char name[192], change[32] = "    -";
    snprintf(name, sizeof name, "%s %s %s %s %s %s", before->library, before->operation, before->key, before->value,
             before->order, before->data);
    if (before->ms.median > 0 && after->ms.median > 0) {
        snprintf(change, sizeof change, "%5.3f", after->ms.median / before->ms.median);
        c->sum_of_logs += log(after->ms.median / before->ms.median);
        c->n_joined++;
    }
    printf("%-48s %11" PRIu64 " %12.5f %3.0f%% %12.5f %3.0f%% %6s %s\n", name, before->n, before->ms.median,
           percent_spread(&before->ms), after->ms.median, percent_spread(&after->ms), change, judge(c, before, after));
}

static void print_head(const struct comparison *c)
{
    const struct results *files[] = {&c->before, &c->after};
    static const char *const names[] = {"before", "after"};
    for (int i = 0; i < 2; i++) {
        const struct results *file = files[i];
        const char *const facts[] = {file->date, file->version, file->note};
        static const char *const what[] = {"", "clsort ", ""};
        printf("# %s: %s", names[i], file->path);
        for (int j = 0; j < 3; j++)
            if (*facts[j])
                printf(", %s%s", what[j], facts[j]);
        putchar('\n');
    }
    printf("%-48s %11s %17s %17s %6s\n", "# case", "n", "before ms   +-", "after ms   +-", "ratio");
}

/* Prints the cases by devices. 1 on success. */
static int print_cases(struct comparison *c)
{
    char *taken = calloc(c->after.n_rows + 1, 1);
    size_t n_alone = 0;
    if (!taken)
        return 0;
    for (size_t device = 0; device < c->before.n_devices; device++) {
        int named = 0;
        for (size_t i = 0; i < c->before.n_rows; i++) {
            const struct result_row *row = &c->before.rows[i];
            const struct result_row *partner = row->device == device ? find_partner(c, row, taken) : NULL;
            n_alone += row->device == device && !partner;
            if (!partner)
                continue;
            if (!named++)
                printf("# device %s\n", c->before.devices[device].name);
            print_pair(c, row, partner);
        }
    }
    if (n_alone)
        printf("# only before: %zu cases\n", n_alone);
    for (size_t i = n_alone = 0; i < c->after.n_rows; i++)
        n_alone += !taken[i];
    if (n_alone)
        printf("# only after: %zu cases\n", n_alone);
    free(taken);
    return 1;
}

static int compare(struct comparison *c)
{
    char text[1024];
    if (!results_read(&c->before, c->paths[0], text, sizeof text) ||
        !results_read(&c->after, c->paths[1], text, sizeof text))
        return usage_error(text, "");
    print_head(c);
    if (!print_cases(c))
        return usage_error("not enough memory", "");
    if (!c->n_joined)
        return usage_error("the files have no case in common", "");
    printf("# %zu cases: %zu slower, %zu faster by more than %.3g %%; geometric mean of the ratios %.3f\n", c->n_joined,
           c->n_slower, c->n_faster, c->threshold * 100, exp(c->sum_of_logs / (double)c->n_joined));
    return c->n_slower > 0;
}

int compare_main(int argc, char **argv)
{
    static struct comparison c;
    int code = read_arguments(&c, argc, argv);
    if (code)
        return code;
    if (c.help)
        return fputs(help, stdout) < 0;
    code = compare(&c);
    results_free(&c.before);
    results_free(&c.after);
    if (fflush(stdout) || ferror(stdout))
        return usage_error("the comparison could not be written", "");
    return code;
}
