#!/usr/bin/env bash
# server-list.sh: two apps in front at once; one is a desktop entry, one a manifest that is changed while it runs; its history, and an
# app that is taken off the list.
source "$(dirname "$0")/lib.sh"
# A server of this example's own, its manifests and its desktop entries.
export XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data CURFEW_SERVER=example-$$
clock=clock-$$ notes=notes-$$ build=build-$$

mkdir -p "$scratch/config/curfew/apps" "$scratch/data/applications"
cat >"$scratch/clock" <<'END'
#!/bin/sh
echo "this is $*"
exec sleep 1000
END
chmod +x "$scratch/clock"
# As an installed program has one, in share/applications: %c is its name, %F would be files to open.
cat >"$scratch/data/applications/$clock.desktop" <<END
[Desktop Entry]
Type=Application
Name=A clock
Exec="$scratch/clock" %c %F
END
write_manifest() {
    cat >"$scratch/config/curfew/apps/$notes.toml" <<END
command = ["sh", "-c", "echo $1; exec sleep 1000"]
END
}
write_manifest first
curfew check "$scratch/data/applications/$clock.desktop" "$scratch/config/curfew/apps/$notes.toml" >/dev/null ||
    fail "curfew check finds something wrong"

curfew serve --name "$CURFEW_SERVER" --foreground 2 &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers
wrote() { curfew log "$1" 2>/dev/null | grep -q "$2"; }

curfew launch "$clock" >/dev/null
wait_until 20 "$clock to write" wrote "$clock" 'this is A clock$'
curfew launch "$notes" >/dev/null
wait_until 20 "$notes to write" wrote "$notes" '^first$'
is_state "$clock" active || fail "$clock isn't in front any more"
step "$clock.desktop and $notes.toml are both in front"

curfew launch --name "$build" -- sleep 1000 >/dev/null
curfew wait "$clock" suspended --limit 20s
is_state "$notes" active || fail "$notes isn't in front any more"
step "$build came to the front, and $clock went home, which was opened longest ago"

write_manifest second
step "reload: $(curfew reload)"
[[ $(curfew apps | grep "$notes") == *manifest* ]] || fail "curfew apps doesn't say that the manifest differs: $(curfew apps)"
wrote "$notes" '^second$' && fail "$notes has another command already"
curfew quit "$notes"
curfew open "$notes"
wait_until 20 "$notes to write" wrote "$notes" '^second$'
step "what runs kept its command, and has the new one from its next launch on"

[[ $(curfew history "$notes" | grep -c "$notes") == 2 ]] || fail "its history: $(curfew history "$notes")"
step "its history: $(curfew history "$notes" | tail -n 1)"

curfew remove "$clock"
[[ $(curfew apps) != *"$clock"* ]] || fail "$clock is still in the list"
[[ $(curfew history "$clock") == *"$clock"* ]] || fail "its run isn't in its history any more"
step "$clock has ended and is off the list; its history stays"
curfew open "$clock"
is_state "$clock" active || fail "$clock isn't in front"
step "opened it is there again"

curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
