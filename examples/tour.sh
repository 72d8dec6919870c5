#!/usr/bin/env bash
# tour.sh [--draw]: plays the scenario that README's tour opens with, as it stands there, and holds the picture there to what
# came of it. --draw draws that anew: `make tour`.
source "$(dirname "$0")/lib.sh"
need rsync
tree=$(cd "$(dirname "$0")/.." && pwd)
cp "$tree/examples/tour/backup.sh" "$scratch"
# The first block of the tour.
sed -n '/^## A tour/,/^##/ { /^```$/,/^```$/p }' "$tree/README.md" | sed '1d; /^```$/,$d' >"$scratch/backup.curfew"
cd "$scratch"
mkdir photos
# At this rate it is still at it whenever its time is over.
head -c 1M /dev/urandom >photos/1.jpg
export LIMIT=1

step "the $(wc -l <backup.curfew) lines of the tour"
curfew test --await 30s --artifacts out backup.curfew || fail "the tour's scenario failed"
curfew timeline out/*/journal --title backup.curfew -o tour.svg
if [[ ${1-} == --draw ]]; then
    cp tour.svg "$tree/docs/tour.svg"
    exit
fi

# said PICTURE: what it says of states, the task and the budget; what is measured, and what comes of opening it, isn't the same twice.
said() { grep -oE '<title>(active|background|suspended|task 1|budget left)[^<]*' "$1"; }
step "its picture says what the one in README says"
diff <(said "$tree/docs/tour.svg") <(said tour.svg) || fail "docs/tour.svg isn't of this run; make tour draws it anew"
