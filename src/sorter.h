/* What a sorter owns. */
#ifndef CLSORT_SORTER_H
#define CLSORT_SORTER_H

#include "algorithm.h"
#include "pool.h"
#include "tuning_file.h"

struct clsort_sorter {
    cl_context context;  /* retained */
    cl_device_id device; /* retained */
    struct device_caps caps;
    struct tuning_user tuning;
    struct tuning_file tuning_file;
    struct programs programs;
    struct pool pool;
    struct kept_events kept_events;
    clsort_options options;       /* its texts are not kept */
    struct platform_mutex *mutex; /* over failure */
    struct failure failure;       /* of the most recent failed call */
};

/* Keeps the failure of a call for clsort_last_error, if it is one, and returns its status. sorter may be NULL. */
clsort_status clsort__sorter_finish(clsort_sorter *sorter, struct failure *failure);

/* clsort_enqueue with the failure of the call it is part of; sorter may not be NULL. In clsort.c. */
clsort_status clsort__enqueue(clsort_sorter *sorter, cl_command_queue queue, const clsort_request *request,
                              cl_uint n_events, const cl_event *events, cl_event *event, struct failure *failure);

/* ---------------------------------------------------------------------------------------------------- in request.c */

/* What of a request is checked. */
enum request_scope {
    REQUEST_KIND,   /* all but buffers: for prepare and sizes */
    REQUEST_BUFFERS /* all */
};

/* Checks a request by field and makes a job of it, without sequence and workspace. */
clsort_status clsort__request_resolve(clsort_sorter *sorter, const clsort_request *request, enum request_scope scope,
                                      struct job *job, struct failure *failure);

/* Copies a request of this or an older version of the header. */
clsort_status clsort__request_read(const clsort_request *from, clsort_request *request, struct failure *failure);

/* The sizes that a request is tuned by. */
struct tuning_use clsort__request_tuning_use(const struct job *job);

/* The tuning of a request's key and value size. */
clsort_status clsort__request_tuning(clsort_sorter *sorter, const struct job *job, struct tuning_choice *choice,
                                     struct failure *failure);

#endif
