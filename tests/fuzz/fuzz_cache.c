/* Entries of the disk cache: a file of any content is refused, or is the entry that was stored. */
#include "fuzz.h"

#include "program_cache.h"

#include <dirent.h>
#include <unistd.h>

static const char key[] = "0.1.0\nradix\n-DKEY_BYTES=4\n";
static const unsigned char binary[] = "binary of a program";

static char directory[] = "/tmp/clsort-fuzz-XXXXXX", path[4096];

static void remove_all(void)
{
    unlink(path);
    rmdir(directory);
}

/* Stores the entry once, to know its file. */
static void set_up(void)
{
    FUZZ_CHECK(mkdtemp(directory));
    FUZZ_CHECK(clsort__program_cache_store(directory, key, binary, sizeof binary) == 0);
    DIR *folder = opendir(directory);
    FUZZ_CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        }
    }
    closedir(folder);
    atexit(remove_all);
}

/* An input whose first byte is even is laid over the stored entry from the byte on that the second one names: such inputs come past
   the first checks. Any other one is the file. */
static void write_entry(const uint8_t *data, size_t size)
{
    FUZZ_CHECK(clsort__program_cache_store(directory, key, binary, sizeof binary) == 0);
    FILE *file = fopen(path, data[0] % 2 ? "wb" : "r+b");
    FUZZ_CHECK(file);
    FUZZ_CHECK(data[0] % 2 || fseek(file, data[1], SEEK_SET) == 0);
    FUZZ_CHECK(fwrite(data + 2, 1, size - 2, file) == size - 2);
    FUZZ_CHECK(fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    if (!path[0]) {
        set_up();
    }
    write_entry(data, size);
    size_t bytes = 0;
    int is_damaged = 0;
    unsigned char *loaded = clsort__program_cache_load(directory, key, &bytes, &is_damaged);
    FUZZ_CHECK(is_damaged == !loaded);
    FUZZ_CHECK(!loaded || (bytes == sizeof binary && memcmp(loaded, binary, bytes) == 0));
    free(loaded);
    return 0;
}
