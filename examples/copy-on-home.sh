#!/usr/bin/env bash
# copy-on-home.sh: a script sent home finishes its copy first: `curfew task run` holds it in the background.
source "$(dirname "$0")/lib.sh"
need rsync
app=backup-$$
mkdir "$scratch/from"
head -c 16M /dev/urandom >"$scratch/from/film"

# The app: it copies (some two seconds, at this limit), then waits for something that comes later.
cat >"$scratch/backup" <<'END'
#!/usr/bin/env bash
curfew task run "copy the film" -- rsync -a --bwlimit=8M from/ to/ || exit
echo copied
until [[ -e more ]]; do sleep 0.1; done
END
chmod +x "$scratch/backup"

cd "$scratch"
curfew run --name "$app" --budget 30s -- ./backup >log &
run=$!
has_task() { [[ $(field "$app" openTasks) == 1 ]]; }
wait_until 10 "the copy to begin" has_task

curfew home "$app"
is_state "$app" background || fail "it is $(field "$app" state), with a task open"
step "home, in the middle of the copy: it is in background, on its budget"
curfew status "$app" | grep -E 'remaining|tasks'

wait_until 10 "it to be suspended" is_state "$app" suspended
cmp -s from/film to/film || fail "it was suspended before the copy was whole"
step "the copy is whole, its task is over, and with it the time in background: suspended"
curfew status "$app" | grep -E 'remaining|tasks'

touch more
wait_until 10 "all of it to be stopped" is_stopped "$(field "$app" pid)"
curfew open "$app"
wait "$run" || fail "it ended with status $?"
step "opened, it went on where it was, and ended with status 0"
