#!/bin/sh
# Builds the C client's tests and runs them: in C99 and C++11, with sanitizers, with each compiler that is here, against
# a scripted supervisor and, where CURFEW names a curfew, against that. All in a directory of its own, removed after.
# Ends with "N passed, N failed, N skipped"; exit status 1 when something failed.
set -u
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
header=$(cd "$tests/../../../Sources/clients/c" && pwd) || exit 1
build=$(mktemp -d "${TMPDIR:-/tmp}/curfew-c.XXXXXX") || exit 1
# Reports of what is killed here are no business of the user's.
XDG_STATE_HOME=$(mktemp -d "${TMPDIR:-/tmp}/curfew-state.XXXXXX") || exit 1
export XDG_STATE_HOME
trap 'rm -rf "$build" "$XDG_STATE_HOME"' EXIT
trap 'exit 1' HUP INT TERM
if [ -n "${CURFEW:-}" ]; then CURFEW=$(realpath "$CURFEW") && export CURFEW; fi
unset CURFEW_FD CURFEW_SOCKET CURFEW_STATE_DIR
cd "$build" || exit 1

warnings='-Wall -Wextra -Wpedantic -Werror'
sources="$tests/client_test.c $tests/fake_supervisor.c"
passed=0
failed=0
skipped=0

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}

skip() {
    echo "skipped: $*"
    skipped=$((skipped + 1))
}

has() { command -v "$1" >/dev/null; }

# compile WORDS…: a compiler's command line, warnings being errors; what it says is shown when it fails.
compile() {
    # shellcheck disable=SC2086  # the warnings are several words
    "$@" $warnings "-I$header" >messages 2>&1 && return
    cat messages
    fail "$*"
    return 1
}

# expect WORDS…: as compile, and counted.
expect() {
    if compile "$@"; then passed=$((passed + 1)); fi
}

# run NAME WORDS…: runs a test program; adds its counts to the sums.
run() {
    name=$1
    shift
    echo "== $name"
    TMPDIR=$build timeout 300 "$@" >log 2>&1
    status=$?
    cat log
    counted=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p' log |
        tail -n 1)
    if [ -z "$counted" ]; then
        fail "$name ended early, with status $status"
        return
    fi
    # shellcheck disable=SC2086  # three numbers
    set -- $counted
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + ${3:-0}))
    if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then fail "$name exited with status $status"; fi
}

# can_sanitize COMPILER WHICH: whether programs so made can be linked and run here.
can_sanitize() {
    echo 'int main(void) { return 0; }' >probe.c
    "$1" "-fsanitize=$2" probe.c -o probe 2>/dev/null && ./probe 2>/dev/null
}

# ---- the header by itself: first of all headers, in each dialect, by each compiler ---------------

printf '#include "curfew.h"\nint use(struct curfew_client *client) { return curfew_connect(client); }\n' >alone.c
cp alone.c alone.cpp
for compiler in cc clang musl-gcc; do
    has "$compiler" || { skip "$compiler isn't installed"; continue; }
    for dialect in c99 gnu99 c11 c17; do
        expect "$compiler" "-std=$dialect" -O2 -Wconversion -Wshadow -Wcast-qual -c alone.c -o alone.o
    done
done
for compiler in c++ clang++; do
    has "$compiler" || { skip "$compiler isn't installed"; continue; }
    for dialect in c++11 c++17 c++20; do
        expect "$compiler" "-std=$dialect" -O2 -Wconversion -Wshadow -Wcast-qual -c alone.cpp -o alone.o
    done
    if compile "$compiler" -std=c++11 -c "$tests/header_test.cpp" -o one.o &&
        compile "$compiler" -std=c++11 -DOTHER_FILE -c "$tests/header_test.cpp" -o other.o &&
        compile "$compiler" one.o other.o -o header; then
        if ./header; then passed=$((passed + 1)); else fail "header_test, by $compiler"; fi
    fi
done

# Behind a header that has hidden POSIX it says what to do, rather than fail somewhere.
{ echo '#include <stdio.h>' && cat alone.c; } >late.c
if cc -std=c99 "-I$header" -c late.c -o late.o 2>messages; then
    fail "strict C99, behind another header: compiled"
elif grep -q 'curfew.h needs POSIX 2008' messages; then
    passed=$((passed + 1))
else
    cat messages
    fail "strict C99, behind another header: not told what to do"
fi
expect cc -std=c99 -D_POSIX_C_SOURCE=200809L -c late.c -o late.o

# ---- the tests -----------------------------------------------------------------------------------

# What is one word in the tests' own names: the sources are two.
# shellcheck disable=SC2086
build_client_test() {
    name=$1
    shift
    compile "$@" $sources -o "$name" -pthread -lm && run "$name" "./$name"
}

c99='-std=c99 -D_GNU_SOURCE -g'
if can_sanitize cc address,undefined; then
    # Unoptimised: what the optimiser takes out isn't looked at.
    sanitized='-O0 -fsanitize=address,undefined -fno-sanitize-recover=all'
else
    skip "cc has no address sanitizer here"
    sanitized=-O0
fi
# shellcheck disable=SC2086  # flags are several words
{
    build_client_test c99-sanitized cc $c99 $sanitized
    build_client_test c++11 c++ -x c++ -std=c++11 -g -O2
    if has musl-gcc; then build_client_test musl musl-gcc $c99 -O2; fi
    if has clang; then build_client_test clang clang $c99 -O2; else skip "clang isn't installed"; fi
    if can_sanitize cc thread; then
        build_client_test threads cc $c99 -O1 -fsanitize=thread
    else
        skip "cc has no thread sanitizer here"
    fi
    if compile cc $c99 $sanitized "$tests/fault_test.c" -o fault -lm; then run faults ./fault; fi
    if compile cc $c99 $sanitized "$tests/mutation_test.c" -o mutation -lm; then run mutation ./mutation; fi
    # With a buffer that is full soon, and bytes of another kind.
    if compile cc $c99 $sanitized -DCURFEW_BUFFER_SIZE=8192 "$tests/mutation_test.c" -o small -lm; then
        run mutation-small ./small 7
    fi
    if compile cc $c99 $sanitized "$tests/real_test.c" -o real -lm; then run real ./real; fi
}

left=$(find "$build" -mindepth 1 -type d)
[ -z "$left" ] || fail "directories left behind: $left"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
