/* An OpenCL of nothing but objects and their facts. Parameters that the library never passes are not looked at. */
#include "stub_opencl.h"

#include "fuzz.h"

/* One type for all objects; the headers leave each open. */
struct object {
    unsigned n_references;
    struct object *context, *parent; /* parent: of a sub-buffer */
    cl_mem_flags flags;
    cl_command_queue_properties properties;
    size_t bytes, offset;
};

static struct object device = {.n_references = 1}, platform = {.n_references = 1};
static unsigned long n_commands;
static long n_objects;

cl_device_id stub_device(void)
{
    return (cl_device_id)&device;
}

unsigned long stub_commands(void)
{
    return n_commands;
}

long stub_objects(void)
{
    return n_objects;
}

static void *make(void *context, cl_int *error)
{
    struct object *object = calloc(1, sizeof *object);
    FUZZ_CHECK(object);
    object->n_references = 1;
    object->context = context;
    n_objects++;
    if (error) {
        *error = CL_SUCCESS;
    }
    return object;
}

static cl_int retain(void *object)
{
    ((struct object *)object)->n_references++;
    return CL_SUCCESS;
}

static cl_int release(void *object)
{
    struct object *o = object;
    FUZZ_CHECK(o->n_references > 0);
    if (--o->n_references == 0) {
        n_objects--;
        free(o);
    }
    return CL_SUCCESS;
}

#define RETAIN_AND_RELEASE(Name, type)                                                                                 \
    cl_int CL_API_CALL clRetain##Name(type object)                                                                     \
    {                                                                                                                  \
        return retain(object);                                                                                         \
    }                                                                                                                  \
    cl_int CL_API_CALL clRelease##Name(type object)                                                                    \
    {                                                                                                                  \
        return release(object);                                                                                        \
    }
RETAIN_AND_RELEASE(Context, cl_context)
RETAIN_AND_RELEASE(Device, cl_device_id)
RETAIN_AND_RELEASE(CommandQueue, cl_command_queue)
RETAIN_AND_RELEASE(MemObject, cl_mem)
RETAIN_AND_RELEASE(Program, cl_program)
RETAIN_AND_RELEASE(Kernel, cl_kernel)
RETAIN_AND_RELEASE(Event, cl_event)

/* ---------------------------------------------------------------------------------------------------------- facts */

/* Answers a query with so many bytes. */
static cl_int give(const void *answer, size_t answer_bytes, size_t bytes, void *value, size_t *needed)
{
    if (needed) {
        *needed = answer_bytes;
    }
    if (value) {
        FUZZ_CHECK(bytes >= answer_bytes);
        memcpy(value, answer, answer_bytes);
    }
    return CL_SUCCESS;
}

#define GIVE(type, number) return give(&(type){number}, sizeof(type), bytes, value, needed)

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *n)
{
    if (room > 0) {
        platforms[0] = (cl_platform_id)&platform;
    }
    if (n) {
        *n = 1;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of, cl_platform_info name, size_t bytes, void *value,
                                     size_t *needed)
{
    (void)of;
    (void)name;
    return give("stub", 5, bytes, value, needed);
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *devices,
                                  cl_uint *n)
{
    (void)of;
    (void)type;
    if (room > 0) {
        devices[0] = stub_device();
    }
    if (n) {
        *n = 1;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id of, cl_device_info name, size_t bytes, void *value, size_t *needed)
{
    static const size_t item_sizes[3] = {256, 256, 256};
    (void)of;
    switch (name) {
    case CL_DEVICE_TYPE:
        GIVE(cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_PLATFORM:
        GIVE(cl_platform_id, (cl_platform_id)&platform);
    case CL_DEVICE_COMPILER_AVAILABLE:
        GIVE(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        GIVE(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return give(item_sizes, sizeof item_sizes, bytes, value, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        GIVE(size_t, 256);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        GIVE(cl_uint, 4);
    case CL_DEVICE_ADDRESS_BITS:
        GIVE(cl_uint, 64);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        GIVE(cl_ulong, 32768);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        GIVE(cl_ulong, (cl_ulong)1 << 33);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        GIVE(cl_ulong, (cl_ulong)1 << 31);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        GIVE(cl_ulong, 1 << 20);
    default:
        return give("stub", 5, bytes, value, needed);
    }
}

cl_int CL_API_CALL clGetContextInfo(cl_context of, cl_context_info name, size_t bytes, void *value, size_t *needed)
{
    (void)of;
    if (name == CL_CONTEXT_NUM_DEVICES) {
        GIVE(cl_uint, 1);
    }
    GIVE(cl_device_id, stub_device());
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue of, cl_command_queue_info name, size_t bytes, void *value,
                                         size_t *needed)
{
    const struct object *o = (const struct object *)of;
    switch (name) {
    case CL_QUEUE_CONTEXT:
        GIVE(void *, o->context);
    case CL_QUEUE_DEVICE:
        GIVE(cl_device_id, stub_device());
    case CL_QUEUE_REFERENCE_COUNT:
        GIVE(cl_uint, o->n_references);
    default:
        GIVE(cl_command_queue_properties, o->properties);
    }
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem of, cl_mem_info name, size_t bytes, void *value, size_t *needed)
{
    const struct object *o = (const struct object *)of;
    switch (name) {
    case CL_MEM_TYPE:
        GIVE(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        GIVE(cl_mem_flags, o->flags);
    case CL_MEM_SIZE:
        GIVE(size_t, o->bytes);
    case CL_MEM_CONTEXT:
        GIVE(void *, o->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        GIVE(void *, o->parent);
    default:
        GIVE(size_t, o->offset);
    }
}

cl_int CL_API_CALL clGetProgramInfo(cl_program of, cl_program_info name, size_t bytes, void *value, size_t *needed)
{
    (void)of;
    (void)name;
    (void)bytes;
    (void)value;
    (void)needed;
    return CL_INVALID_PROGRAM; /* nothing to store */
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program of, cl_device_id on, cl_program_build_info name, size_t bytes,
                                         void *value, size_t *needed)
{
    (void)of;
    (void)on;
    (void)name;
    return give("", 1, bytes, value, needed);
}

cl_int CL_API_CALL clGetEventInfo(cl_event of, cl_event_info name, size_t bytes, void *value, size_t *needed)
{
    (void)of;
    (void)name;
    GIVE(cl_int, CL_COMPLETE);
}

/* -------------------------------------------------------------------------------------------------------- objects */

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *data, cl_int *error)
{
    (void)properties;
    (void)n;
    (void)devices;
    (void)notify;
    (void)data;
    return make(NULL, error);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id on,
                                                  cl_command_queue_properties properties, cl_int *error)
{
    struct object *queue = make(context, error);
    (void)on;
    queue->properties = properties;
    return (cl_command_queue)queue;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *error)
{
    struct object *buffer = make(context, error);
    (void)host;
    buffer->flags = flags;
    buffer->bytes = bytes;
    return (cl_mem)buffer;
}

cl_mem stub_sub_buffer(cl_mem root, size_t offset, size_t bytes)
{
    struct object *parent = (struct object *)root;
    FUZZ_CHECK(offset <= parent->bytes && bytes <= parent->bytes - offset);
    struct object *part = make(parent->context, NULL);
    part->flags = parent->flags;
    part->bytes = bytes;
    part->offset = offset;
    part->parent = parent;
    return (cl_mem)part;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
                                                 const size_t *lengths, cl_int *error)
{
    (void)n;
    (void)texts;
    (void)lengths;
    return make(context, error);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                                 cl_int *error)
{
    (void)n;
    (void)devices;
    (void)lengths;
    (void)binaries;
    *status = CL_SUCCESS;
    return make(context, error);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    (void)program;
    (void)n;
    (void)devices;
    (void)options;
    (void)notify;
    (void)data;
    return CL_SUCCESS;
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    (void)program;
    (void)name;
    return make(NULL, error);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes, const void *value)
{
    (void)kernel;
    (void)number;
    FUZZ_CHECK(bytes > 0 && bytes <= 64);
    static unsigned char copy[64]; /* which a sanitizer sees being read */
    if (value) {
        memcpy(copy, value, bytes);
    }
    return CL_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------- commands */

static cl_int enqueue(cl_event *event)
{
    n_commands++;
    if (event) {
        *event = make(NULL, NULL);
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
                                          const cl_event *wait, cl_event *event)
{
    (void)queue;
    (void)kernel;
    (void)offset;
    (void)wait;
    FUZZ_CHECK((n > 0) == (wait != NULL));
    for (cl_uint i = 0; i < dimensions; i++) {
        FUZZ_CHECK(global[i] > 0 && local[i] > 0 && global[i] % local[i] == 0);
    }
    FUZZ_CHECK(local[0] <= 256);
    return enqueue(event);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t size, cl_uint n, const cl_event *wait, cl_event *event)
{
    const struct object *source = (const struct object *)from, *target = (const struct object *)to;
    (void)queue;
    FUZZ_CHECK((n > 0) == (wait != NULL));
    FUZZ_CHECK(size > 0 && from_offset <= source->bytes && size <= source->bytes - from_offset);
    FUZZ_CHECK(to_offset <= target->bytes && size <= target->bytes - to_offset);
    FUZZ_CHECK(!(target->flags & CL_MEM_READ_ONLY));
    return enqueue(event);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)queue;
    FUZZ_CHECK((n > 0) == (wait != NULL));
    return enqueue(event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)queue;
    (void)buffer;
    (void)blocking;
    (void)offset;
    (void)n;
    (void)wait;
    memset(to, 0, size);
    return enqueue(event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                        size_t size, const void *from, cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)queue;
    (void)buffer;
    (void)blocking;
    (void)offset;
    (void)size;
    (void)from;
    (void)n;
    (void)wait;
    return enqueue(event);
}

cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}
