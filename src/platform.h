/* What is not portable C: mutex, directories, whole files, atomic replace. */
#ifndef CLSORT_PLATFORM_H
#define CLSORT_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef _MSC_VER
#define PLATFORM_THREAD_LOCAL __declspec(thread)
#else
#define PLATFORM_THREAD_LOCAL _Thread_local
#endif

/* A plain mutex, made and destroyed on the heap; NULL if there is no memory. */
struct platform_mutex *clsort__platform_mutex_create(void);
void clsort__platform_mutex_destroy(struct platform_mutex *mutex);
void clsort__platform_mutex_lock(struct platform_mutex *mutex);
void clsort__platform_mutex_unlock(struct platform_mutex *mutex);

/* The one mutex that all sorters of the process share; not to be destroyed. */
struct platform_mutex *clsort__platform_process_mutex(void);

/* One text behind the other, to be freed; NULL if there is no memory. */
char *clsort__platform_join(const char *first, const char *second);

/* An environment variable. NULL also if it is empty, and in a process with rights that its caller has not (setuid, setgid, file
   capabilities): what the caller's environment says is not to be trusted there. */
const char *clsort__platform_variable(const char *name);

/* The folder for caches of this user, to be freed; NULL if there is none that is to be trusted. 0 on success, else there is no
   memory. */
int clsort__platform_cache_directory(char **path);

/* The folder for settings of this user, likewise. */
int clsort__platform_config_directory(char **path);

/* Makes a folder and those above it, for this user alone; 0 on success. */
int clsort__platform_make_directories(const char *path);

/* Whether a path is a folder that belongs to this user and that no other may write to. Access lists are not looked at. */
int clsort__platform_is_private_directory(const char *path);

/* Whether there is something at a path, be it only a link to nothing. */
int clsort__platform_exists(const char *path);

/* Reads a whole file, to be freed; NULL if it cannot be read. One byte of 0 follows the content. */
void *clsort__platform_read_file(const char *path, size_t *bytes);

/* The same for a file of a private folder: only if it is a file, no link, of this user and not for others to write to. Notes that
   it was used, for clsort__platform_bound_files. */
void *clsort__platform_read_private_file(const char *path, size_t *bytes);

/* Ending of the files that clsort__platform_replace_file writes to first; some are left where a process ended too soon. */
#define PLATFORM_PART_SUFFIX ".part"

/* Writes a file, for this user alone, so that other processes see the old content or the new and nothing between; 0 on success.
   A link at its place is replaced, not followed. */
int clsort__platform_replace_file(const char *path, const void *content, size_t bytes);

/* Removes the files of a folder whose names end in suffix; 0 on success, also if there is no such folder. */
int clsort__platform_remove_files(const char *directory, const char *suffix);

/* Removes of those files the ones that were not used for longest, until the rest have no more than that many bytes together. */
int clsort__platform_bound_files(const char *directory, const char *suffix, uint64_t most_bytes);

#endif
