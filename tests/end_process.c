/*
 * A process that gives up its sorter late or never: "destructor" in a static destructor, "exit-handler" in an exit handler
 * set before the first OpenCL call, "never", or "twice": two sorters, in the order in which they were made.
 */
#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct device device, second;
static const char *mode = "";

__attribute__((destructor)) static void destroy_in_destructor(void)
{
    if (strcmp(mode, "destructor") == 0) {
        clsort_destroy(device.sorter);
    }
}

static void destroy_in_exit_handler(void)
{
    clsort_destroy(device.sorter);
}

static int sort_once(struct device *on)
{
    struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 100, .data = {DATA_RANDOM, 1, 0}};
    char message[4096];
    if (clsort_create_default(NULL, NULL, &on->sorter) != CLSORT_SUCCESS) {
        return 2;
    }
    on->context = clsort_sorter_context(on->sorter);
    on->id = clsort_sorter_device(on->sorter);
    on->queue = make_queue(on, 0);
    if (run_sort(on, &c, message, sizeof message) != SORT_RIGHT) {
        puts(message);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        return 3;
    }
    mode = argv[1];
    if (strcmp(mode, "exit-handler") == 0 && atexit(destroy_in_exit_handler) != 0) {
        return 3;
    }
    int result = sort_once(&device);
    if (result == 0 && strcmp(mode, "twice") == 0) {
        result = sort_once(&second);
        clsort_destroy(device.sorter);
        clsort_destroy(second.sorter);
    }
    puts("sorted");
    return result;
}
