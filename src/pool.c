/* Workspace of a sorter: blocks of device memory that are used again and only grow. */
#include "pool.h"

#include "platform.h"

#include <stdlib.h>
#include <string.h>

struct pool_block {
    struct pool_block *next;
    cl_mem buffer;
    uint64_t bytes;
    int taken;      /* an enqueue is adding commands that use it */
    cl_event event; /* of the last command that uses it; NULL: none is known to be incomplete */
    /* Retained as long as event is held, so that no other queue can have its address. */
    cl_command_queue queue;
};

static int event_is_complete(cl_event event)
{
    cl_int execution = CL_QUEUED;
    const cl_int error = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    return error == CL_SUCCESS && execution <= CL_COMPLETE; /* below CL_COMPLETE: ended by an error */
}

static void forget_event(struct pool_block *block)
{
    if (block->event) {
        clReleaseEvent(block->event);
        clReleaseCommandQueue(block->queue);
        block->event = NULL;
        block->queue = NULL;
    }
}

static int is_idle(struct pool_block *block)
{
    if (!block->taken && block->event && event_is_complete(block->event)) {
        forget_event(block);
    }
    return !block->taken && !block->event;
}

static int queue_is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    return clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) == CL_SUCCESS &&
           !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* The smallest block of at least that many bytes that the queue may use now. */
static struct pool_block *find_block(struct pool *pool, cl_command_queue queue, uint64_t bytes)
{
    const int in_order = queue_is_in_order(queue);
    struct pool_block *found = NULL;
    for (struct pool_block *block = pool->first; block; block = block->next) {
        const int usable = is_idle(block) || (!block->taken && in_order && block->queue == queue);
        if (usable && block->bytes >= bytes && (!found || block->bytes < found->bytes)) {
            found = block;
        }
    }
    return found;
}

static void free_block(struct pool_block *block)
{
    forget_event(block);
    clReleaseMemObject(block->buffer);
    free(block);
}

static void free_idle_blocks(struct pool *pool)
{
    struct pool_block **link = &pool->first;
    while (*link) {
        struct pool_block *block = *link;
        if (is_idle(block)) {
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
        free_idle_blocks(pool); /* too small, all of them */
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

void clsort__pool_give(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event)
{
    clsort__platform_mutex_lock(pool->mutex);
    if (event) {
        forget_event(block);
        clRetainEvent(event);
        clRetainCommandQueue(queue);
        block->event = event;
        block->queue = queue;
    }
    block->taken = 0;
    clsort__platform_mutex_unlock(pool->mutex);
}

void clsort__pool_trim(struct pool *pool)
{
    clsort__platform_mutex_lock(pool->mutex);
    free_idle_blocks(pool);
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
