/* A device's limits and names, read once. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* Gives the text if it was read, else frees it and records why not. */
static char *read_text(char *text, cl_int error, const char *call, struct failure *failure)
{
    if (clsort__check_cl(failure, text || error != CL_SUCCESS ? error : CL_OUT_OF_HOST_MEMORY, call) ==
        CLSORT_SUCCESS) {
        return text;
    }
    free(text);
    return NULL;
}

char *clsort__device_text(cl_device_id device, cl_device_info name, struct failure *failure)
{
    size_t bytes = 0;
    if (failure->status != CLSORT_SUCCESS) {
        return NULL;
    }
    cl_int error = clGetDeviceInfo(device, name, 0, NULL, &bytes);
    char *text = error == CL_SUCCESS ? calloc(bytes + 1, 1) : NULL;
    if (text) {
        error = clGetDeviceInfo(device, name, bytes, text, NULL);
    }
    return read_text(text, error, "clGetDeviceInfo of a name", failure);
}

char *clsort__platform_text(cl_platform_id platform, cl_platform_info name, struct failure *failure)
{
    size_t bytes = 0;
    if (failure->status != CLSORT_SUCCESS) {
        return NULL;
    }
    cl_int error = clGetPlatformInfo(platform, name, 0, NULL, &bytes);
    char *text = error == CL_SUCCESS ? calloc(bytes + 1, 1) : NULL;
    if (text) {
        error = clGetPlatformInfo(platform, name, bytes, text, NULL);
    }
    return read_text(text, error, "clGetPlatformInfo of a name", failure);
}

/* PoCL up to 5.0 at least, see docs/decisions/0014; it does no harm in later ones. */
static int first_grid_is_widest(const char *platform_name)
{
    return strstr(platform_name, "Portable Computing Language") != NULL;
}

static clsort_status read_texts(cl_device_id device, struct device_caps *caps, struct failure *failure)
{
    cl_platform_id platform = NULL;
    const cl_int error = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (error != CL_SUCCESS) {
        return clsort__check_cl(failure, error, "clGetDeviceInfo(CL_DEVICE_PLATFORM)");
    }
    caps->name = clsort__device_text(device, CL_DEVICE_NAME, failure);
    caps->vendor = clsort__device_text(device, CL_DEVICE_VENDOR, failure);
    caps->version = clsort__device_text(device, CL_DEVICE_VERSION, failure);
    caps->driver_version = clsort__device_text(device, CL_DRIVER_VERSION, failure);
    caps->platform_name = clsort__platform_text(platform, CL_PLATFORM_NAME, failure);
    caps->platform_version = clsort__platform_text(platform, CL_PLATFORM_VERSION, failure);
    return failure->status;
}

static clsort_status read_limits(cl_device_id device, struct device_caps *caps, struct failure *failure)
{
    size_t item_sizes[16] = {0}, group_limit = 0;
    cl_uint dimensions = 0, units = 0, address_bits = 0;
    cl_ulong local_bytes = 0, global_bytes = 0, allocation_bytes = 0, cache_bytes = 0;
    cl_bool compiler = CL_FALSE;
    const struct {
        cl_device_info name;
        size_t bytes;
        void *value;
    } queries[] = {
        {CL_DEVICE_TYPE, sizeof caps->type, &caps->type},
        {CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof dimensions, &dimensions},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_limit, &group_limit},
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units},
        {CL_DEVICE_ADDRESS_BITS, sizeof address_bits, &address_bits},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global_bytes, &global_bytes},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache_bytes, &cache_bytes},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation_bytes, &allocation_bytes},
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        const cl_int error = clGetDeviceInfo(device, queries[i].name, queries[i].bytes, queries[i].value, NULL);
        if (error != CL_SUCCESS) {
            return clsort__fail(failure, error, "clGetDeviceInfo(0x%x) failed", (unsigned)queries[i].name);
        }
    }
    if (!compiler) {
        return clsort__fail(failure, CLSORT_DEVICE_UNSUITABLE, "%s has no OpenCL C compiler", caps->name);
    }
    if (dimensions <= sizeof item_sizes / sizeof item_sizes[0]) {
        const cl_int error =
            clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions * sizeof item_sizes[0], item_sizes, NULL);
        if (error != CL_SUCCESS) {
            return clsort__check_cl(failure, error, "clGetDeviceInfo(CL_DEVICE_MAX_WORK_ITEM_SIZES)");
        }
    }
    if (item_sizes[0] && item_sizes[0] < group_limit) {
        group_limit = item_sizes[0];
    }
    caps->group_limit = (uint32_t)(group_limit < UINT32_MAX ? group_limit : UINT32_MAX);
    caps->compute_units = units ? units : 1;
    caps->address_bits = address_bits;
    caps->local_bytes = local_bytes;
    caps->global_bytes = global_bytes;
    caps->cache_bytes = cache_bytes;
    caps->allocation_bytes = allocation_bytes;
    return CLSORT_SUCCESS;
}

clsort_status clsort__device_read(cl_device_id device, struct device_caps *caps, struct failure *failure)
{
    memset(caps, 0, sizeof *caps);
    if (read_texts(device, caps, failure) != CLSORT_SUCCESS || read_limits(device, caps, failure) != CLSORT_SUCCESS) {
        clsort__device_clear(caps);
        return failure->status;
    }
    caps->first_grid_is_widest = first_grid_is_widest(caps->platform_name);
    return CLSORT_SUCCESS;
}

void clsort__device_clear(struct device_caps *caps)
{
    free(caps->name);
    free(caps->vendor);
    free(caps->version);
    free(caps->driver_version);
    free(caps->platform_name);
    free(caps->platform_version);
    memset(caps, 0, sizeof *caps);
}
