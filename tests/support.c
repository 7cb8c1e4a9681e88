/* What every test executable shares. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_tests(const char *name, const TTest *const *tests, size_t n_tests)
{
    print_setting();
    Suite *suite = suite_create(name);
    TCase *test_case = tcase_create(name);
    for (size_t i = 0; i < n_tests; i++) {
        tcase_add_test(test_case, tests[i]);
    }
    suite_add_tcase(suite, test_case);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_VERBOSE);
    int n_failed = srunner_ntests_failed(runner);
    int n_run = srunner_ntests_run(runner);
    srunner_free(runner);
    return n_failed == 0 && n_run > 0 && (size_t)n_run == n_tests ? EXIT_SUCCESS : EXIT_FAILURE;
}

void check_cl(cl_int status, const char *expression, const char *file, int line)
{
    if (status != CL_SUCCESS) {
        ck_abort_msg("%s:%d: %s gave %d (%s)", file, line, expression, status, clsort_status_text(status));
    }
}

void check_status(clsort_sorter *sorter, clsort_status expected, clsort_status status, const char *expression,
                  const char *file, int line)
{
    if (status == expected) {
        return;
    }
    char text[4096] = "";
    clsort_last_error(sorter, text, sizeof text);
    ck_abort_msg("%s:%d: %s gave %d (%s), expected %d (%s); last error: %s", file, line, expression, (int)status,
                 clsort_status_text(status), (int)expected, clsort_status_text(expected), text);
}

static void print_log(void *user_data, const char *text)
{
    (void)user_data;
    fprintf(stderr, "log: %s\n", text);
}

struct device open_device_with(const clsort_options *options)
{
    struct device device = {0};
    const char *native = getenv("CLSORT_TEST_DEVICE");
    if (native && strcmp(current_setting()->name, "native") != 0) {
        native = NULL;
    }
    clsort_status status = clsort_create_default(native, options, &device.sorter);
    CHECK_STATUS(NULL, CLSORT_SUCCESS, status);
    device.context = clsort_sorter_context(device.sorter);
    device.id = clsort_sorter_device(device.sorter);
    device.queue = make_queue(&device, 0);
    ck_assert_ptr_nonnull(device.queue);
    return device;
}

static struct device open_with_build_options(const char *tuning, uint32_t option_flags, const char *build_options)
{
    clsort_options options;
    clsort_options_init(&options);
    options.tuning = tuning;
    options.flags = option_flags;
    options.build_options = build_options;
    options.log = print_log;
    return open_device_with(&options);
}

struct device open_device(const char *tuning, uint32_t option_flags)
{
    return open_with_build_options(tuning, option_flags, NULL);
}

struct device open_unoptimised(const char *tuning, uint32_t option_flags)
{
    const bool is_pocl = strncmp(current_setting()->name, "pocl", 4) == 0;
    return open_with_build_options(tuning, option_flags, is_pocl ? "-cl-opt-disable" : NULL);
}

struct device *test_device(void)
{
    static struct device device;
    if (!device.sorter) {
        device = open_device(NULL, 0);
        char name[256];
        printf("device %s\n", info_text(device.sorter, NULL, CLSORT_INFO_DEVICE_NAME, name, sizeof name));
        fflush(stdout);
    }
    return &device;
}

void close_device(struct device *device)
{
    CHECK_CL(clReleaseCommandQueue(device->queue));
    clsort_destroy(device->sorter);
    memset(device, 0, sizeof *device);
}

cl_command_queue make_queue(const struct device *device, cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(device->context, device->id, properties, &status);
    return status == CL_SUCCESS ? queue : NULL;
}

cl_command_queue out_of_order_queue(const struct device *device, const char *subject)
{
    cl_command_queue queue = make_queue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!queue) {
        print_exemption(subject, "the device has no out-of-order queues");
    }
    return queue;
}

cl_mem make_buffer(const struct device *device, cl_mem_flags flags, size_t bytes, const void *content)
{
    cl_int status;
    if (content && !(flags & CL_MEM_USE_HOST_PTR)) {
        flags |= CL_MEM_COPY_HOST_PTR;
    }
    cl_mem buffer = clCreateBuffer(device->context, flags, bytes, (void *)(uintptr_t)content, &status);
    CHECK_CL(status);
    return buffer;
}

void read_buffer(const struct device *device, cl_mem buffer, size_t bytes, void *content)
{
    CHECK_CL(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, bytes, content, 0, NULL, NULL));
}

uint64_t info_number(clsort_sorter *sorter, const clsort_request *request, clsort_info info)
{
    uint64_t number = 0;
    CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_get_info(sorter, request, info, sizeof number, &number, NULL));
    return number;
}

const char *info_text(clsort_sorter *sorter, const clsort_request *request, clsort_info info, char *text, size_t bytes)
{
    size_t needed = 0;
    CHECK_STATUS(sorter, CLSORT_SUCCESS, clsort_get_info(sorter, request, info, bytes, text, &needed));
    ck_assert_uint_eq(needed, strlen(text) + 1);
    return text;
}

uint64_t kernel_runs(clsort_sorter *sorter, const char *name)
{
    char text[8192];
    info_text(sorter, NULL, CLSORT_INFO_KERNEL_RUNS, text, sizeof text);
    size_t length = strlen(name);
    bool whole_algorithm = length > 0 && name[length - 1] == '/';
    uint64_t runs = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, name, length) == 0 && (whole_algorithm || line[length] == ' ')) {
            runs += strtoull(strrchr(line, ' '), NULL, 10);
        }
    }
    return runs;
}

bool has_single_items(const char *algorithm)
{
    return algorithm && (strcmp(algorithm, "serial_radix") == 0 || strcmp(algorithm, "chunked_radix") == 0);
}

/* Whether tests of all algorithms leave one out on this setting. */
static bool is_left_out(const char *algorithm)
{
    const char *setting = current_setting()->name;
    if (is_for_segments(algorithm)) {
        return true;
    }
    if (strcmp(algorithm, "chunked_radix") == 0 && strcmp(setting, "rusticl") == 0) {
        print_exemption("chunked_radix", "llvmpipe compiles it for 13 s for each type; test_chunked_radix has it");
        return true;
    }
    if (has_single_items(algorithm) && strncmp(setting, "pocl_wg", 7) == 0) {
        print_exemption(algorithm, "it is the same whatever work-groups there may be; the setting pocl has it");
        return true;
    }
    if (is_samplesort(algorithm) && strcmp(setting, "pocl_wg7") == 0) {
        print_exemption(algorithm, "its work-groups have one work-item here too; the setting pocl has it");
        return true;
    }
    if (is_quicksort(algorithm) && strcmp(setting, "pocl_wg7") == 0) {
        print_exemption(algorithm, "PoCL takes seconds to compile it for each type; test_quicksort has it");
        return true;
    }
    if (strcmp(algorithm, "counting") == 0 && strcmp(setting, "pocl_wg7") == 0 && getenv("POCL_EXTRA_BUILD_FLAGS")) {
        print_exemption(algorithm, "its first launch takes 15 s unoptimised; test_counting has it optimised");
        return true;
    }
    return false;
}

/* Name of number i of those that are not left out, NULL behind the last. */
static const char *name_of_choice(size_t i)
{
    const char *name = NULL;
    for (size_t n = 0; (name = clsort_algorithm_name(n)) != NULL; n++) {
        if (!is_left_out(name) && i-- == 0) {
            return name;
        }
    }
    return NULL;
}

size_t n_choices(void)
{
    size_t n = 0;
    while (name_of_choice(n)) {
        n++;
    }
    return n + 1;
}

const char *choice(size_t i)
{
    return i == 0 ? NULL : name_of_choice(i - 1);
}

bool sorts_keys_alone(const char *algorithm)
{
    return algorithm && (strcmp(algorithm, "hybrid") == 0 || strcmp(algorithm, "hybrid_exact") == 0);
}

bool is_samplesort(const char *algorithm)
{
    return algorithm && strcmp(algorithm, "samplesort") == 0;
}

bool sorts_pairs_alone(const char *algorithm)
{
    return algorithm && strcmp(algorithm, "hybrid_stable") == 0;
}

bool is_for_segments(const char *algorithm)
{
    return algorithm && strncmp(algorithm, "segmented", 9) == 0;
}

bool is_hybrid(const char *algorithm)
{
    return algorithm && strncmp(algorithm, "hybrid", 6) == 0;
}

bool is_quicksort(const char *algorithm)
{
    return algorithm && strncmp(algorithm, "quicksort", 9) == 0;
}

bool has_groups(void)
{
    const char *setting = current_setting()->name;
    return strcmp(setting, "pocl_wg7") == 0 || strcmp(setting, "oclgrind") == 0;
}

bool is_simulated(void)
{
    return strcmp(current_setting()->name, "oclgrind") == 0;
}

bool compiles_barriers_fast(void)
{
    const char *setting = current_setting()->name;
    return strcmp(setting, "oclgrind") == 0 || strcmp(setting, "native") == 0;
}

bool compiles_programs_fast(void)
{
    if (strcmp(current_setting()->name, "pocl_wg7") != 0) {
        return true;
    }
    print_exemption("some types of keys and values", "each takes seconds to compile; the setting pocl has them");
    return false;
}

bool is_for_all_keys(size_t i)
{
    return i == 0 || strcmp(choice(i), "counting") != 0;
}

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        abort();
    }
    return memory;
}
