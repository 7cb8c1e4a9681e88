/* Opens the device under test and asks what it is. */
#include "device.h"
#include <string.h>

/* A text of the sorter on one line. */
static void text_of(clsort_sorter *sorter, clsort_info info, char *text, size_t text_bytes)
{
    if (clsort_get_info(sorter, NULL, info, text_bytes, text, NULL) != CLSORT_SUCCESS)
        snprintf(text, text_bytes, "unknown");
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

static void ask_facts(struct bench_device *device)
{
    clsort_sorter *sorter = device->sorter;
    cl_device_id id = clsort_sorter_device(sorter);
    cl_device_type type = 0;
    text_of(sorter, CLSORT_INFO_DEVICE_NAME, device->name, sizeof device->name);
    text_of(sorter, CLSORT_INFO_DEVICE_VENDOR, device->vendor, sizeof device->vendor);
    text_of(sorter, CLSORT_INFO_PLATFORM_NAME, device->platform, sizeof device->platform);
    text_of(sorter, CLSORT_INFO_DRIVER_VERSION, device->driver, sizeof device->driver);
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->compute_units, &device->compute_units, NULL);
    clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device->memory_bytes, &device->memory_bytes, NULL);
    device->type = type & CL_DEVICE_TYPE_GPU           ? "gpu"
                   : type & CL_DEVICE_TYPE_CPU         ? "cpu"
                   : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                                       : "other";
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

clsort_status device_open(struct bench_device *device, const char *spec, const struct options *options, char *text,
                          size_t text_bytes)
{
    memset(device, 0, sizeof *device);
    clsort_options sorter_options;
    clsort_options_init(&sorter_options);
    sorter_options.tuning = options->tuning;
    clsort_status status = clsort_create_default(spec, &sorter_options, &device->sorter);
    if (status) {
        clsort_last_error(NULL, text, text_bytes);
        return status;
    }
    ask_facts(device);
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
    copy_free(&device->copy);
    clsort_destroy(device->phase_sorter);
    clsort_destroy(device->sorter);
}
