/* sort_options.c: reads and checks the arguments of clsort sort. */
#include "sort_options.h"

#include "options.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Options whose text still has to be understood. */
struct texts {
    const char *operands[2];
    const char *output;
    const char *format;
    const char *key;
    const char *bits;
    const char *value_bytes;
    const char *index_bytes;
    const char *segment_length;
};

static bool read_arguments(struct sort_options *o, struct texts *texts, int n_arguments, char **arguments)
{
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &texts->output},
        {"format", 0, OPTION_TEXT, &texts->format},
        {"key", 0, OPTION_TEXT, &texts->key},
        {"descending", 0, OPTION_SWITCH, &o->descending},
        {"argsort", 0, OPTION_SWITCH, &o->argsort},
        {"index-bytes", 0, OPTION_TEXT, &texts->index_bytes},
        {"values", 0, OPTION_TEXT, &o->values},
        {"value-bytes", 0, OPTION_TEXT, &texts->value_bytes},
        {"values-output", 0, OPTION_TEXT, &o->values_output},
        {"bits", 0, OPTION_TEXT, &texts->bits},
        {"segments", 0, OPTION_TEXT, &o->segments},
        {"segment-length", 0, OPTION_TEXT, &texts->segment_length},
        {"index-in-segment", 0, OPTION_SWITCH, &o->index_in_segment},
        {"float-total-order", 0, OPTION_SWITCH, &o->float_total_order},
        {"unstable", 0, OPTION_SWITCH, &o->unstable},
        {"low-memory", 0, OPTION_SWITCH, &o->low_memory},
        {"device", 0, OPTION_TEXT, &o->device},
        {"algorithm", 0, OPTION_TEXT, &o->algorithm},
        {"tuning", 0, OPTION_TEXT, &o->tuning},
        {"progress", 0, OPTION_SWITCH, &o->progress},
        {"stats", 0, OPTION_SWITCH, &o->stats},
        {"no-cache", 0, OPTION_SWITCH, &o->no_cache},
        {"help", 'h', OPTION_SWITCH, &o->help},
    };
    const struct option_set set = {"sort", options, sizeof options / sizeof *options, texts->operands,
                                   sizeof texts->operands / sizeof *texts->operands};
    return options_read(&set, n_arguments, arguments);
}

static bool refuse(const char *text)
{
    report_error("sort: %s ('clsort sort --help' lists the options)", text);
    return false;
}

static bool read_names(struct sort_options *o, const struct texts *texts)
{
    if (texts->format != NULL) {
        o->format = format_from_name(texts->format);
        if (o->format == FORMAT_NONE) {
            report_error("sort: unknown format '%s' (there are raw, npy and text)", texts->format);
            return false;
        }
    }
    if (texts->key != NULL) {
        o->key_type = clsort_key_type_from_name(texts->key);
        if (key_info_of(o->key_type) == NULL) {
            report_error("sort: unknown key type '%s' ('clsort sort --help' lists them)", texts->key);
            return false;
        }
    }
    const char *name = NULL;
    for (size_t i = 0; o->algorithm != NULL && (name = clsort_algorithm_name(i)) != NULL; i++) {
        if (strcmp(name, o->algorithm) == 0)
            return true;
    }
    if (o->algorithm != NULL)
        report_error("sort: unknown algorithm '%s' ('clsort sort --help' lists them)", o->algorithm);
    return o->algorithm == NULL;
}

static bool read_bits(struct sort_options *o, const char *text)
{
    const uint64_t limit = 64; /* bits of the widest key */
    char begin_text[8] = {0};
    const char *colon = strchr(text, ':');
    uint64_t begin = 0;
    uint64_t end = 0;
    if (colon == NULL || (size_t)(colon - text) >= sizeof begin_text)
        return refuse("--bits takes two numbers with a colon between, such as 0:16");
    memcpy(begin_text, text, (size_t)(colon - text));
    if (!options_number(begin_text, limit, &begin) || !options_number(colon + 1, limit, &end) || begin > end)
        return refuse("--bits takes two numbers up to 64 with a colon between, the smaller first");
    o->has_bits = true;
    o->begin_bit = (uint32_t)begin;
    o->end_bit = (uint32_t)end;
    return true;
}

static bool read_numbers(struct sort_options *o, const struct texts *texts)
{
    const uint64_t value_bytes_limit = 65536; /* that of the library */
    uint64_t index_bytes = 0;
    if (texts->bits != NULL && !read_bits(o, texts->bits))
        return false;
    if (texts->value_bytes != NULL &&
        (!options_number(texts->value_bytes, value_bytes_limit, &o->value_bytes) || o->value_bytes == 0))
        return refuse("--value-bytes takes a number from 1 to 65536");
    if (texts->index_bytes != NULL &&
        (!options_number(texts->index_bytes, 8, &index_bytes) || (index_bytes != 4 && index_bytes != 8)))
        return refuse("--index-bytes takes 4 or 8");
    o->index_bytes = (unsigned)index_bytes;
    if (texts->segment_length != NULL &&
        (!options_number(texts->segment_length, UINT64_MAX, &o->segment_length) || o->segment_length == 0))
        return refuse("--segment-length takes a number from 1 on");
    return true;
}

static bool choose_files(struct sort_options *o, const struct texts *texts)
{
    if (texts->output != NULL && texts->operands[1] != NULL)
        return refuse("the output is given twice, as an argument and by --output");
    o->input = texts->operands[0] != NULL ? texts->operands[0] : "-";
    o->output = texts->operands[1] != NULL ? texts->operands[1] : texts->output;
    if (o->output == NULL)
        o->output = "-";
    if (*o->input == 0 || *o->output == 0)
        return refuse("the name of a file is empty");
    return true;
}

static bool check_values(const struct sort_options *o)
{
    if (o->index_bytes != 0 && !o->argsort)
        return refuse("--index-bytes goes with --argsort only");
    if ((o->values_output != NULL || o->value_bytes != 0) && o->values == NULL)
        return refuse("--values-output and --value-bytes go with --values only");
    if (o->values == NULL)
        return true;
    if (o->values_output == NULL)
        return refuse("--values needs --values-output");
    if (o->argsort)
        return refuse("--values does not go with --argsort");
    if (path_is_standard(o->input) && path_is_standard(o->values))
        return refuse("keys and values cannot both come from standard input");
    if (strcmp(o->output, o->values_output) == 0)
        return refuse("keys and values need different outputs");
    return true;
}

static bool check_segments(const struct sort_options *o)
{
    if (o->segments != NULL && o->segment_length != 0)
        return refuse("--segments does not go with --segment-length");
    if (o->index_in_segment && (!o->argsort || (o->segments == NULL && o->segment_length == 0)))
        return refuse("--index-in-segment goes with --argsort and with --segments or --segment-length only");
    if (o->segments != NULL && *o->segments == 0)
        return refuse("the name of a file is empty");
    if (o->segments != NULL && path_is_standard(o->segments) &&
        (path_is_standard(o->input) || (o->values != NULL && path_is_standard(o->values))))
        return refuse("segments and what is sorted cannot both come from standard input");
    return true;
}

bool sort_options_read(struct sort_options *options, int n_arguments, char **arguments)
{
    struct texts texts = {0};
    *options = (struct sort_options){0};
    if (!read_arguments(options, &texts, n_arguments, arguments))
        return false;
    if (options->help)
        return true;
    return read_names(options, &texts) && read_numbers(options, &texts) && choose_files(options, &texts) &&
           check_values(options) && check_segments(options);
}
