#!/usr/bin/env bash
# task-requests.sh: a shell script that asks to be launched for some work, once, does it in the background, and is told when to end.
source "$(dirname "$0")/lib.sh"
export CURFEW_SERVER=example-$$
photos=photos-$$

cat >"$scratch/photos.sh" <<'EOF'
. "$(curfew --shell-library)"
begin() {
    echo "begins $CURFEW_INFO_request"
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
wrote() { curfew log "$photos" 2>/dev/null | grep -q "^$1"; }

curfew serve --name "$CURFEW_SERVER" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 10 "the server to answer" answers
curfew launch --name "$photos" -- sh "$scratch/photos.sh" "$scratch/indexed" >/dev/null
wait_until 20 "the script to be ready" wrote ready
curfew home "$photos"
curfew wait "$photos" suspended --limit 20s
curfew schedule "$photos" | grep -q 'processing .*index' || fail "its request isn't in the schedule"
step "it has asked to be launched for its index; the server chooses when, and here we do"

curfew schedule "$photos" --run index
wait_until 20 "the work to begin" wrote works
curfew schedule "$photos" --expire index
wait_until 20 "the work to be ended" wrote "has to end"
curfew wait "$photos" suspended --limit 20s
step "somebody needed the machine: the work was ended, and the script is suspended again"

touch "$scratch/indexed"
curfew schedule "$photos" --run index
wait_until 20 "the work to be done" wrote "has done it"
curfew wait "$photos" suspended --limit 20s
step "the next time it came to its end"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
