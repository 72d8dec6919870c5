#!/usr/bin/env bash
# copy-on-home.sh: a script sent home finishes its copy first: `curfew task run` holds it in the background.
source "$(dirname "$0")/lib.sh"
need rsync
app=backup-$$
mkdir "$scratch"/{first,second}
head -c 16M /dev/urandom >"$scratch/first/film"
head -c 16M /dev/urandom >"$scratch/second/film"

# The app: it copies one film, and another once a file says so, so that it is sent home in the middle of its copy on any machine.
# Then it waits for something that comes later.
cat >"$scratch/copy" <<'END'
#!/usr/bin/env bash
rsync -a first to/ && touch is-halfway
until [[ -e at-home ]]; do sleep 0.1; done
rsync -a second to/
END
cat >"$scratch/backup" <<'END'
#!/usr/bin/env bash
curfew task run "copy the films" -- ./copy || exit
echo copied
until [[ -e more ]]; do sleep 0.1; done
END
chmod +x "$scratch/copy" "$scratch/backup"

cd "$scratch"
curfew run --name "$app" --budget 10m -- ./backup >log &
run=$!
wait_until 20 "the first film" test -e is-halfway

curfew home "$app"
is_state "$app" background || fail "it is $(field "$app" state), with a task open"
step "home, in the middle of the copy: it is in background, on its budget"
curfew status "$app" | grep -E 'remaining|tasks'

touch at-home
wait_until 60 "it to be suspended" is_state "$app" suspended
cmp -s first/film to/first/film && cmp -s second/film to/second/film || fail "it was suspended before the copy was whole"
step "the copy is whole, its task is over, and with it the time in background: suspended"
curfew status "$app" | grep -E 'remaining|tasks'

touch more
wait_until 20 "all of it to be stopped" is_stopped "$(field "$app" pid)"
curfew open "$app"
wait "$run" || fail "it ended with status $?"
step "opened, it went on where it was, and ended with status 0"
