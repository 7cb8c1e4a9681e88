/* progress.h: shows on standard error how far long work has come. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the clock. Progress shows at once if asked for, else after a second if standard error is a terminal. */
void progress_start(bool asked_for);

/* Names what is done from now on ("uploading"). */
void progress_phase(const char *phase);

/* Says how much of the phase is done; total 0: not known. Cheap enough for every 64 KiB of work. */
void progress_update(uint64_t done, uint64_t total);

/* Takes the line off the terminal, so that other text can be written. */
void progress_clear(void);

/* Whether somebody may be looking, so that waiting is worth an update now and then. */
bool progress_is_watched(void);

#endif
