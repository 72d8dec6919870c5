#!/usr/bin/env bash
# client-swift.sh: SwiftClient/, a small program with CurfewClient: its tests, its lifecycle tests, then alone, then under curfew
# with work that fits its budget and with work that doesn't. Building it takes some twenty seconds.
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"
need curfew swift

root=$(cd "$(dirname "$0")/.." && pwd)
name=client-swift-$$
log=$scratch/log

heard() { grep -qx "$1" "$log"; }
is_suspended() { is_state "$name" suspended; }

# What it has done last; what it was told stands between, and sometimes behind.
last_done() { grep -xE 'page [0-9]+|paused|uploaded' "$log" | tail -n 1; }

# count LINE: how often it stands in the log.
count() { grep -cx "$1" "$log" || true; }

# start PAGES: the uploader under curfew, up to its third page. Its time stands still but for `curfew advance`.
start() {
    : >"$log"
    curfew run --manual-clock --name "$name" --aware -- "$uploader" "$1" >"$log" &
    run=$!
    wait_until 20 "the third page" heard "page 3"
}

# quit: it hears willTerminate, and ends with its own status.
quit() {
    curfew quit "$name"
    wait "$run" || fail "status $? after quit"
    heard willTerminate || fail "it wasn't told: $(cat "$log")"
}

step "building it, and its tests under a fake that expires everything"
cp -r "$root/examples/SwiftClient" "$scratch/package"
sed -i "s|path: \"../..\"|path: \"$root\"|" "$scratch/package/Package.swift"
# Its locks go to TMPDIR and stay there.
TMPDIR=$scratch swift test -debug-info-format none --package-path "$scratch/package" >"$scratch/output" 2>&1 ||
    fail "swift test: $(tail -n 40 "$scratch/output")"
uploader=$scratch/package/.build/debug/uploader
indexer=$scratch/package/.build/debug/indexer

step "its lifecycle, as tests: curfew test uploader.curfew"
curfew test --await 30s "$scratch/package/uploader.curfew" | tee "$scratch/told" || fail "a scenario failed"
grep -q '^3 passed, in ' "$scratch/told" || fail "not all of them were played"

step "alone, nobody suspends it: it does its work, and says so"
"$uploader" 2 >"$log"
[[ $(cat "$log") == $'no supervisor\npage 1\npage 2\nuploaded' ]] || fail "it printed: $(cat "$log")"

step "sent home with some work left: it finishes in the background, then it is suspended"
start 40
curfew home "$name"
wait_until 20 "the suspension" is_suspended
[[ $(last_done) == uploaded ]] || fail "suspended too early: $(cat "$log")"
curfew open "$name"
quit

step "sent home with more work than it has time for: its task is cancelled in time, and opened, it goes on"
start 100000
curfew home "$name"
curfew advance "$name" 10m >/dev/null
wait_until 20 "the suspension" is_suspended
[[ $(last_done) == paused ]] || fail "it didn't stop in time: $(cat "$log")"
last=$(grep page "$log" | tail -n 1)
curfew open "$name"
wait_until 20 "the next page" heard "page $((${last#page } + 1))"
# Its last task ended, it may have been stopped before it could write this down.
heard backgroundTaskWillExpire || fail "it wasn't warned: $(cat "$log")"
(($(count "$last") == 1)) || fail "$last was sent twice"
quit

step "another asks to be launched for some work"
"$(dirname "$0")/task-requests.sh" "$indexer"
