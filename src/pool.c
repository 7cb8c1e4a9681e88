/* Workspace of a sorter: blocks of device memory that are used again and only grow. */
#include "pool.h"

#include "platform.h"

#include <stdlib.h>
#include <string.h>

struct pool_block {
    struct pool_block *next;
    cl_mem buffer;
    uint64_t bytes;
    int taken;              /* an enqueue is adding commands that use it */
    cl_command_queue queue; /* of the last command that uses it, one of the pool's queues; NULL if nothing may use it */
    cl_event event;         /* of that command; NULL if it has none, as on in-order queues */
};

/*
 * A queue whose commands use or have used a block. Retained, so that no other queue can have its address; and released only when
 * nobody else has it, as releasing flushes it, after which clFinish of Mesa 22.3 does not wait.
 */
struct pool_queue {
    struct pool_queue *next;
    cl_command_queue queue;
};

static void forget_event(struct pool_block *block)
{
    if (block->event) {
        clReleaseEvent(block->event);
        block->event = NULL;
    }
}

static void forget_use(struct pool_block *block)
{
    forget_event(block);
    block->queue = NULL;
}

static int is_idle(struct pool_block *block)
{
    if (block->taken) {
        return 0;
    }
    if (block->event && clsort__event_is_complete(block->event)) {
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

/* Whether nobody but the pool has the queue, so that it will not be used again. */
static int is_orphan(cl_command_queue queue)
{
    cl_uint n_references = 0;
    return clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n_references, &n_references, NULL) ==
               CL_SUCCESS &&
           n_references == 1;
}

static int has_block_of(const struct pool *pool, cl_command_queue queue)
{
    const struct pool_block *block = pool->first;
    while (block && block->queue != queue) {
        block = block->next;
    }
    return block != NULL;
}

/* Releases the queues that nobody else has and no block is of, or with all, every queue. */
static void release_queues(struct pool *pool, int all)
{
    struct pool_queue **link = &pool->queues;
    while (*link) {
        struct pool_queue *held = *link;
        if (all || (is_orphan(held->queue) && !has_block_of(pool, held->queue))) {
            *link = held->next;
            clReleaseCommandQueue(held->queue);
            free(held);
        } else {
            link = &held->next;
        }
    }
}

/* Retains a queue for the pool unless it is one of its already; returns whether it is one now. */
static int hold_queue(struct pool *pool, cl_command_queue queue)
{
    struct pool_queue *held = pool->queues;
    while (held && held->queue != queue) {
        held = held->next;
    }
    if (held) {
        return 1;
    }
    release_queues(pool, 0);
    held = malloc(sizeof *held);
    if (!held || clRetainCommandQueue(queue) != CL_SUCCESS) {
        free(held);
        return 0;
    }
    held->queue = queue;
    held->next = pool->queues;
    pool->queues = held;
    return 1;
}

/* Which blocks are to be freed, of those that are not taken. */
enum blocks { BLOCKS_OF_QUEUE /* that it could use */, BLOCKS_ORPHANED, BLOCKS_ALL };

/* Frees blocks. What commands still use the runtime keeps until they are complete. */
static void free_blocks(struct pool *pool, enum blocks which, cl_command_queue queue)
{
    const int in_order = which == BLOCKS_OF_QUEUE && queue_is_in_order(queue);
    struct pool_block **link = &pool->first;
    while (*link) {
        struct pool_block *block = *link;
        if (which == BLOCKS_OF_QUEUE
                ? is_usable(block, queue, in_order)
                : !block->taken && (which == BLOCKS_ALL || (block->queue && is_orphan(block->queue)))) {
            *link = block->next;
            free_block(block);
        } else {
            link = &block->next;
        }
    }
}

/* From many on, it is seen whether queues are gone; the most are kept whatever is seen. */
enum { many_blocks = 8, most_blocks = 64 };

static unsigned count_blocks(const struct pool *pool)
{
    unsigned n = 0;
    for (const struct pool_block *block = pool->first; block; block = block->next) {
        n++;
    }
    return n;
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

clsort_status clsort__pool_take(struct pool *pool, cl_command_queue queue, uint64_t bytes, struct pool_block **taken,
                                struct failure *failure)
{
    cl_int error = CL_SUCCESS;
    clsort__platform_mutex_lock(pool->mutex);
    struct pool_block *block = find_block(pool, queue, bytes);
    if (!block) {
        free_blocks(pool, BLOCKS_OF_QUEUE, queue); /* too small, all of them */
        if (count_blocks(pool) >= many_blocks) {
            free_blocks(pool, count_blocks(pool) < most_blocks ? BLOCKS_ORPHANED : BLOCKS_ALL, NULL);
        }
        block = create_block(pool, bytes, &error);
    }
    if (block) {
        block->taken = 1;
        *taken = block;
    }
    clsort__platform_mutex_unlock(pool->mutex);
    if (!block) {
        clsort__fail(failure, error, "clCreateBuffer of %llu bytes of workspace failed", (unsigned long long)bytes);
    }
    return failure->status;
}

cl_mem clsort__pool_buffer(const struct pool_block *block)
{
    return block->buffer;
}

/* Notes that commands of the queue use the block; returns whether that could be done. */
static int note_use(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event)
{
    forget_use(block);
    if (!hold_queue(pool, queue) || (event && clRetainEvent(event) != CL_SUCCESS)) {
        return 0;
    }
    block->queue = queue;
    block->event = event;
    return 1;
}

/* Takes a block out of the pool and frees it. What commands still use the runtime keeps until they are complete. */
static void drop_block(struct pool *pool, struct pool_block *block)
{
    struct pool_block **link = &pool->first;
    while (*link != block) {
        link = &(*link)->next;
    }
    *link = block->next;
    free_block(block);
}

void clsort__pool_give(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event, int is_used)
{
    clsort__platform_mutex_lock(pool->mutex);
    block->taken = 0;
    if (is_used && !note_use(pool, block, queue, event)) {
        drop_block(pool, block);
    }
    clsort__platform_mutex_unlock(pool->mutex);
}

void clsort__pool_trim(struct pool *pool)
{
    clsort__platform_mutex_lock(pool->mutex);
    free_blocks(pool, BLOCKS_ALL, NULL);
    release_queues(pool, 0);
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
    release_queues(pool, 1);
    clsort__platform_mutex_destroy(pool->mutex);
    memset(pool, 0, sizeof *pool);
}
