/* Reads the files of clsort-bench and checks that they say what they should. */
#include "results.h"
#include "results_csv.h"
#include <stdio.h>
#include <string.h>

struct reader {
    struct results *results;
    char *text;
    size_t text_bytes;
};

static int complain(const struct reader *r, const struct json *where, const char *name, const char *what)
{
    snprintf(r->text, r->text_bytes, "%s:%u: %s%s%s", r->results->path, where ? where->line : 1, name ? name : "",
             name ? " " : "", what);
    return 0;
}

/* A text that has to be there. */
static int read_text(const struct reader *r, const struct json *object, const char *name, const char **text)
{
    const struct json *member = json_member(object, name);
    if (!member)
        return complain(r, object, name, "is missing");
    if (member->kind != JSON_STRING)
        return complain(r, member, name, "is not a text");
    *text = member->text;
    return 1;
}

/* A text that may be missing. */
static int read_note(const struct reader *r, const struct json *object, const char *name, const char **text)
{
    *text = "";
    return !json_member(object, name) || read_text(r, object, name, text);
}

static int read_whole(const struct reader *r, const struct json *object, const char *name, int needed, uint64_t *number)
{
    const struct json *member = json_member(object, name);
    *number = 0;
    if (!member)
        return needed ? complain(r, object, name, "is missing") : 1;
    return json_whole(member, number) ? 1 : complain(r, member, name, "is not a whole number");
}

static int read_ms(const struct reader *r, const struct json *object, const char *name, int needed, double *ms)
{
    const struct json *member = json_member(object, name);
    *ms = 0;
    if (!member)
        return needed ? complain(r, object, name, "is missing") : 1;
    if (member->kind != JSON_NUMBER || member->number < 0)
        return complain(r, member, name, "is not a time");
    *ms = member->number;
    return 1;
}

static int read_device(const struct reader *r, const struct json *object, struct result_device *device)
{
    if (object->kind != JSON_OBJECT)
        return complain(r, object, NULL, "a device has to be an object");
    return read_text(r, object, "name", &device->name) && read_note(r, object, "vendor", &device->vendor) &&
           read_note(r, object, "platform", &device->platform) && read_note(r, object, "driver", &device->driver) &&
           read_note(r, object, "type", &device->type) &&
           read_whole(r, object, "compute_units", 0, &device->compute_units) &&
           read_whole(r, object, "memory_bytes", 0, &device->memory_bytes);
}

static int read_times(const struct reader *r, const struct json *object, struct result_row *row)
{
    struct spread *ms = &row->ms;
    if (!read_ms(r, object, "ms_median", 1, &ms->median) || !read_ms(r, object, "ms_best", 1, &ms->best) ||
        !read_ms(r, object, "ms_lower_quartile", 0, &ms->lower_quartile) ||
        !read_ms(r, object, "ms_upper_quartile", 0, &ms->upper_quartile) ||
        !read_ms(r, object, "copy_ms", 0, &row->copy_ms))
        return 0;
    if (!ms->lower_quartile || !ms->upper_quartile)
        ms->lower_quartile = ms->upper_quartile = ms->median;
    if (ms->best > ms->lower_quartile || ms->lower_quartile > ms->median || ms->median > ms->upper_quartile)
        return complain(r, object, NULL, "the times of a row are in no order");
    return 1;
}

static int read_row(const struct reader *r, const struct json *object, struct result_row *row)
{
    uint64_t device;
    if (object->kind != JSON_OBJECT)
        return complain(r, object, NULL, "a row has to be an object");
    if (!read_whole(r, object, "device", 1, &device))
        return 0;
    if (device >= r->results->n_devices)
        return complain(r, json_member(object, "device"), "device", "is not in the list of devices");
    row->device = (size_t)device;
    return read_text(r, object, "library", &row->library) && read_text(r, object, "op", &row->operation) &&
           read_text(r, object, "key", &row->key) && read_text(r, object, "value", &row->value) &&
           read_text(r, object, "order", &row->order) && read_text(r, object, "data", &row->data) &&
           read_whole(r, object, "n", 1, &row->n) && read_times(r, object, row) &&
           read_whole(r, object, "runs", 0, &row->runs) && read_whole(r, object, "moved_bytes", 0, &row->moved_bytes) &&
           read_whole(r, object, "workspace_bytes", 0, &row->workspace_bytes) &&
           read_note(r, object, "checksum", &row->checksum) && read_note(r, object, "algorithm", &row->algorithm) &&
           read_note(r, object, "tuning", &row->tuning);
}

/* A list that has to be there; n receives its length, and the memory for so many things of this size is returned. */
static void *make_list(const struct reader *r, const struct json *root, const char *name, size_t item_bytes, size_t *n)
{
    const struct json *list = json_member(root, name);
    *n = 0;
    if (!list || list->kind != JSON_ARRAY) {
        complain(r, list ? list : root, name, list ? "is not a list" : "is missing");
        return NULL;
    }
    for (const struct json *item = list->first; item; item = item->next)
        ++*n;
    void *items = calloc(*n + 1, item_bytes);
    if (!items)
        complain(r, list, name, "does not fit into memory");
    return items;
}

static int read_head(const struct reader *r, const struct json *root)
{
    struct results *results = r->results;
    const char *format;
    uint64_t version;
    if (root->kind != JSON_OBJECT || !json_member(root, "format"))
        return complain(r, root, NULL, "this is not a file of clsort-bench");
    if (!read_text(r, root, "format", &format) || !read_whole(r, root, "version", 1, &version))
        return 0;
    if (strcmp(format, RESULTS_FORMAT) != 0)
        return complain(r, json_member(root, "format"), NULL, "this is not a file of clsort-bench");
    if (version != RESULTS_VERSION)
        return complain(r, json_member(root, "version"), "version", "is not one that this program reads");
    return read_text(r, root, "clsort", &results->version) && read_text(r, root, "date", &results->date) &&
           read_note(r, root, "machine", &results->machine) && read_note(r, root, "note", &results->note);
}

int results_read(struct results *results, const char *path, char *text, size_t text_bytes)
{
    struct reader r = {results, text, text_bytes};
    memset(results, 0, sizeof *results);
    results->path = path;
    size_t length = strlen(path);
    if (length > 4 && !strcmp(path + length - 4, ".csv"))
        return results_csv_read(results, text, text_bytes);
    if (!json_read_file(&results->document, path, text, text_bytes))
        return 0;
    const struct json *root = results->document.root;
    if (!read_head(&r, root))
        return 0;
    results->devices = make_list(&r, root, "devices", sizeof *results->devices, &results->n_devices);
    if (!results->devices)
        return 0;
    results->rows = make_list(&r, root, "rows", sizeof *results->rows, &results->n_rows);
    if (!results->rows)
        return 0;
    const struct json *item = json_member(root, "devices")->first;
    for (size_t i = 0; i < results->n_devices; i++, item = item->next)
        if (!read_device(&r, item, &results->devices[i]))
            return 0;
    item = json_member(root, "rows")->first;
    for (size_t i = 0; i < results->n_rows; i++, item = item->next)
        if (!read_row(&r, item, &results->rows[i]))
            return 0;
    return 1;
}

void results_free(struct results *results)
{
    free(results->devices);
    free(results->rows);
    json_free(&results->document);
    memset(results, 0, sizeof *results);
}

double results_rate(const struct result_row *row)
{
    return row->ms.median > 0 ? (double)row->n / row->ms.median / 1e6 : 0;
}

double results_bandwidth(const struct result_row *row)
{
    return row->ms.median > 0 ? (double)row->moved_bytes / row->ms.median / 1e6 : 0;
}

double results_copy_fraction(const struct result_row *row)
{
    return row->ms.median > 0 ? row->copy_ms / row->ms.median : 0;
}
