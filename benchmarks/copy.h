/* How fast a device copies its own memory: the measure that a sort's bandwidth is held against. */
#ifndef BENCHMARKS_COPY_H
#define BENCHMARKS_COPY_H

#include <clsort/clsort.h>

#define COPY_SIZES 64

/* Zero it before the first use. */
struct copy {
    cl_program program;
    cl_kernel kernel; /* NULL if it cannot be had */
    int tried;
    size_t n_known;
    struct {
        uint64_t bytes;
        double ms;
    } known[COPY_SIZES];
};

/* Milliseconds in which the device reads and writes moved_bytes altogether, by clEnqueueCopyBuffer() or a kernel,
   whichever is faster: median of host times, from enqueue to finish, as a sort is timed. 0 if it cannot be measured. */
double copy_time(struct copy *copy, cl_context context, cl_command_queue queue, uint64_t moved_bytes);

void copy_free(struct copy *copy);

#endif
