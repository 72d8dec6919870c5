#!/usr/bin/env bash
# prefork.sh: a server of several processes on one listening socket is stopped, all of it; whoever connects wakes it, and
# who was connected before still is.
source "$(dirname "$0")/../lib.sh"
need python3
app=prefork-$$

curfew run --sleep-when-idle 10m --wake-on connections --manual-clock --name "$app" -- \
    python3 "$(dirname "$0")/prefork.py" >"$scratch/log" &
is_up() { [[ -s $scratch/log ]]; }
wait_until 20 "the server to listen" is_up
port=$(<"$scratch/log")
all=$(tree "$(field "$app" pid)")

# ask DESCRIPTOR: one line and its answer.
ask() {
    echo hello >&"$1"
    read -r -t 20 -u "$1" answer || fail "no answer"
}
exec 4<>"/dev/tcp/127.0.0.1/$port"
ask 4
before=$answer
step "a master and four workers listen at port $port, and have a client: $answer"

fall_asleep "$app"
# shellcheck disable=SC2086  # several numbers
wait_until 20 "all of them to be stopped" is_stopped $all
step "ten minutes without a request: all are asleep, as ps shows them: $(letters $all)"

ask 4
[[ $answer == "$before" ]] || fail "another one answered: $answer"
[[ $(woken_by "$app") == *:$port* ]] || fail "it was woken by $(woken_by "$app")"
step "the client asks again, by the connection that it has: woken by $(woken_by "$app")"

fall_asleep "$app"
clients=()
for number in $(seq 20); do
    (exec 5<>"/dev/tcp/127.0.0.1/$port" && ask 5 && echo "$answer" >"$scratch/answer.$number") &
    clients+=($!)
done
for client in "${clients[@]}"; do wait "$client" || fail "a client wasn't answered"; done
[[ $(field "$app" woken) == 2 ]] || fail "it was woken $(field "$app" woken) times"
step "20 clients connect at once: it wakes once, and $(sort -u "$scratch"/answer.* | wc -l) workers answer them all"
