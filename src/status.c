/* Texts of statuses, the record of the first failure of a call, and how commands ended. */
#include "status.h"

#include "platform.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL 3.0 API specification, error codes; -1001 is of cl_khr_icd. */
static const struct {
    cl_int code;
    const char *text;
} opencl_codes[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *clsort_status_text(clsort_status status)
{
    switch (status) {
#define STATUS_CASE(name, number, text)                                                                                \
    case number:                                                                                                       \
        return text;
        CLSORT_STATUS_TABLE(STATUS_CASE)
#undef STATUS_CASE
    default:
        break;
    }
    for (size_t i = 0; i < sizeof opencl_codes / sizeof opencl_codes[0]; i++) {
        if (opencl_codes[i].code == status) {
            return opencl_codes[i].text;
        }
    }
    return "unknown status";
}

clsort_status clsort__fail(struct failure *failure, clsort_status status, const char *format, ...)
{
    if (failure->status != CLSORT_SUCCESS) {
        return failure->status;
    }
    failure->status = status;
    const char *status_text = clsort_status_text(status);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    const size_t bytes = (size_t)(length < 0 ? 0 : length) + strlen(status_text) + 32;
    failure->text = malloc(bytes);
    if (failure->text) {
        const int written = vsnprintf(failure->text, bytes, format, again);
        snprintf(failure->text + written, bytes - (size_t)written, " (%s, %d)", status_text, (int)status);
    }
    va_end(again);
    va_end(arguments);
    return status;
}

clsort_status clsort__check_cl(struct failure *failure, cl_int error, const char *call)
{
    return error == CL_SUCCESS ? CLSORT_SUCCESS : clsort__fail(failure, error, "%s failed", call);
}

void clsort__failure_clear(struct failure *failure)
{
    free(failure->text);
    failure->text = NULL;
    failure->status = CLSORT_SUCCESS;
}

void clsort__failure_move(struct failure *to, struct failure *from)
{
    clsort__failure_clear(to);
    *to = *from;
    from->text = NULL;
    from->status = CLSORT_SUCCESS;
}

/* A fixed array, so that nothing is left to free when the thread ends. */
static PLATFORM_THREAD_LOCAL char thread_text[4096];

void clsort__failure_keep_for_thread(struct failure *failure)
{
    snprintf(thread_text, sizeof thread_text, "%s",
             failure->text ? failure->text : clsort_status_text(failure->status));
}

const char *clsort__failure_text_of_thread(void)
{
    return thread_text;
}

int clsort__event_is_complete(cl_event event)
{
    cl_int execution = CL_QUEUED;
    const cl_int error = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    return error == CL_SUCCESS && execution <= CL_COMPLETE; /* below CL_COMPLETE: ended by an error */
}
