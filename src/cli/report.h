/* report.h: error lines on standard error and the exit codes of the command. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <clsort/clsort.h>

enum { EXIT_CODE_SUCCESS = 0, EXIT_CODE_FAILURE = 1, EXIT_CODE_USAGE = 2, EXIT_CODE_INTERRUPTED = 130 };

/* mingw-w64 tells the compiler here which printf its headers stand for. */
#if defined(__MINGW_PRINTF_FORMAT)
#define REPORT_FORMAT __attribute__((format(__MINGW_PRINTF_FORMAT, 1, 2)))
#elif defined(__GNUC__)
#define REPORT_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define REPORT_FORMAT
#endif

/* Prints "clsort: ..." and the end of the line. */
void report_error(const char *format, ...) REPORT_FORMAT;

/* Prints what the library says about its last failed call; a compiler's log follows its first line. */
void report_library_error(clsort_sorter *sorter, clsort_status status);

/* Says so if the user's file of tuning rows cannot be used. */
void report_tuning_file(clsort_sorter *sorter);

/* Flushes standard output; the exit code, with a line on standard error if something could not be written. */
int report_standard_output(void);

#endif
