/* Workspace of a sorter: blocks of device memory that are used again and only grow. */
#ifndef CLSORT_POOL_H
#define CLSORT_POOL_H

#include "status.h"

struct pool_block;

struct pool {
    struct platform_mutex *mutex;
    cl_context context;
    struct pool_block *first;
};

/*
 * A block of at least least bytes, of best if that can be had; *bytes receives which. It is the caller's until given back.
 * A block is used again by the in-order queue that used it last, or when its last command is complete; no queue is ever made
 * to wait for another.
 */
clsort_status clsort__pool_take(struct pool *pool, cl_command_queue queue, uint64_t least, uint64_t best,
                                struct pool_block **block, uint64_t *bytes, struct failure *failure);

cl_mem clsort__pool_buffer(const struct pool_block *block);

/* Gives a block back. event is of the last command that uses it; NULL: none does. */
void clsort__pool_give(struct pool *pool, struct pool_block *block, cl_command_queue queue, cl_event event);

/* Frees the blocks that nothing uses. */
void clsort__pool_trim(struct pool *pool);

uint64_t clsort__pool_bytes(struct pool *pool);

/* Frees all blocks; the runtime keeps the memory of those still in use until they are not. */
void clsort__pool_clear(struct pool *pool);

#endif
