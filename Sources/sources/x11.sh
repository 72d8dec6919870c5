#!/bin/sh
# x11.sh: a source for `curfew serve`: the app whose window has the focus is in front. docs/sources.md, "X11".
#
#   curfew serve --source 'sh /usr/local/share/curfew/sources/x11.sh'
#
# It takes a window manager that sets _NET_ACTIVE_WINDOW, as nearly all do.
set -u

for program in xprop curfew; do
    command -v "$program" >/dev/null && continue
    echo "x11.sh: $program isn't on the PATH" >&2
    exit 69
done

# Whether that app runs, by its name or the pid of any process of it.
runs() { [ -n "$1" ] && curfew status "$1" --json >/dev/null 2>&1; }

# look WINDOW: asks for its app: by the process that the window names, else by its class in small letters.
look() {
    told=$(xprop -id "$1" _NET_WM_PID WM_CLASS 2>/dev/null) || return 0
    pid=$(printf '%s\n' "$told" | sed -n 's/^_NET_WM_PID(CARDINAL) = \([0-9]*\)$/\1/p')
    class=$(printf '%s\n' "$told" | sed -n 's/^WM_CLASS(STRING) = .*"\([A-Za-z0-9._+@-]*\)"$/\1/p' | tr '[:upper:]' '[:lower:]')
    if runs "$pid"; then
        echo "open app=$pid"
    elif runs "$class"; then
        echo "open app=$class"
    else
        echo home
    fi
}

xprop -root -spy _NET_ACTIVE_WINDOW | {
    last=
    while IFS= read -r line; do
        window=${line##*# }
        window=${window%%,*}
        case $window in
        # Between two windows there is a moment with none; whoever was in front stays so. And a line can come twice.
        0x0 | "$last") continue ;;
        0x*) ;;
        *) continue ;;
        esac
        # What has changed again by now comes with a later line.
        last=
        [ "$(xprop -root _NET_ACTIVE_WINDOW)" = "$line" ] || continue
        last=$window
        look "$window"
    done
}
