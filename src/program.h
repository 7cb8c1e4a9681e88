/* Programs of one context and device: built once, kept in memory and on disk; kernels by name. */
#ifndef CLSORT_PROGRAM_H
#define CLSORT_PROGRAM_H

#include "device.h"
#include "program_options.h"

/* One .cl file, made by cmake/embed.cmake; the table ends with a NULL name. */
struct embedded_source {
    const char *name; /* without folder and ending */
    const char *text;
    size_t bytes;
    const char *hash; /* SHA-256 of the text, hexadecimal */
};
extern const struct embedded_source clsort__embedded_sources[];

/* Space for the options of a program as text. */
enum { program_options_bytes = 512 };
void clsort__program_print_options(const struct program_options *options, char *text);

/* The embedded source of a name, or the last one, which has none. */
const struct embedded_source *clsort__program_source(const char *name);

/* The sources of a program that are compiled together: base, group, what it shares with some others, and the one with its name. */
enum { program_n_shared = 5, program_n_sources = program_n_shared + 3 };
clsort_status clsort__program_sources(const char *name, const struct embedded_source *sources[program_n_sources],
                                      struct failure *failure);

struct program;

struct programs {
    struct platform_mutex *mutex; /* over all that follows */
    cl_context context;
    cl_device_id device;
    const struct device_caps *caps;
    char *directory;     /* of the disk cache; NULL: none */
    char *build_options; /* of the user; NULL: none */
    void (*log)(void *user_data, const char *text);
    void *user_data;
    struct program *first;
    uint64_t n_compiled, n_loaded;
};

/* The program with this name and these options, built if need be. */
clsort_status clsort__program_get(struct programs *programs, const char *name, const struct program_options *options,
                                  struct program **program, struct failure *failure);

/* Whether the program has been launched by clsort_prepare or its like, so that no launch compiles anything. */
int clsort__program_is_warm(struct programs *programs, const struct program *program);
void clsort__program_set_warm(struct programs *programs, struct program *program);

/* Writes a program that was launched, if it is not on disk yet; where it cannot be written, that is only logged. */
void clsort__program_store(struct programs *programs, struct program *program);

enum { kernel_max_arguments = 40 };

/* A kernel object, and which numbers its arguments have: an argument that stays need not be set again. */
struct kernel {
    struct kernel *next; /* of the idle ones of its name */
    cl_kernel object;
    uint64_t numbers[kernel_max_arguments];
    uint8_t number_bytes[kernel_max_arguments]; /* 0: no number, or none that is known */
};

/* A kernel for the use of one thread, to be given back; is_run: it was enqueued, which is counted. Kernel names are texts
   that live on. */
clsort_status clsort__kernel_take(struct programs *programs, struct program *program, const char *kernel_name,
                                  struct kernel **kernel, struct failure *failure);
void clsort__kernel_give(struct programs *programs, struct program *program, const char *kernel_name,
                         struct kernel *kernel, int is_run);

/* Programs compiled from source and loaded from disk so far. */
void clsort__programs_counts(struct programs *programs, uint64_t *n_compiled, uint64_t *n_loaded);

/* The lines of CLSORT_INFO_KERNEL_RUNS, to be freed. */
char *clsort__programs_kernel_runs(struct programs *programs);

const char *clsort__program_name(const struct program *program);

/* Frees all programs and kernels. */
void clsort__programs_clear(struct programs *programs);

#endif
