# What the examples share: a scratch directory, checks, and an end that leaves nothing behind. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail

scratch=$(mktemp -d "${TMPDIR:-/tmp}/curfew-example.XXXXXX")
# The reports of what is killed here are no business of the user's.
export XDG_STATE_HOME=$scratch/state

# Quits what is still running (SIGTERM to `curfew run` quits its app) and removes the scratch directory.
clean_up() {
    local job
    for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done
    wait || true
    rm -rf "$scratch"
}
trap clean_up EXIT

step() { printf -- '- %s\n' "$*"; }

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# need PROGRAM…: what isn't installed here makes the example skipped, status 77.
need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null && continue
        echo "skipped: $program isn't installed"
        exit 77
    done
}

# wait_until SECONDS WHAT COMMAND…: asks until COMMAND succeeds.
wait_until() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        ((SECONDS <= end)) || fail "waited in vain: $what"
        sleep 0.05
    done
}

# field APP KEY: one line of `curfew status APP --json`, as text; empty when there is no such app (yet).
field() { curfew status "$1" --json 2>/dev/null | sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\).*/\1/p"; }

is_state() { [[ $(field "$1" state) == "$2" ]]; }

# is_asleep APP: it sleeps, and something of what it waits for wakes it.
is_asleep() { [[ $(field "$1" asleep) == true ]]; }

# fall_asleep APP: lets the time pass that is held until it sleeps. Where nothing would wake it, the example is skipped.
fall_asleep() {
    local end=$((SECONDS + 30)) why
    until is_asleep "$1"; do
        curfew advance "$1" 1h >"$scratch/advance" || fail "its time doesn't pass: $(<"$scratch/advance")"
        why=$(sed -n 's/.*keptAwake  why=//p' "$scratch/advance")
        if [[ $why == *"Operation not permitted"* || $why == *"Function not implemented"* ]]; then
            # A sandbox may refuse what waiting for another program's sockets takes.
            echo "skipped: nothing would wake it here: $why"
            exit 77
        fi
        ((SECONDS <= end)) || fail "it doesn't fall asleep: $(<"$scratch/advance") $(curfew status "$1")"
    done
}

# woken_by APP: what for it was woken last, as its status says it.
woken_by() { field "$1" wokenBy; }

# tree PID: it and all its descendants.
tree() {
    local child
    echo "$1"
    for child in $(pgrep -P "$1"); do tree "$child"; done
}

# letters PID…: the state of each thread, as ps shows it: `R` runs, `S` sleeps, `T` is stopped.
letters() { ps -L -o state= -p "$(IFS=,; echo "$*")" | tr -d '\n'; }

# is_stopped PID…: no thread of them can run.
# `D` and `Z` never show `T`: a parent in the kernel's vfork, and the dead.
is_stopped() { [[ $(letters "$@") =~ ^[DZ]*T[TDZ]*$ ]]; }

# is_gone PID…: none of them is left.
is_gone() { [[ ${1-} ]] && ! ps -o pid= -p "$(IFS=,; echo "$*")" >/dev/null; }
