#!/bin/sh
# look.sh: wakes the apps of the panes that somebody looks at, and puts those of the others to sleep when nobody
# has looked for long enough and they have done little meanwhile. docs/sleep.md, "In tmux".
#
# tmux runs it by the hooks of curfew.conf, and again when there may be something to put to sleep. It keeps what it knows in
# options: of a pane @curfew-unseen, which of its apps had used how much CPU time when, and @curfew-asleep, whom it has
# put to sleep; of all @curfew-next, when it is run again. Times are hundredths of a second, since the boot.
set -u
# What it printed would be shown in a pane.
exec >/dev/null 2>&1

# complain TEXT: tells the user.
complain() { tmux display-message -d 5000 "curfew.conf: $1"; }

for program in curfew flock ps; do
    command -v "$program" && continue
    complain "$program isn't on the PATH of tmux: set-environment -g PATH …"
    exit 0
done

# Whether a pane is seen; where the focus counts, the session of which a terminal must have it.
seen='#{&&:#{session_attached},#{?window_zoomed_flag,#{pane_active},1}}'
seen="#{?window_active,#{?#{==:#{@curfew-awake},focused},#{?pane_active,#{session_id},0},$seen},0}"

# look: sets `next` to @curfew-next, and `all` to each pane once, though its window can be in several sessions:
# ID|SEEN|TTY|UNSEEN|ASLEEP|IDLE|PERCENT|AWAKE.
look() {
    all=$(
        tmux list-clients -F '|#{session_id}|#{client_flags}' \; list-panes -a -F \
            "#{pane_id}|$seen|#{pane_tty}|#{@curfew-unseen}|#{@curfew-asleep}|#{@curfew-idle}|#{@curfew-idle-cpu}|#{@curfew-awake}|#{@curfew-next}" |
            awk -F '|' '
                $1 == "" { if ($3 ~ /focused/) focused[$2]; next }
                {
                    if (!($1 in line)) order[++count] = $1
                    else if (line[$1] ~ /^[^|]*[|]1/) next
                    $2 = $2 == 1 || $2 in focused
                    line[$1] = $1 "|" $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 "|" $8
                    time = $9
                }
                END { print time; for (i = 1; i <= count; i++) print line[order[i]] }'
    )
    next=${all%%"
"*}
    all=${all#*"
"}
}

# wake PANE NAME…: only who is asleep still, as this script has left it. A person can have put it elsewhere.
wake() {
    tmux set-option -pqu -t "$1" @curfew-asleep
    shift
    for name; do
        curfew status "$name" --json | grep -q '^ *"asleep": "true"' && curfew open "$name"
    done
}

# apps: who may sleep, for it was said what wakes it, and isn't at home, as app|PROXY|NAME|CPU|WHAT IT IS; before them
# tty|PROXY|TTY of each.
apps() {
    found=$(curfew ps --json | awk '
        function tell() { if (may && place != "") print "app|" proxy "|" name "|" cpu "|" place }
        function value() { sub(/^[^:]*: "?/, ""); sub(/"?,?$/, ""); return $0 }
        /^ *"app": / { tell(); may = 0; place = ""; name = value() }
        /^ *"front": / { proxy = value() }
        /^ *"cpu": / { cpu = int(value() * 100) }
        /^ *"state": "active"/ { place = "awake" }
        /^ *"asleep": "true"/ { place = "asleep" }
        /^ *"(wakeOn|sleepWhenIdle)": / { may = 1 }
        END { tell() }')
    [ "$found" ] || return 0
    ps -o pid=,tty= -p "$(echo "$found" | cut -d '|' -f 2 | paste -s -d , -)" | awk '{ print "tty|" $1 "|/dev/" $2 }'
    echo "$found"
}

# What is to be done, as lines of a word and what it is about.
decide() {
    awk -F '|' -v now="$now" '
        # A time such as 10m or "1h 30min" in hundredths of a second; 0 where it is off, -1 where it is none.
        function span(text,   total, term, unit) {
            if (text == "off") return 0
            total = text == "" ? -1 : 0
            while (match(text, /^ *[0-9]+(\.[0-9]+)? *(ms|s|min|m|h|d)?/)) {
                term = unit = substr(text, 1, RLENGTH)
                text = substr(text, RLENGTH + 1)
                gsub(/[0-9. ]/, "", unit)
                total += term * (unit == "ms" ? 0.1 : unit == "d" ? 8640000 : unit == "h" ? 360000 : unit ~ /^m/ ? 6000 : 100)
            }
            return text ~ /^ *$/ ? total : -1
        }
        $1 == "tty" { tty[$2] = $3; next }
        $1 == "app" && $5 == "awake" { awake[tty[$2]] = awake[tty[$2]] " " $3; cpu[$3] = $4; next }
        $1 == "app" { asleep[tty[$2]] = asleep[tty[$2]] " " $3; next }
        $2 == 1 { if ($4 != "") print "seen", $1; next }
        {
            idle = span($6)
            if (idle < 0) print "complain", $6 " isn'\''t a time such as 10m, for @curfew-idle of pane " $1
            if ($7 !~ /^[0-9]+(\.[0-9]+)?%?$/) {
                print "complain", $7 " isn'\''t a percentage such as 10%, for @curfew-idle-cpu of pane " $1
                idle = 0
            }
            if ($8 != "visible" && $8 != "focused") {
                print "complain", $8 " is neither visible nor focused, for @curfew-awake of pane " $1
                idle = 0
            }
            if (idle <= 0) { if ($4 != "") print "seen", $1; next }
            # Who is looked after since when, and what it had used then. "-" stands for an app that is yet to start.
            split("", used); split("", since)
            count = split($4, words, " ")
            for (i = 1; i <= count; i++) { split(words[i], part, ":"); used[part[1]] = part[2]; since[part[1]] = part[3] }
            if (!($3 in awake)) {
                if ($4 == "") since["-"] = now
                isOver = !("-" in since) || now - since["-"] >= idle
                print "unseen", $1, "-:0:" (isOver ? "" : since["-"])
                if (!isOver && (soonest == "" || since["-"] + idle < soonest)) soonest = since["-"] + idle
                next
            }
            unseen = tired = ""
            count = split(awake[$3], names, " ")
            for (i = 1; i <= count; i++) {
                name = names[i]
                if (!(name in since)) since[name] = now
                else if (now - since[name] >= idle) {
                    if ((cpu[name] - used[name]) * 100 <= (now - since[name]) * $7) { tired = tired " " name; continue }
                    since[name] = now
                }
                if (since[name] == now) used[name] = cpu[name]
                unseen = unseen " " name ":" used[name] ":" since[name]
                due = since[name] + idle
                if (soonest == "" || due < soonest) soonest = due
            }
            print "unseen", $1 (unseen == "" ? " -:0:" : unseen)
            # Those that it put to sleep before, and sleep still, stay on the list.
            if (tired != "") {
                count = split($5, words, " ")
                for (i = 1; i <= count; i++) if (index(asleep[$3] " ", " " words[i] " ")) tired = tired " " words[i]
                print "sleep", $1 tired
            }
        }
        END { if (soonest != "") printf "next %.0f\n", soonest }'
}

# put_to_sleep PANE NAME…: listed before, for it can be looked at just now, and after, should somebody have struck it off meanwhile.
put_to_sleep() {
    pane=$1
    shift
    tmux set-option -pq -t "$pane" @curfew-asleep "$*"
    for name; do curfew sleep "$name"; done
    tmux set-option -pq -t "$pane" @curfew-asleep "$*"
}

# run_again TIME: unless that is to be sooner.
run_again() {
    [ "$next" ] && [ "$next" -gt "$now" ] && [ "$next" -le "$1" ] && return
    left=$(($1 > now ? $1 - now : 1))
    tmux set-option -gq @curfew-next "$1" \; \
        run-shell -b -d "$(printf '%d.%02d' $((left / 100)) $((left % 100)))" "exec sh #{q:@curfew-script}"
}

# At once, for somebody waits.
look
while IFS='|' read -r pane is_seen _ _ asleep _; do
    # shellcheck disable=SC2086  # several names
    [ "$is_seen" = 1 ] && [ "$asleep" ] && wake "$pane" $asleep &
done <<END
$all
END

# The rest by one after the other, so that nobody goes by what was so before another. The lock is on the folder of the
# server's socket, which is this user's; who is killed lets go.
exec 9<"$(dirname "${TMUX%%,*}")"
flock -w 10 9
look
read -r now _ </proc/uptime
now=${now%.*}${now#*.}
decided=$({ apps && echo "$all"; } | decide)
slept=
while read -r word pane rest; do
    case $word in
    seen) tmux set-option -pqu -t "$pane" @curfew-unseen ;;
    unseen) tmux set-option -pq -t "$pane" @curfew-unseen "$rest" ;;
    # shellcheck disable=SC2086  # several names
    sleep) slept=1 && put_to_sleep "$pane" $rest ;;
    next) [ "$slept" ] || run_again "$pane" ;;
    complain) complain "$pane $rest" ;;
    esac
done <<END
$decided
END
exec 9<&-
# Was one looked at meanwhile, or refused? Then it is woken, or tried again in its time.
[ ! "$slept" ] || exec sh "$0"
