/* Opens the device under test; reads the clock. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 199309L
#endif
#include "device.h"
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

double device_clock(void)
{
#ifdef _WIN32
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart * 1e3 / (double)rate.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
#endif
}

/* A text of the sorter without what would end a CSV field or line. */
static void field_of(clsort_sorter *sorter, clsort_info info, char *text, size_t text_bytes)
{
    if (clsort_get_info(sorter, NULL, info, text_bytes, text, NULL) != CLSORT_SUCCESS)
        snprintf(text, text_bytes, "unknown");
    for (char *p = text; *p; p++)
        if (*p == ',' || *p == '\n' || *p == '"')
            *p = ' ';
}

/* The second sorter keeps the callback out of what is timed on the first. */
static clsort_status open_phases(struct bench_device *device, clsort_options *options, char *text, size_t text_bytes)
{
    cl_context context = clsort_sorter_context(device->sorter);
    cl_device_id id = clsort_sorter_device(device->sorter);
    options->command = phases_command;
    options->user_data = &device->phases;
    clsort_status status = clsort_create(context, id, options, &device->phase_sorter);
    if (status) {
        clsort_last_error(NULL, text, text_bytes);
        return status;
    }
    device->phase_queue = clCreateCommandQueue(context, id, CL_QUEUE_PROFILING_ENABLE, &status);
    if (status)
        snprintf(text, text_bytes, "a queue with profiling: %s", clsort_status_text(status));
    return status;
}

clsort_status device_open(struct bench_device *device, const struct options *options, char *text, size_t text_bytes)
{
    memset(device, 0, sizeof *device);
    clsort_options sorter_options;
    clsort_options_init(&sorter_options);
    sorter_options.tuning = options->tuning;
    clsort_status status = clsort_create_default(options->device, &sorter_options, &device->sorter);
    if (status) {
        clsort_last_error(NULL, text, text_bytes);
        return status;
    }
    field_of(device->sorter, CLSORT_INFO_DEVICE_NAME, device->name, sizeof device->name);
    field_of(device->sorter, CLSORT_INFO_DRIVER_VERSION, device->driver, sizeof device->driver);
    device->queue =
        clCreateCommandQueue(clsort_sorter_context(device->sorter), clsort_sorter_device(device->sorter), 0, &status);
    if (status) {
        snprintf(text, text_bytes, "a queue: %s", clsort_status_text(status));
        return status;
    }
    return options->phases ? open_phases(device, &sorter_options, text, text_bytes) : CLSORT_SUCCESS;
}

void device_close(struct bench_device *device)
{
    if (device->phase_queue)
        clReleaseCommandQueue(device->phase_queue);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    phases_free(&device->phases);
    clsort_destroy(device->phase_sorter);
    clsort_destroy(device->sorter);
}
