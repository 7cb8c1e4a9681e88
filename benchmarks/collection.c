/* The rows of several files as one set. */
#include "collection.h"
#include <stdio.h>
#include <string.h>

int collection_is_choice(const struct result_row *row)
{
    return !strcmp(row->library, "clsort");
}

int collection_is_peer(const struct result_row *row)
{
    return !collection_is_choice(row) && strncmp(row->library, "clsort/", 7) != 0 &&
           strncmp(row->library, "histogram/", 10) != 0;
}

int collection_is_same_sort(const struct result_row *a, const struct result_row *b)
{
    return a->n == b->n && !strcmp(a->operation, b->operation) && !strcmp(a->key, b->key) &&
           !strcmp(a->value, b->value) && !strcmp(a->order, b->order) && !strcmp(a->data, b->data);
}

static int is_host(const struct result_device *device)
{
    return !strcmp(device->platform, "host");
}

void collection_name(const struct collection *c, size_t device, char *text, size_t text_bytes)
{
    const char *name = c->devices[device].facts->name;
    unsigned same = 1;
    for (size_t i = 0; i < device; i++)
        same += !strcmp(c->devices[i].facts->name, name);
    snprintf(text, text_bytes, same > 1 ? "%s (%u)" : "%s", name, same);
}

int collection_belongs(const struct collection *c, const struct entry *entry, size_t device)
{
    const struct collected_device *own = &c->devices[entry->device], *other = &c->devices[device];
    return entry->device == device ||
           (own->is_host && !strcmp(other->facts->type, "cpu") && !strcmp(own->file->machine, other->file->machine));
}

/* 1 also if one of them is not known: files of CSV do not say it. */
static int is_same_machine(const struct results *a, const struct results *b)
{
    return !*a->machine || !*b->machine || !strcmp(a->machine, b->machine);
}

/* Devices of one name are one device, unless one of them is the processor itself or they are of different machines.
   The same name twice in one file stands for two devices. */
static size_t place_device(struct collection *c, const struct results *file, size_t device)
{
    const struct result_device *facts = &file->devices[device];
    for (size_t i = 0; i < c->n_devices; i++) {
        struct collected_device *known = &c->devices[i];
        if (known->file != file && known->is_host == is_host(facts) && !strcmp(known->facts->name, facts->name) &&
            is_same_machine(known->file, file)) {
            /* CUDA's names of the same device are not what OpenCL says about it. */
            if (!strcmp(known->facts->platform, facts->platform)) {
                known->facts = facts;
                known->file = file;
            }
            return i;
        }
    }
    const struct collected_device added = {facts, file, is_host(facts)};
    c->devices[c->n_devices] = added;
    return c->n_devices++;
}

static void add_entry(struct collection *c, const struct entry *entry)
{
    for (size_t i = 0; i < c->n_entries; i++)
        if (c->entries[i].device == entry->device && !strcmp(c->entries[i].row->library, entry->row->library) &&
            collection_is_same_sort(c->entries[i].row, entry->row)) {
            c->entries[i] = *entry;
            return;
        }
    c->entries[c->n_entries++] = *entry;
}

static int join_files(struct collection *c)
{
    size_t n_devices = 0, n_rows = 0, most_devices = 0;
    for (size_t i = 0; i < c->n_files; i++) {
        n_devices += c->files[i].n_devices;
        n_rows += c->files[i].n_rows;
        most_devices = c->files[i].n_devices > most_devices ? c->files[i].n_devices : most_devices;
    }
    c->devices = calloc(n_devices + 1, sizeof *c->devices);
    c->entries = calloc(n_rows + 1, sizeof *c->entries);
    size_t *places = calloc(most_devices + 1, sizeof *places);
    int done = c->devices && c->entries && places;
    for (size_t i = 0; done && i < c->n_files; i++) {
        const struct results *file = &c->files[i];
        for (size_t device = 0; device < file->n_devices; device++)
            places[device] = place_device(c, file, device);
        for (size_t row = 0; row < file->n_rows; row++) {
            const struct entry entry = {&file->rows[row], file, places[file->rows[row].device]};
            add_entry(c, &entry);
        }
    }
    free(places);
    return done;
}

int collection_read(struct collection *c, char **paths, size_t n_paths, char *text, size_t text_bytes)
{
    memset(c, 0, sizeof *c);
    c->files = calloc(n_paths + 1, sizeof *c->files);
    for (size_t i = 0; c->files && i < n_paths; i++) {
        c->n_files++;
        if (!results_read(&c->files[i], paths[i], text, text_bytes))
            return 0;
    }
    if (c->files && join_files(c))
        return 1;
    snprintf(text, text_bytes, "not enough memory");
    return 0;
}

void collection_free(struct collection *c)
{
    for (size_t i = 0; i < c->n_files; i++)
        results_free(&c->files[i]);
    free(c->files);
    free(c->devices);
    free(c->entries);
    memset(c, 0, sizeof *c);
}
