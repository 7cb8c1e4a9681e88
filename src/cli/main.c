/* main.c: the clsort command: finds the command by its name and runs it. */
#include "commands.h"
#include "files.h"
#include "report.h"
#include "tune_trial.h"
#include "usage.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int n_arguments, char **arguments);
} commands[] = {
    {"devices", devices_command},
    {"sort", sort_command},
    {"selftest", selftest_command},
    {"tune", tune_command},
    {TUNE_TRIAL_COMMAND, tune_trial_command},
};

/* The version of the library that runs, which the shared one need not be the header's. */
static void print_version(void)
{
    uint32_t version = clsort_version();
    printf("clsort %u.%u.%u\n", (unsigned)(version / 10000), (unsigned)(version / 100 % 100),
           (unsigned)(version % 100));
}

int main(int n_arguments, char **arguments)
{
    files_start();
    if (n_arguments < 2) {
        usage_print(stderr);
        return EXIT_CODE_USAGE;
    }
    const char *name = arguments[1];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(n_arguments - 2, arguments + 2);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        usage_print(stdout);
        return report_standard_output();
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        print_version();
        return report_standard_output();
    }
    report_error("unknown %s %s ('clsort --help' lists the commands)", name[0] == '-' ? "option" : "command", name);
    return EXIT_CODE_USAGE;
}
