#!/usr/bin/env bash
# join.sh: a program in a terminal of its own takes part in a server: opened there or here, one of the two goes home.
source "$(dirname "$0")/lib.sh"
# A server of this example's own.
export CURFEW_SERVER=example-$$
web=web-$$ notes=notes-$$

curfew serve --name "$CURFEW_SERVER" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers
curfew launch --name "$web" -- sleep 1000 >/dev/null

# In a terminal it would be vim; here it is a program that stays as well.
curfew run --join --name "$notes" -- sleep 1000 &
is_listed() { curfew apps | grep -q "^$notes .*joined"; }
wait_until 20 "$notes to join" is_listed
curfew wait "$web" suspended --limit 20s
step "$notes has joined the server, and $web went home for it"

curfew open "$web"
curfew wait "$notes" suspended --limit 20s
step "opened, $web is $(field "$web" state), and $notes went home"

curfew switch
curfew wait "$notes" active --limit 20s
curfew wait "$web" suspended --limit 20s
step "switch: $notes is in front again"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
is_state "$notes" active || fail "$notes didn't outlive the server"
step "the server has ended, and $web with it; $notes runs on alone"
