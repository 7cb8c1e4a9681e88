/* Programs of one context and device: built once, kept in memory and on disk; kernels by name. */
#include "program.h"

#include "platform.h"
#include "program_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel objects of one name; setting arguments is not thread-safe, so each enqueue has one of its own. */
struct kernel_pool {
    struct kernel_pool *next;
    const char *name;
    struct kernel *idle; /* those that no enqueue uses at the moment */
    uint64_t n_runs;
};

struct program {
    struct program *next;
    const char *name;
    struct program_options options;
    char options_text[program_options_bytes];
    cl_program program;
    struct kernel_pool *kernels;
    int is_warm;
    int is_stored;
};

void clsort__program_print_options(const struct program_options *options, char *text)
{
    /* Which every device compiles; other dialects take NVIDIA's compiler a third longer. */
    size_t used = (size_t)snprintf(text, program_options_bytes, "-cl-std=CL1.2 ");
#define PRINT_OPTION(field, define)                                                                                    \
    used += (size_t)snprintf(text + used, program_options_bytes - used, "-D" define "=%u ", (unsigned)options->field);
    PROGRAM_OPTIONS(PRINT_OPTION)
#undef PRINT_OPTION
    text[used - 1] = 0;
}

const struct embedded_source *clsort__program_source(const char *name)
{
    const struct embedded_source *source = clsort__embedded_sources;
    while (source->name && strcmp(source->name, name) != 0) {
        source++;
    }
    return source->name ? source : NULL;
}

/* The sources that some programs share, besides those that all do. */
static const struct sharing {
    const char *program;
    const char *shared[program_n_shared];
} sharings[] = {
    {"bitonic", {"bitonic_network"}},
    {"samplesort", {"samplesort_ranks", "samplesort_bins", "samplesort_buckets", "samplesort_pieces"}},
    {"radix", {"radix_tile"}},
    {"quicksort_partition", {"quicksort_ranges", "radix_tile", "segments", "segment_classes"}},
    {"quicksort_leaf", {"quicksort_ranges", "quicksort_merge"}},
    {"segmented_short", {"segments", "segment_classes", "bitonic_network"}},
    {"segmented_long", {"segments", "segment_classes", "radix_tile"}},
    {"segmented_network", {"hybrid", "hybrid_ranges", "hybrid_bins", "segments", "segment_rows"}},
    {"segmented_middle", {"hybrid", "hybrid_bins", "hybrid_merge", "coded_bins", "segment_parts"}},
    {"segmented_middle_pairs", {"hybrid", "hybrid_bins", "hybrid_pairs", "segment_parts"}},
    {"segmented_serial", {"segments", "image", "cached_lsd"}},
    {"hybrid_partition", {"hybrid", "hybrid_ranges", "hybrid_tile", "hybrid_optimistic"}},
    {"hybrid_bucket", {"hybrid", "hybrid_bins", "hybrid_merge", "coded_bins"}},
    {"hybrid_stable_partition", {"hybrid", "hybrid_ranges"}},
    {"hybrid_stable_bucket", {"hybrid", "hybrid_bins", "hybrid_pairs"}},
    {"serial_radix", {"image", "cached_lsd"}},
    {"chunked_radix", {"image", "cached_lsd"}},
};

/* The i-th source that a program shares, or an empty one. */
static const struct embedded_source *find_shared_source(const char *name, size_t i)
{
    static const struct embedded_source none = {"", "", 0, ""};
    for (size_t n = 0; n < sizeof sharings / sizeof sharings[0]; n++) {
        if (strcmp(name, sharings[n].program) == 0 && sharings[n].shared[i]) {
            return clsort__program_source(sharings[n].shared[i]);
        }
    }
    return &none;
}

clsort_status clsort__program_sources(const char *name, const struct embedded_source *sources[program_n_sources],
                                      struct failure *failure)
{
    sources[0] = clsort__program_source("base");
    sources[1] = clsort__program_source("group");
    for (size_t i = 0; i < program_n_shared; i++) {
        sources[2 + i] = find_shared_source(name, i);
    }
    sources[program_n_sources - 1] = clsort__program_source(name);
    for (size_t i = 0; i < program_n_sources; i++) {
        if (!sources[i]) {
            return clsort__fail(failure, CLSORT_INTERNAL, "no kernel source \"%s\"", name);
        }
    }
    return CLSORT_SUCCESS;
}

/* Text that names a program wholly: its sources' hashes, options, platform, device, driver and library versions. To be freed;
   NULL if there is no memory. */
static char *cache_key(const struct programs *programs, const struct program *program)
{
    const struct device_caps *caps = programs->caps;
    const struct embedded_source *sources[program_n_sources];
    struct failure failure = {0};
    char version[32];
    if (clsort__program_sources(program->name, sources, &failure) != CLSORT_SUCCESS) {
        clsort__failure_clear(&failure);
        return NULL;
    }
    snprintf(version, sizeof version, "%d.%d.%d", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    const char *const parts[] = {version,
                                 program->name,
                                 program->options_text,
                                 programs->build_options ? programs->build_options : "",
                                 caps->platform_name,
                                 caps->platform_version,
                                 caps->vendor,
                                 caps->name,
                                 caps->version,
                                 caps->driver_version};
    enum { n_parts = sizeof parts / sizeof parts[0] };
    size_t bytes = 1, used = 0;
    for (size_t i = 0; i < n_parts + program_n_sources; i++) {
        bytes += strlen(i < n_parts ? parts[i] : sources[i - n_parts]->hash) + 1;
    }
    char *key = calloc(bytes, 1);
    for (size_t i = 0; key && i < n_parts + program_n_sources; i++) {
        const char *part = i < n_parts ? parts[i] : sources[i - n_parts]->hash;
        used += (size_t)snprintf(key + used, bytes - used, "%s\n", part);
    }
    return key;
}

static void log_line(const struct programs *programs, const char *text)
{
    if (programs->log) {
        programs->log(programs->user_data, text);
    }
}

/* ----------------------------------------------------------------------------------------------------- building */

static void fail_with_build_log(struct programs *programs, struct program *program, cl_int error,
                                struct failure *failure)
{
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program->program, programs->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
        CL_SUCCESS) {
        log = calloc(bytes + 1, 1);
        if (log) {
            clGetProgramBuildInfo(program->program, programs->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
        }
    }
    clsort__fail(failure, error, "clBuildProgram of %s with %s%s%s failed; its log:\n%s\n", program->name,
                 program->options_text, programs->build_options ? " " : "",
                 programs->build_options ? programs->build_options : "", log ? log : "(none)");
    free(log);
}

static char *full_options(const struct programs *programs, const struct program *program)
{
    const char *user = programs->build_options ? programs->build_options : "";
    const size_t bytes = strlen(program->options_text) + strlen(user) + 2;
    char *text = malloc(bytes);
    if (text) {
        snprintf(text, bytes, "%s %s", program->options_text, user);
    }
    return text;
}

static clsort_status compile(struct programs *programs, struct program *program, struct failure *failure)
{
    const struct embedded_source *sources[program_n_sources];
    const char *texts[program_n_sources];
    size_t lengths[program_n_sources];
    if (clsort__program_sources(program->name, sources, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    for (size_t i = 0; i < program_n_sources; i++) {
        texts[i] = sources[i]->text;
        lengths[i] = sources[i]->bytes;
    }
    cl_int error;
    program->program = clCreateProgramWithSource(programs->context, program_n_sources, texts, lengths, &error);
    if (error != CL_SUCCESS) {
        program->program = NULL;
        return clsort__check_cl(failure, error, "clCreateProgramWithSource");
    }
    char *options = full_options(programs, program);
    if (!options) {
        return clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "building %s", program->name);
    }
    error = clBuildProgram(program->program, 1, &programs->device, options, NULL, NULL);
    free(options);
    if (error != CL_SUCCESS) {
        fail_with_build_log(programs, program, error, failure);
        return failure->status;
    }
    programs->n_compiled++;
    return CLSORT_SUCCESS;
}

/* Makes the program of a stored binary; returns whether that could be done. */
static int build_binary(struct programs *programs, struct program *program, const unsigned char *binary, size_t bytes)
{
    char *options = full_options(programs, program);
    cl_int binary_status = CL_SUCCESS, error = CL_OUT_OF_HOST_MEMORY;
    if (options) {
        program->program =
            clCreateProgramWithBinary(programs->context, 1, &programs->device, &bytes, &binary, &binary_status, &error);
    }
    if (error != CL_SUCCESS) {
        program->program = NULL;
    }
    const int built = error == CL_SUCCESS && binary_status == CL_SUCCESS &&
                      clBuildProgram(program->program, 1, &programs->device, options, NULL, NULL) == CL_SUCCESS;
    if (!built && program->program) {
        clReleaseProgram(program->program);
        program->program = NULL;
    }
    free(options);
    return built;
}

/* Builds from the disk cache; returns whether that could be done. */
static int load(struct programs *programs, struct program *program)
{
    char *key = programs->directory ? cache_key(programs, program) : NULL;
    size_t bytes = 0;
    int is_damaged = 0;
    unsigned char *binary = key ? clsort__program_cache_load(programs->directory, key, &bytes, &is_damaged) : NULL;
    if (is_damaged) {
        log_line(programs, "clsort: a stored program is damaged and will be compiled again");
    }
    if (binary) {
        program->is_stored = build_binary(programs, program, binary, bytes);
        if (!program->is_stored) {
            log_line(programs, "clsort: a stored program was refused and will be compiled again");
        }
    }
    free(binary);
    free(key);
    programs->n_loaded += program->is_stored ? 1 : 0;
    return program->is_stored;
}

static void free_program(struct program *program)
{
    while (program->kernels) {
        struct kernel_pool *kernels = program->kernels;
        program->kernels = kernels->next;
        while (kernels->idle) {
            struct kernel *kernel = kernels->idle;
            kernels->idle = kernel->next;
            clReleaseKernel(kernel->object);
            free(kernel);
        }
        free(kernels);
    }
    if (program->program) {
        clReleaseProgram(program->program);
    }
    free(program);
}

clsort_status clsort__program_get(struct programs *programs, const char *name, const struct program_options *options,
                                  struct program **found, struct failure *failure)
{
    clsort__platform_mutex_lock(programs->mutex);
    struct program *program = programs->first;
    /* options are members of one type without padding */
    while (program && (memcmp(&program->options, options, sizeof *options) != 0 || strcmp(program->name, name) != 0)) {
        program = program->next;
    }
    if (!program) {
        program = calloc(1, sizeof *program);
        if (!program) {
            clsort__fail(failure, CL_OUT_OF_HOST_MEMORY, "building %s", name);
            goto done;
        }
        program->name = name;
        program->options = *options;
        clsort__program_print_options(options, program->options_text);
        if (!load(programs, program) && compile(programs, program, failure) != CLSORT_SUCCESS) {
            free_program(program);
            goto done;
        }
        program->next = programs->first;
        programs->first = program;
    }
    *found = program;
done:
    clsort__platform_mutex_unlock(programs->mutex);
    return failure->status;
}

int clsort__program_is_warm(struct programs *programs, const struct program *program)
{
    clsort__platform_mutex_lock(programs->mutex);
    const int is_warm = program->is_warm;
    clsort__platform_mutex_unlock(programs->mutex);
    return is_warm;
}

void clsort__program_set_warm(struct programs *programs, struct program *program)
{
    clsort__platform_mutex_lock(programs->mutex);
    program->is_warm = 1;
    clsort__platform_mutex_unlock(programs->mutex);
}

/* The binary for this device out of those for all devices of the program, to be freed. */
static unsigned char *binary_of(const struct programs *programs, const struct program *program, size_t *bytes)
{
    cl_uint n_devices = 0;
    unsigned char *binary = NULL;
    if (clGetProgramInfo(program->program, CL_PROGRAM_NUM_DEVICES, sizeof n_devices, &n_devices, NULL) != CL_SUCCESS) {
        return NULL;
    }
    cl_device_id *devices = calloc(n_devices, sizeof *devices);
    size_t *sizes = calloc(n_devices, sizeof *sizes);
    unsigned char **binaries = calloc(n_devices, sizeof *binaries);
    if (devices && sizes && binaries &&
        clGetProgramInfo(program->program, CL_PROGRAM_DEVICES, n_devices * sizeof *devices, devices, NULL) ==
            CL_SUCCESS &&
        clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, n_devices * sizeof *sizes, sizes, NULL) ==
            CL_SUCCESS) {
        cl_int error = CL_SUCCESS;
        for (cl_uint i = 0; i < n_devices; i++) {
            /* A NULL pointer would skip the others, but not every runtime accepts that. */
            binaries[i] = sizes[i] ? calloc(sizes[i], 1) : NULL;
            error = sizes[i] && !binaries[i] ? CL_OUT_OF_HOST_MEMORY : error;
        }
        if (error == CL_SUCCESS) {
            error =
                clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, n_devices * sizeof *binaries, binaries, NULL);
        }
        for (cl_uint i = 0; i < n_devices; i++) {
            if (error == CL_SUCCESS && devices[i] == programs->device && !binary) {
                binary = binaries[i];
                *bytes = sizes[i];
            } else {
                free(binaries[i]);
            }
        }
    }
    free(binaries);
    free(sizes);
    free(devices);
    return binary;
}

void clsort__program_store(struct programs *programs, struct program *program)
{
    clsort__platform_mutex_lock(programs->mutex);
    if (programs->directory && !program->is_stored) {
        size_t bytes = 0;
        char *key = cache_key(programs, program);
        unsigned char *binary = key ? binary_of(programs, program, &bytes) : NULL;
        if (!binary || clsort__program_cache_store(programs->directory, key, binary, bytes)) {
            log_line(programs, "clsort: a compiled program could not be stored");
        }
        program->is_stored = 1;
        free(binary);
        free(key);
    }
    clsort__platform_mutex_unlock(programs->mutex);
}

/* ------------------------------------------------------------------------------------------------------ kernels */

static struct kernel_pool *find_kernels(struct program *program, const char *name)
{
    struct kernel_pool *kernels = program->kernels;
    while (kernels && strcmp(kernels->name, name) != 0) {
        kernels = kernels->next;
    }
    if (!kernels) {
        kernels = calloc(1, sizeof *kernels);
        if (kernels) {
            kernels->name = name;
            kernels->next = program->kernels;
            program->kernels = kernels;
        }
    }
    return kernels;
}

static struct kernel *create_kernel(const struct program *program, const char *kernel_name, cl_int *error)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (kernel) {
        kernel->object = clCreateKernel(program->program, kernel_name, error);
    }
    if (*error != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    return kernel;
}

clsort_status clsort__kernel_take(struct programs *programs, struct program *program, const char *kernel_name,
                                  struct kernel **kernel, struct failure *failure)
{
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    *kernel = NULL;
    clsort__platform_mutex_lock(programs->mutex);
    struct kernel_pool *kernels = find_kernels(program, kernel_name);
    if (kernels && kernels->idle) {
        *kernel = kernels->idle;
        kernels->idle = kernels->idle->next;
    } else if (kernels) {
        *kernel = create_kernel(program, kernel_name, &error);
    }
    clsort__platform_mutex_unlock(programs->mutex);
    if (!*kernel) {
        clsort__fail(failure, error, "clCreateKernel(%s/%s) failed", program->name, kernel_name);
    }
    return failure->status;
}

void clsort__kernel_give(struct programs *programs, struct program *program, const char *kernel_name,
                         struct kernel *kernel, int is_run)
{
    clsort__platform_mutex_lock(programs->mutex);
    struct kernel_pool *kernels = find_kernels(program, kernel_name); /* there since the kernel was taken */
    kernels->n_runs += is_run ? 1 : 0;
    kernel->next = kernels->idle;
    kernels->idle = kernel;
    clsort__platform_mutex_unlock(programs->mutex);
}

/* Adds the runs of one name over all programs; programs differ in options too. */
static uint64_t sum_runs(const struct programs *programs, const char *program_name, const char *kernel_name)
{
    uint64_t sum = 0;
    for (const struct program *p = programs->first; p; p = p->next) {
        for (const struct kernel_pool *k = p->kernels; k; k = k->next) {
            if (strcmp(p->name, program_name) == 0 && strcmp(k->name, kernel_name) == 0) {
                sum += k->n_runs;
            }
        }
    }
    return sum;
}

char *clsort__programs_kernel_runs(struct programs *programs)
{
    size_t room = 1;
    clsort__platform_mutex_lock(programs->mutex);
    for (const struct program *p = programs->first; p; p = p->next) {
        for (const struct kernel_pool *k = p->kernels; k; k = k->next) {
            room += strlen(p->name) + strlen(k->name) + 24;
        }
    }
    char *text = calloc(room, 1);
    size_t used = 0;
    for (const struct program *p = programs->first; text && p; p = p->next) {
        for (const struct kernel_pool *k = p->kernels; k; k = k->next) {
            char line[128];
            const int length = snprintf(line, sizeof line, "%s/%s ", p->name, k->name);
            if (length < (int)sizeof line && !strstr(text, line)) {
                used += (size_t)snprintf(text + used, room - used, "%s%llu\n", line,
                                         (unsigned long long)sum_runs(programs, p->name, k->name));
            }
        }
    }
    clsort__platform_mutex_unlock(programs->mutex);
    return text;
}

void clsort__programs_counts(struct programs *programs, uint64_t *n_compiled, uint64_t *n_loaded)
{
    clsort__platform_mutex_lock(programs->mutex);
    *n_compiled = programs->n_compiled;
    *n_loaded = programs->n_loaded;
    clsort__platform_mutex_unlock(programs->mutex);
}

const char *clsort__program_name(const struct program *program)
{
    return program->name;
}

void clsort__programs_clear(struct programs *programs)
{
    while (programs->first) {
        struct program *program = programs->first;
        programs->first = program->next;
        free_program(program);
    }
    free(programs->directory);
    free(programs->build_options);
    clsort__platform_mutex_destroy(programs->mutex);
    memset(programs, 0, sizeof *programs);
}
