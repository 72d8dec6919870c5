#!/usr/bin/env bash
# locks.sh: sqlite3 is sent home in the middle of a write transaction, with a lock that keeps all others out. Told of by
# default; --locks=defer lets it commit first; --locks=kill kills it, as iOS does.
source "$(dirname "$0")/lib.sh"
need sqlite3
database=$scratch/notes.db
sqlite3 "$database" 'CREATE TABLE notes(text)'

# begin APP OPTION…: an sqlite3 that reads what is written to descriptor 9, and is in a write transaction.
begin() {
    local app=$1
    shift
    rm -f "$scratch/said" "$scratch/pipe"
    mkfifo "$scratch/pipe"
    curfew run --name "$app" "$@" -- sqlite3 "$database" <"$scratch/pipe" >"$scratch/said" 2>"$scratch/stderr" &
    job=$!
    exec 9>"$scratch/pipe"
    echo "BEGIN IMMEDIATE; INSERT INTO notes VALUES ('$app'); SELECT 'begun';" >&9
    wait_until 20 "sqlite3 to begin its transaction" grep -qs begun "$scratch/said"
}

# Whether nobody else can write.
is_locked() { ! sqlite3 "$database" 'BEGIN IMMEDIATE' 2>/dev/null; }

app=report-$$
begin "$app"
curfew home "$app"
[[ $(field "$app" locks) == "$database (POSIX"* ]] || fail "status doesn't name the database: '$(field "$app" locks)'"
is_locked || fail "the database isn't locked"
step "--locks=report: $(field "$app" state), and nobody else can write; curfew status says"
curfew status "$app" | grep "locked files"
curfew open "$app"
printf 'COMMIT;\n.exit\n' >&9
wait "$job" || fail "it ended with status $?"

app=defer-$$
begin "$app" --locks=defer --lock-wait 1m
curfew home "$app"
[[ $(field "$app" state) == background ]] || fail "it is $(field "$app" state), not in background"
step "--locks=defer: sent home it runs on, for --lock-wait at most"
echo 'COMMIT;' >&9
wait_until 20 "its suspension" is_state "$app" suspended
is_locked && fail "it was suspended with its lock"
step "… until it has committed; then it is suspended, and the database is anybody's"
curfew open "$app"
echo .exit >&9
wait "$job" || fail "it ended with status $?"

app=kill-$$
begin "$app" --locks=kill
curfew home "$app" || true
status=0
wait "$job" || status=$?
((status == 137)) || fail "it ended with status $status, not 137"
grep -q 'suspended-with-locked-file (0xdead10cc)' "$scratch/stderr" || fail "stderr doesn't say why"
step "--locks=kill: status $status, and stderr says:"
sed 's/^/  /' "$scratch/stderr"
exec 9>&-

kept=$(sqlite3 "$database" 'SELECT group_concat(text) FROM notes')
[[ $kept == "report-$$,defer-$$" ]] || fail "the database has '$kept'"
step "what was committed is kept, and what wasn't is rolled back: $kept"
