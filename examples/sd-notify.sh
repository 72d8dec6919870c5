#!/usr/bin/env bash
# sd-notify.sh: programs made for systemd say what they do, unchanged: redis-server that it is ready, a shell script that
# it needs more time to end.
source "$(dirname "$0")/lib.sh"
need redis-server systemd-notify
app=redis-$$

curfew run --name "$app" --aware --launch-limit 10s -- redis-server --supervised systemd --port 0 \
    --unixsocket "$scratch/redis.sock" --dir "$scratch" >"$scratch/log" &
is_ready() { [[ $(field "$app" ready) == true ]]; }
wait_until 10 "redis-server to say READY=1" is_ready
step "redis-server is ready: \"$(field "$app" notifyStatus)\""
curfew quit "$app"
wait $!

cat >"$scratch/slow" <<'SCRIPT'
#!/bin/bash
# Has three seconds to end, and needs four: its message buys ten more.
trap 'systemd-notify EXTEND_TIMEOUT_USEC=10000000; sleep 4; exit 3' TERM
systemd-notify --ready --status="waiting"
while :; do sleep 0.1; done
SCRIPT
chmod +x "$scratch/slow"
app=slow-$$
curfew run --name "$app" --aware --terminate-limit 3s -- "$scratch/slow" &
wait_until 10 "the script to be ready" is_ready
curfew quit "$app"
status=0
wait $! || status=$?
((status == 3)) || fail "it ended with $status: the time it asked for wasn't granted"
step "a script asked for more time to end, and got it: status $status"
