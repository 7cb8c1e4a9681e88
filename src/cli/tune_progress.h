/* tune_progress.h: shows on standard error what the tuner does, and how long it takes at most. */
#ifndef CLI_TUNE_PROGRESS_H
#define CLI_TUNE_PROGRESS_H

#include "tune_measure.h"

/* Starts to show the session. */
void tune_progress_start(const struct tune_session *session);

/* Names the case and what is done for it from now on. A log gets a line for each. */
void tune_progress_stage(const char *case_name, const char *stage);

/* How much faster the best candidate of the stage is than what it began with: 1 is none. */
void tune_progress_gain(double times_faster);

/* Draws the line anew; at most some times a second. */
void tune_progress_tick(void);

#endif
