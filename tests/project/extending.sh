#!/usr/bin/env bash
# The recipes of docs/extending.md for a key type and a device, applied as patches to a copy of the tree: it builds, and
# sorts with them.
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
"$CMAKE" -S "$WORK/tree" -B "$WORK/build" -DCLSORT_BUILD_SHARED=OFF -DCLSORT_BUILD_BENCHMARKS=OFF -DCLSORT_WERROR=ON \
    -DCMAKE_INSTALL_PREFIX="$WORK/prefix" >"$WORK/log" 2>&1 || { cat "$WORK/log"; fail "configure"; }
"$CMAKE" --build "$WORK/build" >>"$WORK/log" 2>&1 || { grep -A6 -i error "$WORK/log"; fail "build"; }
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$SOURCE/tests/project/extended_sort.c" -I "$WORK/tree/include" \
    "$WORK/build/libclsort.a" -lOpenCL -lpthread -ldl -o "$WORK/extended_sort" || fail "extended_sort.c"
export CLSORT_CACHE_DIR=$WORK/cache
# The row is the one in use, and what it says is: by the names of PoCL 3 and of PoCL 4.
for driver in pthread cpu; do
    "$WORK/extended_sort" "$driver-znver4-AMD EPYC" | tee "$WORK/output" || fail "sorting with the recipes on $driver"
    grep -q "^tuning .*$driver-\*.*items=512" "$WORK/output" || fail "the device row for $driver is not in use"
done
# The command knows the key type too.
printf '1\n0\n1\n0\n' | "$WORK/build/bin/clsort" sort --device "Portable Computing Language" --key bool8 >"$WORK/lines" ||
    fail "the command does not know the key type"
[ "$(paste -sd' ' "$WORK/lines")" = "0 0 1 1" ] || fail "the command does not sort the key type"
