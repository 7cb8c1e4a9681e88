/* Counts that need gigabytes of device memory: 2^28 keys of 4 bytes, and more keys than 32 bits can number. */
#include "support.h"

#include "data.h"

#include <stdlib.h>
#include <string.h>

/* A host copy of a device buffer comes in pieces of this size. */
enum { PIECE = 1 << 26 };

static bool device_holds(uint64_t buffer_bytes)
{
    cl_ulong largest = 0, memory = 0;
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    CHECK_CL(clGetDeviceInfo(test_device()->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    if (largest >= buffer_bytes && memory / 8 >= buffer_bytes) {
        return true;
    }
    print_exemption("counts that need gigabytes", "the device has too little memory");
    return false;
}

/* Sorts count random keys of one type in place and counts the bins of the upper byte before and after. */
static void check_large(clsort_key_type type, uint64_t count)
{
    struct device *device = test_device();
    size_t key_bytes = clsort_key_type_bytes(type);
    static uint64_t bins_before[256], bins_after[256];
    unsigned char *piece = allocate(PIECE);
    uint32_t state = 77;
    uint64_t sum_before = 0, sum_after = 0, last = 0;
    memset(bins_before, 0, sizeof bins_before);
    memset(bins_after, 0, sizeof bins_after);
    cl_mem buffer = make_buffer(device, CL_MEM_READ_WRITE, count * key_bytes, NULL);
    for (uint64_t done = 0; done < count;) {
        uint64_t n = count - done < PIECE / key_bytes ? count - done : PIECE / key_bytes;
        make_keys(type, (struct data){DATA_RANDOM, next_random(&state), 0}, n, piece);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = get_key(piece, type, i);
            bins_before[key >> (8 * key_bytes - 8)]++;
            sum_before += key * key;
        }
        CHECK_CL(clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE, done * key_bytes, n * key_bytes, piece, 0, NULL,
                                      NULL));
        done += n;
    }
    clsort_request request;
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = type;
    request.count = count;
    request.keys_in = request.keys_out = clsort_make_range(buffer, 0);
    CHECK_STATUS(device->sorter, CLSORT_SUCCESS,
                 clsort_enqueue(device->sorter, device->queue, &request, 0, NULL, NULL));
    for (uint64_t done = 0; done < count;) {
        uint64_t n = count - done < PIECE / key_bytes ? count - done : PIECE / key_bytes;
        CHECK_CL(
            clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, done * key_bytes, n * key_bytes, piece, 0, NULL, NULL));
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = get_key(piece, type, i);
            if (key < last) {
                ck_abort_msg("key %llu is less than the one before", (unsigned long long)(done + i));
            }
            last = key;
            bins_after[key >> (8 * key_bytes - 8)]++;
            sum_after += key * key;
        }
        done += n;
    }
    ck_assert(memcmp(bins_before, bins_after, sizeof bins_before) == 0);
    ck_assert_uint_eq(sum_after, sum_before);
    CHECK_CL(clReleaseMemObject(buffer));
    free(piece);
}

START_TEST(two_to_the_28_keys_are_sorted)
{
    if (device_holds(UINT64_C(4) << 28)) {
        check_large(CLSORT_U32, UINT64_C(1) << 28);
    }
}
END_TEST

/* Above 2^31 positions have 8 bytes. */
START_TEST(more_keys_than_signed_positions_are_sorted)
{
    if (device_holds((UINT64_C(1) << 31) + 5)) {
        check_large(CLSORT_U8, (UINT64_C(1) << 31) + 5);
    }
}
END_TEST

/* Counts at which positions, bytes or sums of them outgrow 32 bits in turn. */
START_TEST(the_largest_counts_are_sorted)
{
    static const struct {
        clsort_key_type type;
        uint64_t count, bytes;
    } cases[] = {{CLSORT_U32, UINT64_C(1) << 30, UINT64_C(4) << 30},
                 {CLSORT_U32, (UINT64_C(1) << 31) + 5, UINT64_C(8) << 30},
                 {CLSORT_U8, UINT64_C(1) << 33, UINT64_C(8) << 30}};
    if (!is_slow_run()) {
        print_exemption("2^30 to 2^33 keys", "the host takes minutes to make and read them: in the long run");
        return;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (device_holds(cases[i].bytes)) {
            check_large(cases[i].type, cases[i].count);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("large", two_to_the_28_keys_are_sorted, more_keys_than_signed_positions_are_sorted,
                     the_largest_counts_are_sorted);
}
