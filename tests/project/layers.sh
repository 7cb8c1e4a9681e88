#!/usr/bin/env bash
# Files include only what is below them (layers.txt), the command only the public header and its own, and what is to stand
# in one place only does.
. "$(dirname "$0")/common.sh"
cd "$SOURCE"
awk '
FILENAME ~ /layers.txt$/ {
    if ($0 ~ /^#/ || NF == 0) next
    layer[$1] = $2
    for (i = 3; i <= NF; i++) also[$1, $i] = 1
    next
}
FNR == 1 {
    name = FILENAME
    sub(/^src\//, "", name)
    sub(/\.[ch]$/, "", name)
    seen[name] = 1
    n_files++
    if (!(name in layer)) complain("has no row in layers.txt")
}
match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*/, "", header)
    if ($0 !~ /"/ || header == "clsort/clsort.h") next
    sub(/^src\//, "", header)
    sub(/\.h$/, "", header)
    n_includes++
    if (header == name || (name, header) in also) next
    if (!(header in layer)) complain("includes " header ".h, which has no row in layers.txt")
    else if (layer[header] >= layer[name]) complain("of layer " layer[name] " includes " header ".h of layer " layer[header])
}
function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    bad = 1
}
END {
    for (name in layer)
        if (!(name in seen)) {
            printf "layers.txt: there is no src/%s.c or .h\n", name
            bad = 1
        }
    printf "%d files, %d includes\n", n_files, n_includes
    exit bad || n_files < 10
}' tests/project/layers.txt src/*.[ch] || fail "layers"

# The command stands on the public API alone.
for file in src/cli/*.[ch]; do
    while read -r header; do
        case $header in
        clsort/clsort.h) ;;
        */*) fail "$file includes $header" ;;
        *) [ -e "src/cli/$header" ] || fail "$file includes $header" ;;
        esac
    done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$file")
done

only_in() {
    local place=$1 pattern=$2 found
    found=$(grep -lE "$pattern" src/*.[ch] src/cli/*.[ch] | grep -vxE "$place" || true)
    [ -z "$found" ] || fail "$pattern belongs into $place, but is in: $found"
    grep -qE "$pattern" $(printf '%s\n' src/*.c src/cli/*.c | grep -xE "$place") || fail "$pattern is not in $place any more"
}
# The probe runs before there is a sorter, of whose parts a sequence makes use.
only_in 'src/(sequence|loop_probe)\.c' '\bclEnqueueNDRangeKernel *\('
only_in 'src/(platform|cli/files|cli/process)\.c' '#[ \t]*include *<(windows|pthread|unistd|fcntl|dirent|io|direct|sys/[a-z]+)\.h>'
# The library neither prints nor ends the process.
if grep -nE '\b(printf|puts|putchar|perror|abort|exit|_Exit)[ ]*\(|\bf(printf|puts|putc)[ ]*\( *std' src/*.c; then
    fail "the library prints or ends the process"
fi
