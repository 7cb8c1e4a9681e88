/* Enqueueing and preparing sorts: check, choose, run. */
#include "sorter.h"

#include "platform.h"

#include <string.h>

uint32_t clsort_version(void)
{
    return CLSORT_VERSION_MAJOR * 10000 + CLSORT_VERSION_MINOR * 100 + CLSORT_VERSION_PATCH;
}

void clsort_request_init(clsort_request *request)
{
    memset(request, 0, sizeof *request);
    request->size = sizeof *request;
}

static clsort_status get_programs(const struct method *method, struct program *programs[method_max_programs],
                                  uint32_t *n_programs, struct failure *failure)
{
    struct program_use uses[method_max_programs];
    *n_programs = clsort__method_uses(method, uses);
    for (uint32_t i = 0; i < *n_programs; i++) {
        if (clsort__program_get(method->job.programs, uses[i].name, &uses[i].options, &programs[i], failure) !=
            CLSORT_SUCCESS) {
            return failure->status;
        }
    }
    return CLSORT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------- preparing */

/* What a warm-up needs: a queue of its own, since the user's may be held up, and memory for kernels to point at. */
struct warm_up {
    cl_command_queue queue;
    cl_mem memory;
    uint64_t bytes;
};

/* More than the workspaces of tests under Oclgrind; see make_warm(). */
enum { warm_up_bytes = 1 << 20 };

static void end_warm_up(struct warm_up *warm_up)
{
    if (warm_up->memory) {
        clReleaseMemObject(warm_up->memory);
    }
    if (warm_up->queue) {
        clReleaseCommandQueue(warm_up->queue);
    }
    *warm_up = (struct warm_up){0};
}

/* Makes the queue and the memory, or larger memory. */
static clsort_status begin_warm_up(clsort_sorter *sorter, uint64_t bytes, struct warm_up *warm_up,
                                   struct failure *failure)
{
    size_t size = 0;
    if (warm_up->bytes >= bytes) {
        return CLSORT_SUCCESS;
    }
    end_warm_up(warm_up);
    if (clsort__to_size(bytes, &size, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    cl_int error;
    warm_up->queue = clCreateCommandQueue(sorter->context, sorter->device, 0, &error);
    if (clsort__check_cl(failure, error, "clCreateCommandQueue") != CLSORT_SUCCESS) {
        warm_up->queue = NULL;
        return failure->status;
    }
    warm_up->memory = clCreateBuffer(sorter->context, CL_MEM_READ_WRITE, size, NULL, &error);
    if (clsort__check_cl(failure, error, "clCreateBuffer") != CLSORT_SUCCESS) {
        warm_up->memory = NULL;
        return failure->status;
    }
    warm_up->bytes = bytes;
    return CLSORT_SUCCESS;
}

/* Launches all kernels of gather.cl on nothing. */
static void warm_gather(const struct job *job, const struct program_use *use, struct program *program,
                        clsort_range range)
{
    struct job of_program = *job;
    of_program.index_bytes = use->options.index_bytes;
    clsort__fill_index(&of_program, program, range);
    clsort__clear_index(&of_program, program, range);
    clsort__narrow_index(&of_program, program, range, range);
    clsort__gather(&of_program, program, range, range, range, 1);
}

static clsort_status launch_on_nothing(struct method method, struct program *const programs[method_max_programs],
                                       uint32_t n_programs, const struct warm_up *warm_up, uint64_t workspace_offset,
                                       struct failure *failure)
{
    struct sequence sequence;
    struct program_use uses[method_max_programs];
    struct job *job = &method.job;
    const clsort_range range = clsort_make_range(warm_up->memory, 0);
    clsort__sequence_begin(&sequence, job->programs, warm_up->queue, 0, NULL, failure);
    sequence.is_warm_up = 1;
    sequence.warm_up_groups = job->caps->first_grid_is_widest ? clsort__job_most_groups(job) : 1;
    job->sequence = &sequence;
    job->failure = failure;
    job->keys_in = job->keys_out = job->values_in = job->values_out = range;
    job->segments.begins = job->segments.ends = range;
    job->workspace = warm_up->memory;
    job->workspace_offset = workspace_offset;
    clsort__method_enqueue(&method, programs);
    clsort__method_uses(&method, uses);
    for (uint32_t i = 0; i < n_programs; i++) {
        if (strcmp(uses[i].name, "gather") == 0) {
            warm_gather(job, &uses[i], programs[i], range);
        }
    }
    if (clsort__sequence_settle(&sequence) == CLSORT_SUCCESS) {
        clsort__check_cl(failure, clFinish(warm_up->queue), "clFinish");
    }
    clsort__sequence_clear(&sequence);
    return failure->status;
}

static int are_warm(struct programs *programs, struct program *const list[], uint32_t n)
{
    uint32_t n_warm = 0;
    while (n_warm < n && clsort__program_is_warm(programs, list[n_warm])) {
        n_warm++;
    }
    return n_warm == n;
}

static void warm_up_programs(clsort_sorter *sorter, const struct method *method,
                             struct program *const programs[method_max_programs], uint32_t n_programs,
                             struct warm_up *warm_up, struct failure *failure)
{
    struct method on_nothing = *method;
    on_nothing.job.count = 0;
    on_nothing.job.segments.count = 0;
    on_nothing.job.is_warm_up = 1;
    uint64_t bytes = CLSORT_WORKSPACE_ALIGNMENT + clsort__method_workspace(&on_nothing);
    /* Oclgrind 21.10 keeps what it knows of a freed buffer for the next with its number, and takes all behind that one's end as
       uninitialised: so they had better be of one size, and not smaller than what comes after them. */
    bytes = bytes > warm_up_bytes ? bytes : warm_up_bytes;
    if (begin_warm_up(sorter, bytes, warm_up, failure) == CLSORT_SUCCESS &&
        launch_on_nothing(on_nothing, programs, n_programs, warm_up, CLSORT_WORKSPACE_ALIGNMENT, failure) ==
            CLSORT_SUCCESS) {
        /* Warm only after that: nobody launches a program while its binary is read, see docs/decisions/0014. */
        for (uint32_t i = 0; i < n_programs; i++) {
            clsort__program_store(&sorter->programs, programs[i]);
        }
        for (uint32_t i = 0; i < n_programs; i++) {
            clsort__program_set_warm(&sorter->programs, programs[i]);
        }
    }
}

/*
 * Makes sure that launching the method compiles nothing: some runtimes compile a kernel when it is first launched, so
 * everything is launched on no elements. After that the binaries are whole, and are stored. One thread of the process does
 * it at a time: what others need as well is done once, and PoCL has one list of kernels for all contexts.
 */
static clsort_status make_warm(clsort_sorter *sorter, const struct method *method,
                               struct program *const programs[method_max_programs], uint32_t n_programs,
                               struct warm_up *warm_up, struct failure *failure)
{
    if (are_warm(&sorter->programs, programs, n_programs)) {
        return CLSORT_SUCCESS;
    }
    struct platform_mutex *mutex = clsort__platform_process_mutex();
    clsort__platform_mutex_lock(mutex);
    if (!are_warm(&sorter->programs, programs, n_programs)) {
        warm_up_programs(sorter, method, programs, n_programs, warm_up, failure);
    }
    clsort__platform_mutex_unlock(mutex);
    return failure->status;
}

/* Prepares the methods for a job: the one that is chosen, and those for less workspace. */
static clsort_status prepare_job(clsort_sorter *sorter, const struct job *job, const char *algorithm,
                                 struct warm_up *warm_up, struct failure *failure)
{
    struct method method;
    struct program *programs[method_max_programs];
    uint32_t n_programs;
    if (clsort__method_choose(job, algorithm, &method, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    int is_another = 1;
    while (is_another && get_programs(&method, programs, &n_programs, failure) == CLSORT_SUCCESS &&
           make_warm(sorter, &method, programs, n_programs, warm_up, failure) == CLSORT_SUCCESS) {
        clsort__method_choose_smaller(algorithm, &method, &is_another, failure);
    }
    return failure->status;
}

/* Prepares the methods that are chosen for one count, in place and out of place. */
static clsort_status prepare_count(clsort_sorter *sorter, const clsort_request *request, uint64_t count,
                                   struct warm_up *warm_up, struct failure *failure)
{
    clsort_request r = {0};
    struct job job;
    if (clsort__request_read(request, &r, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    /* Segments of one length have whole strides. */
    const uint64_t stride = r.segment_stride ? r.segment_stride : r.segment_length;
    r.count = r.segment_length ? count - count % stride : count;
    if (clsort__request_resolve(sorter, &r, REQUEST_KIND, &job, failure) == CLSORT_SUCCESS) {
        for (int in_place = 0; in_place <= 1 && failure->status == CLSORT_SUCCESS; in_place++) {
            job.keys_in_place = in_place;
            job.values_in_place = in_place && job.operation == CLSORT_PAIRS;
            prepare_job(sorter, &job, r.algorithm, warm_up, failure);
        }
    }
    return failure->status;
}

/* Methods change with count at few places: at the tuning's sizes and where positions need 8 bytes, which is a power of two. */
static clsort_status prepare_all_counts(clsort_sorter *sorter, const clsort_request *request, struct warm_up *warm_up,
                                        struct failure *failure)
{
    struct job job;
    if (clsort__request_resolve(sorter, request, REQUEST_KIND, &job, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    uint64_t at[method_max_switches + 1];
    const size_t n = clsort__method_switches(&job, at);
    at[n] = request->count;
    for (size_t i = 0; i <= n && failure->status == CLSORT_SUCCESS; i++) {
        for (uint64_t count = at[i]; count <= at[i] + 1 && failure->status == CLSORT_SUCCESS; count++) {
            if (count > 0 && count <= request->count) {
                prepare_count(sorter, request, count, warm_up, failure);
            }
        }
    }
    for (uint64_t count = 1; count && count <= request->count && failure->status == CLSORT_SUCCESS; count *= 2) {
        prepare_count(sorter, request, count, warm_up, failure);
    }
    return failure->status;
}

clsort_status clsort_prepare(clsort_sorter *sorter, const clsort_request *request)
{
    struct failure failure = {0};
    if (!sorter) {
        clsort__fail(&failure, CLSORT_INVALID_SORTER, "sorter: NULL");
    } else {
        struct warm_up warm_up = {0};
        prepare_all_counts(sorter, request, &warm_up, &failure);
        end_warm_up(&warm_up);
    }
    return clsort__sorter_finish(sorter, &failure);
}

/* ------------------------------------------------------------------------------------------------------ enqueueing */

static clsort_status check_queue(const clsort_sorter *sorter, cl_command_queue queue, struct failure *failure)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    if (!queue || clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS ||
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS) {
        return clsort__fail(failure, CLSORT_INVALID_QUEUE, "queue: NULL or not a queue");
    }
    if (context != sorter->context || device != sorter->device) {
        return clsort__fail(failure, CLSORT_INVALID_QUEUE, "queue: of another context or device than the sorter");
    }
    return CLSORT_SUCCESS;
}

static clsort_status check_wait_list(cl_uint n_events, const cl_event *events, struct failure *failure)
{
    if ((n_events > 0) != (events != NULL)) {
        return clsort__fail(failure, CLSORT_INVALID_WAIT_LIST, "wait list: %u events, pointer %s", (unsigned)n_events,
                            events ? "not NULL" : "NULL");
    }
    for (cl_uint i = 0; i < n_events; i++) {
        if (!events[i]) {
            return clsort__fail(failure, CLSORT_INVALID_WAIT_LIST, "wait list: event %u is NULL", (unsigned)i);
        }
    }
    return CLSORT_SUCCESS;
}

/* The caller's workspace has to do, and without one CLSORT_LOW_MEMORY means none. */
static clsort_status check_workspace(const clsort_request *request, const struct method *method,
                                     struct failure *failure)
{
    const uint64_t needed = clsort__method_workspace(method);
    uint64_t least = 0, best;
    if (request->workspace.buffer) {
        clsort__method_workspaces(&method->job, request->algorithm, &least, &best);
    }
    if (request->workspace.buffer && request->workspace.bytes < least) {
        return clsort__fail(failure, CLSORT_INVALID_WORKSPACE, "workspace: %llu bytes where %llu are needed",
                            (unsigned long long)request->workspace.bytes, (unsigned long long)least);
    }
    if (!request->workspace.buffer && needed > 0 && (request->flags & CLSORT_LOW_MEMORY)) {
        return clsort__fail(failure, CLSORT_INVALID_WORKSPACE,
                            "workspace: with CLSORT_LOW_MEMORY this request needs one of %llu bytes%s",
                            (unsigned long long)needed, method->job.segments.are_given ? "" : ", or CLSORT_UNSTABLE");
    }
    return CLSORT_SUCCESS;
}

/* Takes a block of the pool if workspace is needed and the caller gave none. */
static clsort_status take_workspace(clsort_sorter *sorter, cl_command_queue queue, struct method *method,
                                    struct pool_block **block, struct failure *failure)
{
    const uint64_t needed = clsort__method_workspace(method);
    if (needed == 0 || method->job.has_workspace) {
        return CLSORT_SUCCESS;
    }
    if (clsort__pool_take(&sorter->pool, queue, needed, block, failure) == CLSORT_SUCCESS) {
        method->job.workspace = clsort__pool_buffer(*block);
        method->job.workspace_offset = 0;
    } else if (needed > sorter->caps.allocation_bytes) {
        clsort__failure_clear(failure);
        clsort__fail(failure, CLSORT_COUNT_TOO_LARGE,
                     "count: its workspace of %llu bytes is above the largest buffer of %s, %llu bytes",
                     (unsigned long long)needed, sorter->caps.name, (unsigned long long)sorter->caps.allocation_bytes);
    }
    return failure->status;
}

/* Enqueues the commands of a request that was checked. If its workspace cannot be had, by another method that needs less. */
static clsort_status run(clsort_sorter *sorter, cl_command_queue queue, const char *algorithm, struct method *method,
                         struct sequence *sequence, struct failure *failure)
{
    struct program *programs[method_max_programs];
    struct pool_block *block = NULL;
    struct warm_up warm_up = {0};
    uint32_t n_programs;
    int is_another = 1;
    while (is_another) {
        const int is_ready = get_programs(method, programs, &n_programs, failure) == CLSORT_SUCCESS &&
                             make_warm(sorter, method, programs, n_programs, &warm_up, failure) == CLSORT_SUCCESS;
        end_warm_up(&warm_up);
        if (!is_ready) {
            return failure->status;
        }
        is_another = 0;
        if (take_workspace(sorter, queue, method, &block, failure) != CLSORT_SUCCESS) {
            struct failure of_choice = {0};
            clsort__method_choose_smaller(algorithm, method, &is_another, &of_choice);
            clsort__failure_clear(&of_choice);
            if (!is_another) {
                return failure->status;
            }
            clsort__failure_clear(failure);
        }
    }
    method->job.sequence = sequence;
    method->job.failure = failure;
    clsort__method_enqueue(method, programs);
    clsort__sequence_settle(sequence);
    if (block) {
        clsort__pool_give(&sorter->pool, block, queue, sequence->last, sequence->n_commands > 0);
    }
    return failure->status;
}

static int has_work(const struct job *job)
{
    return job->count > 0 && (!job->segments.are_given || job->segments.count > 0);
}

clsort_status clsort__enqueue(clsort_sorter *sorter, cl_command_queue queue, const clsort_request *request,
                              cl_uint n_events, const cl_event *events, cl_event *event, struct failure *failure)
{
    struct job job;
    struct method method;
    struct sequence sequence;
    if (check_queue(sorter, queue, failure) != CLSORT_SUCCESS ||
        check_wait_list(n_events, events, failure) != CLSORT_SUCCESS ||
        clsort__request_resolve(sorter, request, REQUEST_BUFFERS, &job, failure) != CLSORT_SUCCESS ||
        clsort__method_choose(&job, request->algorithm, &method, failure) != CLSORT_SUCCESS ||
        check_workspace(request, &method, failure) != CLSORT_SUCCESS ||
        clsort__sequence_begin(&sequence, &sorter->programs, queue, n_events, events, failure) != CLSORT_SUCCESS) {
        return failure->status;
    }
    clsort__kept_events_release(&sorter->kept_events, 0);
    sequence.keeper = &sorter->kept_events;
    sequence.command = sorter->options.command;
    sequence.user_data = sorter->options.user_data;
    sequence.needs_last = event != NULL;
    if (has_work(&job)) {
        run(sorter, queue, request->algorithm, &method, &sequence, failure);
    }
    if (has_work(&job) || event || n_events > 0) {
        clsort__sequence_end(&sequence, event);
    }
    clsort__sequence_clear(&sequence);
    return failure->status;
}

clsort_status clsort_enqueue(clsort_sorter *sorter, cl_command_queue queue, const clsort_request *request,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct failure failure = {0};
    if (!sorter) {
        clsort__fail(&failure, CLSORT_INVALID_SORTER, "sorter: NULL");
    } else {
        clsort__enqueue(sorter, queue, request, num_events_in_wait_list, event_wait_list, event, &failure);
    }
    return clsort__sorter_finish(sorter, &failure);
}

clsort_status clsort_workspace_bytes(clsort_sorter *sorter, const clsort_request *request, uint64_t *least,
                                     uint64_t *best)
{
    struct failure failure = {0};
    struct job job;
    struct method method;
    uint64_t of_least, of_best;
    if (!sorter) {
        clsort__fail(&failure, CLSORT_INVALID_SORTER, "sorter: NULL");
    } else if (clsort__request_resolve(sorter, request, REQUEST_KIND, &job, &failure) == CLSORT_SUCCESS &&
               clsort__method_choose(&job, request->algorithm, &method, &failure) == CLSORT_SUCCESS) {
        clsort__method_workspaces(&job, request->algorithm, &of_least, &of_best);
        if (least) {
            *least = of_least;
        }
        if (best) {
            *best = of_best;
        }
    }
    return clsort__sorter_finish(sorter, &failure);
}

clsort_status clsort_trim(clsort_sorter *sorter)
{
    struct failure failure = {0};
    if (!sorter) {
        clsort__fail(&failure, CLSORT_INVALID_SORTER, "sorter: NULL");
    } else {
        clsort__pool_trim(&sorter->pool);
    }
    return clsort__sorter_finish(sorter, &failure);
}
