/* tune_space.h: which values of the tuning parameters the tuner tries, for each algorithm. */
#ifndef CLI_TUNE_SPACE_H
#define CLI_TUNE_SPACE_H

#include "tune_values.h"

#include <clsort/clsort.h>

/* The parameters of one algorithm, which are tuned together. */
struct tune_group {
    const char *algorithm; /* whose sorts are timed */
    const char *also_of;   /* other algorithms that these parameters are of */
    bool sorts_keys_alone, sorts_values;
    unsigned n_key_bytes_most;
    unsigned n_small_bits, n_large_bits; /* counts it is timed for: 2^small, 2^large; large 0: the largest of the run */
    bool is_for_groups;                  /* work-groups of several work-items only */
    bool is_for_cpus;                    /* work-items that work alone, which on other devices are hopeless */
    const char *fields[8];
    const char *seeds[8]; /* tried first */
};

/* Group number i, NULL from the last on. */
const struct tune_group *tune_group_at(size_t i);

/* The group whose parameters the algorithm of this name has, NULL if there is none. */
const struct tune_group *tune_group_of(const char *algorithm);

/* Whether the parameters of the group are worth a look on such a device; all that may be with is_full. */
bool tune_group_is_likely(const struct tune_group *group, cl_device_type type, bool is_full);

/* Whether a seed is worth a quick look on such a device: single work-items are for CPUs, and groups of them for others. */
bool tune_seed_is_likely(const char *seed, cl_device_type type);

/*
 * Applies move number i of the group to values, a step up or down of a field, or of two against each other. False from the
 * last move on. *changes: it made a difference, within what may be legal at all; no groups are made of single work-items
 * unless may_group.
 */
bool tune_move(const struct tune_group *group, size_t i, bool may_group, struct tune_values *values, bool *changes);

/* A parameter by whose value the library chooses the algorithm of a count. */
struct tune_switch {
    const char *field;
    bool is_from; /* counts from it on; else counts up to it */
};

/* Switch number i, NULL from the last on. */
const struct tune_switch *tune_switch_at(size_t i);

#endif
