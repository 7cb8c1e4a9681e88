/* What the items of the lists on the command line stand for. */
#include "items.h"
#include "data.h"
#include "segments.h"
#include <string.h>

int item_plain_number(const char **p, uint64_t *number)
{
    const char *begin = *p;
    *number = 0;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        uint64_t digit = (uint64_t)(**p - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return 0;
        *number = *number * 10 + digit;
    }
    return *p != begin;
}

int item_count_number(const char **p, uint64_t *number)
{
    uint64_t exponent, more;
    if (strncmp(*p, "2^", 2) != 0)
        return item_plain_number(p, number);
    *p += 2;
    if (!item_plain_number(p, &exponent) || exponent > 63)
        return 0;
    *number = (uint64_t)1 << exponent;
    if (**p != '+' && **p != '-')
        return 1;
    int minus = *(*p)++ == '-';
    if (!item_plain_number(p, &more) || (minus ? more > *number : more > UINT64_MAX - *number))
        return 0;
    *number = minus ? *number - more : *number + more;
    return 1;
}

int item_operation(const char *item, uint64_t *number)
{
    static const char *const names[] = {"", "keys", "pairs", "argsort"};
    static const char segmented[] = "segmented_";
    uint64_t of_segments = strncmp(item, segmented, sizeof segmented - 1) ? 0 : ITEM_SEGMENTED;
    for (unsigned i = CLSORT_KEYS; i <= CLSORT_ARGSORT; i++) {
        *number = i | of_segments;
        if (!strcmp(of_segments ? item + sizeof segmented - 1 : item, names[i]))
            return 1;
    }
    return 0;
}

int item_key(const char *item, uint64_t *number)
{
    *number = (uint64_t)clsort_key_type_from_name(item);
    return *number != 0;
}

int item_value(const char *item, uint64_t *number)
{
    *number = !strcmp(item, "u32") ? 4 : !strcmp(item, "u64") ? 8 : 0;
    return *number || (item_plain_number(&item, number) && !*item && *number >= 1 && *number <= 65536);
}

int item_order(const char *item, uint64_t *number)
{
    *number = !strcmp(item, "desc");
    return *number || !strcmp(item, "asc");
}

/* A shape whose name is the first characters of item. */
static int find_shape(const char *item, size_t length, uint64_t *number)
{
    for (*number = 0; *number < DATA_SHAPES; ++*number) {
        const char *name = data_shape_name((enum data_shape) * number);
        if (strlen(name) == length && !strncmp(item, name, length))
            return 1;
    }
    return 0;
}

int item_shape(const char *item, uint64_t *number)
{
    struct segment_shape segments;
    const char *slash = strchr(item, '/');
    if (segments_read(slash ? slash + 1 : item, &segments)) {
        int found = !slash || find_shape(item, (size_t)(slash - item), number);
        *number = ITEM_SEGMENTED | (slash ? *number : DATA_UNIFORM);
        return found;
    }
    return !slash && find_shape(item, strlen(item), number);
}

int item_algorithm(const char *item, uint64_t *number)
{
    const char *name;
    *number = 0;
    if (!strcmp(item, "auto"))
        return 1;
    for (size_t i = 0; (name = clsort_algorithm_name(i)) != NULL; i++)
        if (!strcmp(item, name))
            *number = i + 1;
    return *number != 0;
}

int item_flag(const char *item, uint64_t *number)
{
    *number = !strcmp(item, "unstable") ? CLSORT_UNSTABLE : !strcmp(item, "low_memory") ? CLSORT_LOW_MEMORY : 0;
    return *number != 0;
}
