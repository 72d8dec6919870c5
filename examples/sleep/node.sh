#!/usr/bin/env bash
# node.sh: a web server in Node.js that nobody visits is stopped; a visit wakes it. Its interval of a second doesn't.
source "$(dirname "$0")/../lib.sh"
need node curl
app=node-$$

curfew run --sleep-when-idle 10m --wake-on connections --manual-clock --name "$app" -- node "$(dirname "$0")/server.js" >"$scratch/log" &
is_up() { [[ -s $scratch/log ]]; }
wait_until 20 "the server to listen" is_up
port=$(<"$scratch/log")
pid=$(field "$app" pid)
visit() { curl -sS --max-time 20 "http://127.0.0.1:$port/"; }
[[ $(visit) == "visit 1" ]] || fail "a visitor wasn't answered"
step "a server listens at port $port, $(letters "$pid" | wc -c) threads of it: curfew run --sleep-when-idle 10m --wake-on connections"

fall_asleep "$app"
wait_until 20 "every thread of it to be stopped" is_stopped "$pid"
step "nobody comes for ten minutes: it is asleep; its threads, as ps shows them: $(letters "$pid")"

[[ $(visit) == "visit 2" ]] || fail "a visitor wasn't answered"
[[ $(woken_by "$app") == *:$port ]] || fail "it was woken by $(woken_by "$app")"
step "a visitor is answered: woken by $(woken_by "$app")"

fall_asleep "$app"
step "it sleeps again, its interval of a second notwithstanding"
