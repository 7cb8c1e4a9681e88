/* Rows from a CSV file of a bench, which says less than its JSON file. */
#ifndef BENCHMARKS_RESULTS_CSV_H
#define BENCHMARKS_RESULTS_CSV_H

#include "results.h"

/* As results_read(), for a file whose name ends in .csv: its devices have a name and nothing else. */
int results_csv_read(struct results *results, char *text, size_t text_bytes);

#endif
