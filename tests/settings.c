/* The device setting that a test runs under. */
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings_table.h"

const unsigned n_settings = sizeof setting_table / sizeof setting_table[0];
const unsigned n_exemptions = sizeof exemption_table / sizeof exemption_table[0];

const struct setting *current_setting(void)
{
    const char *name = getenv("CLSORT_TEST_SETTING");
    if (!name || !*name) {
        name = "native";
    }
    for (unsigned i = 0; i < n_settings; i++) {
        if (strcmp(setting_table[i].name, name) == 0) {
            return &setting_table[i];
        }
    }
    fprintf(stderr, "CLSORT_TEST_SETTING=%s: no such setting\n", name);
    exit(EXIT_FAILURE);
}

void print_setting(void)
{
    const struct setting *setting = current_setting();
    printf("setting %s: counts up to %" PRIu64 ", at most %u s each (%s)\n", setting->name, setting->largest_count,
           setting->time_limit_s, setting->reason);
    for (unsigned i = 0; i < n_exemptions; i++) {
        if (strcmp(exemption_table[i].setting, setting->name) == 0) {
            printf("exempt on %s: %s: %s\n", setting->name, exemption_table[i].file, exemption_table[i].reason);
        }
    }
    fflush(stdout);
}

void print_exemption(const char *subject, const char *reason)
{
    static struct {
        const char *subject, *reason;
    } printed[64];
    static unsigned n_printed;
    for (unsigned i = 0; i < n_printed; i++) {
        if (strcmp(printed[i].subject, subject) == 0 && strcmp(printed[i].reason, reason) == 0) {
            return;
        }
    }
    if (n_printed < 64) {
        printed[n_printed].subject = subject;
        printed[n_printed++].reason = reason;
    }
    printf("exempt on %s: %s: %s\n", current_setting()->name, subject, reason);
    fflush(stdout);
}

bool setting_allows(uint64_t count)
{
    const struct setting *setting = current_setting();
    if (count <= setting->largest_count) {
        return true;
    }
    print_exemption("larger counts", setting->reason);
    return false;
}

uint64_t allowed_count(uint64_t count)
{
    return setting_allows(count) ? count : current_setting()->largest_count;
}

bool is_small_setting(void)
{
    return current_setting()->largest_count < 100000;
}

bool is_slow_run(void)
{
    const char *slow = getenv("CLSORT_TEST_SLOW");
    return slow && strcmp(slow, "1") == 0;
}
