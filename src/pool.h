/* Workspace of a sorter: blocks of device memory that are used again and only grow. */
#ifndef CLSORT_POOL_H
#define CLSORT_POOL_H

#include "status.h"

struct pool_block;

struct pool {
    struct platform_mutex *mutex;
    cl_context context;
    struct pool_block *first;
    struct pool_queue *queues; /* that use or have used blocks */
};

/*
 * A block of at least that many bytes. It is the caller's until given back.
 * A block is used again by the in-order queue that used it last, or when its last command is complete; no queue is ever made
 * to wait for another.
 */
clsort_status clsort__pool_take(struct pool *pool, cl_command_queue queue, uint64_t bytes, struct pool_block **block,
                                struct failure *failure);

cl_mem clsort__pool_buffer(const struct pool_block *block);

/* Gives a block back. is_used: commands of the queue use it. event is of the last of them and may be NULL on an in-order queue:
   that costs nothing, but then no other queue can have the block. */
void clsort__pool_give(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event,
                       int is_used);

/* Frees all blocks but those to which an enqueue is adding commands. */
void clsort__pool_trim(struct pool *pool);

uint64_t clsort__pool_bytes(struct pool *pool);

/* Frees all blocks; the runtime keeps the memory of those still in use until they are not. */
void clsort__pool_clear(struct pool *pool);

#endif
