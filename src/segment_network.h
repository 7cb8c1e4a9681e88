/* The launch that sorts short segments in registers, of cl/segmented_network.cl. */
#ifndef CLSORT_SEGMENT_NETWORK_H
#define CLSORT_SEGMENT_NETWORK_H

#include "hybrid_layout.h"

/* As in cl/segmented_network.cl: what becomes of segments that are not sorted in registers. */
enum listing { copy_others = 0, list_parted = 1, list_all = 2, leave_others = 3 };

/* Keys of a row, which a work-item sorts. */
enum { network_row_keys = 16 };

/* Work-items of its work-groups; 0 if there is too little local memory. */
uint32_t clsort__network_group_size(const struct job *job);

/* The longest segment that it sorts; 0 if there is none. */
uint32_t clsort__network_limit(const struct job *job);

/* Sets what of a layout it needs. */
void clsort__network_lay_out(const struct job *job, struct layout *layout);

struct program_use clsort__network_use(const struct job *job);

void clsort__network_launch(const struct run *run, struct program *program, enum listing listing);

#endif
