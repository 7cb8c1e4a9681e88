/* What is not portable C: mutex, directories, whole files, atomic replace. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <direct.h>
#include <process.h>
#define make_directory(path) _mkdir(path)
#define process_number() ((unsigned)_getpid())
#else
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#define make_directory(path) mkdir(path, 0700)
#define process_number() ((unsigned)getpid())
#endif

#include "platform.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct platform_mutex {
#ifdef _WIN32
    SRWLOCK lock;
#else
    pthread_mutex_t lock;
#endif
};

struct platform_mutex *clsort__platform_mutex_create(void)
{
    struct platform_mutex *mutex = malloc(sizeof *mutex);
    if (!mutex) {
        return NULL;
    }
#ifdef _WIN32
    InitializeSRWLock(&mutex->lock);
#else
    if (pthread_mutex_init(&mutex->lock, NULL)) {
        free(mutex);
        return NULL;
    }
#endif
    return mutex;
}

void clsort__platform_mutex_destroy(struct platform_mutex *mutex)
{
    if (!mutex) {
        return;
    }
#ifndef _WIN32
    pthread_mutex_destroy(&mutex->lock);
#endif
    free(mutex);
}

void clsort__platform_mutex_lock(struct platform_mutex *mutex)
{
#ifdef _WIN32
    AcquireSRWLockExclusive(&mutex->lock);
#else
    pthread_mutex_lock(&mutex->lock);
#endif
}

void clsort__platform_mutex_unlock(struct platform_mutex *mutex)
{
#ifdef _WIN32
    ReleaseSRWLockExclusive(&mutex->lock);
#else
    pthread_mutex_unlock(&mutex->lock);
#endif
}

struct platform_mutex *clsort__platform_process_mutex(void)
{
#ifdef _WIN32
    static struct platform_mutex mutex = {SRWLOCK_INIT};
#else
    static struct platform_mutex mutex = {PTHREAD_MUTEX_INITIALIZER};
#endif
    return &mutex;
}

char *clsort__platform_join(const char *first, const char *second)
{
    const size_t bytes = strlen(first) + strlen(second) + 1;
    char *joined = malloc(bytes);
    if (joined) {
        snprintf(joined, bytes, "%s%s", first, second);
    }
    return joined;
}

static int is_privileged(void)
{
#ifdef _WIN32
    return 0; /* programs run with the rights of who starts them */
#else
#ifdef __linux__
    if (getauxval(AT_SECURE)) {
        return 1;
    }
#endif
    return getuid() != geteuid() || getgid() != getegid();
#endif
}

const char *clsort__platform_variable(const char *name)
{
    const char *value = is_privileged() ? NULL : getenv(name);
    return value && *value ? value : NULL;
}

#ifdef _WIN32
static int directory_of(const char *variable, char **path)
{
    const char *directory = clsort__platform_variable(variable);
    *path = directory ? clsort__platform_join(directory, "") : NULL;
    return directory && !*path ? -1 : 0;
}
#else
/* A folder of the XDG Base Directory Specification 0.8: a relative path in the variable is to be ignored. */
static int base_directory(const char *variable, const char *below_home, char **path)
{
    const char *directory = clsort__platform_variable(variable);
    const int is_given = directory && *directory == '/';
    const char *home = is_given ? directory : clsort__platform_variable("HOME");
    *path = home ? clsort__platform_join(home, is_given ? "" : below_home) : NULL;
    return home && !*path ? -1 : 0;
}
#endif

int clsort__platform_cache_directory(char **path)
{
#ifdef _WIN32
    return directory_of("LOCALAPPDATA", path);
#else
    return base_directory("XDG_CACHE_HOME", "/.cache", path);
#endif
}

int clsort__platform_config_directory(char **path)
{
#ifdef _WIN32
    return directory_of("APPDATA", path);
#else
    return base_directory("XDG_CONFIG_HOME", "/.config", path);
#endif
}

int clsort__platform_make_directories(const char *path)
{
    char *part = clsort__platform_join(path, "");
    if (!part) {
        return -1;
    }
    int failed = 0;
    for (char *end = part + 1; !failed; end++) {
        if (*end != '/' && *end != 0) {
            continue;
        }
        const char separator = *end;
        *end = 0;
        failed = make_directory(part) && errno != EEXIST && separator == 0;
        *end = separator;
        if (separator == 0) {
            break;
        }
    }
    free(part);
    return failed ? -1 : 0;
}

#ifndef _WIN32
static int is_private(const struct stat *facts)
{
    return facts->st_uid == geteuid() && !(facts->st_mode & (S_IWGRP | S_IWOTH));
}
#endif

int clsort__platform_is_private_directory(const char *path)
{
#ifdef _WIN32
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
#else
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && is_private(&facts);
#endif
}

int clsort__platform_exists(const char *path)
{
#ifdef _WIN32
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
#else
    struct stat facts;
    return lstat(path, &facts) == 0;
#endif
}

/* Reads a file to its end and closes it. */
static void *read_to_end(FILE *file, size_t *bytes)
{
    char *content = NULL;
    size_t held = 0, room = 0;
    for (;;) {
        if (held + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            char *more = realloc(content, room);
            if (!more) {
                break;
            }
            content = more;
        }
        const size_t got = fread(content + held, 1, room - held - 1, file);
        held += got;
        if (got == 0) {
            break;
        }
    }
    const int complete = content && !ferror(file) && feof(file);
    fclose(file);
    if (!complete) {
        free(content);
        return NULL;
    }
    content[held] = 0;
    *bytes = held;
    return content;
}

void *clsort__platform_read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    return file ? read_to_end(file, bytes) : NULL;
}

void *clsort__platform_read_private_file(const char *path, size_t *bytes)
{
#ifdef _WIN32
    return clsort__platform_read_file(path, bytes);
#else
    /* Not to wait for a writer, where somebody put a pipe there. */
    const int number = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (number < 0) {
        return NULL;
    }
    const int is_usable = fstat(number, &facts) == 0 && S_ISREG(facts.st_mode) && is_private(&facts);
    FILE *file = is_usable ? fdopen(number, "rb") : NULL;
    if (!file) {
        close(number);
        return NULL;
    }
    enum { day = 24 * 60 * 60 };
    if (time(NULL) - facts.st_mtime > day) {
        futimens(number, NULL);
    }
    return read_to_end(file, bytes);
#endif
}

/* A new file for this user alone; NULL if there is something at the path, be it a link. */
static FILE *create_file(const char *path)
{
#ifdef _WIN32
    return fopen(path, "wbx");
#else
    const int number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    FILE *file = number >= 0 ? fdopen(number, "wb") : NULL;
    if (number >= 0 && !file) {
        close(number);
        remove(path);
    }
    return file;
#endif
}

int clsort__platform_replace_file(const char *path, const void *content, size_t bytes)
{
    /* The address of the content tells threads of one process apart. */
    char suffix[64];
    snprintf(suffix, sizeof suffix, ".%u.%lx" PLATFORM_PART_SUFFIX, process_number(),
             (unsigned long)(uintptr_t)content);
    char *temporary = clsort__platform_join(path, suffix);
    if (!temporary) {
        return -1;
    }
    int failed = 1;
    FILE *file = create_file(temporary);
    if (file) {
        failed = fwrite(content, 1, bytes, file) != bytes;
        failed |= fclose(file) != 0;
#ifdef _WIN32
        failed = failed || !MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING);
#else
        failed = failed || rename(temporary, path) != 0;
#endif
        if (failed) {
            remove(temporary);
        }
    }
    free(temporary);
    return failed ? -1 : 0;
}

/* A file as it was found in a folder. */
struct found_file {
    char *path;
    uint64_t bytes;
    uint64_t written; /* when, on a scale of the system's */
};

struct found_files {
    struct found_file *files;
    size_t n;
};

static void clear_found(struct found_files *found)
{
    for (size_t i = 0; i < found->n; i++) {
        free(found->files[i].path);
    }
    free(found->files);
    *found = (struct found_files){NULL, 0};
}

static int has_suffix(const char *name, const char *suffix)
{
    const size_t name_length = strlen(name), suffix_length = strlen(suffix);
    return name_length >= suffix_length && strcmp(name + name_length - suffix_length, suffix) == 0;
}

/* Appends a file of the folder; its path is all that is set of it. NULL if there is no memory. */
static struct found_file *append_found(struct found_files *found, const char *directory, const char *name)
{
    struct found_file *files = realloc(found->files, (found->n + 1) * sizeof *files);
    if (!files) {
        return NULL;
    }
    found->files = files;
    char *start = clsort__platform_join(directory, "/");
    char *path = start ? clsort__platform_join(start, name) : NULL;
    free(start);
    if (!path) {
        return NULL;
    }
    files[found->n] = (struct found_file){path, 0, 0};
    return &files[found->n++];
}

/* Finds the files of a folder whose names end in suffix; none if there is no such folder. 0 on success. */
static int find_files(const char *directory, const char *suffix, struct found_files *found)
{
    int failed = 0;
#ifdef _WIN32
    char *pattern = clsort__platform_join(directory, "/*");
    WIN32_FIND_DATAA entry;
    HANDLE search = pattern ? FindFirstFileA(pattern, &entry) : INVALID_HANDLE_VALUE;
    free(pattern);
    if (search == INVALID_HANDLE_VALUE) {
        return 0;
    }
    do {
        if (has_suffix(entry.cFileName, suffix)) {
            struct found_file *file = append_found(found, directory, entry.cFileName);
            failed |= !file;
            if (file) {
                file->bytes = (uint64_t)entry.nFileSizeHigh << 32 | entry.nFileSizeLow;
                file->written =
                    (uint64_t)entry.ftLastWriteTime.dwHighDateTime << 32 | entry.ftLastWriteTime.dwLowDateTime;
            }
        }
    } while (FindNextFileA(search, &entry));
    FindClose(search);
#else
    DIR *open_directory = opendir(directory);
    if (!open_directory) {
        return errno == ENOENT ? 0 : -1;
    }
    for (struct dirent *entry; (entry = readdir(open_directory));) {
        if (has_suffix(entry->d_name, suffix)) {
            struct stat facts;
            struct found_file *file = append_found(found, directory, entry->d_name);
            failed |= !file;
            if (file && lstat(file->path, &facts) == 0) {
                file->bytes = (uint64_t)facts.st_size;
                file->written = (uint64_t)facts.st_mtim.tv_sec * 1000000000 + (uint64_t)facts.st_mtim.tv_nsec;
            }
        }
    }
    closedir(open_directory);
#endif
    return failed ? -1 : 0;
}

int clsort__platform_remove_files(const char *directory, const char *suffix)
{
    struct found_files found = {NULL, 0};
    int failed = find_files(directory, suffix, &found);
    for (size_t i = 0; i < found.n; i++) {
        failed |= remove(found.files[i].path) != 0;
    }
    clear_found(&found);
    return failed ? -1 : 0;
}

static int compare_written(const void *a, const void *b)
{
    const uint64_t first = ((const struct found_file *)a)->written, second = ((const struct found_file *)b)->written;
    return first < second ? -1 : first > second;
}

int clsort__platform_bound_files(const char *directory, const char *suffix, uint64_t most_bytes)
{
    struct found_files found = {NULL, 0};
    uint64_t bytes = 0;
    int failed = find_files(directory, suffix, &found);
    for (size_t i = 0; i < found.n; i++) {
        bytes += found.files[i].bytes;
    }
    if (bytes > most_bytes) {
        qsort(found.files, found.n, sizeof found.files[0], compare_written);
    }
    for (size_t i = 0; i < found.n && bytes > most_bytes; i++) {
        failed |= remove(found.files[i].path) != 0;
        bytes -= found.files[i].bytes;
    }
    clear_found(&found);
    return failed ? -1 : 0;
}
