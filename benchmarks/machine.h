/* The machine that a bench runs on: its clock, date and name. */
#ifndef BENCHMARKS_MACHINE_H
#define BENCHMARKS_MACHINE_H

#include <stddef.h>

/* Milliseconds since some moment. */
double machine_clock(void);

/* Date and time of day in UTC, as 2026-01-31T23:59:59Z. */
void machine_date(char *text, size_t text_bytes);

/* Name of the processor and how many of it the system sees. */
void machine_name(char *text, size_t text_bytes);

/* Whether standard error is read by a person: a line of it can be written over. */
int machine_is_terminal(void);

#endif
