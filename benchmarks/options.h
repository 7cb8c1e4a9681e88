/* Command-line options of clsort-bench. */
#ifndef BENCHMARKS_OPTIONS_H
#define BENCHMARKS_OPTIONS_H

#include <clsort/clsort.h>
#include <stdio.h>

#define OPTIONS_ITEMS 32
#define OPTIONS_COUNTS 1024

/* One item of a list: the text as given, and the number it stands for. */
struct option_item {
    char text[32];
    uint64_t number;
};

struct option_list {
    size_t length;
    struct option_item items[OPTIONS_ITEMS];
};

struct options {
    const char *device;
    const char *tuning;
    const char *csv;
    const char *json;
    const char *note;              /* about the rows, for the JSON file */
    const char *experiment;        /* NULL unless one is asked for */
    struct option_list operations; /* clsort_operation */
    struct option_list keys;       /* clsort_key_type */
    struct option_list values;     /* bytes */
    struct option_list orders;     /* 1: descending */
    struct option_list shapes;     /* enum data_shape */
    struct option_list algorithms; /* number 0: the library chooses */
    struct option_list flags;      /* bits of a request's flags */
    size_t n_counts;
    uint64_t counts[OPTIONS_COUNTS];
    int counts_given; /* 0: they are the default */
    unsigned runs;
    unsigned tolerance; /* percent by which the library's choice may be behind */
    int promise_length; /* of segments */
    int check_choice;
    int phases;
    int verify_only;
    int help;
    int version;
};

/* Reads the arguments; 1 on success, else 0 and one line of text about the first that is wrong. */
int options_read(struct options *options, int argc, char **argv, char *text, size_t text_bytes);

/* Prints the text of --help. */
void options_print_help(FILE *file);

/* Replaces the counts by those of a list and a step, in the form of --n and --step, which has to be right. */
void options_set_counts(struct options *options, const char *counts, const char *step);

#endif
