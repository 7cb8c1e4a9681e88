#!/bin/sh
# Runs a program under Oclgrind and fails on any report that the suppressions do not match:
#   run_oclgrind.sh SUPPRESSIONS PROGRAM [ARGUMENT...]
# With PLANTED in place of SUPPRESSIONS the program has faults on purpose, and each of them has to be reported.
set -u
suppressions=$1
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.patterns" "$log.reports"' EXIT
# The optimiser of Oclgrind 21.10 makes an intrinsic (llvm.usub.sat) that its interpreter does not have.
oclgrind --data-races --uninitialized --max-errors 10000 --build-options -cl-opt-disable --log "$log" "$@"
status=$?
# A report begins at the margin; what belongs to it is indented.
grep -v '^[[:space:]]' "$log" | grep . >"$log.reports"
if [ "$suppressions" = PLANTED ]; then
    for fault in 'data race' 'Invalid write' 'uninitialized value'; do
        grep -q "$fault" "$log.reports" || { echo "not reported: $fault"; status=1; }
    done
    exit "$status"
fi
grep -vE '^(#|$)' "$suppressions" >"$log.patterns"
if [ -s "$log.patterns" ]; then
    grep -vE -f "$log.patterns" "$log.reports" >"$log.left"
    mv "$log.left" "$log.reports"
fi
if [ -s "$log.reports" ]; then
    echo "Oclgrind reports:"
    cat "$log"
    exit 1
fi
exit "$status"
