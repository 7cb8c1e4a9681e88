#!/usr/bin/env bash
# The programs that time other libraries compile without warnings, sort right, and write rows that clsort-bench reads.
. "$(dirname "$0")/common.sh"
need c++
"$CMAKE" -S "$SOURCE" -B "$WORK/build" -DCLSORT_BENCH_PEERS=ON -DCLSORT_WERROR=ON >"$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "configure"; }
grep 'libraries to compare with' "$WORK/log"
"$CMAKE" --build "$WORK/build" >>"$WORK/log" 2>&1 || { grep -E -A6 'error|Error' "$WORK/log" | head -n 60; fail "build"; }
[ -x "$WORK/build/bin/clsort-peer-cpu" ] || fail "no clsort-peer-cpu"
peers=("$WORK/build/bin/clsort-peer-cpu")
if [ -x "$WORK/build/bin/clsort-peer-boost-compute" ]; then peers+=("$WORK/build/bin/clsort-peer-boost-compute"); fi
bash "$SOURCE/tests/bench_test.sh" "$WORK/build/bin/clsort-bench" "${peers[@]}"
