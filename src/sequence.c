/* The commands of one sort on one queue: set all arguments, enqueue, chain events. */
#include "sequence.h"

#include "platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * PoCL 3.1 uses an event after freeing it when a command of a chain ends by an error and nobody else holds the events of the
 * chain. So where an error can come in, by the wait list, they are kept until the last command is complete. No callback tells
 * when that is, as PoCL calls none for a command that failed: later calls look.
 */
struct event_list {
    struct event_list *next;
    cl_event event;
    struct event_list *chain; /* of the last event of a chain that its keeper has: the events before it */
};

static void release_chain(struct event_list *list)
{
    while (list) {
        struct event_list *next = list->next;
        clReleaseEvent(list->event);
        free(list);
        list = next;
    }
}

void clsort__kept_events_release(struct kept_events *kept, int all)
{
    clsort__platform_mutex_lock(kept->mutex);
    struct event_list **link = &kept->first;
    while (*link) {
        struct event_list *last = *link;
        if (all || clsort__event_is_complete(last->event)) {
            *link = last->next;
            release_chain(last->chain);
            clReleaseEvent(last->event);
            free(last);
        } else {
            link = &last->next;
        }
    }
    clsort__platform_mutex_unlock(kept->mutex);
}

clsort_status clsort__to_size(uint64_t number, size_t *size, struct failure *failure)
{
    if (number > SIZE_MAX) {
        return clsort__fail(failure, CLSORT_COUNT_TOO_LARGE, "%llu does not fit size_t", (unsigned long long)number);
    }
    *size = (size_t)number;
    return CLSORT_SUCCESS;
}

clsort_status clsort__sequence_begin(struct sequence *sequence, struct programs *programs, cl_command_queue queue,
                                     cl_uint n_wait, const cl_event *wait, struct failure *failure)
{
    memset(sequence, 0, sizeof *sequence);
    cl_command_queue_properties properties = 0;
    const cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    sequence->queue = queue;
    sequence->n_wait = n_wait;
    sequence->wait = n_wait ? wait : NULL;
    sequence->chained = n_wait > 0 || (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    sequence->programs = programs;
    sequence->failure = failure;
    return clsort__check_cl(failure, error, "clGetCommandQueueInfo(CL_QUEUE_PROPERTIES)");
}

/* What the next command waits for. */
static void next_wait(const struct sequence *sequence, cl_uint *n_wait, const cl_event **wait)
{
    if (!sequence->last) {
        *n_wait = sequence->n_wait;
        *wait = sequence->wait;
    } else {
        *n_wait = sequence->chained ? 1 : 0;
        *wait = sequence->chained ? &sequence->last : NULL;
    }
}

/* Where events have to be kept, makes a place for that of the next command before it is enqueued. */
static clsort_status make_place(struct sequence *sequence)
{
    if (sequence->n_wait > 0 && !sequence->place) {
        sequence->place = calloc(1, sizeof *sequence->place);
        if (!sequence->place) {
            clsort__fail(sequence->failure, CL_OUT_OF_HOST_MEMORY, "keeping an event");
        }
    }
    return sequence->failure->status;
}

/* Gives the chain to its keeper, under its last event. */
static void hand_over_chain(struct sequence *sequence)
{
    struct event_list *last = sequence->chain;
    last->chain = last->next;
    clsort__platform_mutex_lock(sequence->keeper->mutex);
    last->next = sequence->keeper->first;
    sequence->keeper->first = last;
    clsort__platform_mutex_unlock(sequence->keeper->mutex);
}

/* Whether the next command is to have an event. */
static int wants_event(const struct sequence *sequence, int is_last)
{
    return sequence->chained || sequence->command || (is_last && sequence->needs_last);
}

static void accept_command(struct sequence *sequence, const char *phase, cl_event event)
{
    struct event_list *place = sequence->place;
    if (place) {
        place->event = event;
        place->next = sequence->chain;
        sequence->chain = place;
        sequence->place = NULL;
    } else if (sequence->last) {
        clReleaseEvent(sequence->last);
    }
    sequence->last = event;
    sequence->n_commands++;
    if (sequence->command) {
        sequence->command(sequence->user_data, phase, event);
    }
}

/* ------------------------------------------------------------------------------------------------------ launches */

void clsort__launch_begin(struct launch *launch, struct sequence *sequence, struct program *program,
                          const char *kernel_name, uint32_t index_bytes)
{
    memset(launch, 0, sizeof *launch);
    launch->sequence = sequence;
    launch->program = program;
    launch->kernel_name = kernel_name;
    launch->index_bytes = index_bytes;
    if (sequence->failure->status == CLSORT_SUCCESS) {
        clsort__kernel_take(sequence->programs, program, kernel_name, &launch->kernel, sequence->failure);
    }
}

static void push(struct launch *launch, size_t bytes, const void *value)
{
    struct failure *failure = launch->sequence->failure;
    if (failure->status != CLSORT_SUCCESS) {
        return;
    }
    const cl_int error = clSetKernelArg(launch->kernel->object, launch->n_arguments, bytes, value);
    if (error != CL_SUCCESS) {
        clsort__fail(failure, error, "clSetKernelArg(%s/%s, %u) failed", clsort__program_name(launch->program),
                     launch->kernel_name, (unsigned)launch->n_arguments);
    }
    launch->n_arguments++;
}

/* A number, unless the kernel has it from its last launch. */
static void push_number(struct launch *launch, size_t bytes, const void *value, uint64_t number)
{
    struct kernel *kernel = launch->kernel;
    const cl_uint at = launch->n_arguments;
    if (launch->sequence->failure->status != CLSORT_SUCCESS) {
        return;
    }
    if (at < kernel_max_arguments && kernel->number_bytes[at] == bytes && kernel->numbers[at] == number) {
        launch->n_arguments++;
        return;
    }
    push(launch, bytes, value);
    if (at < kernel_max_arguments) {
        kernel->numbers[at] = number;
        kernel->number_bytes[at] = launch->sequence->failure->status == CLSORT_SUCCESS ? (uint8_t)bytes : 0;
    }
}

void clsort__launch_uint(struct launch *launch, uint32_t number)
{
    const cl_uint value = number;
    push_number(launch, sizeof value, &value, number);
}

void clsort__launch_ulong(struct launch *launch, uint64_t number)
{
    const cl_ulong value = number;
    push_number(launch, sizeof value, &value, number);
}

void clsort__launch_index(struct launch *launch, uint64_t index)
{
    if (launch->index_bytes == 8) {
        clsort__launch_ulong(launch, index);
    } else {
        clsort__launch_uint(launch, (uint32_t)index);
    }
}

void clsort__launch_bytes(struct launch *launch, const void *bytes, size_t n_bytes)
{
    push(launch, n_bytes, bytes);
}

void clsort__launch_range(struct launch *launch, clsort_range range)
{
    push(launch, sizeof range.buffer, range.buffer ? &range.buffer : NULL);
    clsort__launch_ulong(launch, range.offset);
}

void clsort__launch_order(struct launch *launch, const struct key_order *order)
{
    clsort__launch_ulong(launch, order->flip);
    clsort__launch_ulong(launch, order->bias);
    clsort__launch_ulong(launch, order->infinity);
    clsort__launch_uint(launch, order->merge);
}

/* Larger groups take too long: there are as many rows of them as the grid is wide, and each has as many work-items to run. */
enum { widened_group_size = 8 };

static void accept_launch(const struct launch *launch, cl_event event)
{
    char phase[96] = "";
    if (launch->sequence->command) {
        snprintf(phase, sizeof phase, "%s/%s", clsort__program_name(launch->program), launch->kernel_name);
    }
    accept_command(launch->sequence, phase, event);
}

/* Enqueues the launch that is held back, if there is one and nothing has failed, and gives its kernel back. */
static void enqueue_held(struct sequence *sequence, int is_last)
{
    struct launch launch = sequence->held;
    struct failure *failure = sequence->failure;
    sequence->held.kernel = NULL;
    if (!launch.kernel) {
        return;
    }
    cl_uint n_dimensions = 1;
    size_t global[2] = {launch.n_items, 1};
    const size_t local[2] = {launch.group_size, 1};
    const size_t n_groups = launch.n_items / launch.group_size;
    if (sequence->is_warm_up && n_groups < sequence->warm_up_groups && launch.group_size <= widened_group_size) {
        /* In a dimension that kernels do not look at: each row of work-groups does the same on no elements. */
        n_dimensions = 2;
        global[1] = (size_t)sequence->warm_up_groups * launch.group_size;
    }
    if (failure->status == CLSORT_SUCCESS && make_place(sequence) == CLSORT_SUCCESS) {
        cl_uint n_wait;
        const cl_event *wait;
        cl_event event = NULL;
        next_wait(sequence, &n_wait, &wait);
        const cl_int error =
            clEnqueueNDRangeKernel(sequence->queue, launch.kernel->object, n_dimensions, NULL, global, local, n_wait,
                                   wait, wants_event(sequence, is_last) ? &event : NULL);
        if (error == CL_SUCCESS) {
            accept_launch(&launch, event);
        } else {
            clsort__fail(failure, error, "clEnqueueNDRangeKernel(%s/%s, %zu of %zu) failed",
                         clsort__program_name(launch.program), launch.kernel_name, launch.n_items, launch.group_size);
        }
    }
    clsort__kernel_give(sequence->programs, launch.program, launch.kernel_name, launch.kernel,
                        failure->status == CLSORT_SUCCESS && !sequence->is_warm_up);
}

clsort_status clsort__launch_run(struct launch *launch, uint64_t n_groups, uint32_t group_size)
{
    struct sequence *sequence = launch->sequence;
    clsort__to_size(n_groups * group_size, &launch->n_items, sequence->failure);
    launch->group_size = group_size;
    enqueue_held(sequence, 0);
    sequence->held = *launch;
    launch->kernel = NULL;
    return sequence->failure->status;
}

clsort_status clsort__sequence_copy(struct sequence *sequence, cl_mem from, uint64_t from_offset, cl_mem to,
                                    uint64_t to_offset, uint64_t bytes)
{
    struct failure *failure = sequence->failure;
    size_t source = 0, destination = 0, size = 0;
    enqueue_held(sequence, 0);
    clsort__to_size(from_offset, &source, failure);
    clsort__to_size(to_offset, &destination, failure);
    clsort__to_size(bytes, &size, failure);
    if (failure->status != CLSORT_SUCCESS || size == 0 || (from == to && source == destination) ||
        make_place(sequence) != CLSORT_SUCCESS) {
        return failure->status;
    }
    cl_uint n_wait;
    const cl_event *wait;
    cl_event event = NULL;
    next_wait(sequence, &n_wait, &wait);
    const cl_int error = clEnqueueCopyBuffer(sequence->queue, from, to, source, destination, size, n_wait, wait,
                                             wants_event(sequence, 1) ? &event : NULL);
    if (error == CL_SUCCESS) {
        accept_command(sequence, "copy", event);
    }
    return clsort__check_cl(failure, error, "clEnqueueCopyBuffer");
}

clsort_status clsort__sequence_settle(struct sequence *sequence)
{
    enqueue_held(sequence, 1);
    return sequence->failure->status;
}

clsort_status clsort__sequence_end(struct sequence *sequence, cl_event *event)
{
    struct failure *failure = sequence->failure;
    clsort__sequence_settle(sequence);
    if (failure->status == CLSORT_SUCCESS && sequence->n_commands == 0 && make_place(sequence) == CLSORT_SUCCESS) {
        cl_event marker = NULL;
        const cl_int error = clEnqueueMarkerWithWaitList(sequence->queue, sequence->n_wait, sequence->wait, &marker);
        if (error == CL_SUCCESS) {
            accept_command(sequence, "marker", marker);
        }
        clsort__check_cl(failure, error, "clEnqueueMarkerWithWaitList");
    }
    if (failure->status == CLSORT_SUCCESS && event &&
        clsort__check_cl(failure, clRetainEvent(sequence->last), "clRetainEvent") == CLSORT_SUCCESS) {
        *event = sequence->last;
    }
    return failure->status;
}

void clsort__sequence_clear(struct sequence *sequence)
{
    if (sequence->held.kernel) {
        clsort__kernel_give(sequence->programs, sequence->held.program, sequence->held.kernel_name,
                            sequence->held.kernel, 0);
        sequence->held.kernel = NULL;
    }
    if (sequence->chain && sequence->keeper) {
        hand_over_chain(sequence);
    } else if (sequence->chain) {
        release_chain(sequence->chain);
    } else if (sequence->last) {
        clReleaseEvent(sequence->last);
    }
    free(sequence->place);
    sequence->chain = sequence->place = NULL;
    sequence->last = NULL;
}
