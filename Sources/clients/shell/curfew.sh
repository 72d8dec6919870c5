# shellcheck shell=sh
# curfew.sh: makes a POSIX sh script aware of its life under Curfew. Sourced, not run.
#
#   . "$(curfew --shell-library)"
#   save_state() { printf '%s\n' "$page" >page.new && mv page.new page; }
#   curfew_on didEnterBackground save_state
#   while curfew_run make_page "$page"; do page=$((page + 1)); done
#
# A script that is to run where Curfew isn't installed, too, begins like this:
#
#   if library=$(curfew --shell-library 2>/dev/null); then . "$library"
#   else curfew_on() { :; }; curfew_run() { "$@"; }; fi
#
# Not under Curfew everything here is harmless: nothing is heard or said, and commands are simply run.
#
# Hearing events
#
#   curfew_on EVENT FUNCTION [EVENT FUNCTION…]   calls FUNCTION (or any command) at each EVENT from now on
#   curfew_run COMMAND [ARG…]    runs it as if in the foreground, and hears events meanwhile; its status
#   curfew_sleep SECONDS         sleep(1), and hears events meanwhile
#   curfew_wait PID              `wait PID` that isn't ended by an event
#   curfew_read VARIABLE         `IFS= read -r VARIABLE` that isn't ended by an event
#   curfew_loop                  hears events until curfew_stop; status 1 when there is nobody to hear them from
#   curfew_stop                  ends curfew_loop
#   curfew_hold, curfew_release  between them no FUNCTION is called, and events wait. They nest
#
# The shell calls a FUNCTION only when the command that it waits for has ended. So run by curfew_run what may take
# longer than an event may wait (5 s for didEnterBackground). An event is acknowledged when the last of its FUNCTIONs
# has returned, whatever its status, and at once if it has none. Under `set -e` a FUNCTION that fails ends the script.
# FUNCTIONs are called one after another, never one within another. They may use all of this but curfew_loop, and exit.
#
# The first curfew_on says hello, and returns when the events that this brought have been dealt with: the FUNCTIONs for
# a launch (didFinishLaunching; in the background didEnterBackground, too) belong into that one call.
# willTerminate without a FUNCTION does what SIGTERM would.
#
# A FUNCTION finds these set; what the event doesn't carry is empty. They are what somebody sent: quote them.
#
#   CURFEW_EVENT     its name                       CURFEW_KIND      `wake`, `change`, or empty
#   CURFEW_SECONDS   within which it must return    CURFEW_TASK      the task that is about to expire
#   CURFEW_SEQ       its number                     CURFEW_LAUNCHED  `foreground` or `background`
#   CURFEW_INFO      the KEYs of, with blanks       CURFEW_WAKE      the waking event that is why it was launched
#   CURFEW_LEVEL     how urgent didReceiveMemoryWarning is: `warning` or `critical`
#   CURFEW_RESTORED  `true` when, launched, it is to come back as it was: its last run was ended unasked, for its memory say
#   CURFEW_ENDED     why that was ended: a reason as in a report, such as `memory-pressure`
#   CURFEW_INFO_KEY  each info.KEY; what is neither a letter nor a digit in KEY stands as `_`
#   CURFEW_RUNNING   the process that curfew_run waits for, to `kill` it
#
# CURFEW_STATE_DIR, if the environment has it, is the directory to save in at didEnterBackground, and to restore from when
# launched: an app that is ended while it is suspended hears nothing of that, and its next run finds it as it was left.
#
# Background tasks, by the `curfew` on PATH, or CURFEW_COMMAND
#
#   curfew_begin NAME [VARIABLE]   sets VARIABLE (CURFEW_TASK_ID) to the task's number; to 0 where there are none, or
#                                  when it is refused, with status 75
#   curfew_end [NUMBER]            that of CURFEW_TASK_ID if none is given; 0 is passed over
#   curfew_remaining               prints the background time left in seconds, or `inf`
#
# A task is open until curfew_end, or until the script has ended.
#
# Keep-alive, by the same `curfew`
#
#   curfew_set_keep_alive_timeout SECONDS FUNCTION   calls FUNCTION in the background whenever SECONDS (600 or more, divided
#                                  by --time-scale) have passed; it has 30 s. Refused, with a status other than 0, what
#                                  was set before holds
#   curfew_clear_keep_alive_timeout                  ends that
#
# It is the app's, whoever asked last. FUNCTION is one for the event keepAlive, as curfew_on takes it.
#
# What is to be done later, under a server (`curfew serve`), by the same `curfew`
#
#   curfew_schedule_local_notification [OPTION…] [BODY]   has it told or shown when it is due, as `curfew notify NAME` does, whose
#                                  OPTIONs it takes; prints its ID
#   curfew_cancel_local_notification ID, curfew_cancel_all_local_notifications
#   curfew_get_pending_notification_requests   prints those that wait, the soonest first: ID UNIXSECONDS, a line each
#   curfew_set_minimum_background_fetch_interval D        how often the event `fetch` comes at most; or minimum, or never
#   curfew_submit_task_request ID OPTION…   has the script woken or launched for the event `refresh` or `processing`, once, as
#                                  `curfew submit NAME` does: --refresh, --processing, --in D, --needs-power and so on
#   curfew_cancel_task_request ID, curfew_cancel_all_task_requests
#   curfew_get_pending_task_requests   prints those that wait, without the one that is worked on: ID KIND, a line each
#   curfew_remote_notification     prints what was pushed that the event tells of, as JSON
#
# Refused, they end with a status other than 0. In a FUNCTION, and told with the acknowledgement:
#
#   curfew_set_fetch_result R      what came of a `fetch` or a `remote-notification`: new-data, no-data or failed
#   curfew_set_task_completed B    whether a `refresh` or `processing` has succeeded: true or false
#   curfew_defer                   its event isn't acknowledged when its FUNCTIONs have returned, but by the next
#                                  curfew_set_task_completed, wherever that is called
#
# So work of minutes goes on in the script, which hears meanwhile that its time is nearly over:
#
#   index() { curfew_defer; curfew_stop; }
#   expire() { [ -z "$CURFEW_RUNNING" ] || kill "$CURFEW_RUNNING"; }
#   curfew_on processing index taskWillExpire expire
#   while curfew_loop; do
#       if curfew_run make_index; then curfew_set_task_completed true; else curfew_set_task_completed false; fi
#   done
#
#   curfew_is_supported            whether this runs under Curfew
#   curfew_is_aware                whether this script hears events
#
# What to know
#
# - Events are announced by a signal: CURFEW_SIGNAL if that is set before the first curfew_on, else USR1, or USR2 if the
#   script has a trap for USR1. The script then leaves that one alone.
# - Any trapped signal ends a `wait` early, and in some shells a `read`; hence curfew_wait and curfew_read.
# - One script of an app hears events. Another that wants to is told so, and goes on without.
# - After `exec PROGRAM` events are acknowledged for PROGRAM, and willTerminate becomes SIGTERM.
# - In dash, which can't do it itself, curfew_run needs GNU env for a command to hear Ctrl-C as in the foreground.
# - One descriptor stays open, the highest of 3 to 9 that was free: so the listener ends when the script has ended,
#   however it did. The listener is no child of the script's, and holds none of its other descriptors.

# How it works. The control pipe is shared by the whole tree, and a shell can't wait for it while it does its work. So a
# listener in the background (an sh with a dd) reads a single byte, which is the first of a line, and sends the signal.
# The trap reads the rest of that line, deals with it, answers, and has the listener read on. Nothing is read ahead or
# kept in files, so nothing can be lost while everything is stopped, and no event interrupts another.

# Sets _curfew_self to this process; `$$` is the script also in a subshell.
_curfew_see_self() {
    { IFS=' ' read -r _curfew_self _curfew_row </proc/self/stat; } 2>/dev/null || _curfew_self=$$
}

# Sourced again, it keeps what it has. A subshell begins anew, and so does a script that finds our variables in its
# environment.
_curfew_see_self
if ! command -v _curfew_ring >/dev/null 2>&1 || [ "${_curfew_pid-}" != "$_curfew_self" ]; then
    _curfew_pid=$_curfew_self
    _curfew_state=new           # then on; or off: it doesn't listen; or lost: the supervisor is gone
    _curfew_functions=          # EVENT=FUNCTION, each followed by a blank
    _curfew_fd=                 # the control pipe
    _curfew_inode=              # and its number, the same in each process of the app
    _curfew_signal=             # what a listener sends,
    _curfew_bit=                # and its bit in the masks of /proc/PID/status
    _curfew_lifeline=           # the descriptor whose closing ends the listener
    _curfew_listener=           # its pid,
    _curfew_parity=             # and what it ignores once it has rung the next time
    _curfew_rung=0              # whether the signal has come, and isn't dealt with yet
    _curfew_rings=0             # how often it has come
    _curfew_held=0              # above 0 nothing is dealt with
    _curfew_next=               # what the trap does in the end: on, or anew
    _curfew_sleeper=            # what curfew_loop and the first curfew_on wait for,
    _curfew_woken=              # and whether they needn't any more
    _curfew_answered=           # whether the question after hello is
    _curfew_stopped=            # whether curfew_stop was called, and no loop has ended by it yet
    _curfew_handling=           # the number of the event whose functions are being called,
    _curfew_result=             # what is told of it besides,
    _curfew_deferred=           # and of the one that is acknowledged later
    _curfew_untrap=             # how a command in the background is made to hear SIGINT
    CURFEW_RUNNING=
    CURFEW_TASK_ID=0
    CURFEW_INFO=
fi

_curfew_say() { printf 'curfew.sh: %s\n' "$1" >&2; }

# ---- registering ----------------------------------------------------------------------------

# Calls FUNCTION at each EVENT: curfew_on EVENT FUNCTION [EVENT FUNCTION…]. Status 64: wrong usage.
curfew_on() {
    if [ $# = 0 ] || [ $(($# % 2)) != 0 ]; then
        _curfew_say 'curfew_on: it takes pairs of an EVENT and a FUNCTION'
        return 64
    fi
    while [ $# -gt 0 ]; do
        _curfew_register "$1" "$2" || return 64
        shift 2
    done
    [ -n "${CURFEW_FD-}" ] || return 0
    _curfew_see_self
    if [ "$_curfew_self" != "$_curfew_pid" ]; then
        _curfew_refuse 'a subshell has called curfew_on; call it in the script itself'
    elif [ "$_curfew_state" = new ]; then
        _curfew_start
    fi
}

_curfew_register() {
    if ! _curfew_is_name "$1"; then
        _curfew_say "curfew_on: \"$1\" isn't an event's name: letters, digits, -, _ and ., a letter first"
        return 64
    fi
    case $2 in
    '' | *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-]*) set -- "$1" "$2" unfit ;;
    *) command -v "$2" >/dev/null 2>&1 || set -- "$1" "$2" missing ;;
    esac
    if [ $# = 3 ]; then
        _curfew_say "curfew_on: \"$2\" isn't a function or a command; define it before curfew_on $1"
        return 64
    fi
    case " $_curfew_functions" in
    *" $1=$2 "*) ;;
    *) _curfew_functions="$_curfew_functions$1=$2 " ;;
    esac
}

# Letters are spelt out, because a range holds others, too, in some locales.
_curfew_is_name() {
    case $1 in
    '' | [!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ]*) return 1 ;;
    *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-]*) return 1 ;;
    esac
}

_curfew_is_variable() {
    case $1 in
    '' | [0123456789]*) return 1 ;;
    *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_]*) return 1 ;;
    esac
}

# Sets _curfew_word to TEXT with `_` for what a variable's name can't hold.
_curfew_make_word() {
    _curfew_word=
    while [ -n "$1" ]; do
        case $1 in
        [abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789]*)
            _curfew_word=$_curfew_word${1%"${1#?}"} ;;
        *) _curfew_word=${_curfew_word}_ ;;
        esac
        set -- "${1#?}"
    done
}

# ---- starting to listen ---------------------------------------------------------------------

# Whether this runs under Curfew.
curfew_is_supported() {
    [ "$_curfew_state" != lost ] || return 1
    [ -S "${CURFEW_SOCKET:-/}" ] || [ -S "/proc/self/fd/${CURFEW_FD:-none}" ]
}

# Whether this script hears events.
curfew_is_aware() {
    [ "$_curfew_state" = on ] || return 1
    _curfew_see_self
    [ "$_curfew_self" = "$_curfew_pid" ]
}

_curfew_refuse() { _curfew_say "not listening: $1"; }

# Says hello and hears what follows, or says why it can't.
_curfew_start() {
    _curfew_state=off
    case "${KSH_VERSION-}:${ZSH_VERSION-}" in
    *' 93'*:)
        _curfew_refuse 'in ksh93 a signal ends what runs in a subshell; run the script with another sh'
        return 0 ;;
    :?*)
        _curfew_refuse 'zsh loses signals, or crashes, when they come amidst its traps; run the script with another sh'
        return 0 ;;
    esac
    case $CURFEW_FD in
    [0123456789]) ;;
    *)
        _curfew_refuse "CURFEW_FD is \"$CURFEW_FD\", which is no digit"
        return 0 ;;
    esac
    if ! [ -S "/proc/self/fd/$CURFEW_FD" ]; then
        _curfew_refuse "descriptor $CURFEW_FD isn't the control pipe any more; the script, or what started it, closed it"
        return 0
    fi
    _curfew_fd=$CURFEW_FD
    _curfew_choose_signal || return 0
    curfew_hold
    ! _curfew_claim || _curfew_state=on
    curfew_release
    [ "$_curfew_state" != on ] || _curfew_hello
}

# Sets the trap: for CURFEW_SIGNAL, else for the first signal that the script has no use for.
_curfew_choose_signal() {
    if [ -n "${CURFEW_SIGNAL-}" ]; then
        if _curfew_take_signal "${CURFEW_SIGNAL#SIG}"; then return 0; fi
        _curfew_refuse "CURFEW_SIGNAL is \"$CURFEW_SIGNAL\", which is no signal, or ignored, or has a trap already"
    else
        if _curfew_take_signal USR1 || _curfew_take_signal USR2; then return 0; fi
        _curfew_refuse 'USR1 and USR2 are ignored, or have traps already; name another signal in CURFEW_SIGNAL'
    fi
    return 1
}

# False if it has a trap, or can't have one because it was ignored when the script began.
_curfew_take_signal() {
    _curfew_find_bit "$1" || return 1
    _curfew_look "$_curfew_pid"
    [ $(((_curfew_caught | _curfew_ignored) & _curfew_bit)) = 0 ] || return 1
    _curfew_heed "$1"
    _curfew_look "$_curfew_pid"
    [ $((_curfew_caught & _curfew_bit)) != 0 ] || return 1
    _curfew_signal=$1
}

# Sets the trap for the signal NAME.
_curfew_heed() { trap '_curfew_ring; _curfew_go_on || :' "$1"; }

# Sets _curfew_bit for the signal NAME; the numbers differ between machines.
_curfew_find_bit() {
    for _curfew_word in 10 12 1 2 3 4 5 6 7 8 11 13 14 15 16 17 18 20 21 22 23 24 25 26 27 28 29 30; do
        _curfew_bit=$((1 << (_curfew_word - 1)))
        [ "$(kill -l "$_curfew_word" 2>/dev/null)" != "$1" ] || return 0
    done
    return 1
}

# _curfew_look PID: whether it lives (a zombie, or one that is just ending, has no memory any more), whether it sleeps
# (1000, else nothing), and which of the signals 1 to 31 it ignores and catches. Source: proc(5). As text, for the
# listener needs it too.
_curfew_alive='' _curfew_ignored=0 _curfew_caught=0
# shellcheck disable=SC2016,SC2089
_curfew_look_code='_curfew_look() {
    _curfew_alive= _curfew_asleep= _curfew_ignored=0 _curfew_caught=0
    while IFS= read -r _curfew_row; do
        case $_curfew_row in
        State:*"(sleeping)") _curfew_asleep=1000 ;;
        VmSize:*) _curfew_alive=1 ;;
        SigIgn:*) _curfew_ignored=$((0x${_curfew_row#"${_curfew_row%????????}"})) ;;
        SigCgt:*)
            _curfew_caught=$((0x${_curfew_row#"${_curfew_row%????????}"}))
            break ;;
        esac
    done <"/proc/$1/status"
} 2>/dev/null'
eval "$_curfew_look_code"

# Starts the listener, and has it go on unless another script's is there already. Both must be there before either looks:
# so of scripts that begin at once the first one stays.
_curfew_claim() {
    _curfew_inode=$(readlink "/proc/$_curfew_pid/fd/$_curfew_fd" 2>/dev/null) || _curfew_inode=
    _curfew_inode=${_curfew_inode#*\[}
    _curfew_inode=${_curfew_inode%\]}
    case $_curfew_inode in '' | *[!0123456789]*) _curfew_inode=0 ;; esac
    _curfew_listen || return 1
    _curfew_find_others
    if [ -z "$_curfew_other" ]; then
        printf '\n' >&"$_curfew_lifeline"
        return 0
    fi
    _curfew_end_listening off
    eval "exec $_curfew_lifeline>&-"
    _curfew_refuse "process $_curfew_other of this app does, and the control pipe tells only one"
    return 1
}

# Sets _curfew_other to a script whose listener is older than ours. Listeners whose script has ended, or was this one
# before it called `exec`, are sent away. The brackets keep grep from finding itself.
_curfew_find_others() {
    _curfew_other=$(
        set +f
        _curfew_read_start "$_curfew_listener"
        set -- "$_curfew_start"
        grep -ls "curfew-[l]istener:$_curfew_inode:" /proc/[0123456789]*/cmdline 2>/dev/null |
            while IFS=/ read -r _curfew_word _curfew_word _curfew_row _curfew_word; do
                _curfew_judge "$_curfew_row" "$(_curfew_read_owner "$_curfew_row")" "$1"
            done | sed -n 1p
    ) || :
}

# _curfew_judge LISTENER OWNER START: prints OWNER if that has listened since before START.
_curfew_judge() {
    case $2 in '' | *[!0123456789]*) return 0 ;; esac
    [ "$1" != "$_curfew_listener" ] || return 0
    _curfew_look "$2"
    if [ "$2" = "$_curfew_pid" ] || [ -z "$_curfew_alive" ]; then
        kill -s ALRM "$1" 2>/dev/null || :
        return 0
    fi
    _curfew_read_start "$1"
    [ "$_curfew_start" -le "$3" ] || return 0
    # They count in hundredths of a second; within one, numbers are given in order.
    [ "$_curfew_start" -lt "$3" ] || [ "$1" -lt "$_curfew_listener" ] || return 0
    printf '%s\n' "$2"
}

# Prints the script that the listener PID is for.
_curfew_read_owner() {
    { tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null | sed -n "s/^curfew-listener:$_curfew_inode://p"
}

# Sets _curfew_start to when PID, an sh, was started. Source: proc(5), /proc/pid/stat.
_curfew_read_start() {
    _curfew_start=9999999999
    { IFS=' ' read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _curfew_start _ <"/proc/$1/stat"; } 2>/dev/null || :
}

# Sets _curfew_digit to a pipe, open for reading and writing here; who reads it elsewhere sees its end when this process,
# and what it has started, have ended. A pipe without a name can be opened anew by way of a process that has it.
# To be called while events are held.
_curfew_open_pipe() {
    _curfew_find_digit || return 1
    # shellcheck disable=SC2016 # for another shell
    _curfew_word=$(
        exec /bin/sh -c ': | { IFS=" " read -r self rest </proc/self/stat; echo "$self"; exec sleep 10 >&2; } &' 2>/dev/null
    ) || :
    # A redirection of exec's that fails would end the script.
    if ( eval "exec $_curfew_digit<>/proc/\$_curfew_word/fd/0" ) 2>/dev/null; then
        eval "exec $_curfew_digit<>/proc/\$_curfew_word/fd/0"
    else
        return 1
    fi
    # Unless a suspension has lasted longer than the other process, and another one has its number.
    # shellcheck disable=SC3013 # in POSIX since 2024, and long before in every sh of Linux
    if [ "/proc/$_curfew_word/fd/0" -ef "/proc/self/fd/$_curfew_digit" ]; then
        kill -s KILL "$_curfew_word" 2>/dev/null || :
    fi
}

# Sets _curfew_digit to the highest descriptor from 3 to 9, or to MOST, that isn't open.
_curfew_find_digit() {
    _curfew_digit=${1:-9}
    while [ -e "/proc/self/fd/$_curfew_digit" ] || [ "$_curfew_digit" = "${CURFEW_FD-}" ]; do
        _curfew_digit=$((_curfew_digit - 1))
        [ "$_curfew_digit" -ge 3 ] || return 1
    done
}

# Says hello, and waits until what this brought is dealt with, which is when the question after it is answered.
_curfew_hello() {
    case ${0##*/} in
    '' | *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-]*) _curfew_make_word "${0##*/}" ;;
    *) _curfew_word=${0##*/} ;;
    esac
    _curfew_send "hello id=hello-$_curfew_pid version=1 client=${_curfew_word:-sh}"
    _curfew_send "remaining id=heard-$_curfew_pid"
    # In steps, for a suspension in the midst of it may use up one.
    for _curfew_word in 1 2 3 4 5; do
        [ -z "$_curfew_answered" ] && [ "$_curfew_state" = on ] || return 0
        _curfew_nap sleep 2
    done
    [ -z "$_curfew_answered" ] && [ "$_curfew_state" = on ] || return 0
    _curfew_refuse "the supervisor hasn't answered in 10 s, or another process reads the control pipe"
    _curfew_end_listening off
}

# ---- the listener ---------------------------------------------------------------------------

# Its arguments: the script, the signal, its bit, and something if the script is bash's. 3 is the lifeline, 4 the control
# pipe. When a line comes on the lifeline it reads a byte, rings, and waits for the next line; at the lifeline's end the
# script has ended.
#
# It ignores what may be sent to all of a group; SIGALRM ends it. What else it ignores tells the script whether a signal
# is from here: SIGVTALRM while it hasn't rung, SIGPROF every other time.
#
# dd ends with 0 or 1 when there was a byte or the end of the pipe, and with something else when it was killed.
#
# Bash 5.2 loses a signal that comes just as it is about to expand a $(…), and complains of an unexpected EOF. So that one
# is rung at while it sleeps, if it does soon, and again each second. Any shell hears of a signal that comes just as it is
# about to `read` only with what it reads: so each is rung at again while it sleeps, but not in `wait` or beside a child. With
# a child it may be in a FUNCTION already, at an x=$(…), where in dash another signal would change the status.
#
# A process beside the listener does that, until SIGVTALRM, which ends it also where it has no trap yet, or until the listener
# has gone. Of the listener itself a trap for SIGCHLD would have to interrupt the read, and where another child ended late it
# would come amidst a function, with that function's "$@".
# shellcheck disable=SC2016 # for another shell
_curfew_listener_code=$_curfew_look_code'
trap "" HUP INT QUIT TERM PIPE USR1 USR2 VTALRM
ring() {
    tries=0
    while [ "$4" ] && [ "$_curfew_asleep$tries" -lt 100 ]; do
        tries=$((tries + 1))
        _curfew_look "$1"
    done
    kill -s "$2" "$1"
}
reads() {
    place= children=unknown
    IFS= read -r place <"/proc/$1/wchan"
    case $_curfew_asleep:$place in :* | *: | *:0 | *do_wait* | *suspend*) return 1 ;; esac
    IFS= read -r children <"/proc/$1/task/$1/children"
    [ -z "$children" ]
}
ring_again() {
    listener=$5 parent=$5 child=
    trap "kill -9 \$child; exit" VTALRM
    while [ "$parent" = "$listener" ]; do
        sleep 1 &
        child=$!
        wait "$child"
        child=
        _curfew_look "$1"
        if [ $((_curfew_caught & $3)) != 0 ] && { [ "$4" ] || reads "$1"; }; then ring "$@"; fi
        IFS=" " read -r _ _ _ parent _ </proc/self/stat
    done
}
{
    child= watch= odd= bell=
    trap "kill -9 \$child \$watch; kill -s VTALRM \$bell; exit" ALRM
    IFS=" " read -r self line </proc/self/stat
    read -r line <&3 || exit
    while :; do
        dd bs=1 count=1 <&4 3<&- 4<&- &
        child=$!
        { read -r line <&3; _curfew_look "$1"; [ "$_curfew_alive" ] || kill -9 "$child"; } 4<&- &
        watch=$!
        wait "$child"
        status=$? child=
        # Only when it is gone can it take no line any more.
        kill -9 "$watch"
        wait "$watch"
        watch=
        [ "$status" -le 1 ] || exit
        _curfew_look "$1"
        if [ $((_curfew_caught & $3)) != 0 ]; then
            if [ "$odd" ]; then odd=; trap - PROF; else odd=1; trap "" PROF; fi
            trap - VTALRM
            ring "$@"
            ring_again "$@" "$self" 3<&- 4<&- &
            bell=$!
            read -r line <&3 || line=end
            kill -s VTALRM "$bell"
            wait "$bell"
            bell=
            [ "$line" != end ] || exit
            trap "" VTALRM
            continue
        fi
        # The script has ended: what is left of the line is for the next one. Or it has become another program, which
        # would die of the signal: the event is answered here.
        [ "$_curfew_alive" ] || exit
        IFS= read -r line <&4 || exit
        case $line in *" ack=required"*)
            seq=${line#*" seq="}
            printf "ack seq=%s\n" "${seq%% *}" >&4 ;;
        esac
        case $line in "vent name=willTerminate "*) kill -s TERM "$1" ;; esac
    done
} </dev/null >/dev/null 2>&1 &
printf "%s" "$!"'

# Opens the lifeline and starts the listener, as no child of this shell: `wait` then passes it over, and `$!` stays what
# it was.
_curfew_listen() {
    if ! _curfew_open_pipe; then
        _curfew_refuse "none of the descriptors 3 to 9 is free, or a process couldn't be started"
        return 1
    fi
    _curfew_lifeline=$_curfew_digit
    _curfew_parity=67108864
    # shellcheck disable=SC2016 # for another shell
    _curfew_listener=$(
        _curfew_close_high
        # shellcheck disable=SC2090 # it is for `eval`
        export _curfew_listener_code
        exec /bin/sh -c 'eval "$_curfew_listener_code"' "curfew-listener:$_curfew_inode:$_curfew_pid" \
            "$_curfew_pid" "$_curfew_signal" "$_curfew_bit" "${BASH_VERSION-}" \
            2>/dev/null <&"$_curfew_fd" 3<"/proc/self/fd/$_curfew_lifeline" 4<&0 5>&- 6>&- 7>&- 8>&- 9>&-
    ) || :
    [ -z "$_curfew_listener" ] || return 0
    _curfew_refuse "a listener couldn't be started; is descriptor $_curfew_fd closed, or is /bin/sh missing?"
    return 1
}

# Has the listener read on.
_curfew_listen_on() {
    _curfew_parity=$((67108864 - _curfew_parity))
    if [ -p "/proc/self/fd/$_curfew_lifeline" ]; then
        printf '\n' >&"$_curfew_lifeline"
    else
        # The script uses this descriptor for something else, and so the listener has ended.
        _curfew_listen_anew
    fi
}

# Starts another listener: who killed the last one has perhaps left a line for it, so that its lifeline is of no use.
# Should the last one live after all, what it still rings for waits until the new one is there.
_curfew_listen_anew() {
    curfew_hold
    ! [ -p "/proc/self/fd/$_curfew_lifeline" ] || eval "exec $_curfew_lifeline>&-"
    if _curfew_listen; then
        printf '\n' >&"$_curfew_lifeline"
    else
        _curfew_end_listening off
    fi
    curfew_release
}

# Bash has descriptors above 9, too, and hands them on.
_curfew_close_high() {
    [ -n "${BASH_VERSION-}" ] || return 0
    set +f
    for _curfew_word in /proc/self/fd/??*; do
        case ${_curfew_word##*/} in *[!0123456789]*) ;; *) eval "exec ${_curfew_word##*/}>&-" ;; esac
    done
}

# Whether the signal has come from the listener, for the next byte. If that was killed, it rings no more: what comes is
# for a new one. Of VTALRM and PROF, bits 0x6000000, it ignores what it should after each other byte.
_curfew_has_rung() {
    if ! _curfew_is_there; then
        _curfew_next=anew
        return 1
    fi
    [ $((_curfew_ignored & 100663296)) = "$_curfew_parity" ]
}

# Another process that has the listener's number by now doesn't ignore HUP, INT, QUIT, PIPE and TERM, bits 0x5007.
_curfew_is_there() {
    _curfew_look "$_curfew_listener"
    [ -n "$_curfew_alive" ] && [ $((_curfew_ignored & 20487)) = 20487 ]
}

_curfew_end_listening() {
    _curfew_state=$1
    if _curfew_is_there; then kill -s ALRM "$_curfew_listener" 2>/dev/null || :; fi
    _curfew_wake
}

# ---- being rung at --------------------------------------------------------------------------

# The trap, first part: deals with one message.
_curfew_ring() {
    _curfew_rings=$((_curfew_rings + 1))
    _curfew_rung=1
    [ "$_curfew_held" = 0 ] || return 0
    _curfew_held=1
    if [ "$_curfew_state" = on ] && _curfew_has_rung; then
        if _curfew_receive; then
            _curfew_deal "$_curfew_line"
            _curfew_next=on
        else
            _curfew_end_listening lost
        fi
    fi
    _curfew_held=0 _curfew_rung=0
}

# The second part: has the listener go on. The signal may come again here, for the next message, and must not before: in
# dash a trap within a trap changes the status of the command it comes after, which `set -e` may see; `||` keeps it from that.
_curfew_go_on() {
    case $_curfew_state:$_curfew_next in
    on:on)
        _curfew_next=
        _curfew_listen_on ;;
    on:anew)
        _curfew_next=
        _curfew_listen_anew ;;
    esac
}

# No FUNCTION is called until curfew_release.
curfew_hold() { _curfew_held=$((_curfew_held + 1)); }

# Ends what curfew_hold began. What has come meanwhile is dealt with in the trap, too: there `set -e` holds, whatever this
# is called in.
curfew_release() {
    [ "$_curfew_held" = 0 ] || _curfew_held=$((_curfew_held - 1))
    if [ "$_curfew_rung" = 1 ] && [ "$_curfew_held" = 0 ]; then kill -s "$_curfew_signal" "$_curfew_pid"; fi
}

# Sets _curfew_line to what the listener has left of a line. Tried again, since a signal can end a read, too; one from the
# bell, which would take it for a read of the script's, would cost it what it has read so far of a line that comes in pieces.
_curfew_receive() {
    trap '' "$_curfew_signal"
    _curfew_received=1
    { IFS= read -r _curfew_line <&"$_curfew_fd" || IFS= read -r _curfew_line <&"$_curfew_fd" ||
        IFS= read -r _curfew_line <&"$_curfew_fd"; } 2>/dev/null || _curfew_received=
    _curfew_heed "$_curfew_signal"
    [ "$_curfew_received" ]
}

# In a subshell: the pipe of a supervisor that is gone kills who writes to it.
_curfew_send() { ( printf '%s\n' "$1" >&"$_curfew_fd" ) 2>/dev/null || :; }

# The listener has the first byte, and one of a script that has ended may have had another before.
_curfew_deal() {
    case $1 in
    event\ * | vent\ * | ent\ *)
        _curfew_parse "${1#* }"
        _curfew_handle ;;
    k\ id=heard-"$_curfew_pid"\ * | ok\ id=heard-"$_curfew_pid"\ *)
        _curfew_answered=1
        _curfew_wake ;;
    rror\ id=hello-"$_curfew_pid"\ * | error\ id=hello-"$_curfew_pid"\ *)
        _curfew_refuse "the supervisor won't have it: ${1#* }"
        _curfew_end_listening off ;;
    esac
}

# Calls the functions, then acknowledges.
_curfew_handle() {
    _curfew_called='' _curfew_result=''
    _curfew_handling=$_curfew_number
    _curfew_call "$CURFEW_EVENT"
    _curfew_handling=
    case $_curfew_number in
    '' | *[!0123456789]* | "$_curfew_deferred") ;;
    *) [ "$_curfew_ack" != required ] || _curfew_acknowledge "$_curfew_number" "$_curfew_result" ;;
    esac
    [ "$CURFEW_EVENT$_curfew_called" = willTerminate ] || return 0
    [ -z "$CURFEW_RUNNING" ] || kill -s TERM "$CURFEW_RUNNING" 2>/dev/null || :
    kill -s TERM "$_curfew_pid"
}

# _curfew_acknowledge NUMBER RESULT, which may be empty.
_curfew_acknowledge() {
    if [ -n "$2" ]; then _curfew_send "completed seq=$1 $2"; else _curfew_send "ack seq=$1"; fi
}

_curfew_call() {
    set -- "$1" "$_curfew_functions"
    while [ -n "$2" ]; do
        set -- "$1" "${2#* }" "${2%% *}"
        case $3 in
        "$1="*)
            _curfew_called=1
            "${3#*=}" ;;
        esac
    done
}

# ---- reading lines --------------------------------------------------------------------------

# Sets CURFEW_EVENT and the rest from the pairs of an event's line. One that is malformed counts as far as it goes.
_curfew_parse() {
    _curfew_forget
    _curfew_rest=$1
    while _curfew_next_pair; do
        case $_curfew_key in
        name) : "${CURFEW_EVENT:=$_curfew_value}" ;;
        seq) : "${CURFEW_SEQ:=$_curfew_value}" ;;
        ack) : "${_curfew_ack:=$_curfew_value}" ;;
        seconds) : "${CURFEW_SECONDS:=$_curfew_value}" ;;
        task) : "${CURFEW_TASK:=$_curfew_value}" ;;
        kind) : "${CURFEW_KIND:=$_curfew_value}" ;;
        launched) : "${CURFEW_LAUNCHED:=$_curfew_value}" ;;
        level) : "${CURFEW_LEVEL:=$_curfew_value}" ;;
        wake) : "${CURFEW_WAKE:=$_curfew_value}" ;;
        info.?*) _curfew_keep_info "${_curfew_key#info.}" ;;
        esac
    done
    _curfew_number=$CURFEW_SEQ
    case $CURFEW_EVENT:$CURFEW_KIND in didFinishLaunching:) _curfew_tell_restoring ;; esac
}

# Not what the environment may have under such names.
_curfew_tell_restoring() {
    case " $CURFEW_INFO " in *' restored '*) [ "$CURFEW_INFO_restored" != true ] || CURFEW_RESTORED=true ;; esac
    case " $CURFEW_INFO " in *' ended '*) CURFEW_ENDED=$CURFEW_INFO_ended ;; esac
}

_curfew_forget() {
    set -- "${CURFEW_INFO:+$CURFEW_INFO }"
    while [ -n "$1" ]; do
        unset "CURFEW_INFO_${1%% *}"
        set -- "${1#* }"
    done
    CURFEW_EVENT='' CURFEW_SEQ='' CURFEW_SECONDS='' CURFEW_TASK='' CURFEW_KIND=''
    CURFEW_LAUNCHED='' CURFEW_WAKE='' CURFEW_LEVEL='' CURFEW_INFO='' _curfew_ack=''
    CURFEW_RESTORED='' CURFEW_ENDED=''
}

# Of two keys that give one name, the first counts.
_curfew_keep_info() {
    _curfew_make_word "$1"
    case " $CURFEW_INFO " in *" $_curfew_word "*) return 0 ;; esac
    CURFEW_INFO="${CURFEW_INFO:+$CURFEW_INFO }$_curfew_word"
    eval "CURFEW_INFO_$_curfew_word=\$_curfew_value"
}

# Moves the first pair of _curfew_rest to _curfew_key and _curfew_value; false at the end, or where it is malformed.
_curfew_next_pair() {
    _curfew_rest=${_curfew_rest#"${_curfew_rest%%[! ]*}"}
    case $_curfew_rest in *=*) ;; *) return 1 ;; esac
    _curfew_key=${_curfew_rest%%=*}
    _curfew_rest=${_curfew_rest#*=}
    case $_curfew_rest in
    \"*) _curfew_unquote ;;
    *)
        _curfew_value=${_curfew_rest%% *}
        _curfew_rest=${_curfew_rest#"$_curfew_value"} ;;
    esac
}

# A NUL, which a variable can't hold, is left out.
_curfew_unquote() {
    _curfew_value=
    _curfew_rest=${_curfew_rest#?}
    while :; do
        _curfew_word=${_curfew_rest%%[\"\\]*}
        _curfew_value=$_curfew_value$_curfew_word
        _curfew_rest=${_curfew_rest#"$_curfew_word"}
        case $_curfew_rest in
        \"*)
            _curfew_rest=${_curfew_rest#?}
            return 0 ;;
        \\?*) _curfew_rest=${_curfew_rest#?} ;;
        *) return 1 ;;
        esac
        case $_curfew_rest in
        [\"\\]*) _curfew_value=$_curfew_value${_curfew_rest%"${_curfew_rest#?}"} ;;
        n*) _curfew_add 10 ;;
        t*) _curfew_add 9 ;;
        r*) _curfew_add 13 ;;
        x[01234567][0123456789abcdefABCDEF]*)
            _curfew_word=${_curfew_rest#???}
            _curfew_word=${_curfew_rest%"$_curfew_word"}
            _curfew_add $((0x${_curfew_word#?}))
            _curfew_rest=${_curfew_rest#??} ;;
        *) return 1 ;;
        esac
        _curfew_rest=${_curfew_rest#?}
    done
}

# Adds the character NUMBER to _curfew_value. The point keeps a line feed from being cut off.
_curfew_add() {
    [ "$1" != 0 ] || return 0
    # shellcheck disable=SC2059 # the format is an octal escape of ours
    _curfew_word=$(printf "\\$(($1 / 64))$(($1 / 8 % 8))$(($1 % 8)).")
    _curfew_value=$_curfew_value${_curfew_word%.}
}

# ---- waiting --------------------------------------------------------------------------------

# Runs COMMAND in the background, so that events are heard, and waits for it; its status.
curfew_run() {
    if ! curfew_is_aware; then
        "$@"
        return "$?"
    fi
    # Held, so that no FUNCTION can start something of its own before `$!` is read.
    curfew_hold
    if _curfew_prefers_reports && _curfew_spawn_reported "$@"; then
        set -- "$_curfew_digit" "$CURFEW_RUNNING"
        _curfew_read_report "$1"
        eval "CURFEW_RUNNING=\$_curfew_report_$1"
        curfew_release
        _curfew_read_report "$1"
        eval "exec $1<&-"
        eval "set -- \"\$_curfew_report_$1\" \"\$2\""
    else
        _curfew_spawn "$@"
        set -- "$!" "$CURFEW_RUNNING"
        CURFEW_RUNNING=$1
        curfew_release
        if curfew_wait "$1"; then set -- 0 "$2"; else set -- "$?" "$2"; fi
    fi
    CURFEW_RUNNING=$2
    return "${1:-137}"
}

# Sleeps for SECONDS and hears events meanwhile.
curfew_sleep() { curfew_run sleep "$@"; }

# Waits for the child PID, however many signals come meanwhile; its status.
curfew_wait() {
    set -- "$1" "$_curfew_rings" 127
    # Status and existence tell whether it was interrupted: who has been waited for isn't in /proc any more.
    while :; do
        if wait "$1"; then set -- "$1" "$2" 0 "$3"; else set -- "$1" "$2" "$?" "$3"; fi
        [ -e "/proc/$1" ] || break
        [ "$3" != 127 ] || return "$4"
        set -- "$1" "$_curfew_rings" "$3"
    done
    if [ "$3" -le 128 ] && [ "$2" = "$_curfew_rings" ]; then return "$3"; fi
    # It may have ended at the very moment of a signal. The shell still knows its status then.
    if wait "$1" 2>/dev/null; then set -- 0 "$3"; else set -- "$?" "$3"; fi
    [ "$1" != 127 ] || return "$2"
    return "$1"
}

# Reads a line into VARIABLE as `IFS= read -r` does, however many events come meanwhile. Status 1: the end.
curfew_read() {
    if ! _curfew_is_variable "${1-}"; then
        _curfew_say "curfew_read: \"${1-}\" isn't a variable's name"
        return 64
    fi
    # Where nothing is dealt with the signal need not come; the bell rings again. In a FUNCTION, which is called in a trap, it
    # would be a trap within a trap: dash gives the read that this ends the status of the command that the first one came after.
    if [ "$_curfew_held" != 0 ] && [ "$_curfew_state" = on ]; then
        trap '' "$_curfew_signal"
        set -- "$1" 0
        IFS= read -r "$1" || set -- "$1" 1
        _curfew_heed "$_curfew_signal"
        return "$2"
    fi
    set -- "$1" '' "$_curfew_rings"
    while ! IFS= read -r "$1"; do
        eval "set -- \"\$1\" \"\$2\$$1\" \"\$3\""
        if [ "$3" = "$_curfew_rings" ]; then
            eval "$1=\$2"
            return 1
        fi
        set -- "$1" "$2" "$_curfew_rings"
    done
    eval "$1=\$2\$$1"
}

# Hears events until curfew_stop; status 1 when nobody tells any, 64 in a FUNCTION.
curfew_loop() {
    if [ "$_curfew_held" != 0 ]; then
        _curfew_say 'curfew_loop: nothing can be heard in here: it is in a function for an event, or after curfew_hold'
        return 64
    fi
    curfew_is_aware || return 1
    # What waits on such a pipe ends with the script, however that ends; a sleep wouldn't.
    curfew_hold
    if _curfew_open_pipe; then set -- "$_curfew_digit"; else set -- ''; fi
    curfew_release
    _curfew_woken=
    while [ "$_curfew_state" = on ] && [ -z "$_curfew_stopped" ]; do
        if [ -p "/proc/self/fd/${1:-none}" ]; then
            _curfew_nap dd bs=1 count=1 if="/proc/$_curfew_pid/fd/$1"
        else
            _curfew_nap sleep 60
        fi
    done
    [ -z "$1" ] || eval "exec $1>&-"
    _curfew_stopped=
    [ "$_curfew_state" = on ]
}

# Ends curfew_loop; the next one, if none is running.
curfew_stop() {
    _curfew_stopped=1
    _curfew_wake
}

# Waits for COMMAND, which holds nothing of ours, until it ends or _curfew_wake is called.
_curfew_nap() {
    curfew_hold
    exec "$@" </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
    _curfew_sleeper=$!
    curfew_release
    while [ -z "$_curfew_woken" ] && [ -e "/proc/$_curfew_sleeper" ]; do
        wait "$_curfew_sleeper" || :
    done
    if [ -n "$_curfew_woken" ]; then
        _curfew_wake
        wait "$_curfew_sleeper" 2>/dev/null || :
    fi
    _curfew_sleeper=
    _curfew_woken=
}

# Of SIGPIPE shells don't speak; SIGTERM is for where that is ignored.
_curfew_wake() {
    _curfew_woken=1
    [ -n "$_curfew_sleeper" ] || return 0
    kill -s PIPE "$_curfew_sleeper" 2>/dev/null || :
    kill -s TERM "$_curfew_sleeper" 2>/dev/null || :
}

# Starts COMMAND in the background.
_curfew_spawn() {
    _curfew_prepare
    if [ -e /proc/self/fd/0 ] && _curfew_find_digit; then
        eval "{ _curfew_become \"\$@\" <&$_curfew_digit $_curfew_digit<&- & } $_curfew_digit<&0"
    else
        _curfew_become "$@" &
    fi
}

# In bash a signal can lose what a child has returned. There a subshell waits, which nobody sends signals, and writes
# into a pipe: the child's number, then its status. Before 5.1 it couldn't with --posix.
_curfew_prefers_reports() {
    [ -n "${BASH_VERSION-}" ] || return 1
    # shellcheck disable=SC3028 # it is bash
    case "$BASH_VERSION:$SHELLOPTS:" in [1234].*:posix:* | 5.0.*:posix:*) return 1 ;; esac
}

# Starts COMMAND in the background, and sets _curfew_digit to the pipe; false if there aren't descriptors enough.
_curfew_spawn_reported() {
    _curfew_find_digit || return 1
    set -- "$_curfew_digit" "$@"
    _curfew_find_digit $((_curfew_digit - 1)) || return 1
    set -- "$_curfew_digit" "$@"
    _curfew_find_digit $((_curfew_digit - 1)) || return 1
    _curfew_prepare
    _curfew_row="$1<&0 $2>&1"
    [ -e /proc/self/fd/0 ] || _curfew_row="$1</dev/null $2>&1"
    [ -e /proc/self/fd/1 ] || _curfew_row="${_curfew_row%%>*}>/dev/null"
    eval "{ exec $_curfew_digit< <(_curfew_report \"\$@\"); } $_curfew_row"
}

# _curfew_report INPUT OUTPUT COMMAND…, in that subshell. Ctrl-C is COMMAND's alone.
_curfew_report() {
    trap '' INT QUIT
    eval "shift 2; _curfew_become \"\$@\" <&$1 >&$2 $1<&- $2>&- &"
    printf '%s\n' "$!"
    wait "$!"
    printf '%s\n' "$?"
}

# Sets _curfew_report_DIGIT to a line of the pipe DIGIT, and to nothing at its end.
_curfew_read_report() {
    while :; do
        # shellcheck disable=SC3045 # it is bash
        if IFS= read -r -u "$1" "_curfew_report_$1"; then
            return 0
        elif [ $? -le 128 ]; then
            # No signal has interrupted it.
            eval "_curfew_report_$1="
            return 0
        fi
    done
}

# A shell takes away the input, SIGINT and SIGQUIT in the background. Finds out what must be given back for COMMAND to
# have what it would have in the foreground.
_curfew_prepare() {
    _curfew_look "$_curfew_pid"
    case $((_curfew_ignored & 6)) in
    0) _curfew_back=INT,QUIT ;;
    2) _curfew_back=QUIT ;;
    4) _curfew_back=INT ;;
    *) _curfew_back= ;;
    esac
    [ -z "$_curfew_back" ] || [ -n "$_curfew_untrap" ] || _curfew_find_untrap
}

# Sets _curfew_untrap to how a background process gets signals back: `trap`, or where that can't, `env`, if it can.
_curfew_find_untrap() {
    _curfew_untrap=$(
        {
            trap - "${_curfew_back%,*}"
            _curfew_see_self
            _curfew_look "$_curfew_self"
            [ $((_curfew_ignored & 6)) = 6 ] || printf trap
        } &
        wait
    )
    if [ -z "$_curfew_untrap" ]; then
        _curfew_untrap=none
        ! env --default-signal=INT true 2>/dev/null || _curfew_untrap="env"
    fi
}

# What the background process does. It needn't keep the listener.
_curfew_become() {
    eval "exec $_curfew_lifeline>&-"
    case $_curfew_back in INT*) trap - INT ;; esac
    case $_curfew_back in *QUIT) trap - QUIT ;; esac
    case $(command -v "$1") in
    */*)
        [ "$_curfew_untrap" != env ] || [ -z "$_curfew_back" ] || exec env --default-signal="$_curfew_back" "$@"
        exec "$@" ;;
    esac
    "$@"
}

# ---- background tasks -----------------------------------------------------------------------

# Begins a task: curfew_begin NAME [VARIABLE]. Status 75: refused for now, 64: wrong usage.
curfew_begin() {
    set -- "${1-}" "${2-CURFEW_TASK_ID}"
    if [ -z "$1" ] || ! _curfew_is_variable "$2"; then
        _curfew_say 'curfew_begin: it takes a NAME, and perhaps a VARIABLE for the number'
        return 64
    fi
    eval "$2=0"
    curfew_is_supported || return 0
    curfew_hold
    _curfew_status=0
    _curfew_word=$(_curfew_task begin --owner "$$" -- "$1") || _curfew_status=$?
    case $_curfew_word in '' | *[!0123456789]*) _curfew_word=0 ;; esac
    eval "$2=$_curfew_word"
    set -- "$_curfew_status"
    curfew_release
    return "$1"
}

# Ends a task.
curfew_end() {
    set -- "${1-$CURFEW_TASK_ID}"
    case $1 in
    0 | '') return 0 ;;
    *[!0123456789]*)
        _curfew_say "curfew_end: \"$1\" isn't a task's number, as curfew_begin sets it"
        return 64 ;;
    esac
    curfew_is_supported || return 0
    _curfew_task end "$1"
}

# Has FUNCTION called in the background every so often: curfew_set_keep_alive_timeout SECONDS FUNCTION. Status 64: wrong
# usage; 1, 69 or 75: refused.
curfew_set_keep_alive_timeout() {
    if [ $# != 2 ]; then
        _curfew_say 'curfew_set_keep_alive_timeout: it takes SECONDS and a FUNCTION'
        return 64
    fi
    case ${1##*[!0-9.]*} in
    *[!0.]*) ;;
    *)
        _curfew_say "curfew_set_keep_alive_timeout: \"$1\" isn't a number of seconds above 0"
        return 64 ;;
    esac
    set -- "$1" "$2" "$_curfew_functions"
    _curfew_forget_keep_alive
    _curfew_register keepAlive "$2" || set -- "$@" 64
    if [ $# = 3 ] && curfew_is_supported; then _curfew_task keep-alive "$1" || set -- "$@" "$?"; fi
    if [ $# = 4 ]; then
        _curfew_functions=$3
        return "$4"
    fi
    curfew_on keepAlive "$2"
}

# Ends what curfew_set_keep_alive_timeout began, whichever process of the app has.
curfew_clear_keep_alive_timeout() {
    _curfew_forget_keep_alive
    ! curfew_is_supported || _curfew_task keep-alive 0
}

_curfew_forget_keep_alive() {
    set -- "$_curfew_functions"
    _curfew_functions=
    while [ -n "$1" ]; do
        case $1 in
        keepAlive=*) ;;
        *) _curfew_functions="$_curfew_functions${1%% *} " ;;
        esac
        set -- "${1#* }"
    done
}

# ---- what is to be done later ---------------------------------------------------------------

# Has a notification told or shown: curfew_schedule_local_notification [OPTION…] [BODY]. Prints its id.
curfew_schedule_local_notification() { _curfew_ask notify "$@"; }

# curfew_cancel_local_notification ID.
curfew_cancel_local_notification() { _curfew_ask notify --cancel "${1-}"; }

curfew_cancel_all_local_notifications() { _curfew_ask notify --cancel-all; }

# Prints ID UNIXSECONDS of each that waits.
curfew_get_pending_notification_requests() { _curfew_list notification; }

# curfew_set_minimum_background_fetch_interval D; or minimum, or never.
curfew_set_minimum_background_fetch_interval() {
    ! curfew_is_supported || _curfew_task fetch-interval "${1-}"
}

# Has the script woken or launched for some work: curfew_submit_task_request ID OPTION….
curfew_submit_task_request() { _curfew_ask submit "$@"; }

# curfew_cancel_task_request ID.
curfew_cancel_task_request() { _curfew_ask submit --cancel "${1-}"; }

curfew_cancel_all_task_requests() { _curfew_ask submit --cancel-all; }

# Prints ID KIND of each that waits.
curfew_get_pending_task_requests() { _curfew_list request; }

# Prints what waits of the app's: _curfew_list notification, or request.
_curfew_list() {
    _curfew_left=$(_curfew_ask schedule --json) || return
    # A member has a line of its own, whatever its value: a line's end within that is written with a backslash.
    while [ -n "$_curfew_left" ]; do
        _curfew_one=${_curfew_left%%"
"*}
        _curfew_left=${_curfew_left#"$_curfew_one"}
        _curfew_left=${_curfew_left#"
"}
        case $_curfew_one in
        '  {') _curfew_kind='' _curfew_id='' _curfew_due='' _curfew_waits='' ;;
        '    "kind": "'*) _curfew_take kind ;;
        '    "id": "'*) _curfew_take id ;;
        '    "waits": "'*) _curfew_take waits ;;
        '    "due": '*) _curfew_due=${_curfew_one#'    "due": '} _curfew_due=${_curfew_due%,} _curfew_due=${_curfew_due%.0} ;;
        '  }'*) _curfew_print_pending "$1" ;;
        esac
    done
}

# Sets _curfew_KEY to the text that this line has: _curfew_take KEY.
_curfew_take() {
    _curfew_one=${_curfew_one#*'": "'}
    eval "_curfew_$1=\${_curfew_one%%'\"'*}"
}

_curfew_print_pending() {
    case $1:$_curfew_kind:$_curfew_waits in
    notification:notification:*) printf '%s %s\n' "$_curfew_id" "$_curfew_due" ;;
    request:*:runs) ;;
    request:refresh:* | request:processing:*) printf '%s %s\n' "$_curfew_id" "$_curfew_kind" ;;
    esac
}

# Prints the payload that the event tells of. Status 1: it tells of none.
curfew_remote_notification() {
    case " $CURFEW_INFO " in *' push '*) ;; *) return 1 ;; esac
    # shellcheck disable=SC2154 # it came with the event
    _curfew_task payload "$CURFEW_INFO_push"
}

# Says in a FUNCTION what came of its event. Status 64: wrong usage.
curfew_set_fetch_result() {
    case ${1-} in
    new-data | no-data | failed) ;;
    *)
        _curfew_say "curfew_set_fetch_result: \"${1-}\" is none of new-data, no-data and failed"
        return 64 ;;
    esac
    [ -z "$_curfew_handling" ] || _curfew_result="result=$1"
}

# Says whether the work of a request has succeeded: of the event that was deferred, else of that of this FUNCTION.
curfew_set_task_completed() {
    case ${1-} in
    true | false) ;;
    *)
        _curfew_say "curfew_set_task_completed: \"${1-}\" is neither true nor false"
        return 64 ;;
    esac
    if [ -n "$_curfew_deferred" ]; then
        # Before it is told: with that the next may come, and be deferred.
        set -- "$1" "$_curfew_deferred"
        _curfew_deferred=
        _curfew_acknowledge "$2" "success=$1"
    elif [ -n "$_curfew_handling" ]; then
        case $CURFEW_EVENT in refresh | processing) _curfew_result="success=$1" ;; esac
    fi
}

# Has the event of this FUNCTION acknowledged by curfew_set_task_completed, and not before.
curfew_defer() {
    if [ -z "$_curfew_handling" ]; then
        _curfew_say 'curfew_defer: there is nothing to defer: it is for a FUNCTION, while it runs'
        return 64
    fi
    _curfew_deferred=$_curfew_handling
}

# Asks something about this app by its name, which is that of its socket: _curfew_ask VERB WORD….
_curfew_ask() {
    curfew_is_supported || return 0
    _curfew_verb=$1
    shift
    _curfew_word=${CURFEW_SOCKET##*/}
    _curfew_command "$_curfew_verb" "${_curfew_word%.sock}" "$@"
}

# Prints the background time left.
curfew_remaining() {
    if curfew_is_supported; then _curfew_task remaining; else printf 'inf\n'; fi
}

_curfew_task() { _curfew_command task "$@"; }

_curfew_command() {
    if ! command -v "${CURFEW_COMMAND:-curfew}" >/dev/null 2>&1; then
        _curfew_say "${CURFEW_COMMAND:-curfew} isn't on PATH; name it in CURFEW_COMMAND"
        return 127
    fi
    "${CURFEW_COMMAND:-curfew}" "$@"
}
