#!/usr/bin/env bash
# drop-in.sh: `curfew timeout` in timeout's place, by a link of that name; what timeout lets escape doesn't.
source "$(dirname "$0")/lib.sh"
need setsid timeout
cd "$scratch"
gnu=$(command -v timeout)
mkdir bin
ln -s "$(command -v curfew)" bin/timeout

for line in "5 true" "0.2 sleep 30" "--preserve-status 0.2 sleep 30" "5 sh -c 'exit 7'" "5 no-such-program" "0.2x true"; do
    theirs=0 ours=0
    eval "$gnu $line" 2>/dev/null || theirs=$?
    eval "bin/timeout $line" 2>/dev/null || ours=$?
    ((theirs == ours)) || fail "timeout $line: status $ours, and GNU's is $theirs"
    printf '  %-40s %3d, as from GNU timeout\n' "timeout $line" "$ours"
done
step "the same statuses"

status=0
bin/timeout -v 0.5 sh -c 'setsid sh -c "echo \$\$ >daemon; exec sleep 30" & exec sleep 30' 2>stderr || status=$?
((status == 124)) || fail "it ended with status $status, not 124"
is_gone "$(<daemon)" || fail "the daemon lives on"
step "a daemon in a session of its own went with it; -v says:"
sed 's/^/  /' stderr
step "and 'curfew report last':"
curfew report last | sed -n '1,4s/^/  /p'
