/* The user's file of tuning rows: where it is, and reading it. */
#include "tuning_file.h"

#include "platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *named_by_environment(void)
{
    return clsort__platform_variable("CLSORT_TUNING_FILE");
}

clsort_status clsort__tuning_file_find(const char *asked_for, struct tuning_file *file, struct failure *failure)
{
    const char *given = asked_for && *asked_for ? asked_for : named_by_environment();
    if (given) {
        file->path = clsort__platform_join(given, "");
        return file->path ? CLSORT_SUCCESS : clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_create");
    }
    char *settings;
    int failed = clsort__platform_config_directory(&settings);
    if (settings) {
        file->path = clsort__platform_join(settings, "/clsort/tuning");
        failed = !file->path;
        free(settings);
    }
    return failed ? clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_create") : CLSORT_SUCCESS;
}

/* Cuts the status behind a failure's text off, as the failure that it goes into has it too. */
static const char *without_status(struct failure *failure)
{
    char *end = failure->text ? strstr(failure->text, clsort_status_text(failure->status)) : NULL;
    if (end && end - failure->text > 2) {
        end[-2] = 0; /* " (" */
    }
    return failure->text ? failure->text : "";
}

/* Reads a file's text into rows; what is wrong with it is a failure. */
static clsort_status read_rows(const char *path, struct tuning_user *user, struct failure *failure)
{
    size_t bytes = 0;
    char *text = clsort__platform_read_file(path, &bytes);
    if (!text) {
        return clsort__fail(failure, CLSORT_INVALID_TUNING, "tuning file %s cannot be read", path);
    }
    struct failure of_row = {0};
    if (strlen(text) != bytes) {
        clsort__fail(failure, CLSORT_INVALID_TUNING, "tuning file %s is no text", path);
    } else if (clsort__tuning_parse_rows(text, user, &of_row) != CLSORT_SUCCESS) {
        clsort__fail(failure, of_row.status, "tuning file %s, line %zu: %s", path, user->line, without_status(&of_row));
    }
    clsort__failure_clear(&of_row);
    free(text);
    return failure->status;
}

clsort_status clsort__tuning_file_read(const char *asked_for, struct tuning_file *file, struct tuning_user *user,
                                       struct failure *failure)
{
    const int is_asked_for = asked_for && *asked_for;
    if (!file->path || (!is_asked_for && !named_by_environment() && !clsort__platform_exists(file->path))) {
        return CLSORT_SUCCESS;
    }
    struct tuning_user rows = {0};
    struct failure fault = {0};
    if (read_rows(file->path, &rows, &fault) == CLSORT_SUCCESS) {
        user->rows = rows.rows;
        user->n_rows = rows.n_rows;
        return CLSORT_SUCCESS;
    }
    clsort__tuning_user_clear(&rows);
    if (is_asked_for || fault.status == CL_OUT_OF_HOST_MEMORY) {
        clsort__failure_move(failure, &fault);
        return failure->status;
    }
    file->fault = fault.text;
    return CLSORT_SUCCESS;
}

void clsort__tuning_file_clear(struct tuning_file *file)
{
    free(file->path);
    free(file->fault);
    memset(file, 0, sizeof *file);
}
