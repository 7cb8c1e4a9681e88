/*
 * After clsort_prepare() no enqueue of any smaller count compiles anything: not the library, and not the runtime either. On
 * PoCL none has a wider grid than the first launch of its kernel, see docs/decisions/0014: this program stands between the
 * library and the ICD loader, to see grids.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "process.h"
#include "sort_check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    clsort_operation operation;
    clsort_key_type type;
    uint64_t value_bytes;
    uint32_t flags;
} kinds[] = {{CLSORT_KEYS, CLSORT_U32, 0, 0},
             {CLSORT_PAIRS, CLSORT_F32, 12, 0},
             {CLSORT_ARGSORT, CLSORT_U64, 4, CLSORT_DESCENDING},
             {CLSORT_PAIRS, CLSORT_U16, 4, CLSORT_UNSTABLE | CLSORT_LOW_MEMORY},
             {CLSORT_KEYS, CLSORT_U8, 0, 0}};

/* The widest grid of each kernel, in its first launch and in all. */
static struct grid {
    cl_program program;
    char name[64];
    size_t first, widest;
} grids[64];
static size_t n_grids;

static void note_grid(cl_kernel kernel, size_t width)
{
    struct grid grid = {.first = width};
    ck_assert_int_eq(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof grid.program, &grid.program, NULL), CL_SUCCESS);
    ck_assert_int_eq(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof grid.name, grid.name, NULL), CL_SUCCESS);
    size_t i = 0;
    while (i < n_grids && (grids[i].program != grid.program || strcmp(grids[i].name, grid.name) != 0)) {
        i++;
    }
    if (i == n_grids) {
        ck_assert_uint_lt(n_grids, N_ELEMENTS(grids));
        grids[n_grids++] = grid;
    }
    grids[i].widest = grids[i].widest < width ? width : grids[i].widest;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dimensions,
                                          const size_t *offset, const size_t *global, const size_t *local,
                                          cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    cl_int(CL_API_CALL * next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                               cl_uint, const cl_event *, cl_event *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    size_t width = 0;
    for (cl_uint i = 0; i < n_dimensions; i++) {
        width = width < global[i] ? global[i] : width;
    }
    note_grid(kernel, width);
    return next(queue, kernel, n_dimensions, offset, global, local, n_wait, wait, event);
}

static uint64_t n_programs(const struct device *device)
{
    return info_number(device->sorter, NULL, CLSORT_INFO_PROGRAMS_COMPILED) +
           info_number(device->sorter, NULL, CLSORT_INFO_PROGRAMS_LOADED);
}

/* PoCL's own kernel cache of this process, to which it adds a file for each kernel that it compiles at a launch. */
static char *runtime_cache;

static size_t n_runtime_files(void)
{
    return count_files(runtime_cache);
}

static bool is_pocl(const struct device *device)
{
    char platform[256];
    info_text(device->sorter, NULL, CLSORT_INFO_PLATFORM_NAME, platform, sizeof platform);
    return strstr(platform, "Portable Computing Language") != NULL;
}

/* Counts that are sorted after they were prepared for. */
static const uint64_t counts[] = {0, 1, 2, 17, 100, 1000, 3000, 5000, 16384, 20000, 50000, 99999, 100000};

static void check_nothing_was_compiled(const struct device *device, uint64_t programs, size_t files, uint64_t count)
{
    ck_assert_msg(n_programs(device) == programs, "count %u made the library compile", (unsigned)count);
    ck_assert_msg(n_runtime_files() == files, "count %u made the runtime compile", (unsigned)count);
}

static void check_grids(const struct device *device)
{
    for (size_t i = 0; i < n_grids && is_pocl(device); i++) {
        ck_assert_msg(grids[i].widest <= grids[i].first, "%s: %zu work-items in the first launch, then %zu",
                      grids[i].name, grids[i].first, grids[i].widest);
    }
}

static void check_kind(const struct kind *kind, const char *algorithm)
{
    struct device device = open_device(NULL, CLSORT_NO_DISK_CACHE);
    clsort_request request;
    n_grids = 0; /* programs of another sorter are others, though their handles may be the same */
    clsort_request_init(&request);
    request.operation = kind->operation;
    request.key_type = kind->type;
    request.count = allowed_count(100000);
    request.flags = kind->flags;
    request.algorithm = algorithm;
    request.value_bytes = kind->operation == CLSORT_PAIRS ? kind->value_bytes : 0;
    request.index_bytes = kind->operation == CLSORT_ARGSORT ? (uint32_t)kind->value_bytes : 0;
    clsort_status status = clsort_prepare(device.sorter, &request);
    if (algorithm && status == CLSORT_INVALID_ALGORITHM) {
        close_device(&device);
        return;
    }
    CHECK_STATUS(device.sorter, CLSORT_SUCCESS, status);
    uint64_t programs = n_programs(&device);
    size_t files = n_runtime_files();
    ck_assert_uint_gt(programs, 0);
    ck_assert(files > 0 || !is_pocl(&device));
    for (size_t n = 0; n < N_ELEMENTS(counts) && counts[n] <= request.count; n++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            struct sort_case c = {.operation = kind->operation,
                                  .key_type = kind->type,
                                  .count = counts[n],
                                  .data = {DATA_RANDOM, 3, 0},
                                  .flags = kind->flags,
                                  .value_bytes = request.value_bytes,
                                  .index_bytes = request.index_bytes,
                                  .algorithm = algorithm,
                                  .in_place = in_place};
            check_sort_if_fits(&device, c);
            check_nothing_was_compiled(&device, programs, files, counts[n]);
        }
    }
    check_grids(&device);
    close_device(&device);
}

START_TEST(no_sort_up_to_the_prepared_count_compiles_anything)
{
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        check_kind(&kinds[k], NULL);
    }
}
END_TEST

START_TEST(no_sort_by_a_prepared_algorithm_compiles_anything)
{
    for (size_t i = 1; i < n_choices(); i++) {
        const struct kind *kind = &kinds[i % 2];
        if (!is_for_all_keys(i)) {
            kind = &kinds[N_ELEMENTS(kinds) - 1];
        } else if (sorts_pairs_alone(choice(i))) {
            kind = &kinds[1];
        }
        check_kind(kind, choice(i));
    }
}
END_TEST

/* Segments by offsets, with a promise or without, and of one length. */
static void check_segments(clsort_operation operation, uint64_t value_bytes, struct segment_case segments)
{
    struct device device = open_device(NULL, CLSORT_NO_DISK_CACHE);
    clsort_request request;
    n_grids = 0;
    clsort_request_init(&request);
    request.operation = operation;
    request.key_type = CLSORT_U32;
    request.count = allowed_count(100000);
    request.value_bytes = value_bytes;
    request.flags = CLSORT_SEGMENTS;
    request.segment_count = segments.n;
    request.segment_length = segments.length;
    request.max_segment_length = segments.promised;
    request.count -= segments.length ? request.count % segments.length : 0;
    CHECK_STATUS(device.sorter, CLSORT_SUCCESS, clsort_prepare(device.sorter, &request));
    uint64_t programs = n_programs(&device);
    size_t files = n_runtime_files();
    for (size_t n = 0; n < N_ELEMENTS(counts) && counts[n] <= request.count; n++) {
        struct sort_case c = {.operation = operation,
                              .key_type = CLSORT_U32,
                              .count = counts[n] - (segments.length ? counts[n] % segments.length : 0),
                              .data = {DATA_RANDOM, 3, 0},
                              .value_bytes = value_bytes,
                              .segments = &segments,
                              .in_place = n % 2};
        check_sort(&device, c);
        check_nothing_was_compiled(&device, programs, files, counts[n]);
    }
    check_grids(&device);
    close_device(&device);
}

START_TEST(no_sort_of_prepared_segments_compiles_anything)
{
    static const uint64_t begins[] = {0, 3, 3, 700, 9000, 100000}, of_short[] = {0, 3, 3, 10, 20, 30};
    check_segments(CLSORT_KEYS, 0, (struct segment_case){.n = 5, .begins = begins, .offset_bytes = 4});
    if (is_small_setting()) {
        print_exemption("more kinds of prepared segments", "the setting pocl has them");
        check_segments(CLSORT_KEYS, 0, (struct segment_case){.length = 10});
        return;
    }
    check_segments(CLSORT_PAIRS, 12,
                   (struct segment_case){.n = 5, .begins = of_short, .offset_bytes = 4, .promised = 10});
    check_segments(CLSORT_KEYS, 0, (struct segment_case){.length = 10});
    check_segments(CLSORT_PAIRS, 4, (struct segment_case){.length = 20000});
}
END_TEST

START_TEST(preparing_sorts_nothing_and_needs_no_buffers)
{
    struct device *device = test_device();
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_PAIRS;
    request.key_type = CLSORT_U32;
    request.value_bytes = 4;
    request.count = 1000;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_prepare(device->sorter, &request));
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_prepare(device->sorter, &request));
    request.count = 0;
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS, clsort_prepare(device->sorter, &request));
    check_sort(device, (struct sort_case){.operation = CLSORT_PAIRS,
                                          .key_type = CLSORT_U32,
                                          .count = 1000,
                                          .data = {DATA_RANDOM, 1, 0}});
}
END_TEST

/* Programs that a sorter prepared are on disk for the next one, whatever the order of calls. */
START_TEST(prepared_programs_are_stored_for_the_next_sorter)
{
    char *directory = make_directory("clsort-prepare");
    clsort_options options;
    clsort_options_init(&options);
    options.cache_directory = directory;
    for (int round = 0; round < 2; round++) {
        struct device device = open_device_with(&options);
        clsort_request request;
        clsort_request_init(&request);
        request.operation = CLSORT_KEYS;
        request.key_type = CLSORT_U32;
        request.count = 100000;
        CHECK_STATUS(device.sorter, CLSORT_SUCCESS, clsort_prepare(device.sorter, &request));
        uint64_t compiled = info_number(device.sorter, NULL, CLSORT_INFO_PROGRAMS_COMPILED);
        uint64_t loaded = info_number(device.sorter, NULL, CLSORT_INFO_PROGRAMS_LOADED);
        ck_assert_uint_gt(round == 0 ? compiled : loaded, 0);
        ck_assert_uint_eq(round == 0 ? loaded : compiled, 0);
        close_device(&device);
    }
    remove_directory(directory);
}
END_TEST

int main(void)
{
    runtime_cache = make_directory("clsort-pocl");
    setenv("POCL_CACHE_DIR", runtime_cache, 1);
    int result =
        RUN_TESTS("prepare", no_sort_up_to_the_prepared_count_compiles_anything,
                  no_sort_by_a_prepared_algorithm_compiles_anything, preparing_sorts_nothing_and_needs_no_buffers,
                  no_sort_of_prepared_segments_compiles_anything, prepared_programs_are_stored_for_the_next_sorter);
    remove_directory(runtime_cache);
    return result;
}
