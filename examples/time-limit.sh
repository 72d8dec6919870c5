#!/usr/bin/env bash
# time-limit.sh: as `timeout`, but nothing escapes; and a report for machines says why it ended.
source "$(dirname "$0")/lib.sh"
need setsid timeout
app=nightly-$$

# A daemoniser: its grandchild is in a session of its own, where a signal to the process group doesn't reach it.
daemoniser='setsid sh -c "echo \$\$ >grandchild; exec sleep 30" & sleep 30'
cd "$scratch"

status=0
timeout 1 sh -c "$daemoniser" || status=$?
escaped=$(<grandchild)
is_gone "$escaped" && fail "timeout caught it; then there is nothing to show"
kill "$escaped"
step "timeout 1: status $status, and the grandchild lives on"

rm grandchild
status=0
curfew run --name "$app" --time-limit 1s --report report.json -- sh -c "$daemoniser" 2>stderr || status=$?
((status == 124)) || fail "it ended with status $status, not 124"
is_gone "$(<grandchild)" || fail "the grandchild lives on"
step "curfew run --time-limit 1s: status $status, and the grandchild is dead; stderr says:"
sed 's/^/  /' stderr
grep -q '"reason": *"time-limit"' report.json || fail "the report gives another reason"
step "and --report wrote:"
sed 's/^/  /' report.json
