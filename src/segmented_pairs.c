/* Sorts segments of elements with values: short ones in registers, and the others as `segmented` does. */
#include "segment_network.h"
#include "segmented.h"

/*
 * One launch takes each segment once and sorts the short ones; elements are ranks of 4 bytes at most and positions. Then the others are
 * put into classes.
 */

static int fits(const struct job *job)
{
    return job->tuning.network_keys > 0 && job->operation != CLSORT_KEYS && job->key->bytes <= 4 &&
           job->index_bytes == 4 && job->begin_bit == 0 && job->end_bit == 8 * job->key->bytes &&
           clsort__network_group_size(job) > 1 && clsort__segmented_fits(job);
}

/* The longest segment that is sorted in registers; 0 if all are known to be longer. */
static uint32_t n_in_registers(const struct job *job)
{
    const uint32_t limit = clsort__network_limit(job);
    return job->is_warm_up || job->segments.length <= limit ? limit : 0;
}

static int are_all_in_registers(const struct job *job)
{
    return !job->is_warm_up && job->segments.longest <= n_in_registers(job);
}

static uint64_t workspace_bytes(const struct job *job)
{
    return are_all_in_registers(job) ? 0 : clsort__segmented_workspace(job);
}

static uint32_t uses(const struct job *job, struct program_use used[job_max_programs])
{
    const uint32_t n = clsort__segmented_uses(job, used);
    used[n] = clsort__network_use(job);
    return n + 1;
}

static void sort_in_registers(struct job *job, struct program *program)
{
    struct run run = {.job = job};
    run.layout.count = (cl_uint)job->count;
    run.layout.write_keys = (cl_uint)job->write_keys;
    run.layout.generate_index = clsort__job_index_kind(job);
    clsort__network_lay_out(job, &run.layout);
    clsort__network_launch(&run, program, are_all_in_registers(job) ? copy_others : leave_others);
}

static clsort_status enqueue(struct job *job, struct program *const programs[job_max_programs])
{
    struct program_use used[job_max_programs];
    if (n_in_registers(job) > 0) {
        sort_in_registers(job, programs[clsort__segmented_uses(job, used)]);
    }
    return are_all_in_registers(job) ? job->failure->status
                                     : clsort__segmented_enqueue_longer(job, programs, n_in_registers(job));
}

const struct algorithm clsort__segmented_pairs = {"segmented_pairs", fits, clsort__always_pays,
                                                  workspace_bytes,   uses, enqueue,
                                                  FOR_SEGMENTS};
