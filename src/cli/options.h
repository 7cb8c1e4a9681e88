/* options.h: reads the options and operands of a command from its arguments. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind { OPTION_SWITCH, OPTION_TEXT };

struct option {
    const char *name; /* without the dashes */
    char letter;      /* of its short form, 0 if it has none */
    enum option_kind kind;
    void *target; /* bool of a switch, const char * of a text */
};

struct option_set {
    const char *command; /* as messages call it */
    const struct option *options;
    size_t n_options;
    const char **operands; /* receives what is no option */
    size_t n_operands_limit;
};

/*
 * Reads "--name", "--name text", "--name=text", "-l text", "-ltext"; "--" ends the options. Of an option that is given
 * twice the last one holds. Says on standard error what is wrong.
 */
bool options_read(const struct option_set *set, int n_arguments, char **arguments);

/* A decimal number up to limit. */
bool options_number(const char *text, uint64_t limit, uint64_t *number);

#endif
