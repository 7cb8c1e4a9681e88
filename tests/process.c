/* Other processes of the tests, and their folders. */
#include "process.h"

#include "support.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void program_path(const char *program, char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    ck_assert_int_gt(length, 0);
    path[length] = 0;
    char *slash = strrchr(path, '/');
    size_t room = bytes - (size_t)(slash + 1 - path);
    ck_assert_uint_lt(strlen(program), room);
    memcpy(slash + 1, program, strlen(program) + 1);
}

/* In the child: becomes the program. */
static void become(const char *path, const char *const *environment, const char *const *arguments, int output)
{
    char *argv[32] = {(char *)(uintptr_t)path};
    for (size_t i = 0; arguments && arguments[i] && i < N_ELEMENTS(argv) - 2; i++) {
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    }
    for (; environment && *environment; environment++) {
        if (strchr(*environment, '=')) {
            putenv((char *)(uintptr_t)*environment);
        } else {
            unsetenv(*environment);
        }
    }
    dup2(output, 1);
    dup2(output, 2);
    execv(path, argv);
    _exit(127);
}

void run_processes(const char *program, const char *const *environment, const char *const *arguments, size_t n,
                   struct process_result *results)
{
    char path[4096];
    program_path(program, path, sizeof path);
    pid_t *children = allocate(n * sizeof *children);
    FILE **outputs = allocate(n * sizeof *outputs);
    for (size_t i = 0; i < n; i++) {
        outputs[i] = tmpfile();
        ck_assert_ptr_nonnull(outputs[i]);
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0) {
            become(path, environment, arguments, fileno(outputs[i]));
        }
    }
    for (size_t i = 0; i < n; i++) {
        int status;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        results[i].exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        rewind(outputs[i]);
        size_t length = fread(results[i].output, 1, PROCESS_OUTPUT_BYTES - 1, outputs[i]);
        results[i].output[length] = 0;
        fclose(outputs[i]);
    }
    free(children);
    free(outputs);
}

struct process_result run_process(const char *program, const char *const *environment, const char *const *arguments)
{
    struct process_result result;
    run_processes(program, environment, arguments, 1, &result);
    return result;
}

long output_number(const struct process_result *result, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = result->output; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            return strtol(line + length, NULL, 10);
        }
    }
    return -1;
}

char *make_directory(const char *name)
{
    const char *parent = getenv("TMPDIR");
    char *path = allocate(4096);
    snprintf(path, 4096, "%s/%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
    if (!mkdtemp(path)) {
        abort();
    }
    return path;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

void remove_directory(char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

static size_t n_files;

static int count_entry(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)path;
    (void)facts;
    (void)place;
    n_files += kind == FTW_F;
    return 0;
}

size_t count_files(const char *path)
{
    n_files = 0;
    nftw(path, count_entry, 16, FTW_PHYS);
    return n_files;
}
