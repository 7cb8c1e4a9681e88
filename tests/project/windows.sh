#!/usr/bin/env bash
# The library and the command compile and link for Windows with mingw-w64, without warnings, on the OpenCL functions that
# cmake/opencl.def lists, which are exactly those in use.
. "$(dirname "$0")/common.sh"
triplet=x86_64-w64-mingw32
need $triplet-gcc $triplet-dlltool $triplet-nm
[ -d /usr/include/CL ] || fail "needs the OpenCL headers in /usr/include/CL"

# The headers of OpenCL alone: those of this machine's C library are no use there.
mkdir "$WORK/include"
ln -s /usr/include/CL "$WORK/include/CL"
$triplet-dlltool -d "$SOURCE/cmake/opencl.def" -l "$WORK/libOpenCL.dll.a" || fail "import library"

"$CMAKE" -S "$SOURCE" -B "$WORK/build" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$triplet-gcc \
    "-DOpenCL_INCLUDE_DIR=$WORK/include" "-DOpenCL_LIBRARY=$WORK/libOpenCL.dll.a" \
    -DCLSORT_WERROR=ON -DCLSORT_BUILD_BENCHMARKS=OFF -DCLSORT_BUILD_TESTS=OFF >"$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "configure"; }
"$CMAKE" --build "$WORK/build" >>"$WORK/log" 2>&1 || { grep -E -A6 'error|undefined|Error' "$WORK/log" | head -n 60; fail "build"; }
[ -s "$WORK/build/bin/clsort.exe" ] || fail "no clsort.exe"
dll=$(find "$WORK/build" -name 'libclsort*.dll' | head -n 1)
[ -n "$dll" ] || fail "no DLL"

# The bench compiles too. It is not linked, as it calls more of OpenCL than cmake/opencl.def lists.
for file in "$SOURCE"/benchmarks/*.c; do
    $triplet-gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror "-I$SOURCE/include" "-I$WORK/include" -c "$file" -o "$WORK/bench.o" ||
        fail "$file"
done

export LC_ALL=C
sed -n 's/^ *\(cl[A-Z][A-Za-z]*\).*/\1/p' "$SOURCE/cmake/opencl.def" | sort >"$WORK/listed"
find "$WORK/build" -name '*.obj' -exec $triplet-nm -u {} + | sed -n 's/^ *U \(__imp_\)\?\(cl[A-Z][A-Za-z]*\)$/\2/p' |
    sort -u >"$WORK/used"
diff -u "$WORK/listed" "$WORK/used" || fail "cmake/opencl.def and the functions in use differ"
# The DLL exports what the shared library exports elsewhere.
$triplet-objdump -p "$dll" | sed -n 's/^\t\[ *[0-9]*\] .* \(clsort_[a-z0-9_]*\)$/\1/p; s/^\t\[ *[0-9]*\] \(clsort_[a-z0-9_]*\)$/\1/p' |
    sort >"$WORK/exported"
diff -u <(sort "$SOURCE/tests/project/symbols.txt") "$WORK/exported" || fail "symbols.txt and the DLL differ"
echo "built $(basename "$dll") and clsort.exe on $(wc -l <"$WORK/used") OpenCL functions"
