/* The devices of all platforms, and the one that a description picks. */
#include "device.h"

#include "platform.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_list {
    clsort_device_info *devices; /* owned */
    size_t count;
};

static void copy_text(char *to, size_t bytes, char *text)
{
    snprintf(to, bytes, "%s", text ? text : "");
    free(text);
}

/* What cannot be asked of a device is left empty: another one may be the one that is looked for. */
static clsort_status describe(cl_platform_id platform, cl_device_id device, clsort_device_info *info,
                              struct failure *failure)
{
    struct failure of_texts[4] = {{0}};
    memset(info, 0, sizeof *info);
    info->platform = platform;
    info->device = device;
    copy_text(info->name, sizeof info->name, clsort__device_text(device, CL_DEVICE_NAME, &of_texts[0]));
    copy_text(info->vendor, sizeof info->vendor, clsort__device_text(device, CL_DEVICE_VENDOR, &of_texts[1]));
    copy_text(info->platform_name, sizeof info->platform_name,
              clsort__platform_text(platform, CL_PLATFORM_NAME, &of_texts[2]));
    copy_text(info->driver_version, sizeof info->driver_version,
              clsort__device_text(device, CL_DRIVER_VERSION, &of_texts[3]));
    for (size_t i = 0; i < sizeof of_texts / sizeof of_texts[0]; i++) {
        if (of_texts[i].status == CL_OUT_OF_HOST_MEMORY) {
            clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "listing devices");
        }
        clsort__failure_clear(&of_texts[i]);
    }
    cl_ulong global_bytes = 0, local_bytes = 0;
    cl_uint units = 0;
    size_t group_limit = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof info->type, &info->type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global_bytes, &global_bytes, NULL);
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_limit, &group_limit, NULL);
    info->global_memory_bytes = global_bytes;
    info->local_memory_bytes = local_bytes;
    info->compute_units = units;
    info->work_group_limit = (uint32_t)group_limit;
    return failure->status;
}

/* Appends the devices of one platform; one that has none or cannot be asked is left out. */
static clsort_status append_platform(struct device_list *list, cl_platform_id platform, struct failure *failure)
{
    cl_uint n_devices = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n_devices) != CL_SUCCESS || n_devices == 0) {
        return CLSORT_SUCCESS;
    }
    cl_device_id *devices = calloc(n_devices, sizeof *devices);
    clsort_device_info *grown = devices ? realloc(list->devices, (list->count + n_devices) * sizeof *grown) : NULL;
    if (!grown) {
        clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "listing devices");
        goto done;
    }
    list->devices = grown;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n_devices, devices, NULL) == CL_SUCCESS) {
        for (cl_uint i = 0; i < n_devices; i++) {
            describe(platform, devices[i], &list->devices[list->count++], failure);
        }
    }
done:
    free(devices);
    return failure->status;
}

static clsort_status list_all(struct device_list *list, struct failure *failure)
{
    cl_uint n_platforms = 0;
    enum { loader_found_none = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR of cl_khr_icd */
    const cl_int error = clGetPlatformIDs(0, NULL, &n_platforms);
    if (error != CL_SUCCESS && error != loader_found_none) {
        return clsort__check_cl(failure, error, "clGetPlatformIDs");
    }
    if (n_platforms == 0) {
        return clsort__fail(failure, CLSORT_NO_PLATFORM, "clGetPlatformIDs found none, %d", (int)error);
    }
    cl_platform_id *platforms = calloc(n_platforms, sizeof *platforms);
    if (!platforms) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "listing platforms");
    }
    clsort__check_cl(failure, clGetPlatformIDs(n_platforms, platforms, NULL), "clGetPlatformIDs");
    for (cl_uint i = 0; i < n_platforms && failure->status == CLSORT_SUCCESS; i++) {
        append_platform(list, platforms[i], failure);
    }
    free(platforms);
    return failure->status;
}

static int contains(const char *text, const char *part, size_t part_length)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < part_length && text[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (i == part_length) {
            return 1;
        }
    }
    return 0;
}

static int is_word(const char *term, size_t length, const char *word)
{
    return length == strlen(word) && contains(word, term, length);
}

static int term_holds(const char *term, size_t length, const clsort_device_info *info, size_t index)
{
    if (is_word(term, length, "gpu")) {
        return (info->type & CL_DEVICE_TYPE_GPU) != 0;
    }
    if (is_word(term, length, "cpu")) {
        return (info->type & CL_DEVICE_TYPE_CPU) != 0;
    }
    if (is_word(term, length, "accelerator")) {
        return (info->type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    }
    size_t n_digits = 0;
    while (n_digits < length && isdigit((unsigned char)term[n_digits])) {
        n_digits++;
    }
    if (n_digits == length && length < 10) {
        return strtoul(term, NULL, 10) == index;
    }
    return contains(info->name, term, length) || contains(info->vendor, term, length) ||
           contains(info->platform_name, term, length);
}

static int spec_holds(const char *spec, const clsort_device_info *info, size_t index)
{
    while (*spec) {
        spec += strspn(spec, " ,");
        size_t length = strcspn(spec, ",");
        const char *next = spec + length;
        while (length > 0 && spec[length - 1] == ' ') {
            length--;
        }
        if (length > 0 && !term_holds(spec, length, info, index)) {
            return 0;
        }
        spec = next;
    }
    return 1;
}

static int preference(cl_device_type type)
{
    return type & CL_DEVICE_TYPE_GPU ? 3 : type & CL_DEVICE_TYPE_ACCELERATOR ? 2 : type & CL_DEVICE_TYPE_CPU ? 1 : 0;
}

/* Marks the device that spec picks and returns it, NULL if none fits. */
static clsort_device_info *choose(struct device_list *list, const char *spec)
{
    clsort_device_info *best = NULL;
    for (size_t i = 0; i < list->count; i++) {
        clsort_device_info *info = &list->devices[i];
        if (spec_holds(spec, info, i) && (!best || preference(info->type) > preference(best->type))) {
            best = info;
        }
    }
    if (best) {
        best->chosen = 1;
    }
    return best;
}

static const char *spec_or_default(const char *spec)
{
    if (!spec || !*spec) {
        spec = clsort__platform_variable("CLSORT_DEVICE");
    }
    return spec ? spec : "";
}

static clsort_status no_device(const struct device_list *list, const char *spec, struct failure *failure)
{
    return clsort__fail(failure, CLSORT_NO_DEVICE, list->count ? "no device fits \"%s\"" : "no platform has a device%s",
                        list->count ? spec : "");
}

clsort_status clsort__device_select(const char *spec, cl_device_id *device, struct failure *failure)
{
    struct device_list list = {0};
    spec = spec_or_default(spec);
    if (list_all(&list, failure) == CLSORT_SUCCESS) {
        const clsort_device_info *chosen = choose(&list, spec);
        if (chosen) {
            *device = chosen->device;
        } else {
            no_device(&list, spec, failure);
        }
    }
    free(list.devices);
    return failure->status;
}

clsort_status clsort_list_devices(const char *spec, size_t capacity, clsort_device_info *devices, size_t *count)
{
    struct failure failure = {0};
    struct device_list list = {0};
    spec = spec_or_default(spec);
    if (!count || (capacity > 0 && !devices)) {
        clsort__fail(&failure, CLSORT_INVALID_ARGUMENT, "devices, count: NULL");
    } else if (list_all(&list, &failure) == CLSORT_SUCCESS) {
        if (!choose(&list, spec)) {
            no_device(&list, spec, &failure);
        }
        if (capacity > 0 && list.count > 0) {
            memcpy(devices, list.devices, (capacity < list.count ? capacity : list.count) * sizeof *devices);
        }
        *count = list.count;
    }
    free(list.devices);
    const clsort_status status = failure.status;
    if (status != CLSORT_SUCCESS) {
        clsort__failure_keep_for_thread(&failure);
    }
    clsort__failure_clear(&failure);
    return status;
}
