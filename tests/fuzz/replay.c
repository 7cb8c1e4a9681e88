/* Runs a fuzz target on the files of a corpus, for compilers without libFuzzer: what was found once stays found. */
#include "fuzz.h"

#include <dirent.h>

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file);
    static uint8_t content[1 << 20];
    const size_t size = fread(content, 1, sizeof content, file);
    FUZZ_CHECK(!ferror(file));
    fclose(file);
    uint8_t *exact = fuzz_copy(content, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    unsigned n_files = 0;
    FUZZ_CHECK(argc == 2);
    DIR *folder = opendir(argv[1]);
    FUZZ_CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (entry->d_name[0] != '.') {
            replay(path);
            n_files++;
        }
    }
    closedir(folder);
    printf("%u inputs\n", n_files);
    return n_files > 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
