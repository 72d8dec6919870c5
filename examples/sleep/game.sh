#!/usr/bin/env bash
# game.sh: a game's server on UDP, which moves its world twenty times a second, is stopped when nobody plays; a player's
# move wakes it, and the world is as it was left.
source "$(dirname "$0")/../lib.sh"
need python3
app=game-$$

# All that it does for nobody takes less than a tenth of a processor.
curfew run --sleep-when-idle 10m --idle-cpu 10% --wake-on connections --manual-clock --name "$app" -- \
    python3 "$(dirname "$0")/game.py" >"$scratch/log" &
is_up() { [[ -s $scratch/log ]]; }
wait_until 20 "the server to listen" is_up
port=$(<"$scratch/log")
pid=$(field "$app" pid)

exec 4<>"/dev/udp/127.0.0.1/$port"
move() {
    echo "$1" >&4
    # A datagram is read at once or not at all, so not by `read`, which goes by bytes.
    answer=$(timeout 20 head -n 1 <&4) || fail "the player wasn't answered"
}
move right
move right
step "the server is up at UDP port $port, and somebody plays: $answer"

fall_asleep "$app"
wait_until 20 "every thread of it to be stopped" is_stopped "$pid"
step "ten minutes without a player: its world stands still; its threads, as ps shows them: $(letters "$pid")"

move left
[[ $answer == "you are at 1" ]] || fail "the player is elsewhere: $answer"
[[ $(woken_by "$app") == *:$port ]] || fail "it was woken by $(woken_by "$app")"
step "a player moves: woken by $(woken_by "$app"), it answers: $answer"
