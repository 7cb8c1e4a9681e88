/* How fast a device copies its own memory. */
#include "copy.h"
#include "machine.h"
#include "statistics.h"
#include <string.h>

enum { RUNS = 9, WARM_UP_RUNS = 2, VECTOR_BYTES = 16, GROUP = 64 };

static const char source[] = "kernel void copy(global const uint4 *from, global uint4 *to, ulong n)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    if (i < n)\n"
                             "        to[i] = from[i];\n"
                             "}\n";

static void make_kernel(struct copy *copy, cl_context context)
{
    const char *text = source;
    cl_int status;
    copy->tried = 1;
    copy->program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (copy->program && clBuildProgram(copy->program, 0, NULL, "", NULL, NULL) == CL_SUCCESS)
        copy->kernel = clCreateKernel(copy->program, "copy", &status);
}

/* One copy, by the kernel or by the runtime's own command; negative if it failed. */
static double copy_once(cl_kernel kernel, cl_command_queue queue, const cl_mem *buffers, size_t bytes)
{
    double begin = machine_clock();
    cl_int status;
    if (kernel) {
        cl_ulong n = bytes / VECTOR_BYTES;
        size_t work_items = (size_t)(n + GROUP - 1) / GROUP * GROUP;
        status = clSetKernelArg(kernel, 0, sizeof buffers[0], &buffers[0]);
        status |= clSetKernelArg(kernel, 1, sizeof buffers[1], &buffers[1]);
        status |= clSetKernelArg(kernel, 2, sizeof n, &n);
        if (!status)
            status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &work_items, NULL, 0, NULL, NULL);
    } else {
        status = clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, bytes, 0, NULL, NULL);
    }
    if (status || clFinish(queue))
        return -1;
    return machine_clock() - begin;
}

static double median_copy(cl_kernel kernel, cl_command_queue queue, const cl_mem *buffers, size_t bytes)
{
    double times[RUNS];
    for (int i = -WARM_UP_RUNS; i < RUNS; i++) {
        double ms = copy_once(kernel, queue, buffers, bytes);
        if (ms < 0)
            return 0;
        if (i >= 0)
            times[i] = ms;
    }
    return statistics_median(times, RUNS);
}

static double measure(const struct copy *copy, cl_context context, cl_command_queue queue, size_t bytes)
{
    cl_int status[2] = {CL_SUCCESS, CL_SUCCESS};
    cl_mem buffers[2] = {NULL, NULL};
    unsigned char zero = 0;
    double ms = 0, other;
    for (int i = 0; i < 2; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status[i]);
        /* Pages that were never written may all be the same one. */
        if (!status[i])
            status[i] = clEnqueueFillBuffer(queue, buffers[i], &zero, 1, 0, bytes, 0, NULL, NULL);
    }
    if (!status[0] && !status[1]) {
        ms = median_copy(NULL, queue, buffers, bytes);
        other = copy->kernel ? median_copy(copy->kernel, queue, buffers, bytes) : 0;
        ms = other > 0 && (ms <= 0 || other < ms) ? other : ms;
    }
    for (int i = 0; i < 2; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    return ms;
}

double copy_time(struct copy *copy, cl_context context, cl_command_queue queue, uint64_t moved_bytes)
{
    uint64_t bytes = (moved_bytes / 2 + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
    if (!bytes || bytes > SIZE_MAX)
        return 0;
    for (size_t i = 0; i < copy->n_known; i++)
        if (copy->known[i].bytes == bytes)
            return copy->known[i].ms;
    if (!copy->tried)
        make_kernel(copy, context);
    double ms = measure(copy, context, queue, (size_t)bytes);
    if (copy->n_known < COPY_SIZES) {
        copy->known[copy->n_known].bytes = bytes;
        copy->known[copy->n_known++].ms = ms;
    }
    return ms;
}

void copy_free(struct copy *copy)
{
    if (copy->kernel)
        clReleaseKernel(copy->kernel);
    if (copy->program)
        clReleaseProgram(copy->program);
    memset(copy, 0, sizeof *copy);
}
