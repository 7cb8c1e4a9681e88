/* tune_model.c: what the library would do with values of tuning parameters, asked of it without sorting. */
#include "tune_model.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

static clsort_status make_sorter(const struct tune_model *model, const char *tuning, uint32_t flags,
                                 clsort_sorter **sorter)
{
    clsort_options options;
    clsort_options_init(&options);
    options.tuning = tuning;
    options.cache_directory = model->cache;
    options.flags = flags | CLSORT_NO_TUNING_FILE;
    return clsort_create(model->context, model->device, &options, sorter);
}

bool tune_model_open(struct tune_model *model, const clsort_device_info *device, const char *cache)
{
    cl_int error = CL_SUCCESS;
    clsort_sorter *sorter = NULL;
    memset(model, 0, sizeof *model);
    model->device = device->device;
    model->type = device->type;
    model->global_bytes = device->global_memory_bytes;
    model->cache = cache;
    model->context = clCreateContext(NULL, 1, &model->device, NULL, NULL, &error);
    if (error != CL_SUCCESS) {
        report_error("clCreateContext: %s", clsort_status_text(error));
        return false;
    }
    clsort_status status = make_sorter(model, NULL, 0, &sorter);
    if (status != CLSORT_SUCCESS) {
        report_library_error(NULL, status);
        return false;
    }
    /* Whole, unlike those of the list. */
    clsort_get_info(sorter, NULL, CLSORT_INFO_DEVICE_NAME, sizeof model->name, model->name, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_DEVICE_VENDOR, sizeof model->vendor, model->vendor, NULL);
    clsort_get_info(sorter, NULL, CLSORT_INFO_DRIVER_VERSION, sizeof model->driver, model->driver, NULL);
    clsort_destroy(sorter);
    return true;
}

void tune_model_close(struct tune_model *model)
{
    if (model->context != NULL)
        clReleaseContext(model->context);
    model->context = NULL;
}

static void make_request(const struct key_info *info, uint32_t value_bytes, uint64_t count, clsort_request *request)
{
    clsort_request_init(request);
    request->operation = value_bytes > 0 ? CLSORT_PAIRS : CLSORT_KEYS;
    request->key_type = info->type;
    request->value_bytes = value_bytes;
    request->count = count;
    /* Buffers are not looked at but for whether they are the same. */
    request->keys_out.offset = count;
    request->values_out.offset = count;
}

bool tune_model_row(const struct tune_model *model, const struct key_info *info, uint32_t value_bytes, bool is_safe,
                    struct tune_values *values)
{
    clsort_sorter *sorter = NULL;
    clsort_request request;
    char text[TUNE_TEXT_LIMIT];
    /* A blank hides overrides of the environment: they are no part of a row. */
    clsort_status status = make_sorter(model, " ", is_safe ? CLSORT_SAFE_TUNING : 0, &sorter);
    if (status != CLSORT_SUCCESS) {
        report_library_error(NULL, status);
        return false;
    }
    make_request(info, value_bytes, 1, &request);
    status = clsort_get_info(sorter, &request, CLSORT_INFO_TUNING_ROW, sizeof text, text, NULL);
    if (status != CLSORT_SUCCESS)
        report_library_error(sorter, status);
    clsort_destroy(sorter);
    return status == CLSORT_SUCCESS && tune_values_read(text, values);
}

clsort_sorter *tune_model_sorter(const struct tune_model *model, const struct tune_values *values)
{
    clsort_sorter *sorter = NULL;
    char text[TUNE_TEXT_LIMIT];
    tune_values_print(values, text);
    return make_sorter(model, text, 0, &sorter) == CLSORT_SUCCESS ? sorter : NULL;
}

void tune_model_choice(clsort_sorter *sorter, const struct key_info *info, uint32_t value_bytes, uint64_t count,
                       char name[32])
{
    clsort_request request;
    make_request(info, value_bytes, count, &request);
    name[0] = 0;
    if (sorter == NULL || clsort_get_info(sorter, &request, CLSORT_INFO_ALGORITHM, 32, name, NULL) != CLSORT_SUCCESS)
        name[0] = 0;
}

bool tune_model_is_legal(const struct tune_model *model, const struct key_info *info, uint32_t value_bytes,
                         const struct tune_values *values)
{
    char name[32];
    clsort_sorter *sorter = tune_model_sorter(model, values);
    tune_model_choice(sorter, info, value_bytes, 1, name);
    clsort_destroy(sorter);
    return name[0] != 0;
}
