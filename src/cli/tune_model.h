/* tune_model.h: what the library would do with values of tuning parameters, asked of it without sorting. */
#ifndef CLI_TUNE_MODEL_H
#define CLI_TUNE_MODEL_H

#include "key.h"
#include "tune_values.h"

struct tune_model {
    cl_context context;
    cl_device_id device;
    cl_device_type type;
    const char *cache;
    char name[256], vendor[256], driver[256];
    uint64_t global_bytes;
};

bool tune_model_open(struct tune_model *model, const clsort_device_info *device, const char *cache);
void tune_model_close(struct tune_model *model);

/* The row that serves keys with values of that size; is_safe: the last built-in one. The user's file is left out. */
bool tune_model_row(const struct tune_model *model, const struct key_info *info, uint32_t value_bytes, bool is_safe,
                    struct tune_values *values);

/* A sorter with these values; NULL if they are not legal. */
clsort_sorter *tune_model_sorter(const struct tune_model *model, const struct tune_values *values);

/* The algorithm that the library takes for so many keys, out of place; "" if the values are not legal for them. */
void tune_model_choice(clsort_sorter *sorter, const struct key_info *info, uint32_t value_bytes, uint64_t count,
                       char name[32]);

/* Whether the values are legal for keys and values of that size. */
bool tune_model_is_legal(const struct tune_model *model, const struct key_info *info, uint32_t value_bytes,
                         const struct tune_values *values);

#endif
