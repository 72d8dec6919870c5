#!/usr/bin/env bash
# memory-limit.sh: a program that grows past --memory is killed with its whole tree: status 137, and a line why.
source "$(dirname "$0")/lib.sh"
need python3
app=grower-$$

grow='
import time
held = []
for mebibyte in range(400):
    held.append(b"x" * 1048576)
time.sleep(1000)  # with all of it, in case nobody has looked yet
print("never said")
'
step "python3 takes 400 MiB, one by one; the limit is 80"
status=0
curfew run --name "$app" --memory 80M -- python3 -c "$grow" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
((status == 137)) || fail "it ended with status $status, not 137"
[[ ! -s $scratch/stdout ]] || fail "it got to its end"
grep -q 'killed: memory-limit (jetsam 7)' "$scratch/stderr" || fail "stderr doesn't say why: '$(<"$scratch/stderr")'"
step "status $status, and stderr says:"
sed 's/^/  /' "$scratch/stderr"

curfew run --memory 200M -- python3 -c 'print("- under its limit it says", len(b"x" * (50 << 20)) >> 20, "MiB")' ||
    fail "a program under its limit ended with status $?"
