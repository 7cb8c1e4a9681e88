#!/usr/bin/env bash
# bench_test.sh: runs clsort-bench as a user would and checks its rows, files, pages and exit codes. No time is looked at.
#
# usage: bench_test.sh PATH-OF-CLSORT-BENCH [PATH-OF-A-PEER...]
set -u
export LC_ALL=C
# With sanitizers: the leak sanitizer falls over the thread-local memory of a thread of PoCL's that has not done anything yet.
export LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}use_tls=0

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 PATH-OF-CLSORT-BENCH [PATH-OF-A-PEER...]" >&2
    exit 2
fi
bench=$(realpath "$1")
shift
peers=()
for peer in "$@"; do peers+=("$(realpath "$peer")"); done
tests=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2

# shellcheck source=tests/cli_support.sh
. "$tests/cli_support.sh"

# run CODE ARGUMENTS...: runs the bench, keeps what it prints in result and messages, and checks its exit code.
run() {
    local expected=$1 code=0
    shift
    "$bench" "$@" >result 2>messages || code=$?
    [ "$code" -eq "$expected" ] || { echo "    exit code $code instead of $expected: clsort-bench $*"; return 1; }
}

# A failure whose message fits the pattern.
fails() {
    local code=$1 pattern=$2
    shift 2
    run "$code" "$@" && grep -Eq -- "$pattern" messages
}

count() { grep -c -- "$1" "$2"; }
has_lines() { [ "$(wc -l <"$2")" -eq "$1" ]; }

# times FACTOR LINE-PATTERN FILE: the file with the times of some rows changed.
times() {
    awk -v factor="$1" -v pattern="$2" '
        $0 ~ pattern && /"ms_median"/ {
            n = split("ms_median ms_best ms_lower_quartile ms_upper_quartile", names, " ")
            for (i = 1; i <= n; i++)
                if (match($0, "\"" names[i] "\": [0-9.]+")) {
                    begin = substr($0, 1, RSTART + length(names[i]) + 3)
                    ms = substr($0, RSTART + length(names[i]) + 4, RLENGTH - length(names[i]) - 4)
                    $0 = begin sprintf("%.6f", ms * factor) substr($0, RSTART + RLENGTH)
                }
        }
        { print }' "$3"
}

# ------------------------------------------------------------------------------------------------ rows and files

help_names_every_option() {
    local option
    for option in device op key value n step order data algorithm flags promise-length tuning runs phases verify-only csv json note \
        check-choice tolerance experiment help version; do
        grep -q -- "--$option" result || return 1
    done
}
check help run 0 --help
check help_names_every_option help_names_every_option
check unknown_option_is_a_usage_error fails 2 'no such option' --frobnicate
check unknown_experiment_is_a_usage_error fails 2 'frob: not known' --experiment frob
check ways_exclude_each_other fails 2 'does not go with' --check-choice --experiment crossover
check json_needs_times fails 2 'does not go with' --verify-only --json a.json
check json_in_no_folder fails 1 'cannot be written' --json nowhere/a.json --n 16
check compare_help run 0 compare --help
check report_help run 0 report --help

small=(--op keys,argsort --n 256,1000 --runs 3)
check sweep_writes_both_formats run 0 "${small[@]}" --csv a.csv --json a.json --note 'a "test"'
check sweep_writes_both_formats same result a.csv
check csv_has_a_row_for_each_case has_lines 5 a.csv
first_columns() {
    [ "$(head -n 1 a.csv | cut -d, -f1-12)" = \
        library,device,op,key,value,order,data,n,ms_median,ms_best,gkeys_per_s,workspace_bytes ]
}
check csv_begins_with_the_columns_it_always_had first_columns
rows_agree() {
    sed -n 's/.*"library": "\([^"]*\)".*"op": "\([^"]*\)", "key": "\([^"]*\)".*"n": \([0-9]*\),.*/\1,\2,\3,\4/p' a.json >in_json
    tail -n +2 a.csv | cut -d, -f1,3,4,8 >in_csv
    [ -s in_json ] && same in_json in_csv
}
check rows_of_both_formats_agree rows_agree
check json_names_the_device grep -Eq '"name": "[^"]+", "vendor": "[^"]+", .*"driver": "[^"]+"' a.json
check json_names_version_and_date grep -Eq '"date": "20[0-9-]{8}T[0-9:]{8}Z"' a.json
check json_keeps_the_note grep -Fq '"note": "a \"test\""' a.json
check every_device_is_run run 0 --device all --n 256 --runs 1 --json all.json
check every_device_is_run grep -q '"devices": ' all.json
check verify_only_prints_no_rows run 0 --verify-only --n 256
check verify_only_prints_no_rows is_empty result
check every_shape_is_sorted run 0 --verify-only --n 1000 --data uniform,sorted,reversed,equal,few16,low16,and3,quarter_equal,zipf,two_values,organ_pipe,last_minimum,median_killer,one_outlier,staircase,two_middles,two_ends,hot_500,hot_20000,zero_bytes,fixed_bytes,bell,runs_10000,modulo_1000
check longest_segment_can_be_promised run 0 --op segmented_keys --data segments_to_50 --n 2000 --promise-length --verify-only

# ----------------------------------------------------------------------------------------------------- comparing

check file_equals_itself run 0 compare a.json a.json
check file_equals_itself grep -q '^# 4 cases: 0 slower, 0 faster' result
# Times that do not depend on how busy the machine is.
sed 's/"ms_median": [0-9.]*, "ms_best": [0-9.]*, "ms_lower_quartile": [0-9.]*, "ms_upper_quartile": [0-9.]*/"ms_median": 1.0, "ms_best": 0.9, "ms_lower_quartile": 0.95, "ms_upper_quartile": 1.05/' \
    a.json >even.json
times 2 '"op": "argsort".*"n": 1000,' even.json >slow.json
check planted_slowdown_is_flagged run 1 compare even.json slow.json
check planted_slowdown_is_flagged grep -Eq '^clsort argsort .* 1000 .* 2\.000 SLOWER' result
check planted_slowdown_is_flagged grep -q '^# 4 cases: 1 slower, 0 faster' result
check planted_gain_is_no_failure run 0 compare slow.json even.json
check planted_gain_is_no_failure grep -q '^# 4 cases: 0 slower, 1 faster' result
check threshold_is_heeded run 0 compare even.json slow.json --threshold 150
# Twice the median, but half of the times reach below the slowest half of those before.
sed 's/"ms_lower_quartile": [0-9.]*/"ms_lower_quartile": 0.000001/; s/"ms_best": [0-9.]*/"ms_best": 0.000001/' slow.json >wide.json
check spread_is_heeded run 0 compare even.json wide.json
sed 's/"name": "[^"]*"/"name": "another"/' a.json >another.json
check other_devices_are_not_compared fails 2 'no case in common' compare a.json another.json
check other_devices_are_compared_if_asked run 0 compare a.json another.json --across-devices
check one_file_is_a_usage_error fails 2 'two files' compare a.json
check threshold_is_a_number fails 2 'not a number' compare a.json a.json --threshold x

# The CSV file says the same, without the quartiles in files of older versions.
check csv_is_read run 0 compare a.json a.csv --threshold 1
check csv_is_read grep -q '^# 4 cases: 0 slower, 0 faster' result
cut -d, -f1-12 a.csv | cat a.csv - >two.csv
check csv_of_fewer_columns_is_read run 0 compare a.csv two.csv
check csv_of_fewer_columns_is_read grep -q '^# only after: 4 cases' result
printf '%s\n%s\n' "$(head -n 1 a.csv)" 'clsort,d,keys,u32,-,asc,uniform,1,fast,1,1,1' >bad.csv
check bad_csv_time fails 2 'bad\.csv:2: ' compare a.csv bad.csv
printf '%s\n%s\n' "$(head -n 1 a.csv)" 'clsort,d' >bad.csv
check bad_csv_columns fails 2 'bad\.csv:2: ' compare a.csv bad.csv
printf 'a,b\n' >bad.csv
check bad_csv_head fails 2 'bad\.csv:1: ' compare a.csv bad.csv

# refused LINE TEXT...: a file of these lines is refused by its name and this line, by both commands.
refused() {
    local line=$1
    shift
    printf '%s\n' "$@" >bad.json
    fails 2 "bad\.json:$line: " compare a.json bad.json && fails 2 "bad\.json:$line: " report bad.json -o bad.html && absent bad.html
}
head='{"format": "clsort-bench", "version": 1, "clsort": "0.1.0", "date": "today",'
device='"devices": [{"name": "d"}],'
row='{"library": "l", "device": 0, "op": "keys", "key": "u32", "value": "-", "order": "asc", "data": "uniform", "n": 1,'
check bad_empty refused 2 ''
check bad_end refused 3 '{' '"format": "clsort-bench"'
check bad_comma refused 2 '{"a": [1,' '2,]}'
check bad_number refused 2 '{' '"a": 01}'
check bad_word refused 1 '{"a": nan}'
check bad_string refused 1 '{"a": "b' '"}'
check bad_escape refused 1 '{"a": "\q"}'
check bad_surrogate refused 1 '{"a": "\ud800"}'
check bad_rest refused 2 '{}' '{}'
check bad_nesting refused 1 "$(printf '[%.0s' {1..100})"
check bad_list refused 1 '[1, 2]'
check bad_format refused 1 '{"format": "another", "version": 1}'
check bad_version refused 2 '{"format": "clsort-bench",' '"version": 999}'
check no_rows refused 1 "$head" "$device" '"a": 0}'
check bad_row refused 4 "$head" "$device" '"rows": [' '7]}'
check bad_member refused 4 "$head" "$device" '"rows": [' "$row"'"ms_median": "fast", "ms_best": 1}]}'
check bad_time refused 4 "$head" "$device" '"rows": [' "$row"'"ms_median": -1, "ms_best": 1}]}'
check bad_order refused 4 "$head" "$device" '"rows": [' "$row"'"ms_median": 1, "ms_best": 2}]}'
check bad_count refused 5 "$head" "$device" '"rows": [{"library": "l", "device": 0, "op": "keys", "key": "u32",' \
    '"value": "-", "order": "asc", "data": "uniform",' '"n": 1.5, "ms_median": 1, "ms_best": 1}]}'
check bad_device refused 3 "$head" '"devices": [],' '"rows": ['"$row"'"ms_median": 1, "ms_best": 1}]}'
check missing_file fails 2 'nowhere\.json: ' compare a.json nowhere.json
for lines in 3 9 10; do
    head -n "$lines" a.json >cut.json
    check "file_cut_after_$lines" fails 2 'cut\.json:[0-9]+: ' compare cut.json a.json
done

# ----------------------------------------------------------------------------------------- the ways besides a sweep

choice_speaks_of_every_case() { [ "$(count '^# choice keys u32 - asc uniform n=' messages)" -eq 2 ]; }
choice=(--check-choice --op keys --key u32 --n 256,1000 --algorithm serial_radix,radix --runs 1)
code=0
"$bench" "${choice[@]}" >result 2>messages || code=$?
check choice_speaks_of_every_case choice_speaks_of_every_case
check choice_exit_says_so test "$code" -eq "$(grep -q 'NOT THE BEST' messages && echo 1 || echo 0)"

check crossover run 0 --experiment crossover --n 100,1000 --runs 1 --json crossover.json
check crossover test "$(count '"library": "clsort/\(bitonic_global\|radix\)"' crossover.json)" -eq 4
check crossover test "$(count '^# crossover keys u32 - uniform n=' messages)" -eq 2
check histograms run 0 --experiment histograms --n 1000,5000 --runs 1 --json histograms.json
check histograms test "$(count '"library": "histogram/' histograms.json)" -eq 12

# --------------------------------------------------------------------------------------------------------- peers

run_peer() { "$peer" --op keys,pairs --key u32,u64 --n 256,1000 --runs 1 --json "$name.json" --csv "$name.csv" >result 2>messages; }
for peer in "${peers[@]}"; do
    name=$(basename "$peer")
    check "$name" run_peer
    check "${name}_right" grep -q ' cases right' messages
    check "${name}_csv" test "$(head -n 1 "$name.csv")" = "$(head -n 1 a.csv)"
    check "${name}_is_read" run 0 compare "$name.json" "$name.json"
    # The same data as the bench has.
    check "${name}_data" grep -q "$(grep -o '"checksum": "[0-9a-f]*"' a.json | head -n 1)" "$name.json"
done

# -------------------------------------------------------------------------------------------------------- report

absent_tool() { PATH=$folder/none "$bench" report a.json -o none.html >result 2>messages; [ $? -eq 1 ] && grep -q gnuplot messages; }
check report_without_gnuplot_says_so absent_tool
check report_without_gnuplot_says_so absent none.html
check report_without_a_file_is_a_usage_error fails 2 'a file of rows' report -o r.html
check report_without_a_page_is_a_usage_error fails 2 'is needed' report a.json

files=(a.json another.json two.csv crossover.json histograms.json hostile.json)
for peer in "${peers[@]}"; do files+=("$(basename "$peer").json"); done
# Names that are markup, or commands of gnuplot or a shell.
sed 's/"name": "[^"]*"/"name": "<b> \& `touch pwned` $(touch pwned) \\" x"/; s/"library": "clsort"\(.*"n": 256,\)/"library": "system(\x27touch pwned\x27) <script>"\1/' \
    a.json >hostile.json
each_is_well_formed() {
    local file
    for file in "$@"; do awk -f "$tests/check_markup.awk" "$file" || return 1; done
}
if command -v gnuplot >/dev/null; then
    mkdir plots
    check report run 0 report "${files[@]}" -o report.html --svg plots --title 'A <page>'
    check report_is_well_formed each_is_well_formed report.html
    check plots_are_well_formed each_is_well_formed plots/*.svg
    plots_are_there() { [ "$(grep -o '<svg ' report.html | wc -l)" -eq "$(find plots -name '*.svg' | wc -l)" ]; }
    check every_plot_is_on_the_page_and_a_file plots_are_there
    for kind in devices sorts algorithms libraries copy; do
        check "plots_of_$kind" test -n "$(find plots -name "$kind-*.svg")"
    done
    if [ "${#peers[@]}" -gt 0 ]; then check plots_of_ratio test -n "$(find plots -name "ratio-*.svg")"; fi
    check report_is_for_light_and_dark grep -q 'prefers-color-scheme: dark' report.html
    check report_is_for_phones grep -q 'name="viewport"' report.html
    check report_has_all_rows test "$(grep -c '^<tr><td>' report.html)" -ge 12
    check names_do_nothing absent pwned
    check report_into_no_folder fails 1 'cannot be written: nowhere/' report a.json -o nowhere/report.html
    check report_into_no_folder is_empty result
    check plots_into_no_folder fails 1 'cannot be written: nowhere/' report a.json --svg nowhere
    check plots_beside_the_page_are_removed test -z "$(find . -maxdepth 1 -name '*.svg')"
else
    echo "the plots are not tested: gnuplot is not there"
fi

echo "$n_passed checks passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
