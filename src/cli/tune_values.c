/* tune_values.c: tuning parameters by name, as the library prints and reads them. */
#include "tune_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reads "name=number" of n_pair characters. */
static bool read_pair(const char *pair, size_t n_pair, char name[32], uint32_t *number)
{
    const char *equals = memchr(pair, '=', n_pair);
    size_t n_name = equals != NULL ? (size_t)(equals - pair) : 0;
    if (n_name == 0 || n_name >= 32 || n_name + 1 == n_pair)
        return false;
    memcpy(name, pair, n_name);
    name[n_name] = 0;
    uint64_t sum = 0;
    for (const char *p = equals + 1; p < pair + n_pair; p++) {
        if (*p < '0' || *p > '9' || sum > UINT32_MAX / 10)
            return false;
        sum = 10 * sum + (uint64_t)(*p - '0');
    }
    *number = (uint32_t)sum;
    return sum <= UINT32_MAX;
}

bool tune_values_read(const char *text, struct tune_values *values)
{
    values->n_fields = 0;
    while (*text != 0) {
        size_t n_pair = strcspn(text, ","), i = values->n_fields;
        if (i == TUNE_VALUES_LIMIT || !read_pair(text, n_pair, values->fields[i].name, &values->fields[i].number))
            return false;
        values->n_fields++;
        text += n_pair + (text[n_pair] == ',');
    }
    return values->n_fields > 0;
}

bool tune_values_lay_over(struct tune_values *values, const char *text)
{
    struct tune_values over;
    if (!tune_values_read(text, &over))
        return false;
    for (size_t i = 0; i < over.n_fields; i++) {
        uint32_t *number = tune_values_at(values, over.fields[i].name);
        if (number == NULL)
            return false;
        *number = over.fields[i].number;
    }
    return true;
}

static void append_pair(char text[TUNE_TEXT_LIMIT], const char *name, uint32_t number)
{
    size_t n_text = strlen(text);
    snprintf(text + n_text, TUNE_TEXT_LIMIT - n_text, "%s%s=%" PRIu32, n_text > 0 ? "," : "", name, number);
}

void tune_values_print(const struct tune_values *values, char text[TUNE_TEXT_LIMIT])
{
    text[0] = 0;
    for (size_t i = 0; i < values->n_fields; i++)
        append_pair(text, values->fields[i].name, values->fields[i].number);
}

void tune_values_print_changes(const struct tune_values *base, const struct tune_values *values,
                               char text[TUNE_TEXT_LIMIT])
{
    text[0] = 0;
    for (size_t i = 0; i < values->n_fields; i++) {
        if (values->fields[i].number != tune_values_get(base, values->fields[i].name))
            append_pair(text, values->fields[i].name, values->fields[i].number);
    }
    if (text[0] == 0)
        snprintf(text, TUNE_TEXT_LIMIT, "none");
}

uint32_t *tune_values_at(struct tune_values *values, const char *name)
{
    for (size_t i = 0; i < values->n_fields; i++) {
        if (strcmp(values->fields[i].name, name) == 0)
            return &values->fields[i].number;
    }
    return NULL;
}

uint32_t tune_values_get(const struct tune_values *values, const char *name)
{
    for (size_t i = 0; i < values->n_fields; i++) {
        if (strcmp(values->fields[i].name, name) == 0)
            return values->fields[i].number;
    }
    return 0;
}

bool tune_values_are_same(const struct tune_values *left, const struct tune_values *right)
{
    for (size_t i = 0; i < left->n_fields; i++) {
        if (left->fields[i].number != right->fields[i].number)
            return false;
    }
    return left->n_fields == right->n_fields;
}
