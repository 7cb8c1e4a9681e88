/* Runs kernels with planted faults, a data race, a write past the end and an uninitialised read, to see that a checker of
   kernels reports each. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void race(global int *out) {\n"
                             "    local int slots[8];\n"
                             "    uint item = get_local_id(0);\n"
                             "    slots[item] = item;\n"
                             "    out[item] = slots[(item + 1) % 8];\n" /* no barrier in between */
                             "}\n"
                             "kernel void past_end(global int *out) { out[8 + get_local_id(0)] = 1; }\n"
                             "kernel void uninitialised(global int *out) {\n"
                             "    local int slots[8];\n"
                             "    uint item = get_local_id(0);\n"
                             "    if (slots[item] > 5) out[item] = 1;\n"
                             "}\n";

int main(void)
{
    static const char *const names[] = {"race", "past_end", "uninitialised"};
    const char *text = source;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        return EXIT_FAILURE;
    }
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        return EXIT_FAILURE;
    }
    int zeros[8] = {0};
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &status);
    for (int i = 0; i < 3; i++) {
        size_t size = 8;
        cl_kernel kernel = clCreateKernel(program, names[i], &status);
        clSetKernelArg(kernel, 0, sizeof out, &out);
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL) != CL_SUCCESS) {
            return EXIT_FAILURE;
        }
        clFinish(queue);
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(out);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    puts("ran");
    return EXIT_SUCCESS;
}
