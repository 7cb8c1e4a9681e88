// Radix sort of a small array by one work-item in one launch; stable.

// x has room for all elements. Keys that are not to be written go to y.
KERNEL void sort(global const key_t *keys_in, const ulong keys_in_offset, global key_t *keys_out,
                 const ulong keys_out_offset, global const value_t *values_in, const ulong values_in_offset,
                 global value_t *values_out, const ulong values_out_offset, global key_t *x_keys,
                 const ulong x_keys_offset, global value_t *x_values, const ulong x_values_offset, global key_t *y_keys,
                 const ulong y_keys_offset, global index_t *counters, const ulong counters_offset, const index_t count,
                 ORDER_PARAMETERS, const uint begin_bit, const uint end_bit, const uint generate_index,
                 const uint write_keys)
{
    struct comparison comparison;
    make_comparison(&comparison, begin_bit, end_bit, ORDER);
    const struct elements x = {x_keys + x_keys_offset, x_values + x_values_offset};
    const struct elements out = {write_keys ? keys_out + keys_out_offset : y_keys + y_keys_offset,
                                 values_out + values_out_offset};
    if (count > 0) {
        sort_array(keys_in + keys_in_offset, values_in + values_in_offset, out, x, count, counters + counters_offset,
                   generate_index, 0, write_keys, comparison, ORDER);
    }
}
