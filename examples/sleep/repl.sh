#!/usr/bin/env bash
# repl.sh: a Python prompt at which nobody types is stopped; what is typed next wakes it, and it has forgotten nothing.
source "$(dirname "$0")/../lib.sh"
need python3 script
app=repl-$$

# script(1) is its terminal, as a window would be; a FIFO is who types.
mkfifo "$scratch/keys"
script -qfc "curfew run --sleep-when-idle 10m --manual-clock --name $app -- python3 -q" /dev/null \
    <"$scratch/keys" >"$scratch/screen" &
terminal=$!
exec 3>"$scratch/keys"
shows() { grep -q -- "$1" "$scratch/screen"; }
wait_until 20 "the prompt" shows '>>> '
printf 'kept = 6 * 7; print("it", "knows")\r' >&3
wait_until 20 "an answer" shows 'it knows'
step "a prompt in a terminal: curfew run --sleep-when-idle 10m -- python3 -q"

fall_asleep "$app"
wait_until 20 "every thread of it to be stopped" is_stopped "$(field "$app" pid)"
step "nobody types for ten minutes: it is asleep; its threads, as ps shows them: $(letters "$(field "$app" pid)")"

printf 'print("kept", kept)\r' >&3
wait_until 20 "an answer" shows 'kept 42'
[[ $(woken_by "$app") == *terminal* ]] || fail "it was woken by $(woken_by "$app")"
step "a line is typed: woken by $(woken_by "$app"), it answers: $(grep -o 'kept 42' "$scratch/screen")"

printf '\004' >&3
wait "$terminal" || fail "it ended with status $?"
step "Ctrl-D ends it"
