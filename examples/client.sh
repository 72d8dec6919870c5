#!/bin/sh
# client.sh: a POSIX sh script that hears of its life by curfew.sh: it saves what it has when it is sent home, goes on when
# it is opened, and ends properly. Without arguments it starts itself under curfew and checks what happened.
set -eu

app() {
    # shellcheck source=/dev/null
    . "$(curfew --shell-library)"
    page=1
    # shellcheck disable=SC2317,SC2329 # called by curfew_on
    save() { echo "saved $page"; }
    # shellcheck disable=SC2317,SC2329
    finish() { echo "finished $page" && exit 0; }
    # shellcheck disable=SC2317,SC2329
    mail() { echo "mail from $CURFEW_INFO_from"; }
    curfew_on didEnterBackground save willTerminate finish mail mail
    while curfew_run sleep 0.1; do
        page=$((page + 1))
        echo "page $page"
    done
}

await() {
    tries=300
    until eval "$1"; do [ $((tries -= 1)) -gt 0 ] && sleep 0.1 || { echo "FAILED: $1: $(cat "$log")" >&2; exit 1; }; done
}
suspended="curfew status \"\$name\" --json | grep -q '\"state\": \"suspended\"'"

[ $# = 0 ] || { app; exit; }
name=client-sh-$$ log=$(mktemp)
trap 'curfew quit "$name" 2>/dev/null || true; rm -f "$log"' EXIT
# Its time stands still, so that its limits are none on the slowest machine.
curfew run --manual-clock --name "$name" --aware -- "$0" app >"$log" &
run=$!
await 'grep -q "^page 3" "$log"'
curfew home "$name"
await "$suspended"
saved=$(grep '^saved' "$log") || { echo "FAILED: $(cat "$log")" >&2; exit 1; }
# A page may have been done before it was stopped.
page=$(grep '^page' "$log" | tail -n 1)
echo "- home: it $saved, answered, and is suspended"
curfew wake "$name" mail from=me
await 'grep -qx "mail from me" "$log"'
await "$suspended"
echo "- woken for mail, it handled that, and is suspended again"
curfew open "$name"
await "grep -qx 'page $((${page#page } + 1))' \"\$log\""
echo "- opened: it goes on with the next page"
curfew quit "$name"
wait "$run"
grep -q '^finished' "$log"
echo "- quit: it $(tail -n 1 "$log"), status 0"
