#!/usr/bin/env bash
# client-c.sh: an app in C with curfew.h: a task in background, its expiration, a waking event, the end.
source "$(dirname "$0")/lib.sh"
need cc
here=$(cd "$(dirname "$0")" && pwd)
app=client-c-$$
log=$scratch/log

cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$here/../Sources/clients/c" "$here/client.c" -o "$scratch/client"
[[ $(env -u CURFEW_FD -u CURFEW_SOCKET "$scratch/client" 3) == $'no curfew at page 0\nindexed at page 3' ]] ||
    fail "it doesn't work without curfew"
step "built; without curfew it works through its pages and ends"

# said EVENT TIMES; page EVENT: the page it was at then, the last time.
said() { (($(grep -c "^$1 " "$log") >= $2)); }
page() { sed -n "s/^$1 at page //p" "$log" | tail -n 1 | grep . || echo 0; }

# Its time stands still but for `curfew advance`, so that nobody waits for ten minutes; and there are more pages than it can do.
curfew run --manual-clock --name "$app" --aware -- "$scratch/client" 100000000 >"$log" &
run=$!
wait_until 20 "it to be launched" said didBecomeActive 1
step "home: it begins a task, and works on until that expires"
curfew home "$app"
# An event that is posted has it say where it is.
has_worked_on() { curfew post "$app" progress && (($(page progress) > $(page didEnterBackground))); }
wait_until 20 "it to work on in background" has_worked_on
curfew advance "$app" 10m >/dev/null
wait_until 20 "it to be suspended" is_state "$app" suspended
sed 's/^/  /' "$log"
said backgroundTaskWillExpire 1 || fail "it wasn't warned"
wait_until 20 "all of it to be stopped" is_stopped "$(field "$app" pid)"
step "it ended its task in time: suspended, not killed"

lines=$(wc -l <"$log")
curfew wake "$app" fetch url=news.example
wait_until 20 "the waking event" said news.example 1
wait_until 20 "it to be suspended again" is_state "$app" suspended
step "woken in background: it handled the event and was suspended again"
tail -n "+$((lines + 1))" "$log" | sed 's/^/  /'

curfew open "$app"
wait_until 20 "it to be in front" said didBecomeActive 2
curfew quit "$app"
wait "$run" || fail "it ended with status $?"
(($(page willTerminate) >= $(page backgroundTaskWillExpire))) || fail "it didn't go on where it was: $(<"$log")"
step "opened, it went on where it was; quit, it heard willTerminate and ended with status 0"
