#!/usr/bin/env bash
# server.sh: two apps below one server, one in front; a manifest, a kill that one app doesn't outlive and the other doesn't notice.
source "$(dirname "$0")/lib.sh"
need redis-server redis-cli
# A server of this example's own, and its manifests.
export XDG_CONFIG_HOME=$scratch/config CURFEW_SERVER=example-$$
cache=cache-$$ notes=notes-$$
ask() { timeout 20 redis-cli -s "$scratch/redis.sock" "$@"; }

mkdir -p "$scratch/config/curfew/apps"
cat >"$scratch/config/curfew/apps/$cache.toml" <<EOF
command = ["redis-server", "--port", "0", "--unixsocket", "$scratch/redis.sock", "--dir", "$scratch"]
budget = "5m"
restart = "on-failure"
EOF
curfew check "$scratch/config/curfew/apps/$cache.toml" >/dev/null || fail "curfew check finds something wrong with the manifest"

curfew serve --name "$CURFEW_SERVER" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers

curfew launch "$cache" >/dev/null
is_up() { [[ $(ask ping 2>/dev/null) == PONG ]]; }
wait_until 20 "redis-server to answer" is_up
ask set before 1 >/dev/null
step "launched by its manifest, $cache is $(field "$cache" state), and holds before=$(ask get before)"

curfew launch --name "$notes" -- sh -c 'echo "started in $PWD"; exec sleep 1000' >/dev/null
curfew wait "$cache" suspended --limit 20s
step "$notes came to the front; $cache is $(field "$cache" state)"

pid=$(field "$cache" pid)
kill -KILL "$pid"
is_another() { [[ -n $(field "$cache" pid) && $(field "$cache" pid) != "$pid" ]]; }
wait_until 20 "$cache to be launched again" is_another
is_state "$notes" active || fail "$notes isn't in front any more"
step "$cache was killed, and is launched again, in background: restart = \"on-failure\"; $notes didn't notice"

curfew open "$cache"
wait_until 20 "redis-server to answer again" is_up
step "opened, it answers: $(ask ping)"

curfew switch
is_state "$notes" active || fail "$notes isn't in front again"
step "switch: $notes is in front again; it has written: $(curfew log "$notes" | grep started)"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
step "the server ended both properly, and itself"
