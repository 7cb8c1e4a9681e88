#!/usr/bin/env bash
# The first C example of README.md compiles as it stands and sorts.
. "$(dirname "$0")/common.sh"
awk '/^```c$/ && !done {on = 1; next} /^```$/ && on {on = 0; done = 1} on' "$SOURCE/README.md" >"$WORK/example.c"
[ -s "$WORK/example.c" ] || fail "README.md has no block of C"
grep -q 'clsort_' "$WORK/example.c" || fail "the first block of C does not use clsort"
library=$(dirname "$(find "$BUILD" -maxdepth 1 -name libclsort.so | head -n 1)")
${CC:-cc} -std=c99 -Wall -Wextra -Werror "$WORK/example.c" -I "$SOURCE/include" -L "$library" "-Wl,-rpath,$library" \
    -lclsort -lOpenCL -o "$WORK/example" || fail "the example does not compile"
"$WORK/example" >"$WORK/output" || fail "the example fails"
cat "$WORK/output"
# What it prints, if numbers, is sorted.
tr -cs '0-9' '\n' <"$WORK/output" | { grep . || true; } >"$WORK/numbers"
sort -n -c "$WORK/numbers" || fail "the example's numbers are not in order"
