/* files.c: what the command needs of the operating system beyond the C library; all that is not portable is here. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The command writes two files at most; room for those to come. */
enum { n_temporaries_limit = 4 };
static const char *volatile temporaries[n_temporaries_limit];

static void remember_temporary(const char *path)
{
    for (int i = 0; i < n_temporaries_limit; i++) {
        if (temporaries[i] == NULL) {
            temporaries[i] = path;
            return;
        }
    }
}

static void forget_temporary(const char *path)
{
    for (int i = 0; i < n_temporaries_limit; i++) {
        if (temporaries[i] == path)
            temporaries[i] = NULL;
    }
}

/* "folder/.clsort-PROCESS-ATTEMPT": short, so that it fits wherever the target's own name does. */
static char *temporary_path(const char *target, size_t n_folder, unsigned long process, int attempt)
{
    size_t n_bytes = n_folder + 64;
    char *path = malloc(n_bytes);
    if (path != NULL) {
        memcpy(path, target, n_folder);
        snprintf(path + n_folder, n_bytes - n_folder, ".clsort-%lu-%d", process, attempt);
    }
    return path;
}

enum { n_attempts = 1000 }; /* names left over from killed processes with the same number */

#ifndef _WIN32

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char folder_separator = '/';

static int make_folder(const char *path)
{
    return mkdir(path, 0700);
}

static void remove_temporaries_and_end(int signal_number)
{
    for (int i = 0; i < n_temporaries_limit; i++) {
        if (temporaries[i] != NULL)
            unlink(temporaries[i]);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void files_start(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        /* What the parent had ignored (nohup) stays so. */
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            signal(ending[i], remove_temporaries_and_end);
    }
}

uint64_t file_size(FILE *stream)
{
    struct stat facts;
    off_t position = lseek(fileno(stream), 0, SEEK_CUR);
    if (fstat(fileno(stream), &facts) != 0 || !S_ISREG(facts.st_mode) || position < 0 || facts.st_size <= position)
        return 0;
    return (uint64_t)(facts.st_size - position);
}

void *file_map(FILE *stream, uint64_t *n_bytes)
{
    uint64_t size = file_size(stream);
    /* A mapping starts at a page, and a stream that was read from before need not stand at one. */
    if (size == 0 || size > SIZE_MAX || lseek(fileno(stream), 0, SEEK_CUR) != 0)
        return NULL;
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(stream), 0);
    if (bytes == MAP_FAILED)
        return NULL;
    *n_bytes = size;
    return bytes;
}

void file_unmap(void *bytes, uint64_t n_bytes)
{
    munmap(bytes, (size_t)n_bytes);
}

char *file_resolve(const char *path)
{
    char *resolved = realpath(path, NULL);
    return resolved != NULL || errno == ENOMEM ? resolved : strdup(path);
}

bool file_is_special(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

/* Opens a new file with the rights of facts, which is NULL for those of a new file. */
static int create_with_rights(const char *path, const struct stat *facts)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, facts != NULL ? facts->st_mode & 0777 : 0666);
    if (file < 0 || facts == NULL)
        return file;
    /* Another owner can be kept by root only; all others get their own file, as with cp and mv. */
    if (fchown(file, facts->st_uid, facts->st_gid) != 0)
        errno = 0;
    if (fchmod(file, facts->st_mode & 0777) != 0)
        errno = 0;
    return file;
}

FILE *file_create_beside(const char *target, char **temporary)
{
    const char *slash = strrchr(target, '/');
    size_t n_folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
    struct stat facts;
    bool exists = stat(target, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    /* A rename would replace a file that is write-protected. */
    if (exists && access(target, W_OK) != 0)
        return NULL;
    for (int attempt = 0; attempt < n_attempts; attempt++) {
        char *path = temporary_path(target, n_folder, (unsigned long)getpid(), attempt);
        int file = path != NULL ? create_with_rights(path, exists ? &facts : NULL) : -1;
        if (file >= 0) {
            remember_temporary(path);
            *temporary = path;
            return fdopen(file, "wb");
        }
        free(path);
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

bool file_sync(FILE *stream)
{
    /* EINVAL: a file system that cannot sync, which is no fault of the write. */
    return fsync(fileno(stream)) == 0 || errno == EINVAL;
}

bool file_replace(const char *temporary, const char *target)
{
    if (rename(temporary, target) != 0)
        return false;
    forget_temporary(temporary);
    return true;
}

int file_lock(const char *path)
{
    for (int attempt = 0; attempt < n_attempts; attempt++) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        struct stat locked, named;
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0)
            return -1;
        if (fcntl(file, F_SETLK, &whole) != 0) {
            int fault = errno == EAGAIN || errno == EACCES ? EBUSY : errno;
            close(file);
            errno = fault;
            return -1;
        }
        /* Another process may have removed it before it was locked. */
        if (fstat(file, &locked) == 0 && stat(path, &named) == 0 && locked.st_dev == named.st_dev &&
            locked.st_ino == named.st_ino)
            return file;
        close(file);
    }
    errno = EBUSY;
    return -1;
}

void file_unlock(int lock, const char *path)
{
    unlink(path);
    close(lock);
}

bool terminal_has(FILE *stream)
{
    return isatty(fileno(stream)) != 0;
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_pause(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

#else

#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

static const char folder_separator = '\\';

static int make_folder(const char *path)
{
    return _mkdir(path);
}

void files_start(void)
{
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
}

uint64_t file_size(FILE *stream)
{
    struct _stat64 facts;
    if (_fstat64(_fileno(stream), &facts) != 0 || (facts.st_mode & _S_IFMT) != _S_IFREG || facts.st_size < 0)
        return 0;
    return (uint64_t)facts.st_size;
}

void *file_map(FILE *stream, uint64_t *n_bytes)
{
    (void)stream;
    (void)n_bytes;
    return NULL; /* a mapped file could not be replaced here */
}

void file_unmap(void *bytes, uint64_t n_bytes)
{
    (void)bytes;
    (void)n_bytes;
}

char *file_resolve(const char *path)
{
    return _strdup(path);
}

bool file_is_special(const char *path)
{
    struct _stat64 facts;
    return _stat64(path, &facts) == 0 && (facts.st_mode & (_S_IFREG | _S_IFDIR)) == 0;
}

FILE *file_create_beside(const char *target, char **temporary)
{
    size_t n_folder = 0;
    for (size_t i = 0; target[i] != 0; i++) {
        if (target[i] == '/' || target[i] == '\\' || target[i] == ':')
            n_folder = i + 1;
    }
    if (_access(target, 0) == 0 && _access(target, 2) != 0)
        return NULL;
    for (int attempt = 0; attempt < n_attempts; attempt++) {
        char *path = temporary_path(target, n_folder, GetCurrentProcessId(), attempt);
        int file = path != NULL ? _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE) : -1;
        if (file >= 0) {
            remember_temporary(path);
            *temporary = path;
            return _fdopen(file, "wb");
        }
        free(path);
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

bool file_sync(FILE *stream)
{
    return _commit(_fileno(stream)) == 0;
}

bool file_replace(const char *temporary, const char *target)
{
    if (!MoveFileExA(temporary, target, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        errno = EACCES;
        return false;
    }
    forget_temporary(temporary);
    return true;
}

int file_lock(const char *path)
{
    HANDLE file = CreateFileA(path, GENERIC_WRITE, 0, NULL, OPEN_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (file != INVALID_HANDLE_VALUE)
        return _open_osfhandle((intptr_t)file, 0);
    errno = GetLastError() == ERROR_SHARING_VIOLATION ? EBUSY : EACCES;
    return -1;
}

void file_unlock(int lock, const char *path)
{
    (void)path;
    _close(lock); /* which removes it */
}

bool terminal_has(FILE *stream)
{
    return _isatty(_fileno(stream)) != 0;
}

double clock_seconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

void clock_pause(double seconds)
{
    Sleep((DWORD)(seconds * 1e3));
}

#endif

bool folder_create_for(const char *path)
{
    char *folder = malloc(strlen(path) + 1);
    bool is_good = folder != NULL;
    if (folder != NULL)
        strcpy(folder, path);
    for (size_t i = 1; is_good && folder[i] != 0; i++) {
        char separator = folder[i];
        if (separator != '/' && separator != folder_separator)
            continue;
        folder[i] = 0;
        /* One above that cannot be made may be there all the same, such as a drive. */
        is_good = make_folder(folder) == 0 || errno == EEXIST || strpbrk(path + i + 1, "/\\") != NULL;
        folder[i] = separator;
    }
    free(folder);
    return is_good;
}

void file_remove(const char *temporary)
{
    remove(temporary);
    forget_temporary(temporary);
}
