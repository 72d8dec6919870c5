#!/bin/sh
# Writes into an SQLite database without end, each note in a transaction of its own; `notes.sh well` asks whether it is whole.
cd "$CURFEW_STATE_DIR" || exit
if [ "$1" = well ]; then
    [ "$(sqlite3 -cmd '.timeout 60000' notes.db 'PRAGMA integrity_check')" = ok ]
    exit
fi
sqlite3 notes.db 'CREATE TABLE IF NOT EXISTS notes(number)'
number=0
while sqlite3 -cmd '.timeout 60000' notes.db "INSERT INTO notes VALUES ($number)"; do
    number=$((number + 1))
done
