/* The built-in tuning rows. Values are for 4-byte keys; the first row that applies and is legal is used. */

/* clang-format off */
/* vendor      device  type                 key value  group items radix rank blocks local local bitonic hybrid hybrid hybrid bucket bucket hybrid  stable stable  ptx  counting             rank sample at once spread spread serial chunked chunked bucket plain   network  segment
                                            bytes bytes size       bits  bits /unit  size  items count   size   items  bits   size   items  count   items  count          size items groups count  count  count   count   size items                                 keys     levels */

/* PoCL 3.1, 2 cores of an AMD EPYC (Zen 4), 2026-11-30: 2^20 and 2^24 u32 keys at 0.43 and 0.40 Gkeys/s. */
{"*",          "*",    CL_DEVICE_TYPE_CPU,    0,  0, {   1, 1024,   8,    8,    4,     1, 2048,    0,      1,    16,    8,     1,    16,        0,     16,        0,   0,           1, 1024,      4,  524288,     0,      0,      0,      1,  2048, 65536,  65537,      1, 32768,   0,        0,        2}},
/* NVIDIA H200, driver 580.159, 2026-11-30: pairs of 8-byte keys take radix 0.196 ms at 2^18 and 0.283 at 2^20, hybrid_stable 0.25 and 0.237. */
{"NVIDIA*",    "*",    CL_DEVICE_TYPE_GPU,    8,  0, { 256,   16,   8,    4,   16,   256,   16,    0,    256,    44,    8,   256,    18,  1048576,     28,   786432,   1,         512,   22,      4,    8192,  6144,4194304,  49152,   1024,     6,     0,      0,      1, 16384,   0,      512,        2}},
/* NVIDIA H200, driver 580.159, 2026-11-30: 2^24 and 2^28 u32 keys at 67 and 98 Gkeys/s (radix: 25.5 and 28.2), 2^28 u8 and u16
   keys at 1588 and 379 Gkeys/s. */
{"NVIDIA*",    "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,   16,   256,   16,    0,    256,    44,    8,   256,    18,  1048576,     28,  2883585,   1,         512,   22,      4,    8192,  6144,4194304,  65536,   1024,     6,     0,      0,      1, 16384,   0,      512,        2}},
/* Not measured: NVIDIA's row. clang-19 spills 23 registers of radix_local for gfx90a, none of radix. */
{"Advanced*",  "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,   16,   256,   16,    0,    256,    44,    8,   256,    18,  1048576,     16,  4194304,   0,         256,   44,      4,    8192,  4096,      0,      0,    256,    16,     0,      0,      1, 16384,   0,      512,        2}},
{"AMD*",       "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,   16,   8,    4,   16,   256,   16,    0,    256,    44,    8,   256,    18,  1048576,     16,  4194304,   0,         256,   44,      4,    8192,  4096,      0,      0,    256,    16,     0,      0,      1, 16384,   0,      512,        2}},
/* Not measured: fewer keys a work-item, for Intel's smaller register files. */
{"Intel*",     "*",    CL_DEVICE_TYPE_GPU,    0,  0, { 256,    8,   8,    4,    8,   256,    8,    0,    256,    16,    8,   256,    16,  1048576,      8,  4194304,   0,         256,   44,      4,    8192,  4096,      0,      0,    256,     8,     0,      0,      1, 16384,   0,      256,        2}},
/* Any other device, and then one that has hardly anything: 16 KiB of local memory and one work-item a group. */
{"*",          "*",    CL_DEVICE_TYPE_ALL,    0,  0, {  64,    8,   8,    4,    8,    64,    8,    0,     64,    16,    8,    64,    16,        0,     16,        0,   0,          64,   60,      8,    8192,     0,      0,      0,     64,     8,     0,      0,      1, 16384,   0,        0,        2}},
{"*",          "*",    CL_DEVICE_TYPE_ALL,    0,  0, {   1,  256,   8,    8,    4,     1,  256,    0,      1,    16,    8,     1,    16,        0,     16,        0,   0,           1, 1024,      4,       0,     0,      0,      0,      1,   256,     0,      0,      1, 16384,   0,        0,        2}},
    /* clang-format on */
