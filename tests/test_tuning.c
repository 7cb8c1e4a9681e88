/* Tuning rows: legality on the devices they are for, look-up, scaling, and the grammar of overrides and files. */
#include "tuning.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a device; names as its driver gives them. */
static struct device_caps caps_of(cl_device_type type, const char *vendor, const char *name, uint32_t group_limit,
                                  uint64_t local_bytes)
{
    struct device_caps caps = {0};
    caps.type = type;
    caps.vendor = (char *)(uintptr_t)vendor;
    caps.name = (char *)(uintptr_t)name;
    caps.group_limit = group_limit;
    caps.local_bytes = local_bytes;
    caps.compute_units = 4;
    caps.global_bytes = UINT64_C(1) << 30;
    caps.allocation_bytes = UINT64_C(1) << 28;
    caps.address_bits = 64;
    return caps;
}

/* What OpenCL 1.2 asks of a full profile at least is 32 KiB; this library goes down to 16 KiB and one work-item. */
static struct device_caps smallest_device(void)
{
    return caps_of(CL_DEVICE_TYPE_CUSTOM, "Nobody", "Smallest", 1, 16384);
}

/* The least that a device of a row's family has: local memory of 48 KiB and 1024 work-items on NVIDIA's since compute
   capability 2.0; 64 KiB on AMD's GCN and Intel's Gen, and 256 work-items on these and all others. */
static struct device_caps family_limits(const struct tuning_row *row)
{
    bool is_nvidia = strncmp(row->vendor, "NVIDIA", 6) == 0;
    uint64_t local_bytes = is_nvidia ? 49152 : row->vendor[0] == '*' ? 32768 : 65536;
    return caps_of(row->type, row->vendor, row->device, is_nvidia ? 1024 : 256, local_bytes);
}

/* NULL if values, scaled, are legal for keys of this size with values and positions of every size, else why not. */
static const char *illegal(const struct device_caps *caps, struct tuning values, uint32_t key_bytes)
{
    const char *why = NULL;
    values = clsort__tuning_scale(values, key_bytes);
    for (uint32_t value_bytes = 0; value_bytes <= 16 && !why; value_bytes += value_bytes ? value_bytes : 1) {
        for (uint32_t index_bytes = 4; index_bytes <= 8 && !why; index_bytes += 4) {
            const struct tuning_use use = {key_bytes, value_bytes, index_bytes};
            why = clsort__tuning_illegal(caps, &values, &use);
        }
    }
    return why;
}

static struct tuning_choice look_up(const struct device_caps *caps, const struct tuning_user *user, uint32_t key_bytes,
                                    uint32_t value_bytes)
{
    const struct tuning_use use = {key_bytes, value_bytes, 4};
    struct tuning_choice choice = {0};
    struct failure failure = {0};
    clsort_status status = clsort__tuning_look_up(caps, user, &use, &choice, &failure);
    ck_assert_msg(status == CLSORT_SUCCESS, "%s", failure.text);
    return choice;
}

/* Which row was found, as text; valid until the next call. */
static const char *source_of(struct tuning_choice choice)
{
    static char text[256];
    clsort__tuning_print_source(&choice, text, sizeof text);
    return text;
}

START_TEST(every_row_is_legal_on_a_device_of_its_family)
{
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        const struct tuning_row *row = &clsort__tuning_rows[r];
        struct device_caps caps = family_limits(row);
        for (uint32_t key_bytes = 1; key_bytes <= 8; key_bytes *= 2) {
            if (row->key_bytes && row->key_bytes != key_bytes) {
                continue;
            }
            const char *why = illegal(&caps, row->values, key_bytes);
            ck_assert_msg(!why, "row %zu (%s, %s), keys of %u bytes: %s", r + 1, row->vendor, row->device,
                          (unsigned)key_bytes, why);
        }
    }
}
END_TEST

START_TEST(last_row_is_for_every_device_and_legal_on_the_smallest)
{
    const struct tuning_row *last = &clsort__tuning_rows[clsort__tuning_n_rows - 1];
    struct device_caps caps = smallest_device();
    ck_assert_str_eq(last->vendor, "*");
    ck_assert_str_eq(last->device, "*");
    ck_assert_uint_eq(last->type, CL_DEVICE_TYPE_ALL);
    ck_assert(last->key_bytes == 0 && last->value_bytes == 0);
    for (uint32_t key_bytes = 1; key_bytes <= 8; key_bytes *= 2) {
        const char *why = illegal(&caps, last->values, key_bytes);
        ck_assert_msg(!why, "keys of %u bytes: %s", (unsigned)key_bytes, why);
    }
}
END_TEST

START_TEST(every_kind_of_device_finds_a_row)
{
    static const struct {
        cl_device_type type;
        const char *vendor, *name;
        uint32_t group_limit;
        uint64_t local_bytes;
    } devices[] = {{CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "NVIDIA H200", 1024, 49152},
                   {CL_DEVICE_TYPE_GPU, "Advanced Micro Devices, Inc.", "gfx90a", 256, 65536},
                   {CL_DEVICE_TYPE_GPU, "AMD", "gfx1100", 1024, 65536},
                   {CL_DEVICE_TYPE_GPU, "Intel(R) Corporation", "Intel(R) Arc(TM) A770 Graphics", 1024, 65536},
                   {CL_DEVICE_TYPE_GPU, "ARM", "Mali-G78", 1024, 32768},
                   {CL_DEVICE_TYPE_CPU, "GenuineIntel", "pthread-skylake", 4096, 262144},
                   {CL_DEVICE_TYPE_CPU, "Mesa", "llvmpipe", 1024, 32768},
                   {CL_DEVICE_TYPE_CPU, "Nobody", "tiny", 1, 16384},
                   {CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "limited", 7, 16384},
                   {CL_DEVICE_TYPE_ACCELERATOR, "Xilinx", "card", 16, 16384}};
    for (size_t d = 0; d < N_ELEMENTS(devices); d++) {
        for (uint32_t key_bytes = 1; key_bytes <= 8; key_bytes *= 2) {
            for (uint32_t loop_limit = 0; loop_limit <= 65535; loop_limit += 65535) {
                struct device_caps caps = caps_of(devices[d].type, devices[d].vendor, devices[d].name,
                                                  devices[d].group_limit, devices[d].local_bytes);
                caps.loop_limit = loop_limit;
                struct tuning_choice choice = look_up(&caps, NULL, key_bytes, 4);
                ck_assert_ptr_null(
                    clsort__tuning_illegal(&caps, &choice.values, &(struct tuning_use){key_bytes, 4, 4}));
                ck_assert_ptr_nonnull(strstr(source_of(choice), "built-in"));
            }
        }
    }
}
END_TEST

/* Devices that between them are of every family that the rows are for, with the sizes that rows differ by. */
START_TEST(every_row_is_reached_by_some_device)
{
    enum { n_rows_most = 64 };
    bool is_reached[n_rows_most] = {false};
    ck_assert_uint_le(clsort__tuning_n_rows, n_rows_most);
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        const struct tuning_row *row = &clsort__tuning_rows[r];
        char vendor[128], name[128];
        /* A name that fits a glob: what its stars and question marks stand for may be an x. */
        for (int second = 0; second < 2; second++) {
            const char *glob = second ? row->device : row->vendor;
            char *text = second ? name : vendor;
            ck_assert_uint_lt(strlen(glob), sizeof name);
            size_t length = strlen(glob);
            for (size_t i = 0; i <= length; i++) {
                text[i] = glob[i] == '*' || glob[i] == '?' ? 'x' : glob[i];
            }
        }
        struct device_caps caps = family_limits(row);
        caps.vendor = vendor;
        caps.name = name;
        caps.type = row->type == CL_DEVICE_TYPE_ALL ? CL_DEVICE_TYPE_CUSTOM : row->type;
        if (r + 1 == clsort__tuning_n_rows) {
            caps = smallest_device(); /* on larger ones another row goes before it */
        }
        uint32_t value_bytes = row->value_bytes == TUNING_NO_VALUES ? 0 : row->value_bytes;
        struct tuning_choice choice = look_up(&caps, NULL, row->key_bytes ? row->key_bytes : 4, value_bytes);
        is_reached[choice.row_number - 1] = true;
        ck_assert_msg(choice.row == row, "row %zu (%s, %s) is shadowed by row %zu", r + 1, row->vendor, row->device,
                      choice.row_number);
    }
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        ck_assert_msg(is_reached[r], "row %zu", r + 1);
    }
}
END_TEST

/* Names as drivers have given them. */
START_TEST(odd_names_land_where_they_should)
{
    static const struct {
        cl_device_type type;
        const char *vendor, *name, *row_vendor;
        cl_device_type row_type;
    } devices[] = {{CL_DEVICE_TYPE_CPU, "AuthenticAMD", "pthread-skylake-avx512-AMD EPYC", "*", CL_DEVICE_TYPE_CPU},
                   {CL_DEVICE_TYPE_CPU, "GenuineIntel", "cpu-haswell-Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz", "*",
                    CL_DEVICE_TYPE_CPU},
                   {CL_DEVICE_TYPE_CPU, "Intel(R) Corporation", "       Intel(R) Xeon(R) CPU E5-2680 0 @ 2.70GHz", "*",
                    CL_DEVICE_TYPE_CPU},
                   {CL_DEVICE_TYPE_CPU, "Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", "*", CL_DEVICE_TYPE_CPU},
                   {CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "NVIDIA GeForce RTX 3060 Laptop GPU  ", "NVIDIA*",
                    CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "NVIDIA Corporation  ", "GeForce GT 710", "NVIDIA*", CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "Advanced Micro Devices, Inc.", "gfx90a:sramecc+:xnack-", "Advanced*",
                    CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "AMD", "AMD Radeon RX 580 Series (polaris10, LLVM 15.0.6, DRM 3.49, 6.1.0)",
                    "AMD*", CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "Intel(R) Corporation", "Intel(R) UHD Graphics 770 [0x4680]", "Intel*",
                    CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "Intel", "Mesa Intel(R) Arc(tm) A380 Graphics (DG2)", "Intel*",
                    CL_DEVICE_TYPE_GPU},
                   {CL_DEVICE_TYPE_GPU, "ARM", "Mali-G78 r0p1", "*", CL_DEVICE_TYPE_ALL},
                   {CL_DEVICE_TYPE_GPU, "", "", "*", CL_DEVICE_TYPE_ALL},
                   {CL_DEVICE_TYPE_ACCELERATOR, "Intel(R) Corporation", "Intel(R) FPGA Emulation Device", "*",
                    CL_DEVICE_TYPE_ALL}};
    for (size_t d = 0; d < N_ELEMENTS(devices); d++) {
        struct device_caps caps = caps_of(devices[d].type, devices[d].vendor, devices[d].name, 1024, 65536);
        struct tuning_choice choice = look_up(&caps, NULL, 4, 0);
        ck_assert_msg(strcmp(choice.row->vendor, devices[d].row_vendor) == 0 && choice.row->type == devices[d].row_type,
                      "%s (%s): %s", devices[d].name, devices[d].vendor, source_of(choice));
    }
}
END_TEST

START_TEST(row_of_the_vendor_is_found_before_the_general_one)
{
    struct device_caps nvidia = caps_of(CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "NVIDIA H200", 1024, 49152);
    struct device_caps other = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 1024, 49152);
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&nvidia, NULL, 4, 0)), "NVIDIA"));
    ck_assert_ptr_null(strstr(source_of(look_up(&other, NULL, 4, 0)), "NVIDIA"));
}
END_TEST

#define FIELDS                                                                                                         \
    "group_size=32,items=5,radix_bits=6,rank_bits=3,blocks_per_unit=2,local_group_size=16,local_items=6,"              \
    "bitonic_count=7,hybrid_group_size=8,hybrid_items=4,hybrid_bits=8,bucket_group_size=8,bucket_items=8,"             \
    "hybrid_count=0,stable_items=16,stable_count=0,ptx=0,counting_group_size=8,counting_items=32,counting_groups=3,"   \
    "counting_count=1000,"                                                                                             \
    "rank_count=8,samplesort_count=9,at_once_count=0,spread_group_size=8,spread_items=4,"                              \
    "serial_count=0,chunked_count=0,chunked_groups=1,bucket_keys=1024,plain_kib=0,network_keys=0,segment_levels=2"

static struct tuning_user rows_of(const char *text)
{
    struct tuning_user user = {0};
    struct failure failure = {0};
    clsort_status status = clsort__tuning_parse_rows(text, &user, &failure);
    ck_assert_msg(status == CLSORT_SUCCESS, "%s", failure.text);
    return user;
}

START_TEST(row_of_the_user_goes_before_the_built_in_ones_where_it_applies)
{
    struct tuning_user user = rows_of("# mine\n\n"
                                      "vendor=NVIDIA*,device=*H200*,key_bytes=4,value_bytes=8," FIELDS "\r\n"
                                      "vendor=Nobody, device=Any ?ne , " FIELDS " # the rest\n");
    ck_assert_uint_eq(user.n_rows, 2);
    struct device_caps h200 = caps_of(CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "NVIDIA H200", 1024, 49152);
    struct device_caps other = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any One", 1024, 49152);
    struct tuning_choice choice = look_up(&h200, &user, 4, 8);
    ck_assert_uint_eq(choice.values.group_size, 32);
    ck_assert_uint_eq(choice.values.bitonic_count, 7);
    ck_assert_ptr_nonnull(strstr(source_of(choice), "user row 1"));
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&h200, &user, 4, 4)), "built-in"));
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&h200, &user, 8, 8)), "built-in"));
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&other, &user, 2, 0)), "user row 2"));
    other.name = (char *)(uintptr_t) "Any Two";
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&other, &user, 2, 0)), "built-in"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(row_of_the_user_tells_drivers_apart)
{
    struct tuning_user user = rows_of("version=1\ndriver=535.?*," FIELDS "\n");
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 1024, 49152);
    static const struct {
        const char *driver, *source;
    } cases[] = {{"535.1", "user row 1"}, {" 535.183.01 ", "user row 1"},
                 {"535.", "built-in"},    {"1535.1", "built-in"},
                 {"", "built-in"},        {NULL, "built-in"}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        caps.driver_version = (char *)(uintptr_t)cases[i].driver;
        const char *source = source_of(look_up(&caps, &user, 4, 0));
        ck_assert_msg(strstr(source, cases[i].source), "%s: %s", cases[i].driver, source);
    }
    caps.driver_version = (char *)(uintptr_t) "535.1";
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 0)), "driver 535.?*"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(row_of_the_user_can_be_for_keys_alone)
{
    struct tuning_user user = rows_of("key_bytes=4,value_bytes=none," FIELDS "\n");
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 1024, 49152);
    const char *source = source_of(look_up(&caps, &user, 4, 0));
    ck_assert_msg(strstr(source, "user row 1") && strstr(source, "key_bytes 4, value_bytes none"), "%s", source);
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 4)), "built-in"));
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 8, 0)), "built-in"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(row_of_a_later_version_is_refused)
{
    static const char *const texts[] = {"version=2\n", "version=0", "version=", "# x\n\nversion=99," FIELDS,
                                        "version=1,version=2"};
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        struct tuning_user user = {0};
        struct failure failure = {0};
        ck_assert_msg(clsort__tuning_parse_rows(texts[i], &user, &failure) == CLSORT_INVALID_TUNING, "text %zu", i);
        ck_assert_msg(strstr(failure.text, "version"), "%s", failure.text);
        clsort__failure_clear(&failure);
        clsort__tuning_user_clear(&user);
    }
}
END_TEST

/* Stars that each may stand for anything take no longer than one: this look-up would not end in a lifetime if they did. */
START_TEST(glob_of_many_stars_is_matched_in_no_time)
{
    struct tuning_user user = rows_of("device=*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b," FIELDS "\n");
    struct device_caps caps =
        caps_of(CL_DEVICE_TYPE_GPU, "Nobody",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1024, 49152);
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 0)), "built-in"));
    caps.name = (char *)(uintptr_t) "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 0)), "user row 1"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(last_row_alone_is_used_where_that_is_asked_for)
{
    struct tuning_user user = rows_of(FIELDS "\n");
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "NVIDIA Corporation", "NVIDIA H200", 1024, 49152);
    user.last_row_only = 1;
    struct tuning_choice choice = look_up(&caps, &user, 4, 0);
    ck_assert_ptr_eq(choice.row, &clsort__tuning_rows[clsort__tuning_n_rows - 1]);
    ck_assert_uint_eq(choice.row_number, clsort__tuning_n_rows);
    ck_assert_ptr_nonnull(strstr(source_of(choice), "built-in"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(rows_passed_over_are_told_with_the_reason)
{
    struct tuning_user user = rows_of("device=Other," FIELDS "\n" FIELDS "\n");
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 8, 32768);
    const struct tuning_use use = {4, 0, 4};
    char text[2048];
    struct tuning_choice choice = look_up(&caps, &user, 4, 0);
    clsort__tuning_print_passed(&caps, &user, &use, &choice, text, sizeof text);
    ck_assert_msg(strstr(text, "user row 2 is not legal here: group_size"), "%s", text);
    ck_assert_msg(!strstr(text, "user row 1"), "%s", text);
    ck_assert_msg(strstr(text, "\nbuilt-in row ") && !strstr(text, "built-in row 1 "), "%s", text);
    caps.group_limit = 256;
    choice = look_up(&caps, &user, 4, 0);
    clsort__tuning_print_passed(&caps, &user, &use, &choice, text, sizeof text);
    ck_assert_str_eq(text, "");
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(values_of_the_row_are_those_before_scaling)
{
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 256, 32768);
    struct tuning_user user = rows_of(FIELDS "\n");
    struct tuning_choice choice = look_up(&caps, &user, 8, 0);
    ck_assert_uint_eq(choice.row_values.items, 5);
    ck_assert_uint_eq(choice.values.items, 3);
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(row_that_is_not_legal_here_falls_through_to_the_next)
{
    struct tuning_user user = rows_of(
        "group_size=1024,items=60,radix_bits=8,rank_bits=4,blocks_per_unit=2,local_group_size=1024,local_items=60,"
        "bitonic_count=0,hybrid_group_size=1,hybrid_items=1,hybrid_bits=8,bucket_group_size=1,bucket_items=1,"
        "hybrid_count=0,stable_items=16,stable_count=0,ptx=0,counting_group_size=1,counting_items=256,counting_groups="
        "1,counting_count=0,"
        "rank_count=0,samplesort_count=0,at_once_count=0,spread_group_size=1,spread_items=1,"
        "serial_count=0,chunked_count=0,chunked_groups=1,bucket_keys=1024,plain_kib=0,network_keys=0,segment_levels="
        "2\n" FIELDS "\n");
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 256, 32768);
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 0)), "user row 2"));
    caps.group_limit = 8;
    ck_assert_ptr_nonnull(strstr(source_of(look_up(&caps, &user, 4, 0)), "built-in"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(overrides_are_laid_over_the_row_that_is_found)
{
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 256, 32768);
    struct tuning_user user = rows_of(FIELDS "\n");
    struct failure failure = {0};
    ck_assert_int_eq(clsort__tuning_parse_overrides(" items=3 ,, radix_bits=5,", &user, &failure), CLSORT_SUCCESS);
    struct tuning_choice choice = look_up(&caps, &user, 4, 0);
    ck_assert_uint_eq(choice.values.items, 3);
    ck_assert_uint_eq(choice.values.radix_bits, 5);
    ck_assert_uint_eq(choice.values.group_size, 32);
    ck_assert_ptr_nonnull(strstr(source_of(choice), "user row 1"));
    ck_assert_ptr_nonnull(strstr(source_of(choice), "override"));
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(override_that_is_not_legal_is_an_error_that_names_the_field)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"group_size=512", "group_size"},
                 {"group_size=0", "group_size"},
                 {"group_size=48", "group_size"},
                 {"local_group_size=3", "local_group_size"},
                 {"items=0", "items"},
                 {"items=60000", "items"},
                 {"local_items=0", "local_items"},
                 {"local_items=4000", "local_items"},
                 {"radix_bits=0", "radix_bits"},
                 {"radix_bits=9", "radix_bits"},
                 {"rank_bits=0", "rank_bits"},
                 {"rank_bits=8,radix_bits=7", "rank_bits"},
                 {"blocks_per_unit=0", "blocks_per_unit"},
                 {"blocks_per_unit=5000", "blocks_per_unit"},
                 {"counting_group_size=512", "counting_group_size"},
                 {"counting_group_size=24", "counting_group_size"},
                 {"counting_group_size=4,counting_items=63", "counting_items"},
                 {"counting_group_size=256,counting_items=256", "counting_items"},
                 {"counting_group_size=256,counting_items=32", "counting_items"},
                 {"counting_groups=0", "counting_groups"},
                 {"counting_groups=1025", "counting_groups"}};
    struct device_caps caps = caps_of(CL_DEVICE_TYPE_GPU, "Nobody", "Any", 256, 32768);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct tuning_user user = {0};
        struct failure failure = {0};
        struct tuning_choice choice;
        const struct tuning_use use = {4, 0, 4};
        ck_assert_int_eq(clsort__tuning_parse_overrides(cases[i].text, &user, &failure), CLSORT_SUCCESS);
        ck_assert_msg(clsort__tuning_look_up(&caps, &user, &use, &choice, &failure) == CLSORT_INVALID_TUNING, "%s",
                      cases[i].text);
        ck_assert_msg(strstr(failure.text, cases[i].field), "%s: %s", cases[i].text, failure.text);
        clsort__failure_clear(&failure);
        clsort__tuning_user_clear(&user);
    }
}
END_TEST

START_TEST(text_that_is_not_name_and_number_is_refused_and_quoted)
{
    static const char *const texts[] = {"speed=9",
                                        "items",
                                        "items=",
                                        "items=x",
                                        "items=-1",
                                        "items=1.5",
                                        "items=0x10",
                                        "items=999999999",
                                        "=5",
                                        "items=5 6",
                                        "group_size=64,itmes=4",
                                        "items==4"};
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        struct tuning_user user = {0};
        struct failure failure = {0};
        ck_assert_msg(clsort__tuning_parse_overrides(texts[i], &user, &failure) == CLSORT_INVALID_TUNING, "%s",
                      texts[i]);
        ck_assert_msg(strstr(failure.text, "tuning"), "%s: %s", texts[i], failure.text);
        clsort__failure_clear(&failure);
        ck_assert_msg(clsort__tuning_parse_rows(texts[i], &user, &failure) == CLSORT_INVALID_TUNING, "%s", texts[i]);
        clsort__failure_clear(&failure);
        clsort__tuning_user_clear(&user);
    }
}
END_TEST

START_TEST(row_of_a_file_that_lacks_a_field_is_refused)
{
    struct tuning_user user = {0};
    struct failure failure = {0};
    ck_assert_int_eq(clsort__tuning_parse_rows("vendor=A,group_size=4,items=2\n", &user, &failure),
                     CLSORT_INVALID_TUNING);
    ck_assert_ptr_nonnull(strstr(failure.text, "radix_bits"));
    clsort__failure_clear(&failure);
    clsort__tuning_user_clear(&user);
    ck_assert_int_eq(clsort__tuning_parse_rows("vendor=A,device=B\n", &user, &failure), CLSORT_INVALID_TUNING);
    clsort__failure_clear(&failure);
    clsort__tuning_user_clear(&user);
}
END_TEST

START_TEST(file_without_rows_has_no_rows)
{
    static const char *const texts[] = {"", "\n\n", "# only this", "   \n\t\n#x\n", ",,\n"};
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        struct tuning_user user = rows_of(texts[i]);
        ck_assert_msg(user.n_rows == 0, "text %zu", i);
        clsort__tuning_user_clear(&user);
    }
}
END_TEST

START_TEST(printed_values_are_read_back_the_same)
{
    char text[1024];
    struct tuning values = clsort__tuning_rows[0].values, found;
    struct tuning_user user = {0};
    struct failure failure = {0};
    clsort__tuning_print(&values, text, sizeof text);
    ck_assert_int_eq(clsort__tuning_parse_overrides(text, &user, &failure), CLSORT_SUCCESS);
    found = user.overrides;
    ck_assert(memcmp(&found, &values, sizeof values) == 0);
    char small[10];
    memset(small, 'x', sizeof small);
    clsort__tuning_print(&values, small, 9);
    ck_assert_uint_le(strlen(small), 8);
    ck_assert(small[9] == 'x');
}
END_TEST

START_TEST(counting_begins_earlier_for_keys_with_fewer_counters)
{
    struct tuning values = clsort__tuning_rows[0].values;
    values.counting_count = 1000;
    ck_assert_uint_eq(clsort__tuning_scale(values, 2).counting_count, 1000);
    ck_assert_uint_eq(clsort__tuning_scale(values, 1).counting_count, 4);
    values.counting_count = 0;
    ck_assert_uint_eq(clsort__tuning_scale(values, 1).counting_count, 0);
}
END_TEST

START_TEST(tiles_of_wider_keys_are_no_larger_in_bytes_than_the_row_says)
{
    for (size_t r = 0; r < clsort__tuning_n_rows; r++) {
        for (uint32_t key_bytes = 1; key_bytes <= 8; key_bytes *= 2) {
            struct tuning values = clsort__tuning_rows[r].values, scaled = clsort__tuning_scale(values, key_bytes);
            ck_assert_uint_ge(scaled.items, 1);
            ck_assert_uint_ge(scaled.local_items, 1);
            ck_assert_uint_le(scaled.items, values.items);
            if (key_bytes > 4) {
                ck_assert_uint_le(scaled.items * key_bytes, values.items * 4 + key_bytes);
            }
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("tuning", every_row_is_legal_on_a_device_of_its_family,
                     last_row_is_for_every_device_and_legal_on_the_smallest, every_kind_of_device_finds_a_row,
                     every_row_is_reached_by_some_device, odd_names_land_where_they_should,
                     row_of_the_vendor_is_found_before_the_general_one, row_of_the_user_tells_drivers_apart,
                     row_of_the_user_can_be_for_keys_alone, row_of_a_later_version_is_refused,
                     glob_of_many_stars_is_matched_in_no_time, last_row_alone_is_used_where_that_is_asked_for,
                     rows_passed_over_are_told_with_the_reason, values_of_the_row_are_those_before_scaling,
                     row_of_the_user_goes_before_the_built_in_ones_where_it_applies,
                     row_that_is_not_legal_here_falls_through_to_the_next,
                     overrides_are_laid_over_the_row_that_is_found,
                     override_that_is_not_legal_is_an_error_that_names_the_field,
                     text_that_is_not_name_and_number_is_refused_and_quoted,
                     row_of_a_file_that_lacks_a_field_is_refused, file_without_rows_has_no_rows,
                     printed_values_are_read_back_the_same, counting_begins_earlier_for_keys_with_fewer_counters,
                     tiles_of_wider_keys_are_no_larger_in_bytes_than_the_row_says);
}
