/* tune_check.c: data of a trial, and the result it has to have, worked out by a host sort. */
#include "tune_check.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void store_value(const struct tune_check *check, void *values, uint64_t i, uint64_t position)
{
    unsigned char *value = (unsigned char *)values + i * check->value_bytes;
    memset(value, 0, check->value_bytes);
    /* The low bytes of a position: enough to tell equal keys apart. */
    for (uint32_t byte = 0; byte < check->value_bytes && byte < sizeof position; byte++)
        value[byte] = (unsigned char)(position >> 8 * byte);
}

static void fill(struct tune_check *check, uint64_t count)
{
    uint64_t state = 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = next_random(&state);
        /* Of keys this wide hardly any two would be equal. */
        if (i % 64 == 63)
            key = key_load(check->info, check->keys, i - 63 + key % 63);
        key_store(check->info, check->keys, i, key);
        if (check->value_bytes > 0)
            store_value(check, check->values, i, i);
    }
}

bool tune_check_make(struct tune_check *check, const struct key_info *info, clsort_operation operation,
                     uint32_t value_bytes, uint64_t count)
{
    size_t key_bytes = (size_t)count * info->n_bytes, values_bytes = (size_t)count * value_bytes;
    *check = (struct tune_check){.info = info, .operation = operation, .value_bytes = value_bytes};
    void **arrays[] = {&check->keys,   &check->keys_out,   &check->expected_keys,
                       &check->values, &check->values_out, &check->expected_values};
    bool is_good = true;
    for (int i = 0; i < 6; i++) {
        size_t n_bytes = i < 3 ? key_bytes : values_bytes;
        *arrays[i] = malloc(n_bytes > 0 ? n_bytes : 1);
        is_good = is_good && *arrays[i] != NULL;
    }
    for (int i = 0; i < 4; i++) {
        check->scratch[i] = malloc((size_t)count * sizeof *check->scratch[i]);
        is_good = is_good && check->scratch[i] != NULL;
    }
    if (is_good)
        fill(check, count);
    return is_good;
}

void tune_check_release(struct tune_check *check)
{
    free(check->keys);
    free(check->keys_out);
    free(check->expected_keys);
    free(check->values);
    free(check->values_out);
    free(check->expected_values);
    for (int i = 0; i < 4; i++)
        free(check->scratch[i]);
}

/* A stable sort of n keys and positions, byte by byte from the lowest on; with all bytes done the pointers are swapped. */
static void sort_on_host(const struct tune_check *check, uint64_t n, uint64_t *arrays[4])
{
    for (unsigned byte = 0; byte < check->info->n_bytes; byte++) {
        uint64_t places[257] = {0};
        for (uint64_t i = 0; i < n; i++)
            places[(arrays[0][i] >> 8 * byte & 0xff) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            places[digit + 1] += places[digit];
        for (uint64_t i = 0; i < n; i++) {
            uint64_t place = places[arrays[0][i] >> 8 * byte & 0xff]++;
            arrays[2][place] = arrays[0][i];
            arrays[3][place] = arrays[1][i];
        }
        for (int i = 0; i < 2; i++) {
            uint64_t *array = arrays[i];
            arrays[i] = arrays[i + 2];
            arrays[i + 2] = array;
        }
    }
}

void tune_check_expect(struct tune_check *check, uint64_t count, uint64_t segment_length)
{
    uint64_t step = segment_length > 0 ? segment_length : count;
    for (uint64_t begin = 0; begin < count; begin += step) {
        uint64_t n = count - begin < step ? count - begin : step;
        uint64_t *arrays[4];
        memcpy(arrays, check->scratch, sizeof arrays);
        for (uint64_t i = 0; i < n; i++) {
            arrays[0][i] = key_load(check->info, check->keys, begin + i);
            arrays[1][i] = begin + i;
        }
        sort_on_host(check, n, arrays);
        for (uint64_t i = 0; i < n; i++) {
            key_store(check->info, check->expected_keys, begin + i, arrays[0][i]);
            if (check->value_bytes > 0)
                store_value(check, check->expected_values, begin + i, arrays[1][i]);
        }
    }
    /* What is not written must not pass by being there from before. */
    memset(check->keys_out, 0xa5, (size_t)count * check->info->n_bytes);
    memset(check->values_out, 0xa5, (size_t)count * check->value_bytes);
}

bool tune_check_is_right(const struct tune_check *check, uint64_t count)
{
    size_t key_bytes = (size_t)count * check->info->n_bytes, value_bytes = (size_t)count * check->value_bytes;
    if (check->operation != CLSORT_ARGSORT && memcmp(check->keys_out, check->expected_keys, key_bytes) != 0)
        return false;
    return check->operation == CLSORT_KEYS || memcmp(check->values_out, check->expected_values, value_bytes) == 0;
}
