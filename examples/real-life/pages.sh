#!/bin/sh
# pages.sh: a script that writes a page each tenth of a second while it is in front, and goes on with the next one whatever has ended it.
set -eu
# shellcheck source=/dev/null
. "$(curfew --shell-library)"
file=$CURFEW_STATE_DIR/page
page=0
[ ! -s "$file" ] || read -r page <"$file"
# shellcheck disable=SC2317,SC2329 # called by curfew_on
leave() { echo "home after page $page"; }
# shellcheck disable=SC2317,SC2329
finish() { exit 0; }
curfew_on didEnterBackground leave willTerminate finish
while curfew_run sleep 0.1; do
    page=$((page + 1))
    echo "$page" >"$file.new"
    mv "$file.new" "$file"
    echo "page $page"
done
