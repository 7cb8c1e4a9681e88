/* Table of key orders, made from the public list of key types. */
#include "order.h"

struct key_order order_of(clsort_key_type key_type, int descending)
{
    struct key_order order = {KEY_UNSIGNED, 0, 0, 0, 0, 0};
    switch (key_type) {
#define ORDER_CASE(name, text, number, size, kind_name, infinity_bits)                                                 \
    case CLSORT_##name:                                                                                                \
        order.kind = KEY_##kind_name;                                                                                  \
        order.bytes = (size);                                                                                          \
        order.infinity = (infinity_bits);                                                                              \
        break;
        CLSORT_KEY_TYPE_TABLE(ORDER_CASE)
#undef ORDER_CASE
    default:
        return order;
    }
    order.mask = ~(uint64_t)0 >> (64 - 8 * order.bytes);
    order.top = order.mask ^ (order.mask >> 1);
    order.flip = descending ? order.mask : 0;
    return order;
}
