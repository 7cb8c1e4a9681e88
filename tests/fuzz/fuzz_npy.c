/* The .npy reader of the command: what it accepts lies inside the file, whatever the header says. */
#include "fuzz.h"

#include "cli/key.h"
#include "cli/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = fuzz_copy(data, size);
    const struct input input = {.name = "fuzz", .bytes = bytes, .n_bytes = size};
    struct npy_array array;
    if (npy_read(&input, &array)) {
        FUZZ_CHECK(array.n_header_bytes <= size);
        const clsort_key_type type = npy_key_type(&input, &array);
        if (type != 0) {
            const struct key_info *info = key_info_of(type);
            FUZZ_CHECK(array.shape[0] * info->n_bytes == size - array.n_header_bytes);
            uint64_t sum = 0;
            for (uint64_t i = 0; i < array.shape[0]; i++) {
                sum += key_load(info, bytes + array.n_header_bytes, i);
            }
            FUZZ_CHECK(sum == 0 || array.shape[0] > 0);
        }
        uint64_t n_rows, row_bytes;
        if (npy_rows(&input, &array, &n_rows, &row_bytes) && n_rows > 0) {
            FUZZ_CHECK(row_bytes <= size && n_rows * row_bytes == size - array.n_header_bytes);
        }
    }
    free(bytes);
    return 0;
}
