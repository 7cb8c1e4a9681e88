#!/usr/bin/env bash
# Shared start of the project checks: where things are, an empty work folder, and how a check fails.
# CTest sets SOURCE, BUILD, WORK and CMAKE; by hand: SOURCE=. BUILD=build WORK=/tmp/check bash CHECK.sh
set -euo pipefail
: "${SOURCE:?the source tree}" "${BUILD:?the build folder}" "${WORK:?a folder that may be emptied}"
CMAKE=${CMAKE:-cmake}
SOURCE=$(cd "$SOURCE" && pwd)
BUILD=$(cd "$BUILD" && pwd)
rm -rf "$WORK"
mkdir -p "$WORK"
WORK=$(cd "$WORK" && pwd)
export XDG_CONFIG_HOME=$WORK/no-settings # tuning rows of the user's are not part of any check

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || fail "needs $tool, which './run test' installs"
    done
}

# The project's own files that are in the tree, without build folders: copied to $1.
copy_tree() {
    mkdir -p "$1"
    (cd "$SOURCE" && cp -r CMakeLists.txt include src cl cmake "$1")
    (cd "$SOURCE" && for extra in LICENSE README.md CHANGELOG.md tests benchmarks docs; do
        [ ! -e "$extra" ] || cp -r "$extra" "$1"
    done)
}
