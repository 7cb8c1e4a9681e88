/* The table of algorithms, the choice among them, and what surrounds the one chosen. */
#include "algorithm.h"

#include <string.h>

/* In the order in which they are tried. */
static const struct algorithm *const algorithms[] = {
    &clsort__rank,          &clsort__bitonic,          &clsort__samplesort,      &clsort__serial_radix,
    &clsort__radix_local,   &clsort__counting,         &clsort__hybrid,          &clsort__hybrid_exact,
    &clsort__hybrid_stable, &clsort__chunked_radix,    &clsort__radix,           &clsort__bitonic_global,
    &clsort__quicksort,     &clsort__segmented_hybrid, &clsort__segmented_pairs, &clsort__segmented_serial,
    &clsort__segmented,
};

enum { n_algorithms = sizeof algorithms / sizeof algorithms[0] };

const char *clsort_algorithm_name(size_t i)
{
    return i < n_algorithms ? algorithms[i]->name : NULL;
}

/* What the algorithm is given. */
static struct job inner_job(const struct method *method)
{
    struct job job = method->job;
    if (method->is_indexed) {
        job.operation = CLSORT_ARGSORT;
        job.value_bytes = job.index_bytes;
        job.values_in_place = 0;
    }
    if (method->algorithm == &clsort__bitonic_global && job.operation == CLSORT_ARGSORT && job.value_bytes == 8) {
        job.index_bytes = 8; /* its indices are of the width of its positions */
    }
    return job;
}

/* Sets up the method for one algorithm; returns whether it can do the job. */
static int try_algorithm(const struct algorithm *algorithm, const struct job *job, struct method *method)
{
    method->algorithm = algorithm;
    method->job = *job;
    if (!(algorithm->kinds & (job->segments.are_given ? FOR_SEGMENTS : FOR_ARRAYS))) {
        return 0;
    }
    for (method->is_indexed = 0; method->is_indexed <= (job->operation != CLSORT_KEYS); method->is_indexed++) {
        const struct job inner = inner_job(method);
        if (algorithm->fits(&inner)) {
            return 1;
        }
    }
    return 0;
}

static clsort_status choose_by_name(const struct job *job, const char *name, struct method *method,
                                    struct failure *failure)
{
    for (size_t i = 0; i < n_algorithms; i++) {
        if (strcmp(algorithms[i]->name, name) == 0) {
            return try_algorithm(algorithms[i], job, method)
                       ? CLSORT_SUCCESS
                       : clsort__fail(failure, CLSORT_INVALID_ALGORITHM, "algorithm: %s cannot do a count of %llu%s",
                                      name, (unsigned long long)job->count,
                                      job->segments.are_given ? " in segments" : "");
        }
    }
    return clsort__fail(failure, CLSORT_INVALID_ALGORITHM, "algorithm: \"%s\"", name);
}

clsort_status clsort__method_choose(const struct job *job, const char *name, struct method *method,
                                    struct failure *failure)
{
    if (name) {
        return choose_by_name(job, name, method, failure);
    }
    const uint64_t limit = job->flags & CLSORT_LOW_MEMORY ? 0 : job->workspace_limit;
    struct method candidate;
    int is_found = 0;
    for (size_t i = 0; i < n_algorithms; i++) {
        if (try_algorithm(algorithms[i], job, &candidate) && algorithms[i]->pays(job)) {
            const uint64_t bytes = clsort__method_workspace(&candidate);
            if (!is_found || bytes < clsort__method_workspace(method)) {
                *method = candidate;
                is_found = 1;
            }
            if (bytes <= limit) {
                *method = candidate;
                return CLSORT_SUCCESS;
            }
        }
    }
    return is_found ? CLSORT_SUCCESS
                    : clsort__fail(failure, CLSORT_INTERNAL, "no algorithm for a count of %llu",
                                   (unsigned long long)job->count);
}

clsort_status clsort__method_choose_smaller(const char *name, struct method *method, int *is_smaller,
                                            struct failure *failure)
{
    const uint64_t bytes = clsort__method_workspace(method);
    struct job job = method->job;
    struct method smaller;
    *is_smaller = 0;
    if (name || bytes == 0) {
        return CLSORT_SUCCESS;
    }
    job.workspace_limit = bytes - 1;
    if (clsort__method_choose(&job, name, &smaller, failure) == CLSORT_SUCCESS &&
        clsort__method_workspace(&smaller) < bytes) {
        *method = smaller;
        *is_smaller = 1;
    }
    return failure->status;
}

/* ------------------------------------------------------------------------------------------------ indexed methods */

static uint64_t index_workspace(const struct method *method)
{
    return clsort__job_carved(method->job.count * method->job.index_bytes) +
           clsort__job_carved(clsort__job_value_copy_bytes(&method->job));
}

/* Offset of a range of values as units of clsort__value_unit(). */
static clsort_range in_units(clsort_range range, uint64_t value_bytes)
{
    range.offset *= value_bytes / clsort__value_unit(value_bytes);
    return range;
}

static clsort_status enqueue_indexed(struct method *method, struct program *const programs[method_max_programs],
                                     struct program *gather)
{
    struct job *job = &method->job;
    const uint64_t value_bytes = job->value_bytes;
    struct job inner = inner_job(method);
    uint64_t used = 0;
    const clsort_range index = clsort__job_carve(job, &used, job->count * inner.index_bytes, inner.index_bytes);
    clsort_range values_in = in_units(job->values_in, value_bytes);
    clsort__read_from_copy(job, &values_in, clsort__job_value_copy_bytes(job), clsort__value_unit(value_bytes), &used);
    inner.values_in = clsort_make_range(NULL, 0);
    inner.values_out = index;
    inner.workspace_offset += used;
    if (job->segments.are_given) {
        clsort__clear_index(job, gather, index);
    }
    if (method->algorithm->enqueue(&inner, programs) == CLSORT_SUCCESS) {
        if (job->operation == CLSORT_PAIRS) {
            clsort__gather(job, gather, values_in, in_units(job->values_out, value_bytes), index, value_bytes);
        } else {
            clsort__narrow_index(job, gather, index, job->values_out);
        }
    }
    return job->failure->status;
}

/* ------------------------------------------------------------------------------------------------------- any method */

uint64_t clsort__method_workspace(const struct method *method)
{
    const struct job inner = inner_job(method);
    return method->algorithm->workspace_bytes(&inner) + (method->is_indexed ? index_workspace(method) : 0);
}

size_t clsort__method_switches(const struct job *job, uint64_t at[method_max_switches])
{
    const struct tuning *t = &job->tuning;
    size_t n = 0;
    at[n++] = t->bitonic_count;
    at[n++] = t->rank_count;
    at[n++] = clsort__samplesort_most(job);
    at[n++] = t->at_once_count;
    at[n++] = clsort__hybrid_most(job);
    at[n++] = clsort__hybrid_limit;
    at[n++] = (uint64_t)t->local_group_size * t->local_items;
    at[n++] = (uint64_t)t->spread_group_size * t->spread_items;
    at[n++] = t->serial_count;
    /* Counts from which on algorithms are chosen: others end below them. */
    const uint64_t from[] = {t->counting_count, t->hybrid_count, 4 * (uint64_t)t->hybrid_count, t->stable_count,
                             t->chunked_count};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        at[n++] = from[i];
        at[n++] = from[i] ? from[i] - 1 : 0;
    }
    return n;
}

/* Raises *least and *best to what the job needs with this count, if it can be done. */
static void raise_workspaces(const struct job *job, const char *name, uint64_t count, uint64_t *least, uint64_t *best)
{
    struct job counted = *job;
    struct method method;
    struct failure failure = {0};
    counted.count = count;
    counted.workspace_limit = UINT64_MAX;
    if (clsort__method_choose(&counted, name, &method, &failure) == CLSORT_SUCCESS) {
        int is_smaller = 1;
        uint64_t bytes = clsort__method_workspace(&method);
        *best = bytes > *best ? bytes : *best;
        while (is_smaller) {
            clsort__method_choose_smaller(name, &method, &is_smaller, &failure);
        }
        bytes = clsort__method_workspace(&method);
        *least = bytes > *least ? bytes : *least;
    }
    clsort__failure_clear(&failure);
}

void clsort__method_workspaces(const struct job *job, const char *name, uint64_t *least, uint64_t *best)
{
    uint64_t at[method_max_switches];
    const size_t n = clsort__method_switches(job, at);
    *least = *best = 0;
    raise_workspaces(job, name, job->count, least, best);
    for (size_t i = 0; i < n; i++) {
        if (at[i] < job->count) {
            raise_workspaces(job, name, at[i], least, best);
        }
    }
}

uint32_t clsort__method_uses(const struct method *method, struct program_use uses[method_max_programs])
{
    const struct job inner = inner_job(method);
    uint32_t n = method->algorithm->uses(&inner, uses);
    if (method->is_indexed) {
        uses[n++] = clsort__gather_use(&method->job, clsort__value_unit(method->job.value_bytes));
    }
    return n;
}

clsort_status clsort__method_enqueue(struct method *method, struct program *const programs[method_max_programs])
{
    struct program_use uses[method_max_programs];
    const uint32_t n = clsort__method_uses(method, uses);
    if (method->is_indexed) {
        return enqueue_indexed(method, programs, programs[n - 1]);
    }
    struct job inner = inner_job(method);
    return method->algorithm->enqueue(&inner, programs);
}
