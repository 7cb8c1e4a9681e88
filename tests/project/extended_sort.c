/*
 * Uses what the recipes of docs/extending.md add: the key type BOOL8 and tuning rows for PoCL's CPU devices. PoCL's device
 * is given the name of the argument, as versions of PoCL name it differently.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <clsort/clsort.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_KEYS 5000

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        exit(1);
    }
}

static const char *device_name;

/* Stands between the library and the ICD loader. */
cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info info, size_t bytes, void *value, size_t *needed)
{
    cl_int(CL_API_CALL * next)(cl_device_id, cl_device_info, size_t, void *, size_t *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    memcpy(&next, &symbol, sizeof symbol);
    if (info != CL_DEVICE_NAME) {
        return next(device, info, bytes, value, needed);
    }
    const size_t name_bytes = strlen(device_name) + 1;
    if (needed) {
        *needed = name_bytes;
    }
    if (value && bytes < name_bytes) {
        return CL_INVALID_VALUE;
    }
    if (value) {
        memcpy(value, device_name, name_bytes);
    }
    return CL_SUCCESS;
}

/* Stable by argsort: the positions of the zeros in order, then those of the ones. */
static void sort_booleans(clsort_sorter *sorter)
{
    static uint8_t keys[N_KEYS], sorted[N_KEYS];
    static uint32_t positions[N_KEYS];
    clsort_request request;
    uint32_t state = 1, expected = 0;
    for (int i = 0; i < N_KEYS; i++) {
        state = state * 1664525u + 1013904223u;
        keys[i] = state >> 31;
    }
    clsort_request_init(&request);
    request.operation = CLSORT_ARGSORT;
    request.key_type = CLSORT_BOOL8;
    request.count = N_KEYS;
    check(clsort_sort_host(sorter, &request, keys, sorted, NULL, positions) == CLSORT_SUCCESS, "the sort succeeds");
    int place = 0;
    for (uint8_t value = 0; value < 2; value++) {
        for (expected = 0; expected < N_KEYS; expected++) {
            if (keys[expected] == value) {
                check(sorted[place] == value && positions[place] == expected, "zeros come before ones, each in order");
                place++;
            }
        }
    }
}

static void show_tuning(clsort_sorter *sorter)
{
    char source[256], tuning[1024];
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = N_KEYS;
    check(clsort_get_info(sorter, &request, CLSORT_INFO_TUNING_SOURCE, sizeof source, source, NULL) == CLSORT_SUCCESS &&
              clsort_get_info(sorter, &request, CLSORT_INFO_TUNING, sizeof tuning, tuning, NULL) == CLSORT_SUCCESS,
          "the sorter tells its tuning");
    printf("tuning %s: %s\n", source, tuning);
}

int main(int argc, char **argv)
{
    clsort_sorter *sorter = NULL;
    check(argc == 2, "the argument is a device name");
    device_name = argv[1];
    check(clsort_key_type_from_name("bool8") == CLSORT_BOOL8, "the key type has its name");
    check(clsort_key_type_bytes(CLSORT_BOOL8) == 1, "the key type has its size");
    check(clsort_create_default("Portable Computing Language", NULL, &sorter) == CLSORT_SUCCESS,
          "there is a PoCL device");
    sort_booleans(sorter);
    show_tuning(sorter);
    clsort_destroy(sorter);
    printf("sorted %d booleans\n", N_KEYS);
    return 0;
}
