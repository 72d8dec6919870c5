#!/usr/bin/env bash
# redis.sh: a server sent home answers nobody and costs nothing; opened, it answers everybody who waited.
source "$(dirname "$0")/lib.sh"
need redis-server redis-cli
app=redis-$$
socket=$scratch/redis.sock
ask() { redis-cli -s "$socket" "$@"; }

# A minute to save when it is quit: on a busy machine the 5 s that it has otherwise may not do.
curfew run --name "$app" --terminate-limit 1m -- \
    redis-server --port 0 --unixsocket "$socket" --dir "$scratch" --appendonly yes >"$scratch/log" &
is_up() { [[ $(ask ping 2>/dev/null) == PONG ]]; }
wait_until 20 "redis-server to answer" is_up
ask set before 1 >/dev/null
step "redis-server is up, and holds before=$(ask get before)"

curfew home "$app"
pid=$(field "$app" pid)
wait_until 20 "every thread of redis-server to be stopped" is_stopped "$pid"
step "home: $(field "$app" state); its threads, as ps shows them: $(letters "$pid")"

status=0
timeout 1 redis-cli -s "$socket" ping || status=$?
((status == 124)) || fail "a PING was answered by a suspended server"
step "a PING hangs: given up after 1 s"

# The kernel takes the connection and the bytes; they wait for the server.
ask set during 2 >"$scratch/answer" &
client=$!
step "another client sends SET during 2, and waits"

curfew open "$app"
wait "$client"
[[ $(<"$scratch/answer") == OK ]] || fail "the waiting client wasn't answered"
step "open: the waiting client is answered $(<"$scratch/answer")"

[[ $(ask get before) == 1 && $(ask get during) == 2 ]] || fail "a value was lost"
step "nothing is lost: before=$(ask get before), during=$(ask get during)"

curfew quit "$app"
grep -q 'ready to exit, bye bye' "$scratch/log" || fail "redis-server didn't shut down by itself"
step "quit: redis-server saved and said bye bye"
