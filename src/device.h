/* A device's limits and names, read once. */
#ifndef CLSORT_DEVICE_H
#define CLSORT_DEVICE_H

#include "status.h"

struct device_caps {
    cl_device_type type;
    char *name, *vendor, *version, *driver_version; /* owned */
    char *platform_name, *platform_version;         /* owned */
    uint32_t compute_units;
    uint32_t group_limit; /* work-items of a work-group, in the first dimension */
    uint32_t loop_limit;  /* iterations a work-item can do in all its loops together; 0: no limit; see loop_probe.h */
    int first_grid_is_widest; /* no grid of a kernel may be wider than that of its first launch, see docs/decisions/0014 */
    uint64_t local_bytes;
    uint64_t global_bytes;
    uint64_t cache_bytes;      /* of global memory, the last level; 0: not known */
    uint64_t allocation_bytes; /* of one buffer at most */
    uint32_t address_bits;
};

clsort_status clsort__device_read(cl_device_id device, struct device_caps *caps, struct failure *failure);
void clsort__device_clear(struct device_caps *caps);

/* A text of clGetDeviceInfo or clGetPlatformInfo, to be freed; NULL on failure, or if there was one before. */
char *clsort__device_text(cl_device_id device, cl_device_info name, struct failure *failure);
char *clsort__platform_text(cl_platform_id platform, cl_platform_info name, struct failure *failure);

/* The device that a description picks of all platforms, see clsort_create_default. */
clsort_status clsort__device_select(const char *spec, cl_device_id *device, struct failure *failure);

#endif
