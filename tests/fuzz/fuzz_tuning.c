/* Text of tuning: rows of a file, and overrides. What is accepted is read back from its own print, and every legal row keeps the
   device's limits. The first byte chooses which. */
#include "fuzz.h"

#include "tuning.h"

static const struct device_caps caps = {.type = CL_DEVICE_TYPE_GPU,
                                        .name = "device",
                                        .vendor = "vendor",
                                        .version = "OpenCL 1.2",
                                        .driver_version = "1",
                                        .platform_name = "platform",
                                        .platform_version = "1",
                                        .compute_units = 8,
                                        .group_limit = 256,
                                        .local_bytes = 32768,
                                        .global_bytes = UINT64_C(1) << 33,
                                        .allocation_bytes = UINT64_C(1) << 31,
                                        .address_bits = 64};

static void check_choice(const struct tuning_user *user)
{
    static const struct tuning_use uses[] = {{1, 0, 4}, {4, 4, 4}, {8, 16, 8}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        struct tuning_choice choice;
        struct failure failure = {0};
        if (clsort__tuning_look_up(&caps, user, &uses[i], &choice, &failure) == CLSORT_SUCCESS) {
            FUZZ_CHECK(!clsort__tuning_illegal(&caps, &choice.values, &uses[i]));
            FUZZ_CHECK(choice.values.group_size <= caps.group_limit);
            char text[4096], again_text[4096], source[256];
            clsort__tuning_print(&choice.row_values, text, sizeof text);
            clsort__tuning_print_source(&choice, source, sizeof source);
            struct tuning_user again = {0};
            FUZZ_CHECK(clsort__tuning_parse_overrides(text, &again, &failure) == CLSORT_SUCCESS);
            clsort__tuning_print(&again.overrides, again_text, sizeof again_text);
            FUZZ_CHECK(strcmp(text, again_text) == 0);
            clsort__tuning_user_clear(&again);
        } else {
            FUZZ_CHECK(failure.status == CLSORT_INVALID_TUNING && failure.text);
        }
        clsort__failure_clear(&failure);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = (char *)malloc(size);
    FUZZ_CHECK(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    struct tuning_user user = {0};
    struct failure failure = {0};
    const clsort_status status = data[0] % 2 ? clsort__tuning_parse_rows(text, &user, &failure)
                                             : clsort__tuning_parse_overrides(text, &user, &failure);
    FUZZ_CHECK(status == failure.status);
    FUZZ_CHECK(status == CLSORT_SUCCESS || (status == CLSORT_INVALID_TUNING && failure.text));
    if (status == CLSORT_SUCCESS) {
        check_choice(&user);
    }
    clsort__failure_clear(&failure);
    clsort__tuning_user_clear(&user);
    free(text);
    return 0;
}
