#!/usr/bin/env bash
# postgresql.sh: a PostgreSQL that nobody asks is stopped, its workers too; a query wakes it, also one of a session that was open.
# Meanwhile it vacuums nothing: that waits for a time, for which it isn't woken. It catches up when it runs.
source "$(dirname "$0")/../lib.sh"
# Debian keeps the server's programs off PATH.
for folder in /usr/lib/postgresql/*/bin; do PATH=$folder:$PATH; done
need initdb postgres psql
app=postgresql-$$

# It doesn't run as root.
owner=()
mkdir "$scratch/postgresql"
if ((EUID == 0)); then
    need setpriv
    owner=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 711 "$scratch"
    chown 65534:65534 "$scratch/postgresql"
fi
cd "$scratch/postgresql"
"${owner[@]}" initdb -D data -U postgres -A trust --locale=C --no-sync >"$scratch/initdb" || fail "$(<"$scratch/initdb")"

# SIGINT ends it at once; SIGTERM, which quit sends if not told otherwise, waits for every client to go.
curfew run --sleep-when-idle 10m --wake-on connections --manual-clock --on willTerminate=INT --name "$app" -- \
    "${owner[@]}" postgres -D data -k "$PWD" -c listen_addresses= -c fsync=off -c autovacuum_naptime=1s >"$scratch/log" 2>&1 &
run=$!
ask() { psql -h "$PWD" -U postgres -d postgres -qAtc "$1"; }
is_up() { [[ $(ask 'select 1' 2>/dev/null) == 1 ]]; }
wait_until 30 "PostgreSQL to answer" is_up

coproc session { psql -h "$PWD" -U postgres -d postgres -qAt; }
# in_session QUERY: its answer, a line.
in_session() { echo "$1" >&"${session[1]}" && read -r -t 30 -u "${session[0]}" answer || fail "the session isn't answered"; }
in_session "set application_name = 'kept'; select 1;"
step "up, with a session open: curfew run --sleep-when-idle 10m --wake-on connections"

ask 'create table visits as select generate_series(1, 1000) number; delete from visits;'
fall_asleep "$app"
all=$(tree "$(field "$app" pid)")
# shellcheck disable=SC2086  # several numbers
wait_until 20 "all of it to be stopped" is_stopped $all
ps -o args= -p "$(paste -s -d , <<<"$all")" >"$scratch/titles"
grep -q 'autovacuum launcher' "$scratch/titles" || fail "there is no autovacuum launcher: $(<"$scratch/titles")"
# shellcheck disable=SC2086
step "ten minutes without a query: its $(wc -l <"$scratch/titles") processes are asleep ($(letters $all)), such as the autovacuum launcher"

[[ $(ask 'select count(*) from visits') == 0 ]] || fail "a query wasn't answered"
step "a client connects and is answered: woken by $(woken_by "$app")"

fall_asleep "$app"
in_session 'show application_name;'
[[ $answer == kept ]] || fail "the session is another one: $answer"
step "a query of the session that was open is answered, too: woken by $(woken_by "$app")"

is_vacuumed() { [[ $(ask "select autovacuum_count > 0 from pg_stat_user_tables where relname = 'visits'") == t ]]; }
wait_until 30 "the table to be vacuumed" is_vacuumed
step "awake it finds time to vacuum"

curfew quit "$app"
wait "$run" || fail "it ended with status $?: $(tail -n 5 "$scratch/log")"
grep -q 'database system is shut down' "$scratch/log" || fail "it wasn't shut down: $(tail -n 5 "$scratch/log")"
step "quit: it is shut down"
