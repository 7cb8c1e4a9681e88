/* The rows of several files as one set, with the devices told apart by name and machine. */
#ifndef BENCHMARKS_COLLECTION_H
#define BENCHMARKS_COLLECTION_H

#include "results.h"

/* A row and where it comes from. */
struct entry {
    const struct result_row *row;
    const struct results *file;
    size_t device; /* place in the collection's list */
};

struct collected_device {
    const struct result_device *facts;
    const struct results *file; /* the last one that has it */
    int is_host;                /* not of OpenCL: the processor, for libraries that run on it */
};

struct collection {
    size_t n_files, n_devices, n_entries;
    struct results *files;
    struct collected_device *devices;
    struct entry *entries; /* of the same case only the last one */
};

/* Reads the files. On failure 0 and a line of text; collection_free() is due in both cases. */
int collection_read(struct collection *collection, char **paths, size_t n_paths, char *text, size_t text_bytes);

void collection_free(struct collection *collection);

/* The name of a device, with a number behind it if it is not the first of that name. */
void collection_name(const struct collection *collection, size_t device, char *text, size_t text_bytes);

/* Whether an entry belongs to a device: it was measured there, or on the processor that the device is. */
int collection_belongs(const struct collection *collection, const struct entry *entry, size_t device);

/* Whether rows are of the same sort of the same data, by whichever library and device. */
int collection_is_same_sort(const struct result_row *a, const struct result_row *b);

/* Whether a row is of the library's own choice, of an algorithm of it, or of another library. */
int collection_is_choice(const struct result_row *row);
int collection_is_peer(const struct result_row *row);

#endif
