#!/usr/bin/env bash
# held-time.sh: ten minutes of background time tested in a moment; time stands still until `curfew advance` moves it.
source "$(dirname "$0")/lib.sh"
app=held-$$

step "an upload that takes longer than it may: curfew run --manual-clock"
curfew run --manual-clock --name "$app" --budget 10m -- curfew task run upload -- sleep 300 &
run=$!
has_task() { [[ $(field "$app" openTasks) == 1 ]]; }
wait_until 20 "its task to begin" has_task
curfew home "$app"

step "curfew advance $app 10m: it stops at whatever happens first"
curfew advance "$app" 10m | tee "$scratch/first"
grep -q "backgroundTasksWillExpire" "$scratch/first" || fail "nobody was warned"
grep -q "9 min 55 s passed, 5 s left" "$scratch/first" || fail "the warning came at another time"

step "warned, curfew task run ends the upload with SIGTERM, and the app is suspended, or ends by itself: nothing is killed"
is_over() { is_state "$app" suspended || ! kill -0 "$run" 2>/dev/null; }
wait_until 20 "what becomes of it" is_over
curfew open "$app" 2>/dev/null || true
status=0
wait "$run" || status=$?
((status == 143)) || fail "it ended with status $status, not 143"
