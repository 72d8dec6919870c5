#!/usr/bin/env bash
# lifecycle-tests.sh: what shell scripts, Python apps, redis-server, vim and nginx do when they are sent home, warned and reclaimed;
# as tests. What isn't installed here is skipped.
source "$(dirname "$0")/lib.sh"

step "curfew test scenarios"
curfew test --await 30s --junit "$scratch/results.xml" "$(dirname "$0")/scenarios" | tee "$scratch/played" || fail "a scenario failed"

step "what a CI shows of it: $(grep -c '<testcase' "$scratch/results.xml") test cases in JUnit's format"
step "a scenario that asks for too much says what was seen instead"
cat >"$scratch/wrong.curfew" <<'WRONG'
app -- sleep 60
launch
home
expect state background
WRONG
status=0
curfew test "$scratch/wrong.curfew" | tee "$scratch/told" || status=$?
((status == 1)) || fail "the status is $status, not 1"
grep -q 'seen      it is suspended' "$scratch/told" || fail "it doesn't say what it saw"

skipped=$(sed -nE 's/^skipped .*\/([a-z]+)\.curfew: .*/\1/p' "$scratch/played" | sort -u | paste -sd ' ')
if [[ $skipped ]]; then
    echo "skipped: what these are about isn't installed: $skipped"
    exit 77
fi
