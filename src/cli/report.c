/* report.c: error lines on standard error. */
#include "report.h"

#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void report_error(const char *format, ...)
{
    progress_clear();
    fputs("clsort: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void report_library_error(clsort_sorter *sorter, clsort_status status)
{
    size_t n_bytes = clsort_last_error(sorter, NULL, 0);
    char *text = n_bytes > 1 ? malloc(n_bytes) : NULL;
    if (text != NULL) {
        clsort_last_error(sorter, text, n_bytes);
        report_error("%s", text);
    } else {
        report_error("%s", clsort_status_text(status));
    }
    free(text);
}

void report_tuning_file(clsort_sorter *sorter)
{
    char text[2048];
    if (clsort_get_info(sorter, NULL, CLSORT_INFO_TUNING_FILE_FAULT, sizeof text, text, NULL) == CLSORT_SUCCESS &&
        text[0])
        report_error("%s; the file is ignored", text);
}

int report_standard_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_CODE_SUCCESS;
    report_error("standard output: cannot be written");
    return EXIT_CODE_FAILURE;
}
