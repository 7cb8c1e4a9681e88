/* npy.c: reads and writes the header of NumPy's .npy files (format: numpy/lib/format.py, versions 1.0 to 3.0). */
#include "npy.h"

#include "report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { magic_bytes = sizeof magic, header_alignment = 64 /* as NumPy writes it */ };

/* The header is a Python dictionary; this walks over its text. */
struct cursor {
    const char *p;
    const char *end;
};

static char native_byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? '<' : '>';
}

bool npy_is_seen_in(const unsigned char *bytes, uint64_t n_bytes)
{
    return n_bytes >= magic_bytes && memcmp(bytes, magic, magic_bytes) == 0;
}

static bool take(struct cursor *cursor, char c)
{
    while (cursor->p < cursor->end && isspace((unsigned char)*cursor->p))
        cursor->p++;
    if (cursor->p == cursor->end || *cursor->p != c)
        return false;
    cursor->p++;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    if (!take(cursor, word[0]))
        return false;
    size_t n_rest = strlen(word) - 1;
    if ((size_t)(cursor->end - cursor->p) < n_rest || memcmp(cursor->p, word + 1, n_rest) != 0)
        return false;
    cursor->p += n_rest;
    return true;
}

static bool take_string(struct cursor *cursor, char *string, size_t n_room)
{
    char quote = '\'';
    if (!take(cursor, quote)) {
        quote = '"';
        if (!take(cursor, quote))
            return false;
    }
    size_t n_string = 0;
    /* Only what can be printed, as messages show it. */
    while (cursor->p < cursor->end && *cursor->p != quote && *cursor->p >= ' ' && *cursor->p <= '~' &&
           n_string + 1 < n_room)
        string[n_string++] = *cursor->p++;
    string[n_string] = 0;
    return take(cursor, quote);
}

static bool take_number(struct cursor *cursor, uint64_t *number)
{
    while (cursor->p < cursor->end && *cursor->p == ' ')
        cursor->p++;
    const char *begin = cursor->p;
    *number = 0;
    for (; cursor->p < cursor->end && *cursor->p >= '0' && *cursor->p <= '9'; cursor->p++) {
        uint64_t digit = (uint64_t)(*cursor->p - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return cursor->p > begin;
}

/* "()", "(5,)", "(5, 3)" */
static bool take_shape(struct cursor *cursor, struct npy_array *array)
{
    if (!take(cursor, '('))
        return false;
    while (!take(cursor, ')')) {
        if (array->n_dimensions == NPY_DIMENSIONS_LIMIT || !take_number(cursor, &array->shape[array->n_dimensions]))
            return false;
        array->n_dimensions++;
        if (!take(cursor, ','))
            return take(cursor, ')');
    }
    return true;
}

static bool take_fortran_order(struct cursor *cursor, struct npy_array *array)
{
    struct cursor start = *cursor;
    array->is_fortran_order = take_word(cursor, "True");
    if (array->is_fortran_order)
        return true;
    *cursor = start;
    return take_word(cursor, "False");
}

enum { has_descr = 1, has_fortran_order = 2, has_shape = 4 };

static bool take_dictionary(struct cursor *cursor, struct npy_array *array)
{
    int seen = 0;
    if (!take(cursor, '{'))
        return false;
    while (!take(cursor, '}')) {
        char name[16];
        if (!take_string(cursor, name, sizeof name) || !take(cursor, ':'))
            return false;
        bool is_good = false;
        if (strcmp(name, "descr") == 0 && !(seen & has_descr)) {
            is_good = take_string(cursor, array->descr, sizeof array->descr);
            seen |= has_descr;
        } else if (strcmp(name, "fortran_order") == 0 && !(seen & has_fortran_order)) {
            is_good = take_fortran_order(cursor, array);
            seen |= has_fortran_order;
        } else if (strcmp(name, "shape") == 0 && !(seen & has_shape)) {
            is_good = take_shape(cursor, array);
            seen |= has_shape;
        }
        if (!is_good)
            return false;
        if (!take(cursor, ','))
            return take(cursor, '}') && seen == (has_descr | has_fortran_order | has_shape);
    }
    return seen == (has_descr | has_fortran_order | has_shape);
}

/* Finds the text of the dictionary: its length has two bytes in version 1 and four from version 2 on. */
static bool find_dictionary(const struct input *input, struct cursor *cursor)
{
    if (!npy_is_seen_in(input->bytes, input->n_bytes) || input->n_bytes < magic_bytes + 6) {
        report_error("%s: not a .npy file", input->name);
        return false;
    }
    const unsigned char *bytes = input->bytes + magic_bytes;
    if (bytes[0] < 1 || bytes[0] > 3) {
        report_error("%s: .npy version %d.%d is not supported (1.0 to 3.0 are)", input->name, bytes[0], bytes[1]);
        return false;
    }
    uint64_t n_header = bytes[2] | (uint64_t)bytes[3] << 8;
    if (bytes[0] >= 2)
        n_header |= (uint64_t)bytes[4] << 16 | (uint64_t)bytes[5] << 24;
    uint64_t begin = magic_bytes + (bytes[0] >= 2 ? 6 : 4);
    if (n_header > input->n_bytes - begin) {
        report_error("%s: the .npy header is cut off", input->name);
        return false;
    }
    cursor->p = (const char *)input->bytes + begin;
    cursor->end = cursor->p + n_header;
    return true;
}

/* "<f8" is 8 bytes, "<U5" is 5 characters of 4 bytes, "<M8[ns]" 8 bytes. 0: not known. */
static uint64_t descr_item_bytes(const char *descr)
{
    if (strchr("<>|=", descr[0]) == NULL || descr[0] == 0 || !isalpha((unsigned char)descr[1]) || descr[1] == 'O')
        return 0;
    struct cursor cursor = {descr + 2, descr + strlen(descr)};
    uint64_t number = 0;
    if (!take_number(&cursor, &number) || (cursor.p < cursor.end && *cursor.p != '[') || number > UINT32_MAX)
        return 0;
    return descr[1] == 'U' ? number * 4 : number;
}

static bool check_size(const struct input *input, const struct npy_array *array)
{
    uint64_t n_bytes = array->item_bytes;
    for (int i = 0; i < array->n_dimensions; i++) {
        if (array->shape[i] != 0 && n_bytes > UINT64_MAX / array->shape[i])
            n_bytes = UINT64_MAX;
        else
            n_bytes *= array->shape[i];
    }
    uint64_t n_present = input->n_bytes - array->n_header_bytes;
    if (n_bytes == n_present)
        return true;
    report_error("%s: the .npy header announces %" PRIu64 " bytes of data, but %" PRIu64 " follow", input->name,
                 n_bytes, n_present);
    return false;
}

bool npy_read(const struct input *input, struct npy_array *array)
{
    *array = (struct npy_array){0};
    struct cursor cursor;
    if (!find_dictionary(input, &cursor))
        return false;
    array->n_header_bytes = (uint64_t)((const unsigned char *)cursor.end - input->bytes);
    if (!take_dictionary(&cursor, array)) {
        report_error("%s: the .npy header is damaged, or its type is not one of plain numbers", input->name);
        return false;
    }
    array->item_bytes = descr_item_bytes(array->descr);
    if (array->item_bytes == 0) {
        report_error("%s: the .npy type '%s' is not supported", input->name, array->descr);
        return false;
    }
    return check_size(input, array);
}

clsort_key_type npy_key_type(const struct input *input, const struct npy_array *array)
{
    /* The rest of a dtype, as the text behind its byte order. */
    static const struct {
        const char *text;
        clsort_key_type type;
    } rows[] = {{"u1", CLSORT_U8},  {"u2", CLSORT_U16}, {"u4", CLSORT_U32}, {"u8", CLSORT_U64},
                {"i1", CLSORT_I8},  {"i2", CLSORT_I16}, {"i4", CLSORT_I32}, {"i8", CLSORT_I64},
                {"f2", CLSORT_F16}, {"f4", CLSORT_F32}, {"f8", CLSORT_F64}, {"b1", CLSORT_U8}};
    if (array->n_dimensions != 1) {
        report_error("%s: the array has %d dimensions; keys have to have one", input->name, array->n_dimensions);
        return 0;
    }
    char order = array->descr[0];
    if (array->item_bytes > 1 && order != native_byte_order() && order != '=') {
        report_error("%s: the .npy type '%s' has the other byte order than this machine; store it as '%c%s'",
                     input->name, array->descr, native_byte_order(), array->descr + 1);
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(array->descr + 1, rows[i].text) == 0)
            return rows[i].type;
    }
    report_error("%s: the .npy type '%s' is no key type", input->name, array->descr);
    return 0;
}

bool npy_rows(const struct input *input, const struct npy_array *array, uint64_t *n_rows, uint64_t *row_bytes)
{
    if (array->n_dimensions == 0 || (array->is_fortran_order && array->n_dimensions > 1)) {
        report_error("%s: the array has to be in C order, with a row for each key", input->name);
        return false;
    }
    *n_rows = array->shape[0];
    *row_bytes = array->item_bytes;
    /* No overflow: check_size() has held the product against the file, unless the array is empty. */
    for (int i = 1; i<array->n_dimensions && * n_rows> 0; i++)
        *row_bytes *= array->shape[i];
    return true;
}

const char *npy_index_descr(unsigned index_bytes)
{
    if (native_byte_order() == '<')
        return index_bytes == 8 ? "<u8" : "<u4";
    return index_bytes == 8 ? ">u8" : ">u4";
}

bool npy_write_header(struct output *output, const char *descr, uint64_t count)
{
    char header[2 * header_alignment];
    int n_text = snprintf(header + magic_bytes + 4, sizeof header - magic_bytes - 4,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", descr, count);
    /* Blanks up to the alignment, then the newline that NumPy ends it with. */
    size_t n_used = magic_bytes + 4 + (size_t)n_text;
    size_t n_header = (n_used + 1 + header_alignment - 1) / header_alignment * header_alignment;
    memset(header + n_used, ' ', n_header - n_used);
    header[n_header - 1] = '\n';
    memcpy(header, magic, magic_bytes);
    header[magic_bytes] = 1;
    header[magic_bytes + 1] = 0;
    size_t n_dictionary = n_header - magic_bytes - 4;
    header[magic_bytes + 2] = (char)(n_dictionary & 0xff);
    header[magic_bytes + 3] = (char)(n_dictionary >> 8);
    return output_write(output, header, n_header);
}
