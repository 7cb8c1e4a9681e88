/* Ahead of each source file of the library that test_failures links (-include): makes a site of every call that can fail. */
#ifndef TESTS_FAULT_SITES_H
#define TESTS_FAULT_SITES_H

#define CL_TARGET_OPENCL_VERSION 120
#include "faults.h"

#include <CL/cl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The site of this place, which n_fault_sites() counts whether it is ever reached or not. */
#define FAULT_SITE(name)                                                                                               \
    __extension__({                                                                                                    \
        static struct fault_site site = {#name, __FILE__, __LINE__, false};                                            \
        static struct fault_site *entry __attribute__((section("fault_sites"), used)) = &site;                         \
        entry;                                                                                                         \
    })

/* Functions, so that a result that is not used is no warning. */
static inline cl_int fault_status(cl_int status)
{
    return status;
}
static inline void *fault_no_object(cl_int *error)
{
    if (error) {
        *error = FAULT_STATUS;
    }
    return NULL;
}
static inline int fault_errno(int number)
{
    errno = number;
    return -1;
}
static inline cl_int fault_event(cl_int status, const cl_event *event)
{
    if (status == CL_SUCCESS && event) {
        fault_hold(*event);
    }
    return status;
}
static inline cl_int fault_retain(cl_int status, void *object)
{
    if (status == CL_SUCCESS) {
        fault_hold(object);
    }
    return status;
}
static inline cl_int fault_release(cl_int status, bool strikes)
{
    return strikes ? FAULT_STATUS : status;
}
/* In place of realloc: the old memory is given back where there is new. */
static inline void *fault_realloc(void *memory, size_t bytes, struct fault_site *site)
{
    if (fault_strikes(site)) {
        return NULL;
    }
    void *old = fault_let_go(memory);
    void *moved = realloc(memory, bytes);
    fault_hold(moved ? moved : old);
    return moved;
}

#define FAULT_CALL(failed, name, ...) (fault_strikes(FAULT_SITE(name)) ? (failed) : name(__VA_ARGS__))
#define FAULT_CL(name, ...) fault_status(FAULT_CALL(FAULT_STATUS, name, __VA_ARGS__))
#define FAULT_OBJECT(error, name, ...) fault_hold(FAULT_CALL(fault_no_object(error), name, __VA_ARGS__, error))
#define FAULT_EVENT(event, name, ...) fault_event(FAULT_CL(name, __VA_ARGS__, event), event)
#define FAULT_RETAIN(name, object) fault_retain(FAULT_CL(name, object), object)
#define FAULT_RELEASE(name, object) fault_release(name(fault_let_go(object)), fault_strikes_release(FAULT_SITE(name)))

#define malloc(bytes) fault_hold(FAULT_CALL(NULL, malloc, bytes))
#define calloc(n, bytes) fault_hold(FAULT_CALL(NULL, calloc, n, bytes))
#define realloc(memory, bytes) fault_realloc(memory, bytes, FAULT_SITE(realloc))
#define free(memory) free(fault_let_go(memory))

#define pthread_mutex_init(mutex, attributes) FAULT_CALL(ENOMEM, pthread_mutex_init, mutex, attributes)
#define stat(path, facts) FAULT_CALL(fault_errno(EACCES), stat, path, facts)
#define lstat(path, facts) FAULT_CALL(fault_errno(EACCES), lstat, path, facts)
#define fstat(number, facts) FAULT_CALL(fault_errno(EIO), fstat, number, facts)
#define open(path, ...) FAULT_CALL(fault_errno(EACCES), open, path, __VA_ARGS__)
#define fdopen(number, mode) fault_hold(FAULT_CALL(NULL, fdopen, number, mode))
#define mkdir(path, mode) FAULT_CALL(fault_errno(EACCES), mkdir, path, mode)
#define opendir(path) fault_hold(FAULT_CALL(NULL, opendir, path))
#define closedir(folder) closedir(fault_let_go(folder))
#define fopen(path, mode) fault_hold(FAULT_CALL(NULL, fopen, path, mode))
#define fread(to, bytes, n, file) FAULT_CALL(0, fread, to, bytes, n, file)
#define fwrite(from, bytes, n, file) FAULT_CALL(0, fwrite, from, bytes, n, file)
#define fclose(file) fault_release(fclose(fault_let_go(file)), fault_strikes_release(FAULT_SITE(fclose)))
#define rename(from, to) FAULT_CALL(fault_errno(EACCES), rename, from, to)

/* clang-format off */
#define clGetPlatformIDs(...) FAULT_CL(clGetPlatformIDs, __VA_ARGS__)
#define clGetPlatformInfo(...) FAULT_CL(clGetPlatformInfo, __VA_ARGS__)
#define clGetDeviceIDs(...) FAULT_CL(clGetDeviceIDs, __VA_ARGS__)
#define clGetDeviceInfo(...) FAULT_CL(clGetDeviceInfo, __VA_ARGS__)
#define clGetContextInfo(...) FAULT_CL(clGetContextInfo, __VA_ARGS__)
#define clGetCommandQueueInfo(...) FAULT_CL(clGetCommandQueueInfo, __VA_ARGS__)
#define clGetMemObjectInfo(...) FAULT_CL(clGetMemObjectInfo, __VA_ARGS__)
#define clGetProgramInfo(...) FAULT_CL(clGetProgramInfo, __VA_ARGS__)
#define clGetProgramBuildInfo(...) FAULT_CL(clGetProgramBuildInfo, __VA_ARGS__)
#define clGetEventInfo(...) FAULT_CL(clGetEventInfo, __VA_ARGS__)
#define clBuildProgram(...) FAULT_CL(clBuildProgram, __VA_ARGS__)
#define clSetKernelArg(...) FAULT_CL(clSetKernelArg, __VA_ARGS__)
#define clFinish(queue) FAULT_CL(clFinish, queue)

#define clCreateContext(properties, n, devices, notify, data, error) \
    FAULT_OBJECT(error, clCreateContext, properties, n, devices, notify, data)
#define clCreateCommandQueue(context, device, properties, error) \
    FAULT_OBJECT(error, clCreateCommandQueue, context, device, properties)
#define clCreateBuffer(context, flags, bytes, host, error) FAULT_OBJECT(error, clCreateBuffer, context, flags, bytes, host)
#define clCreateKernel(program, name, error) FAULT_OBJECT(error, clCreateKernel, program, name)
#define clCreateProgramWithSource(context, n, texts, lengths, error) \
    FAULT_OBJECT(error, clCreateProgramWithSource, context, n, texts, lengths)
#define clCreateProgramWithBinary(context, n, devices, lengths, binaries, status, error) \
    FAULT_OBJECT(error, clCreateProgramWithBinary, context, n, devices, lengths, binaries, status)

#define clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n, wait, event) \
    FAULT_EVENT(event, clEnqueueNDRangeKernel, queue, kernel, dimensions, offset, global, local, n, wait)
#define clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, n, wait, event) \
    FAULT_EVENT(event, clEnqueueCopyBuffer, queue, from, to, from_offset, to_offset, bytes, n, wait)
#define clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, n, wait, event) \
    FAULT_EVENT(event, clEnqueueReadBuffer, queue, buffer, blocking, offset, bytes, to, n, wait)
#define clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, n, wait, event) \
    FAULT_EVENT(event, clEnqueueWriteBuffer, queue, buffer, blocking, offset, bytes, from, n, wait)
#define clEnqueueMarkerWithWaitList(queue, n, wait, event) FAULT_EVENT(event, clEnqueueMarkerWithWaitList, queue, n, wait)

#define clRetainContext(object) FAULT_RETAIN(clRetainContext, object)
#define clRetainDevice(object) FAULT_RETAIN(clRetainDevice, object)
#define clRetainEvent(object) FAULT_RETAIN(clRetainEvent, object)
#define clRetainCommandQueue(object) FAULT_RETAIN(clRetainCommandQueue, object)
#define clReleaseContext(object) FAULT_RELEASE(clReleaseContext, object)
#define clReleaseDevice(object) FAULT_RELEASE(clReleaseDevice, object)
#define clReleaseEvent(object) FAULT_RELEASE(clReleaseEvent, object)
#define clReleaseCommandQueue(object) FAULT_RELEASE(clReleaseCommandQueue, object)
#define clReleaseMemObject(object) FAULT_RELEASE(clReleaseMemObject, object)
#define clReleaseProgram(object) FAULT_RELEASE(clReleaseProgram, object)
#define clReleaseKernel(object) FAULT_RELEASE(clReleaseKernel, object)
/* clang-format on */

#endif
