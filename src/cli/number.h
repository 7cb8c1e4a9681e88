/* number.h: numbers as text, to and from the bits of a key. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include "key.h"

enum number_status { NUMBER_OK, NUMBER_EMPTY, NUMBER_INVALID, NUMBER_OUT_OF_RANGE, NUMBER_NO_MEMORY };

/*
 * Reads the one number that the text from begin to end is, blanks before and behind it allowed, as a key. Integers are
 * decimal; floats are what strtod() knows in the C locale, rounded to nearest, ties to even.
 */
enum number_status number_read(const struct key_info *info, const char *begin, const char *end, uint64_t *bits);

/* Writes a decimal number, no final 0; returns its length. */
enum { NUMBER_DIGITS_LIMIT = 20 };
unsigned number_write(uint64_t number, char text[NUMBER_DIGITS_LIMIT]);

#endif
