/* tune_file.h: writes what the tuner found: into the user's file of tuning rows, and as rows of the built-in table. */
#ifndef CLI_TUNE_FILE_H
#define CLI_TUNE_FILE_H

#include "tune_search.h"

/* Puts the row of a case into the file at path, in the place of an earlier one for the same device, driver and sizes; all
   else in the file stays. The file is replaced as a whole. Says on standard error what failed. */
bool tune_file_store(const char *path, const struct tune_model *model, const struct tune_case *c);

/* Prints the case's row as the table of built-in rows has them. */
void tune_file_print_row(const struct tune_model *model, const struct tune_case *c);

#endif
