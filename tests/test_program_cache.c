/* Entries of the disk cache by themselves: whole ones alone are loaded, and old ones are dropped where there are too many. */
#include "program_cache.h"

#include "platform.h"
#include "process.h"
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BINARY_BYTES = 1000, HOUR = 3600, DAY = 24 * HOUR };

static char *directory;

static void set_up(void)
{
    directory = make_directory("clsort-entries");
}

static void tear_down(void)
{
    remove_directory(directory);
}

/* The path of a file that is less than an hour old, of which there is one. */
static void find_new_file(char *path, size_t bytes)
{
    unsigned n_found = 0;
    DIR *folder = opendir(directory);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4400];
        struct stat facts;
        snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
        ck_assert_int_eq(lstat(name, &facts), 0);
        if (S_ISREG(facts.st_mode) && time(NULL) - facts.st_mtime < HOUR) {
            snprintf(path, bytes, "%s", name);
            n_found++;
        }
    }
    closedir(folder);
    ck_assert_uint_eq(n_found, 1);
}

static void set_age(const char *path, time_t age)
{
    const struct timespec old[2] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
}

static const char *key_of(int number)
{
    static char key[32];
    snprintf(key, sizeof key, "entry %d", number);
    return key;
}

/* Stores the entry with this number and makes it as old as so many seconds. */
static void store(int number, time_t age)
{
    unsigned char binary[BINARY_BYTES];
    char path[4400];
    memset(binary, number, sizeof binary);
    ck_assert_int_eq(clsort__program_cache_store(directory, key_of(number), binary, sizeof binary), 0);
    find_new_file(path, sizeof path);
    set_age(path, age);
}

/* Whether the entry is there and whole. */
static bool has(int number)
{
    size_t bytes = 0;
    int is_damaged;
    unsigned char *binary = clsort__program_cache_load(directory, key_of(number), &bytes, &is_damaged);
    const bool is_there = binary != NULL;
    if (is_there) {
        ck_assert_uint_eq(bytes, BINARY_BYTES);
        ck_assert_uint_eq(binary[0], number);
        ck_assert_uint_eq(binary[BINARY_BYTES - 1], number);
    }
    free(binary);
    return is_there;
}

START_TEST(no_changed_byte_of_an_entry_goes_unnoticed)
{
    char path[4400];
    set_up();
    store(1, 0);
    find_new_file(path, sizeof path);
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_gt(facts.st_size, BINARY_BYTES);
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    setvbuf(file, NULL, _IONBF, 0);
    for (long place = 0; place < facts.st_size; place++) {
        fseek(file, place, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, place, SEEK_SET);
        fputc(byte ^ 1 << place % 8, file);
        ck_assert_msg(!has(1), "byte %ld was changed", place);
        fseek(file, place, SEEK_SET);
        fputc(byte, file);
    }
    fclose(file);
    ck_assert(has(1));
    tear_down();
}
END_TEST

START_TEST(entries_that_were_not_used_for_longest_are_dropped)
{
    set_up();
    for (int i = 1; i <= 6; i++) {
        store(i, i % 2 ? 10 * DAY + i * HOUR : 3 * HOUR + i * HOUR);
    }
    char kept[4400];
    snprintf(kept, sizeof kept, "%s/notes", directory);
    FILE *file = fopen(kept, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    set_age(kept, 100 * DAY);
    ck_assert(has(5)); /* the oldest, until now */
    ck_assert_int_eq(clsort__platform_bound_files(directory, PROGRAM_CACHE_SUFFIX, 4 * (BINARY_BYTES + 100)), 0);
    for (int i = 1; i <= 6; i++) {
        ck_assert_msg(has(i) == (i != 1 && i != 3), "entry %d", i);
    }
    ck_assert_int_eq(access(kept, F_OK), 0);
    ck_assert_int_eq(clsort__platform_bound_files(directory, PROGRAM_CACHE_SUFFIX, 0), 0);
    ck_assert_uint_eq(count_files(directory), 1);
    tear_down();
}
END_TEST

/* A file of holes alone stands for the entries of years. */
START_TEST(new_entry_makes_old_ones_go_where_there_are_too_many_bytes)
{
    char path[4400];
    set_up();
    snprintf(path, sizeof path, "%s/large" PROGRAM_CACHE_SUFFIX, directory);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    ck_assert_int_eq(truncate(path, program_cache_most_bytes - 2 * BINARY_BYTES), 0);
    set_age(path, 5 * DAY);
    store(1, 2 * DAY);
    ck_assert_int_eq(access(path, F_OK), 0);
    store(2, HOUR);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert(has(1) && has(2));
    tear_down();
}
END_TEST

START_TEST(what_is_no_file_of_the_user_is_not_read)
{
    char path[4400], elsewhere[4500];
    size_t bytes;
    set_up();
    store(1, 0);
    find_new_file(path, sizeof path);
    snprintf(elsewhere, sizeof elsewhere, "%s.moved", path);
    ck_assert_int_eq(chmod(path, 0620), 0);
    ck_assert(!has(1));
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert(has(1));
    ck_assert_int_eq(rename(path, elsewhere), 0);
    ck_assert_int_eq(symlink(elsewhere, path), 0);
    ck_assert(!has(1));
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* with no writer: waiting for one would never end */
    ck_assert(!has(1));
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!has(1));
    ck_assert_ptr_null(clsort__platform_read_private_file(path, &bytes));
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(elsewhere, 12345, (gid_t)-1), 0);
        ck_assert_ptr_null(clsort__platform_read_private_file(elsewhere, &bytes));
    }
    tear_down();
}
END_TEST

int main(void)
{
    return RUN_TESTS("program_cache", no_changed_byte_of_an_entry_goes_unnoticed,
                     entries_that_were_not_used_for_longest_are_dropped,
                     new_entry_makes_old_ones_go_where_there_are_too_many_bytes,
                     what_is_no_file_of_the_user_is_not_read);
}
