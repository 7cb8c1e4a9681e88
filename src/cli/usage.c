/* usage.c: the help texts. */
#include "usage.h"

#include "key.h"

static const char device_text[] =
    "  --device SPEC        the device: gpu, cpu, accelerator, an index of 'clsort devices',\n"
    "                       a part of a name, or several of these with commas between\n"
    "                       (default: $CLSORT_DEVICE, else a GPU before a CPU)\n";

static const char help_text[] = "  -h, --help           print this text\n";

void usage_print(FILE *stream)
{
    fputs("usage: clsort COMMAND [OPTIONS]\n"
          "\n"
          "Sorts on OpenCL devices.\n"
          "\n"
          "commands:\n"
          "  sort                 sort numbers of a file or of standard input\n"
          "  devices              list the devices, and which one would be used\n"
          "  selftest             check every algorithm on a device against the host\n"
          "  tune                 find faster values of the tuning parameters for a device\n"
          "\n"
          "options:\n"
          "  -h, --help           print this text; 'clsort COMMAND --help' tells more\n"
          "  -V, --version        print the version\n",
          stream);
}

void usage_print_devices(FILE *stream)
{
    fputs("usage: clsort devices [--device SPEC] [--tuning]\n"
          "\n"
          "Lists the OpenCL devices. A star marks the one that would be used.\n"
          "\n"
          "options:\n",
          stream);
    fputs(device_text, stream);
    fputs("  --tuning             for that one: which row of tuning parameters serves each size of keys\n"
          "                       and values, by what conditions, and which rows were passed over\n",
          stream);
    fputs(help_text, stream);
}

static void print_sort_formats(FILE *stream)
{
    fputs("usage: clsort sort [OPTIONS] [INPUT [OUTPUT]]\n"
          "\n"
          "Sorts numbers. INPUT and OUTPUT are files, or - for standard input and output, which\n"
          "are also the defaults. OUTPUT is replaced only when it is complete, and may be INPUT.\n"
          "\n"
          "formats:\n"
          "  text                 one number a line; lines are kept as written, equal ones in order\n"
          "  npy                  a one-dimensional NumPy array\n"
          "  raw                  binary keys and nothing else\n"
          "  The output has the format of the input. Without --format the name decides (.txt .text\n"
          "  .npy .bin .raw), and otherwise the first 4096 bytes: printable characters are text.\n"
          "\n"
          "options:\n"
          "  -o, --output FILE    where to write the result\n"
          "  --format FORMAT      raw, npy or text\n",
          stream);
}

static void print_key_option(FILE *stream)
{
    fputs("  --key TYPE           type of the keys:", stream);
    const struct key_info *info = NULL;
    for (size_t i = 0; (info = key_info_at(i)) != NULL; i++)
        fprintf(stream, " %s", info->name);
    fputs("\n"
          "                       (default: text i64, raw u32, npy its own)\n",
          stream);
}

static void print_order_options(FILE *stream)
{
    fputs("  --descending         largest first; equal keys keep their order all the same\n"
          "  --float-total-order  IEEE 754 totalOrder: -0 before +0, NaNs outside the infinities by\n"
          "                       sign (default: zeros are equal, NaNs are above +inf)\n"
          "  --bits B:E           compare bits B to E - 1 of the keys only (0 is the lowest)\n"
          "  --unstable           leave the order of equal keys open\n"
          "\n"
          "  --segments FILE      sort segments by themselves: N + 1 offsets (text, npy, or raw of 8\n"
          "                       bytes) for N segments, which never fall; the rest stays as it is\n"
          "  --segment-length N   sort each N keys by themselves\n"
          "  --index-in-segment   have positions count from the begin of their segment\n"
          "\n"
          "  --argsort            write the positions of the sorted numbers, from 0 on, instead\n"
          "  --index-bytes N      size of these in raw and npy output: 4 (default) or 8\n"
          "  --values FILE        carry the elements of FILE (raw or npy) along with the keys\n"
          "  --value-bytes N      size of an element, 1 to 65536 (npy: known from the file)\n"
          "  --values-output FILE where to write them\n"
          "\n",
          stream);
}

static void print_device_options(FILE *stream)
{
    fputs(device_text, stream);
    fputs("  --algorithm NAME     the algorithm:", stream);
    const char *name = NULL;
    for (size_t i = 0; (name = clsort_algorithm_name(i)) != NULL; i++)
        fprintf(stream, " %s", name);
    fputs("\n"
          "                       (default: chosen by the library)\n"
          "  --tuning TEXT        tuning parameters, NAME=VALUE with commas between\n"
          "  --low-memory         use no further device memory, which is much slower\n"
          "  --no-cache           neither read nor write compiled programs on disk\n"
          "  --progress           show progress from the beginning (default: on a terminal, when\n"
          "                       it takes more than a second)\n"
          "  --stats              print device, algorithm, times and rate to standard error\n",
          stream);
    fputs(help_text, stream);
}

void usage_print_sort(FILE *stream)
{
    print_sort_formats(stream);
    print_key_option(stream);
    print_order_options(stream);
    print_device_options(stream);
}

void usage_print_selftest(FILE *stream)
{
    fputs("usage: clsort selftest [--device SPEC] [--seconds N]\n"
          "\n"
          "Sorts with every algorithm, key type, operation and order on a device and compares the\n"
          "results with those of the host.\n"
          "\n"
          "options:\n",
          stream);
    fputs(device_text, stream);
    fputs("  --seconds N          end after N seconds, and tell what was not run (default: 55)\n", stream);
    fputs(help_text, stream);
}

void usage_print_tune(FILE *stream)
{
    fputs("usage: clsort tune [OPTIONS]\n"
          "\n"
          "Finds values of the tuning parameters with which a device sorts faster, and puts rows of them\n"
          "into a file ($CLSORT_TUNING_FILE, else clsort/tuning in the folder of settings) that is looked\n"
          "up from then on. Prints the rows as the source has them, too. Each candidate is checked, in a\n"
          "process of its own. Ctrl-C keeps what was found, and the same command goes on later.\n"
          "\n"
          "options:\n",
          stream);
    fputs(device_text, stream);
    fputs("  --quick              end within three minutes (default)\n"
          "  --full               try more kinds of sorts and values, for an hour at most\n"
          "  --key TYPE,...       types of keys (default: u32 and u64; full: u8 and u16 too); those of one\n"
          "                       size are tuned together\n"
          "  --value SIZE,...     sizes of values, or none for keys alone (default: none and 4)\n"
          "  --algorithm NAME     find values of that algorithm alone\n"
          "  --count N            the largest count that is timed\n"
          "  --seconds N          begin nothing new after N seconds\n"
          "  --tries N            try no more than N candidates\n"
          "  --limit N            seconds that a candidate may take (default: 15; full: 120)\n"
          "  --from TEXT          begin with these values, NAME=VALUE with commas between, or with the row\n"
          "                       for any device, 'safe', and print what was found even if it is slower\n",
          stream);
    fputs(help_text, stream);
}
