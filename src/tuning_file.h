/* The user's file of tuning rows: where it is, and reading it. */
#ifndef CLSORT_TUNING_FILE_H
#define CLSORT_TUNING_FILE_H

#include "tuning.h"

/* Set up with {0}; free with clsort__tuning_file_clear. */
struct tuning_file {
    char *path;  /* where it is, or would be; NULL: nowhere */
    char *fault; /* why it is not used; NULL: it is, or there is none */
};

/* Finds the file: the one asked for, else $CLSORT_TUNING_FILE, else clsort/tuning in the user's folder of settings. The
   environment of a privileged process is not looked at. */
clsort_status clsort__tuning_file_find(const char *asked_for, struct tuning_file *file, struct failure *failure);

/* Reads its rows into user. One that was asked for has to be good. Of any other a fault is kept in file and no row is taken;
   it need not exist where $CLSORT_TUNING_FILE does not name it. */
clsort_status clsort__tuning_file_read(const char *asked_for, struct tuning_file *file, struct tuning_user *user,
                                       struct failure *failure);

void clsort__tuning_file_clear(struct tuning_file *file);

#endif
