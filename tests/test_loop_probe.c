/* The probe finds where loops end early: on llvmpipe, and on no other device of the settings. */
#include "loop_probe.h"

#include "process.h"
#include "support.h"

#include <string.h>

START_TEST(probe_finds_the_limit_of_llvmpipe_and_none_elsewhere)
{
    const struct device *device = test_device();
    char name[256];
    uint32_t limit = 1;
    info_text(device->sorter, NULL, CLSORT_INFO_DEVICE_NAME, name, sizeof name);
    ck_assert_int_eq(clsort__loop_probe_run(device->context, device->id, &limit), 0);
    if (strstr(name, "llvmpipe")) {
        /* LP_MAX_TGSI_LOOP_ITERATIONS of Mesa is 65535, and the iteration that meets it may count */
        ck_assert_uint_ge(limit, 65534);
        ck_assert_uint_le(limit, 65536);
    } else {
        ck_assert_uint_eq(limit, 0);
    }
}
END_TEST

/* As a sorter does on a CPU device whose name tells nothing. */
START_TEST(limit_is_found_whatever_the_name_is_and_kept_on_disk)
{
    const struct device *device = test_device();
    char name[256], other_name[] = "a processor", empty[] = "";
    uint32_t expected = 0;
    info_text(device->sorter, NULL, CLSORT_INFO_DEVICE_NAME, name, sizeof name);
    ck_assert_int_eq(clsort__loop_probe_run(device->context, device->id, &expected), 0);
    struct device_caps caps = {.type = CL_DEVICE_TYPE_CPU,
                               .name = other_name,
                               .version = empty,
                               .driver_version = empty,
                               .platform_name = empty,
                               .platform_version = name};
    char *directory = make_directory("clsort-probe");
    struct programs programs = {.context = device->context,
                                .device = device->id,
                                .caps = &caps,
                                .directory = directory};
    ck_assert_uint_eq(clsort__loop_probe_limit(&programs), expected);
    /* without a device only the disk can tell */
    programs.context = NULL;
    ck_assert_uint_eq(clsort__loop_probe_limit(&programs), expected);
    programs.directory = NULL;
    ck_assert_uint_eq(clsort__loop_probe_limit(&programs), 0);
    caps.name = name;
    ck_assert_uint_eq(clsort__loop_probe_limit(&programs), strstr(name, "llvmpipe") ? 65535 : 0);
    remove_directory(directory);
}
END_TEST

int main(void)
{
    return RUN_TESTS("loop_probe", probe_finds_the_limit_of_llvmpipe_and_none_elsewhere,
                     limit_is_found_whatever_the_name_is_and_kept_on_disk);
}
