/* Other processes: starts a program of the tests with a changed environment and reads what it prints. */
#ifndef TESTS_PROCESS_H
#define TESTS_PROCESS_H

#include <stddef.h>

#define PROCESS_OUTPUT_BYTES 16384

struct process_result {
    int exit_code; /* 128 + the signal's number if one ended the process */
    char output[PROCESS_OUTPUT_BYTES];
};

/*
 * Runs a program of this executable's folder to its end. environment: "NAME=value" adds or changes, "NAME" removes;
 * arguments: without the program itself; both end with NULL and may be NULL. Standard output and error are read together.
 */
struct process_result run_process(const char *program, const char *const *environment, const char *const *arguments);
/* The same program n times at once. */
void run_processes(const char *program, const char *const *environment, const char *const *arguments, size_t n,
                   struct process_result *results);

/* The number behind "name " at the start of a line of the output, -1 if there is none. */
long output_number(const struct process_result *result, const char *name);

/* A new, empty folder below $TMPDIR or /tmp with this in its name; removed with all in it by remove_directory. */
char *make_directory(const char *name);
void remove_directory(char *path);
/* Number of files in a folder and those below it. */
size_t count_files(const char *path);

#endif
