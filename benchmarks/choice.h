/* Whether the algorithm that the library chooses is the best one that a request can have. */
#ifndef BENCHMARKS_CHOICE_H
#define BENCHMARKS_CHOICE_H

#include "bench.h"

/* Goes through the cases of the options on the open device and counts in bench->beaten where another algorithm was
   better by more than the tolerance. 1 on success, 0 if there is no memory for the cases. */
int choice_check(struct bench *bench);

#endif
