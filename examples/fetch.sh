#!/usr/bin/env bash
# fetch.sh: an app that isn't running fetches in background, and tells what came of it; then something is pushed to it, which it reads.
source "$(dirname "$0")/lib.sh"
need python3
# Not needed where curfew.py is installed, or lies beside the program.
PYTHONPATH=$(cd "$(dirname "$0")/../Sources/clients/python" && pwd)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
# A server of this example's own, and its manifests.
export XDG_CONFIG_HOME=$scratch/config CURFEW_SERVER=example-$$
news=news-$$

cat >"$scratch/news.py" <<'EOF'
import curfew

app = curfew.app()

@app.on()
def show(event):
    print(event.name, flush=True)

@app.on("fetch")
def fetch(event):
    event.set_fetch_result(curfew.FetchResult.NEW_DATA)

@app.on("remote-notification")
def pushed(event):
    print("payload:", app.remote_notification(event), flush=True)
    event.set_fetch_result(curfew.FetchResult.NEW_DATA)

app.run()
EOF
mkdir -p "$scratch/config/curfew/apps"
cat >"$scratch/config/curfew/apps/$news.toml" <<EOF
command = ["python3", "$scratch/news.py"]
background-modes = ["fetch", "remote-notification"]
minimum-fetch-interval = "1h"
enter-background-limit = "1m"
EOF
curfew check "$scratch/config/curfew/apps/$news.toml" >/dev/null || fail "curfew check finds something wrong with the manifest"

curfew serve --name "$CURFEW_SERVER" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers
wrote() { curfew log "$news" 2>/dev/null | grep -q "$1"; }

curfew fetch "$news"
wait_until 20 "the app to fetch" wrote '^fetch$'
curfew wait "$news" suspended --limit 20s
curfew schedule "$news" | grep -q ' fetch ' || fail "no next fetch is planned"
step "launched into background it has fetched, and is suspended; the next time: $(field "$news" nextFetch)"

echo '{"aps": {"content-available": 1}, "headline": "Rain"}' | curfew push "$news"
wait_until 20 "the app to read what was pushed" wrote 'payload: .*Rain'
curfew wait "$news" suspended --limit 20s
step "woken for what was pushed it has read it: $(curfew log "$news" | grep payload:)"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
