#!/usr/bin/env bash
# sd-notify.sh: programs made for systemd say what they do, unchanged: redis-server that it is ready, a shell script that
# it needs more time to end.
source "$(dirname "$0")/lib.sh"
need redis-server systemd-notify
app=redis-$$

# No limit passes but by `curfew advance`.
curfew run --manual-clock --name "$app" --aware -- redis-server --supervised systemd --port 0 \
    --unixsocket "$scratch/redis.sock" --dir "$scratch" >"$scratch/log" &
is_ready() { [[ $(field "$app" ready) == true ]]; }
wait_until 20 "redis-server to say READY=1" is_ready
step "redis-server is ready: \"$(field "$app" notifyStatus)\""
curfew quit "$app"
wait $!

cat >"$scratch/slow" <<'SCRIPT'
#!/bin/bash
# Has three seconds to end, and needs four: its message buys ten.
trap 'systemd-notify EXTEND_TIMEOUT_USEC=10000000; echo extended; until [ -e "$1" ]; do sleep 0.1; done; exit 3' TERM
systemd-notify --ready --status="waiting"
while :; do sleep 0.1; done
SCRIPT
chmod +x "$scratch/slow"
app=slow-$$
curfew run --manual-clock --name "$app" --aware --terminate-limit 3s -- "$scratch/slow" "$scratch/saved" >"$scratch/said" &
run=$!
wait_until 20 "the script to be ready" is_ready
curfew quit "$app" &
wait_until 20 "the script to ask for more time" grep -q extended "$scratch/said"
# The fourth second, too, passes without a kill.
curfew advance "$app" 4s
touch "$scratch/saved"
status=0
wait "$run" || status=$?
((status == 3)) || fail "it ended with $status: the time it asked for wasn't granted"
step "a script asked for more time to end, and got it: status $status"
