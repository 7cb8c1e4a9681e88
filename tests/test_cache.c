/* The disk cache: filled, read, damaged, shared by processes, in odd folders, kept from others, switched off; and what a failed
   build leaves. */
#include "process.h"
#include "sort_check.h"

#include <dirent.h>
#include <fcntl.h>
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

/* Calls visit for every file of the folder, of which there has to be one; links are files too. */
static void visit_files(const char *path, void (*visit)(const char *name, const struct stat *facts, const void *data),
                        const void *data)
{
    char names[64][4096];
    size_t n = 0;
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry = readdir(folder); entry && n < N_ELEMENTS(names); entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(names[n++], sizeof names[0], "%s/%s", path, entry->d_name);
        }
    }
    closedir(folder);
    ck_assert_uint_gt(n, 0);
    for (size_t i = 0; i < n; i++) {
        struct stat facts;
        ck_assert_int_eq(lstat(names[i], &facts), 0);
        visit(names[i], &facts, data);
    }
}

struct damage {
    void (*change)(FILE *file, long bytes);
};

static void damage_file(const char *name, const struct stat *facts, const void *data)
{
    FILE *file = fopen(name, "r+b");
    ck_assert_ptr_nonnull(file);
    ((const struct damage *)data)->change(file, (long)facts->st_size);
    fclose(file);
}

/* Changes every file of the folder. */
static void spoil(const char *path, void (*change)(FILE *file, long bytes))
{
    visit_files(path, damage_file, &(struct damage){change});
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

static void check_is_private(const char *name, const struct stat *facts, const void *data)
{
    (void)data;
    ck_assert_msg(S_ISREG(facts->st_mode) && (facts->st_mode & 0777) == 0600, "%s: mode %o", name,
                  (unsigned)facts->st_mode);
}

START_TEST(folder_and_entries_are_for_the_user_alone)
{
    char path[8000];
    struct stat facts;
    set_up();
    snprintf(path, sizeof path, "%s/above/cache", directory);
    const mode_t before = umask(0);
    sort_with_cache(path);
    umask(before);
    visit_files(path, check_is_private, NULL);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(lstat(path, &facts), 0);
        ck_assert_uint_eq(facts.st_mode & 0777, 0700);
        *strrchr(path, '/') = 0;
    }
    tear_down();
}
END_TEST

START_TEST(folder_that_others_may_write_to_is_not_used)
{
    static const mode_t modes[] = {0770, 0707, 0777, 01777};
    set_up();
    sort_with_cache(directory);
    const size_t n_files = count_files(directory);
    for (size_t i = 0; i < N_ELEMENTS(modes); i++) {
        ck_assert_int_eq(chmod(directory, modes[i]), 0);
        struct process_result result = sort_with_cache(directory);
        check_programs(&result, true);
        ck_assert_int_eq(output_number(&result, "loaded"), 0);
        ck_assert_msg(strstr(result.output, "no cache directory"), "%s", result.output);
        ck_assert_uint_eq(count_files(directory), n_files);
    }
    ck_assert_int_eq(chmod(directory, 0755), 0);
    struct process_result result = sort_with_cache(directory);
    check_programs(&result, false);
    tear_down();
}
END_TEST

static void let_others_write(const char *name, const struct stat *facts, const void *data)
{
    (void)facts;
    (void)data;
    ck_assert_int_eq(chmod(name, 0666), 0);
}

START_TEST(entries_that_others_may_write_to_are_not_used_and_replaced)
{
    set_up();
    sort_with_cache(directory);
    visit_files(directory, let_others_write, NULL);
    struct process_result result = sort_with_cache(directory);
    check_programs(&result, true);
    ck_assert_int_eq(output_number(&result, "loaded"), 0);
    visit_files(directory, check_is_private, NULL);
    result = sort_with_cache(directory);
    check_programs(&result, false);
    tear_down();
}
END_TEST

/* Moves a file to the folder and leaves a link to it in its place. */
static void move_and_link(const char *name, const struct stat *facts, const void *data)
{
    char moved[8192];
    (void)facts;
    snprintf(moved, sizeof moved, "%s%s", (const char *)data, strrchr(name, '/'));
    ck_assert_int_eq(rename(name, moved), 0);
    ck_assert_int_eq(symlink(moved, name), 0);
}

static void note_change(const char *name, const struct stat *facts, const void *data)
{
    (void)data;
    ck_assert_msg(facts->st_mtime == 1000000000, "%s was written", name);
}

static void set_old(const char *name, const struct stat *facts, const void *data)
{
    const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    (void)facts;
    (void)data;
    ck_assert_int_eq(utimensat(AT_FDCWD, name, old, 0), 0);
}

START_TEST(links_are_neither_read_nor_written_through)
{
    char path[8000];
    set_up();
    char *outside = make_directory("clsort-outside");
    snprintf(path, sizeof path, "%s/cache", directory);
    sort_with_cache(path);
    visit_files(path, move_and_link, outside);
    visit_files(outside, set_old, NULL);
    struct process_result result = sort_with_cache(path);
    check_programs(&result, true);
    ck_assert_int_eq(output_number(&result, "loaded"), 0);
    visit_files(outside, note_change, NULL);
    visit_files(path, check_is_private, NULL);
    remove_directory(outside);
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

/* Starts processes that sort at once with the cache in the folder; all have to succeed. */
static void sort_at_once(void)
{
    const size_t n = is_slow_run() ? 16 : 4;
    char variable[8192];
    snprintf(variable, sizeof variable, "CLSORT_CACHE_DIR=%s", directory);
    const char *environment[] = {variable, NULL}, *arguments[] = {"prepare", "pairs", "count=5000", NULL};
    struct process_result *results = allocate(n * sizeof *results);
    run_processes("sort_once", environment, arguments, n, results);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(results[i].exit_code == 0, "%s", results[i].output);
    }
    free(results);
}

START_TEST(processes_at_once_mend_a_damaged_cache)
{
    set_up();
    sort_with_cache(directory);
    spoil(directory, flip_middle);
    sort_at_once();
    struct process_result after = sort_with_cache(directory);
    check_programs(&after, false);
    tear_down();
}
END_TEST

START_TEST(processes_at_once_share_one_cache)
{
    set_up();
    sort_at_once();
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
                     folder_and_entries_are_for_the_user_alone, folder_that_others_may_write_to_is_not_used,
                     entries_that_others_may_write_to_are_not_used_and_replaced,
                     links_are_neither_read_nor_written_through, cache_that_is_switched_off_is_neither_written_nor_read,
                     processes_at_once_share_one_cache, processes_at_once_mend_a_damaged_cache,
                     other_build_options_are_other_entries, clear_cache_removes_the_programs_and_nothing_else,
                     cache_directory_of_the_options_goes_before_the_environment,
                     failed_build_gives_the_log_and_the_next_sorter_works);
}
