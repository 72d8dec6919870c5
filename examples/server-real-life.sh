#!/usr/bin/env bash
# server-real-life.sh [SECONDS]: a dozen real programs below one server, and one beside it that takes part by --join, opened, left, ended
# and killed at random under load, while one of them eats memory. Nothing is lost, and the end of each of the server's runs is explained.
# A few seconds if not told otherwise; `server-real-life.sh 300` takes five minutes; then others are ended for what that one has taken of
# the machine, and an app in Swift is among them, which takes some twenty seconds to build.
source "$(dirname "$0")/lib.sh"
need python3
seconds=${1:-6}
here=$(cd "$(dirname "$0")" && pwd)

# PostgreSQL runs as another user.
chmod 711 "$scratch"
mkdir "$scratch/life"
options=()
((seconds < 60)) || options=(--pressure)
if ((seconds >= 60)) && command -v swift >/dev/null; then
    cp -r "$here/SwiftClient" "$scratch/package"
    sed -i "s|path: \"../..\"|path: \"${here%/*}\"|" "$scratch/package/Package.swift"
    TMPDIR=$scratch swift build -debug-info-format none --package-path "$scratch/package" --product uploader >"$scratch/output" 2>&1 ||
        fail "swift build: $(tail -n 40 "$scratch/output")"
    options+=(--uploader "$scratch/package/.build/debug/uploader")
fi
"$here/real-life/live.py" "$scratch/life" "$seconds" "${options[@]}" || fail "see above"
