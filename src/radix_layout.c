/* What the radix sorts by passes share on the host: tiles, blocks, and where each pass reads and writes. */
#include "radix_layout.h"

uint64_t clsort__radix_tile(const struct job *job)
{
    return (uint64_t)job->tuning.group_size * job->tuning.items;
}

uint64_t clsort__radix_digits(const struct job *job)
{
    return (uint64_t)1 << job->tuning.radix_bits;
}

/* Tiles a block may have where loops of a work-item end early: a tile takes about 20 iterations for each of its items. */
static uint64_t block_tiles_limit(const struct job *job)
{
    if (!job->caps->loop_limit) {
        return UINT32_MAX / clsort__radix_tile(job); /* counts of a block are 32-bit */
    }
    const uint64_t of_tile =
        job->tuning.group_size == 1 ? 2 * (uint64_t)job->tuning.items : 20 * (uint64_t)job->tuning.items + 64;
    const uint64_t n = job->caps->loop_limit / 2 / of_tile;
    return n ? n : 1;
}

uint64_t clsort__radix_whole_blocks(const struct job *job)
{
    const uint64_t n_tiles = job->count / clsort__radix_tile(job);
    const uint64_t n = (uint64_t)job->caps->compute_units * job->tuning.blocks_per_unit;
    const uint64_t needed = (n_tiles + block_tiles_limit(job) - 1) / block_tiles_limit(job);
    const uint64_t most = n > needed ? n : needed;
    return n_tiles < most ? n_tiles : most;
}

uint64_t clsort__radix_block(const struct job *job)
{
    const uint64_t n_tiles = job->count / clsort__radix_tile(job);
    const uint64_t most = clsort__radix_whole_blocks(job);
    return (most ? (n_tiles + most - 1) / most : 1) * clsort__radix_tile(job);
}

/* Temporary arrays of a route of n passes. */
static uint32_t n_temporaries(uint32_t n, int in_place, int has_out)
{
    if (!has_out) {
        return n > 2 ? 2 : n - 1;
    }
    return in_place || n > 1 ? 1 : 0;
}

uint32_t clsort__radix_key_temporaries(const struct job *job, uint32_t n_passes)
{
    const uint32_t n = n_temporaries(n_passes, job->keys_in_place, job->write_keys);
    const uint32_t with_out = job->is_estimate ? n_temporaries(n_passes, 1, 1) : 0;
    return n > with_out ? n : with_out;
}

uint32_t clsort__radix_value_temporaries(const struct job *job, uint32_t n_passes)
{
    return job->value_bytes ? n_temporaries(n_passes, job->values_in_place, 1) : 0;
}

clsort_range clsort__route_destination(const struct route *route, uint32_t pass, uint32_t n)
{
    const uint32_t passes_after = n - 1 - pass;
    if (!route->has_out) {
        return route->temporary[passes_after == 0 ? 0 : (passes_after - 1) % 2];
    }
    return passes_after % 2 == 0 ? route->out : route->temporary[0];
}

int clsort__route_copies_first(const struct route *route, uint32_t n)
{
    return route->has_out && route->in_place && n % 2 == 1;
}

clsort_range clsort__route_source(const struct route *route, uint32_t pass, uint32_t n)
{
    if (pass > 0) {
        return clsort__route_destination(route, pass - 1, n);
    }
    return clsort__route_copies_first(route, n) ? route->temporary[0] : route->in;
}
