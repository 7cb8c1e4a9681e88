/* Tuning rows and overrides as text: the one grammar of both, read and printed. */
#include "tuning.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const field_names[] = {
#define FIELD_NAME(field, text) #field,
    TUNING_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

/* One "name=value" of a list; texts are not terminated. */
struct pair {
    const char *name, *value;
    size_t name_length, value_length;
};

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r') {
        text++;
    }
    return text;
}

/* Takes the next pair off *text, up to a comma, a line's end or a comment. Returns 0 at the end of the line. */
static int next_pair(const char **text, struct pair *pair)
{
    const char *at = *text;
    do {
        at = skip_blanks(at);
    } while (*at == ',' && at++);
    *text = at;
    if (*at == 0 || *at == '\n' || *at == '#') {
        return 0;
    }
    const char *end = at + strcspn(at, ",\n#");
    const char *equals = memchr(at, '=', (size_t)(end - at));
    *text = end;
    while (end > at && isspace((unsigned char)end[-1])) {
        end--;
    }
    pair->name = at;
    pair->name_length = (size_t)((equals ? equals : end) - at);
    pair->value = equals ? equals + 1 : end;
    pair->value_length = (size_t)(end - pair->value);
    return 1;
}

static int name_is(const struct pair *pair, const char *name)
{
    return strlen(name) == pair->name_length && memcmp(name, pair->name, pair->name_length) == 0;
}

static clsort_status bad_pair(const struct pair *pair, const char *why, struct failure *failure)
{
    return clsort__fail(failure, CLSORT_INVALID_TUNING, "tuning: \"%.*s\": %s",
                        (int)(pair->value + pair->value_length - pair->name), pair->name, why);
}

static clsort_status parse_number(const struct pair *pair, uint32_t *number, struct failure *failure)
{
    uint32_t value = 0;
    if (pair->value_length == 0 || pair->value_length > 8) {
        return bad_pair(pair, "not a number", failure);
    }
    for (size_t i = 0; i < pair->value_length; i++) {
        if (!isdigit((unsigned char)pair->value[i])) {
            return bad_pair(pair, "not a number", failure);
        }
        value = 10 * value + (uint32_t)(pair->value[i] - '0');
    }
    *number = value;
    return CLSORT_SUCCESS;
}

static clsort_status parse_field(const struct pair *pair, struct tuning *values, uint64_t *seen,
                                 struct failure *failure)
{
    for (size_t i = 0; i < tuning_n_fields; i++) {
        if (name_is(pair, field_names[i])) {
            *seen |= (uint64_t)1 << i;
            return parse_number(pair, clsort__tuning_field(values, i), failure);
        }
    }
    return bad_pair(pair, "no such name", failure);
}

clsort_status clsort__tuning_parse_overrides(const char *text, struct tuning_user *user, struct failure *failure)
{
    struct pair pair;
    while (next_pair(&text, &pair)) {
        if (parse_field(&pair, &user->overrides, &user->overridden, failure) != CLSORT_SUCCESS) {
            return failure->status;
        }
    }
    return CLSORT_SUCCESS;
}

static clsort_status parse_glob(const struct pair *pair, const char **glob, struct failure *failure)
{
    char *copy = malloc(pair->value_length + 1);
    if (!copy) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "reading tuning rows");
    }
    memcpy(copy, pair->value, pair->value_length);
    copy[pair->value_length] = 0;
    free((char *)*glob);
    *glob = copy;
    return CLSORT_SUCCESS;
}

/* A number of bytes, or the word for keys alone. */
static clsort_status parse_value_bytes(const struct pair *pair, uint32_t *value_bytes, struct failure *failure)
{
    static const char none[] = "none";
    if (pair->value_length == sizeof none - 1 && memcmp(pair->value, none, sizeof none - 1) == 0) {
        *value_bytes = TUNING_NO_VALUES;
        return CLSORT_SUCCESS;
    }
    return parse_number(pair, value_bytes, failure);
}

/* A later version may mean something else by the same names, so nothing is guessed. */
static clsort_status parse_version(const struct pair *pair, struct failure *failure)
{
    enum { known_version = 1 };
    uint32_t version = 0;
    if (parse_number(pair, &version, failure) == CLSORT_SUCCESS && version != known_version) {
        return bad_pair(pair, "this version of clsort reads version 1", failure);
    }
    return failure->status;
}

/* Reads a condition of a row; returns whether the pair is one. */
static int parse_condition(const struct pair *pair, struct tuning_user_row *user_row, struct failure *failure)
{
    struct tuning_row *row = &user_row->row;
    if (name_is(pair, "vendor")) {
        parse_glob(pair, &row->vendor, failure);
    } else if (name_is(pair, "device")) {
        parse_glob(pair, &row->device, failure);
    } else if (name_is(pair, "driver")) {
        parse_glob(pair, &user_row->driver, failure);
    } else if (name_is(pair, "key_bytes")) {
        parse_number(pair, &row->key_bytes, failure);
    } else if (name_is(pair, "value_bytes")) {
        parse_value_bytes(pair, &row->value_bytes, failure);
    } else {
        return 0;
    }
    return 1;
}

/* Reads one line; *is_row: there was more on it than the version. */
static clsort_status parse_row(const char **text, struct tuning_user_row *row, int *is_row, struct failure *failure)
{
    struct pair pair;
    uint64_t seen = 0;
    *is_row = 0;
    row->row.type = CL_DEVICE_TYPE_ALL;
    while (failure->status == CLSORT_SUCCESS && next_pair(text, &pair)) {
        if (name_is(&pair, "version")) {
            parse_version(&pair, failure);
            continue;
        }
        *is_row = 1;
        if (!parse_condition(&pair, row, failure)) {
            parse_field(&pair, &row->row.values, &seen, failure);
        }
    }
    for (size_t i = 0; i < tuning_n_fields && *is_row; i++) {
        if (!(seen & (uint64_t)1 << i)) {
            clsort__fail(failure, CLSORT_INVALID_TUNING, "tuning: a row lacks %s", field_names[i]);
        }
    }
    return failure->status;
}

static void clear_row(struct tuning_user_row *row)
{
    free((char *)row->row.vendor);
    free((char *)row->row.device);
    free((char *)row->driver);
    memset(row, 0, sizeof *row);
}

clsort_status clsort__tuning_parse_rows(const char *text, struct tuning_user *user, struct failure *failure)
{
    for (user->line = 0; *text && failure->status == CLSORT_SUCCESS;) {
        struct tuning_user_row row = {{0}, NULL};
        int is_row;
        user->line++;
        if (parse_row(&text, &row, &is_row, failure) == CLSORT_SUCCESS && is_row) {
            struct tuning_user_row *rows = realloc(user->rows, (user->n_rows + 1) * sizeof *rows);
            if (rows) {
                rows[user->n_rows++] = row;
                user->rows = rows;
                memset(&row, 0, sizeof row);
            } else {
                clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "reading tuning rows");
            }
        }
        clear_row(&row);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return failure->status;
}

void clsort__tuning_user_clear(struct tuning_user *user)
{
    for (size_t i = 0; i < user->n_rows; i++) {
        clear_row(&user->rows[i]);
    }
    free(user->rows);
    memset(user, 0, sizeof *user);
}

void clsort__tuning_print(const struct tuning *values, char *text, size_t bytes)
{
    struct tuning copy = *values;
    size_t used = 0;
    for (size_t i = 0; i < tuning_n_fields && used < bytes; i++) {
        const int length = snprintf(text + used, bytes - used, "%s%s=%u", i ? "," : "", field_names[i],
                                    (unsigned)*clsort__tuning_field(&copy, i));
        used += (size_t)(length > 0 ? length : 0);
    }
}
