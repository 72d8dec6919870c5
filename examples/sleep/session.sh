#!/usr/bin/env bash
# session.sh: a shell that somebody has left open over a connection, as with ssh, is stopped with what serves it; the next
# key wakes both, and the shell gets it. The connection stays.
source "$(dirname "$0")/../lib.sh"
need python3
app=session-$$

curfew run --sleep-when-idle 10m --wake-on connections --manual-clock --name "$app" -- \
    python3 "$(dirname "$0")/session.py" >"$scratch/log" &
run=$!
is_up() { [[ -s $scratch/log ]]; }
wait_until 20 "it to listen" is_up
exec 4<>"/dev/tcp/127.0.0.1/$(<"$scratch/log")"
cat <&4 >"$scratch/screen" &
shows() { grep -q -- "$1" "$scratch/screen"; }
wait_until 20 "the prompt" shows 'prompt>'
printf 'kept=$((6 * 7)); cd /\r' >&4
printf 'echo it is $PWD\r' >&4
wait_until 20 "an answer" shows 'it is /'
all=$(tree "$(field "$app" pid)")
step "a shell over a connection: curfew run --sleep-when-idle 10m --wake-on connections"

fall_asleep "$app"
# shellcheck disable=SC2086  # several numbers
wait_until 20 "both to be stopped" is_stopped $all
# shellcheck disable=SC2086
step "nobody types for ten minutes: shell and server are asleep; as ps shows them: $(letters $all)"

# A key at a time, as they are typed.
for key in e c h o ' ' k e p t ' ' '$' k e p t $'\r'; do printf %s "$key" >&4; done
wait_until 20 "an answer" shows 'kept 42'
step "somebody types: woken by $(woken_by "$app"), the shell answers: $(grep -o 'kept 42' "$scratch/screen")"

printf 'exit\r' >&4
wait "$run" || fail "it ended with status $?"
step "exit ends it"
