/* The device setting that a test runs under: a row of the table in settings.cmake, named by $CLSORT_TEST_SETTING. */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct setting {
    const char *name;
    uint64_t largest_count; /* cases with more elements are left out */
    unsigned time_limit_s;  /* a sort that takes longer counts as hanging; 0: no limit */
    const char *reason;     /* why so */
};

/* A file that does not run on a setting; files "*" stands for all but the ones that the reason names. */
struct exemption {
    const char *setting;
    const char *file;
    const char *reason;
};

extern const struct setting setting_table[];
extern const unsigned n_settings;
extern const struct exemption exemption_table[];
extern const unsigned n_exemptions;

/* The setting of this process; "native" if the environment names none. Ends the process if it names an unknown one. */
const struct setting *current_setting(void);
/* Prints the setting and every exemption that concerns it. */
void print_setting(void);
/* Prints once for each reason that a case does not run here. */
void print_exemption(const char *subject, const char *reason);
/* Whether a case with count elements runs here; prints the exemption when it does not. */
bool setting_allows(uint64_t count);
/* The count, or the largest one of the setting if that is less; then the exemption is printed. */
uint64_t allowed_count(uint64_t count);
/* Whether the setting leaves large counts out; such a one also gets a smaller part of products and of repetitions. */
bool is_small_setting(void);
/* Whether this is the long run, with $CLSORT_TEST_SLOW set. */
bool is_slow_run(void);

#endif
