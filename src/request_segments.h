/* The segments of a request. */
#ifndef CLSORT_REQUEST_SEGMENTS_H
#define CLSORT_REQUEST_SEGMENTS_H

#include "job.h"

/* Checks the fields of segments, and those that are to be 0, and describes them; *segments is all 0 before. */
clsort_status clsort__request_segments(const clsort_request *r, const struct device_caps *caps,
                                       struct segments *segments, struct failure *failure);

#endif
