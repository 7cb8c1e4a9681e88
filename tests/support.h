/* What every test executable shares: the runner, the device under test, and OpenCL calls that have to succeed. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "settings.h"

#include <check.h>
#include <clsort/clsort.h>
#include <stdbool.h>

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Body of main: runs the tests in this process (a context made before fork hangs in the child on PoCL) after printing the
 * setting. Returns the exit status: failure if a test failed or none ran.
 */
#define RUN_TESTS(name, ...)                                                                                           \
    run_tests(name, (const TTest *const[]){__VA_ARGS__}, N_ELEMENTS(((const TTest *const[]){__VA_ARGS__})))
int run_tests(const char *name, const TTest *const *tests, size_t n_tests);

struct device {
    clsort_sorter *sorter;
    cl_context context;
    cl_device_id id;
    cl_command_queue queue; /* in order */
};

/* The device that $CLSORT_DEVICE names with a sorter of default options, made at the first call. */
struct device *test_device(void);
/* The same device with a sorter of its own in a context of its own; tuning may be NULL. */
struct device open_device(const char *tuning, uint32_t option_flags);
/* The same, for work-groups of several work-items: on PoCL without its compiler's optimisations, which takes half the time and
   the same results; in real use a CPU has work-groups of one work-item. */
struct device open_unoptimised(const char *tuning, uint32_t option_flags);
struct device open_device_with(const clsort_options *options);
void close_device(struct device *device);
/* A queue with these properties, NULL if the device has none such. */
cl_command_queue make_queue(const struct device *device, cl_command_queue_properties properties);
/* An out-of-order queue; prints the exemption of the subject and returns NULL where the device has none. */
cl_command_queue out_of_order_queue(const struct device *device, const char *subject);

/* A buffer of these bytes (uninitialised if NULL), and the way back. */
cl_mem make_buffer(const struct device *device, cl_mem_flags flags, size_t bytes, const void *content);
void read_buffer(const struct device *device, cl_mem buffer, size_t bytes, void *content);

/* Answers of clsort_get_info() that have to be there. */
uint64_t info_number(clsort_sorter *sorter, const clsort_request *request, clsort_info info);
const char *info_text(clsort_sorter *sorter, const clsort_request *request, clsort_info info, char *text, size_t bytes);
/* How often a kernel ran; name is "algorithm/kernel" or "algorithm/" for all kernels of an algorithm. */
uint64_t kernel_runs(clsort_sorter *sorter, const char *name);
/* Ways to choose an algorithm for a whole array: number 0 is NULL (the library's own choice), then each by name. */
size_t n_choices(void);
const char *choice(size_t i);
/* Whether it takes no pairs, no argsort and no bit ranges. */
bool sorts_keys_alone(const char *algorithm);
/* Samplesort takes no bit ranges, and values with keys of up to 4 bytes alone. */
bool is_samplesort(const char *algorithm);
/* Whether it takes no keys alone. */
bool sorts_pairs_alone(const char *algorithm);
/* Whether it is for requests with segments alone. */
bool is_for_segments(const char *algorithm);
/* Whether it sorts by partitions: whole keys with 32-bit positions, where its tuning has groups of several work-items. */
bool is_hybrid(const char *algorithm);
/* Quicksort has two programs for arrays and for segments alike; also of their names. */
bool is_quicksort(const char *algorithm);
/* Whether its work-groups have one work-item whatever the tuning is. */
bool has_single_items(const char *algorithm);
/* Whether kernels with many barriers compile in seconds for work-groups of several work-items: PoCL 3.1 and llvmpipe take a minute
   for those of hybrid and of samplesort, for each type of keys. */
bool compiles_barriers_fast(void);
/* Whether Oclgrind, which checks each memory access and is slow, is the device. */
bool is_simulated(void);
/* Whether the setting is for work-groups of several work-items; those take PoCL seconds for each program, so that tests have few. */
bool has_groups(void);
/* Whether most programs compile in less than a second: else the product of types of keys and values is kept small. */
bool compiles_programs_fast(void);
/* Whether a choice is for keys of all types. counting is for those of 1 and 2 bytes alone. */
bool is_for_all_keys(size_t i);

#define CHECK_CL(expression) check_cl((expression), #expression, __FILE__, __LINE__)
void check_cl(cl_int status, const char *expression, const char *file, int line);
/* Asserts a status and, when it is another, says which and the sorter's last error. */
#define CHECK_STATUS(sorter, expected, expression)                                                                     \
    check_status((sorter), (expected), (expression), #expression, __FILE__, __LINE__)
void check_status(clsort_sorter *sorter, clsort_status expected, clsort_status status, const char *expression,
                  const char *file, int line);

void *allocate(size_t bytes);

#endif
