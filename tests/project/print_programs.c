/*
 * Prints the kernel programs of a vendor's GPUs, for compiling them without such a device: clsort-programs amd|intel [--all].
 * A line each: a name, the source files and the options, with tabs between. The options are those of the tuning row that the
 * vendor's GPUs get, for a choice of programs in which every key class, value size and index size occurs; with --all
 * those of every row that can apply to them, for all programs.
 */
#include "algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printer {
    struct device_caps caps;
    int all;
    char **lines; /* those printed, to print each once */
    size_t n_lines;
};

static void print_program(struct printer *printer, const char *name, const struct program_options *options)
{
    const struct embedded_source *sources[program_n_sources];
    struct failure failure = {0};
    char text[program_options_bytes], line[program_options_bytes + 256];
    if (clsort__program_sources(name, sources, &failure)) {
        fprintf(stderr, "clsort-programs: %s\n", failure.text);
        exit(1);
    }
    clsort__program_print_options(options, text);
    size_t used = 0;
    for (size_t i = 0; i < program_n_sources; i++) {
        if (sources[i]->bytes > 0) {
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s.cl", i ? " " : "", sources[i]->name);
        }
    }
    snprintf(line + used, sizeof line - used, "\t%s", text);
    for (size_t i = 0; i < printer->n_lines; i++) {
        if (strcmp(printer->lines[i], line) == 0) {
            return;
        }
    }
    printer->lines = realloc(printer->lines, (printer->n_lines + 1) * sizeof *printer->lines);
    char *copy = malloc(strlen(line) + 1);
    if (!printer->lines || !copy) {
        exit(1);
    }
    printer->lines[printer->n_lines++] = strcpy(copy, line);
    printf("%s-%c%u-v%u-i%u.%zu\t%s\n", name, options->key_is_float ? 'f' : 'u', (unsigned)options->key_bytes * 8,
           (unsigned)options->value_bytes, (unsigned)options->index_bytes, printer->n_lines, line);
}

/* Whether the program is among those of a run without --all. */
static int is_chosen(const struct job *job)
{
    const int is_plain_key = job->key->type == CLSORT_U32 && (job->index_bytes == 8 || job->value_bytes == 0 ||
                                                              job->value_bytes == 4 || job->value_bytes == 16);
    const int is_plain_value =
        job->value_bytes == 4 && job->index_bytes == 4 &&
        (job->key->type == CLSORT_U8 || job->key->type == CLSORT_F16 || job->key->type == CLSORT_F64);
    const int is_largest = job->key->type == CLSORT_F64 && (job->value_bytes == 16 || job->index_bytes == 8);
    const int is_counted = (job->key->type == CLSORT_U8 || job->key->type == CLSORT_F16) && job->value_bytes == 0;
    return is_plain_key || is_plain_value || is_largest || is_counted;
}

/* Whether the programs of an algorithm are among those of a run without --all: of those with many kernels, fewer are. */
static int is_chosen_for(const char *name, const struct job *job)
{
    static const char *const with_many[] = {"rank",          "samplesort", "serial_radix",
                                            "chunked_radix", "hybrid",     "hybrid_exact",
                                            "hybrid_stable", "segmented",  "segmented_serial",
                                            "quicksort"};
    const int is_few = (job->key->type == CLSORT_U32 || job->key->type == CLSORT_F64) && job->index_bytes == 4 &&
                       (job->value_bytes == 0 || job->value_bytes == 4);
    if (strcmp(name, "hybrid_stable") == 0 || strcmp(name, "segmented_pairs") == 0) {
        return job->key->type == CLSORT_U32 && is_few; /* each takes a compiler 4 to 9 seconds */
    }
    for (size_t i = 0; i < sizeof with_many / sizeof with_many[0]; i++) {
        if (strcmp(name, with_many[i]) == 0) {
            return is_few;
        }
    }
    return 1;
}

/* The programs of all algorithms for a key, value and index, with the job's tuning, at small counts and large ones. */
static void print_algorithms(struct printer *printer, struct job *job)
{
    static const uint64_t counts[] = {100, 1000000};
    const char *name = NULL;
    for (size_t i = 0; (name = clsort_algorithm_name(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            struct method method;
            struct program_use uses[method_max_programs];
            struct failure failure = {0};
            job->count = counts[k];
            job->segments = (struct segments){.are_given = strncmp(name, "segmented", 9) == 0, .longest = counts[k]};
            if (!printer->all && !is_chosen_for(name, job)) {
                continue;
            }
            if (clsort__method_choose(job, name, &method, &failure)) {
                clsort__failure_clear(&failure);
                continue;
            }
            const uint32_t n_uses = clsort__method_uses(&method, uses);
            for (uint32_t use = 0; use < n_uses; use++) {
                print_program(printer, uses[use].name, &uses[use].options);
            }
        }
    }
}

/* The programs of a tuning row; NULL: of the row that is looked up. */
static void print_row(struct printer *printer, const struct tuning_row *row, const struct key_info *key)
{
    /* The last four have no type in the kernels: they are moved in units of 1, 2, 4 and 8. */
    static const uint32_t value_sizes[] = {0, 1, 2, 4, 8, 16, 3, 6, 12, 24};
    struct tuning_user_row copy = {{0}, NULL};
    struct tuning_user user = {0};
    if (row) {
        copy.row = *row;
        user.rows = &copy;
        user.n_rows = 1;
    }
    for (size_t i = 0; i < 2 * sizeof value_sizes / sizeof value_sizes[0]; i++) {
        struct job job = {0};
        struct failure failure = {0};
        struct tuning_choice choice;
        job.caps = &printer->caps;
        job.failure = &failure;
        job.key = key;
        job.index_bytes = i % 2 ? 8 : 4;
        job.value_bytes = value_sizes[i / 2];
        job.operation = job.value_bytes ? CLSORT_PAIRS : CLSORT_KEYS;
        job.end_bit = 8 * key->bytes;
        if (!printer->all && !is_chosen(&job)) {
            continue;
        }
        const struct tuning_use sizes = {key->bytes, (uint32_t)job.value_bytes, job.index_bytes};
        if (clsort__tuning_look_up(&printer->caps, &user, &sizes, &choice, &failure)) {
            fprintf(stderr, "clsort-programs: %s\n", failure.text);
            exit(1);
        }
        /* A row that does not apply is passed over by the look-up. */
        if (row && !choice.is_of_user) {
            continue;
        }
        job.tuning = choice.values;
        print_algorithms(printer, &job);
    }
}

int main(int n_arguments, char **arguments)
{
    /* A GPU as the OpenCL runtimes of both describe it. */
    static char amd[] = "Advanced Micro Devices, Inc.", intel[] = "Intel(R) Corporation", name[] = "a GPU",
                version[] = "1";
    struct printer printer = {0};
    const char *family = n_arguments > 1 ? arguments[1] : "";
    printer.all = n_arguments > 2 && strcmp(arguments[2], "--all") == 0;
    if ((strcmp(family, "amd") != 0 && strcmp(family, "intel") != 0) || (n_arguments > 2 && !printer.all)) {
        fputs("usage: clsort-programs amd|intel [--all]\n", stderr);
        return 2;
    }
    const int is_amd = strcmp(family, "amd") == 0;
    printer.caps.type = CL_DEVICE_TYPE_GPU;
    printer.caps.vendor = is_amd ? amd : intel;
    printer.caps.name = name;
    printer.caps.version = printer.caps.driver_version = printer.caps.platform_name = printer.caps.platform_version =
        version;
    printer.caps.compute_units = 24;
    printer.caps.group_limit = 1024;
    printer.caps.local_bytes = 65536;
    printer.caps.global_bytes = (uint64_t)8 << 30;
    printer.caps.allocation_bytes = (uint64_t)2 << 30;
    printer.caps.address_bits = 64;

    for (int type = 1; type < 100; type++) {
        const struct key_info *key = clsort__key_find((clsort_key_type)type);
        if (!key) {
            continue;
        }
        print_row(&printer, NULL, key);
        for (size_t row = 0; printer.all && row < clsort__tuning_n_rows; row++) {
            print_row(&printer, &clsort__tuning_rows[row], key);
        }
    }
    for (size_t i = 0; i < printer.n_lines; i++) {
        free(printer.lines[i]);
    }
    free(printer.lines);
    return 0;
}
