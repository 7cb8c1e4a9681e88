/* The cases of a sweep: every combination of the lists on the command line. */
#ifndef BENCHMARKS_CASES_H
#define BENCHMARKS_CASES_H

#include "case.h"
#include "options.h"

struct case_list {
    size_t length;
    struct sort_case *cases; /* their texts are the options' */
};

/* 1 on success; the caller frees the cases in both cases. */
int cases_make(struct case_list *list, const struct options *options);

/* One line that tells a case from the others. */
void case_describe(const struct sort_case *c, char *text, size_t text_bytes);

/* Bytes of all inputs read once and of all outputs written once. */
uint64_t case_moved_bytes(const struct sort_case *c);

#endif
