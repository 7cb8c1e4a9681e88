#!/usr/bin/env bash
# The public header alone is C99-, C11-, C17- and C++11- to C++17-clean, on gcc and clang.
. "$(dirname "$0")/common.sh"
need gcc g++ clang clang++
# Twice, for the include guard; in use, so that nothing of it is optional.
cat >"$WORK/use.c" <<'END'
#include <clsort/clsort.h>
#include <clsort/clsort.h>
clsort_range use(cl_mem buffer);
clsort_range use(cl_mem buffer)
{
    return clsort_make_range(buffer, 1);
}
END
cp "$WORK/use.c" "$WORK/use.cpp"
flags=(-Wall -Wextra -pedantic -Werror -Wshadow -Wundef -fsyntax-only -I "$SOURCE/include")
n=0
for compiler in gcc clang; do
    for standard in c99 c11 c17; do
        "$compiler" -std=$standard -Wstrict-prototypes "${flags[@]}" "$WORK/use.c" || fail "$compiler -std=$standard"
        n=$((n + 1))
    done
done
for compiler in g++ clang++; do
    for standard in c++11 c++14 c++17; do
        "$compiler" -std=$standard "${flags[@]}" "$WORK/use.cpp" || fail "$compiler -std=$standard"
        n=$((n + 1))
    done
done
# What the user has set stays: the target version is defined only where it is not.
printf '#define CL_TARGET_OPENCL_VERSION 300\n#include <clsort/clsort.h>\n#if CL_TARGET_OPENCL_VERSION != 300\n#error\n#endif\n' \
    >"$WORK/target.c"
gcc -std=c99 "${flags[@]}" "$WORK/target.c" || fail "CL_TARGET_OPENCL_VERSION of the user"
echo "header compiled clean $n ways"
