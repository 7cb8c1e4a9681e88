/* tune_values.h: tuning parameters by name, as the library prints and reads them. */
#ifndef CLI_TUNE_VALUES_H
#define CLI_TUNE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TUNE_VALUES_LIMIT = 64, TUNE_TEXT_LIMIT = 2048 };

struct tune_values {
    size_t n_fields;
    struct {
        char name[32];
        uint32_t number;
    } fields[TUNE_VALUES_LIMIT]; /* in the order of the library, which is that of its table of rows */
};

/* Reads "name=value,..."; false if it is something else. */
bool tune_values_read(const char *text, struct tune_values *values);

void tune_values_print(const struct tune_values *values, char text[TUNE_TEXT_LIMIT]);

/* Those that differ from base, "none" if there are none. */
void tune_values_print_changes(const struct tune_values *base, const struct tune_values *values,
                               char text[TUNE_TEXT_LIMIT]);

/* The field of that name, NULL if there is none. */
uint32_t *tune_values_at(struct tune_values *values, const char *name);

/* Its number, 0 if there is none. */
uint32_t tune_values_get(const struct tune_values *values, const char *name);

bool tune_values_are_same(const struct tune_values *left, const struct tune_values *right);

/* Lays "name=value,..." over values; false if a name is not among them or the text is something else. */
bool tune_values_lay_over(struct tune_values *values, const char *text);

#endif
