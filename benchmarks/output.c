/* Writes rows as CSV and as JSON. */
#include "output.h"
#include "machine.h"
#include <clsort/clsort.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A device with room for its texts. */
struct output_device {
    char name[256], vendor[256], platform[256], driver[256], type[32];
    uint64_t compute_units, memory_bytes;
};

static const char csv_header[] = "library,device,op,key,value,order,data,n,ms_median,ms_best,gkeys_per_s,"
                                 "workspace_bytes,ms_lower_quartile,ms_upper_quartile,gb_per_s,copy_fraction\n";

/* Bytes that are no ASCII are taken to be UTF-8. */
static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fputc('\\', file);
        if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void write_member(FILE *file, const char *before, const char *name, const char *text)
{
    fprintf(file, "%s\"%s\": ", before, name);
    write_text(file, text);
}

static void write_head(FILE *file, const char *note)
{
    char machine[256], date[64];
    machine_name(machine, sizeof machine);
    machine_date(date, sizeof date);
    fprintf(file, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"clsort\": \"%d.%d.%d\"", RESULTS_FORMAT,
            RESULTS_VERSION, CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    write_member(file, ",\n  ", "date", date);
    write_member(file, ",\n  ", "machine", machine);
    if (note && *note)
        write_member(file, ",\n  ", "note", note);
    fputs(",\n  \"rows\": [", file);
}

/* Ends the document and goes back to where the next row belongs: a run that is broken off leaves a file that can be
   read. */
static void write_tail(struct output *o)
{
    long here = ftell(o->json);
    fprintf(o->json, "\n  ],\n  \"devices\": [");
    for (size_t i = 0; i < o->n_devices; i++) {
        const struct output_device *device = &o->devices[i];
        write_member(o->json, i ? ",\n    {" : "\n    {", "name", device->name);
        write_member(o->json, ", ", "vendor", device->vendor);
        write_member(o->json, ", ", "platform", device->platform);
        write_member(o->json, ", ", "driver", device->driver);
        write_member(o->json, ", ", "type", device->type);
        fprintf(o->json, ", \"compute_units\": %" PRIu64 ", \"memory_bytes\": %" PRIu64 "}", device->compute_units,
                device->memory_bytes);
    }
    fprintf(o->json, "\n  ]\n}\n");
    o->failed |= fflush(o->json) != 0 || here < 0 || fseek(o->json, here, SEEK_SET) != 0;
}

int output_open(struct output *o, const char *csv, const char *json, const char *note, char *text, size_t text_bytes)
{
    memset(o, 0, sizeof *o);
    const char *bad = NULL;
    if (csv && !(o->csv = fopen(csv, "w")))
        bad = csv;
    if (json && !(o->json = fopen(json, "wb")))
        bad = json;
    if (bad) {
        snprintf(text, text_bytes, "%s cannot be written", bad);
        return 0;
    }
    if (o->json) {
        write_head(o->json, note);
        write_tail(o);
    }
    return 1;
}

/* Of CSV a text is one field and one line; names are the same in both formats. */
static void copy_text(char *to, size_t to_bytes, const char *from)
{
    snprintf(to, to_bytes, "%s", from ? from : "");
    for (; *to; to++)
        if (*to == ',' || *to == '"' || (unsigned char)*to < 0x20)
            *to = ' ';
}

int output_device(struct output *o, const struct result_device *device, size_t *place)
{
    struct output_device *devices = realloc(o->devices, (o->n_devices + 1) * sizeof *devices);
    if (!devices)
        return 0;
    o->devices = devices;
    if (!o->n_devices) {
        fputs(csv_header, stdout);
        if (o->csv)
            fputs(csv_header, o->csv);
    }
    struct output_device *added = &devices[o->n_devices];
    copy_text(added->name, sizeof added->name, device->name);
    copy_text(added->vendor, sizeof added->vendor, device->vendor);
    copy_text(added->platform, sizeof added->platform, device->platform);
    copy_text(added->driver, sizeof added->driver, device->driver);
    copy_text(added->type, sizeof added->type, device->type);
    added->compute_units = device->compute_units;
    added->memory_bytes = device->memory_bytes;
    *place = o->n_devices++;
    if (o->json)
        write_tail(o);
    return 1;
}

static void write_csv(FILE *file, const struct output *o, const struct result_row *row)
{
    fprintf(file, "%s,%s,%s,%s,%s,%s,%s,%" PRIu64 ",%.5f,%.5f,%.4f,%" PRIu64 ",%.5f,%.5f,", row->library,
            o->devices[row->device].name, row->operation, row->key, row->value, row->order, row->data, row->n,
            row->ms.median, row->ms.best, results_rate(row), row->workspace_bytes, row->ms.lower_quartile,
            row->ms.upper_quartile);
    if (row->moved_bytes)
        fprintf(file, "%.4f", results_bandwidth(row));
    fputc(',', file);
    if (row->copy_ms > 0)
        fprintf(file, "%.4f", results_copy_fraction(row));
    fputc('\n', file);
    fflush(file);
}

static void write_json(FILE *file, const struct output *o, const struct result_row *row)
{
    write_member(file, o->n_rows ? ",\n    {" : "\n    {", "library", row->library);
    fprintf(file, ", \"device\": %zu", row->device);
    write_member(file, ", ", "op", row->operation);
    write_member(file, ", ", "key", row->key);
    write_member(file, ", ", "value", row->value);
    write_member(file, ", ", "order", row->order);
    write_member(file, ", ", "data", row->data);
    fprintf(file, ", \"n\": %" PRIu64 ", \"ms_median\": %.6f, \"ms_best\": %.6f", row->n, row->ms.median, row->ms.best);
    fprintf(file, ", \"ms_lower_quartile\": %.6f, \"ms_upper_quartile\": %.6f, \"runs\": %" PRIu64,
            row->ms.lower_quartile, row->ms.upper_quartile, row->runs);
    fprintf(file, ", \"gkeys_per_s\": %.5f, \"workspace_bytes\": %" PRIu64, results_rate(row), row->workspace_bytes);
    if (row->moved_bytes)
        fprintf(file, ", \"moved_bytes\": %" PRIu64 ", \"gb_per_s\": %.4f", row->moved_bytes, results_bandwidth(row));
    if (row->copy_ms > 0)
        fprintf(file, ", \"copy_ms\": %.6f, \"copy_fraction\": %.4f", row->copy_ms, results_copy_fraction(row));
    write_member(file, ", ", "checksum", row->checksum ? row->checksum : "");
    write_member(file, ", ", "algorithm", row->algorithm ? row->algorithm : "");
    write_member(file, ", ", "tuning", row->tuning ? row->tuning : "");
    fputc('}', file);
}

void output_row(struct output *o, const struct result_row *row)
{
    write_csv(stdout, o, row);
    if (o->csv)
        write_csv(o->csv, o, row);
    if (o->json) {
        write_json(o->json, o, row);
        o->n_rows++;
        write_tail(o);
    }
}

int output_close(struct output *o)
{
    int failed = o->failed | (fflush(stdout) != 0) | (ferror(stdout) != 0);
    if (o->csv)
        failed |= fclose(o->csv) != 0;
    if (o->json) {
        failed |= fseek(o->json, 0, SEEK_END) != 0;
        failed |= fclose(o->json) != 0;
    }
    free(o->devices);
    memset(o, 0, sizeof *o);
    return !failed;
}
