#!/usr/bin/env bash
# The API reference is made from the header by Doxygen, warnings as errors, and no function is left without a comment.
. "$(dirname "$0")/common.sh"
need doxygen
cd "$SOURCE"
# Doxygen adds settings up from the end: these are for this run.
{ cat docs/Doxyfile; printf 'OUTPUT_DIRECTORY = "%s"\nGENERATE_XML = YES\n' "$WORK"; } | doxygen - || fail "doxygen warns"
[ -s "$WORK/html/index.html" ] || fail "no pages were made"

# Described: by a comment of its own, by one that it shares with the function above it, or by name in another comment.
header=include/clsort/clsort.h
awk '/^CLSORT_API / {if (above !~ /\*\/$|^CLSORT_API /) print} {above = $0}' "$header" |
    sed 's/^CLSORT_API .*[ *]\(clsort_[a-z0-9_]*\)(.*/\1/' >"$WORK/bare"
while read -r name; do
    grep -v '^CLSORT_API ' "$header" | grep -q "$name()" || fail "$name is not described in $header"
done <"$WORK/bare"
# Each is a member of the reference.
while read -r name; do
    grep -q "<name>$name</name>" "$WORK"/xml/*.xml || fail "$name is not in the reference"
done <tests/project/symbols.txt
echo "$(wc -l <tests/project/symbols.txt) functions in the reference"
