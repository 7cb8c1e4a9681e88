/* files.h: what the command needs of the operating system beyond the C library. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Prepares the process: binary standard streams; a closed pipe is an error of the write and not the process's end. */
void files_start(void);

/* Maps the rest of a regular file for reading; NULL if that is not possible, then the stream can be read as usual. */
void *file_map(FILE *stream, uint64_t *n_bytes);
void file_unmap(void *bytes, uint64_t n_bytes);

/* Size of the rest of a regular file, 0 if not known. */
uint64_t file_size(FILE *stream);

/* The path of the file itself if path is a link to it, else path; to be freed. NULL without memory. */
char *file_resolve(const char *path);

/* Whether path exists and is no regular file (a device, a pipe), so that it cannot be replaced. */
bool file_is_special(const char *path);

/*
 * Creates a new file in the folder of target, with the access rights of target if that exists, and stores its path,
 * to be freed, in *temporary. It is removed if a signal ends the process. NULL and errno on failure, as when target
 * may not be written.
 */
FILE *file_create_beside(const char *target, char **temporary);

/* Has the file's content on the disk before it returns. */
bool file_sync(FILE *stream);

/* Puts temporary, which is closed, in the place of target. */
bool file_replace(const char *temporary, const char *target);

/* Removes a file made by file_create_beside(). */
void file_remove(const char *temporary);

/*
 * Makes a file that no other process has until this one ends or calls file_unlock(); its number, or negative: then errno is EBUSY if another
 * process has it.
 */
int file_lock(const char *path);

/* Removes a file made by file_lock(). */
void file_unlock(int lock, const char *path);

/* Makes the folder of a file, and those above it, for this user alone. False and errno on failure. */
bool folder_create_for(const char *path);

bool terminal_has(FILE *stream);

/* Seconds since some moment, never going back. */
double clock_seconds(void);
void clock_pause(double seconds);

#endif
