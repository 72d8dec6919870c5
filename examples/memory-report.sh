#!/usr/bin/env bash
# memory-report.sh: a pipeline grows past --memory and is killed; `curfew report` tells which of its processes did it.
source "$(dirname "$0")/lib.sh"
need python3
app=pipeline-$$

# The hungry one reads its input to the end before it says anything; the others pass on line by line. In a memory cgroup the kernel
# ends it at the limit, and may before anybody has looked who took it; without one whoever looks ends it.
hungry='import sys; lines = [line for line in sys.stdin]; print(len(lines))'
step "of seq, sed and python3 one keeps all that it reads; the limit is 100 MiB for the three"
status=0
curfew run --name "$app" --containment tree --memory 100M -- sh -c 'seq 100000000 | sed -u s/$/,/ | python3 -c "$1"' sh "$hungry" \
    >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
((status == 137)) || fail "it ended with status $status, not 137"
step "status $status, and stderr says:"
sed 's/^/  /' "$scratch/stderr"

# What is over can be asked about later, by name; `curfew report` alone lists all that were killed.
curfew report | grep -q "$app .*memory-limit" || fail "the list of reports doesn't have it: '$(curfew report)'"
curfew report "$app" >"$scratch/report"
step "curfew report $app"
sed 's/^/  /' "$scratch/report"
grep -q 'limit  *100 MiB' "$scratch/report" || fail "the report doesn't name the limit"

# The same in JSON, for programs: the process with the largest footprint.
culprit=$(curfew report "$app" --json | python3 -c '
import json, sys
worst = max(json.load(sys.stdin)["processes"], key=lambda process: process["footprintBytes"] or 0)
print(worst["name"], (worst["footprintBytes"] or 0) >> 20)
')
[[ $culprit == python3* ]] || fail "the report's largest process is '$culprit', not python3"
step "the largest of its processes: ${culprit% *}, ${culprit#* } MiB"
