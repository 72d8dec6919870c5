#!/usr/bin/env bash
# overrun.sh: a job that outstays its background budget is killed with its whole tree: status 124, and a line why.
source "$(dirname "$0")/lib.sh"
app=overrun-$$

# overrun OPTION COMMAND: a job that takes a background task and never ends it. It works in two processes; one of them
# is in a session of its own, where a signal to the process group wouldn't reach it.
overrun() {
    local option=$1 run pids status=0
    # It is busy enough to be killed for its CPU time first, as on iOS; here the budget is what it is about. Warned it would go on as well.
    curfew run --name "$app" "$option" --background-cpu inf --expiration-lead 0 -- \
        sh -c "curfew task begin 'count it all' >/dev/null; setsid $2 & $2" 2>"$scratch/stderr" &
    run=$!
    is_busy() { [[ $(field "$app" processes) == 3 ]]; }
    wait_until 20 "$2 to run" is_busy
    mapfile -t pids < <(tree "$(field "$app" pid)")

    step "curfew run $option: ${#pids[@]} processes, busy for ever with: ${2%% *}"
    curfew home "$app"
    if [[ $option == --manual-clock ]]; then
        # Its time stands still but for `curfew advance`, so that nobody waits for ten minutes.
        curfew status "$app" | grep -E 'remaining|tasks'
        curfew advance "$app" 10m >/dev/null
    fi
    wait_until 60 "curfew run to end" is_gone "$run"
    wait "$run" || status=$?
    ((status == 124)) || fail "it ended with status $status, not 124"
    grep -q 'background-task-timeout (0x2182bad2): task 1 "count it all" (begun .* ago) was still open' "$scratch/stderr" ||
        fail "stderr: $(<"$scratch/stderr")"
    wait_until 20 "the tree to be gone" is_gone "${pids[@]}"
    step "status $status, nothing of it is left, and stderr says:"
    sed 's/^/  /' "$scratch/stderr"
}

overrun --manual-clock "sha256sum /dev/zero"
# The same ten minutes in two seconds of real time: --time-scale divides every duration.
if command -v ffmpeg >/dev/null; then
    overrun --time-scale=300 "ffmpeg -nostdin -loglevel quiet -f lavfi -i testsrc -f null -"
else
    overrun --time-scale=300 "sha256sum /dev/zero"
fi
