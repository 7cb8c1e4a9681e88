/* process.c: runs this command again as a child with a time limit, and notices that the user wants to stop. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif

#include "process.h"

#include "files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tick_seconds = 0.1;

static volatile sig_atomic_t is_interrupted;

bool interrupt_seen(void)
{
    return is_interrupted != 0;
}

#ifndef _WIN32

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static const double poll_seconds = 0.002; /* little beside what a candidate takes */

extern char **environ;

enum { n_arguments_limit = 64, n_path_limit = 4096 };

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

void interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before, action;
        memset(&action, 0, sizeof action);
        action.sa_handler = note_interrupt;
        action.sa_flags = SA_RESETHAND; /* the second one ends the process */
        /* What the parent had ignored stays so. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void process_end_after(unsigned seconds)
{
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
}

/* The path of this program; its name alone, which is looked for, where the system does not tell. */
static void own_path(char path[n_path_limit])
{
    strcpy(path, "clsort");
#if defined(__APPLE__)
    uint32_t n_path = n_path_limit;
    _NSGetExecutablePath(path, &n_path);
#else
    ssize_t n_path = readlink("/proc/self/exe", path, n_path_limit - 1);
    if (n_path > 0)
        path[n_path] = 0;
#endif
}

/* The child has a process group of its own: Ctrl-C is for the parent, and what the child starts ends with it. */
static bool start(const char *const *arguments, const char *output_path, pid_t *child)
{
    char path[n_path_limit];
    char *values[n_arguments_limit + 2] = {path};
    for (int i = 0; arguments[i] != NULL && i < n_arguments_limit; i++)
        memcpy(&values[i + 1], &arguments[i], sizeof *values); /* posix_spawn() changes none of them */
    own_path(path);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    bool is_started = posix_spawnp(child, path, &actions, &attributes, values, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return is_started;
}

static struct process_end end_of(int status)
{
    if (WIFEXITED(status))
        return (struct process_end){PROCESS_ENDED, WEXITSTATUS(status)};
    return (struct process_end){PROCESS_CRASHED, WTERMSIG(status)};
}

struct process_end process_run(const char *const *arguments, const char *output_path, double limit_seconds,
                               void (*tick)(void))
{
    pid_t child = 0;
    if (!start(arguments, output_path, &child))
        return (struct process_end){PROCESS_NOT_STARTED, 0};
    double begin = clock_seconds(), last_tick = begin;
    for (;;) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child)
            return end_of(status);
        double now = clock_seconds();
        if (now - begin > limit_seconds || interrupt_seen()) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return (struct process_end){interrupt_seen() ? PROCESS_INTERRUPTED : PROCESS_TIMED_OUT, 0};
        }
        if (now - last_tick > tick_seconds) {
            tick();
            last_tick = now;
        }
        clock_pause(poll_seconds);
    }
}

#else

#include <windows.h>

static BOOL WINAPI note_interrupt(DWORD event)
{
    if ((event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) || is_interrupted)
        return FALSE;
    is_interrupted = 1;
    return TRUE;
}

void interrupt_watch(void)
{
    SetConsoleCtrlHandler(note_interrupt, TRUE);
}

void process_end_after(unsigned seconds)
{
    (void)seconds; /* the job that the child is in ends it with its parent */
}

/* Appends an argument in quotes; none of ours holds a quote or ends in a backslash. */
static bool append_argument(char *line, size_t n_line, const char *argument)
{
    size_t n_used = strlen(line);
    int n_added = snprintf(line + n_used, n_line - n_used, "%s\"%s\"", n_used > 0 ? " " : "", argument);
    return n_added >= 0 && (size_t)n_added < n_line - n_used;
}

static HANDLE open_output(const char *path)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    return CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ, &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

/* The job ends what is in it when its last handle closes, which is that of this process. */
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
    HANDLE job = CreateJobObjectA(NULL, NULL);
    memset(&limits, 0, sizeof limits);
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job != NULL)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

static bool start(const char *const *arguments, const char *output_path, HANDLE job, PROCESS_INFORMATION *child)
{
    static char line[32768]; /* the system's limit */
    char path[MAX_PATH] = "";
    STARTUPINFOA settings;
    memset(&settings, 0, sizeof settings);
    line[0] = 0;
    bool is_good = GetModuleFileNameA(NULL, path, sizeof path) > 0 && append_argument(line, sizeof line, path);
    for (int i = 0; arguments[i] != NULL && is_good; i++)
        is_good = append_argument(line, sizeof line, arguments[i]);
    HANDLE output = is_good ? open_output(output_path) : INVALID_HANDLE_VALUE;
    if (output == INVALID_HANDLE_VALUE)
        return false;
    settings.cb = sizeof settings;
    settings.dwFlags = STARTF_USESTDHANDLES;
    settings.hStdOutput = settings.hStdError = output;
    is_good = CreateProcessA(path, line, NULL, NULL, TRUE, CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED, NULL, NULL,
                             &settings, child) != 0;
    CloseHandle(output);
    if (is_good) {
        AssignProcessToJobObject(job, child->hProcess);
        ResumeThread(child->hThread);
        CloseHandle(child->hThread);
    }
    return is_good;
}

static struct process_end end_of(HANDLE process)
{
    DWORD code = 0;
    GetExitCodeProcess(process, &code);
    /* Codes of exceptions have the bits of an error set. */
    return (struct process_end){code >= 0xc0000000 || code == 3 ? PROCESS_CRASHED : PROCESS_ENDED, (int)code};
}

struct process_end process_run(const char *const *arguments, const char *output_path, double limit_seconds,
                               void (*tick)(void))
{
    PROCESS_INFORMATION child;
    struct process_end end = {PROCESS_NOT_STARTED, 0};
    HANDLE job = make_job();
    if (job == NULL || !start(arguments, output_path, job, &child)) {
        if (job != NULL)
            CloseHandle(job);
        return end;
    }
    double begin = clock_seconds();
    for (;;) {
        if (WaitForSingleObject(child.hProcess, (DWORD)(1e3 * tick_seconds)) == WAIT_OBJECT_0) {
            end = end_of(child.hProcess);
            break;
        }
        if (clock_seconds() - begin > limit_seconds || interrupt_seen()) {
            end.state = interrupt_seen() ? PROCESS_INTERRUPTED : PROCESS_TIMED_OUT;
            TerminateJobObject(job, 1);
            break;
        }
        tick();
    }
    CloseHandle(child.hProcess);
    CloseHandle(job);
    return end;
}

#endif
