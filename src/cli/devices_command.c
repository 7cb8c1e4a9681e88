/* devices_command.c: clsort devices: a table of the devices, and which one would be used and why. */
#include "commands.h"
#include "options.h"
#include "report.h"
#include "tuning_rows.h"
#include "usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n_columns = 8, n_cell_bytes = 128 };

static const char *const titles[n_columns] = {"", "index", "type", "name", "platform", "driver", "memory", "units"};

struct row {
    char cells[n_columns][n_cell_bytes];
};

static const char *type_text(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return "gpu";
    if (type & CL_DEVICE_TYPE_CPU)
        return "cpu";
    return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
}

static void fill_row(struct row *row, size_t index, const clsort_device_info *device)
{
    const double gibibyte = 1024.0 * 1024.0 * 1024.0;
    snprintf(row->cells[0], n_cell_bytes, "%s", device->chosen ? "*" : "");
    snprintf(row->cells[1], n_cell_bytes, "%u", (unsigned)index);
    snprintf(row->cells[2], n_cell_bytes, "%s", type_text(device->type));
    snprintf(row->cells[3], n_cell_bytes, "%s", device->name);
    snprintf(row->cells[4], n_cell_bytes, "%s", device->platform_name);
    snprintf(row->cells[5], n_cell_bytes, "%s", device->driver_version);
    snprintf(row->cells[6], n_cell_bytes, "%.1f GiB", (double)device->global_memory_bytes / gibibyte);
    snprintf(row->cells[7], n_cell_bytes, "%" PRIu32, device->compute_units);
}

static void print_row(const struct row *row, const size_t *widths)
{
    for (int i = 0; i < n_columns; i++)
        printf("%-*s%s", (int)(i + 1 < n_columns ? widths[i] : 0), row->cells[i], i + 1 < n_columns ? "  " : "\n");
}

static bool print_table(const clsort_device_info *devices, size_t n_devices)
{
    size_t widths[n_columns] = {1}; /* the first column is as wide as the star that may be in it */
    struct row *rows = calloc(n_devices + 1, sizeof *rows);
    if (rows == NULL)
        return false;
    for (int i = 0; i < n_columns; i++)
        snprintf(rows[0].cells[i], n_cell_bytes, "%s", titles[i]);
    for (size_t i = 0; i < n_devices; i++)
        fill_row(&rows[i + 1], i, &devices[i]);
    for (size_t i = 0; i <= n_devices; i++) {
        for (int k = 0; k < n_columns; k++) {
            size_t n_cell = strlen(rows[i].cells[k]);
            if (n_cell > widths[k])
                widths[k] = n_cell;
        }
    }
    for (size_t i = 0; i <= n_devices; i++)
        print_row(&rows[i], widths);
    free(rows);
    return true;
}

static void print_reason(const char *spec, const clsort_device_info *devices, size_t n_devices)
{
    const char *variable = getenv("CLSORT_DEVICE");
    for (size_t i = 0; i < n_devices; i++) {
        if (!devices[i].chosen)
            continue;
        printf("\ndevice %u would be used: ", (unsigned)i);
        if (spec != NULL && *spec != 0)
            printf("it is what --device '%s' asks for\n", spec);
        else if (variable != NULL && *variable != 0)
            printf("it is what CLSORT_DEVICE='%s' asks for\n", variable);
        else
            printf("by default a GPU is taken before an accelerator before a CPU\n");
    }
}

/* Another program may add a device between the two calls, hence the smaller of the two counts. */
static int list_devices(const char *spec)
{
    size_t capacity = 0;
    clsort_status status = clsort_list_devices(spec, 0, NULL, &capacity);
    if (status != CLSORT_SUCCESS && status != CLSORT_NO_DEVICE) {
        report_library_error(NULL, status);
        return EXIT_CODE_FAILURE;
    }
    clsort_device_info *devices = calloc(capacity + 1, sizeof *devices);
    size_t n_devices = 0;
    int code = EXIT_CODE_FAILURE;
    if (devices == NULL) {
        report_error("devices: not enough memory");
        goto done;
    }
    status = clsort_list_devices(spec, capacity, devices, &n_devices);
    if (n_devices > capacity)
        n_devices = capacity;
    if (n_devices > 0 && print_table(devices, n_devices))
        print_reason(spec, devices, n_devices);
    if (status != CLSORT_SUCCESS)
        report_library_error(NULL, status);
    else
        code = report_standard_output();
done:
    free(devices);
    return code;
}

int devices_command(int n_arguments, char **arguments)
{
    const char *spec = NULL;
    bool help = false, tuning = false;
    const struct option options[] = {{"device", 0, OPTION_TEXT, &spec},
                                     {"tuning", 0, OPTION_SWITCH, &tuning},
                                     {"help", 'h', OPTION_SWITCH, &help}};
    const struct option_set set = {"devices", options, sizeof options / sizeof *options, NULL, 0};
    if (!options_read(&set, n_arguments, arguments))
        return EXIT_CODE_USAGE;
    if (help) {
        usage_print_devices(stdout);
        return report_standard_output();
    }
    if (tuning)
        return tuning_rows_print(spec) ? report_standard_output() : EXIT_CODE_FAILURE;
    return list_devices(spec);
}
