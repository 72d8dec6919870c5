#!/usr/bin/env bash
# monkey.sh: random things of the lifecycle are done to four programs; one has a bug, and the shortest scenario that shows it is found.
source "$(dirname "$0")/lib.sh"
need python3 redis-server redis-cli sqlite3
# Absolute: a scenario is played in its file's folder.
programs=$(cd "$(dirname "$0")/monkey" && pwd)

# well NAME CHECK N COMMAND…: N random things, and CHECK is asked after each that leaves it open. A seed, so that it is the same each time.
well() {
    local name=$1 check=$2 count=$3
    shift 3
    curfew test --monkey "$count" --seed 7 --check "$check" -o "$scratch/$name.curfew" -- "$@" >"$scratch/$name" 2>&1 || {
        cat "$scratch/$name"
        fail "$name went wrong"
    }
    step "$name: $(grep -o 'passed.*' "$scratch/$name" | head -n 1)"
}

# The first answer may take a moment: --check is asked until the program is well before anything is done to it.
well redis-server 'test "$(redis-cli -s "$CURFEW_STATE_DIR/s" ping)" = PONG' 200 \
    sh -c 'cd "$CURFEW_STATE_DIR" && exec redis-server --port 0 --unixsocket s'
well sqlite3 "$programs/notes.sh well" 100 "$programs/notes.sh"
well asyncio "python3 $programs/echo.py ask" 40 python3 "$programs/echo.py"

step "thumbnails.py: whether what it has kept is whole, after each of 400 random things"
options=(--aware --budget 30s --expiration-lead 5s)
status=0
curfew test --monkey 400 --seed 1 --check 'grep -q all "$CURFEW_STATE_DIR/thumbnails"' -o "$scratch/found.curfew" \
    -- "${options[@]}" -- python3 "$programs/thumbnails.py" >"$scratch/told" 2>&1 || status=$?
((status == 1)) || fail "the status is $status, not 1: $(cat "$scratch/told")"
step "found, and made short:"
sed 's/^/    /' "$scratch/found.curfew"
steps=$(grep -vE '^(#|app|launch|do) ?' "$scratch/found.curfew" | tr '\n' ' ')
[[ $steps == 'home advance '*' open home open ' ]] || fail "these aren't the fewest steps: $steps"
step "by itself it fails again"
status=0
curfew test "$scratch/found.curfew" >"$scratch/again" || status=$?
((status == 1)) || fail "it passed: status $status"
