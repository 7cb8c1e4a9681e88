/* number.c: reads and writes numbers as text. */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The carriage return is that of lines which end in CR LF. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum number_status read_integer(const struct key_info *info, const char *begin, const char *end, uint64_t *bits)
{
    bool is_negative = *begin == '-';
    const char *p = begin + (is_negative || *begin == '+');
    if (p == end)
        return NUMBER_INVALID;
    uint64_t magnitude = 0;
    bool overflows = false;
    for (; p < end && is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        overflows |= magnitude > (UINT64_MAX - digit) / 10;
        magnitude = magnitude * 10 + digit;
    }
    if (p < end)
        return NUMBER_INVALID;
    uint64_t largest = UINT64_MAX >> (64 - 8 * info->n_bytes + (info->kind == KEY_KIND_SIGNED));
    uint64_t largest_negative = info->kind == KEY_KIND_SIGNED ? largest + 1 : 0;
    if (overflows || magnitude > (is_negative ? largest_negative : largest))
        return NUMBER_OUT_OF_RANGE;
    *bits = is_negative ? 0 - magnitude : magnitude;
    return NUMBER_OK;
}

/* Bits of the 16-bit float next to value, whose infinity tells how many bits its mantissa has. */
static enum number_status round_to_16_bits(double value, uint64_t infinity, uint64_t *bits)
{
    int n_mantissa_bits = infinity == 0x7c00 ? 10 : 7;
    int smallest_exponent = infinity == 0x7c00 ? -14 : -126;
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    uint64_t magnitude = 0;
    if (isnan(value)) {
        magnitude = infinity | (uint64_t)1 << (n_mantissa_bits - 1);
    } else if (isinf(value)) {
        magnitude = infinity;
    } else if (value != 0.0) {
        int exponent = ilogb(value);
        if (exponent < smallest_exponent)
            exponent = smallest_exponent;
        /* In units of the last place, which double holds exactly; rint() rounds to even. A carry into the next exponent
           comes out right by the addition. */
        double units = rint(ldexp(fabs(value), n_mantissa_bits - exponent));
        if (exponent - smallest_exponent > 0xff)
            return NUMBER_OUT_OF_RANGE;
        magnitude = ((uint64_t)(exponent - smallest_exponent) << n_mantissa_bits) + (uint64_t)units;
        if (magnitude >= infinity)
            return NUMBER_OUT_OF_RANGE;
    }
    *bits = sign | magnitude;
    return NUMBER_OK;
}

/* text ends in 0 and holds a number and nothing else. */
static enum number_status read_float_text(const struct key_info *info, const char *text, size_t n_text, uint64_t *bits)
{
    char *rest = NULL;
    errno = 0;
    if (info->type == CLSORT_F32) {
        float value = strtof(text, &rest);
        uint32_t word = 0;
        memcpy(&word, &value, sizeof word);
        *bits = word;
        if (errno == ERANGE && isinf(value))
            return NUMBER_OUT_OF_RANGE;
        return rest == text + n_text ? NUMBER_OK : NUMBER_INVALID;
    }
    double value = strtod(text, &rest);
    if (rest != text + n_text)
        return NUMBER_INVALID;
    if (errno == ERANGE && isinf(value))
        return NUMBER_OUT_OF_RANGE;
    if (info->type != CLSORT_F64)
        return round_to_16_bits(value, info->infinity, bits);
    memcpy(bits, &value, sizeof *bits);
    return NUMBER_OK;
}

static enum number_status read_float(const struct key_info *info, const char *begin, const char *end, uint64_t *bits)
{
    char nearby[64]; /* room for what people write; anything may be longer */
    size_t n_text = (size_t)(end - begin);
    char *text = n_text < sizeof nearby ? nearby : malloc(n_text + 1);
    if (text == NULL)
        return NUMBER_NO_MEMORY;
    memcpy(text, begin, n_text);
    text[n_text] = 0;
    enum number_status status = read_float_text(info, text, n_text, bits);
    if (text != nearby)
        free(text);
    return status;
}

enum number_status number_read(const struct key_info *info, const char *begin, const char *end, uint64_t *bits)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (begin < end && is_blank(end[-1]))
        end--;
    if (begin == end)
        return NUMBER_EMPTY;
    return info->kind == KEY_KIND_FLOAT ? read_float(info, begin, end, bits) : read_integer(info, begin, end, bits);
}

unsigned number_write(uint64_t number, char text[NUMBER_DIGITS_LIMIT])
{
    char reversed[NUMBER_DIGITS_LIMIT];
    unsigned n_digits = 0;
    do {
        reversed[n_digits++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    for (unsigned i = 0; i < n_digits; i++)
        text[i] = reversed[n_digits - 1 - i];
    return n_digits;
}
