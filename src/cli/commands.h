/* commands.h: the commands of clsort. Each takes what follows its name and returns the exit code. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int devices_command(int n_arguments, char **arguments);
int sort_command(int n_arguments, char **arguments);
int selftest_command(int n_arguments, char **arguments);
int tune_command(int n_arguments, char **arguments);
/* Not for users: see tune_trial.h. */
int tune_trial_command(int n_arguments, char **arguments);

#endif
