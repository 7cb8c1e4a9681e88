/* Prints the whole table of device settings and exemptions, and holds it against its own rules. */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

START_TEST(every_setting_has_a_name_of_its_own_and_a_reason)
{
    for (unsigned i = 0; i < n_settings; i++) {
        printf("setting %s: counts up to %" PRIu64 ", at most %u s each (%s)\n", setting_table[i].name,
               setting_table[i].largest_count, setting_table[i].time_limit_s, setting_table[i].reason);
        ck_assert_uint_ge(setting_table[i].largest_count, 1000);
        ck_assert_uint_gt(strlen(setting_table[i].reason), 10);
        for (unsigned j = 0; j < i; j++) {
            ck_assert_str_ne(setting_table[i].name, setting_table[j].name);
        }
    }
    ck_assert_uint_ge(n_settings, 6);
}
END_TEST

START_TEST(every_exemption_names_a_setting_and_a_reason)
{
    for (unsigned i = 0; i < n_exemptions; i++) {
        printf("exempt on %s: %s: %s\n", exemption_table[i].setting, exemption_table[i].file,
               exemption_table[i].reason);
        bool known = false;
        for (unsigned j = 0; j < n_settings; j++) {
            known |= strcmp(setting_table[j].name, exemption_table[i].setting) == 0;
        }
        ck_assert_msg(known, "no setting %s", exemption_table[i].setting);
        ck_assert_uint_gt(strlen(exemption_table[i].reason), 10);
        ck_assert_str_ne(exemption_table[i].file, "");
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS("settings", every_setting_has_a_name_of_its_own_and_a_reason,
                     every_exemption_names_a_setting_and_a_reason);
}
