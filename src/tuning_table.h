/* The built-in tuning rows. Values are for 4-byte keys; the first row that applies and is legal is used. */

/* clang-format off */
/* vendor      device  type                 key value  group items radix rank blocks local local bitonic
                                            bytes bytes size       bits  bits /unit  size  items count       */
{"*",          "*",    CL_DEVICE_TYPE_CPU,    0,  0, {   1, 1024,   8,    8,    4,     1, 2048,    0}},
{"NVIDIA*",    "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,    8,   256,   16,    0}},
{"Advanced*",  "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,    8,   256,   16,    0}},
{"AMD*",       "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,    8,   256,   16,    0}},
{"Intel*",     "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,    8,   8,    4,    4,   256,    8,    0}},
{"*",          "*",    CL_DEVICE_TYPE_ALL,    0,  0, {  64,    8,   8,    4,    8,    64,    8,    0}},
{"*",          "*",    CL_DEVICE_TYPE_ALL,    0,  0, {   1,  256,   8,    8,    4,     1,  256,    0}},
/* clang-format on */
