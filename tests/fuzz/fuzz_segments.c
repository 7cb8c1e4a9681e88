/* Files of segment offsets, in all formats: what is accepted never falls and stays within the count. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include "cli/segments.h"

#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("fuzz", 0);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct segment_offsets segments = {0};
    if (segments_read(path, COUNT, &segments)) {
        FUZZ_CHECK(segments.n_offsets > 0);
        for (uint64_t i = 0; i < segments.n_offsets; i++) {
            FUZZ_CHECK(segments.offsets[i] <= COUNT);
            FUZZ_CHECK(i == 0 || segments.offsets[i] >= segments.offsets[i - 1]);
        }
    }
    segments_release(&segments);
    close(file);
    return 0;
}
