/* usage.h: the help texts. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <stdio.h>

void usage_print(FILE *stream);
void usage_print_devices(FILE *stream);
void usage_print_sort(FILE *stream);
void usage_print_selftest(FILE *stream);
void usage_print_tune(FILE *stream);

#endif
