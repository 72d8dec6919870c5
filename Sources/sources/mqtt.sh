#!/bin/sh
# mqtt.sh [OPTION…]: a source for `curfew serve`: what a broker has for apps. Options are mosquitto_sub's. docs/sources.md, "MQTT".
#
#   curfew serve --source 'sh /usr/local/share/curfew/sources/mqtt.sh -h broker' --source-apps mail,chat
#
# | topic                  | payload                          | request |
# | curfew/APP/open        | none                             | open    |
# | curfew/APP/home        | none                             | home    |
# | curfew/APP/post/EVENT  | none, or text for `info.payload` | post    |
# | curfew/APP/wake/EVENT  | the same                         | wake    |
# | curfew/APP/push        | JSON, as `curfew push` takes it  | push    |
# | curfew/APP/warn        | none, or warning or critical     | warn    |
#
# CURFEW_MQTT_TOPIC has what topics begin with in place of `curfew`, CURFEW_MQTT_ID another client id. The broker keeps what
# comes while nobody is here: QoS 2, no clean session, and an id that stays the same.
set -u

fail() {
    echo "mqtt.sh: $1" >&2
    exit 69
}

topic=${CURFEW_MQTT_TOPIC:-curfew}
id=${CURFEW_MQTT_ID:-curfew-$(id -un)-$(uname -n)-${CURFEW_SERVER:-home}}
case $topic in
'' | *[!A-Za-z0-9/_-]*) fail "CURFEW_MQTT_TOPIC is letters, digits, / _ and -" ;;
esac
command -v mosquitto_sub >/dev/null || fail "mosquitto_sub isn't installed (Debian: mosquitto-clients)"

# A message is one line of JSON, so its payload can't have another. What JSON escapes is escaped as the server's protocol has it:
# meanwhile \001, which JSON can't hold, stands for a backslash that stands for itself. Then app, request and payload are put behind
# the line, a line end between them, and made a request; what is none stays as it came, for the server to tell of.
#
# Asked to end, mosquitto_sub alone does at once: what it has written is passed on.
trap '' TERM
(trap - TERM; exec mosquitto_sub -q 2 -c -i "$id" -R -t "$topic/#" -F %j "$@") | LC_ALL=C sed -u '
    s/\\\\/\x01/g
    s/\x7f/\\x7f/g
    s/\\u00\([0-7][0-9a-f]\)/\\x\1/g
    s/\\b/\\x08/g
    s/\\f/\\x0c/g
    s~\\/~/~g
    s/\x01/\\\\/g
    s~^{"tst":"[^"]*","topic":"'"$topic"'/\([A-Za-z0-9._+@-]*\)/\([A-Za-z0-9._/-]*\)",.*,"payload":\(null\|".*"\)}$~&\n\1\n\2\n\3~
    s~^.*\n\(.*\)\n\(open\|home\|warn\)\nnull$~\2 app=\1~
    s~^.*\n\(.*\)\npush\n\(".*"\)$~push app=\1 payload=\2~
    s~^.*\n\(.*\)\nwarn\n\(".*"\)$~warn app=\1 level=\2~
    s~^.*\n\(.*\)\n\(post\|wake\)/\([^/]*\)\nnull$~\2 app=\1 name=\3~
    s~^.*\n\(.*\)\n\(post\|wake\)/\([^/]*\)\n\(".*"\)$~\2 app=\1 name=\3 info.payload=\4~
    s/\n.*//'
