/* Making and giving up sorters. */
#include "sorter.h"

#include "loop_probe.h"
#include "platform.h"
#include "program_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clsort_options_init(clsort_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

clsort_status clsort__sorter_finish(clsort_sorter *sorter, struct failure *failure)
{
    const clsort_status status = failure->status;
    if (status == CLSORT_SUCCESS) {
        return status;
    }
    if (sorter) {
        clsort__platform_mutex_lock(sorter->mutex);
        clsort__failure_move(&sorter->failure, failure);
        clsort__platform_mutex_unlock(sorter->mutex);
    } else {
        clsort__failure_keep_for_thread(failure);
        clsort__failure_clear(failure);
    }
    return status;
}

static const char *overrides_of(const clsort_options *options)
{
    return options->tuning && *options->tuning ? options->tuning : clsort__platform_variable("CLSORT_TUNING");
}

static clsort_status read_tuning(clsort_sorter *sorter, const clsort_options *options, struct failure *failure)
{
    struct tuning_file *file = &sorter->tuning_file;
    const char *overrides = overrides_of(options);
    sorter->tuning.last_row_only = (options->flags & CLSORT_SAFE_TUNING) != 0;
    if (overrides && clsort__tuning_parse_overrides(overrides, &sorter->tuning, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    if (clsort__tuning_file_find(options->tuning_file, file, failure) != CLSORT_SUCCESS ||
        (options->flags & (CLSORT_NO_TUNING_FILE | CLSORT_SAFE_TUNING))) {
        return failure->status;
    }
    clsort__tuning_file_read(options->tuning_file, file, &sorter->tuning, failure);
    if (file->fault && options->log) {
        options->log(options->user_data, file->fault);
    }
    return failure->status;
}

/* A cache is never worth a failure. */
static void set_up_cache(struct programs *programs, const clsort_options *options)
{
    char *path = NULL;
    const char *fault = clsort__program_cache_find(options->cache_directory, &path) ? "no memory" : "the user has none";
    if (path) {
        fault = clsort__program_cache_open(path);
    }
    if (!fault) {
        programs->directory = path;
        return;
    }
    free(path);
    if (options->log) {
        char text[160];
        snprintf(text, sizeof text, "clsort: no cache directory (%s), programs are compiled in each process", fault);
        options->log(options->user_data, text);
    }
}

static clsort_status set_up_programs(clsort_sorter *sorter, const clsort_options *options, struct failure *failure)
{
    struct programs *programs = &sorter->programs;
    programs->context = sorter->context;
    programs->device = sorter->device;
    programs->caps = &sorter->caps;
    programs->log = options->log;
    programs->user_data = options->user_data;
    programs->mutex = clsort__platform_mutex_create();
    if (options->build_options) {
        const size_t bytes = strlen(options->build_options) + 1;
        programs->build_options = malloc(bytes);
        if (programs->build_options) {
            memcpy(programs->build_options, options->build_options, bytes);
        }
    }
    if (!programs->mutex || (options->build_options && !programs->build_options)) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_create");
    }
    if (!(options->flags & CLSORT_NO_DISK_CACHE)) {
        set_up_cache(programs, options);
    }
    return CLSORT_SUCCESS;
}

static clsort_status check_device(cl_context context, cl_device_id device, struct failure *failure)
{
    cl_uint n_devices = 0;
    cl_int error = clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof n_devices, &n_devices, NULL);
    if (error != CL_SUCCESS) {
        return clsort__check_cl(failure, error, "clGetContextInfo");
    }
    cl_device_id *devices = calloc(n_devices, sizeof *devices);
    int found = 0;
    if (!devices) {
        error = CL_OUT_OF_HOST_MEMORY;
    } else {
        error = clGetContextInfo(context, CL_CONTEXT_DEVICES, n_devices * sizeof *devices, devices, NULL);
        for (cl_uint i = 0; error == CL_SUCCESS && i < n_devices; i++) {
            found |= devices[i] == device;
        }
    }
    free(devices);
    if (clsort__check_cl(failure, error, "clGetContextInfo") == CLSORT_SUCCESS && !found) {
        clsort__fail(failure, CLSORT_INVALID_ARGUMENT, "device: not of the context");
    }
    return failure->status;
}

static clsort_status set_up(clsort_sorter *sorter, const clsort_options *options, struct failure *failure)
{
    sorter->options = *options;
    sorter->options.cache_directory = sorter->options.tuning = sorter->options.tuning_file = NULL;
    sorter->options.build_options = NULL;
    sorter->mutex = clsort__platform_mutex_create();
    sorter->pool.mutex = clsort__platform_mutex_create();
    sorter->pool.context = sorter->context;
    sorter->kept_events.mutex = clsort__platform_mutex_create();
    if (!sorter->mutex || !sorter->pool.mutex || !sorter->kept_events.mutex) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_create");
    }
    if (clsort__device_read(sorter->device, &sorter->caps, failure) != CLSORT_SUCCESS ||
        set_up_programs(sorter, options, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    sorter->caps.loop_limit = clsort__loop_probe_limit(&sorter->programs);
    return read_tuning(sorter, options, failure);
}

static clsort_status check_options(const clsort_options *given, clsort_options *options, struct failure *failure)
{
    clsort_options_init(options);
    if (given && given->size != sizeof *given) {
        return clsort__fail(failure, CLSORT_INVALID_OPTIONS, "options: its size field");
    }
    if (given && (given->flags & ~(uint32_t)(CLSORT_NO_DISK_CACHE | CLSORT_FORCE_64_BIT_INDEX | CLSORT_NO_TUNING_FILE |
                                             CLSORT_SAFE_TUNING))) {
        return clsort__fail(failure, CLSORT_INVALID_OPTIONS, "options: flags 0x%x", (unsigned)given->flags);
    }
    if (given) {
        *options = *given;
    }
    return CLSORT_SUCCESS;
}

static clsort_status create(cl_context context, cl_device_id device, const clsort_options *given,
                            clsort_sorter **sorter, struct failure *failure)
{
    clsort_options options;
    if (!sorter || !context || !device) {
        return clsort__fail(failure, CLSORT_INVALID_ARGUMENT, "context, device, sorter: NULL");
    }
    if (check_options(given, &options, failure) != CLSORT_SUCCESS ||
        check_device(context, device, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    clsort_sorter *made = calloc(1, sizeof *made);
    if (!made) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "clsort_create");
    }
    cl_int error = clRetainContext(context);
    if (error == CL_SUCCESS) {
        made->context = context;
        error = clRetainDevice(device);
        made->device = error == CL_SUCCESS ? device : NULL;
    }
    if (error != CL_SUCCESS) {
        clsort__check_cl(failure, error, made->context ? "clRetainDevice" : "clRetainContext");
        clsort_destroy(made);
        return failure->status;
    }
    if (set_up(made, &options, failure) != CLSORT_SUCCESS) {
        clsort_destroy(made);
        return failure->status;
    }
    *sorter = made;
    return CLSORT_SUCCESS;
}

clsort_status clsort_create(cl_context context, cl_device_id device, const clsort_options *options,
                            clsort_sorter **sorter)
{
    struct failure failure = {0};
    create(context, device, options, sorter, &failure);
    return clsort__sorter_finish(NULL, &failure);
}

clsort_status clsort_create_default(const char *spec, const clsort_options *options, clsort_sorter **sorter)
{
    struct failure failure = {0};
    cl_device_id device = NULL;
    if (clsort__device_select(spec, &device, &failure) == CLSORT_SUCCESS) {
        cl_int error;
        cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        if (clsort__check_cl(&failure, error, "clCreateContext") == CLSORT_SUCCESS) {
            create(context, device, options, sorter, &failure);
            clReleaseContext(context); /* the sorter has retained it */
        }
    }
    return clsort__sorter_finish(NULL, &failure);
}

void clsort_destroy(clsort_sorter *sorter)
{
    if (!sorter) {
        return;
    }
    if (sorter->kept_events.mutex) {
        clsort__kept_events_release(&sorter->kept_events, 1);
        clsort__platform_mutex_destroy(sorter->kept_events.mutex);
    }
    clsort__pool_clear(&sorter->pool);
    clsort__programs_clear(&sorter->programs);
    clsort__tuning_user_clear(&sorter->tuning);
    clsort__tuning_file_clear(&sorter->tuning_file);
    clsort__failure_clear(&sorter->failure);
    clsort__platform_mutex_destroy(sorter->mutex);
    clsort__device_clear(&sorter->caps);
    if (sorter->device) {
        clReleaseDevice(sorter->device);
    }
    if (sorter->context) {
        clReleaseContext(sorter->context);
    }
    free(sorter);
}

cl_context clsort_sorter_context(const clsort_sorter *sorter)
{
    return sorter ? sorter->context : NULL;
}

cl_device_id clsort_sorter_device(const clsort_sorter *sorter)
{
    return sorter ? sorter->device : NULL;
}

size_t clsort_last_error(clsort_sorter *sorter, char *text, size_t bytes)
{
    if (!sorter) {
        const char *of_thread = clsort__failure_text_of_thread();
        if (text && bytes) {
            snprintf(text, bytes, "%s", of_thread);
        }
        return strlen(of_thread) + 1;
    }
    clsort__platform_mutex_lock(sorter->mutex);
    const struct failure *failure = &sorter->failure;
    const char *of_sorter = failure->text                       ? failure->text
                            : failure->status == CLSORT_SUCCESS ? ""
                                                                : clsort_status_text(failure->status);
    const size_t needed = strlen(of_sorter) + 1;
    if (text && bytes) {
        snprintf(text, bytes, "%s", of_sorter);
    }
    clsort__platform_mutex_unlock(sorter->mutex);
    return needed;
}

clsort_status clsort_clear_cache(const clsort_options *options)
{
    struct failure failure = {0};
    char *directory;
    if (clsort__program_cache_find(options ? options->cache_directory : NULL, &directory)) {
        clsort__fail(&failure, CL_OUT_OF_HOST_MEMORY, "clsort_clear_cache");
    } else if (directory && (clsort__platform_remove_files(directory, PROGRAM_CACHE_SUFFIX) ||
                             clsort__platform_remove_files(directory, PLATFORM_PART_SUFFIX))) {
        clsort__fail(&failure, CLSORT_INVALID_ARGUMENT, "the cache %s could not be cleared", directory);
    }
    free(directory);
    return clsort__sorter_finish(NULL, &failure);
}
