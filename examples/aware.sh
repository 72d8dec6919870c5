#!/bin/sh
# aware.sh: an app in POSIX sh that speaks the control pipe by hand: one message a line, over descriptor $CURFEW_FD.
# Without arguments it starts itself under curfew, twice: with work that fits its budget, and with work that doesn't. Its time stands
# still but for `curfew advance`, so that nobody waits for ten minutes.
set -eu

send() { printf '%s\n' "$*" >&"$CURFEW_FD"; }

# value KEY PAIRS: what stands after KEY=
value() { rest_of=${2#*"$1"=} && echo "${rest_of%% *}"; }

# What it does in the background: steps, each in the log. The last word is the end of the task.
work() {
    for n in $(seq "$STEPS"); do sleep 0.1; echo "step $n"; done
    send end id=2 task="$1"
}

app() {
    send hello version=1 client=aware.sh
    while read -r verb rest <&"$CURFEW_FD"; do
        [ "$verb" = event ] && echo "$rest"
        case "$verb $rest" in
        "event name=didEnterBackground "*) send begin id=1 'name="save it all"' ;;
        "ok id=1 "*) work "$(value task "$rest")" & worker=$! ;;
        "event name=backgroundTaskWillExpire "*)
            # A few seconds are left. Save, and end the task: an app that doesn't is killed.
            kill "$worker" 2>/dev/null || true
            wait "$worker" || echo "step saved for later"
            send end id=3 task="$(value task "$rest")" ;;
        "event name=willTerminate "*) exit 0 ;;
        esac
        # After the begin above, so that the task is open before the app has settled in the background.
        case $rest in *ack=required*) send ack seq="$(value seq "$rest")" ;; esac
    done
}

# demo STEPS TIME WORD: home it, let TIME pass, and see it suspended by itself with WORD the last step in its log.
demo() {
    echo "- $1 steps, and $2 of its ten minutes pass:" && : >"$log"
    STEPS=$1 curfew run --manual-clock --name "$name" --aware -- "$0" app >"$log" &
    await "grep -q didBecomeActive '$log'"
    curfew home "$name"
    await "grep -q 'step 1' '$log'"
    curfew advance "$name" "$2" >/dev/null
    await "curfew status '$name' --json | grep -q '\"state\": \"suspended\"'"
    sed 's/^/  /' "$log" && echo "  (suspended)"
    [ "$(grep step "$log" | tail -n 1)" = "step $3" ]
    curfew open "$name"
    curfew quit "$name"
    wait $! # the app's own status: it heard willTerminate and ended
}

await() {
    tries=300
    until eval "$1"; do [ $((tries -= 1)) -gt 0 ] && sleep 0.1 || { echo "FAILED: $1" >&2; exit 1; }; done
}

[ $# = 0 ] || { app; exit; }
name=aware-sh-$$ log=$(mktemp)
trap 'curfew quit "$name" 2>/dev/null || true; rm -f "$log"' EXIT
demo 5 10s 5
# It is told 5 s before the end.
demo 100000 10m "saved for later"
