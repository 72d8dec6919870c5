#!/usr/bin/env bash
# waking.sh: an app that hears of everything that happens to it, driven through the whole lifecycle; then its journal is
# replayed, and comes out the same.
source "$(dirname "$0")/lib.sh"
need python3
app=waking-$$
log=$scratch/log
export PYTHONPATH
PYTHONPATH=$(cd "$(dirname "$0")/../Sources/clients/python" && pwd)

# Its time stands still, so that its limits are none on the slowest machine.
curfew run --manual-clock --name "$app" --aware --journal "$scratch/journal" --launch-option from=example -- python3 -c '
import curfew

app = curfew.app()
for name in ("didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground",
             "settingsDidChange", "mail", "willTerminate"):
    @app.on(name)
    def heard(event):
        print(event.name, *(f"{key}={value}" for key, value in event.info.items()), flush=True)
        if event.name == "willTerminate":
            raise SystemExit(0)
app.run()
' >"$log" &
seen() { [[ $(tail -n +"${2:-1}" "$log" | paste -sd,) == "$1" ]]; }
# expect LINES WHAT: what was added to the log since the last time.
next=1
expect() {
    wait_until 20 "$2: $1 in $(tail -n +$next "$log" | paste -sd,)" seen "$1" $next
    next=$(($(wc -l <"$log") + 1))
    step "$2: $1"
}

expect 'didFinishLaunching from=example,didBecomeActive' launch
curfew interrupt "$app"
expect willResignActive 'a phone call'
curfew dismiss "$app"
expect didBecomeActive 'not answered'
curfew home "$app"
expect willResignActive,didEnterBackground home
wait_until 20 "it to be suspended" is_state "$app" suspended

curfew post "$app" settingsDidChange theme=light
curfew post "$app" settingsDidChange theme=dark
step "two changes of its settings, while it can't hear"
curfew wake "$app" mail from='a friend'
expect 'didEnterBackground,settingsDidChange theme=dark,mail from=a friend' 'woken for mail'
wait_until 20 "it to be suspended again" is_state "$app" suspended
step "it is suspended again"

curfew open "$app"
expect willEnterForeground,didBecomeActive opened
curfew quit "$app"
expect willTerminate quit

curfew replay "$scratch/journal" >"$scratch/replayed"
step "its journal, replayed: $(grep -c '^input' "$scratch/replayed") inputs, the same effects"
