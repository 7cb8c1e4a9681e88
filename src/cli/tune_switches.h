/* tune_switches.h: finds the counts at which the library changes from one algorithm to another. */
#ifndef CLI_TUNE_SWITCHES_H
#define CLI_TUNE_SWITCHES_H

#include "tune_search.h"

/* Times each algorithm with the best values so far at many counts, and sets the switches among those values to what makes
   the library take the fastest ones. */
void tune_find_switches(struct tune_session *session, struct tune_model *model, struct tune_case *c);

#endif
