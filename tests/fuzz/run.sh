#!/usr/bin/env bash
# Fuzzes: run.sh SECONDS [TARGET...] builds the targets (all if none is named) with clang, the address and the undefined-behaviour
# sanitizer, and runs each for so long from its corpus. What makes one fail is left in the build folder, as are new inputs.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source=$here/../..
build=${FUZZ_BUILD:-$source/build-fuzz}
seconds=${1:?usage: run.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(npy text segments tuning cache requests)
mkdir -p "$build"

# One at a time, where several tests come to build it.
(
    flock 9
    cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER="${FUZZ_CC:-clang}" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCLSORT_BUILD_TESTS=ON -DCLSORT_BUILD_SHARED=OFF -DCLSORT_BUILD_COMMAND=OFF -DCLSORT_BUILD_BENCHMARKS=OFF \
        -DCLSORT_SANITIZE=fuzzer-no-link,address,undefined >"$build/fuzz.log" 2>&1 &&
        cmake --build "$build" -j 1 --target "${targets[@]/#/fuzz_}" >>"$build/fuzz.log" 2>&1 ||
        { tail -n 30 "$build/fuzz.log" >&2; exit 1; }
) 9>"$build/lock"

export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
for target in "${targets[@]}"; do
    echo "== $target"
    mkdir -p "$build/corpus/$target"
    # Messages are closed, those of sanitizers excepted; leaks are looked for after every input.
    (cd "$build" && "tests/fuzz/fuzz_$target" "corpus/$target" "$here/corpus/$target" -max_total_time="$seconds" \
        -max_len=4096 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$target-" 2>&1 |
        grep -E 'DONE|stat::number|stat::new|ERROR|SUMMARY|not so|Test unit|runtime error|#[0-9]+ 0x')
done
