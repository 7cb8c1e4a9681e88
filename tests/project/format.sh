#!/usr/bin/env bash
# Every C source and header is laid out as .clang-format says.
. "$(dirname "$0")/common.sh"
need clang-format
cd "$SOURCE"
mapfile -t files < <(find include src tests benchmarks cl -name '*.[ch]' -o -name '*.cpp' -o -name '*.cl' | sort)
[ "${#files[@]}" -gt 0 ] || fail "no files"
bad=()
for file in "${files[@]}"; do
    clang-format --dry-run -Werror "$file" 2>/dev/null || bad+=("$file")
done
[ "${#bad[@]}" -eq 0 ] || fail "not laid out so, which 'clang-format -i' mends: ${bad[*]}"
echo "${#files[@]} files formatted"
