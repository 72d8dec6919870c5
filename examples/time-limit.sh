#!/usr/bin/env bash
# time-limit.sh: as `timeout`, but nothing escapes; and a report for machines says why it ended.
source "$(dirname "$0")/lib.sh"
need setsid timeout
app=nightly-$$

# A daemoniser: its grandchild is in a session of its own, where a signal to the process group doesn't reach it.
daemoniser='setsid sh -c "echo \$\$ >grandchild; exec sleep 1000" & sleep 1000'
cd "$scratch"

timeout 1h sh -c "$daemoniser" &
wait_until 20 "the grandchild" test -s grandchild
# Not waited for: SIGALRM tells a timeout that its time is over.
kill -ALRM $!
status=0
wait $! || status=$?
escaped=$(<grandchild)
is_gone "$escaped" && fail "timeout caught it; then there is nothing to show"
kill "$escaped"
step "timeout 1h: status $status, and the grandchild lives on"

rm grandchild
curfew run --manual-clock --name "$app" --time-limit 1h --report report.json -- sh -c "$daemoniser" 2>stderr &
wait_until 20 "the grandchild" test -s grandchild
# Nor is this: its time stands still but for `curfew advance`.
curfew advance "$app" 1h >/dev/null
status=0
wait $! || status=$?
((status == 124)) || fail "it ended with status $status, not 124"
is_gone "$(<grandchild)" || fail "the grandchild lives on"
step "curfew run --time-limit 1h: status $status, and the grandchild is dead; stderr says:"
sed 's/^/  /' stderr
grep -q '"reason": *"time-limit"' report.json || fail "the report gives another reason"
step "and --report wrote:"
sed 's/^/  /' report.json
