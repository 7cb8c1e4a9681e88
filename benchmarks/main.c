/* clsort-bench: times sorts of every combination of the options, and compares and shows what was measured. */
#include "bench.h"
#include "choice.h"
#include "compare.h"
#include "experiment.h"
#include "report.h"
#include <stdio.h>
#include <string.h>

static int usage_error(const char *text)
{
    fprintf(stderr, "clsort-bench: %s\n", text);
    return 2;
}

static int print_about(const struct options *options)
{
    if (options->help)
        options_print_help(stdout);
    else
        printf("clsort-bench %d.%d.%d\n", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    return 0;
}

/* Says which device it is, and adds it to the rows' devices. */
static int add_device(struct bench *b)
{
    const struct bench_device *d = &b->device;
    const struct result_device facts = {d->name, d->vendor,        d->platform,    d->driver,
                                        d->type, d->compute_units, d->memory_bytes};
    fprintf(stderr, "# device %s, driver %s, clsort %d.%d.%d\n", d->name, d->driver, CLSORT_VERSION_MAJOR,
            CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    return b->options.verify_only || output_device(&b->output, &facts, &b->place);
}

static int run_way(struct bench *b)
{
    if (b->options.check_choice)
        return choice_check(b);
    if (b->options.experiment)
        return experiment_run(b);
    return bench_sweep(b);
}

/* All that is to be done on one device. 0, or the exit status of a failure. */
static int run_device(struct bench *b, const char *spec)
{
    char text[4096] = "";
    clsort_status status = device_open(&b->device, spec, &b->options, text, sizeof text);
    int code = 0;
    if (status) {
        code = status == CLSORT_INVALID_TUNING ? 2 : 1;
        fprintf(stderr, "clsort-bench: %s\n", text);
    } else if (!add_device(b) || !run_way(b)) {
        code = usage_error("not enough memory for the cases") - 1;
    }
    device_close(&b->device);
    return code;
}

/* One device, or one after the other. */
static int run_devices(struct bench *b)
{
    size_t n_devices = 0;
    if (!b->options.device || strcmp(b->options.device, "all") != 0)
        return run_device(b, b->options.device);
    clsort_status status = clsort_list_devices(NULL, 0, NULL, &n_devices);
    if (!n_devices) {
        fprintf(stderr, "clsort-bench: %s\n", clsort_status_text(status));
        return 1;
    }
    int code = 0;
    for (size_t i = 0; i < n_devices; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "%zu", i);
        int code_here = run_device(b, spec);
        code = code_here > code ? code_here : code;
    }
    return code;
}

static int finish(struct bench *b, int code)
{
    if (b->failed || (!b->done && !code))
        fprintf(stderr, "clsort-bench: %u done, %u skipped, %u failed\n", b->done, b->skipped, b->failed);
    else if (b->done)
        fprintf(stderr, "# %u cases right, %u skipped\n", b->done, b->skipped);
    if (b->beaten)
        fprintf(stderr, "clsort-bench: %u choices are not within the tolerance of the best algorithm\n", b->beaten);
    if (!output_close(&b->output)) {
        fprintf(stderr, "clsort-bench: the rows could not be written\n");
        code = code ? code : 1;
    }
    return code ? code : b->failed || !b->done || b->beaten;
}

int main(int argc, char **argv)
{
    static struct bench b;
    char text[4096] = "";
    if (argc > 1 && !strcmp(argv[1], "compare"))
        return compare_main(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "report"))
        return report_main(argc - 1, argv + 1);
    if (!options_read(&b.options, argc, argv, text, sizeof text))
        return usage_error(text);
    if (b.options.help || b.options.version)
        return print_about(&b.options);
    if (!b.options.verify_only &&
        !output_open(&b.output, b.options.csv, b.options.json, b.options.note, text, sizeof text)) {
        fprintf(stderr, "clsort-bench: %s\n", text);
        output_close(&b.output);
        return 1;
    }
    return finish(&b, run_devices(&b));
}
