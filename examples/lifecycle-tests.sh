#!/usr/bin/env bash
# lifecycle-tests.sh: what a shell script, a Python app and redis-server do when they are sent home, warned and reclaimed; as tests.
source "$(dirname "$0")/lib.sh"

step "curfew test scenarios"
curfew test --junit "$scratch/results.xml" "$(dirname "$0")/scenarios" || fail "a scenario failed"

step "what a CI shows of it: $(grep -c '<testcase' "$scratch/results.xml") test cases in JUnit's format"
step "a scenario that asks for too much says what was seen instead"
cat >"$scratch/wrong.curfew" <<'EOF'
app -- sleep 60
launch
home
expect state background
EOF
status=0
curfew test "$scratch/wrong.curfew" | tee "$scratch/told" || status=$?
((status == 1)) || fail "the status is $status, not 1"
grep -q 'seen      it is suspended' "$scratch/told" || fail "it doesn't say what it saw"
