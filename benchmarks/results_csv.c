/* Reads the CSV files of a bench: those with the first twelve columns, and those with all. */
#include "results_csv.h"
#include "load.h"
#include <stdio.h>
#include <string.h>

enum {
    LIBRARY,
    DEVICE,
    OPERATION,
    KEY,
    VALUE,
    ORDER,
    DATA,
    COUNT,
    MEDIAN,
    BEST,
    RATE,
    WORKSPACE,
    FEWEST_COLUMNS,
    LOWER = FEWEST_COLUMNS,
    UPPER,
    BANDWIDTH,
    COPY_FRACTION,
    MOST_COLUMNS
};

static const char first_columns[] =
    "library,device,op,key,value,order,data,n,ms_median,ms_best,gkeys_per_s,workspace_bytes";

struct reader {
    struct results *results;
    size_t line;
    char *fields[MOST_COLUMNS];
    char *text;
    size_t text_bytes;
};

static int complain(const struct reader *r, const char *what)
{
    snprintf(r->text, r->text_bytes, "%s:%zu: %s", r->results->path, r->line, what);
    return 0;
}

/* Cuts a line at its commas; the columns that it does not have are empty. */
static int split(struct reader *r, char *line)
{
    static char empty[] = "";
    int n_fields = 0;
    for (int i = 0; i < MOST_COLUMNS; i++)
        r->fields[i] = empty;
    for (char *p = line; p; n_fields++) {
        if (n_fields == MOST_COLUMNS)
            return complain(r, "too many columns");
        r->fields[n_fields] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
    return n_fields >= FEWEST_COLUMNS ? 1 : complain(r, "too few columns");
}

static int read_ms(const struct reader *r, int column, double *ms)
{
    char *end;
    *ms = strtod(r->fields[column], &end);
    return *r->fields[column] && !*end && *ms >= 0 && *ms < 1e12 ? 1 : complain(r, "a time is not a number");
}

static int read_whole(const struct reader *r, int column, uint64_t *number)
{
    const char *p = r->fields[column];
    for (*number = 0; *p >= '0' && *p <= '9' && *number < UINT64_MAX / 10 - 1; p++)
        *number = *number * 10 + (uint64_t)(*p - '0');
    return *p ? complain(r, "a count is not a whole number") : 1;
}

static size_t place_device(struct results *results, const char *name)
{
    for (size_t i = 0; i < results->n_devices; i++)
        if (!strcmp(results->devices[i].name, name))
            return i;
    const struct result_device device = {name, "", "", "", "", 0, 0};
    results->devices[results->n_devices] = device;
    return results->n_devices++;
}

static int read_row(struct reader *r, struct result_row *row)
{
    struct spread *ms = &row->ms;
    if (!*r->fields[COUNT] || !read_whole(r, COUNT, &row->n) || !read_whole(r, WORKSPACE, &row->workspace_bytes) ||
        !read_ms(r, MEDIAN, &ms->median) || !read_ms(r, BEST, &ms->best))
        return 0;
    ms->lower_quartile = ms->upper_quartile = ms->median;
    if (*r->fields[LOWER] && (!read_ms(r, LOWER, &ms->lower_quartile) || !read_ms(r, UPPER, &ms->upper_quartile)))
        return 0;
    if (ms->best > ms->lower_quartile || ms->lower_quartile > ms->median || ms->median > ms->upper_quartile)
        return complain(r, "the times of a row are in no order");
    if (*r->fields[BANDWIDTH])
        row->moved_bytes = (uint64_t)(strtod(r->fields[BANDWIDTH], NULL) * ms->median * 1e6 + 0.5);
    if (*r->fields[COPY_FRACTION])
        row->copy_ms = strtod(r->fields[COPY_FRACTION], NULL) * ms->median;
    row->library = r->fields[LIBRARY];
    row->device = place_device(r->results, r->fields[DEVICE]);
    row->operation = r->fields[OPERATION];
    row->key = r->fields[KEY];
    row->value = r->fields[VALUE];
    row->order = r->fields[ORDER];
    row->data = r->fields[DATA];
    row->checksum = row->algorithm = row->tuning = "";
    return 1;
}

static int make_room(struct results *results, const char *content)
{
    size_t n_lines = 2;
    for (const char *p = content; *p; p++)
        n_lines += *p == '\n';
    results->devices = calloc(n_lines, sizeof *results->devices);
    results->rows = calloc(n_lines, sizeof *results->rows);
    return results->devices && results->rows;
}

int results_csv_read(struct results *results, char *text, size_t text_bytes)
{
    struct reader r = {results, 1, {NULL}, text, text_bytes};
    char *content = results->document.text = load_file(results->path, NULL, text, text_bytes);
    if (!content)
        return 0;
    results->date = results->version = results->machine = results->note = "";
    if (strncmp(content, first_columns, sizeof first_columns - 1) != 0)
        return complain(&r, "this is not a file of clsort-bench");
    if (!make_room(results, content))
        return complain(&r, "does not fit into memory");
    for (char *line = content; line && *line; r.line++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        /* Files of several runs that were put behind each other have several heads. */
        if (*line && strncmp(line, first_columns, sizeof first_columns - 1) != 0) {
            if (!split(&r, line) || !read_row(&r, &results->rows[results->n_rows]))
                return 0;
            results->n_rows++;
        }
        line = next;
    }
    return 1;
}
