#!/usr/bin/env bash
# tune_test.sh: tests of clsort tune: candidates that crash, hang or are wrong, interruption, the user's file of rows.
# Usage: tune_test.sh PATH-OF-CLSORT. No time is asserted: where a faster candidate is needed, the test hook of the hidden
# command (CLSORT_TUNE_FAULT) makes the built-in row slow.
set -uo pipefail
set -m # so that the signal of Ctrl-C reaches what runs in the background

clsort=$(realpath "$1")
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
unset CLSORT_TUNING CLSORT_TUNING_FILE
# LeakSanitizer itself crashes in the processes of trials ("Tracer caught signal 11").
[ -z "${ASAN_OPTIONS:-}" ] || export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export XDG_CONFIG_HOME=$folder/settings
export CLSORT_DEVICE="${CLSORT_DEVICE:-Portable Computing Language}"

# shellcheck source=tests/cli_support.sh
. "$tests/cli_support.sh"

rows=$XDG_CONFIG_HOME/clsort/tuning
# So much time that a machine with other work has enough; what ends a run are its tries.
few=(tune --key u32 --value none --count 1024 --seconds 3000 --limit 100)
printf '3\n1\n2\n' >small.txt
printf '1\n2\n3\n' >sorted.txt

fails_at_once() { ! "$clsort" "${few[@]}" >/dev/null 2>at_once && grep -q "another run is at work on $rows" at_once; }
absent_all() { ! compgen -G "$rows.*" >/dev/null; }
serves() { "$clsort" devices --tuning | grep -Eq "$1"; }

# ---------------------------------------------------------------------------------------------------- usage

check help_of_tune run 0 tune --help
check help_of_tune grep -q '^usage: clsort tune' result
for option in quick full key value algorithm count seconds tries limit from device help; do
    check "help_of_tune_names_$option" grep -q -- "--$option" result
done
check unknown_key_is_a_usage_error fails 2 '--key' tune --key u33
check no_key_is_a_usage_error fails 2 '--key' tune --key ''
check value_of_3_bytes_is_a_usage_error fails 2 '--value' tune --value 3
check count_of_1_is_a_usage_error fails 2 '--count' tune --count 1
check seconds_of_0_are_a_usage_error fails 2 '--seconds' tune --seconds 0
check unknown_algorithm_is_a_usage_error fails 2 '--algorithm' tune --algorithm bogus
check two_ways_are_a_usage_error fails 2 '--quick' tune --quick --full
check unknown_start_is_a_usage_error fails 2 '--from' "${few[@]}" --from speed=9
check tune_without_device fails 1 'device' tune --device no-such-device-anywhere
check hidden_command_is_not_for_users fails 2 'tune' tune-trial
check usage_errors_leave_no_row absent "$rows"

# ---------------------------------------------------------------------------------------------------- lost candidates

# The second trial of radix is the seed of 2048 items.
lost() { # KIND PATTERN OPTIONS...
    local kind=$1 pattern=$2
    shift 2
    rm -rf "$XDG_CONFIG_HOME"
    check "$kind" eval "CLSORT_TUNE_FAULT='$kind group_size=1,items=2048' \"\$clsort\" ${few[*]} --algorithm radix --tries 3 $* >result 2>messages"
    check "${kind}_is_told" grep -Eq "lost the candidate with items=2048: $pattern" messages
    check "${kind}_loses_a_candidate" grep -Eq '[1-3] candidates? (was|were) lost' messages
    check "${kind}_goes_on" grep -Eq '[3-9] tried, [1-3] lost' messages
    check "${kind}_leaves_no_state" absent_all
}
lost crash 'it crashed'
lost hang 'it did not end in 5 s' --limit 5
lost wrong 'its result for [0-9]+ keys is wrong'

# ------------------------------------------------------------------------------------------- interruption, a row

rm -rf "$XDG_CONFIG_HOME"
export CLSORT_TUNE_FAULT="slow bucket_keys=32768"
few+=(--algorithm chunked_radix)
"$clsort" "${few[@]}" --tries 4 >result 2>messages &
process=$!
for ((i = 0; i < 4000; i++)); do
    [ -e "$rows.state" ] && [ "$(wc -l <"$rows.state")" -ge 2 ] && break # the title and a result
    sleep 0.05
done
check second_run_at_once_is_refused fails_at_once
kill -INT "$process"
wait "$process"
code=$?
check interrupted_run_says_so test "$code" -eq 130
check interrupted_run_says_so grep -q 'stopped; the same command goes on' messages
check interrupted_run_keeps_its_state test -s "$rows.state"
check interrupted_run_leaves_no_child eval '! pgrep -f -- "--cache $rows.cache" >/dev/null'
check damaged_state_is_no_harm eval 'printf "0123456789abcdef timed 9 x\nnonsense" >>"$rows.state"'
check interrupted_run_resumes run 0 "${few[@]}" --tries 4
check interrupted_run_resumes grep -Eq 'going on with [1-9][0-9]* results' messages
check progress_tells_the_time_left grep -Eq 'at most [0-9]+:[0-9][0-9] left' messages
check finished_run_leaves_no_state absent_all
check row_is_printed_for_the_table grep -Eq '^\{".*", ".*", CL_DEVICE_TYPE_CPU, 4, TUNING_NO_VALUES, \{1, [0-9, ]+\}\},$' result
check row_has_its_comment grep -Eq '^/\* .*driver .*[0-9]{4}-[0-9]{2}-[0-9]{2}: .* at .* Gkeys/s' result
check file_has_a_version grep -qx 'version=1' "$rows"
check file_has_the_row grep -q 'driver=.*,key_bytes=4,value_bytes=none,group_size=1,' "$rows"
check row_serves_its_case serves '^4 +none +user row 1 .*driver .*file .*/clsort/tuning'
check row_serves_no_other_case serves '^4 +1 2 4 8 16 +built-in row'
check sort_uses_the_row run 0 sort --key u32 --format text small.txt
check sort_uses_the_row same result sorted.txt
check sort_uses_the_row is_empty messages

# A second run takes the place of the row and leaves the others.
printf '# mine\ndevice=elsewhere,%s\n' "$(sed -n 's/.*value_bytes=none,//p' "$rows")" >>"$rows"
check second_run run 0 "${few[@]}" --tries 3
check second_run_leaves_one_row test "$(grep -c 'value_bytes=none' "$rows")" -eq 1
check second_run_leaves_one_comment test "$(grep -c '^# tuned' "$rows")" -eq 1
check second_run_leaves_other_rows grep -q '^device=elsewhere,' "$rows"
check second_run_leaves_other_comments grep -q '^# mine$' "$rows"
unset CLSORT_TUNE_FAULT

# ------------------------------------------------------------------------------------------- files that are no good

cp "$rows" good
not_used() { # NAME PATTERN FILE
    check "$1" eval "CLSORT_TUNING_FILE=$3 \"\$clsort\" sort small.txt >result 2>messages"
    check "$1" same result sorted.txt
    check "$1_is_told" grep -Eq "$2.*ignored" messages
    check "$1_is_told_once" test "$(wc -l <messages)" -eq 1
    check "$1_leaves_the_built_in_rows" eval "! CLSORT_TUNING_FILE=$3 serves user"
    check "$1_is_shown" eval "CLSORT_TUNING_FILE=$3 serves 'ignored: .*$2'"
}
sed 's/,items=[0-9]*//' good >lacking
sed 's/version=1/version=2/' good >future
head -c 3000 /dev/urandom >random
{ cat good && printf '\0'; } >zero
not_used row_that_lacks_a_field 'lacking, line [0-9]+: .*items' lacking
not_used future_file 'line 2: .*version 1' future
not_used random_bytes 'random' random
not_used file_with_a_zero 'no text' zero
not_used folder_as_a_file 'cannot be read' "$folder"
not_used missing_file 'cannot be read' "$folder/nowhere"
check good_file_is_used eval 'CLSORT_TUNING_FILE=good serves "user row 1 .*file good"'
check selftest_tells_too eval 'CLSORT_TUNING_FILE=future "$clsort" selftest --seconds 0 >result 2>messages; grep -q ignored messages'
check tune_keeps_off_a_file_it_cannot_read eval '! CLSORT_TUNING_FILE=future "$clsort" "${few[@]}" 2>messages'
check tune_keeps_off_a_file_it_cannot_read grep -q 'move that file away' messages
check no_temporary_is_left no_temporary_is_left

# A program with more rights than its user does not read what the user names: only root can try this. Nor is it given LD_PRELOAD,
# without which no device opens under the sanitizers.
if [ "$(id -u)" -eq 0 ] && [ -z "${LD_PRELOAD:-}" ] && command -v setpriv >/dev/null && chmod 755 "$folder" &&
    install -m 4755 "$clsort" privileged && setpriv --reuid 65534 --clear-groups ./privileged --version >/dev/null 2>&1; then
    as_other() { env HOME="$folder" CLSORT_TUNING_FILE="$folder/future" CLSORT_TUNING=nonsense \
        CLSORT_CACHE_DIR="$folder/foreign" CLSORT_DEVICE="no such device" \
        setpriv --reuid 65534 --clear-groups "$@" devices --tuning >result 2>messages; }
    chmod 644 future
    check privileged_program_reads_no_file as_other ./privileged
    check privileged_program_reads_no_file grep -q '^tuning file  none' result
    check privileged_program_makes_no_folder_that_the_user_names test ! -e foreign
    check plain_program_makes_the_folder_that_the_user_names \
        env CLSORT_CACHE_DIR="$folder/foreign" "$clsort" devices --tuning
    check plain_program_makes_the_folder_that_the_user_names test -d foreign
else
    echo "not run here: a privileged program (it needs root and setpriv, and no LD_PRELOAD)"
fi

echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
