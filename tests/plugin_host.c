/*
 * A process that loads the library, sorts and unloads it again, several times, as programs do with plug-ins that use it. The OpenCL
 * loader is the program's own and stays. Argument: the library's file.
 */
#include <CL/cl.h>
#include <clsort/clsort.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { N_LOADS = 3 };

/* The address of a function is no object pointer in C, but POSIX lets one be read as the other. */
#define LOAD(function, library, name)                                                                                  \
    do {                                                                                                               \
        void *symbol = dlsym(library, name);                                                                           \
        memcpy(&(function), &symbol, sizeof symbol);                                                                   \
    } while (0)

static int load_and_sort(const char *path)
{
    void (*request_init)(clsort_request *);
    clsort_status (*sort_host)(clsort_sorter *, const clsort_request *, const void *, void *, const void *, void *);
    uint32_t keys[5] = {1000, 7, 42, 0, 23};
    static const uint32_t sorted[5] = {0, 7, 23, 42, 1000};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    LOAD(request_init, library, "clsort_request_init");
    LOAD(sort_host, library, "clsort_sort_host");
    clsort_request request;
    request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = 5;
    const clsort_status status = sort_host(NULL, &request, keys, keys, NULL, NULL);
    if (status != CLSORT_SUCCESS || memcmp(keys, sorted, sizeof keys) != 0) {
        printf("status %d\n", (int)status);
        return 1;
    }
    if (dlclose(library) != 0 || dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
        puts("the library is still there");
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    cl_uint n_platforms = 0;
    if (argc != 2 || clGetPlatformIDs(0, NULL, &n_platforms) != CL_SUCCESS || n_platforms == 0) {
        return 3;
    }
    for (int i = 0; i < N_LOADS; i++) {
        if (load_and_sort(argv[1])) {
            return 1;
        }
    }
    puts("sorted");
    return 0;
}
