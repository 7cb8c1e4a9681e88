/* An OpenCL of nothing but objects and their facts, to fuzz requests at a million a minute: commands are counted, not run. */
#ifndef TESTS_STUB_OPENCL_H
#define TESTS_STUB_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/* The one device. */
cl_device_id stub_device(void);

/* Kernels and copies that were enqueued so far, and objects that are held. */
unsigned long stub_commands(void);
long stub_objects(void);

/* A part of a buffer, as clCreateSubBuffer makes it. */
cl_mem stub_sub_buffer(cl_mem root, size_t offset, size_t bytes);

#endif
