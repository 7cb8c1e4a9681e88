/* Answers of clsort_get_info(): facts of the sorter and of a request, sizes, and what runs as it was said to. */
#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clsort_request keys_request(uint64_t count)
{
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = count;
    return request;
}

START_TEST(facts_of_the_device_are_opencls)
{
    static const struct {
        clsort_info info;
        cl_device_info of_opencl;
    } facts[] = {{CLSORT_INFO_DEVICE_NAME, CL_DEVICE_NAME},
                 {CLSORT_INFO_DEVICE_VENDOR, CL_DEVICE_VENDOR},
                 {CLSORT_INFO_DRIVER_VERSION, CL_DRIVER_VERSION}};
    struct device *device = test_device();
    char found[512], expected[512];
    for (size_t i = 0; i < N_ELEMENTS(facts); i++) {
        CHECK_CL(clGetDeviceInfo(device->id, facts[i].of_opencl, sizeof expected, expected, NULL));
        info_text(device->sorter, NULL, facts[i].info, found, sizeof found);
        ck_assert_str_eq(found, expected);
    }
    cl_platform_id platform;
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CHECK_CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof expected, expected, NULL));
    ck_assert_str_eq(info_text(device->sorter, NULL, CLSORT_INFO_PLATFORM_NAME, found, sizeof found), expected);
}
END_TEST

START_TEST(every_answer_has_the_size_that_it_says)
{
    static const clsort_info infos[] = {CLSORT_INFO_DEVICE_NAME,     CLSORT_INFO_DEVICE_VENDOR,
                                        CLSORT_INFO_PLATFORM_NAME,   CLSORT_INFO_DRIVER_VERSION,
                                        CLSORT_INFO_CACHE_DIRECTORY, CLSORT_INFO_PROGRAMS_COMPILED,
                                        CLSORT_INFO_PROGRAMS_LOADED, CLSORT_INFO_KERNEL_RUNS,
                                        CLSORT_INFO_POOL_BYTES,      CLSORT_INFO_ALGORITHM,
                                        CLSORT_INFO_TUNING,          CLSORT_INFO_TUNING_SOURCE,
                                        CLSORT_INFO_WORKSPACE_LEAST, CLSORT_INFO_WORKSPACE_BEST};
    clsort_sorter *sorter = test_device()->sorter;
    clsort_request request = keys_request(1000);
    for (size_t i = 0; i < N_ELEMENTS(infos); i++) {
        size_t needed = 0, again = 0;
        unsigned char value[8192];
        CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_get_info(sorter, &request, infos[i], 0, NULL, &needed));
        ck_assert(needed > 0 && needed < sizeof value);
        memset(value, 0xA5, sizeof value);
        CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_get_info(sorter, &request, infos[i], needed, value, &again));
        ck_assert_uint_eq(again, needed);
        ck_assert_uint_eq(value[needed], 0xA5);
        memset(value, 0xA5, sizeof value);
        ck_assert_int_eq(clsort_get_info(sorter, &request, infos[i], needed - 1, value, NULL), CLSORT_INVALID_ARGUMENT);
        ck_assert_uint_eq(value[0], 0xA5);
    }
}
END_TEST

/* Names of an algorithm's kernels begin with this. */
static void print_first_program(const char *algorithm, char prefix[80])
{
    const char *name = sorts_pairs_alone(algorithm) ? "hybrid_stable_partition"
                       : is_hybrid(algorithm)       ? "hybrid_partition"
                       : is_quicksort(algorithm)    ? "quicksort_leaf"
                                                    : algorithm;
    snprintf(prefix, 80, "%s/", name);
}

START_TEST(named_algorithm_is_the_one_that_is_told_and_runs)
{
    struct device device = open_device(NULL, 0);
    char name[64];
    for (size_t i = 1; i < n_choices(); i++) {
        clsort_request request = keys_request(33);
        request.algorithm = choice(i);
        request.key_type = is_for_all_keys(i) ? CLSORT_U32 : CLSORT_U16;
        request.operation = sorts_pairs_alone(choice(i)) ? CLSORT_PAIRS : CLSORT_KEYS;
        request.value_bytes = sorts_pairs_alone(choice(i)) ? 4 : 0;
        if (is_hybrid(choice(i)) && clsort_get_info(device.sorter, &request, CLSORT_INFO_ALGORITHM, sizeof name, name,
                                                    NULL) == CLSORT_INVALID_ALGORITHM) {
            print_exemption(choice(i), "its work-groups have one work-item here");
            continue;
        }
        ck_assert_str_eq(info_text(device.sorter, &request, CLSORT_INFO_ALGORITHM, name, sizeof name), choice(i));
        char prefix[80];
        print_first_program(choice(i), prefix);
        const uint64_t runs_before = kernel_runs(device.sorter, prefix);
        check_sort(&device, (struct sort_case){.operation = request.operation,
                                               .key_type = request.key_type,
                                               .count = 33,
                                               .data = {DATA_RANDOM, 3, 0},
                                               .algorithm = choice(i)});
        ck_assert_uint_gt(kernel_runs(device.sorter, prefix), runs_before);
    }
    close_device(&device);
}
END_TEST

/* What the library says it would take is what then runs; a request without buffers is taken to be in place. */
START_TEST(chosen_algorithm_runs)
{
    static const uint64_t counts[] = {10, 1000, 20000};
    char name[64];
    for (size_t n = 0; n < N_ELEMENTS(counts) && setting_allows(counts[n]); n++) {
        struct device device = open_device(NULL, 0);
        clsort_request request = keys_request(counts[n]);
        info_text(device.sorter, &request, CLSORT_INFO_ALGORITHM, name, sizeof name);
        check_sort(&device, (struct sort_case){.operation = CLSORT_KEYS,
                                               .key_type = CLSORT_U32,
                                               .count = counts[n],
                                               .data = {DATA_RANDOM, 3, 0},
                                               .in_place = true});
        for (size_t i = 1; i < n_choices(); i++) {
            char prefix[80];
            print_first_program(choice(i), prefix);
            ck_assert_msg((kernel_runs(device.sorter, prefix) > 0) == (strcmp(choice(i), name) == 0),
                          "%u keys: %s was to run, see %s", (unsigned)counts[n], name, prefix);
        }
        close_device(&device);
    }
}
END_TEST

/* The text of the tuning is an override that changes nothing. */
START_TEST(tuning_that_is_told_can_be_given_back)
{
    char told[1024], again[1024], source[512];
    clsort_request request = keys_request(20000);
    info_text(test_device()->sorter, &request, CLSORT_INFO_TUNING, told, sizeof told);
    info_text(test_device()->sorter, &request, CLSORT_INFO_TUNING_SOURCE, source, sizeof source);
    ck_assert_ptr_nonnull(strstr(source, "row"));
    struct device device = open_device(told, 0);
    ck_assert_str_eq(info_text(device.sorter, &request, CLSORT_INFO_TUNING, again, sizeof again), told);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING_SOURCE, source, sizeof source);
    ck_assert_ptr_nonnull(strstr(source, "override"));
    check_sort(&device, (struct sort_case){.operation = CLSORT_KEYS,
                                           .key_type = CLSORT_U32,
                                           .count = allowed_count(20000),
                                           .data = {DATA_RANDOM, 3, 0}});
    close_device(&device);
}
END_TEST

START_TEST(low_memory_is_told_before_it_is_asked_for)
{
    clsort_request request = keys_request(1000000);
    char name[64];
    request.flags = CLSORT_LOW_MEMORY;
    ck_assert_uint_eq(info_number(test_device()->sorter, &request, CLSORT_INFO_WORKSPACE_LEAST), 0);
    ck_assert_uint_eq(info_number(test_device()->sorter, &request, CLSORT_INFO_WORKSPACE_BEST), 0);
    ck_assert_str_eq(info_text(test_device()->sorter, &request, CLSORT_INFO_ALGORITHM, name, sizeof name),
                     "bitonic_global");
}
END_TEST

int main(void)
{
    return RUN_TESTS("info", facts_of_the_device_are_opencls, every_answer_has_the_size_that_it_says,
                     named_algorithm_is_the_one_that_is_told_and_runs, chosen_algorithm_runs,
                     tuning_that_is_told_can_be_given_back, low_memory_is_told_before_it_is_asked_for);
}
