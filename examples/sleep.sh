#!/usr/bin/env bash
# sleep.sh: a server that nobody asks is stopped; a client's connection wakes it, and the client is answered.
source "$(dirname "$0")/lib.sh"
need redis-server redis-cli
app=sleep-$$
socket=$scratch/redis.sock
ask() { redis-cli -s "$socket" "$@"; }

# Its ten minutes pass in a moment: its time stands still but for `curfew advance`.
curfew run --sleep-when-idle 10m --wake-on connections --manual-clock --name "$app" -- \
    redis-server --port 0 --unixsocket "$socket" --dir "$scratch" --save '' >"$scratch/log" &
is_up() { [[ $(ask ping 2>/dev/null) == PONG ]]; }
wait_until 20 "redis-server to answer" is_up
pid=$(field "$app" pid)
step "redis-server is up: curfew run --sleep-when-idle 10m --wake-on connections"

fall_asleep "$app"
wait_until 20 "every thread of redis-server to be stopped" is_stopped "$pid"
step "ten minutes without a client: it is asleep; its threads, as ps shows them: $(letters "$pid")"

[[ $(ask set key value) == OK && $(ask get key) == value ]] || fail "a client wasn't answered"
[[ $(field "$app" state) == active ]] || fail "it isn't in front"
curfew events "$app" >"$scratch/events"
grep -q "didWake  by=a connection to $socket" "$scratch/events" || fail "it wasn't woken: $(<"$scratch/events")"
! grep -q didDeliver "$scratch/events" || fail "it was told something"
step "a client connects: it is awake where it was, and answers; $(curfew status "$app" | sed -n 's/^ *woken */woken /p')"

curfew sleep --stay "$app"
[[ $(field "$app" asleep) == until-opened ]] || fail "it is awake"
status=0
timeout 1 redis-cli -s "$socket" ping >/dev/null || status=$?
((status == 124)) || fail "a PING was answered by a server that was to stay asleep"
step "curfew sleep --stay: a PING hangs, given up after 1 s"

# The kernel takes the connection and the bytes; they wait for the server.
ask get key >"$scratch/answer" &
client=$!
curfew open "$app"
wait "$client"
[[ $(<"$scratch/answer") == value ]] || fail "the waiting client wasn't answered"
step "curfew open: the waiting client is answered $(<"$scratch/answer")"

curfew quit "$app"
grep -q 'ready to exit, bye bye' "$scratch/log" || fail "redis-server didn't shut down by itself"
step "quit: redis-server says bye bye"
