/* npy.h: the header of NumPy's .npy files. */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include "input.h"
#include "output.h"

#include <clsort/clsort.h>

enum { NPY_DIMENSIONS_LIMIT = 64 }; /* NumPy's own limit, from version 2 */

struct npy_array {
    char descr[32];          /* "<u4" */
    uint64_t n_header_bytes; /* where the elements begin */
    uint64_t item_bytes;
    int n_dimensions;
    uint64_t shape[NPY_DIMENSIONS_LIMIT];
    bool is_fortran_order;
};

/* Whether bytes begin as such a file does. */
bool npy_is_seen_in(const unsigned char *bytes, uint64_t n_bytes);

/* Reads the header and holds it against the size of the file. Says on standard error what is wrong. */
bool npy_read(const struct input *input, struct npy_array *array);

/* The key type of a 1-D array. Says on standard error why there is none, and returns 0. */
clsort_key_type npy_key_type(const struct input *input, const struct npy_array *array);

/* Number of rows, and bytes of a row, of an array in C order. Says on standard error if it is none. */
bool npy_rows(const struct input *input, const struct npy_array *array, uint64_t *n_rows, uint64_t *row_bytes);

/* Writes the header of a 1-D array. */
bool npy_write_header(struct output *output, const char *descr, uint64_t count);

/* "<u4" or "<u8", with '>' on a machine of the other byte order. */
const char *npy_index_descr(unsigned index_bytes);

#endif
