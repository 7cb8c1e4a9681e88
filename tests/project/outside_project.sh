#!/usr/bin/env bash
# Builds the project in outside/ with clsort by one way (find_package, pkg_config or add_subdirectory) and runs it.
. "$(dirname "$0")/common.sh"
way=${1:?find_package, pkg_config or add_subdirectory}
outside=$SOURCE/tests/project/outside
prefix="$WORK/install prefix"

run_all() {
    local program
    for program in sort_c99 sort_c11 sort_cxx; do
        "$1/$program" | tee "$WORK/output"
        grep -qx 'sorted 1000 keys' "$WORK/output" || fail "$program by $way"
    done
}

# Of a build folder whose paths end up in no file that is installed: the prefix is given at install time.
install_clsort() {
    "$CMAKE" --install "$BUILD" --prefix "$prefix" >"$WORK/install.log" || fail "install"
    if [ -d "$BUILD/bin" ] && [ -e "$prefix/bin/clsort-bench" ]; then
        fail "clsort-bench is installed"
    fi
    local text_files
    text_files=$(find "$prefix" -name '*.cmake' -o -name '*.pc')
    if printf '%s\n' "$text_files" | tr '\n' '\0' | xargs -0 grep -lF -e "$BUILD" -e "$SOURCE" -e "$WORK"; then
        fail "an installed file names a folder of this machine, so the prefix cannot be moved"
    fi
}

# The outside project, from CMake: configure arguments follow.
build_outside() {
    local folder=$1
    shift
    "$CMAKE" -S "$outside" -B "$folder" "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; fail "configure by $way"; }
    "$CMAKE" --build "$folder" >>"$folder.log" 2>&1 || { cat "$folder.log"; fail "build by $way"; }
}

case $way in
find_package)
    install_clsort
    for target in clsort::clsort clsort::clsort_static; do
        folder="$WORK/build ${target#clsort::}"
        build_outside "$folder" "-DCMAKE_PREFIX_PATH=$prefix" -DCLSORT_TARGET=$target
        run_all "$folder"
    done
    readelf -d "$WORK/build clsort/sort_c99" | grep -q 'NEEDED.*libclsort' || fail "clsort::clsort is not the shared library"
    if readelf -d "$WORK/build clsort_static/sort_c99" | grep -q 'NEEDED.*libclsort'; then
        fail "clsort::clsort_static is the shared library"
    fi
    if [ -x "$prefix/bin/clsort" ]; then
        mv "$prefix" "$WORK/moved prefix"
        "$WORK/moved prefix/bin/clsort" --version || fail "the installed command does not run where it was moved to"
    fi
    ;;
pkg_config)
    need pkg-config
    install_clsort
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name clsort.pc)")
    export PKG_CONFIG_PATH
    eval "flags=($(pkg-config --cflags --libs clsort))"
    eval "static_flags=($(pkg-config --cflags --static --libs clsort | sed 's/-lclsort/-l:libclsort.a/'))"
    warnings=(-Wall -Wextra -Wpedantic -Werror)
    ${CC:-cc} -std=c99 "${warnings[@]}" "$outside/sort_small.c" -o "$WORK/sort_c99" "${flags[@]}"
    ${CC:-cc} -std=c11 "${warnings[@]}" "$outside/sort_small.c" -o "$WORK/sort_c11" "${static_flags[@]}"
    ${CXX:-c++} -std=c++11 "${warnings[@]}" "$outside/sort_small.cpp" -o "$WORK/sort_cxx" "${flags[@]}"
    library=$(dirname "$(find "$prefix" -name libclsort.so)")
    LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} run_all "$WORK"
    [ "$(pkg-config --modversion clsort)" = "$(sed -n 's/^#define CLSORT_VERSION_[A-Z]* //p' \
        "$SOURCE/include/clsort/clsort.h" | paste -sd.)" ] || fail "version in clsort.pc"
    ;;
add_subdirectory)
    copy_tree "$WORK/source tree"
    build_outside "$WORK/build" "-DCLSORT_FROM=$WORK/source tree"
    run_all "$WORK/build"
    ;;
*) fail "no such way: $way" ;;
esac
