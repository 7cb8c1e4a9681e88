#!/usr/bin/env bash
# The recipes of docs/extending.md for a key type and a device, applied as patches to a copy of the tree, and a row that
# 'clsort tune' printed, put where docs/tuning.md says: it builds, and sorts with them.
. "$(dirname "$0")/common.sh"
need patch
copy_tree "$WORK/tree"
# Each ```diff block is one recipe.
awk -v work="$WORK" '
/^```diff$/ {n++; on = 1; next}
/^```$/ {on = 0}
on {print > (work "/recipe" n ".patch")}' "$SOURCE/docs/extending.md"
[ -s "$WORK/recipe1.patch" ] && [ -s "$WORK/recipe2.patch" ] || fail "docs/extending.md has not two recipes"
for recipe in "$WORK"/recipe*.patch; do
    patch -d "$WORK/tree" -p1 --fuzz=0 <"$recipe" || fail "$(basename "$recipe") does not apply"
done
export CLSORT_CACHE_DIR=$WORK/cache
# The row that is built in is made slow, so that there is something to print on any day; see tests/tune_test.sh.
CLSORT_TUNE_FAULT="slow bucket_keys=32768" CLSORT_TUNING_FILE=$WORK/rows "$BUILD/bin/clsort" tune \
    --device "Portable Computing Language" --key u32 --value none --algorithm chunked_radix --count 1024 --tries 2 --seconds 3000 --limit 100 >"$WORK/printed" 2>"$WORK/log" ||
    { cat "$WORK/log"; fail "clsort tune"; }
[ "$(grep -c '^{' "$WORK/printed")" -eq 1 ] || fail "clsort tune printed no row, or more than one"
grep -q 'right below the legend of the columns' "$SOURCE/docs/tuning.md" || fail "docs/tuning.md says no more where rows go"
awk -v rows="$WORK/printed" '{print} / levels \*\/$/ {while ((getline row < rows) > 0) print row}' \
    "$WORK/tree/src/tuning_table.h" >"$WORK/table" && mv "$WORK/table" "$WORK/tree/src/tuning_table.h"

"$CMAKE" -S "$WORK/tree" -B "$WORK/build" -DCLSORT_BUILD_SHARED=OFF -DCLSORT_BUILD_BENCHMARKS=OFF -DCLSORT_WERROR=ON \
    -DCMAKE_INSTALL_PREFIX="$WORK/prefix" >"$WORK/log" 2>&1 || { cat "$WORK/log"; fail "configure"; }
"$CMAKE" --build "$WORK/build" >>"$WORK/log" 2>&1 || { grep -A6 -i error "$WORK/log"; fail "build"; }
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$SOURCE/tests/project/extended_sort.c" -I "$WORK/tree/include" \
    "$WORK/build/libclsort.a" -lOpenCL -lpthread -ldl -o "$WORK/extended_sort" || fail "extended_sort.c"
# The row is the one in use, and what it says is: by the names of PoCL 3 and of PoCL 4.
for driver in pthread cpu; do
    "$WORK/extended_sort" "$driver-znver4-AMD EPYC" | tee "$WORK/output" || fail "sorting with the recipes on $driver"
    grep -q "^tuning .*$driver-\*.*items=512" "$WORK/output" || fail "the device row for $driver is not in use"
done
# The tuner's row serves its device and sizes, with its values, and no others.
"$WORK/build/bin/clsort" devices --tuning --device "Portable Computing Language" >"$WORK/shown" || fail "devices --tuning"
grep -Eq '^4 +none +built-in row 1 .*key_bytes 4, value_bytes none' "$WORK/shown" || fail "the tuner's row is not in use"
! grep -Eq '^(1|2|8) .*built-in row 1 |^4 +1 .*built-in row 1 ' "$WORK/shown" || fail "the tuner's row serves other sizes"
name=$(sed -n 's/^device  *//p' "$WORK/shown")
values=$(sed -n 's/.*,value_bytes=none,//p' "$WORK/rows")
"$WORK/extended_sort" "$name" | tee "$WORK/output" || fail "sorting with the tuner's row"
grep -q "^tuning built-in row 1 .*: $values$" "$WORK/output" || fail "the tuner's values are not in use"
# The command knows the key type too.
printf '1\n0\n1\n0\n' | "$WORK/build/bin/clsort" sort --device "Portable Computing Language" --key bool8 >"$WORK/lines" ||
    fail "the command does not know the key type"
[ "$(paste -sd' ' "$WORK/lines")" = "0 0 1 1" ] || fail "the command does not sort the key type"
