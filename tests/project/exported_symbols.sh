#!/usr/bin/env bash
# The shared library exports exactly the functions declared CLSORT_API in the header; symbols.txt lists them, so that a
# change of either is seen. The static library has no global name outside the clsort_ namespace.
. "$(dirname "$0")/common.sh"
need nm
shared=$(find "$BUILD" -maxdepth 1 -name 'libclsort.so' | head -n 1)
static=$(find "$BUILD" -maxdepth 1 -name 'libclsort.a' | head -n 1)
[ -n "$shared" ] && [ -n "$static" ] || fail "no libraries in $BUILD"

export LC_ALL=C
sort "$SOURCE/tests/project/symbols.txt" >"$WORK/listed"
grep -c '^CLSORT_API ' "$SOURCE/include/clsort/clsort.h" >"$WORK/n_declared"
sed -n 's/^CLSORT_API .*[ *]\(clsort_[a-z0-9_]*\)(.*/\1/p' "$SOURCE/include/clsort/clsort.h" | sort >"$WORK/declared"
nm -D --defined-only "$shared" | awk '{print $3}' | sed 's/@.*//' | sort >"$WORK/exported"

[ "$(wc -l <"$WORK/declared")" = "$(cat "$WORK/n_declared")" ] || fail "a CLSORT_API line of the header has no name that was found"
[ "$(wc -l <"$WORK/declared")" -gt 20 ] || fail "hardly any declaration found in the header"
diff -u "$WORK/listed" "$WORK/declared" || fail "symbols.txt and the header differ"
diff -u "$WORK/listed" "$WORK/exported" || fail "symbols.txt and the shared library differ"
if nm -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 {print $3}' | grep -v '^clsort_'; then
    fail "the static library defines names outside clsort_"
fi
echo "$(wc -l <"$WORK/listed") exported functions"
