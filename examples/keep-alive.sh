#!/usr/bin/env bash
# keep-alive.sh: an app that holds a connection has itself woken every ten minutes, suspended, to say that it is there; its
# time stands still until `curfew advance` moves it.
source "$(dirname "$0")/lib.sh"
need python3
app=keep-alive-$$
log=$scratch/log
export PYTHONPATH
PYTHONPATH=$(cd "$(dirname "$0")/../Sources/clients/python" && pwd)

curfew run --manual-clock --name "$app" -- python3 -c '
import curfew

app = curfew.app()
app.on("willTerminate")(lambda event: app.stop())
app.set_keep_alive_timeout(600, lambda: print("a word to the server", flush=True))
print("up", flush=True)
app.run()
' >"$log" &
run=$!
has_lines() { (($(wc -l <"$log") == $1)); }
wait_until 20 "it to ask for keep-alive" has_lines 1
curfew home "$app"
curfew wait "$app" suspended --limit 20s
curfew status "$app" | grep keep-alive

for round in 2 3; do
    step "curfew advance $app 10m"
    curfew advance "$app" 10m >"$scratch/events"
    grep -q 'didDeliver  event=keepAlive' "$scratch/events" || fail "it wasn't told"
    wait_until 20 "a word to the server" has_lines "$round"
    wait_until 20 "it to be suspended again" is_state "$app" suspended
    step "woken, a word to the server, and suspended again"
done

curfew open "$app"
curfew quit "$app"
wait "$run"
