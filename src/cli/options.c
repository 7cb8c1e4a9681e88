/* options.c: reads the options and operands of a command from its arguments. */
#include "options.h"

#include "report.h"

#include <string.h>

struct reader {
    const struct option_set *set;
    char **arguments;
    int n_arguments;
    int next;
    size_t n_operands;
};

static bool report_usage(const struct reader *reader, const char *what, const char *argument)
{
    const char *command = reader->set->command;
    report_error("%s: %s %s ('clsort %s --help' lists the options)", command, what, argument, command);
    return false;
}

static const struct option *find_by_name(const struct option_set *set, const char *name, size_t n_name)
{
    for (size_t i = 0; i < set->n_options; i++) {
        if (strlen(set->options[i].name) == n_name && memcmp(set->options[i].name, name, n_name) == 0)
            return &set->options[i];
    }
    return NULL;
}

static const struct option *find_by_letter(const struct option_set *set, char letter)
{
    for (size_t i = 0; i < set->n_options; i++) {
        if (set->options[i].letter == letter && letter != 0)
            return &set->options[i];
    }
    return NULL;
}

/* text is what follows the option in the same argument, NULL if nothing does. */
static bool set_option(struct reader *reader, const struct option *option, const char *text, const char *argument)
{
    if (option->kind == OPTION_SWITCH) {
        if (text != NULL)
            return report_usage(reader, "this option takes nothing:", argument);
        *(bool *)option->target = true;
        return true;
    }
    if (text == NULL) {
        if (reader->next == reader->n_arguments)
            return report_usage(reader, "something has to follow", argument);
        text = reader->arguments[reader->next++];
    }
    *(const char **)option->target = text;
    return true;
}

static bool read_long(struct reader *reader, const char *argument)
{
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    size_t n_name = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct option *option = find_by_name(reader->set, name, n_name);
    if (option == NULL)
        return report_usage(reader, "unknown option", argument);
    return set_option(reader, option, equals != NULL ? equals + 1 : NULL, argument);
}

static bool read_short(struct reader *reader, const char *argument)
{
    const struct option *option = find_by_letter(reader->set, argument[1]);
    if (option == NULL)
        return report_usage(reader, "unknown option", argument);
    return set_option(reader, option, argument[2] != 0 ? argument + 2 : NULL, argument);
}

static bool read_operand(struct reader *reader, const char *argument)
{
    if (reader->n_operands == reader->set->n_operands_limit)
        return report_usage(reader, "one argument too many:", argument);
    reader->set->operands[reader->n_operands++] = argument;
    return true;
}

bool options_read(const struct option_set *set, int n_arguments, char **arguments)
{
    struct reader reader = {.set = set, .arguments = arguments, .n_arguments = n_arguments};
    bool options_end = false;
    while (reader.next < n_arguments) {
        const char *argument = arguments[reader.next++];
        bool is_good = true;
        if (options_end || argument[0] != '-' || argument[1] == 0)
            is_good = read_operand(&reader, argument);
        else if (strcmp(argument, "--") == 0)
            options_end = true;
        else if (argument[1] == '-')
            is_good = read_long(&reader, argument);
        else
            is_good = read_short(&reader, argument);
        if (!is_good)
            return false;
    }
    return true;
}

bool options_number(const char *text, uint64_t limit, uint64_t *number)
{
    *number = 0;
    if (*text == 0)
        return false;
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (*number > (limit - digit) / 10 || digit > limit)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}
