#!/usr/bin/env bash
# source.sh: a source in ten lines of shell, inbox.sh: an app is in front while there is something in a folder; rubbish is told of and does nothing.
source "$(dirname "$0")/lib.sh"
export CURFEW_SERVER=example-$$
mail=mail-$$ notes=notes-$$
inbox=$scratch/inbox
mkdir "$inbox"

cat >"$scratch/inbox.sh" <<'EOF'
#!/bin/sh
# inbox.sh FOLDER APP
last=
while sleep 1; do
    if [ -n "$(ls "$1")" ]; then now="open app=$2"; else now="home app=$2"; fi
    [ "$now" = "$last" ] || echo "$now"
    last=$now
done
EOF

curfew serve --name "$CURFEW_SERVER" --source "sh '$scratch/inbox.sh' '$inbox' $mail" --source-apps "$mail" \
    --source "echo quit app=$notes; exec sleep 1000" 2>"$scratch/errors" &
server=$!
answers() { curfew apps >/dev/null 2>&1; }
wait_until 20 "the server to answer" answers
curfew launch --name "$mail" -- sleep 1000 >/dev/null
curfew launch --name "$notes" -- sleep 1000 >/dev/null
curfew wait "$mail" suspended --limit 20s
step "$notes is in front"

touch "$inbox/letter"
curfew wait "$mail" active --limit 20s
step "something is in the folder, and $mail is $(field "$mail" state)"

rm "$inbox/letter"
curfew wait "$mail" suspended --limit 20s
step "it is empty again, and $mail is $(field "$mail" state)"

is_told() { grep -q "source echo: \"quit app=$notes\": a source may ask for" "$scratch/errors"; }
wait_until 20 "what is no request to be told" is_told
[[ -n $(field "$notes" pid) ]] || fail "a source has ended $notes"
step "told of, and not done: $(grep -o 'source echo: .*' "$scratch/errors")"

curfew apps --sources | sed 's/ *$//; s/^/    /'
curfew serve --name "$CURFEW_SERVER" --stop
wait "$server" || fail "the server ended with $?"
