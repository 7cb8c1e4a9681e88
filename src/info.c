/* Answers of clsort_get_info. */
#include "sorter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an answer goes. */
struct answer {
    size_t bytes;
    void *value;
    size_t *needed;
};

static clsort_status give(const struct answer *answer, const void *content, size_t bytes, struct failure *failure)
{
    if (answer->value && answer->bytes < bytes) {
        return clsort__fail(failure, CLSORT_INVALID_ARGUMENT, "value_bytes: %llu where %llu are needed",
                            (unsigned long long)answer->bytes, (unsigned long long)bytes);
    }
    if (answer->value) {
        memcpy(answer->value, content, bytes);
    }
    if (answer->needed) {
        *answer->needed = bytes;
    }
    return CLSORT_SUCCESS;
}

static clsort_status give_text(const struct answer *answer, const char *text, struct failure *failure)
{
    return give(answer, text, strlen(text) + 1, failure);
}

static clsort_status give_number(const struct answer *answer, uint64_t number, struct failure *failure)
{
    return give(answer, &number, sizeof number, failure);
}

static clsort_status give_kernel_runs(clsort_sorter *sorter, const struct answer *answer, struct failure *failure)
{
    char *text = clsort__programs_kernel_runs(&sorter->programs);
    if (!text) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_get_info");
    }
    give_text(answer, text, failure);
    free(text);
    return failure->status;
}

static clsort_status of_sorter(clsort_sorter *sorter, clsort_info info, const struct answer *answer,
                               struct failure *failure)
{
    struct programs *programs = &sorter->programs;
    uint64_t n_compiled, n_loaded;
    clsort__programs_counts(programs, &n_compiled, &n_loaded);
    switch (info) {
    case CLSORT_INFO_DEVICE_NAME:
        return give_text(answer, sorter->caps.name, failure);
    case CLSORT_INFO_DEVICE_VENDOR:
        return give_text(answer, sorter->caps.vendor, failure);
    case CLSORT_INFO_PLATFORM_NAME:
        return give_text(answer, sorter->caps.platform_name, failure);
    case CLSORT_INFO_DRIVER_VERSION:
        return give_text(answer, sorter->caps.driver_version, failure);
    case CLSORT_INFO_CACHE_DIRECTORY:
        return give_text(answer, programs->directory ? programs->directory : "", failure);
    case CLSORT_INFO_PROGRAMS_COMPILED:
        return give_number(answer, n_compiled, failure);
    case CLSORT_INFO_PROGRAMS_LOADED:
        return give_number(answer, n_loaded, failure);
    case CLSORT_INFO_KERNEL_RUNS:
        return give_kernel_runs(sorter, answer, failure);
    case CLSORT_INFO_POOL_BYTES:
        return give_number(answer, clsort__pool_bytes(&sorter->pool), failure);
    case CLSORT_INFO_TUNING_FILE:
        return give_text(answer, sorter->tuning_file.path ? sorter->tuning_file.path : "", failure);
    case CLSORT_INFO_TUNING_FILE_FAULT:
        return give_text(answer, sorter->tuning_file.fault ? sorter->tuning_file.fault : "", failure);
    default:
        return clsort__fail(failure, CLSORT_INVALID_ARGUMENT, "info: %d", (int)info);
    }
}

/* Which row, and of which file; how the row's text alone is made is the tuning's matter. */
static clsort_status give_source(const clsort_sorter *sorter, const struct tuning_choice *choice,
                                 const struct answer *answer, struct failure *failure)
{
    char text[1024];
    clsort__tuning_print_source(choice, text, sizeof text);
    if (choice->is_of_user && sorter->tuning_file.path) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, ", file %s", sorter->tuning_file.path);
    }
    return give_text(answer, text, failure);
}

static clsort_status of_request(clsort_sorter *sorter, const clsort_request *request, clsort_info info,
                                const struct answer *answer, struct failure *failure)
{
    struct job job;
    struct method method;
    struct tuning_choice choice;
    if (clsort__request_resolve(sorter, request, REQUEST_KIND, &job, failure) != CLSORT_SUCCESS ||
        clsort__method_choose(&job, request->algorithm, &method, failure) != CLSORT_SUCCESS ||
        clsort__request_tuning(sorter, &job, &choice, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    const struct tuning_use use = clsort__request_tuning_use(&job);
    char text[2048];
    uint64_t least, best;
    switch (info) {
    case CLSORT_INFO_ALGORITHM:
        return give_text(answer, method.algorithm->name, failure);
    case CLSORT_INFO_TUNING:
        clsort__tuning_print(&choice.values, text, sizeof text);
        return give_text(answer, text, failure);
    case CLSORT_INFO_TUNING_SOURCE:
        return give_source(sorter, &choice, answer, failure);
    case CLSORT_INFO_TUNING_ROW:
        clsort__tuning_print(&choice.row_values, text, sizeof text);
        return give_text(answer, text, failure);
    case CLSORT_INFO_TUNING_PASSED:
        clsort__tuning_print_passed(&sorter->caps, &sorter->tuning, &use, &choice, text, sizeof text);
        return give_text(answer, text, failure);
    case CLSORT_INFO_WORKSPACE_LEAST:
    case CLSORT_INFO_WORKSPACE_BEST:
        clsort__method_workspaces(&job, request->algorithm, &least, &best);
        return give_number(answer, info == CLSORT_INFO_WORKSPACE_LEAST ? least : best, failure);
    default:
        return clsort__fail(failure, CLSORT_INVALID_ARGUMENT, "info: %d", (int)info);
    }
}

clsort_status clsort_get_info(clsort_sorter *sorter, const clsort_request *request, clsort_info info,
                              size_t value_bytes, void *value, size_t *value_bytes_needed)
{
    struct failure failure = {0};
    const struct answer answer = {value_bytes, value, value_bytes_needed};
    if (!sorter) {
        clsort__fail(&failure, CLSORT_INVALID_SORTER, "sorter: NULL");
    } else if (info < CLSORT_INFO_ALGORITHM) {
        of_sorter(sorter, info, &answer, &failure);
    } else {
        of_request(sorter, request, info, &answer, &failure);
    }
    return clsort__sorter_finish(sorter, &failure);
}
