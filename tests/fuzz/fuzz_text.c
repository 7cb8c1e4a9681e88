/* The reader of numbers as text: a key for each line, and lines that make up the whole input. The first byte chooses the type. */
#include "fuzz.h"

#include "cli/text.h"

#include <errno.h>
#include <stdbool.h>

/* Whether the C library reads the same number from a line, where that is an unsigned one of a length that people write. */
static bool is_same_number(const struct key_info *info, const unsigned char *line, uint64_t n_bytes, uint64_t key)
{
    char text[32] = "";
    if (info->kind != KEY_KIND_UNSIGNED || n_bytes >= sizeof text) {
        return true;
    }
    memcpy(text, line, n_bytes);
    errno = 0;
    return strtoull(text, NULL, 10) == key && errno == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n_types = 0;
    while (key_info_at(n_types)) {
        n_types++;
    }
    if (size == 0) {
        return 0;
    }
    const struct key_info *info = key_info_at(data[0] % n_types);
    unsigned char *bytes = fuzz_copy(data + 1, size - 1);
    const struct input input = {.name = "fuzz", .bytes = bytes, .n_bytes = size - 1};
    struct text_lines lines;
    if (text_read(&input, info, &lines)) {
        FUZZ_CHECK(lines.starts[lines.n_lines] == input.n_bytes);
        for (uint64_t i = 0; i < lines.n_lines; i++) {
            FUZZ_CHECK(lines.starts[i] < lines.starts[i + 1]);
            FUZZ_CHECK(is_same_number(info, bytes + lines.starts[i], lines.starts[i + 1] - lines.starts[i],
                                      key_load(info, lines.keys, i)));
            FUZZ_CHECK(i == 0 || bytes[lines.starts[i] - 1] == '\n');
        }
        text_release(&lines);
    }
    free(bytes);
    return 0;
}
