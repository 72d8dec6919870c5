#!/usr/bin/env bash
# settings.sh: a plain shell script hears of the lifecycle by signals, and of its settings file when that changes; a hook
# outside it says so too.
source "$(dirname "$0")/lib.sh"
app=settings-$$
log=$scratch/log
settings=$scratch/settings.conf
echo volume=3 >"$settings"
touch "$log"

# What it traps is its own business: Curfew sends the signal that was asked for.
cat >"$scratch/player" <<'SCRIPT'
#!/bin/sh
read_settings() { . "$1/settings.conf"; echo "volume is $volume"; }
trap 'read_settings "$1"' HUP
trap 'echo saved' USR1
read_settings "$1"
while :; do sleep 0.1; done
SCRIPT
chmod +x "$scratch/player"

curfew run --name "$app" --settings "$settings" --settings-signal HUP --on didEnterBackground=USR1 --grace 1s \
    --manual-clock --exec-on "didEnterBackground=echo \"hook: \$CURFEW_APP \$CURFEW_EVENT\" >>'$log'" -- \
    "$scratch/player" "$scratch" >>"$log" &
says() { grep -qx "$1" "$log"; }
wait_until 20 "the script to start" says 'volume is 3'

echo volume=7 >"$settings"
wait_until 20 "the new volume" says 'volume is 7'
step "settings written: $(tail -n 1 "$log")"

curfew home "$app"
wait_until 20 "the trap" says saved
wait_until 20 "the hook" says "hook: $app didEnterBackground"
# Its time stands still, so that the trap has run before the second is over on the slowest machine.
curfew advance "$app" 1s >/dev/null
is_state "$app" suspended || fail "it is $(field "$app" state), its grace over"
step "home: its trap has run, and so has the hook; after a second of grace it is suspended"

echo volume=8 >"$settings"
echo volume=9 >"$scratch/new" && mv "$scratch/new" "$settings"
curfew open "$app"
wait_until 20 "the last volume" says 'volume is 9'
says 'volume is 8' && fail "it heard of a change twice, or while it was stopped"
step "settings changed twice while it was suspended; opened, it reads them once: $(tail -n 1 "$log")"

status=0
curfew quit "$app"
wait $! || status=$?
((status == 143)) || fail "the script ended with $status"
