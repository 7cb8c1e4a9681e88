/* The machine that a bench runs on: what is not portable C about it. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#include <io.h>
#else
#include <unistd.h>
#endif

double machine_clock(void)
{
#ifdef _WIN32
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart * 1e3 / (double)rate.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
#endif
}

void machine_date(char *text, size_t text_bytes)
{
    time_t now = time(NULL);
    struct tm *utc = gmtime(&now);
    if (!utc || !strftime(text, text_bytes, "%Y-%m-%dT%H:%M:%SZ", utc))
        snprintf(text, text_bytes, "unknown");
}

int machine_is_terminal(void)
{
#ifdef _WIN32
    return _isatty(_fileno(stderr));
#else
    return isatty(STDERR_FILENO);
#endif
}

#ifdef _WIN32
void machine_name(char *text, size_t text_bytes)
{
    const char *name = getenv("PROCESSOR_IDENTIFIER"), *count = getenv("NUMBER_OF_PROCESSORS");
    snprintf(text, text_bytes, "%s, %s processors", name ? name : "unknown", count ? count : "unknown");
}
#else
void machine_name(char *text, size_t text_bytes)
{
    static const char key[] = "model name";
    char line[256], name[200] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) != 0 || !colon)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
    snprintf(text, text_bytes, "%s, %ld processors", name, sysconf(_SC_NPROCESSORS_ONLN));
}
#endif
