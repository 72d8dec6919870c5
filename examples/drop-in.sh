#!/usr/bin/env bash
# drop-in.sh: `curfew timeout` in timeout's place, by a link of that name; what timeout lets escape doesn't.
source "$(dirname "$0")/lib.sh"
need setsid timeout
cd "$scratch"
gnu=$(command -v timeout)
mkdir bin
ln -s "$(command -v curfew)" bin/timeout

for line in "1m true" "0.2 sleep 1000" "--preserve-status 0.2 sleep 1000" "1m sh -c 'exit 7'" "1m no-such-program" "0.2x true"; do
    theirs=0 ours=0
    eval "$gnu $line" 2>/dev/null || theirs=$?
    eval "bin/timeout $line" 2>/dev/null || ours=$?
    ((theirs == ours)) || fail "timeout $line: status $ours, and GNU's is $theirs"
    printf '  %-40s %3d, as from GNU timeout\n' "timeout $line" "$ours"
done
step "the same statuses"

bin/timeout -v 1h sh -c 'setsid sh -c "echo \$\$ >daemon; exec sleep 1000" & exec sleep 1000' 2>stderr &
wait_until 20 "the daemon" test -s daemon
# Its hour is over once the daemon is there: SIGALRM is the limit, as for GNU's.
kill -ALRM $!
status=0
wait $! || status=$?
((status == 124)) || fail "it ended with status $status, not 124"
is_gone "$(<daemon)" || fail "the daemon lives on"
step "a daemon in a session of its own went with it; -v says:"
sed 's/^/  /' stderr
step "and 'curfew report last':"
curfew report last | sed -n '1,4s/^/  /p'
