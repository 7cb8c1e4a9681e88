#!/usr/bin/env bash
# Every function of OpenCL and every allocation that the library calls is one that tests/fault_sites.h makes fail: a new one would
# else never fail in test_failures. Those that give nothing but memory back have none.
. "$(dirname "$0")/common.sh"
need nm
export LC_ALL=C
static=$(find "$BUILD" -maxdepth 1 -name 'libclsort.a' | head -n 1)
[ -n "$static" ] || fail "no static library in $BUILD"
nm -u "$static" | awk '$1 == "U" {print $2}' |
    grep -xE 'cl[A-Z][A-Za-z]*|malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|strdup|strndup|asprintf' |
    sort -u >"$WORK/called"
sed -n 's/^#define \([A-Za-z_]*\)(.*/\1/p' "$SOURCE/tests/fault_sites.h" | sort -u >"$WORK/sites"
[ "$(wc -l <"$WORK/called")" -gt 30 ] || fail "hardly any call found in $static"
comm -23 "$WORK/called" "$WORK/sites" >"$WORK/missing"
[ ! -s "$WORK/missing" ] || fail "no site in tests/fault_sites.h for: $(tr '\n' ' ' <"$WORK/missing")"
echo "$(wc -l <"$WORK/called") functions have sites"
