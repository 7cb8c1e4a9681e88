/* Texts of statuses, the record of the first failure of a call, and how commands ended. */
#ifndef CLSORT_STATUS_H
#define CLSORT_STATUS_H

#include "clsort/clsort.h"

/* The first thing that went wrong in a call. Set up with {0}; free with clsort__failure_clear. */
struct failure {
    clsort_status status;
    char *text; /* owned; NULL if there was no memory for it */
};

#ifdef __MINGW32__
#define CLSORT_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define CLSORT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLSORT_PRINTF(text, first)
#endif

/* Records a failure unless there is one already, and returns the status that is recorded. The text gets the status's own
   text behind it. */
clsort_status clsort__fail(struct failure *failure, clsort_status status, const char *format, ...) CLSORT_PRINTF(3, 4);

/* Records a failure of an OpenCL call by the call's name, unless error is CL_SUCCESS. */
clsort_status clsort__check_cl(struct failure *failure, cl_int error, const char *call);

void clsort__failure_clear(struct failure *failure);

/* Whether a command has ended, by an error too. */
int clsort__event_is_complete(cl_event event);

/* Puts one failure in the place of another, which is cleared; from is left empty. */
void clsort__failure_move(struct failure *to, struct failure *from);

/* This thread's failure of calls that have no sorter. */
void clsort__failure_keep_for_thread(struct failure *failure);
const char *clsort__failure_text_of_thread(void);

#endif
