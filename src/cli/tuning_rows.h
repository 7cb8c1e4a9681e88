/* tuning_rows.h: prints which tuning row serves each size of key and value on a device, and why. */
#ifndef CLI_TUNING_ROWS_H
#define CLI_TUNING_ROWS_H

#include <stdbool.h>

/* Of the device that spec picks. Says on standard error what failed. */
bool tuning_rows_print(const char *spec);

#endif
