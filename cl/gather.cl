// Kernels that move values by an index, and make indices. VALUE_BYTES is the unit that values are moved in.

// values_out[i] = values_in[index[i]], each of value_units units; nothing where index[i] is no position.
KERNEL void gather(global const value_t *values_in, const ulong values_in_offset, global value_t *values_out,
                   const ulong values_out_offset, global const index_t *index, const ulong index_offset,
                   const index_t count, const uint value_units)
{
    values_in += values_in_offset;
    values_out += values_out_offset;
    index += index_offset;
    for (index_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        const index_t from = index[i];
        for (uint unit = 0; unit < value_units && from < count; unit++) {
            values_out[(ulong)i * value_units + unit] = values_in[(ulong)from * value_units + unit];
        }
    }
}

// index[i] = i
KERNEL void fill_index(global index_t *index, const ulong index_offset, const index_t count)
{
    for (index_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        index[index_offset + i] = i;
    }
}

// index[i] = no position
KERNEL void clear_index(global index_t *index, const ulong index_offset, const index_t count)
{
    for (index_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        index[index_offset + i] = (index_t)-1;
    }
}

// narrow[i] = index[i], in 4 bytes; nothing where index[i] is no position.
KERNEL void narrow_index(global const index_t *index, const ulong index_offset, global uint *narrow,
                         const ulong narrow_offset, const index_t count)
{
    for (index_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        const index_t from = index[index_offset + i];
        if (from < count) {
            narrow[narrow_offset + i] = (uint)from;
        }
    }
}
