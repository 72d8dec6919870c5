#!/bin/sh
# The same book in POSIX sh.
set -eu
# shellcheck source=/dev/null
. "$(curfew --shell-library)"
saved=${CURFEW_STATE_DIR:?} page=1
# shellcheck disable=SC2317,SC2329 # these are called by curfew_on
launch() {
    if [ "$CURFEW_RESTORED" = true ] && [ -e "$saved/page" ]; then
        read -r page <"$saved/page"
        echo "page $page, after $CURFEW_ENDED"
    else
        echo "page $page"
    fi
}
# shellcheck disable=SC2317,SC2329
turn() { page=$((page + 1)) && echo "page $page"; }
# shellcheck disable=SC2317,SC2329
save() { echo "$page" >"$saved/page.new" && mv "$saved/page.new" "$saved/page"; }
curfew_on didFinishLaunching launch turn turn didEnterBackground save
curfew_loop
