/* The disk cache: filled, read, damaged, shared by processes, in odd folders, switched off; and what a failed build leaves. */
#include "process.h"
#include "sort_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *directory;

static void set_up(void)
{
    directory = make_directory("clsort-cache");
}

static void tear_down(void)
{
    remove_directory(directory);
}

/* A process that sorts with the cache in this folder; it has to succeed. */
static struct process_result sort_with_cache(const char *path)
{
    char variable[8192];
    snprintf(variable, sizeof variable, "CLSORT_CACHE_DIR=%s", path);
    const char *environment[] = {variable, NULL}, *arguments[] = {"prepare", "pairs", "count=5000", NULL};
    struct process_result result = run_process("sort_once", environment, arguments);
    ck_assert_msg(result.exit_code == 0, "exit code %d: %s", result.exit_code, result.output);
    return result;
}

static void check_programs(const struct process_result *result, bool compiled)
{
    long n_compiled = output_number(result, "compiled"), n_loaded = output_number(result, "loaded");
    ck_assert_msg(compiled ? n_compiled > 0 : n_compiled == 0 && n_loaded > 0, "compiled %ld, loaded %ld: %s",
                  n_compiled, n_loaded, result->output);
}

/* Changes every file of the folder. */
static void spoil(const char *path, void (*change)(FILE *file, long bytes))
{
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    unsigned n_changed = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[4096];
        struct stat facts;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &facts) != 0 || !S_ISREG(facts.st_mode)) {
            continue;
        }
        FILE *file = fopen(name, "r+b");
        ck_assert_ptr_nonnull(file);
        change(file, (long)facts.st_size);
        fclose(file);
        n_changed++;
    }
    closedir(folder);
    ck_assert_uint_gt(n_changed, 0);
}

static void flip_at(FILE *file, long place)
{
    fseek(file, place, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(byte ^ 0x5a, file);
}

static void flip_first(FILE *file, long bytes)
{
    (void)bytes;
    flip_at(file, 0);
}

static void flip_middle(FILE *file, long bytes)
{
    flip_at(file, bytes / 2);
}

static void flip_last(FILE *file, long bytes)
{
    flip_at(file, bytes - 1);
}

static void cut_in_half(FILE *file, long bytes)
{
    ck_assert_int_eq(ftruncate(fileno(file), bytes / 2), 0);
}

static void cut_to_nothing(FILE *file, long bytes)
{
    (void)bytes;
    ck_assert_int_eq(ftruncate(fileno(file), 0), 0);
}

static void lengthen(FILE *file, long bytes)
{
    fseek(file, bytes, SEEK_SET);
    fputs("more", file);
}

START_TEST(second_process_loads_what_the_first_compiled)
{
    set_up();
    struct process_result first = sort_with_cache(directory);
    check_programs(&first, true);
    ck_assert_uint_gt(count_files(directory), 0);
    struct process_result second = sort_with_cache(directory);
    check_programs(&second, false);
    tear_down();
}
END_TEST

START_TEST(damaged_entries_are_compiled_again_and_mended)
{
    void (*const changes[])(FILE *, long) = {flip_first, flip_middle, flip_last, cut_in_half, cut_to_nothing, lengthen};
    set_up();
    sort_with_cache(directory);
    for (size_t i = 0; i < N_ELEMENTS(changes); i++) {
        spoil(directory, changes[i]);
        struct process_result result = sort_with_cache(directory);
        check_programs(&result, true);
        ck_assert_int_eq(output_number(&result, "loaded"), 0);
        ck_assert_msg(strstr(result.output, "log "), "damage was not logged: %s", result.output);
        result = sort_with_cache(directory);
        check_programs(&result, false);
    }
    tear_down();
}
END_TEST

/* A whole entry under another one's name, as after a clash of names, is not taken for it. */
START_TEST(entry_of_another_program_is_not_used)
{
    set_up();
    sort_with_cache(directory);
    char names[64][512];
    size_t n = 0;
    DIR *folder = opendir(directory);
    for (struct dirent *entry = readdir(folder); entry && n < 64; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(names[n++], sizeof names[0], "%s/%s", directory, entry->d_name);
        }
    }
    closedir(folder);
    ck_assert_uint_ge(n, 2);
    char saved[600];
    snprintf(saved, sizeof saved, "%s/saved", directory);
    ck_assert_int_eq(rename(names[0], saved), 0);
    for (size_t i = 1; i < n; i++) {
        ck_assert_int_eq(rename(names[i], names[i - 1]), 0);
    }
    ck_assert_int_eq(rename(saved, names[n - 1]), 0);
    struct process_result result = sort_with_cache(directory);
    check_programs(&result, true);
    tear_down();
}
END_TEST

START_TEST(folders_with_odd_names_work)
{
    static const char *const names[] = {"with space", "it's", "quote\"d", "\xc3\xa4\xe6\x97\xa5", "a/b/new", "-Dx=1"};
    set_up();
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        char path[8000];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        struct process_result first = sort_with_cache(path);
        check_programs(&first, true);
        ck_assert_ptr_nonnull(strstr(first.output, path));
        struct process_result second = sort_with_cache(path);
        check_programs(&second, false);
    }
    tear_down();
}
END_TEST

START_TEST(folder_that_cannot_be_made_costs_only_the_cache)
{
    set_up();
    char path[8000];
    snprintf(path, sizeof path, "%s/file", directory);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    strcat(path, "/below");
    struct process_result result = sort_with_cache(path);
    check_programs(&result, true);
    result = sort_with_cache("/proc/clsort");
    check_programs(&result, true);
    tear_down();
}
END_TEST

START_TEST(cache_that_is_switched_off_is_neither_written_nor_read)
{
    set_up();
    char variable[8192];
    snprintf(variable, sizeof variable, "CLSORT_CACHE_DIR=%s", directory);
    const char *environment[] = {variable, NULL}, *arguments[] = {"no-cache", "prepare", "pairs", "count=5000", NULL};
    struct process_result result = run_process("sort_once", environment, arguments);
    ck_assert_msg(result.exit_code == 0, "%s", result.output);
    ck_assert_uint_eq(count_files(directory), 0);
    check_programs(&result, true);
    sort_with_cache(directory);
    result = run_process("sort_once", environment, arguments);
    check_programs(&result, true);
    tear_down();
}
END_TEST

/* What the loop probe found is a file too; it runs on CPU devices whose name does not tell. */
static long n_probes(void)
{
    cl_device_type type = 0;
    char name[256];
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    info_text(test_device()->sorter, NULL, CLSORT_INFO_DEVICE_NAME, name, sizeof name);
    return (type & CL_DEVICE_TYPE_CPU) && !strstr(name, "llvmpipe");
}

START_TEST(processes_at_once_share_one_cache)
{
    enum { N = 4 };
    set_up();
    char variable[8192];
    snprintf(variable, sizeof variable, "CLSORT_CACHE_DIR=%s", directory);
    const char *environment[] = {variable, NULL}, *arguments[] = {"prepare", "pairs", "count=5000", NULL};
    struct process_result *results = allocate(N * sizeof *results);
    run_processes("sort_once", environment, arguments, N, results);
    for (int i = 0; i < N; i++) {
        ck_assert_msg(results[i].exit_code == 0, "%s", results[i].output);
    }
    free(results);
    size_t n_files = count_files(directory);
    struct process_result after = sort_with_cache(directory);
    check_programs(&after, false);
    /* no left-over temporary files */
    ck_assert_int_eq(output_number(&after, "loaded") + n_probes(), (long)n_files);
    tear_down();
}
END_TEST

START_TEST(other_build_options_are_other_entries)
{
    set_up();
    struct process_result plain = sort_with_cache(directory);
    check_programs(&plain, true);
    char variable[8192];
    snprintf(variable, sizeof variable, "CLSORT_CACHE_DIR=%s", directory);
    const char *environment[] = {variable, NULL};
    const char *arguments[] = {"build=-DANYTHING=1", "prepare", "pairs", "count=5000", NULL};
    struct process_result other = run_process("sort_once", environment, arguments);
    ck_assert_msg(other.exit_code == 0, "%s", other.output);
    check_programs(&other, true);
    tear_down();
}
END_TEST

START_TEST(clear_cache_removes_the_programs_and_nothing_else)
{
    set_up();
    sort_with_cache(directory);
    char kept[8000];
    snprintf(kept, sizeof kept, "%s/notes.txt", directory);
    FILE *file = fopen(kept, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    clsort_options options;
    clsort_options_init(&options);
    options.cache_directory = directory;
    CHECK_STATUS(NULL, CLSORT_SUCCESS, clsort_clear_cache(&options));
    ck_assert_uint_eq(count_files(directory), 1);
    ck_assert_int_eq(access(kept, F_OK), 0);
    CHECK_STATUS(NULL, CLSORT_SUCCESS, clsort_clear_cache(&options));
    struct process_result result = sort_with_cache(directory);
    check_programs(&result, true);
    tear_down();
}
END_TEST

START_TEST(cache_directory_of_the_options_goes_before_the_environment)
{
    set_up();
    clsort_options options;
    clsort_options_init(&options);
    options.cache_directory = directory;
    struct device device = open_device_with(&options);
    char path[4096];
    ck_assert_str_eq(info_text(device.sorter, NULL, CLSORT_INFO_CACHE_DIRECTORY, path, sizeof path), directory);
    close_device(&device);
    device = open_device(NULL, CLSORT_NO_DISK_CACHE);
    ck_assert_str_eq(info_text(device.sorter, NULL, CLSORT_INFO_CACHE_DIRECTORY, path, sizeof path), "");
    close_device(&device);
    tear_down();
}
END_TEST

/* A build option that no compiler takes: a status, the log, no harm to the next sorter. */
START_TEST(failed_build_gives_the_log_and_the_next_sorter_works)
{
    clsort_options options;
    clsort_options_init(&options);
    options.build_options = "-DKEY_BYTES=3";
    struct device broken = open_device_with(&options);
    uint32_t keys[100] = {0};
    cl_mem buffer = make_buffer(&broken, CL_MEM_READ_WRITE, sizeof keys, keys);
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = 100;
    request.keys_in = request.keys_out = clsort_make_range(buffer, 0);
    for (int attempt = 0; attempt < 2; attempt++) {
        cl_event event = NULL;
        clsort_status status = clsort_enqueue(broken.sorter, broken.queue, &request, 0, NULL, &event);
        ck_assert_msg(status == CL_BUILD_PROGRAM_FAILURE || status == CL_INVALID_BUILD_OPTIONS, "status %d",
                      (int)status);
        ck_assert_ptr_null((void *)event);
        char text[16384];
        ck_assert_uint_gt(clsort_last_error(broken.sorter, text, sizeof text), 100);
        ck_assert_msg(strstr(text, "clBuildProgram") && strstr(text, "KEY_BYTES"), "%s", text);
        ck_assert_int_eq(clsort_prepare(broken.sorter, &request), status);
    }
    CHECK_CL(clReleaseMemObject(buffer));
    close_device(&broken);
    check_sort(test_device(), (struct sort_case){.operation = CLSORT_KEYS,
                                                 .key_type = CLSORT_U32,
                                                 .count = 100,
                                                 .data = {DATA_RANDOM, 1, 0}});
}
END_TEST

int main(void)
{
    return RUN_TESTS("cache", second_process_loads_what_the_first_compiled,
                     damaged_entries_are_compiled_again_and_mended, entry_of_another_program_is_not_used,
                     folders_with_odd_names_work, folder_that_cannot_be_made_costs_only_the_cache,
                     cache_that_is_switched_off_is_neither_written_nor_read, processes_at_once_share_one_cache,
                     other_build_options_are_other_entries, clear_cache_removes_the_programs_and_nothing_else,
                     cache_directory_of_the_options_goes_before_the_environment,
                     failed_build_gives_the_log_and_the_next_sorter_works);
}
