#!/usr/bin/env bash
# The whole tree, tests and benchmarks included, compiles without a warning: with gcc or clang, as the argument says.
. "$(dirname "$0")/common.sh"
compiler=${1:?gcc or clang}
need "$compiler"
"$CMAKE" -S "$SOURCE" -B "$WORK/build" -DCMAKE_C_COMPILER="$compiler" -DCLSORT_WERROR=ON -DCLSORT_BUILD_TESTS=ON \
    >"$WORK/log" 2>&1 || { cat "$WORK/log"; fail "configure with $compiler"; }
"$CMAKE" --build "$WORK/build" >>"$WORK/log" 2>&1 || { grep -E -A6 'error|Error' "$WORK/log" | head -n 60; fail "build with $compiler"; }
grep -q 'libclsort' "$WORK/log" || fail "nothing was built"
if grep -E 'warning:' "$WORK/log"; then
    fail "warnings with $compiler"
fi
echo "built clean with $("$compiler" --version | head -n 1)"
