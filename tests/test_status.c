/* Status codes and their texts, the version, key type look-ups, and what the init functions set: no device needed. */
#include "support.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
    clsort_status status;
    const char *text;
} statuses[] = {
#define STATUS_ROW(name, number, text) {CLSORT_##name, text},
    CLSORT_STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

START_TEST(every_own_status_has_its_text_and_a_number_in_the_own_block)
{
    for (size_t i = 0; i < N_ELEMENTS(statuses); i++) {
        ck_assert_str_eq(clsort_status_text(statuses[i].status), statuses[i].text);
        ck_assert(statuses[i].status == 0 || (statuses[i].status <= -3000 && statuses[i].status > CLSORT_STATUS_END));
        for (size_t j = 0; j < i; j++) {
            ck_assert_int_ne(statuses[i].status, statuses[j].status);
            ck_assert_str_ne(statuses[i].text, statuses[j].text);
        }
    }
}
END_TEST

START_TEST(opencl_codes_have_their_names_as_text)
{
    ck_assert_ptr_nonnull(strstr(clsort_status_text(CL_DEVICE_NOT_FOUND), "CL_DEVICE_NOT_FOUND"));
    ck_assert_ptr_nonnull(strstr(clsort_status_text(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES"));
    ck_assert_ptr_nonnull(strstr(clsort_status_text(CL_INVALID_DEVICE_PARTITION_COUNT), "CL_INVALID_DEVICE_PARTITION"));
    ck_assert_ptr_nonnull(strstr(clsort_status_text(-1001), "PLATFORM_NOT_FOUND"));
}
END_TEST

START_TEST(unknown_codes_have_some_text)
{
    static const clsort_status unknown[] = {1, -999999, -3998, INT32_MIN, INT32_MAX, -1500};
    for (size_t i = 0; i < N_ELEMENTS(unknown); i++) {
        ck_assert_ptr_nonnull(clsort_status_text(unknown[i]));
        ck_assert_str_ne(clsort_status_text(unknown[i]), "");
        ck_assert_str_ne(clsort_status_text(unknown[i]), clsort_status_text(0));
    }
}
END_TEST

START_TEST(version_of_the_library_is_the_headers)
{
    ck_assert_uint_eq(clsort_version(),
                      CLSORT_VERSION_MAJOR * 10000 + CLSORT_VERSION_MINOR * 100 + CLSORT_VERSION_PATCH);
}
END_TEST

START_TEST(key_types_are_found_by_name_and_number)
{
    static const struct {
        clsort_key_type type;
        const char *name;
        size_t bytes;
    } keys[] = {{CLSORT_U8, "u8", 1},   {CLSORT_U16, "u16", 2},   {CLSORT_U32, "u32", 4}, {CLSORT_U64, "u64", 8},
                {CLSORT_I8, "i8", 1},   {CLSORT_I16, "i16", 2},   {CLSORT_I32, "i32", 4}, {CLSORT_I64, "i64", 8},
                {CLSORT_F16, "f16", 2}, {CLSORT_BF16, "bf16", 2}, {CLSORT_F32, "f32", 4}, {CLSORT_F64, "f64", 8}};
    for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
        ck_assert_str_eq(clsort_key_type_name(keys[i].type), keys[i].name);
        ck_assert_uint_eq(clsort_key_type_bytes(keys[i].type), keys[i].bytes);
        ck_assert_int_eq(clsort_key_type_from_name(keys[i].name), keys[i].type);
    }
    ck_assert_ptr_null(clsort_key_type_name((clsort_key_type)0));
    ck_assert_ptr_null(clsort_key_type_name((clsort_key_type)13));
    ck_assert_uint_eq(clsort_key_type_bytes((clsort_key_type)0), 0);
    ck_assert_int_eq(clsort_key_type_from_name("u33"), 0);
    ck_assert_int_eq(clsort_key_type_from_name(""), 0);
    ck_assert_int_eq(clsort_key_type_from_name(NULL), 0);
}
END_TEST

START_TEST(algorithms_have_distinct_names_and_an_end)
{
    size_t n = n_choices() - 1; /* those for whole arrays, and then those for segments */
    for (size_t i = 0; clsort_algorithm_name(i); i++) {
        n += is_for_segments(clsort_algorithm_name(i));
    }
    ck_assert_uint_ge(n, 4);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(clsort_algorithm_name(i), clsort_algorithm_name(j));
        }
    }
    ck_assert_ptr_null(clsort_algorithm_name(n));
    ck_assert_ptr_null(clsort_algorithm_name(SIZE_MAX));
    static const char *const promised[] = {"bitonic",        "radix_local", "counting", "radix",
                                           "bitonic_global", "segmented",   "quicksort"};
    for (size_t p = 0; p < N_ELEMENTS(promised); p++) {
        bool found = false;
        for (size_t i = 0; i < n; i++) {
            found |= strcmp(clsort_algorithm_name(i), promised[p]) == 0;
        }
        ck_assert_msg(found, "no algorithm %s", promised[p]);
    }
}
END_TEST

START_TEST(init_functions_set_the_size_and_zeros)
{
    clsort_request request, zero_request = {0};
    memset(&request, 0xA5, sizeof request);
    clsort_request_init(&request);
    ck_assert_uint_eq(request.size, sizeof request);
    request.size = 0;
    ck_assert_int_eq(request.operation, zero_request.operation);
    ck_assert_uint_eq(request.count, 0);
    ck_assert_uint_eq(request.flags, 0);
    ck_assert_ptr_null(request.algorithm);
    ck_assert_ptr_null((void *)request.keys_in.buffer);
    ck_assert_ptr_null((void *)request.workspace.buffer);

    clsort_options options;
    memset(&options, 0xA5, sizeof options);
    clsort_options_init(&options);
    ck_assert_uint_eq(options.size, sizeof options);
    ck_assert_uint_eq(options.flags, 0);
    ck_assert_ptr_null(options.cache_directory);
    ck_assert_ptr_null(options.tuning);
    ck_assert(options.log == NULL);
}
END_TEST

START_TEST(calls_with_null_are_refused_or_do_nothing)
{
    clsort_sorter *sorter = (clsort_sorter *)&sorter;
    clsort_request request;
    clsort_request_init(&request);
    size_t count;
    clsort_destroy(NULL);
    ck_assert_ptr_null(clsort_sorter_context(NULL));
    ck_assert_ptr_null(clsort_sorter_device(NULL));
    ck_assert_int_eq(clsort_create(NULL, NULL, NULL, &sorter), CLSORT_INVALID_ARGUMENT);
    ck_assert_ptr_eq(sorter, (clsort_sorter *)&sorter);
    ck_assert_int_eq(clsort_create_default(NULL, NULL, NULL), CLSORT_INVALID_ARGUMENT);
    ck_assert_int_eq(clsort_enqueue(NULL, NULL, &request, 0, NULL, NULL), CLSORT_INVALID_SORTER);
    ck_assert_int_eq(clsort_prepare(NULL, &request), CLSORT_INVALID_SORTER);
    ck_assert_int_eq(clsort_workspace_bytes(NULL, &request, NULL, NULL), CLSORT_INVALID_SORTER);
    ck_assert_int_eq(clsort_trim(NULL), CLSORT_INVALID_SORTER);
    ck_assert_int_eq(clsort_get_info(NULL, NULL, CLSORT_INFO_DEVICE_NAME, 0, NULL, &count), CLSORT_INVALID_SORTER);
    ck_assert_int_eq(clsort_list_devices(NULL, 0, NULL, NULL), CLSORT_INVALID_ARGUMENT);
}
END_TEST

START_TEST(last_error_without_a_sorter_is_cut_to_the_room_and_tells_its_length)
{
    clsort_sorter *sorter = NULL;
    char text[512], small[5] = "####";
    ck_assert_int_eq(clsort_create(NULL, NULL, NULL, &sorter), CLSORT_INVALID_ARGUMENT);
    size_t needed = clsort_last_error(NULL, NULL, 0);
    ck_assert_uint_gt(needed, 1);
    ck_assert_uint_eq(clsort_last_error(NULL, text, sizeof text), needed);
    ck_assert_uint_eq(strlen(text) + 1, needed);
    ck_assert_ptr_nonnull(strstr(text, "context"));
    ck_assert_uint_eq(clsort_last_error(NULL, small, sizeof small), needed);
    ck_assert_uint_eq(strlen(small), 4);
    ck_assert(strncmp(small, text, 4) == 0);
}
END_TEST

static void *read_error(void *text)
{
    clsort_last_error(NULL, text, 512);
    return NULL;
}

START_TEST(last_error_without_a_sorter_is_of_the_calling_thread)
{
    clsort_sorter *sorter = NULL;
    char text[512] = "unset";
    ck_assert_int_eq(clsort_create(NULL, NULL, NULL, &sorter), CLSORT_INVALID_ARGUMENT);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, read_error, text), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(create_with_bad_options_is_refused)
{
    clsort_sorter *sorter = NULL;
    clsort_options options;
    clsort_options_init(&options);
    options.flags = 1u << 31;
    ck_assert_int_eq(clsort_create_default(NULL, &options, &sorter), CLSORT_INVALID_OPTIONS);
    clsort_options_init(&options);
    options.size = 0;
    ck_assert_int_eq(clsort_create_default(NULL, &options, &sorter), CLSORT_INVALID_OPTIONS);
    options.size = sizeof options + 8;
    ck_assert_int_eq(clsort_create_default(NULL, &options, &sorter), CLSORT_INVALID_OPTIONS);
    ck_assert_ptr_null(sorter);
}
END_TEST

int main(void)
{
    return RUN_TESTS("status", every_own_status_has_its_text_and_a_number_in_the_own_block,
                     opencl_codes_have_their_names_as_text, unknown_codes_have_some_text,
                     version_of_the_library_is_the_headers, key_types_are_found_by_name_and_number,
                     algorithms_have_distinct_names_and_an_end, init_functions_set_the_size_and_zeros,
                     calls_with_null_are_refused_or_do_nothing,
                     last_error_without_a_sorter_is_cut_to_the_room_and_tells_its_length,
                     last_error_without_a_sorter_is_of_the_calling_thread, create_with_bad_options_is_refused);
}
