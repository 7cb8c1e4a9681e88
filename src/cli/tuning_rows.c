/* tuning_rows.c: prints which tuning row serves each size of key and value on a device, and why. */
#include "tuning_rows.h"

#include "report.h"

#include <clsort/clsort.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    clsort_key_type key_type;
    const char *name;
} keys[] = {{CLSORT_U8, "1"}, {CLSORT_U16, "2"}, {CLSORT_U32, "4"}, {CLSORT_U64, "8"}};

/* The sizes that values have in kernels; 0: keys alone. Others are sorted as an index. */
static const uint32_t value_sizes[] = {0, 1, 2, 4, 8, 16};

enum { n_keys = sizeof keys / sizeof *keys, n_values = sizeof value_sizes / sizeof *value_sizes };

/* What a look-up says of one size of key and value. */
struct answer {
    char source[1024];
    char passed[2048];
};

static bool ask(clsort_sorter *sorter, clsort_key_type key_type, uint32_t value_bytes, struct answer *answer)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = value_bytes > 0 ? CLSORT_PAIRS : CLSORT_KEYS;
    request.key_type = key_type;
    request.value_bytes = value_bytes;
    request.count = 1;
    clsort_status status =
        clsort_get_info(sorter, &request, CLSORT_INFO_TUNING_SOURCE, sizeof answer->source, answer->source, NULL);
    if (status == CLSORT_SUCCESS)
        status =
            clsort_get_info(sorter, &request, CLSORT_INFO_TUNING_PASSED, sizeof answer->passed, answer->passed, NULL);
    if (status != CLSORT_SUCCESS)
        report_library_error(sorter, status);
    return status == CLSORT_SUCCESS;
}

static void print_lines(const char *indent, const char *lines)
{
    while (*lines != 0) {
        size_t n_line = strcspn(lines, "\n");
        printf("%s%.*s\n", indent, (int)n_line, lines);
        lines += n_line + (lines[n_line] == '\n');
    }
}

static bool is_same(const struct answer *left, const struct answer *right)
{
    return strcmp(left->source, right->source) == 0 && strcmp(left->passed, right->passed) == 0;
}

/* One line for all sizes of values in turn that are served alike. */
static bool print_key(clsort_sorter *sorter, int k)
{
    static struct answer answers[n_values];
    for (int v = 0; v < n_values; v++) {
        if (!ask(sorter, keys[k].key_type, value_sizes[v], &answers[v]))
            return false;
    }
    for (int begin = 0, end = 0; begin < n_values; begin = end) {
        char sizes[64] = "";
        for (end = begin; end < n_values && is_same(&answers[begin], &answers[end]); end++) {
            size_t n_sizes = strlen(sizes);
            if (value_sizes[end] == 0)
                snprintf(sizes + n_sizes, sizeof sizes - n_sizes, "none");
            else
                snprintf(sizes + n_sizes, sizeof sizes - n_sizes, "%s%" PRIu32, n_sizes > 0 ? " " : "",
                         value_sizes[end]);
        }
        printf("%-9s  %-16s  %s\n", keys[k].name, sizes, answers[begin].source);
        print_lines("                               ", answers[begin].passed);
    }
    return true;
}

static void print_head(clsort_sorter *sorter)
{
    char name[256] = "", vendor[256] = "", driver[256] = "", path[2048] = "", fault[2048] = "";
    clsort_get_info(sorter, NULL, CLSORT_INFO_DEVICE_NAME, sizeof name, name, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_DRIVER_VERSION, sizeof driver, driver, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_TUNING_FILE, sizeof path, path, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_TUNING_FILE_FAULT, sizeof fault, fault, NULL);
    printf("device       %s\nvendor       %s\ndriver       %s\n", name, vendor, driver);
    printf("tuning file  %s\n", path[0] != 0 ? path : "none");
    if (fault[0] != 0)
        printf("             ignored: %s\n", fault);
    printf("\nkey bytes  value bytes       row\n");
}

bool tuning_rows_print(const char *spec)
{
    clsort_sorter *sorter = NULL;
    clsort_status status = clsort_create_default(spec, NULL, &sorter);
    if (status != CLSORT_SUCCESS) {
        report_library_error(NULL, status);
        return false;
    }
    print_head(sorter);
    bool is_good = true;
    for (int k = 0; k < n_keys && is_good; k++)
        is_good = print_key(sorter, k);
    if (is_good)
        printf("\nThe first row whose conditions hold and which is legal on the device is used; "
               "docs/tuning.md explains rows.\n");
    clsort_destroy(sorter);
    return is_good;
}
