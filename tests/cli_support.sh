# cli_support.sh: what the tests of the clsort command are made of; read by cli_test.sh.
# shellcheck shell=bash disable=SC2034,SC2154

n_passed=0
n_failed=0

# check NAME COMMAND...: passes if the command does.
check() {
    local name=$1
    shift
    if "$@"; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "FAILED: $name: $*"
        if [ -s messages ]; then sed 's/^/    /' messages | head -n 5; fi
    fi
}

# run CODE ARGUMENTS...: runs the command, keeps what it prints in result and messages, and checks its exit code.
run() {
    local expected=$1 code=0
    shift
    "$clsort" "$@" >result 2>messages || code=$?
    if [ "$code" -ne "$expected" ]; then
        echo "    exit code $code instead of $expected: clsort $*"
        return 1
    fi
    # A failure says what it is in lines of its own, and success says nothing that was not asked for.
    if [ "$code" -ne 0 ]; then head -n 1 messages | grep -q '^clsort: '; fi
}

# A failure with the exit code and a first line that fits the pattern.
fails() {
    local code=$1 pattern=$2
    shift 2
    run "$code" "$@" && head -n 1 messages | grep -Eq -- "$pattern"
}

same() { cmp -s "$1" "$2"; }
absent() { [ ! -e "$1" ]; }
is_empty() { [ ! -s "$1" ]; }
no_temporary_is_left() { [ -z "$(find . -name '.clsort-*')" ]; }

# hex_bytes N WORD...: the words of N bytes each, given in hexadecimal, as little-endian bytes.
hex_bytes() {
    local n_bytes=$1 text= word i
    shift
    for word in "$@"; do
        for ((i = n_bytes - 1; i >= 0; i--)); do text+="\\x${word:2*i:2}"; done
    done
    printf '%b' "$text"
}

# npy DESCR SHAPE: the header of a .npy file of version 1.0.
npy() {
    local dictionary="{'descr': '$1', 'fortran_order': ${3-False}, 'shape': $2, }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$dictionary"
}

# numbers N LIMIT: N repeatable integers, of both signs, below LIMIT.
numbers() {
    awk -v n="$1" -v limit="$2" 'BEGIN { srand(7); for (i = 0; i < n; i++) print int((2 * rand() - 1) * limit) }'
}
