/* clsort-bench compare: what got faster or slower from one file of rows to another. */
#ifndef BENCHMARKS_COMPARE_H
#define BENCHMARKS_COMPARE_H

/* The arguments begin with the word "compare". The exit status. */
int compare_main(int argc, char **argv);

#endif
