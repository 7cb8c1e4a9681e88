/* Workspace of a sorter: blocks of device memory that are used again and only grow. */
#include "pool.h"

#include "platform.h"

#include <stdlib.h>
#include <string.h>

struct pool_block {
    struct pool_block *next;
    cl_mem buffer;
    uint64_t bytes;
    int taken; /* an enqueue is adding commands that use it */
    /* Of the last command that uses it, NULL if nothing may. Retained, so that no other queue can have its address. */
    cl_command_queue queue;
    cl_event event; /* of that command; NULL if it has none, as on in-order queues */
};

static int event_is_complete(cl_event event)
{
    cl_int execution = CL_QUEUED;
    const cl_int error = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    return error == CL_SUCCESS && execution <= CL_COMPLETE; /* below CL_COMPLETE: ended by an error */
}

static void forget_use(struct pool_block *block)
{
    if (block->event) {
        clReleaseEvent(block->event);
        block->event = NULL;
    }
    if (block->queue) {
        clReleaseCommandQueue(block->queue);
        block->queue = NULL;
    }
}

/* Gives a use without an event the event of a marker behind it, so that its end can be seen from now on. */
static void mark_use(struct pool_block *block)
{
    if (clEnqueueMarkerWithWaitList(block->queue, 0, NULL, &block->event) != CL_SUCCESS) {
        block->event = NULL;
    } else {
        clFlush(block->queue);
    }
}

static int is_idle(struct pool_block *block)
{
    if (block->taken) {
        return 0;
    }
    if (block->queue && !block->event) {
        mark_use(block);
    }
    if (block->event && event_is_complete(block->event)) {
        forget_use(block);
    }
    return !block->queue;
}

static int queue_is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    return clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) == CL_SUCCESS &&
           !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* Whether the queue may use the block now. */
static int is_usable(struct pool_block *block, cl_command_queue queue, int in_order)
{
    return (in_order && !block->taken && block->queue == queue) || is_idle(block);
}

/* The smallest block of at least that many bytes that the queue may use now. */
static struct pool_block *find_block(struct pool *pool, cl_command_queue queue, uint64_t bytes)
{
    const int in_order = queue_is_in_order(queue);
    struct pool_block *found = NULL;
    for (struct pool_block *block = pool->first; block; block = block->next) {
        if (block->bytes >= bytes && (!found || block->bytes < found->bytes) && is_usable(block, queue, in_order)) {
            found = block;
        }
    }
    return found;
}

static void free_block(struct pool_block *block)
{
    forget_use(block);
    clReleaseMemObject(block->buffer);
    free(block);
}

/* Frees the blocks that the queue could use, NULL for all that are not taken. What commands still use the runtime keeps until
   they are complete. */
static void free_blocks(struct pool *pool, cl_command_queue queue)
{
    const int in_order = queue && queue_is_in_order(queue);
    struct pool_block **link = &pool->first;
    while (*link) {
        struct pool_block *block = *link;
        if (queue ? is_usable(block, queue, in_order) : !block->taken) {
            *link = block->next;
            free_block(block);
        } else {
            link = &block->next;
        }
    }
}

static struct pool_block *create_block(struct pool *pool, uint64_t bytes, cl_int *error)
{
    struct pool_block *block = calloc(1, sizeof *block);
    if (!block || bytes > SIZE_MAX) {
        free(block);
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    block->buffer = clCreateBuffer(pool->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, error);
    if (*error != CL_SUCCESS) {
        free(block);
        return NULL;
    }
    block->bytes = bytes;
    block->next = pool->first;
    pool->first = block;
    return block;
}

clsort_status clsort__pool_take(struct pool *pool, cl_command_queue queue, uint64_t least, uint64_t best,
                                struct pool_block **taken, uint64_t *bytes, struct failure *failure)
{
    cl_int error = CL_SUCCESS;
    clsort__platform_mutex_lock(pool->mutex);
    struct pool_block *block = find_block(pool, queue, best);
    if (!block) {
        free_blocks(pool, queue); /* too small, all of them */
        block = create_block(pool, best, &error);
    }
    if (!block && least < best) {
        block = find_block(pool, queue, least);
        if (!block) {
            block = create_block(pool, least, &error);
        }
    }
    if (block) {
        block->taken = 1;
        *taken = block;
        *bytes = block->bytes;
    }
    clsort__platform_mutex_unlock(pool->mutex);
    if (!block) {
        clsort__fail(failure, error, "clCreateBuffer of %llu bytes of workspace failed", (unsigned long long)least);
    }
    return failure->status;
}

cl_mem clsort__pool_buffer(const struct pool_block *block)
{
    return block->buffer;
}

void clsort__pool_give(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event, int is_used)
{
    clsort__platform_mutex_lock(pool->mutex);
    if (is_used && (event || block->event || block->queue != queue)) { /* else all is as it was */
        clRetainCommandQueue(queue);
        forget_use(block);
        block->queue = queue;
        block->event = event;
        if (event) {
            clRetainEvent(event);
        }
    }
    block->taken = 0;
    clsort__platform_mutex_unlock(pool->mutex);
}

void clsort__pool_trim(struct pool *pool)
{
    clsort__platform_mutex_lock(pool->mutex);
    free_blocks(pool, NULL);
    clsort__platform_mutex_unlock(pool->mutex);
}

uint64_t clsort__pool_bytes(struct pool *pool)
{
    uint64_t bytes = 0;
    clsort__platform_mutex_lock(pool->mutex);
    for (const struct pool_block *block = pool->first; block; block = block->next) {
        bytes += block->bytes;
    }
    clsort__platform_mutex_unlock(pool->mutex);
    return bytes;
}

void clsort__pool_clear(struct pool *pool)
{
    while (pool->first) {
        struct pool_block *block = pool->first;
        pool->first = block->next;
        free_block(block);
    }
    clsort__platform_mutex_destroy(pool->mutex);
    memset(pool, 0, sizeof *pool);
}
