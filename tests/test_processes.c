/* Whole processes: how they end with a sorter left over, and PoCL under the limits and methods it can be told. */
#include "process.h"
#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_endings(void)
{
    return is_slow_run() ? 50 : 5;
}

static void check_endings(const char *mode)
{
    const char *arguments[] = {mode, NULL};
    for (unsigned i = 0; i < n_endings(); i++) {
        struct process_result result = run_process("end_process", NULL, arguments);
        ck_assert_msg(result.exit_code == 0 && strstr(result.output, "sorted"), "%s, run %u: exit code %d: %s", mode, i,
                      result.exit_code, result.output);
    }
}

START_TEST(process_that_destroys_in_a_static_destructor_ends_well)
{
    check_endings("destructor");
}
END_TEST

START_TEST(process_that_destroys_in_an_exit_handler_ends_well)
{
    check_endings("exit-handler");
}
END_TEST

START_TEST(process_that_never_destroys_ends_well)
{
    check_endings("never");
}
END_TEST

START_TEST(process_with_two_sorters_ends_well)
{
    check_endings("twice");
}
END_TEST

START_TEST(process_that_loads_and_unloads_the_library_sorts_each_time)
{
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded && strstr(preloaded, "plain_dlopen")) {
        print_exemption("unloading the library", "what is preloaded for the sanitizers keeps libraries");
        return;
    }
    const char *arguments[] = {CLSORT_LIBRARY_FILE, NULL};
    for (unsigned i = 0; i < n_endings(); i++) {
        struct process_result result = run_process("plugin_host", NULL, arguments);
        ck_assert_msg(result.exit_code == 0 && strstr(result.output, "sorted"), "run %u: exit code %d: %s", i,
                      result.exit_code, result.output);
    }
}
END_TEST

static bool is_pocl(void)
{
    const char *device = getenv("CLSORT_DEVICE");
    return device && strstr(device, "Portable");
}

static void check_counts(const char *const *environment)
{
    static const char *const counts[] = {"count=0", "count=1", "count=2", "count=33", "count=1000", "count=68931"};
    for (size_t n = 0; n < N_ELEMENTS(counts); n++) {
        const char *arguments[] = {counts[n], "key=i32", NULL};
        struct process_result result = run_process("sort_once", environment, arguments);
        ck_assert_msg(result.exit_code == 0, "%s %s, %s: exit code %d: %s", environment[0],
                      environment[1] ? environment[1] : "", counts[n], result.exit_code, result.output);
    }
}

START_TEST(pocl_with_any_work_group_limit_method_and_number_of_threads_sorts)
{
    /* with the library's own tuning, whatever the setting's is */
    static const char *const cases[][4] = {
        {"POCL_MAX_WORK_GROUP_SIZE=1", "CLSORT_TUNING", NULL},
        {"POCL_MAX_WORK_GROUP_SIZE=2", "CLSORT_TUNING", NULL},
        {"POCL_MAX_WORK_GROUP_SIZE=7", "CLSORT_TUNING", NULL},
        {"POCL_MAX_WORK_GROUP_SIZE=8", "CLSORT_TUNING", NULL},
        {"POCL_MAX_WORK_GROUP_SIZE=16", "CLSORT_TUNING", NULL},
        {"POCL_MAX_WORK_GROUP_SIZE=64", "CLSORT_TUNING", NULL},
        {"POCL_WORK_GROUP_METHOD=loops", "CLSORT_TUNING", NULL},
        {"POCL_WORK_GROUP_METHOD=loopvec", "CLSORT_TUNING", NULL},
        {"POCL_MAX_PTHREAD_COUNT=1", "CLSORT_TUNING", NULL},
        {"POCL_MAX_PTHREAD_COUNT=1", "POCL_MAX_WORK_GROUP_SIZE=1", "CLSORT_TUNING", NULL},
    };
    if (!is_pocl()) {
        print_exemption("PoCL's limits and methods", "the device is not PoCL's");
        return;
    }
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        check_counts(cases[i]);
    }
}
END_TEST

/* The kernels that have work-items work together, which PoCL does not get by itself. */
START_TEST(pocl_with_groups_of_many_work_items_sorts_by_any_method)
{
    static const char *const methods[] = {"POCL_WORK_GROUP_METHOD=loops", "POCL_WORK_GROUP_METHOD=loopvec"};
    static const char groups[] = "CLSORT_TUNING=group_size=32,items=4,local_group_size=32,local_items=4,rank_bits=4";
    if (!is_pocl()) {
        print_exemption("PoCL's limits and methods", "the device is not PoCL's");
        return;
    }
    if (strcmp(current_setting()->name, "pocl") != 0) {
        print_exemption("PoCL with groups of many work-items", "the setting's work-group limit is below 32");
        return;
    }
    for (size_t i = 0; i < N_ELEMENTS(methods); i++) {
        check_counts((const char *const[]){methods[i], groups, NULL});
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("processes", process_that_destroys_in_a_static_destructor_ends_well,
                     process_that_destroys_in_an_exit_handler_ends_well, process_that_never_destroys_ends_well,
                     process_with_two_sorters_ends_well, process_that_loads_and_unloads_the_library_sorts_each_time,
                     pocl_with_any_work_group_limit_method_and_number_of_threads_sorts,
                     pocl_with_groups_of_many_work_items_sorts_by_any_method);
}
