#!/usr/bin/env bash
# ci-lifecycle.sh: how a CI job proves that a program survives suspension. To be copied: it needs curfew and python3.
#
# The program under test stands in for yours: a worker that keeps a connection and counts. It must neither lose its
# place nor fail when seconds of its life are missing.
set -euo pipefail
app=ci-$$
log=$(mktemp)
trap 'curfew quit "$app" 2>/dev/null || true; wait; rm -f "$log"' EXIT

worker='
import socket
here, there = socket.socketpair()
here.settimeout(30)
for number in range(1, 41):
    there.sendall(b"%d\n" % number)
    print(here.recv(64).decode(), end="", flush=True)
    __import__("time").sleep(0.05)
'

state() { curfew status "$app" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["state"])'; }

# assert WHAT LEFT RIGHT
assert() {
    if [[ $2 == "$3" ]]; then echo "ok: $1 ($3)"; else echo "FAILED: $1: expected $2, got $3" >&2; exit 1; fi
}

# 1. Start it, and wait until it works.
curfew run --name "$app" --time-limit 60s -- python3 -c "$worker" >"$log" &
run=$!
for _ in {1..200}; do (($(wc -l <"$log") < 5)) || break; sleep 0.05; done
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
status=0
wait "$run" || status=$?
assert "it ends well" 0 "$status"
assert "it lost and repeated nothing" "$(seq 40 | cksum)" "$(cksum <"$log")"
