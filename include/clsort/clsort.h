/* clsort: sorting on OpenCL devices. The whole public API. */
#ifndef CLSORT_H
#define CLSORT_H

/*
 * Three tiers, in the order of this header:
 *
 *   1. clsort_sort_host()                  sorts host memory in one call (uploads, sorts, downloads: slow);
 *   2. clsort_create(), clsort_request,    sort device buffers, asynchronously, on the caller's queue;
 *      clsort_enqueue()
 *   3. everything else                     prepare ahead, own the workspace, ask for facts, override tuning.
 *
 *     clsort_sorter *sorter;
 *     clsort_create(context, device, NULL, &sorter);
 *
 *     clsort_request r;
 *     clsort_request_init(&r);
 *     r.operation = CLSORT_KEYS;
 *     r.key_type = CLSORT_U32;
 *     r.count = n;
 *     r.keys_in = clsort_make_range(input, 0);
 *     r.keys_out = clsort_make_range(output, 0);    same buffer and offset: in place
 *     clsort_enqueue(sorter, queue, &r, 0, NULL, &event);
 *
 * Every function that can fail returns a clsort_status: 0 is success. What is invalid is found before anything is
 * enqueued, and clsort_last_error() says which field it was. Outputs are written only on success.
 */

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(CLSORT_SHARED)
#ifdef CLSORT_BUILDING
#define CLSORT_API __declspec(dllexport)
#else
#define CLSORT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CLSORT_API __attribute__((visibility("default")))
#else
#define CLSORT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLSORT_VERSION_MAJOR 0
#define CLSORT_VERSION_MINOR 1
#define CLSORT_VERSION_PATCH 0

/* Version of the library that is linked, as major * 10000 + minor * 100 + patch. */
CLSORT_API uint32_t clsort_version(void);

/* ------------------------------------------------------------------------------------------------ status codes */

/* 0 is success. OpenCL's own codes (negative, above -2000) pass through unchanged. The library's own codes: */
typedef int32_t clsort_status;

/* X(name, number, text) */
#define CLSORT_STATUS_TABLE(X)                                                                                         \
    X(SUCCESS, 0, "success")                                                                                           \
    X(INVALID_SORTER, -3000, "sorter: NULL or not a sorter")                                                           \
    X(INVALID_ARGUMENT, -3001, "an argument is NULL or out of its range")                                              \
    X(INVALID_OPTIONS, -3002, "options: a field is out of its range")                                                  \
    X(INVALID_REQUEST, -3003, "request: NULL, or its size field was not set by clsort_request_init")                   \
    X(INVALID_OPERATION, -3004, "operation: not one of CLSORT_KEYS, CLSORT_PAIRS, CLSORT_ARGSORT")                     \
    X(INVALID_KEY_TYPE, -3005, "key_type: not a key type")                                                             \
    X(INVALID_FLAGS, -3006, "flags: unknown, or not allowed together")                                                 \
    X(INVALID_BIT_RANGE, -3007, "begin_bit, end_bit: begin above end, or end above the key's width")                   \
    X(INVALID_VALUE_BYTES, -3008, "value_bytes: not 1 to 65536, or given where there are no values")                   \
    X(INVALID_INDEX_BYTES, -3009, "index_bytes: not 4 or 8, or 4 with a count above 2^32")                             \
    X(INVALID_KEYS_IN, -3010, "keys_in: missing, too small, or of another context")                                    \
    X(INVALID_KEYS_OUT, -3011, "keys_out: missing, too small, read-only or write-only, or of another context")         \
    X(INVALID_VALUES_IN, -3012, "values_in: missing, unexpected, too small, or of another context")                    \
    X(INVALID_VALUES_OUT, -3013,                                                                                       \
      "values_out: missing, unexpected, too small, read-only or write-only, or of another context")                    \
    X(INVALID_WORKSPACE, -3014, "workspace: too small, misaligned, read-only, or of another context")                  \
    X(INVALID_ALGORITHM, -3015, "algorithm: no such name, or it cannot do this request")                               \
    X(INVALID_QUEUE, -3016, "queue: NULL, or of another context or device")                                            \
    X(INVALID_WAIT_LIST, -3017, "wait list: count and pointer disagree, or an event is NULL")                          \
    X(OVERLAP, -3018, "two ranges overlap in part")                                                                    \
    X(COUNT_TOO_LARGE, -3019, "count: more than the device can hold or address")                                       \
    X(INVALID_TUNING, -3020, "tuning: not name=value pairs of known names, or not legal on this device")               \
    X(NO_PLATFORM, -3021, "no OpenCL platform is installed")                                                           \
    X(NO_DEVICE, -3022, "no OpenCL device fits the description")                                                       \
    X(DEVICE_UNSUITABLE, -3023, "the device has no compiler, or its limits are too small")                             \
    X(INTERNAL, -3024, "internal error in clsort")                                                                     \
    X(INVALID_SEGMENT_COUNT, -3025, "segment_count: above 2^32 - 1, or given where it does not belong")                \
    X(INVALID_SEGMENT_BEGINS, -3026, "segment_begins: missing, unexpected, too small, or of another context")          \
    X(INVALID_SEGMENT_ENDS, -3027, "segment_ends: unexpected, too small, or of another context")                       \
    X(INVALID_SEGMENT_OFFSET_BYTES, -3028, "segment_offset_bytes: not 4 or 8, or given where there are no offsets")    \
    X(INVALID_SEGMENT_LENGTH, -3029,                                                                                   \
      "segment_length, segment_stride, max_segment_length: unexpected, or they do not fit each other or the count")

enum {
#define CLSORT_STATUS_ENUM(name, number, text) CLSORT_##name = (number),
    CLSORT_STATUS_TABLE(CLSORT_STATUS_ENUM)
#undef CLSORT_STATUS_ENUM
        CLSORT_STATUS_END = -3999
};

/* Text of a status, OpenCL's codes included; never NULL, never to be freed. */
CLSORT_API const char *clsort_status_text(clsort_status status);

/* ---------------------------------------------------------------------------------------------------- key types */

/*
 * X(name, text, number, bytes, kind, infinity). kind is UNSIGNED, SIGNED (two's complement) or FLOAT (sign bit, then
 * magnitude). infinity is the bit pattern of +infinity of a FLOAT: greater magnitudes are NaNs; 0 for the others.
 * F16, BF16 and F64 are sorted by their bits and need no device extension.
 */
#define CLSORT_KEY_TYPE_TABLE(X)                                                                                       \
    X(U8, "u8", 1, 1, UNSIGNED, 0)                                                                                     \
    X(U16, "u16", 2, 2, UNSIGNED, 0)                                                                                   \
    X(U32, "u32", 3, 4, UNSIGNED, 0)                                                                                   \
    X(U64, "u64", 4, 8, UNSIGNED, 0)                                                                                   \
    X(I8, "i8", 5, 1, SIGNED, 0)                                                                                       \
    X(I16, "i16", 6, 2, SIGNED, 0)                                                                                     \
    X(I32, "i32", 7, 4, SIGNED, 0)                                                                                     \
    X(I64, "i64", 8, 8, SIGNED, 0)                                                                                     \
    X(F16, "f16", 9, 2, FLOAT, 0x7c00)                                                                                 \
    X(BF16, "bf16", 10, 2, FLOAT, 0x7f80)                                                                              \
    X(F32, "f32", 11, 4, FLOAT, 0x7f800000)                                                                            \
    X(F64, "f64", 12, 8, FLOAT, 0x7ff0000000000000)

typedef enum clsort_key_type {
#define CLSORT_KEY_TYPE_ENUM(name, text, number, bytes, kind, infinity) CLSORT_##name = (number),
    CLSORT_KEY_TYPE_TABLE(CLSORT_KEY_TYPE_ENUM)
#undef CLSORT_KEY_TYPE_ENUM
        CLSORT_KEY_TYPE_END = 0x7fffffff
} clsort_key_type;

/* Name ("u32") of a key type, NULL if there is no such type. */
CLSORT_API const char *clsort_key_type_name(clsort_key_type key_type);
/* Size of a key in bytes, 0 if there is no such type. */
CLSORT_API size_t clsort_key_type_bytes(clsort_key_type key_type);
/* The key type with this name, 0 if there is none. */
CLSORT_API clsort_key_type clsort_key_type_from_name(const char *name);

/* ----------------------------------------------------------------------------------------------------- requests */

typedef enum clsort_operation {
    CLSORT_KEYS = 1,    /* keys_in -> keys_out */
    CLSORT_PAIRS = 2,   /* keys_in, values_in -> keys_out, values_out */
    CLSORT_ARGSORT = 3, /* keys_in -> values_out: the input positions in sorted order; keys_out is optional */
    CLSORT_OPERATION_END = 0x7fffffff
} clsort_operation;

enum {
    /* Descending order; equal keys keep their input order all the same. */
    CLSORT_DESCENDING = 1u << 0,
    /* IEEE 754-2019 totalOrder for float keys: -NaN < -inf < ... < -0 < +0 < ... < +inf < NaN. Without it the order is
       numeric: -0 and +0 are equal and every NaN, of either sign, is greater than +inf. Bits never change. */
    CLSORT_FLOAT_TOTAL_ORDER = 1u << 1,
    /* Leaves the order of equal keys open (of pairs, argsort, and keys with a bit range), for methods that are faster or need
       less memory. */
    CLSORT_UNSTABLE = 1u << 2,
    /* Sorts without workspace, much slower. Pairs, and keys with a bit range, need CLSORT_UNSTABLE too, or a workspace of one
       index per element; argsort with 4-byte indices above a count of 2^31 needs such a workspace. */
    CLSORT_LOW_MEMORY = 1u << 3,
    /* begin_bit and end_bit are given. Without it the whole key is compared. */
    CLSORT_BIT_RANGE = 1u << 4,
    /* Segments are given, by offsets or by a length: each is sorted by itself. Without it the whole range is, as one. */
    CLSORT_SEGMENTS = 1u << 5,
    /* Indices of argsort count from the first element of their segment, not of the range. Only with CLSORT_SEGMENTS. */
    CLSORT_INDEX_IN_SEGMENT = 1u << 6
};

/* A run of elements in a buffer; offset counts elements (keys, values or indices) from the buffer's start. A buffer has
   to be aligned to its element and no more. */
typedef struct clsort_range {
    cl_mem buffer;
    uint64_t offset;
} clsort_range;

/* Device memory for the use of one call: bytes from byte offset of buffer on. The offset is a multiple of
   CLSORT_WORKSPACE_ALIGNMENT. A NULL buffer: the sorter's own pool is used. */
typedef struct clsort_workspace {
    cl_mem buffer;
    uint64_t offset;
    uint64_t bytes;
} clsort_workspace;

#define CLSORT_WORKSPACE_ALIGNMENT 256

/*
 * What to sort. Set up with clsort_request_init(), which also sets size, then fill in what is not 0.
 *
 * The result is the same on every device: pairs and argsort are stable in both directions (unless CLSORT_UNSTABLE);
 * keys alone that are equal but differ in bits are ordered by bits (-0 before +0; NaNs after +inf).
 *
 * Input and output may be the same range (in place; for argsort too, with keys_out == keys_in). Any other overlap of
 * ranges that are written is refused. Out of place, the input is not changed and may be read-only.
 */
typedef struct clsort_request {
    size_t size;
    clsort_operation operation;
    clsort_key_type key_type;
    uint64_t count;          /* elements; 0 is allowed */
    clsort_range keys_in;    /* count keys */
    clsort_range keys_out;   /* count keys; argsort: buffer may be NULL */
    clsort_range values_in;  /* pairs: count values */
    clsort_range values_out; /* pairs: count values; argsort: count indices */
    uint64_t value_bytes;    /* pairs: size of a value, 1 to 65536 */
    uint32_t index_bytes;    /* argsort: 4 (or 0) or 8 */
    uint32_t flags;          /* CLSORT_DESCENDING | ... */
    uint32_t begin_bit;    /* with CLSORT_BIT_RANGE: compares bits [begin_bit, end_bit) of the key's rank, that is of */
    uint32_t end_bit;      /* the unsigned integer whose order is the key's (sign bit flipped and so on) */
    const char *algorithm; /* a name from clsort_algorithm_name(); NULL: the library chooses */
    clsort_workspace workspace;
    /*
     * With CLSORT_SEGMENTS, in one of two ways; all of these are 0 otherwise. Offsets count elements from the first one of
     * keys_in, and of the other ranges alike. Elements that belong to no segment are left as they are, in the outputs too.
     *
     * By offsets: segment i is [begins[i], ends[i]). Offsets above count are taken as count, and a segment whose end is not
     * above its begin is empty. Segments may come in any order, but must not overlap: where they do, what they hold
     * afterwards is not specified.
     */
    uint64_t segment_count;        /* at most 2^32 - 1 */
    clsort_range segment_begins;   /* segment_count offsets, and one more without segment_ends */
    clsort_range segment_ends;     /* segment_count offsets; buffer NULL: segment i ends at begins[i + 1] */
    uint32_t segment_offset_bytes; /* 4 (or 0) or 8 */
    /* By a length: segment i begins at i * segment_stride. count is a multiple of the stride, or ends with the last segment. */
    uint64_t segment_length; /* 0: by offsets */
    uint64_t segment_stride; /* at least segment_length; 0: as that */
    /* A promise that no segment is longer, which saves launches; 0: none. Segments that break it may be copied, not sorted. */
    uint64_t max_segment_length;
} clsort_request;

/* Fills a request with defaults. request may not be NULL. */
CLSORT_API void clsort_request_init(clsort_request *request);

/* The range that starts at element offset of buffer. */
static inline clsort_range clsort_make_range(cl_mem buffer, uint64_t offset)
{
    clsort_range range;
    range.buffer = buffer;
    range.offset = offset;
    return range;
}

/* ----------------------------------------------------------------------------------------------------- sorters */

/*
 * A sorter belongs to one context and one device of it: it holds compiled programs, the device's limits and tuning, and a
 * pool of workspace. It is thread-safe: any number of threads and queues of its context may use it at once. Nothing in the
 * library is global, so sorters may be destroyed in any order and at any time, or never.
 */
typedef struct clsort_sorter clsort_sorter;

enum {
    /* Neither reads nor writes compiled programs on disk. */
    CLSORT_NO_DISK_CACHE = 1u << 0,
    /* Uses the kernels with 64-bit positions, which counts above 2^31 need, for every count. For tests. */
    CLSORT_FORCE_64_BIT_INDEX = 1u << 1,
    /* Reads no file of tuning rows. */
    CLSORT_NO_TUNING_FILE = 1u << 2,
    /* Uses the last built-in tuning row, which is legal on every device and slow on most, and reads no file of rows. */
    CLSORT_SAFE_TUNING = 1u << 3
};

/* Options of a sorter; set up with clsort_options_init(). Texts are copied. Every field may stay 0 or NULL. */
typedef struct clsort_options {
    size_t size;
    uint32_t flags;
    /* Else $CLSORT_CACHE_DIR, else the user's cache directory and /clsort. Not used if it belongs to another user, or if others may
       write to it: log is told. A program with more rights than its user (setuid) reads no variable of the environment. */
    const char *cache_directory;
    const char *tuning; /* "name=value,..." laid over every row, else $CLSORT_TUNING */
    /* Rows that are looked up before the built-in ones. Else $CLSORT_TUNING_FILE, else clsort/tuning in the user's folder
       of settings ($XDG_CONFIG_HOME, else ~/.config), which is ignored if it cannot be used: log is told, and
       CLSORT_INFO_TUNING_FILE_FAULT tells why. The one given here has to be good: INVALID_TUNING. */
    const char *tuning_file;
    const char *build_options; /* passed on to the device's compiler, behind the library's own */
    /* Called with one line of text for what a person might want to know (a cache entry that was not usable, say). */
    void (*log)(void *user_data, const char *text);
    /* Called for each command right after it is enqueued, with its phase ("radix/scatter"); retain the event to keep it.
       With a profiling queue this gives the time of each phase. */
    void (*command)(void *user_data, const char *phase, cl_event event);
    void *user_data;
} clsort_options;

/* Fills options with defaults. options may not be NULL. */
CLSORT_API void clsort_options_init(clsort_options *options);

/*
 * Makes a sorter for a device of a context; both are retained. options may be NULL. Compiles nothing yet.
 * Errors: INVALID_ARGUMENT, INVALID_OPTIONS, INVALID_TUNING, DEVICE_UNSUITABLE, OpenCL's; the text by
 * clsort_last_error(NULL, ...).
 */
CLSORT_API clsort_status clsort_create(cl_context context, cl_device_id device, const clsort_options *options,
                                       clsort_sorter **sorter);

/*
 * Picks a device, makes a context for it and a sorter in that. spec says which device, as $CLSORT_DEVICE does when spec is
 * NULL or empty; with neither, a GPU is taken before an accelerator before a CPU. A spec is a list of terms with commas
 * between, all of which have to hold; case does not matter:
 *   gpu, cpu, accelerator   the type;
 *   a number                the index in clsort_list_devices();
 *   any other text          a part of the device's, its vendor's or its platform's name.
 * Errors: NO_PLATFORM, NO_DEVICE, and those of clsort_create().
 */
CLSORT_API clsort_status clsort_create_default(const char *spec, const clsort_options *options, clsort_sorter **sorter);

/* Gives up the sorter; commands that are enqueued still finish. NULL is fine. */
CLSORT_API void clsort_destroy(clsort_sorter *sorter);

/* Context and device of a sorter, not retained for the caller. NULL if sorter is NULL. */
CLSORT_API cl_context clsort_sorter_context(const clsort_sorter *sorter);
CLSORT_API cl_device_id clsort_sorter_device(const clsort_sorter *sorter);

/*
 * Enqueues the sort. Never blocks on the queue and never flushes it; compiles what was not prepared, which takes time. queue may be in order or out of order. The events of the wait list are waited for as with every clEnqueue...; event
 * (may be NULL) receives an event of the whole sort, which ends in an error, with nothing run, if one of the wait list did.
 * count 0 waits and gives an event all the same; on an out-of-order queue with no wait list it waits for the commands before.
 * request may be changed or freed after the call.
 * Errors: one of its own per field, OpenCL's. After a failure half-way there is no event, the content of outputs is
 * undefined, an input that is no output is intact, and the sorter is usable.
 */
CLSORT_API clsort_status clsort_enqueue(clsort_sorter *sorter, cl_command_queue queue, const clsort_request *request,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event);

/*
 * Sorts host memory and returns when that is done: uploads, sorts and downloads, so it is meant for convenience. request is
 * one for clsort_enqueue() whose ranges and workspace are NULL; the arrays take their places (keys_out may be keys_in;
 * arrays the operation does not use are NULL). Offsets of segments stay in device memory of the sorter's context. sorter may be
 * NULL: one is made by clsort_create_default() for this call.
 */
CLSORT_API clsort_status clsort_sort_host(clsort_sorter *sorter, const clsort_request *request, const void *keys_in,
                                          void *keys_out, const void *values_in, void *values_out);

/*
 * Copies the text of the sorter's most recent failed call into text (at most bytes, with a final 0): the field or the
 * OpenCL call at fault, the status, and the compiler's log if there is one. Returns the bytes the whole text needs. With
 * sorter NULL: the text of this thread's most recent failed call that had no sorter.
 */
CLSORT_API size_t clsort_last_error(clsort_sorter *sorter, char *text, size_t bytes);

/* --------------------------------------------------------------------------------------------- everything else */

/*
 * Compiles all that a request of this kind with any count from 0 to request->count needs, so that no later enqueue of it
 * compiles anything, and stores the compiled programs on disk. Buffers of the request are not looked at and may be NULL.
 * Blocks; uses a queue of its own.
 */
CLSORT_API clsort_status clsort_prepare(clsort_sorter *sorter, const clsort_request *request);

/*
 * Workspace of a request in bytes, for clsort_workspace or to know what the pool will hold: with less than least the request
 * is refused; with best or more it is as fast as it can be. Both never fall when count grows. Of the buffers only whether
 * they are NULL or the same is looked at: with all NULL the answer holds for every choice of them. least and best may be NULL.
 */
CLSORT_API clsort_status clsort_workspace_bytes(clsort_sorter *sorter, const clsort_request *request, uint64_t *least,
                                                uint64_t *best);

/* Frees the sorter's pool. What commands still use of it the OpenCL runtime keeps until they are complete. */
CLSORT_API clsort_status clsort_trim(clsort_sorter *sorter);

typedef enum clsort_info {
    /* Of the sorter (request NULL or not): */
    CLSORT_INFO_DEVICE_NAME = 1,        /* text */
    CLSORT_INFO_DEVICE_VENDOR = 2,      /* text */
    CLSORT_INFO_PLATFORM_NAME = 3,      /* text */
    CLSORT_INFO_DRIVER_VERSION = 4,     /* text */
    CLSORT_INFO_CACHE_DIRECTORY = 5,    /* text; empty: no disk cache */
    CLSORT_INFO_PROGRAMS_COMPILED = 6,  /* uint64_t: programs compiled from source so far */
    CLSORT_INFO_PROGRAMS_LOADED = 7,    /* uint64_t: programs loaded from disk so far */
    CLSORT_INFO_KERNEL_RUNS = 8,        /* text: a line "algorithm/kernel count" for each kernel enqueued so far */
    CLSORT_INFO_POOL_BYTES = 9,         /* uint64_t: device memory held by the pool */
    CLSORT_INFO_TUNING_FILE = 10,       /* text: where the file of tuning rows is, or would be; empty: nowhere */
    CLSORT_INFO_TUNING_FILE_FAULT = 11, /* text: why it is not used; empty: it is, or there is none */
    /* Of a request: */
    CLSORT_INFO_ALGORITHM = 100,       /* text */
    CLSORT_INFO_TUNING = 101,          /* text "name=value,..." as used for this request */
    CLSORT_INFO_TUNING_SOURCE = 102,   /* text: which row, and whether built in, of a file or an override */
    CLSORT_INFO_WORKSPACE_LEAST = 103, /* uint64_t, bytes */
    CLSORT_INFO_WORKSPACE_BEST = 104,  /* uint64_t, bytes */
    CLSORT_INFO_TUNING_ROW = 105, /* text as CLSORT_INFO_TUNING, before it is scaled to the key: as rows are written */
    CLSORT_INFO_TUNING_PASSED = 106, /* text: a line for each row passed over, as it is not legal here, and why */
    CLSORT_INFO_END = 0x7fffffff
} clsort_info;

/*
 * Answers a query as clGetDeviceInfo() does: value (may be NULL) of value_bytes bytes receives the answer, texts with a final
 * 0; value_bytes_needed (may be NULL) the size of it. request may be NULL for facts of the sorter; its buffers are not used.
 */
CLSORT_API clsort_status clsort_get_info(clsort_sorter *sorter, const clsort_request *request, clsort_info info,
                                         size_t value_bytes, void *value, size_t *value_bytes_needed);

/* Name of algorithm number i, in the order in which they are tried; NULL from the last on. */
CLSORT_API const char *clsort_algorithm_name(size_t i);

/* A device as clsort_list_devices() gives it. Names that do not fit are cut. */
typedef struct clsort_device_info {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type;
    char name[128];
    char vendor[64];
    char platform_name[64];
    char driver_version[64];
    uint64_t global_memory_bytes;
    uint64_t local_memory_bytes;
    uint32_t compute_units;
    uint32_t work_group_limit;
    int chosen; /* 1 for the one that the spec picks, else 0 */
} clsort_device_info;

/*
 * Lists the devices of all platforms into devices (room for capacity; may be NULL if that is 0), platforms without a device
 * skipped, and says which one spec picks as in clsort_create_default(). count receives how many there are.
 * Errors: NO_PLATFORM, NO_DEVICE (spec fits none: the list is filled all the same).
 */
CLSORT_API clsort_status clsort_list_devices(const char *spec, size_t capacity, clsort_device_info *devices,
                                             size_t *count);

/* Removes all compiled programs from the cache directory that options (or NULL) name. */
CLSORT_API clsort_status clsort_clear_cache(const clsort_options *options);

#ifdef __cplusplus
}
#endif

#endif
