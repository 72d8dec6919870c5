#!/bin/sh
# logind.sh: a source for `curfew serve`: whoever is in front goes home when your session is locked, and when the machine goes to
# sleep. docs/sources.md, "logind".
#
#   curfew serve --source 'sh /usr/local/share/curfew/sources/logind.sh'
set -u
logind=org.freedesktop.login1

command -v gdbus >/dev/null || {
    echo "logind.sh: gdbus isn't installed (Debian: libglib2.0-bin)" >&2
    exit 69
}

# Whether the session at that path is one of this user's: signals tell of everybody's.
is_mine() {
    gdbus call --system --dest $logind --object-path "$1" --timeout 5 \
        --method org.freedesktop.DBus.Properties.Get $logind.Session User 2>/dev/null | grep -q "^(<(uint32 $(id -u),"
}

gdbus monitor --system --dest $logind | while IFS= read -r line; do
    # A line is PATH: INTERFACE.SIGNAL (ARGUMENTS).
    path=${line%%:*}
    case ${line#*: } in
    "$logind.Manager.PrepareForSleep (true,)") echo home ;;
    "$logind.Session.Lock ()" | *"PropertiesChanged ('$logind.Session', {"*"'LockedHint': <true>"*)
        is_mine "$path" && echo home
        ;;
    esac
done
