#!/usr/bin/env bash
# ci-lifecycle.sh: how a CI job proves that a program survives suspension. To be copied: it needs curfew and python3.
#
# The program under test stands in for yours: a worker that keeps a connection and counts. It must neither lose its
# place nor fail when seconds of its life are missing.
set -euo pipefail
app=ci-$$
log=$(mktemp) done=$log.done
trap 'curfew quit "$app" 2>/dev/null || true; wait; rm -f "$log" "$done"' EXIT

worker='
import os, socket, sys, time
here, there = socket.socketpair()
here.settimeout(30)
number = 0
while not os.path.exists(sys.argv[1]):
    number += 1
    there.sendall(b"%d\n" % number)
    print(here.recv(64).decode(), end="", flush=True)
    time.sleep(0.05)
'

# until_lines N: waits until it has counted so far, for half a minute if need be: a machine of CI may be slow.
until_lines() {
    for _ in {1..600}; do (($(wc -l <"$log") < $1)) || return 0; sleep 0.05; done
    echo "FAILED: $1 lines in half a minute; there are $(wc -l <"$log")" >&2
    exit 1
}

state() { curfew status "$app" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["state"])'; }

# assert WHAT LEFT RIGHT
assert() {
    if [[ $2 == "$3" ]]; then echo "ok: $1 ($3)"; else echo "FAILED: $1: expected $2, got $3" >&2; exit 1; fi
}

# 1. Start it, and wait until it works. It has work until a file says that it is done.
curfew run --name "$app" --time-limit 2m -- python3 -c "$worker" "$done" >"$log" &
run=$!
until_lines 5
assert "it is in front" active "$(state)"

# 2. Send it home. `curfew home` returns when every thread of it is stopped.
curfew home "$app"
assert "home suspends it" suspended "$(state)"
count=$(wc -l <"$log")
sleep 1
assert "suspended, it does nothing" "$count" "$(wc -l <"$log")"

# 3. Open it. It goes on where it was, and ends as if nothing had happened.
curfew open "$app"
assert "open resumes it" active "$(state)"
until_lines $((count + 5))
touch "$done"
status=0
wait "$run" || status=$?
assert "it ends well" 0 "$status"
last=$(wc -l <"$log")
assert "it went on" 1 $((last >= count + 5))
assert "it lost and repeated nothing" "$(seq "$last" | cksum)" "$(cksum <"$log")"
