/* tune_file.c: writes what the tuner found: into the user's file of tuning rows, and as rows of the built-in table. */
#include "tune_file.h"

#include "files.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { n_name_limit = 300, n_condition_limit = 1200, n_line_limit = 4096 };

/* A line of the file that tells of the row below it, and goes when that does. */
static const char comment_mark[] = "# tuned: ";

static const char version_line[] = "version=1";

/* A name as a glob that a row can hold: what has a meaning there stands for itself by a question mark. Blanks around it are
   left out, as the look-up does. */
static void glob_of(const char *name, char glob[n_name_limit])
{
    size_t n = 0;
    while (*name == ' ')
        name++;
    for (; *name != 0 && n + 1 < n_name_limit; name++) {
        bool has_meaning = strchr(",#*?\"\\", *name) != NULL || (unsigned char)*name < ' ';
        glob[n++] = *name;
        if (has_meaning)
            glob[n - 1] = '?';
    }
    while (n > 0 && glob[n - 1] == ' ')
        n--;
    glob[n] = 0;
}

/* For the table the version of LLVM is left out of a name, as Mesa's names change with every release. */
static void lasting_glob_of(const char *name, char glob[n_name_limit])
{
    glob_of(name, glob);
    char *version = strstr(glob, "LLVM");
    if (version == NULL)
        return;
    while (version > glob && strchr(" (?,", version[-1]) != NULL)
        version--;
    snprintf(version, n_name_limit - (size_t)(version - glob), "*");
}

static void print_conditions(const struct tune_model *model, const struct tune_case *c, char text[n_condition_limit])
{
    char vendor[n_name_limit], device[n_name_limit], driver[n_name_limit], value_bytes[16] = "none";
    glob_of(model->vendor, vendor);
    glob_of(model->name, device);
    glob_of(model->driver, driver);
    if (c->value_bytes > 0)
        snprintf(value_bytes, sizeof value_bytes, "%" PRIu32, c->value_bytes);
    snprintf(text, n_condition_limit, "vendor=%s,device=%s,driver=%s,key_bytes=%u,value_bytes=%s,", vendor, device,
             driver, c->info->n_bytes, value_bytes);
}

static void print_date(char date[16])
{
    time_t now = time(NULL);
    struct tm *parts = gmtime(&now);
    if (parts == NULL || strftime(date, 16, "%Y-%m-%d", parts) == 0)
        snprintf(date, 16, "-");
}

/* Device, driver, date and rate, in one line. */
static void print_measured(const struct tune_model *model, const struct tune_case *c, char text[n_line_limit])
{
    char name[n_name_limit], driver[n_name_limit], date[16], sort[64];
    glob_of(model->name, name);
    glob_of(model->driver, driver);
    print_date(date);
    tune_case_name(c->info, c->value_bytes, sort, sizeof sort);
    snprintf(text, n_line_limit,
             "%s, driver %s, %s: %" PRIu64
             " %s at %.4g Gkeys/s (row before: %.4g), %.3g to %.3g times as fast over all counts",
             name, driver, date, c->rate_count, sort, c->rate * 1e-9, c->built_in_rate * 1e-9, 1.0 / c->slowest_ratio,
             1.0 / c->fastest_ratio);
}

void tune_file_print_row(const struct tune_model *model, const struct tune_case *c)
{
    static char measured[n_line_limit];
    char vendor[n_name_limit], device[n_name_limit], value_bytes[32] = "TUNING_NO_VALUES";
    lasting_glob_of(model->vendor, vendor);
    lasting_glob_of(model->name, device);
    print_measured(model, c, measured);
    if (c->value_bytes > 0)
        snprintf(value_bytes, sizeof value_bytes, "%" PRIu32, c->value_bytes);
    printf("/* %s. */\n", measured);
    printf("{\"%s\", \"%s\", %s, %u, %s, {", vendor, device,
           model->type & CL_DEVICE_TYPE_GPU           ? "CL_DEVICE_TYPE_GPU"
           : model->type & CL_DEVICE_TYPE_CPU         ? "CL_DEVICE_TYPE_CPU"
           : model->type & CL_DEVICE_TYPE_ACCELERATOR ? "CL_DEVICE_TYPE_ACCELERATOR"
                                                      : "CL_DEVICE_TYPE_ALL",
           c->info->n_bytes, value_bytes);
    for (size_t i = 0; i < c->best.n_fields; i++)
        printf("%s%" PRIu32, i > 0 ? ", " : "", c->best.fields[i].number);
    printf("}},\n");
}

/* ----------------------------------------------------------------------------------------------------- the file */

/* What is put into a file. */
struct addition {
    const char *conditions, *comment, *values;
};

static void write_addition(const struct addition *addition, FILE *to)
{
    fprintf(to, "%s%s\n%s%s\n", comment_mark, addition->comment, addition->conditions, addition->values);
}

static bool has_version(FILE *from)
{
    static char line[n_line_limit];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, from) != NULL)
        is_found = strncmp(line, version_line, sizeof version_line - 1) == 0;
    rewind(from);
    return is_found;
}

/* Copies the lines of the old file but for the row with these conditions and its comment. The new one goes before all rows,
   as one for more devices may be among them. */
static bool copy_file(FILE *from, const struct addition *addition, FILE *to)
{
    static char line[n_line_limit], comment[n_line_limit];
    bool is_added = !has_version(from);
    comment[0] = 0;
    if (is_added)
        write_addition(addition, to);
    while (fgets(line, sizeof line, from) != NULL) {
        if (strncmp(line, comment_mark, sizeof comment_mark - 1) == 0) {
            fputs(comment, to);
            snprintf(comment, sizeof comment, "%s", line);
            continue;
        }
        if (strncmp(line, addition->conditions, strlen(addition->conditions)) != 0) {
            fputs(comment, to);
            fputs(line, to);
            if (strchr(line, '\n') == NULL && feof(from))
                fputc('\n', to);
        }
        comment[0] = 0;
        if (!is_added && strncmp(line, version_line, sizeof version_line - 1) == 0) {
            write_addition(addition, to);
            is_added = true;
        }
    }
    fputs(comment, to);
    return !ferror(from);
}

static bool write_file(const char *path, const struct addition *addition, FILE *to)
{
    FILE *from = fopen(path, "r");
    bool is_good = from != NULL || errno == ENOENT;
    if (from != NULL) {
        is_good = copy_file(from, addition, to);
        fclose(from);
    } else {
        fputs("# Tuning rows of clsort, of which the first that applies is used. 'clsort tune' adds to them.\n", to);
        fprintf(to, "%s\n", version_line);
        write_addition(addition, to);
    }
    return is_good && file_sync(to) && !ferror(to);
}

bool tune_file_store(const char *path, const struct tune_model *model, const struct tune_case *c)
{
    static char comment[n_line_limit];
    char conditions[n_condition_limit], values[TUNE_TEXT_LIMIT], *temporary = NULL;
    const struct addition addition = {conditions, comment, values};
    print_conditions(model, c, conditions);
    print_measured(model, c, comment);
    tune_values_print(&c->best, values);
    char *target = file_resolve(path); /* a link stays one */
    FILE *to = target != NULL && folder_create_for(target) ? file_create_beside(target, &temporary) : NULL;
    bool is_good = to != NULL && write_file(target, &addition, to);
    if (to != NULL)
        is_good = fclose(to) == 0 && is_good;
    is_good = is_good && file_replace(temporary, target);
    if (!is_good) {
        report_error("tune: %s: %s", path, strerror(errno));
        if (temporary != NULL)
            file_remove(temporary);
    }
    free(temporary);
    free(target);
    return is_good;
}
