/* Tuning parameters: rows, look-up, scaling by key size, legality. Pure: no OpenCL calls. */
#include "tuning.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct tuning_row clsort__tuning_rows[] = {
#include "tuning_table.h"
};
const size_t clsort__tuning_n_rows = sizeof clsort__tuning_rows / sizeof clsort__tuning_rows[0];

uint32_t *clsort__tuning_field(struct tuning *values, size_t i)
{
    uint32_t *const fields[] = {
#define FIELD_POINTER(field, text) &values->field,
        TUNING_FIELDS(FIELD_POINTER)
#undef FIELD_POINTER
    };
    return fields[i];
}

/* --------------------------------------------------------------------------------------------------- legality */

static int is_power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* TILE_SLOTS of cl/group.cl. */
static uint64_t tile_slots(uint32_t group_size, uint32_t items)
{
    const uint64_t tile = (uint64_t)group_size * items;
    return group_size == 1 ? tile : tile + tile / items;
}

/* Counters and scratch of the rank steps in cl/group.cl. */
static uint64_t rank_bytes(const struct tuning *t, uint32_t group_size, uint32_t index_bytes)
{
    const uint64_t rows = (uint64_t)1 << (t->rank_bits - 1);
    return rows * (group_size + group_size / rows) * 4 + (uint64_t)group_size * 2 * index_bytes;
}

/* Local memory of scatter in cl/radix.cl. */
static uint64_t radix_local_bytes(const struct tuning *t, const struct tuning_use *use)
{
    const uint64_t starts = (uint64_t)(use->index_bytes + 4) << t->radix_bits;
    const uint64_t slot_bytes = use->key_bytes + (use->value_bytes ? 2 : 0);
    if (t->group_size == 1) {
        return starts + 2 * use->index_bytes;
    }
    return starts + tile_slots(t->group_size, t->items) * slot_bytes + rank_bytes(t, t->group_size, use->index_bytes);
}

/* Local memory of sort in cl/radix_local.cl, which is more than that of cl/bitonic.cl. */
static uint64_t small_local_bytes(const struct tuning *t, const struct tuning_use *use)
{
    const uint64_t slots = tile_slots(t->local_group_size, t->local_items) * (use->key_bytes + 2);
    if (t->local_group_size == 1) {
        return 2 * slots + ((uint64_t)4 << t->radix_bits);
    }
    return slots + rank_bytes(t, t->local_group_size, use->index_bytes);
}

/* Local memory of sort in cl/rank.cl. */
static uint64_t rank_sort_local_bytes(const struct tuning *t, const struct tuning_use *use)
{
    const uint64_t tile = (uint64_t)t->spread_group_size * t->spread_items;
    return (tile + 3) / 4 * 4 * use->key_bytes + 4 * 32;
}

/* Local memory that a compiler may take for itself; clang's AMD back end and PoCL take none, Intel's some. */
enum { local_bytes_reserved = 256 };

uint64_t clsort__tuning_samplesort_bytes(uint64_t group_size, uint64_t items, uint32_t rank_bytes)
{
    const uint64_t tile = group_size * items;
    const int is_small = group_size < 32;
    const uint64_t sample_rows = is_small ? (items < 128 ? items : 128) : items < 2 ? 1 : items < 4 ? 2 : 4;
    const uint64_t rows = is_small ? sample_rows : items + items / 3 < 32 ? items + items / 3 : 32;
    const uint64_t n_samples = sample_rows * group_size, n_buckets = n_samples < 1024 ? n_samples : 1024;
    const uint64_t n_bins = tile < 512 ? 64 : tile < 2048 ? 256 : tile < 4096 && rank_bytes < 8 ? 1024 : 2048;
    const uint64_t bins = 4 * (n_bins + 1 + group_size + 64 + 4), single = 4 * (33 + 10);
    const uint64_t places = tile + 16 + (tile + 16) / 8 + 1;
    const uint64_t sample = (n_samples + 16 + (n_samples + 16) / 8 + 1) * rank_bytes + bins,
                   parted = rows * group_size * rank_bytes;
    const uint64_t of_distribute =
        (sample > parted ? sample : parted) + (n_buckets + 1) * rank_bytes + 4 * (n_buckets + 3) + 2 * (n_buckets + 2);
    const uint64_t slots = places * rank_bytes, wide = slots > 4 * tile ? slots : 4 * tile; /* places have 4 bytes */
    const uint64_t of_sort_buckets = wide + bins + 4 * (1024 + 1) + 2 * (tile / 64 + 2);
    const uint64_t of_sort_at_once = (places + 32) * rank_bytes + bins + 257 * (uint64_t)rank_bytes;
    const uint64_t of_both = of_sort_buckets > of_sort_at_once ? of_sort_buckets : of_sort_at_once;
    return single + (of_distribute > of_both ? of_distribute : of_both) + local_bytes_reserved;
}

/* Local memory of the kernels of cl/counting.cl: counters of count_keys, or sums and segments of the others. */
static uint64_t counting_local_bytes(const struct tuning *t, const struct tuning_use *use)
{
    const uint64_t group_size = t->counting_group_size;
    const uint64_t most_segments = 512;
    const uint64_t sums = group_size > most_segments ? group_size : most_segments;
    const uint64_t counters = 4 * (group_size * t->counting_items + 6); /* and hot keys */
    const uint64_t others = (2 * group_size + sums) * use->index_bytes;
    return counters > others ? counters : others;
}

static int is_group_size(const struct device_caps *caps, uint32_t n)
{
    return is_power_of_two(n) && n <= caps->group_limit && n <= 1024;
}

const char *clsort__tuning_illegal(const struct device_caps *caps, const struct tuning *t, const struct tuning_use *use)
{
    if (!is_group_size(caps, t->group_size)) {
        return "group_size: not a power of two, or above the device's limit or 1024";
    }
    if (!is_group_size(caps, t->local_group_size)) {
        return "local_group_size: not a power of two, or above the device's limit or 1024";
    }
    if (!is_group_size(caps, t->counting_group_size)) {
        return "counting_group_size: not a power of two, or above the device's limit or 1024";
    }
    if (t->items < 1 || t->items > 65535 / t->group_size) {
        return "items: 0, or a tile above 65535";
    }
    if (t->local_items < 1 || t->local_items > 65535 / t->local_group_size) {
        return "local_items: 0, or a tile above 65535";
    }
    if (!is_group_size(caps, t->spread_group_size)) {
        return "spread_group_size: not a power of two, or above the device's limit or 1024";
    }
    if (t->spread_items < 1 || t->spread_items > 65535 / t->spread_group_size) {
        return "spread_items: 0, or a tile above 65535";
    }
    if (t->counting_items < (255 + t->counting_group_size) / t->counting_group_size ||
        t->counting_items > 65535 / t->counting_group_size) {
        return "counting_items: fewer than 256 words of counters in all, or more than 65535";
    }
    if (t->counting_groups < 1 || t->counting_groups > 1024) {
        return "counting_groups: not 1 to 1024";
    }
    if (t->chunked_groups < 1 || t->chunked_groups > 64) {
        return "chunked_groups: not 1 to 64";
    }
    if (t->bucket_keys < 16 || t->bucket_keys > 1u << 20) {
        return "bucket_keys: not 16 to 2^20";
    }
    if (t->radix_bits < 1 || t->radix_bits > 8) {
        return "radix_bits: not 1 to 8";
    }
    if (t->rank_bits < 1 || t->rank_bits > t->radix_bits) {
        return "rank_bits: not 1 to radix_bits";
    }
    if (t->blocks_per_unit < 1 || t->blocks_per_unit > 1024) {
        return "blocks_per_unit: not 1 to 1024";
    }
    if (t->ptx > 1 || (t->ptx && (strncmp(caps->vendor, "NVIDIA", 6) != 0 || !(caps->type & CL_DEVICE_TYPE_GPU)))) {
        return "ptx: not 0, or 1 on a GPU of NVIDIA";
    }
    if ((t->hybrid_count != 0 || t->stable_count != 0) && (t->hybrid_group_size < 2 || t->bucket_group_size < 2)) {
        return "hybrid_group_size, bucket_group_size: 1 where hybrid_count or stable_count is not 0";
    }
    if (!is_group_size(caps, t->hybrid_group_size)) {
        return "hybrid_group_size: not a power of two, or above the device's limit or 1024";
    }
    if (!is_group_size(caps, t->bucket_group_size)) {
        return "bucket_group_size: not a power of two, or above the device's limit or 1024";
    }
    if (t->hybrid_items < 1 || t->hybrid_items > 64 || t->stable_items < 1 || t->stable_items > 64 ||
        t->bucket_items < 1 || t->bucket_items > 64) {
        return "hybrid_items, stable_items, bucket_items: not 1 to 64";
    }
    if (t->segment_levels < 1 || t->segment_levels > 64) {
        return "segment_levels: not 1 to 64";
    }
    if (t->network_keys != 0 && (t->hybrid_group_size < 2 || t->bucket_group_size < 2)) {
        return "hybrid_group_size, bucket_group_size: 1 where network_keys is not 0";
    }
    if (t->hybrid_bits < 1 || t->hybrid_bits > 8) {
        return "hybrid_bits: not 1 to 8";
    }
    if (radix_local_bytes(t, use) + local_bytes_reserved > caps->local_bytes) {
        return "items: a tile does not fit the device's local memory";
    }
    if (small_local_bytes(t, use) + local_bytes_reserved > caps->local_bytes) {
        return "local_items: a tile does not fit the device's local memory";
    }
    if (rank_sort_local_bytes(t, use) + local_bytes_reserved > caps->local_bytes ||
        clsort__tuning_samplesort_bytes(t->spread_group_size, t->spread_items, use->key_bytes) > caps->local_bytes) {
        return "spread_items: a tile does not fit the device's local memory";
    }
    if (counting_local_bytes(t, use) + local_bytes_reserved > caps->local_bytes) {
        return "counting_items: counters do not fit the device's local memory";
    }
    if (caps->loop_limit && t->counting_items > caps->loop_limit / 32) {
        return "counting_items: above what a work-item's loops can do on this device";
    }
    if (caps->loop_limit && t->items > caps->loop_limit / 32) {
        return "items: above what a work-item's loops can do on this device";
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------- look-up */

struct tuning clsort__tuning_scale(struct tuning values, uint32_t key_bytes)
{
    if (key_bytes > 4) {
        values.items = (values.items * 4 + key_bytes - 1) / key_bytes;
        values.local_items = (values.local_items * 4 + key_bytes - 1) / key_bytes;
        values.spread_items = (values.spread_items * 4 + key_bytes - 1) / key_bytes;
        values.samplesort_count = (uint32_t)((uint64_t)values.samplesort_count * 4 / key_bytes);
    }
    if (key_bytes == 1) {
        values.counting_count = (values.counting_count + 255) / 256; /* as many fewer counters */
    }
    return values;
}

/* Whether the glob matches all of the text. After a failure only the last * is tried further along, as an earlier one could
   reach nothing that it does not; so the time is that of the two lengths at most, whatever a file holds. */
static int glob_matches(const char *glob, const char *text, const char *end)
{
    const char *star = NULL, *star_text = NULL;
    while (text < end) {
        if (*glob == '*') {
            star = glob++;
            star_text = text;
        } else if (*glob && (*glob == '?' || *glob == *text)) {
            glob++;
            text++;
        } else if (star) {
            glob = star + 1;
            text = ++star_text;
        } else {
            return 0;
        }
    }
    glob += strspn(glob, "*");
    return *glob == 0;
}

/* A name of the device against a glob. Some drivers put blanks around names, which a row's text cannot have. */
static int name_matches(const char *glob, const char *name)
{
    if (!glob) {
        return 1;
    }
    const char *text = name ? name + strspn(name, " \t\r") : "";
    const char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    return glob_matches(glob, text, end);
}

static int row_applies(const struct tuning_row *row, const char *driver, const struct device_caps *caps,
                       const struct tuning_use *use)
{
    const uint32_t value_bytes = use->value_bytes ? use->value_bytes : TUNING_NO_VALUES;
    return (row->type & caps->type) && name_matches(row->vendor, caps->vendor) &&
           name_matches(row->device, caps->name) && name_matches(driver, caps->driver_version) &&
           (!row->key_bytes || row->key_bytes == use->key_bytes) &&
           (!row->value_bytes || row->value_bytes == value_bytes);
}

/* Row i of the two lists as one, in the order of the look-up; NULL from the last on. */
static const struct tuning_row *row_at(const struct tuning_user *user, size_t i, const char **driver)
{
    const size_t n_of_user = user && !user->last_row_only ? user->n_rows : 0;
    *driver = i < n_of_user ? user->rows[i].driver : NULL;
    if (i < n_of_user) {
        return &user->rows[i].row;
    }
    i -= n_of_user;
    return i < clsort__tuning_n_rows ? &clsort__tuning_rows[i] : NULL;
}

/* Why the row is not to be used, NULL if it is; *applies: its conditions hold. */
static const char *row_illegal(const struct tuning_user *user, size_t i, const struct device_caps *caps,
                               const struct tuning_use *use, int *applies)
{
    const char *driver;
    const struct tuning_row *row = row_at(user, i, &driver);
    const int is_last = row == &clsort__tuning_rows[clsort__tuning_n_rows - 1];
    *applies = row_applies(row, driver, caps, use) && (is_last || !user || !user->last_row_only);
    if (!*applies) {
        return "";
    }
    const struct tuning scaled = clsort__tuning_scale(row->values, use->key_bytes);
    return clsort__tuning_illegal(caps, &scaled, use);
}

/* Takes the first row that applies and is legal, after scaling; returns whether there is one. */
static int take_row(const struct device_caps *caps, const struct tuning_user *user, const struct tuning_use *use,
                    struct tuning_choice *choice)
{
    const char *driver;
    const struct tuning_row *row;
    for (size_t i = 0; (row = row_at(user, i, &driver)) != NULL; i++) {
        int applies;
        if (!row_illegal(user, i, caps, use, &applies)) {
            const size_t n_of_user = user && !user->last_row_only ? user->n_rows : 0;
            choice->row_values = row->values;
            choice->row = row;
            choice->driver = driver;
            choice->is_of_user = i < n_of_user;
            choice->row_number = i + 1 - (choice->is_of_user ? 0 : n_of_user);
            return 1;
        }
    }
    return 0;
}

/* Appends to text, which stays within its bytes and ends in 0. */
static void append(char *text, size_t bytes, const char *format, ...) CLSORT_PRINTF(3, 4);
static void append(char *text, size_t bytes, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

static const char *type_name(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_GPU           ? "gpu"
           : type == CL_DEVICE_TYPE_CPU         ? "cpu"
           : type == CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                                : "several types";
}

void clsort__tuning_print_source(const struct tuning_choice *choice, char *text, size_t bytes)
{
    const struct tuning_row *row = choice->row;
    snprintf(text, bytes, "%s row %zu (vendor %.32s, device %.64s", choice->is_of_user ? "user" : "built-in",
             choice->row_number, row->vendor ? row->vendor : "*", row->device ? row->device : "*");
    if (choice->driver) {
        append(text, bytes, ", driver %.32s", choice->driver);
    }
    if (row->type != CL_DEVICE_TYPE_ALL) {
        append(text, bytes, ", type %s", type_name(row->type));
    }
    if (row->key_bytes) {
        append(text, bytes, ", key_bytes %u", (unsigned)row->key_bytes);
    }
    if (row->value_bytes == TUNING_NO_VALUES) {
        append(text, bytes, ", value_bytes none");
    } else if (row->value_bytes) {
        append(text, bytes, ", value_bytes %u", (unsigned)row->value_bytes);
    }
    append(text, bytes, ")%s", choice->is_overridden ? ", with overrides" : "");
}

void clsort__tuning_print_passed(const struct device_caps *caps, const struct tuning_user *user,
                                 const struct tuning_use *use, const struct tuning_choice *choice, char *text,
                                 size_t bytes)
{
    const size_t n_of_user = user && !user->last_row_only ? user->n_rows : 0;
    const size_t end = choice->row_number - 1 + (choice->is_of_user ? 0 : n_of_user);
    text[0] = 0;
    for (size_t i = 0; i < end; i++) {
        int applies;
        const char *why = row_illegal(user, i, caps, use, &applies);
        if (applies && why) {
            append(text, bytes, "%s%s row %zu is not legal here: %s", text[0] ? "\n" : "",
                   i < n_of_user ? "user" : "built-in", i + 1 - (i < n_of_user ? 0 : n_of_user), why);
        }
    }
}

clsort_status clsort__tuning_look_up(const struct device_caps *caps, const struct tuning_user *user,
                                     const struct tuning_use *use, struct tuning_choice *choice,
                                     struct failure *failure)
{
    choice->is_overridden = user && user->overridden;
    if (!take_row(caps, user, use, choice)) {
        return clsort__fail(failure, CLSORT_DEVICE_UNSUITABLE, "no tuning row fits the limits of %s", caps->name);
    }
    if (choice->is_overridden) {
        struct tuning overrides = user->overrides;
        for (size_t i = 0; i < tuning_n_fields; i++) {
            if (user->overridden & (uint64_t)1 << i) {
                *clsort__tuning_field(&choice->row_values, i) = *clsort__tuning_field(&overrides, i);
            }
        }
    }
    choice->values = clsort__tuning_scale(choice->row_values, use->key_bytes);
    const char *why = clsort__tuning_illegal(caps, &choice->values, use);
    return why ? clsort__fail(failure, CLSORT_INVALID_TUNING, "tuning: %s", why) : CLSORT_SUCCESS;
}
