/* tune_space.c: which values of the tuning parameters the tuner tries, for each algorithm. */
#include "tune_space.h"

#include <string.h>

/* The seeds are what rows of the library have had for some kind of device; what is illegal here is passed over. */
static const struct tune_group groups[] = {
    {.algorithm = "radix",
     .also_of = "",
     .sorts_keys_alone = true,
     .sorts_values = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 16,
     .fields = {"group_size", "items", "radix_bits", "rank_bits", "blocks_per_unit"},
     .seeds = {"group_size=1,items=1024,radix_bits=8,rank_bits=8,blocks_per_unit=4",
               "group_size=1,items=2048,radix_bits=8,rank_bits=8,blocks_per_unit=4",
               "group_size=256,items=16,radix_bits=8,rank_bits=4,blocks_per_unit=16",
               "group_size=256,items=8,radix_bits=8,rank_bits=4,blocks_per_unit=8",
               "group_size=512,items=8,radix_bits=8,rank_bits=4,blocks_per_unit=8",
               "group_size=64,items=16,radix_bits=8,rank_bits=4,blocks_per_unit=16"}},
    {.algorithm = "chunked_radix",
     .also_of = "serial_radix segmented_serial",
     .sorts_keys_alone = true,
     .sorts_values = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 17,
     .is_for_cpus = true,
     .fields = {"chunked_groups", "bucket_keys", "plain_kib"},
     .seeds = {"chunked_groups=1,bucket_keys=16384,plain_kib=0", "chunked_groups=2,bucket_keys=8192,plain_kib=0"}},
    {.algorithm = "radix_local",
     .also_of = "bitonic segmented",
     .sorts_keys_alone = true,
     .sorts_values = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 8,
     .n_large_bits = 11,
     .fields = {"local_group_size", "local_items"},
     .seeds = {"local_group_size=1,local_items=2048", "local_group_size=256,local_items=16",
               "local_group_size=128,local_items=16", "local_group_size=256,local_items=8"}},
    {.algorithm = "samplesort",
     .also_of = "rank",
     .sorts_keys_alone = true,
     .sorts_values = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 14,
     .n_large_bits = 18,
     .is_for_groups = true,
     .fields = {"spread_group_size", "spread_items", "at_once_count"},
     .seeds = {"spread_group_size=1024,spread_items=6,at_once_count=32768",
               "spread_group_size=512,spread_items=12,at_once_count=32768",
               "spread_group_size=256,spread_items=16,at_once_count=16384",
               "spread_group_size=256,spread_items=8,at_once_count=8192"}},
    {.algorithm = "hybrid",
     .also_of = "hybrid_exact segmented_hybrid",
     .sorts_keys_alone = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 20,
     .is_for_groups = true,
     .fields = {"hybrid_group_size", "hybrid_items", "hybrid_bits", "bucket_group_size", "bucket_items"},
     .seeds = {"hybrid_group_size=256,hybrid_items=44,hybrid_bits=8,bucket_group_size=256,bucket_items=18",
               "hybrid_group_size=256,hybrid_items=16,hybrid_bits=8,bucket_group_size=256,bucket_items=16",
               "hybrid_group_size=512,hybrid_items=22,hybrid_bits=8,bucket_group_size=512,bucket_items=9"}},
    {.algorithm = "hybrid_stable",
     .also_of = "segmented_pairs",
     .sorts_values = true,
     .n_key_bytes_most = 8,
     .n_small_bits = 20,
     .is_for_groups = true,
     .fields = {"hybrid_group_size", "stable_items", "hybrid_bits", "bucket_group_size", "bucket_items"},
     .seeds = {"hybrid_group_size=256,stable_items=28,hybrid_bits=8,bucket_group_size=256,bucket_items=18",
               "hybrid_group_size=256,stable_items=16,hybrid_bits=8,bucket_group_size=256,bucket_items=16"}},
    {.algorithm = "counting",
     .also_of = "",
     .sorts_keys_alone = true,
     .n_key_bytes_most = 2,
     .n_small_bits = 18,
     .fields = {"counting_group_size", "counting_items", "counting_groups"},
     .seeds = {"counting_group_size=1,counting_items=1024,counting_groups=4",
               "counting_group_size=512,counting_items=22,counting_groups=4",
               "counting_group_size=256,counting_items=44,counting_groups=4"}},
};

enum { n_groups = sizeof groups / sizeof *groups };

const struct tune_group *tune_group_at(size_t i)
{
    return i < n_groups ? &groups[i] : NULL;
}

/* Whether the names, with blanks between, have this one. */
static bool has_name(const char *names, const char *name)
{
    size_t n_name = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n_name) {
        bool begins = at == names || at[-1] == ' ';
        if (begins && (at[n_name] == ' ' || at[n_name] == 0))
            return true;
    }
    return false;
}

const struct tune_group *tune_group_of(const char *algorithm)
{
    for (size_t i = 0; i < n_groups; i++) {
        if (strcmp(groups[i].algorithm, algorithm) == 0 || has_name(groups[i].also_of, algorithm))
            return &groups[i];
    }
    return NULL;
}

bool tune_group_is_likely(const struct tune_group *group, cl_device_type type, bool is_full)
{
    bool is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (group->is_for_cpus && !is_cpu)
        return false;
    /* Compilers of CPU devices take a minute for kernels with barriers, which then are slow. */
    return is_full || !group->is_for_groups || !is_cpu;
}

bool tune_seed_is_likely(const char *seed, cl_device_type type)
{
    const char *size = strstr(seed, "group_size=");
    bool is_single = size != NULL && strncmp(size, "group_size=1,", 13) == 0;
    return size == NULL || is_single == ((type & CL_DEVICE_TYPE_CPU) != 0);
}

/* --------------------------------------------------------------------------------------------------------- moves */

enum step { DOUBLE, HALVE, MORE, FEWER, ONE_UP, ONE_DOWN };

static bool ends_in(const char *name, const char *ending)
{
    size_t n_name = strlen(name), n_ending = strlen(ending);
    return n_name >= n_ending && strcmp(name + n_name - n_ending, ending) == 0;
}

static uint32_t stepped(uint32_t number, enum step step)
{
    switch (step) {
    case DOUBLE:
        return number < 1u << 26 ? 2 * number : number;
    case HALVE:
        return number > 1 ? number / 2 : number;
    case MORE:
        return number + (number + 3) / 4;
    case FEWER:
        return number - number / 5;
    case ONE_UP:
        return number + 1;
    default:
        return number > 1 ? number - 1 : number;
    }
}

/* Steps of a field alone. Sizes of groups are not among them: see step_tile(). */
static size_t steps_of(const char *field, enum step steps[4])
{
    if (ends_in(field, "_bits")) {
        steps[0] = ONE_DOWN;
        steps[1] = ONE_UP;
        return 2;
    }
    steps[0] = DOUBLE;
    steps[1] = HALVE;
    if (!ends_in(field, "_items") && strcmp(field, "items") != 0)
        return 2;
    steps[2] = MORE;
    steps[3] = FEWER;
    return 4;
}

/* The size of a group against the items, so that a tile keeps its size. */
static bool step_tile(struct tune_values *values, const char *size, const char *items, bool is_up)
{
    uint32_t *group_size = tune_values_at(values, size), *n_items = tune_values_at(values, items);
    if (group_size == NULL || n_items == NULL || (is_up ? *n_items : *group_size) < 2)
        return false;
    *group_size = is_up ? *group_size * 2 : *group_size / 2;
    *n_items = is_up ? (*n_items + 1) / 2 : *n_items * 2;
    return true;
}

/* Digits of steps in local memory are not used by single work-items. */
static bool is_used(const struct tune_values *values, const char *field)
{
    return strcmp(field, "rank_bits") != 0 || tune_values_get(values, "group_size") > 1;
}

bool tune_move(const struct tune_group *group, size_t i, bool may_group, struct tune_values *values, bool *changes)
{
    enum step steps[4];
    for (size_t f = 0; f < sizeof group->fields / sizeof *group->fields && group->fields[f] != NULL; f++) {
        const char *field = group->fields[f];
        bool is_size = ends_in(field, "group_size");
        size_t n_steps = is_size ? 2 : steps_of(field, steps);
        if (i >= n_steps) {
            i -= n_steps;
            continue;
        }
        if (is_size) {
            bool is_allowed = may_group || i != 0 || tune_values_get(values, field) > 1;
            *changes =
                is_allowed && step_tile(values, field, group->fields[f + 1], i == 0); /* its items stand behind it */
            return true;
        }
        uint32_t *number = tune_values_at(values, field);
        uint32_t before = number != NULL ? *number : 0;
        if (number != NULL)
            *number = stepped(before, steps[i]);
        *changes = number != NULL && *number != before && is_used(values, field);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------ switches */

static const struct tune_switch switches[] = {
    {"serial_count", false},     {"chunked_count", true}, {"rank_count", false},  {"bitonic_count", false},
    {"samplesort_count", false}, {"hybrid_count", true},  {"stable_count", true}, {"counting_count", true},
};

const struct tune_switch *tune_switch_at(size_t i)
{
    return i < sizeof switches / sizeof *switches ? &switches[i] : NULL;
}
