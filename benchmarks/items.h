/* What the items of the lists on the command line stand for: each function gives 1 and the number, or 0. */
#ifndef BENCHMARKS_ITEMS_H
#define BENCHMARKS_ITEMS_H

#include <stdint.h>

/* Above all other numbers of operations and shapes. */
#define ITEM_SEGMENTED 256

/* These two read from *p on and leave it behind the number: decimal digits; N, 2^A, 2^A+N or 2^A-N. */
int item_plain_number(const char **p, uint64_t *number);
int item_count_number(const char **p, uint64_t *number);

int item_operation(const char *item, uint64_t *number); /* clsort_operation, and ITEM_SEGMENTED if of segments */
int item_key(const char *item, uint64_t *number);       /* clsort_key_type */
int item_value(const char *item, uint64_t *number);     /* bytes */
int item_order(const char *item, uint64_t *number);     /* 1: descending */
int item_shape(const char *item, uint64_t *number);     /* enum data_shape, or ITEM_SEGMENTED and that of the keys */
int item_algorithm(const char *item, uint64_t *number); /* 0: the library chooses; else place in its list, from 1 on */
int item_flag(const char *item, uint64_t *number);      /* bit of a request's flags */

#endif
