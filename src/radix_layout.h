/* What the radix sorts by passes share on the host: tiles, blocks, and where each pass reads and writes. */
#ifndef CLSORT_RADIX_LAYOUT_H
#define CLSORT_RADIX_LAYOUT_H

#include "job.h"

/* Where each pass of an array reads and writes: between two places, so that the last pass ends in the output. */
struct route {
    clsort_range in, out, temporary[2];
    int in_place; /* in is out */
    int has_out;  /* 0: the last pass writes nothing and out is no place to use before */
};

/* Temporary arrays of the routes of the job's keys and values. */
uint32_t clsort__radix_key_temporaries(const struct job *job, uint32_t n_passes);
uint32_t clsort__radix_value_temporaries(const struct job *job, uint32_t n_passes);

/* Where pass number pass of n reads and writes. */
clsort_range clsort__route_source(const struct route *route, uint32_t pass, uint32_t n);
clsort_range clsort__route_destination(const struct route *route, uint32_t pass, uint32_t n);

/* An odd number of passes in place would have the first one write over what it reads: then it reads a copy. */
int clsort__route_copies_first(const struct route *route, uint32_t n);

/* Values of a digit. */
uint64_t clsort__radix_digits(const struct job *job);

/* Keys of a tile. */
uint64_t clsort__radix_tile(const struct job *job);

/* Blocks of whole tiles that the job's keys make, at most; never falls when count grows. */
uint64_t clsort__radix_whole_blocks(const struct job *job);

/* Keys of such a block. */
uint64_t clsort__radix_block(const struct job *job);

#endif
