#!/usr/bin/env bash
# Compiles the kernel programs with the compilers of AMD and Intel, for which no GPU has to be there, with the options of
# the tuning rows of each family, and holds what they need against the family's limits. One row and a covering choice of
# programs, for all targets of vendor_targets.txt in turn where an algorithm has six or more; with --full one target's share
# of all rows and programs, of which each is compiled for a target of each maker, and every kernel for all. Prints the worst of each kernel;
# table.txt in WORK has all.
. "$(dirname "$0")/common.sh"
full=${1:-} only=${2:-}
[ $# = 0 ] || [ "$full $#" = "--full 2" ] || fail "usage: vendor_compilers.sh [--full TARGET]"
need clang-19 ocloc readelf
programs=$BUILD/bin/clsort-programs
[ -x "$programs" ] || fail "$programs is not built"
bitcode=$(find /usr/lib -path '*amdgcn/bitcode' -type d | head -n 1)
[ -n "$bitcode" ] || fail "needs rocm-device-libs: without them the figures mean nothing"
export WORK bitcode

# Of the AMD and Intel OpenCL runtimes, for every device here: bytes of local memory and work-items of a group.
local_limit=65536
group_limit_amd=1024
group_limit_intel=512

# The compiler's options for an AMD target. The device libraries of Debian 12 are older than the last two, so that those are
# linked with the files of their nearest relative and with the code object version that the files are for.
amd_options() {
    local target=$1 relative=$2 wave64=$3 file
    if [ "$relative" = - ]; then
        printf '%s\n' "--rocm-path=/usr" "--rocm-device-lib-path=$bitcode"
        return
    fi
    printf '%s\n' -nogpulib -mcode-object-version=4
    for file in opencl ocml ockl "oclc_isa_version_$relative" "oclc_wavefrontsize64_$wave64" oclc_abi_version_400 \
        oclc_daz_opt_off oclc_finite_only_off oclc_unsafe_math_off oclc_correctly_rounded_sqrt_on; do
        printf '%s\n' -Xclang -mlink-builtin-bitcode -Xclang "$bitcode/$file.bc"
    done
}
export -f amd_options

# Lines "target algorithm/kernel group vgpr sgpr spills scratch local wave", of the metadata in the assembly.
amd_figures() {
    awk -v target="$1" -v algorithm="$2" '
    function flush() {
        if (name != "") print target, algorithm "/" name, group, vgpr, sgpr, spills, scratch, lds, wave
        name = ""; spills = 0; group = "?"
    }
    /^amdhsa.kernels:/ {on = 1; spills = 0; group = "?"}
    /^amdhsa.target:/ {flush(); on = 0}
    !on {next}
    /^  - / {flush()}
    /\.reqd_workgroup_size:/ {getline; group = $2}
    /\.group_segment_fixed_size:/ {lds = $2}
    /^ +\.name: +[a-z_0-9]+$/ && !/^ {8}/ {name = $2}
    /\.private_segment_fixed_size:/ {scratch = $2}
    /\.sgpr_count:/ {sgpr = $2}
    /\.vgpr_count:/ {vgpr = $2}
    /\.[sv]gpr_spill_count:/ {spills += $2}
    /\.wavefront_size:/ {wave = $2}
    END {flush()}' "$3"
}
export -f amd_figures

# The same of the metadata in an Intel binary: registers are those of a thread, scratch the bytes of a thread for spills and
# private arrays (of which spills gives those that are for spills alone), the wave is the width of the SIMD code.
intel_figures() {
    readelf -p .ze_info "$3" 2>/dev/null | sed 's/\\n$//' | awk -v target="$1" -v algorithm="$2" '
    function flush() {
        if (name != "") print target, algorithm "/" name, group, grf, "n/a", spills, scratch, slm, simd
        name = ""; group = "?"; grf = simd = "n/a"; spills = scratch = slm = in_memory = 0
    }
    / kernels:$/ {on = 1}
    / (functions|kernels_misc_info):$/ {flush(); on = 0}
    !on {next}
    / - name: / {flush(); name = $NF}
    / reqd_work_group_size:/ {gsub(/[][,]/, " "); group = $2}
    / grf_count:/ {grf = $NF}
    / simd_size:/ {simd = $NF}
    / slm_size:/ {slm = $NF}
    / per_thread_memory_buffers:$/ {in_memory = 1}
    in_memory && / usage:/ {usage = $NF}
    in_memory && / size:/ {scratch += $NF; if (usage == "spill_fill_space") spills += $NF}
    END {flush()}'
}
export -f intel_figures

# One program for one target; the line of the job is "maker|target|relative|wave64|program|files|options".
compile() {
    local maker target relative wave64 program files options base algorithm machine warnings
    IFS='|' read -r maker target relative wave64 program files options <<<"$1"
    base=$WORK/$target/$program
    algorithm=$(basename "${files##* }" .cl)
    mkdir -p "$WORK/$target"
    # The driver is given the sources as they are, one behind the other.
    # shellcheck disable=SC2086
    (cd "$CL" && cat $files) >"$base.cl"
    if [ "$maker" = amd ]; then
        mapfile -t machine < <(amd_options "$target" "$relative" "$wave64")
        # What a program's types have no use for is still declared, and not every kernel uses every shared function.
        warnings=(-Wall -Wextra -Wno-unused -Wunused-value -Wno-unused-parameter -Wno-unused-but-set-parameter -Werror)
        # shellcheck disable=SC2086
        clang-19 -x cl -O3 "${warnings[@]}" -target amdgcn-amd-amdhsa "-mcpu=$target" \
            "${machine[@]}" $options -S "$base.cl" -o "$base.s" >"$base.log" 2>&1 ||
            { echo "$target $program: does not compile" >>"$base.bad"; return; }
        if grep -q s_swappc "$base.s"; then
            echo "$target $program: a call is left in it" >>"$base.bad"
        fi
        amd_figures "$target" "$algorithm" "$base.s" >"$base.figures"
    else
        ocloc compile -q -file "$base.cl" -device "$target" --format zebin -options "-Werror $options" \
            -out_dir "$WORK/$target" -output "$program" -output_no_suffix -exclude_ir >"$base.log" 2>&1 &&
            [ -s "$base" ] || { echo "$target $program: does not compile" >>"$base.bad"; return; }
        if grep -qi warning "$base.log"; then
            echo "$target $program: warnings" >>"$base.bad"
        fi
        intel_figures "$target" "$algorithm" "$base" >"$base.figures"
    fi
    sed "s/\$/ $program/" "$base.figures" >"$base.row"
    [ -s "$base.row" ] || echo "$target $program: no kernel found in it" >>"$base.bad"
    rm -f "$base" "$base".{cl,s,spv,figures}
}
export -f compile
export CL=$SOURCE/cl

# Of the algorithms with six programs or more each target compiles every sixth one, and the next target the next ones: every algorithm is
# compiled for all targets, and of its programs a share; --full compiles them all.
share_out() {
    awk -F '\t' -v number="$1" '
    {name = $1; sub(/-.*/, "", name)}
    FNR == NR {total[name]++; next}
    total[name] < 6 || (++n[name] + number) % 6 == 0' "$2" "$2"
}

# With --full all programs of one maker are shared among its targets; of a kind that has few, each target compiles them all, so that
# every kernel is compiled for every target.
share_out_all() {
    local maker=$1 target=$2 list=$3
    awk -v maker="$maker" -v target="$target" '
    FNR == 1 {file++}
    file == 1 {if ($1 == maker) {if ($2 == target) own = n; n++}; next}
    {name = $1; sub(/-.*/, "", name)}
    file == 2 {total[name]++}
    file == 3 && (total[name] < 3 * n || seen[name]++ % n == own)' \
        "$SOURCE/tests/project/vendor_targets.txt" "$list" "$list"
}

number=0
while read -r maker target relative wave64; do
    [[ $maker != "#" && ${only:-$target} = "$target" ]] || continue
    "$programs" "$maker" ${full:+--all} >"$WORK/programs" || fail "clsort-programs $maker"
    if [ -n "$full" ]; then
        share_out_all "$maker" "$target" "$WORK/programs" >"$WORK/shared"
    else
        share_out $((++number)) "$WORK/programs" >"$WORK/shared"
    fi
    mv "$WORK/shared" "$WORK/programs"
    [ -s "$WORK/programs" ] || fail "no programs for $maker"
    while IFS=$'\t' read -r program files options; do
        printf '%s|%s|%s|%s|%s|%s|%s\n' "$maker" "$target" "$relative" "$wave64" "$program" "$files" "$options"
    done <"$WORK/programs"
done <"$SOURCE/tests/project/vendor_targets.txt" >"$WORK/jobs"
[ -s "$WORK/jobs" ] || fail "no target $only in vendor_targets.txt"
for file in "$CL"/*.cl; do
    [ "$(basename "$file")" != loop_probe.cl ] || continue # it runs on CPU devices alone
    grep -q "[| ]$(basename "$file")[| ]" "$WORK/jobs" || fail "no program has $file in it"
done
tr '\n' '\0' <"$WORK/jobs" | xargs -0 -P "${JOBS:-$(nproc)}" -I{} bash -c 'compile "$1"' compile {}

cat "$WORK"/*/*.row >"$WORK/rows" || fail "nothing compiled"
{ echo target kernel group vgpr/grf sgpr spills scratch local wave program; cat "$WORK/rows"; } | column -t >"$WORK/table.txt"
awk -v local_limit=$local_limit -v amd=$group_limit_amd -v intel=$group_limit_intel '
{
    limit = $1 ~ /^gfx/ ? amd : intel
    if ($3 == "?" || $3 > limit) print $1, $10, $2 ": work-group size " $3 ", limit " limit
    if ($8 > local_limit) print $1, $10, $2 ": " $8 " bytes of local memory, limit " local_limit
}' "$WORK/rows" >"$WORK/over.bad"

# The worst over the programs, one line a kernel and target, in the order of the targets.
awk '
function worst(column) {
    if ($column == "n/a") most[key, column] = "n/a"
    else if (!((key, column) in most) || $column + 0 > most[key, column]) most[key, column] = $column + 0
}
{
    key = $1 " " $2
    if (!(key in n)) order[++n_keys] = key
    n[key]++
    for (i = 3; i <= 9; i++) worst(i)
}
END {
    print "target kernel programs group vgpr/grf sgpr spills scratch local wave"
    for (k = 1; k <= n_keys; k++) {
        key = order[k]
        line = key " " n[key]
        for (i = 3; i <= 9; i++) line = line " " most[key, i]
        print line
    }
}' "$WORK/rows" | column -t | tee "$WORK/summary.txt"
printf '%s programs compiled, %s kernels in them; the worst of each kernel above, all in %s\n' \
    "$(wc -l <"$WORK/jobs")" "$(wc -l <"$WORK/rows")" "$WORK/table.txt"
if [ -n "$(cat "$WORK"/*/*.bad "$WORK/over.bad" 2>/dev/null)" ]; then
    cat "$WORK"/*/*.bad "$WORK/over.bad" 2>/dev/null | sort | head -n 40
    for log in "$WORK"/*/*.log; do
        [ ! -s "$log" ] || [ ! -s "${log%.log}.bad" ] || { head -n 20 "$log"; break; }
    done
    fail "kernels for AMD or Intel"
fi
