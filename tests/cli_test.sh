#!/usr/bin/env bash
# cli_test.sh: runs the clsort command as a user would and checks its output, messages and exit codes.
#
# usage: cli_test.sh PATH-OF-CLSORT
#
# Needs what a bare Debian has and no more: bash, coreutils, awk, sed and grep.
# shellcheck disable=SC2016
set -u
export LC_ALL=C

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 PATH-OF-CLSORT" >&2
    exit 2
fi
clsort=$(realpath "$1")
tests=$(dirname "$(realpath "$0")")
header=$tests/../include/clsort/clsort.h
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
export XDG_CONFIG_HOME=$folder/no-settings # tuning rows of the user's are not part of any test

# shellcheck source=tests/cli_support.sh
. "$tests/cli_support.sh"

# ---------------------------------------------------------------------------------------------------- the command

version_of_header() {
    sed -n 's/^#define CLSORT_VERSION_[A-Z]* //p' "$header" | paste -s -d .
}
check version_is_that_of_the_header run 0 --version
check version_is_that_of_the_header grep -qx "clsort $(version_of_header)" result
for command in "" sort devices selftest tune; do
    # shellcheck disable=SC2086
    check "help_of_${command:-clsort}" run 0 $command --help
    check "help_of_${command:-clsort}" grep -q '^usage: clsort' result
    check "help_of_${command:-clsort}" is_empty messages
done
help_names_every_option() {
    local option
    for option in output format key descending float-total-order bits unstable argsort index-bytes values value-bytes \
        values-output segments segment-length index-in-segment device algorithm tuning low-memory no-cache progress stats help; do
        grep -q -- "--$option" result || return 1
    done
}
run 0 sort --help
check help_names_every_option help_names_every_option

code=0
"$clsort" >result 2>messages || code=$?
check no_command_is_a_usage_error test "$code" -eq 2
check unknown_command_is_a_usage_error fails 2 'unknown command frobnicate' frobnicate
check unknown_option_is_a_usage_error fails 2 'unknown option --frob' sort --frob
check unknown_letter_is_a_usage_error fails 2 'unknown option -q' sort -q
check missing_text_is_a_usage_error fails 2 'follow --key' sort --key
check switch_with_text_is_a_usage_error fails 2 'takes nothing' sort --stats=yes
check three_files_are_a_usage_error fails 2 'too many: c' sort a b c
check unknown_key_is_a_usage_error fails 2 "key type 'u33'" sort --key u33
check unknown_format_is_a_usage_error fails 2 "format 'xml'" sort --format xml
check unknown_algorithm_is_a_usage_error fails 2 "algorithm 'bogus'" sort --algorithm bogus
for bits in 5 5: :5 9:5 0:65 a:b -1:3; do
    check "bits_${bits}_are_a_usage_error" fails 2 '--bits' sort "--bits=$bits"
done
check index_bytes_3_are_a_usage_error fails 2 '--index-bytes' sort --argsort --index-bytes 3
check index_bytes_without_argsort_are_a_usage_error fails 2 '--index-bytes' sort --index-bytes 4
check value_bytes_0_are_a_usage_error fails 2 '--value-bytes' sort --values v --values-output w --value-bytes 0
check value_bytes_65537_are_a_usage_error fails 2 '--value-bytes' sort --values v --values-output w --value-bytes 65537
check segment_length_0_is_a_usage_error fails 2 '--segment-length' sort --segment-length 0
check segments_of_two_kinds_are_a_usage_error fails 2 'does not go with' sort --segments s --segment-length 5
check index_in_segment_alone_is_a_usage_error fails 2 '--index-in-segment' sort --argsort --index-in-segment
check index_in_segment_of_keys_is_a_usage_error fails 2 '--index-in-segment' sort --segment-length 5 --index-in-segment
check segments_and_keys_of_one_stream_are_a_usage_error fails 2 'standard input' sort --segments -
check values_without_output_are_a_usage_error fails 2 '--values-output' sort --values v
check values_with_argsort_are_a_usage_error fails 2 '--argsort' sort --values v --values-output w --argsort
check two_outputs_are_a_usage_error fails 2 'twice' sort a b --output c
check same_outputs_are_a_usage_error fails 2 'different outputs' sort a b --values v --values-output b
check devices_with_operand_is_a_usage_error fails 2 'too many' devices what

# ---------------------------------------------------------------------------------------------------- text

numbers 20000 3000 >numbers.txt
sort -s -n numbers.txt >expected
check text_sorts_as_gnu_sort run 0 sort numbers.txt
check text_sorts_as_gnu_sort same result expected
check text_sorts_as_gnu_sort is_empty messages

numbers 20000 40 | awk '{ s = $1 < 0 ? "-" : ""; a = $1 < 0 ? -$1 : $1
    f = NR % 5; print (f == 1 ? "  " : f == 2 ? "\t" : "") s (f == 3 ? "000" : f == 4 ? "0" : "") a (f > 2 ? " " : "") \
        (NR % 7 == 0 ? "\r" : "") }' >spellings.txt
printf -- '-0\n 0\n00\n-000 \n' >>spellings.txt
sort -s -n spellings.txt >expected
check spellings_stay_as_written run 0 sort spellings.txt
check spellings_stay_as_written same result expected
sort -s -n -r spellings.txt >expected
check descending_is_stable run 0 sort --descending spellings.txt
check descending_is_stable same result expected

printf '+7\n5\n+6\n' | "$clsort" sort >result
printf '5\n+6\n+7\n' >expected
check plus_sign_is_accepted same result expected

check wide_numbers eval 'printf "%s\n" 9223372036854775807 -9223372036854775808 0 -1 | "$clsort" sort >result'
printf '%s\n' -9223372036854775808 -1 0 9223372036854775807 >expected
check wide_numbers same result expected
check wide_unsigned_numbers eval 'printf "%s\n" 18446744073709551615 9223372036854775808 1 | "$clsort" sort --key u64 >result'
printf '%s\n' 1 9223372036854775808 18446744073709551615 >expected
check wide_unsigned_numbers same result expected

check last_line_gets_its_newline eval 'printf "3\n1\n2" | "$clsort" sort >result'
printf '1\n2\n3\n' >expected
check last_line_gets_its_newline same result expected

check floats eval 'printf "%s\n" 1e3 nan -0 0 inf -inf -2.5 1.5 -nan 0x10 | "$clsort" sort --key f64 >result'
printf '%s\n' -inf -2.5 -0 0 1.5 0x10 1e3 inf nan -nan >expected
check floats same result expected
for key in f16 bf16 f32; do
    check "floats_of_$key" eval 'printf "%s\n" 1e3 nan -0 0 inf -inf -2.5 1.5 | "$clsort" sort --key '$key' >result'
    printf '%s\n' -inf -2.5 -0 0 1.5 1e3 inf nan >expected
    check "floats_of_$key" same result expected
done
check floats_in_total_order eval 'printf "%s\n" 0 nan -0 -nan 1 -inf | "$clsort" sort --key f32 --float-total-order >result'
printf '%s\n' -nan -inf -0 0 1 nan >expected
check floats_in_total_order same result expected
# 2049 lies between two f16 and goes to the even one, so that it stays before 2048.
check f16_rounds_to_even eval 'printf "%s\n" 2050 2049 2048 | "$clsort" sort --key f16 >result'
printf '%s\n' 2049 2048 2050 >expected
check f16_rounds_to_even same result expected

awk '{ print $0 "\t" NR - 1 }' numbers.txt | sort -s -n -k 1,1 | cut -f 2 >expected
check argsort_of_text run 0 sort --argsort numbers.txt
check argsort_of_text same result expected
awk '{ print $0 "\t" NR - 1 }' numbers.txt | sort -s -n -r -k 1,1 | cut -f 2 >expected
check argsort_of_text_descending run 0 sort --argsort --descending --index-bytes 8 numbers.txt
check argsort_of_text_descending same result expected
# The lowest four bits of the rank are those of the number, as only the sign bit is flipped.
awk '{ print ($1 % 16 + 16) % 16 "\t" $0 }' numbers.txt | sort -s -n -k 1,1 | cut -f 2 >expected
check bits_of_text run 0 sort --bits 0:4 numbers.txt
check bits_of_text same result expected

line_error() { # NAME TYPE TEXT PATTERN
    check "$1" eval "printf -- '$3' >bad.txt"
    check "$1" fails 1 "$4" sort --key "$2" bad.txt bad.out
    check "$1" absent bad.out
}
line_error word_is_no_number i64 '1\n2\nthree\n4\n' "bad.txt: line 3: 'three' is no number of type i64"
line_error empty_line_is_no_number i64 '1\n\n3\n' 'bad.txt: line 2 is empty'
line_error blank_line_is_no_number i64 '1\n2\n \t\n' 'bad.txt: line 3 is empty'
line_error fraction_is_no_integer i32 '1.5\n' "bad.txt: line 1: '1.5' is no number of type i32"
line_error two_numbers_are_no_number u8 '1\n2 3\n' "bad.txt: line 2: '2 3' is no number of type u8"
line_error sign_is_no_number i8 '-\n' "bad.txt: line 1: '-' is no number"
line_error u8_ends_at_255 u8 '255\n300\n' 'bad.txt: line 2: 300 is out of the range of u8'
line_error u8_begins_at_0 u8 '0\n-1\n' 'bad.txt: line 2: -1 is out of the range of u8'
line_error i16_ends_at_32767 i16 '32767\n32768\n' 'bad.txt: line 2: 32768 is out of the range of i16'
line_error i16_begins_at_minus_32768 i16 '-32768\n-32769' 'bad.txt: line 2: -32769 is out of the range of i16'
line_error u64_ends u64 '18446744073709551615\n18446744073709551616\n' 'line 2: .* is out of the range of u64'
line_error f16_ends_at_65504 f16 '65504\n65520\n' 'line 2: 65520 is out of the range of f16'
line_error f32_ends f32 '1e38\n1e39\n' 'line 2: 1e39 is out of the range of f32'
line_error f64_has_no_words f64 '1\nabc\n' "line 2: 'abc' is no number of type f64"
line_error unprintable_is_shown_as_question_mark i64 'a\001b\n' "line 1: 'a.b' is no number"

# shellcheck source=tests/cli_formats.sh
. "$tests/cli_formats.sh"

# shellcheck source=tests/cli_segments.sh
. "$tests/cli_segments.sh"

# ---------------------------------------------------------------------------------------------------- empty input

: >empty.txt
: >empty.raw
npy '<f8' '(0,)' >empty.npy
for format in txt raw npy; do
    check "empty_$format" run 0 sort "empty.$format" "out.$format"
    check "empty_$format" same "empty.$format" "out.$format"
done
check empty_standard_input eval '"$clsort" sort </dev/null >result'
check empty_standard_input is_empty result
check empty_argsort run 0 sort --argsort empty.txt
check empty_argsort is_empty result
check empty_pairs run 0 sort empty.raw out.raw --values empty.raw --value-bytes 12 --values-output v.raw
check empty_pairs is_empty v.raw

# ---------------------------------------------------------------------------------------------------- output files

printf '3\n1\n2\n' >small.txt
printf '1\n2\n3\n' >expected
cp small.txt place.txt
check output_may_be_the_input run 0 sort place.txt place.txt
check output_may_be_the_input same place.txt expected
echo old >kept.txt
chmod 640 kept.txt
check output_is_kept_on_failure fails 1 'line 3' sort --key i64 - kept.txt < <(printf '1\n2\nx\n')
check output_is_kept_on_failure grep -qx old kept.txt
check access_rights_are_kept run 0 sort small.txt kept.txt
check access_rights_are_kept test "$(stat -c %a kept.txt)" = 640
check access_rights_are_kept same kept.txt expected
rm -f new.txt
check new_files_have_usual_rights eval '(umask 027 && "$clsort" sort small.txt new.txt)'
check new_files_have_usual_rights test "$(stat -c %a new.txt)" = 640
ln -s kept.txt link.txt
check links_stay_links run 0 sort --descending small.txt link.txt
check links_stay_links test -L link.txt
check links_stay_links eval 'cmp -s kept.txt <(printf "3\n2\n1\n")'
check missing_input fails 1 'nowhere.txt: No such file' sort nowhere.txt out.txt
check folder_is_no_input fails 1 'Is a directory' sort . out.txt
check folder_is_no_output fails 1 'Is a directory' sort small.txt .
check missing_folder_of_output fails 1 'nowhere/out.txt: No such file' sort small.txt nowhere/out.txt
check name_of_another_format_is_refused fails 1 'stands for npy, but the output is text' sort small.txt out2.npy
check name_of_another_format_is_refused absent out2.npy
check name_of_another_format_can_be_meant run 0 sort --format text small.txt out2.npy
check dash_is_standard_output run 0 sort small.txt -
check dash_is_standard_output same result expected
check dashes_end_the_options eval 'cp small.txt ./--stats && "$clsort" sort -- --stats >result'
check dashes_end_the_options same result expected
check output_to_a_device run 0 sort small.txt /dev/null
if [ -c /dev/full ]; then
    check full_disk_is_reported eval '! "$clsort" sort numbers.txt >/dev/full 2>messages'
    check full_disk_is_reported grep -q '^clsort: standard output: No space left' messages
    check full_device_is_reported fails 1 '/dev/full: No space left' sort numbers.txt /dev/full
    check help_on_a_full_disk_is_reported eval '! "$clsort" sort --help >/dev/full 2>messages'
fi
numbers 200000 1000000 >many.txt
"$clsort" sort many.txt 2>messages | head -n 1 >result
code=${PIPESTATUS[0]}
check closed_pipe_is_reported test "$code" -eq 1
check closed_pipe_is_reported grep -q '^clsort: standard output: Broken pipe' messages
sort -s -n many.txt >expected
check many_lines_sort_as_gnu_sort run 0 sort many.txt
check many_lines_sort_as_gnu_sort same result expected
check no_temporary_is_left no_temporary_is_left
# Wherever it is in its work when the signal comes, it leaves all of the output or nothing.
for delay in 0.05 0.1 0.2 0.4; do
    rm -f ended.txt
    "$clsort" sort many.txt ended.txt 2>messages &
    process=$!
    sleep "$delay"
    kill -TERM "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    check "signal_after_$delay" eval 'absent ended.txt || same ended.txt expected'
    check "signal_after_$delay" no_temporary_is_left
done

# ---------------------------------------------------------------------------------------------------- devices

check devices_are_listed run 0 devices
check devices_are_listed grep -q '^\* *[0-9]' result
check devices_are_listed grep -q 'would be used' result
check device_by_index run 0 devices --device 0
check device_by_index grep -q "device 0 would be used: it is what --device '0' asks for" result
check device_by_variable eval 'CLSORT_DEVICE=0 "$clsort" devices >result'
check sort_takes_the_device_of_the_variable eval '! CLSORT_DEVICE=no-such-device-anywhere "$clsort" sort </dev/null 2>messages'
check device_option_beats_the_variable eval 'CLSORT_DEVICE=no-such-device-anywhere "$clsort" sort --device 0 </dev/null'
check device_by_variable grep -q "it is what CLSORT_DEVICE='0' asks for" result
check missing_device fails 1 'device' sort --device no-such-device-anywhere small.txt out3.txt
check missing_device absent out3.txt
check missing_device fails 1 'device' devices --device no-such-device-anywhere
check missing_device fails 1 'device' devices --tuning --device no-such-device-anywhere
check tuning_rows_are_shown run 0 devices --tuning
for key_bytes in 1 2 4 8; do
    check "tuning_row_of_keys_of_$key_bytes" grep -Eq "^$key_bytes +none .*built-in row [0-9]+ \(vendor .*\)" result
done
check missing_device fails 1 'device' selftest --device no-such-device-anywhere
check missing_platform eval '! OCL_ICD_VENDORS="$folder/none/" OCL_ICD_FILENAMES= "$clsort" sort small.txt 2>messages'
check missing_platform grep -Eq '^clsort: .*(platform|device)' messages
check missing_platform test "$(wc -l <messages)" -eq 1

check stats_go_to_standard_error run 0 sort --stats --no-cache --device 0 small.txt
check stats_go_to_standard_error eval 'cmp -s result <(printf "1\n2\n3\n")'
for title in device algorithm count prepare upload sort download rate; do
    check "stats_tell_$title" grep -q "^$title " messages
done
check progress_names_the_phases run 0 sort --progress small.txt
for phase in reading uploading sorting writing; do
    check "progress_names_$phase" grep -qx "clsort: $phase" messages
done
check bad_tuning_is_refused fails 1 'tuning' sort --tuning nonsense small.txt
check good_tuning_is_accepted run 0 sort --tuning items=4 small.txt
check good_tuning_is_accepted eval 'cmp -s result <(printf "1\n2\n3\n")'
check unstable run 0 sort --unstable --key i64 numbers.txt
check unstable eval 'cmp -s result <(sort -s -n numbers.txt)'
for algorithm in $("$clsort" sort --help | sed -n 's/.*the algorithm: //p'); do
    case $algorithm in
    counting | samplesort | segmented | segmented_hybrid | segmented_pairs | segmented_serial | hybrid | hybrid_exact | \
        hybrid_stable)
        # Lines are sorted as pairs, which these do not take, or not where work-groups have one work-item.
        if ! "$clsort" sort --algorithm "$algorithm" small.txt >result 2>messages; then
            check "algorithm_$algorithm" grep -q 'cannot do' messages
            continue
        fi
        ;;
    esac
    check "algorithm_$algorithm" run 0 sort --stats --algorithm "$algorithm" small.txt
    check "algorithm_$algorithm" eval 'cmp -s result <(printf "1\n2\n3\n")'
    check "algorithm_$algorithm" grep -q "^algorithm  *$algorithm$" messages
done
check low_memory run 0 sort --low-memory numbers.txt
sort -s -n numbers.txt >expected
check low_memory same result expected

check selftest_passes run 0 selftest --seconds 20
check selftest_passes grep -Eqx 'selftest: [1-9][0-9]* passed, 0 failed' result

echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
