/* How many iterations the loops of a work-item can do on a device, found by a kernel that counts its own. */
#ifndef CLSORT_LOOP_PROBE_H
#define CLSORT_LOOP_PROBE_H

#include "program.h"

/* Runs the kernel; *limit receives the iterations of all loops together after which they end, 0 if they do not. Returns 0, or 1
   if the kernel could not be run. */
int clsort__loop_probe_run(cl_context context, cl_device_id device, uint32_t *limit);

/* The limit of the programs' device: by what the disk cache holds, else by the kernel, which runs on CPUs alone; by its name where
   that is all that is known. */
uint32_t clsort__loop_probe_limit(const struct programs *programs);

#endif
