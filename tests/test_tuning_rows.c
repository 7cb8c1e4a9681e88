/* Every row of the tuning table forced on the device at hand: it sorts, and its kernels keep the device's limits. */
#include "loop_probe.h"
#include "tuning.h"

#include "process.h"
#include "sort_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct failure failure;
static struct device_caps caps;

static void read_caps(void)
{
    if (!caps.name) {
        ck_assert_int_eq(clsort__device_read(test_device()->id, &caps, &failure), CLSORT_SUCCESS);
        ck_assert_int_eq(clsort__loop_probe_run(test_device()->context, test_device()->id, &caps.loop_limit), 0);
    }
}

/* Whether a row can be forced here for keys of 4 bytes and has other values than all before; text receives its values. */
static bool row_text(size_t r, char *text, size_t bytes)
{
    struct tuning values = clsort__tuning_rows[r].values;
    for (size_t before = 0; before < r; before++) {
        if (memcmp(&clsort__tuning_rows[before].values, &values, sizeof values) == 0) {
            return false;
        }
    }
    clsort__tuning_print(&values, text, bytes);
    const char *why = clsort__tuning_illegal(&caps, &values, &(struct tuning_use){4, 16, 8});
    if (why) {
        static char subjects[32][32];
        snprintf(subjects[r], sizeof subjects[r], "tuning row %zu", r + 1);
        print_exemption(subjects[r], why);
    }
    return !why;
}

/* Random keys, and such whose upper digits are all the same, by every algorithm. */
START_TEST(every_row_sorts_keys_of_all_digits_and_of_one)
{
    unsigned n_rows = 0;
    read_caps();
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        char text[1024];
        if (!row_text(r, text, sizeof text)) {
            continue;
        }
        struct device device = open_device(text, 0);
        n_rows++;
        for (size_t i = 0; i < n_choices(); i++) {
            if ((is_hybrid(choice(i)) || is_samplesort(choice(i))) && !compiles_barriers_fast()) {
                print_exemption(
                    choice(i),
                    "it takes a minute to compile here for each row; test_hybrid and test_samplesort have it");
                continue;
            }
            struct sort_case c = {.operation = CLSORT_PAIRS,
                                  .key_type = CLSORT_U32,
                                  .count = allowed_count(65537),
                                  .data = {DATA_LOW_BITS, 21, 0xff},
                                  .algorithm = choice(i)};
            check_sort_if_fits(&device, c);
            c.data.shape = DATA_RANDOM;
            check_sort_if_fits(&device, c);
            c.count = 200;
            if (!is_for_all_keys(i)) {
                c.operation = CLSORT_KEYS;
                c.key_type = CLSORT_U16;
            } else if (sorts_keys_alone(choice(i))) {
                c.operation = CLSORT_KEYS;
            }
            ck_assert_msg(check_sort_if_fits(&device, c) || is_hybrid(choice(i)), "%s refused 200 elements", choice(i));
        }
        close_device(&device);
    }
    ck_assert_uint_ge(n_rows, 1);
}
END_TEST

/* What is legal depends on the size of keys and values, so the request is refused; names are known before that. */
START_TEST(override_that_is_not_legal_here_is_refused)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"group_size=1024,items=64", "items"},
                 {"group_size=3", "group_size"},
                 {"local_items=0", "local_items"}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[1024];
        struct device device = open_device(cases[i].text, 0);
        clsort_request request;
        clsort_request_init(&request);
        request.operation = CLSORT_KEYS;
        request.key_type = CLSORT_U32;
        request.count = 1000;
        ck_assert_int_eq(clsort_workspace_bytes(device.sorter, &request, NULL, NULL), CLSORT_INVALID_TUNING);
        ck_assert_int_eq(clsort_prepare(device.sorter, &request), CLSORT_INVALID_TUNING);
        clsort_last_error(device.sorter, text, sizeof text);
        ck_assert_msg(strstr(text, cases[i].field) || strstr(text, "group_size"), "%s: %s", cases[i].text, text);
        close_device(&device);
    }
}
END_TEST

START_TEST(override_of_an_unknown_name_is_refused_at_once)
{
    clsort_options options;
    clsort_options_init(&options);
    clsort_sorter *sorter = NULL;
    options.tuning = "no_such_name=1";
    ck_assert_int_eq(clsort_create(test_device()->context, test_device()->id, &options, &sorter),
                     CLSORT_INVALID_TUNING);
    ck_assert_ptr_null(sorter);
    char text[1024];
    clsort_last_error(NULL, text, sizeof text);
    ck_assert_msg(strstr(text, "no_such_name"), "%s", text);
}
END_TEST

START_TEST(tuning_file_and_environment_are_used_in_their_order)
{
    char *directory = make_directory("clsort-tuning"), path[4200], text[1024];
    unsetenv("CLSORT_TUNING"); /* a setting may have it */
    snprintf(path, sizeof path, "%s/rows", directory);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("group_size=1,items=77,radix_bits=4,rank_bits=4,blocks_per_unit=2,local_group_size=1,local_items=99,"
          "bitonic_count=0,hybrid_group_size=1,hybrid_items=16,hybrid_bits=8,bucket_group_size=1,bucket_items=16,"
          "hybrid_count=0,stable_items=16,stable_count=0,ptx=0,counting_group_size=1,counting_items=256,counting_"
          "groups=1,counting_count=0,"
          "rank_count=0,samplesort_count=0,at_once_count=0,spread_group_size=1,spread_items=64,"
          "serial_count=0,chunked_count=0,chunked_groups=1,bucket_keys=16384,plain_kib=0,network_keys=0,segment_levels="
          "2\n",
          file);
    fclose(file);
    clsort_options options;
    clsort_options_init(&options);
    options.tuning_file = path;
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = 5000;
    struct device device = open_device_with(&options);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING, text, sizeof text);
    ck_assert_msg(strstr(text, "items=77"), "%s", text);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING_SOURCE, text, sizeof text);
    ck_assert_msg(strstr(text, "user row 1"), "%s", text);
    close_device(&device);
    options.tuning = "items=55";
    device = open_device_with(&options);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING, text, sizeof text);
    ck_assert_msg(strstr(text, "items=55") && strstr(text, "local_items=99"), "%s", text);
    close_device(&device);
    options.tuning = NULL;
    options.tuning_file = NULL;
    setenv("CLSORT_TUNING", "items=33", 1);
    setenv("CLSORT_TUNING_FILE", path, 1);
    device = open_device_with(&options);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING, text, sizeof text);
    ck_assert_msg(strstr(text, "items=33") && strstr(text, "local_items=99"), "%s", text);
    close_device(&device);
    unsetenv("CLSORT_TUNING");
    options.tuning_file = "/nonexistent/rows";
    clsort_sorter *sorter = NULL;
    ck_assert_int_ne(clsort_create(test_device()->context, test_device()->id, &options, &sorter), CLSORT_SUCCESS);
    ck_assert_ptr_null(sorter);
    unsetenv("CLSORT_TUNING_FILE");
    remove_directory(directory);
}
END_TEST

/* What the log of a sorter was told, in one text. */
static void keep_log(void *user_data, const char *text)
{
    char *kept = user_data;
    snprintf(kept + strlen(kept), 4096 - strlen(kept), "%s\n", text);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* A file that the user has, and not the program, harms no sort. */
START_TEST(file_of_the_user_that_is_no_good_is_told_and_ignored)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {{"version=2\n", "line 1"},
                 {"version=1\n\nitems=1\n", "line 3"},
                 {"\x7f"
                  "ELF\x02\x01",
                  "line 1"},
                 {"device=x,speed=9\n", "speed"},
                 {NULL, "cannot be read"}};
    char *directory = make_directory("clsort-tuning"), path[4200], told[4096], text[4096];
    snprintf(path, sizeof path, "%s/rows", directory);
    setenv("CLSORT_TUNING_FILE", path, 1);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        remove(path);
        if (cases[i].text) {
            write_text(path, cases[i].text);
        }
        clsort_options options;
        clsort_options_init(&options);
        options.log = keep_log;
        options.user_data = told;
        told[0] = 0;
        struct device device = open_device_with(&options);
        ck_assert_msg(strstr(told, path) && strstr(told, cases[i].fault), "%s: %s", cases[i].fault, told);
        info_text(device.sorter, NULL, CLSORT_INFO_TUNING_FILE, text, sizeof text);
        ck_assert_str_eq(text, path);
        info_text(device.sorter, NULL, CLSORT_INFO_TUNING_FILE_FAULT, text, sizeof text);
        ck_assert_msg(strstr(text, cases[i].fault), "%s: %s", cases[i].fault, text);
        struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 1000};
        check_sort(&device, c);
        close_device(&device);
        /* Nor does it where the program names none to be read. */
        options.flags = CLSORT_NO_TUNING_FILE;
        told[0] = 0;
        device = open_device_with(&options);
        ck_assert_str_eq(told, "");
        close_device(&device);
    }
    unsetenv("CLSORT_TUNING_FILE");
    remove_directory(directory);
}
END_TEST

START_TEST(file_in_the_settings_folder_is_found_and_need_not_be_there)
{
    char *directory = make_directory("clsort-tuning"), path[4200], text[4096], row[1200];
    struct tuning values = clsort__tuning_rows[clsort__tuning_n_rows - 1].values;
    const char *before = getenv("XDG_CONFIG_HOME");
    char *kept = before ? strdup(before) : NULL;
    setenv("XDG_CONFIG_HOME", directory, 1);
    struct device device = open_device(NULL, 0);
    snprintf(path, sizeof path, "%s/clsort", directory);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/clsort/tuning", directory);
    info_text(device.sorter, NULL, CLSORT_INFO_TUNING_FILE, text, sizeof text);
    ck_assert_str_eq(text, path);
    info_text(device.sorter, NULL, CLSORT_INFO_TUNING_FILE_FAULT, text, sizeof text);
    ck_assert_str_eq(text, "");
    close_device(&device);
    clsort__tuning_print(&values, row, sizeof row);
    snprintf(text, sizeof text, "version=1\nkey_bytes=4,value_bytes=none,%s\n", row);
    write_text(path, text);
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = 1000;
    device = open_device(NULL, 0);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING_SOURCE, text, sizeof text);
    ck_assert_msg(strstr(text, "user row 1") && strstr(text, path), "%s", text);
    info_text(device.sorter, &request, CLSORT_INFO_TUNING_PASSED, text, sizeof text);
    ck_assert_str_eq(text, "");
    request.key_type = CLSORT_U64;
    info_text(device.sorter, &request, CLSORT_INFO_TUNING_SOURCE, text, sizeof text);
    ck_assert_msg(strstr(text, "built-in"), "%s", text);
    struct sort_case c = {.operation = CLSORT_KEYS, .key_type = CLSORT_U32, .count = 1000};
    check_sort(&device, c);
    close_device(&device);
    if (kept) {
        setenv("XDG_CONFIG_HOME", kept, 1);
    } else {
        unsetenv("XDG_CONFIG_HOME");
    }
    free(kept);
    remove_directory(directory);
}
END_TEST

/* Builds one program as the library does and holds each of its kernels against the device. */
static unsigned check_kernel_limits(const char *name, const struct program_options *options)
{
    char text[program_options_bytes];
    const struct embedded_source *sources[program_n_sources];
    const char *texts[program_n_sources];
    size_t lengths[program_n_sources], item_sizes[3];
    clsort__program_print_options(options, text);
    ck_assert_int_eq(clsort__program_sources(name, sources, &failure), CLSORT_SUCCESS);
    for (int s = 0; s < program_n_sources; s++) {
        texts[s] = sources[s]->text;
        lengths[s] = sources[s]->bytes;
    }
    struct device *device = test_device();
    cl_int status;
    cl_program program = clCreateProgramWithSource(device->context, program_n_sources, texts, lengths, &status);
    CHECK_CL(status);
    CHECK_CL(clBuildProgram(program, 1, &device->id, text, NULL, NULL));
    cl_kernel kernels[16];
    cl_uint n_kernels = 0;
    CHECK_CL(clCreateKernelsInProgram(program, 16, kernels, &n_kernels));
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof item_sizes, item_sizes, NULL));
    ck_assert_uint_gt(n_kernels, 0);
    for (cl_uint k = 0; k < n_kernels; k++) {
        size_t group_limit = 0;
        cl_ulong local_bytes = 0;
        char kernel_name[64] = "";
        CHECK_CL(clGetKernelInfo(kernels[k], CL_KERNEL_FUNCTION_NAME, sizeof kernel_name, kernel_name, NULL));
        CHECK_CL(clGetKernelWorkGroupInfo(kernels[k], device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group_limit,
                                          &group_limit, NULL));
        CHECK_CL(clGetKernelWorkGroupInfo(kernels[k], device->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes,
                                          &local_bytes, NULL));
        if (strstr(caps.name, "llvmpipe")) {
            /* seen with Mesa 22.3: a kernel with 21,504 bytes of local memory by PoCL has 43,008, and groups of 256 run */
            print_exemption("limits of kernels", "llvmpipe says 32 work-items and twice the local memory for each");
            group_limit = caps.group_limit;
            local_bytes /= 2;
        }
        if (strncmp(caps.vendor, "NVIDIA", 6) == 0) {
            /* seen with driver 580: some kernels that require groups of 1024 say 256, and are launched with 1024 */
            print_exemption("limits of kernels", "NVIDIA's driver says 256 work-items for kernels that require more");
            size_t required[3] = {0};
            CHECK_CL(clGetKernelWorkGroupInfo(kernels[k], device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                              sizeof required, required, NULL));
            group_limit = required[0] > group_limit ? required[0] : group_limit;
        }
        ck_assert_msg(options->group_size <= group_limit, "%s/%s with %s: groups of %u, the kernel's limit is %zu",
                      name, kernel_name, text, (unsigned)options->group_size, group_limit);
        ck_assert_uint_le(options->group_size, item_sizes[0]);
        ck_assert_msg(local_bytes <= caps.local_bytes, "%s with %s: local memory %llu", name, text,
                      (unsigned long long)local_bytes);
        clReleaseKernel(kernels[k]);
    }
    clReleaseProgram(program);
    return n_kernels;
}

START_TEST(kernels_of_every_row_keep_the_limits_of_kernel_and_device)
{
    unsigned n_kernels = 0;
    read_caps();
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        for (uint32_t key_bytes = 8; key_bytes >= (is_slow_run() ? 1 : 8); key_bytes /= 2) {
            char text[1024];
            if (!row_text(r, text, sizeof text)) {
                continue;
            }
            struct tuning t = clsort__tuning_scale(clsort__tuning_rows[r].values, key_bytes);
            if (clsort__tuning_illegal(&caps, &t, &(struct tuning_use){key_bytes, 16, 4})) {
                print_exemption("rows whose tiles do not fit", "with keys this wide and values of 16 bytes");
                continue;
            }
            struct program_options options = {.key_bytes = key_bytes,
                                              .value_bytes = 16,
                                              .index_bytes = 4,
                                              .group_size = t.group_size,
                                              .items = t.items,
                                              .radix_bits = t.radix_bits,
                                              .rank_bits = t.rank_bits,
                                              .element_words = 1,
                                              .unroll = !(caps.type & CL_DEVICE_TYPE_CPU),
                                              .ptx = t.ptx};
            n_kernels += check_kernel_limits("radix", &options);
            options.group_size = t.local_group_size;
            options.items = t.local_items;
            n_kernels += check_kernel_limits("radix_local", &options);
            n_kernels += check_kernel_limits("bitonic", &options);
            options.group_size = t.spread_group_size;
            options.items = t.spread_items;
            n_kernels += check_kernel_limits("rank", &options);
            if (key_bytes <= 2) {
                options.group_size = t.counting_group_size;
                options.items = t.counting_items;
                n_kernels += check_kernel_limits("counting", &options);
            }
            options.value_bytes = 0;
            options.group_size = t.spread_group_size;
            options.items = t.spread_items;
            n_kernels += check_kernel_limits("samplesort", &options);
        }
    }
    ck_assert_uint_ge(n_kernels, 5);
}
END_TEST

int main(void)
{
    return RUN_TESTS("tuning_rows", every_row_sorts_keys_of_all_digits_and_of_one,
                     override_that_is_not_legal_here_is_refused, override_of_an_unknown_name_is_refused_at_once,
                     tuning_file_and_environment_are_used_in_their_order,
                     file_of_the_user_that_is_no_good_is_told_and_ignored,
                     file_in_the_settings_folder_is_found_and_need_not_be_there,
                     kernels_of_every_row_keep_the_limits_of_kernel_and_device);
}
