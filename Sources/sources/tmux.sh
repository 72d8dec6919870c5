#!/bin/sh
# tmux.sh [OPTION…]: a source for `curfew serve`: the app in the pane that you look at is in front. Options are tmux's, such as
# -L NAME. docs/sources.md, "tmux".
#
#   curfew serve --source 'sh /usr/local/share/curfew/sources/tmux.sh'
#
# It is for programs that were started in panes by `curfew run --join`. Made for tmux 3.3.
set -u

for program in tmux curfew ps; do
    command -v "$program" >/dev/null && continue
    echo "tmux.sh: $program isn't on the PATH" >&2
    exit 69
done

server=${CURFEW_SERVER:-home}
# A place of our own among the user's hooks; another server's source has another.
place=$((2000 + $(printf %s "$server" | cksum | cut -d ' ' -f 1) % 100000))
channel=curfew-front-$place-$$
flag=@curfew-front-$place
hooks='client-attached client-detached client-session-changed client-focus-in session-window-changed window-pane-changed window-linked'

# Which pane somebody looks at, as TERMINAL|PID|COMMAND: of the clients that have the focus, as far as they tell, of the one used last.
front_pane() {
    tmux "$@" list-clients -F '#{?#{m:*focused*,#{client_flags}},1,0}|#{client_activity}|#{pane_tty}|#{pane_pid}|#{pane_current_command}' |
        sort -t '|' -k 1,1n -k 2,2n | tail -n 1 | cut -d '|' -f 3-
}

# app_at TERMINAL: the app there that takes part in our server, where its job isn't stopped: then a shell's prompt is there.
app_at() {
    curfew ps --json | awk -v server="$server" '
        function tell() { if (name != "" && proxy != "" && joined == server) print proxy, name }
        function value() { sub(/^[^:]*: "?/, ""); sub(/"?,?$/, ""); return $0 }
        /^  *{/ { tell(); name = proxy = joined = "" }
        /^ *"app": / { name = value() }
        /^ *"front": / { proxy = value() }
        /^ *"server": / { joined = value() }
        END { tell() }' |
        while read -r proxy name; do
            # Its status (T: stopped) and its terminal.
            set -- "$1" $(ps -o stat=,tty= -p "$proxy")
            [ "/dev/${3:-}" = "$1" ] || continue
            case $2 in
            T*) ;;
            *) echo "$name" ;;
            esac
        done | tail -n 1
}

# is_starting TERMINAL|PID|COMMAND: an app may be about to take part there.
is_starting() {
    [ "${1##*|}" = curfew ] && return
    pid=${1#*|}
    age=$(ps -o etimes= -p "${pid%%|*}") && [ "$age" -lt 2 ]
}

# Said again though nothing is new here: an app that was started meanwhile has come to the front by itself.
look() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
        pane=$(front_pane "$@")
        [ -n "$pane" ] || break
        app=$(app_at "${pane%%|*}")
        if [ -n "$app" ]; then
            echo "open app=$app"
            return 0
        fi
        is_starting "$pane" || break
        sleep 0.2
    done
    echo home
}

# Each by one command of tmux's: at the server's end there is a second for it.
arrive() {
    # Two signals that nobody has waited for are as none to tmux. So there is one at a time: while the flag is set it is under way.
    for hook in $hooks; do
        set -- "$@" set-hook -g "$hook[$place]" "if -F '#{$flag}' '' 'set -g $flag 1 ; wait-for -S $channel'" ';'
    done
    tmux "$@" show -gqv "$flag" >/dev/null
}

leave() {
    for hook in $hooks; do set -- "$@" set-hook -gu "$hook[$place]" ';'; done
    tmux "$@" set -gqu "$flag"
} 2>/dev/null

# In the background: one that has just been forked, and hasn't executed anything yet, misses a SIGTERM, and would be waited for.
listen() {
    tmux "$@" wait-for "$channel" &
    listener=$!
    wait "$listener" && listener=
}

leave "$@"
listener=
trap 'leave "$@"; [ -z "$listener" ] || kill "$listener" 2>/dev/null; exit 0' TERM
arrive "$@" || exit
while look "$@" && listen "$@" && tmux "$@" set -gqu "$flag"; do :; done
