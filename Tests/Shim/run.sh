#!/bin/sh
# Builds the C layer with its tests and runs them: once with sanitizers where the compiler has them, once optimised as shipped.
# Ends with "N passed, N failed"; exit status 1 when something failed.
# CC chooses the compiler. `run.sh --bench [PROGRAM]` measures curfew_spawn instead.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$root" || exit 1
build=$(mktemp -d) || exit 1
trap 'rm -rf "$build"' EXIT
trap 'exit 1' HUP INT TERM

if [ -z "${CC:-}" ]; then
    for CC in clang gcc cc; do
        command -v "$CC" >/dev/null && break
    done
fi
warnings='-Wall -Wextra -Werror'
passed=0
failed=0

# compile NAME FLAGS...
compile() {
    name=$1
    shift
    # shellcheck disable=SC2086  # the warnings are several words
    "$CC" -std=gnu11 -D_GNU_SOURCE $warnings "$@" -ISources/CCurfew/include \
        Sources/CCurfew/*.c Tests/Shim/shim_test.c -o "$build/$name" -lcap -pthread 2>"$build/$name.messages"
    compiled=$?
    # gold says this of clang's address sanitizer, about itself, in hundreds of lines
    grep -v 'Cannot export local symbol' "$build/$name.messages" >&2
    return "$compiled"
}

# run NAME: adds its counts to the sums
run() {
    echo "== $1"
    TMPDIR=$build timeout 300 "$build/$1" >"$build/$1.log" 2>&1
    status=$?
    cat "$build/$1.log"
    counted=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$build/$1.log" | tail -n 1)
    if [ -z "$counted" ]; then
        echo "$1 ended early, with status $status"
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + ${counted% *}))
    failed=$((failed + ${counted#* }))
    if [ "$status" -ne 0 ] && [ "${counted#* }" -eq 0 ]; then
        echo "$1 exited with status $status"
        failed=$((failed + 1))
    fi
}

if [ "${1:-}" = --bench ]; then
    compile bench -O2 || exit 1
    shift
    "$build/bench" --bench "$@"
    exit
fi

# The reaper's program is copied out of this one's section, so nothing in that may depend on where it was linked: a call or
# an address of anything elsewhere is a relocation.
for level in 0 1 2 3; do
    "$CC" -std=gnu11 -D_GNU_SOURCE -O$level -ISources/CCurfew/include -c Sources/CCurfew/reaper.c -o "$build/reaper.o"
    if readelf -rW "$build/reaper.o" >"$build/relocations" && ! grep "rela\{0,1\}\.*curfew_reaper'" "$build/relocations"; then
        passed=$((passed + 1))
    else
        echo "reaper.c, -O$level: its section isn't whole by itself"
        failed=$((failed + 1))
    fi
done

if echo 'int main(void) { return 0; }' >"$build/probe.c" &&
    "$CC" -fsanitize=address,undefined "$build/probe.c" -o "$build/probe" 2>/dev/null && "$build/probe"; then
    if compile sanitized -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all; then
        run sanitized
    else
        failed=$((failed + 1))
    fi
else
    echo "skipped: $CC has no sanitizers here"
fi
if compile optimised -O2; then
    run optimised
else
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
