#!/usr/bin/env bash
# task-requests.sh: a program that asks to be launched for some work, once, does it in the background, and is told when to end:
# a shell script, then indexer.c. With PROGRAM, that instead: client-swift.sh has one in Swift.
source "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export CURFEW_SERVER=example-$$

cat >"$scratch/photos.sh" <<'EOF'
. "$(curfew --shell-library)"
begin() {
    # Whoever wants to come again asks again.
    curfew_submit_task_request index --processing --in 1h
    curfew_defer
    curfew_stop
}
expire() {
    echo "has to end"
    # What it says of it is said below, once that has ended.
    [ -z "$CURFEW_RUNNING" ] || kill "$CURFEW_RUNNING"
}
curfew_on processing begin taskWillExpire expire
curfew_submit_task_request index --processing --in 1h
echo ready
while curfew_loop; do
    # It may be stopped as soon as it has said so.
    if curfew_run sh -c 'echo works; until [ -e "$0" ]; do sleep 0.1; done' "$1"; then
        echo "has done it"
        curfew_set_task_completed true
    else curfew_set_task_completed false; fi
done
EOF

wrote() { curfew log "$app" 2>/dev/null | grep -q "^$1"; }

# play NAME COMMAND…: it is launched with a file that says when its work is done.
play() {
    app=$1-$$
    local done=$scratch/$1.done
    shift
    # A busy machine may need more than the 5 s that these are otherwise.
    curfew launch --enter-background-limit 1m --expiration-lead 1m --name "$app" -- "$@" "$done" >/dev/null
    wait_until 20 "it to be ready" wrote ready
    curfew home "$app"
    curfew wait "$app" suspended --limit 20s
    curfew schedule "$app" | grep -q 'processing .*index' || fail "its request isn't in the schedule"
    step "it has asked to be launched for its index; the server chooses when, and here we do"

    curfew schedule "$app" --run index
    wait_until 20 "the work to begin" wrote works
    curfew schedule "$app" --expire index
    wait_until 20 "the work to be ended" wrote "has to end"
    curfew wait "$app" suspended --limit 20s
    step "somebody needed the machine: the work was ended, and it is suspended again"

    touch "$done"
    curfew schedule "$app" --run index
    wait_until 20 "the work to be done" wrote "has done it"
    curfew wait "$app" suspended --limit 20s
    step "the next time it came to its end"
}

curfew serve --name "$CURFEW_SERVER" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers
if (($#)); then
    play program "$@"
else
    play script sh "$scratch/photos.sh"
    if command -v cc >/dev/null; then
        cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$here/../Sources/clients/c" "$here/indexer.c" -o "$scratch/indexer"
        play c "$scratch/indexer"
    else
        step "the same in C isn't shown: cc isn't installed"
    fi
fi

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
