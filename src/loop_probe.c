/* How many iterations the loops of a work-item can do on a device, found by a kernel that counts its own. */
#include "loop_probe.h"

#include "program_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each of two loops. Mesa's gallivm ends them after 65,535 in all (LP_MAX_TGSI_LOOP_ITERATIONS). */
enum { n_iterations = 65536, gallivm_limit = 65535 };

/* What of OpenCL a run needs. */
struct run {
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem counts;
};

static cl_int make_run(cl_context context, cl_device_id device, struct run *run)
{
    const struct embedded_source *source = clsort__program_source("loop_probe");
    const char *text = source->text;
    cl_uint zeros[2] = {0, 0};
    cl_int error;
    run->queue = clCreateCommandQueue(context, device, 0, &error);
    if (error == CL_SUCCESS) {
        run->program = clCreateProgramWithSource(context, 1, &text, &source->bytes, &error);
    }
    if (error == CL_SUCCESS) {
        error = clBuildProgram(run->program, 1, &device, "", NULL, NULL);
    }
    if (error == CL_SUCCESS) {
        run->kernel = clCreateKernel(run->program, "probe", &error);
    }
    if (error == CL_SUCCESS) {
        run->counts = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &error);
    }
    return error;
}

static cl_int count_iterations(const struct run *run, cl_uint counts[2])
{
    const cl_uint n = n_iterations;
    const size_t one = 1;
    cl_int error = clSetKernelArg(run->kernel, 0, sizeof run->counts, &run->counts);
    if (error == CL_SUCCESS) {
        error = clSetKernelArg(run->kernel, 1, sizeof n, &n);
    }
    if (error == CL_SUCCESS) {
        error = clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    }
    if (error == CL_SUCCESS) {
        error = clEnqueueReadBuffer(run->queue, run->counts, CL_TRUE, 0, 2 * sizeof counts[0], counts, 0, NULL, NULL);
    }
    return error;
}

static void release_run(struct run *run)
{
    if (run->counts) {
        clReleaseMemObject(run->counts);
    }
    if (run->kernel) {
        clReleaseKernel(run->kernel);
    }
    if (run->program) {
        clReleaseProgram(run->program);
    }
    if (run->queue) {
        clReleaseCommandQueue(run->queue);
    }
}

int clsort__loop_probe_run(cl_context context, cl_device_id device, uint32_t *limit)
{
    struct run run = {NULL, NULL, NULL, NULL};
    cl_uint counts[2] = {0, 0};
    cl_int error = make_run(context, device, &run);
    if (error == CL_SUCCESS) {
        error = count_iterations(&run, counts);
    }
    release_run(&run);
    if (error != CL_SUCCESS || counts[0] == 0) {
        return 1;
    }
    *limit = counts[0] + counts[1] < 2 * n_iterations ? counts[0] + counts[1] : 0;
    return 0;
}

uint32_t clsort__loop_probe_limit(const struct programs *programs)
{
    const struct device_caps *caps = programs->caps;
    uint32_t limit = strstr(caps->name, "llvmpipe") ? gallivm_limit : 0;
    char key[1024];
    size_t bytes = 0;
    int is_damaged = 0;
    if (limit || !(caps->type & CL_DEVICE_TYPE_CPU)) {
        return limit;
    }
    snprintf(key, sizeof key, "loop_probe\n%s\n%s\n%s\n%s\n%s\n%s\n", clsort__program_source("loop_probe")->hash,
             caps->platform_name, caps->platform_version, caps->name, caps->version, caps->driver_version);
    unsigned char *stored =
        programs->directory ? clsort__program_cache_load(programs->directory, key, &bytes, &is_damaged) : NULL;
    if (stored && bytes == sizeof limit) {
        memcpy(&limit, stored, sizeof limit);
    } else if (!clsort__loop_probe_run(programs->context, programs->device, &limit) && programs->directory) {
        /* A limit that cannot be kept is found again. */
        clsort__program_cache_store(programs->directory, key, (const unsigned char *)&limit, sizeof limit);
    }
    free(stored);
    return limit;
}
