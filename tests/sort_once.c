/*
 * A process that sorts once on the device its environment names, and prints how: for tests that need a fresh process.
 * Arguments: count=N key=NAME algorithm=NAME tuning=TEXT build=OPTIONS pairs falling exact prepare no-cache repeat=N.
 */
#include "sort_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *after(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static int report(clsort_sorter *sorter, clsort_status status)
{
    char text[8192] = "";
    clsort_last_error(sorter, text, sizeof text);
    printf("status %d\n%s\n", (int)status, text);
    return 2;
}

static void print_log(void *user_data, const char *text)
{
    (void)user_data;
    printf("log %s\n", text);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 1000, .data = {DATA_RANDOM, 1, 0}};
    bool prepare = false;
    unsigned repeat = 1;
    clsort_options options;
    clsort_options_init(&options);
    options.log = print_log;
    for (int i = 1; i < argc; i++) {
        const char *value;
        if ((value = after(argv[i], "count="))) {
            c.count = strtoull(value, NULL, 10);
        } else if ((value = after(argv[i], "key="))) {
            c.key_type = clsort_key_type_from_name(value);
        } else if ((value = after(argv[i], "algorithm="))) {
            c.algorithm = value;
        } else if ((value = after(argv[i], "tuning="))) {
            options.tuning = value;
        } else if ((value = after(argv[i], "build="))) {
            options.build_options = value;
        } else if ((value = after(argv[i], "repeat="))) {
            repeat = (unsigned)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "pairs") == 0) {
            c.operation = CLSORT_PAIRS;
        } else if (strcmp(argv[i], "falling") == 0) {
            c.data.shape = DATA_DESCENDING;
        } else if (strcmp(argv[i], "exact") == 0) {
            c.exact = true;
        } else if (strcmp(argv[i], "prepare") == 0) {
            prepare = true;
        } else if (strcmp(argv[i], "no-cache") == 0) {
            options.flags |= CLSORT_NO_DISK_CACHE;
        } else {
            return report(NULL, CLSORT_INVALID_ARGUMENT);
        }
    }
    struct device device = {0};
    clsort_status status = clsort_create_default(NULL, &options, &device.sorter);
    if (status != CLSORT_SUCCESS) {
        return report(NULL, status);
    }
    device.context = clsort_sorter_context(device.sorter);
    device.id = clsort_sorter_device(device.sorter);
    device.queue = make_queue(&device, 0);
    if (prepare) {
        clsort_request request;
        clsort_request_init(&request);
        request.operation = c.operation;
        request.key_type = c.key_type;
        request.count = c.count;
        request.algorithm = c.algorithm;
        request.value_bytes = c.operation == CLSORT_PAIRS ? 4 : 0;
        status = clsort_prepare(device.sorter, &request);
        if (status != CLSORT_SUCCESS) {
            return report(device.sorter, status);
        }
    }
    static char message[16384];
    for (unsigned i = 0; i < repeat; i++) {
        if (run_sort(&device, &c, message, sizeof message) != SORT_RIGHT) {
            printf("wrong %s\n", message);
            return 1;
        }
    }
    char text[4096] = "";
    uint64_t compiled = 0, loaded = 0;
    clsort_get_info(device.sorter, NULL, CLSORT_INFO_PROGRAMS_COMPILED, sizeof compiled, &compiled, NULL);
    clsort_get_info(device.sorter, NULL, CLSORT_INFO_PROGRAMS_LOADED, sizeof loaded, &loaded, NULL);
    clsort_get_info(device.sorter, NULL, CLSORT_INFO_DEVICE_NAME, sizeof text, text, NULL);
    printf("status 0\ndevice %s\ncompiled %" PRIu64 "\nloaded %" PRIu64 "\n", text, compiled, loaded);
    clsort_get_info(device.sorter, NULL, CLSORT_INFO_CACHE_DIRECTORY, sizeof text, text, NULL);
    printf("cache %s\n", text);
    clReleaseCommandQueue(device.queue);
    clsort_destroy(device.sorter);
    return 0;
}
