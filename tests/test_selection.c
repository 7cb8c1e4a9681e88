/* Which device is taken: specs, the environment, no platform, platforms without a device. */
#include "process.h"
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 32 };

/* Lists the devices; returns how many, and asserts that not more than one is chosen. */
static size_t list(const char *spec, clsort_device_info *devices, clsort_status expected)
{
    size_t count = 0, n_chosen = 0;
    memset(devices, 0, CAPACITY * sizeof *devices);
    clsort_status status = clsort_list_devices(spec, CAPACITY, devices, &count);
    ck_assert_msg(status == expected, "spec \"%s\": status %d, expected %d", spec, (int)status, (int)expected);
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_le(count, CAPACITY);
    for (size_t i = 0; i < count; i++) {
        n_chosen += devices[i].chosen == 1;
    }
    ck_assert_uint_eq(n_chosen, status == CLSORT_SUCCESS);
    return count;
}

static size_t chosen_of(const clsort_device_info *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (devices[i].chosen) {
            return i;
        }
    }
    ck_abort_msg("no device is chosen");
    return 0;
}

static clsort_device_info devices[CAPACITY];

START_TEST(list_has_the_facts_of_each_device)
{
    size_t count = list(NULL, devices, CLSORT_SUCCESS);
    for (size_t i = 0; i < count; i++) {
        cl_device_type type;
        char name[256] = "";
        CHECK_CL(clGetDeviceInfo(devices[i].device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
        CHECK_CL(clGetDeviceInfo(devices[i].device, CL_DEVICE_NAME, sizeof name, name, NULL));
        ck_assert_uint_eq(devices[i].type, type);
        ck_assert_ptr_nonnull((void *)devices[i].platform);
        ck_assert_msg(strstr(name, devices[i].name), "\"%s\" is not in \"%s\"", devices[i].name, name);
        ck_assert_str_ne(devices[i].name, "");
        ck_assert_str_ne(devices[i].platform_name, "");
        ck_assert_uint_gt(devices[i].global_memory_bytes, 0);
        ck_assert_uint_gt(devices[i].local_memory_bytes, 0);
        ck_assert_uint_gt(devices[i].compute_units, 0);
        ck_assert_uint_gt(devices[i].work_group_limit, 0);
    }
}
END_TEST

START_TEST(list_without_room_still_counts)
{
    size_t count = 0, all = list(NULL, devices, CLSORT_SUCCESS);
    ck_assert_int_eq(clsort_list_devices(NULL, 0, NULL, &count), CLSORT_SUCCESS);
    ck_assert_uint_eq(count, all);
    clsort_device_info one[2];
    memset(one, 0xA5, sizeof one);
    ck_assert_int_eq(clsort_list_devices(NULL, 1, one, &count), CLSORT_SUCCESS);
    ck_assert_uint_eq(count, all);
    ck_assert_ptr_eq((void *)one[0].device, (void *)devices[0].device);
    unsigned char untouched[sizeof one[1]];
    memset(untouched, 0xA5, sizeof untouched);
    ck_assert(memcmp(&one[1], untouched, sizeof untouched) == 0);
}
END_TEST

START_TEST(device_is_picked_by_index)
{
    size_t count = list(NULL, devices, CLSORT_SUCCESS);
    for (size_t i = 0; i < count; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "%zu", i);
        list(spec, devices, CLSORT_SUCCESS);
        ck_assert_uint_eq(chosen_of(devices, count), i);
    }
    list("99", devices, CLSORT_NO_DEVICE);
}
END_TEST

START_TEST(device_is_picked_by_name_part_in_any_case_and_by_several_terms)
{
    size_t count = list(NULL, devices, CLSORT_SUCCESS);
    size_t i = chosen_of(devices, count);
    char name[128], upper[128], spec[512];
    strcpy(name, devices[i].name);
    for (char *comma = strchr(name, ','); comma; comma = strchr(name, ',')) {
        *comma = 0; /* a term has no commas */
    }
    for (size_t c = 0; c <= strlen(name); c++) {
        upper[c] = (char)toupper((unsigned char)name[c]);
    }
    const char *type = devices[i].type & CL_DEVICE_TYPE_GPU ? "GPU" : "cpu";
    list(upper, devices, CLSORT_SUCCESS);
    ck_assert_str_eq(devices[chosen_of(devices, count)].name, devices[i].name);
    snprintf(spec, sizeof spec, "%s,%s", type, name);
    list(spec, devices, CLSORT_SUCCESS);
    ck_assert_str_eq(devices[chosen_of(devices, count)].name, devices[i].name);
    snprintf(spec, sizeof spec, "%s,%s", devices[i].type & CL_DEVICE_TYPE_GPU ? "cpu" : "gpu", name);
    list(spec, devices, CLSORT_NO_DEVICE);
    snprintf(spec, sizeof spec, "%.60s", devices[i].platform_name);
    list(spec, devices, CLSORT_SUCCESS);
}
END_TEST

START_TEST(gpu_is_taken_before_cpu)
{
    const char *saved = getenv("CLSORT_DEVICE");
    char *copy = saved ? strdup(saved) : NULL;
    unsetenv("CLSORT_DEVICE");
    size_t count = list(NULL, devices, CLSORT_SUCCESS);
    bool has_gpu = false;
    for (size_t i = 0; i < count; i++) {
        has_gpu |= (devices[i].type & CL_DEVICE_TYPE_GPU) != 0;
    }
    if (has_gpu) {
        ck_assert(devices[chosen_of(devices, count)].type & CL_DEVICE_TYPE_GPU);
    } else {
        ck_assert_uint_eq(chosen_of(devices, count), 0);
    }
    if (copy) {
        setenv("CLSORT_DEVICE", copy, 1);
    }
    free(copy);
}
END_TEST

START_TEST(spec_that_fits_no_device_is_refused_by_its_status)
{
    clsort_sorter *sorter = NULL;
    list("no such device", devices, CLSORT_NO_DEVICE);
    ck_assert_int_eq(clsort_create_default("no such device", NULL, &sorter), CLSORT_NO_DEVICE);
    ck_assert_ptr_null(sorter);
    char text[1024];
    clsort_last_error(NULL, text, sizeof text);
    ck_assert_msg(strstr(text, "no such device"), "the text does not say the spec: %s", text);
    list("accelerator", devices, CLSORT_NO_DEVICE);
}
END_TEST

START_TEST(spec_of_the_call_goes_before_the_environment)
{
    const char *saved = getenv("CLSORT_DEVICE");
    char *copy = saved ? strdup(saved) : NULL;
    setenv("CLSORT_DEVICE", "no such device", 1);
    list("0", devices, CLSORT_SUCCESS);
    list("", devices, CLSORT_NO_DEVICE);
    list(NULL, devices, CLSORT_NO_DEVICE);
    if (copy) {
        setenv("CLSORT_DEVICE", copy, 1);
    } else {
        unsetenv("CLSORT_DEVICE");
    }
    free(copy);
}
END_TEST

static struct process_result sort_in(const char *const *environment)
{
    const char *arguments[] = {"count=100", NULL};
    return run_process("sort_once", environment, arguments);
}

START_TEST(no_installed_platform_has_a_status_of_its_own)
{
    char *empty = make_directory("clsort-vendors"), variable[4200];
    snprintf(variable, sizeof variable, "OCL_ICD_VENDORS=%s", empty);
    /* ICD loaders read different names for the folder */
    char khronos[4200];
    snprintf(khronos, sizeof khronos, "OCL_ICD_FILENAMES=%s/none", empty);
    const char *environment[] = {variable, khronos, "OPENCL_VENDOR_PATH=/nonexistent", "CLSORT_DEVICE", NULL};
    struct process_result result = sort_in(environment);
    ck_assert_msg(result.exit_code == 2, "%s", result.output);
    ck_assert_msg(output_number(&result, "status") == CLSORT_NO_PLATFORM, "%s", result.output);
    remove_directory(empty);
}
END_TEST

/* Mesa's platforms are there without a device: rusticl unless it is told one, Clover without a card. */
START_TEST(platforms_without_a_device_are_skipped)
{
    cl_platform_id platforms[16];
    cl_uint n_platforms = 0;
    CHECK_CL(clGetPlatformIDs(16, platforms, &n_platforms));
    unsigned n_empty = 0;
    for (cl_uint i = 0; i < n_platforms && i < 16; i++) {
        cl_uint n_devices = 0;
        n_empty +=
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &n_devices) != CL_SUCCESS || n_devices == 0;
    }
    if (n_empty == 0) {
        print_exemption("platforms without a device", "every platform here has one");
        return;
    }
    size_t count = list(NULL, devices, CLSORT_SUCCESS);
    ck_assert_uint_gt(count, 0);
    const char *environment[] = {"CLSORT_DEVICE=0", NULL};
    struct process_result result = sort_in(environment);
    ck_assert_msg(result.exit_code == 0, "%s", result.output);
}
END_TEST

int main(void)
{
    return RUN_TESTS("selection", list_has_the_facts_of_each_device, list_without_room_still_counts,
                     device_is_picked_by_index, device_is_picked_by_name_part_in_any_case_and_by_several_terms,
                     gpu_is_taken_before_cpu, spec_that_fits_no_device_is_refused_by_its_status,
                     spec_of_the_call_goes_before_the_environment, no_installed_platform_has_a_status_of_its_own,
                     platforms_without_a_device_are_skipped);
}
