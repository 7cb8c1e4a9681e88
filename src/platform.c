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

/* A folder of the XDG Base Directory Specification 0.8: a relative path in the variable is to be ignored. */
#ifndef _WIN32
static char *base_directory(const char *variable, const char *below_home)
{
    const char *directory = getenv(variable);
    if (directory && *directory == '/') {
        return clsort__platform_join(directory, "");
    }
    const char *home = getenv("HOME");
    return home && *home ? clsort__platform_join(home, below_home) : NULL;
}
#else
static char *directory_of(const char *variable)
{
    const char *directory = getenv(variable);
    return directory && *directory ? clsort__platform_join(directory, "") : NULL;
}
#endif

char *clsort__platform_cache_directory(void)
{
#ifdef _WIN32
    return directory_of("LOCALAPPDATA");
#else
    return base_directory("XDG_CACHE_HOME", "/.cache");
#endif
}

char *clsort__platform_config_directory(void)
{
#ifdef _WIN32
    return directory_of("APPDATA");
#else
    return base_directory("XDG_CONFIG_HOME", "/.config");
#endif
}

int clsort__platform_is_privileged(void)
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

int clsort__platform_exists(const char *path)
{
#ifdef _WIN32
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
#else
    struct stat facts;
    return lstat(path, &facts) == 0;
#endif
}

void *clsort__platform_read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
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
    FILE *file = fopen(temporary, "wb");
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

static int remove_if_suffix(const char *directory, const char *name, const char *suffix)
{
    const size_t name_length = strlen(name), suffix_length = strlen(suffix);
    if (name_length < suffix_length || strcmp(name + name_length - suffix_length, suffix) != 0) {
        return 0;
    }
    char *start = clsort__platform_join(directory, "/");
    char *path = start ? clsort__platform_join(start, name) : NULL;
    const int failed = !path || remove(path) != 0;
    free(path);
    free(start);
    return failed;
}

int clsort__platform_remove_files(const char *directory, const char *suffix)
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
        failed |= remove_if_suffix(directory, entry.cFileName, suffix);
    } while (FindNextFileA(search, &entry));
    FindClose(search);
#else
    DIR *open_directory = opendir(directory);
    if (!open_directory) {
        return errno == ENOENT ? 0 : -1;
    }
    for (struct dirent *entry; (entry = readdir(open_directory));) {
        failed |= remove_if_suffix(directory, entry->d_name, suffix);
    }
    closedir(open_directory);
#endif
    return failed ? -1 : 0;
}
