#!/usr/bin/env bash
# schedules.sh: a notification that outlives its app and its server, and is shown once its hour is taken from it; its button launches
# the app. Another is told to an app in front.
# Then the app is woken for work that it has asked for, and told when it has to end.
source "$(dirname "$0")/lib.sh"
need python3
# Not needed where curfew.py is installed, or lies beside the program.
PYTHONPATH=$(cd "$(dirname "$0")/../Sources/clients/python" && pwd)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
export CURFEW_SERVER=example-$$
tea=tea-$$

# Stands in for libnotify's: shows in a file, and has its button pressed at once.
mkdir "$scratch/bin"
cat >"$scratch/bin/notify-send" <<EOF
#!/bin/sh
printf '%s\n' "\$@" >"$scratch/shown.new"
mv "$scratch/shown.new" "$scratch/shown"
echo default
EOF
chmod +x "$scratch/bin/notify-send"
PATH=$scratch/bin:$PATH

cat >"$scratch/tea.py" <<'EOF'
import curfew

app = curfew.app()

@app.on()
def show(event):
    print(event.name, *(f"{key}={value}" for key, value in event.info.items()), flush=True)

def brew(task):
    task.expiration_handler = lambda: task.set_task_completed(False)

app.register("brew", brew)
# It asks for that itself; anybody can, by `curfew submit`.
app.submit_task_request(curfew.ProcessingTaskRequest("brew", requires_external_power=True, earliest_begin_date=4e9))
app.run()
EOF
serve() {
    curfew serve --name "$CURFEW_SERVER" &
    server=$!
    answers() { curfew apps >/dev/null 2>&1; }
    wait_until 20 "the server to answer" answers
}
heard() { curfew log "$tea" 2>/dev/null | grep -q "$1"; }

serve
# A busy machine may need more than the 5 s that these are otherwise.
curfew launch --enter-background-limit 1m --expiration-lead 1m --name "$tea" -- python3 "$scratch/tea.py" >/dev/null
wait_until 20 "the app to be in front" heard didBecomeActive
curfew notify "$tea" --title Water "It boils" >/dev/null
wait_until 20 "the app to hear of it" heard 'didReceiveLocalNotification .*title=Water'
[[ ! -e $scratch/shown ]] || fail "it was shown, though the app is in front"
step "in front the app was told, and nothing shown"

id=$(curfew notify "$tea" --in 1h --title Tea --badge 1 "It is ready")
curfew schedule "$tea" | grep -q "$id" || fail "it isn't in the schedule"
curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
step "the notification $id waits; its app and its server have ended"

serve
curfew schedule "$tea" | grep -q "$id" || fail "it waits no more"
# The hour isn't waited for: with the same id, and no time, it is due.
curfew notify "$tea" --id "$id" --title Tea --badge 1 "It is ready" >/dev/null
is_shown() { [[ -e $scratch/shown ]]; }
wait_until 20 "the notification to be shown" is_shown
grep -qx "It is ready" "$scratch/shown" || fail "something else was shown: $(<"$scratch/shown")"
wait_until 20 "the app to be launched by its button" heard "notification=$id"
is_state "$tea" active || fail "$tea isn't in front"
[[ $(field "$tea" badge) == 1 ]] || fail "it has no badge"
step "the next server has it, and shows it now that it is due; its button has launched the app, with the notification among its launch options"

curfew home "$tea"
curfew schedule "$tea" | grep -q "processing .*brew" || fail "the request isn't in the schedule"
curfew schedule "$tea" --run brew
wait_until 20 "the app to hear of it" heard 'processing request=brew'
curfew schedule "$tea" --expire brew
wait_until 20 "the app to be told that it has to end" heard taskWillExpire
curfew wait "$tea" suspended --limit 20s
step "woken for its own request, the app was told when to end, has answered, and is suspended again"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
