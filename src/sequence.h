/* The commands of one sort on one queue: set all arguments, enqueue, chain events. */
#ifndef CLSORT_SEQUENCE_H
#define CLSORT_SEQUENCE_H

#include "key.h"
#include "program.h"

/* Events that have to outlive the commands of their chain, see sequence.c. Owned by a sorter. */
struct kept_events {
    struct platform_mutex *mutex;
    struct event_list *first;
};

/* Releases the events of chains that are complete, or with all, of every chain. */
void clsort__kept_events_release(struct kept_events *kept, int all);

/* One kernel launch. Arguments are pushed in the order of the kernel's parameters; errors are kept in the sequence's
   failure and make the rest do nothing. */
struct launch {
    struct sequence *sequence;
    struct program *program;
    const char *kernel_name;
    struct kernel *kernel;
    cl_uint n_arguments;
    uint32_t index_bytes;
    size_t n_items, group_size; /* of the whole and of a work-group */
};

struct sequence {
    cl_command_queue queue;
    cl_uint n_wait; /* events the first command waits for; the caller's */
    const cl_event *wait;
    cl_event last;              /* of the newest command, if it has one; owned, by the chain if there is one */
    uint32_t n_commands;        /* so far */
    int chained;                /* each command waits for the one before by its event */
    int needs_last;             /* the last command has to have an event */
    struct launch held;         /* the newest launch is enqueued when it is known whether it is the last */
    int is_warm_up;             /* launches are not counted as runs */
    uint64_t warm_up_groups;    /* those of a warm-up have a grid as wide as so many work-groups, if these are small */
    struct event_list *chain;   /* events of all commands, newest first, if they have to be kept */
    struct event_list *place;   /* in the chain, for the event of the next command */
    struct kept_events *keeper; /* takes them over; may be NULL if there is no wait list */
    struct programs *programs;
    void (*command)(void *user_data, const char *phase, cl_event event);
    void *user_data;
    struct failure *failure;
};

/* Sets up a sequence of no commands. Commands are chained by events on an out-of-order queue, and where there is a wait
   list: only so does an event that failed stop all of them. */
clsort_status clsort__sequence_begin(struct sequence *sequence, struct programs *programs, cl_command_queue queue,
                                     cl_uint n_wait, const cl_event *wait, struct failure *failure);

void clsort__launch_begin(struct launch *launch, struct sequence *sequence, struct program *program,
                          const char *kernel_name, uint32_t index_bytes);
/* A buffer and its ulong offset in elements. */
void clsort__launch_range(struct launch *launch, clsort_range range);
/* An index_t. */
void clsort__launch_index(struct launch *launch, uint64_t index);
void clsort__launch_uint(struct launch *launch, uint32_t number);
void clsort__launch_ulong(struct launch *launch, uint64_t number);
/* A vector. */
void clsort__launch_bytes(struct launch *launch, const void *bytes, size_t n_bytes);
/* ORDER_PARAMETERS of cl/base.cl. */
void clsort__launch_order(struct launch *launch, const struct key_order *order);
/* Enqueues it for n_groups work-groups, when the next command comes or at the end. */
clsort_status clsort__launch_run(struct launch *launch, uint64_t n_groups, uint32_t group_size);

/* Copies bytes from buffer to buffer; offsets in bytes. Nothing for 0 bytes or the same place. */
clsort_status clsort__sequence_copy(struct sequence *sequence, cl_mem from, uint64_t from_offset, cl_mem to,
                                    uint64_t to_offset, uint64_t bytes);

/* Enqueues what is held back. An event costs as much as a third of a launch, so only the last command has one, if needs_last
   is set, unless all have to. */
clsort_status clsort__sequence_settle(struct sequence *sequence);

/* Ends the sequence, with needs_last set if event is not NULL. event (may be NULL) receives the event of the whole: of the last command, or of a marker if there was
   none. */
clsort_status clsort__sequence_end(struct sequence *sequence, cl_event *event);

/* Gives up a sequence and what it holds back; last stays valid until then. */
void clsort__sequence_clear(struct sequence *sequence);

/* A number as size_t, checked. */
clsort_status clsort__to_size(uint64_t number, size_t *size, struct failure *failure);

#endif
