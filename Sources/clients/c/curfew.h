// curfew.h: a C and C++ program's half of Curfew's control channel, by UIKit's names.
//
// One header, no library: C99 or C++11, POSIX 2008 on Linux, no allocation, no global state, no thread.
//
//     #include "curfew.h"
//
//     static struct curfew_client client;      // zeroed; some 33 KiB, so static rather than on a small stack
//     static struct curfew_event event;
//
//     curfew_connect(&client);                  // not under Curfew: fails, and the calls below do nothing
//     curfew_task task = curfew_begin_background_task(&client, "nightly upload");
//     upload();
//     curfew_end_background_task(&client, task);
//
// and, to be told of the app's lifecycle:
//
//     curfew_hello(&client, "uploader");
//     while (curfew_next_event(&client, &event, -1) > 0) {
//         switch (event.type) {
//         case CURFEW_EVENT_DID_ENTER_BACKGROUND: save(); break;
//         case CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE: curfew_end_background_task(&client, event.task); break;
//         case CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING: drop_caches(); break;
//         case CURFEW_EVENT_WILL_TERMINATE: finish(); break;
//         default: break;
//         }
//         curfew_acknowledge(&client, &event);
//     }
//
// In a loop of one's own: take events until there is none, then poll.
//
//     for (;;) {
//         while (curfew_next_event(&client, &event, 0) > 0) handle(&event);
//         poll({curfew_fd(&client), POLLIN}, …);
//     }
//
// That order matters: events that come while a request waits for its reply are kept in the struct, where poll can't see
// them.
//
// Under a server (`curfew serve`) also for what is to be done later, whether the program runs by then or not:
//
//     struct curfew_local_notification tea = {.alert_body = "It is ready", .fire_date = "2026-12-01T08:00:00Z"};
//     struct curfew_task_request index = {.kind = CURFEW_TASK_REQUEST_PROCESSING, .identifier = "index"};
//     curfew_schedule_local_notification(&client, &tea, NULL);
//     curfew_submit_task_request(&client, &index);    // CURFEW_EVENT_WAKE, its name "processing": curfew_set_task_completed
//
// Results. Functions that return int return 0 or more, or -errno. These mean the same everywhere:
//   -ENOTCONN    not connected: not under Curfew, closed, or a child of the process that connected. Nothing is owed.
//   -ECONNRESET  the supervisor is gone, or has closed this connection. Told again until curfew_connect is tried.
//   -EBADF       the connection's descriptor was closed, or reused, behind this library's back; as -ECONNRESET.
//   -ETIMEDOUT   no answer within the client's time, 5 s unless curfew_set_timeout says otherwise.
//   -ENOBUFS     too many events wait in the struct (below); take some, then ask again.
//   -EPROTO      an answer that makes no sense. After a line that is too long the connection is lost; as -ECONNRESET.
// Refusals by the supervisor: -ETIME `expired`, -ESHUTDOWN `terminating`, -EDQUOT `too-many-tasks`, `too-many-owners` or
// `too-many-requests`, -EPERM `forbidden` or `no-background-mode`, -ENOENT `unknown-push`, -EAGAIN `busy`,
// -EINVAL `invalid`, -ENOSYS `unknown`, -ENOTSUP `unsupported`, -EBADMSG `malformed`, -EPROTO any other; curfew_error_code has the word.
//
// Waiting. No call but curfew_next_event waits longer than the client's time. Interruptions by signals (EINTR) are
// dealt with. An answer that has come while the whole process was suspended counts, however long that took.
//
// Events that wait. They are kept in the struct in the order they came, CURFEW_BUFFER_SIZE bytes of them. An event is
// never dropped: when there is no room for another line, reading stops, the rest waits in the socket and in the
// supervisor, and requests that need a reply return -ENOBUFS (curfew_end_background_task is sent nevertheless).
//
// Threads. One client belongs to one thread at a time; give each thread its own, or use a lock. Several in one process
// are fine; events go to each that has said hello, and the first acknowledgement counts.
//
// Stack. Calls need some 16 KiB, those from signal handlers 2 KiB.
//
// Signals. Async-signal-safe, at any time and on any thread, are exactly
//   curfew_end_background_task_from_signal, curfew_acknowledge_from_signal, curfew_fd and
//   curfew_is_multitasking_supported:
// they only read the struct, call nothing but getpid, fstat and send, never wait, and leave errno as it was. Their
// line goes out in one send, which Linux does wholly or not at all for so short a message, so it can't land in the
// middle of another. Not while another thread is in curfew_connect or curfew_close.
//
// fork. The child's copy counts as not connected until it calls curfew_connect itself; the parent's isn't affected.
//
// SIGPIPE is never raised. The connection made here is close-on-exec. Where only the inherited CURFEW_FD can be had,
// it is shared with every process that has inherited it: replies and events go to whoever reads first.
//
// Lines, requests and replies: docs/protocol.md.
#ifndef CURFEW_H
#define CURFEW_H

// Under -std=c99 the system's headers hide POSIX unless asked.
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE) && !defined(_DEFAULT_SOURCE) && \
    !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <asm/socket.h>   // SO_PEERCRED, which the C library hides in strict dialects
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if !defined(CLOCK_MONOTONIC) || !defined(S_ISSOCK) || !defined(F_DUPFD_CLOEXEC)
#error "curfew.h needs POSIX 2008: include it before any other header, or compile with -D_POSIX_C_SOURCE=200809L"
#endif

// The longest line of the protocol in bytes, its LF included.
#define CURFEW_LINE_MAX 4096
// The longest name of an event in bytes.
#define CURFEW_NAME_MAX 64
// The longest name of a task or a client in bytes; longer ones are cut at a UTF-8 boundary.
#define CURFEW_TITLE_MAX 128

// Bytes of events a client can hold; at least two lines. Whoever defines it does so alike wherever a client is shared.
#ifndef CURFEW_BUFFER_SIZE
#define CURFEW_BUFFER_SIZE 32768
#endif
#if CURFEW_BUFFER_SIZE < 2 * CURFEW_LINE_MAX
#error "CURFEW_BUFFER_SIZE must hold two lines of CURFEW_LINE_MAX bytes"
#endif

// How long a call waits for the supervisor, in milliseconds, unless curfew_set_timeout says otherwise.
#define CURFEW_DEFAULT_TIMEOUT 5000

// The name of the waking event that curfew_set_keep_alive_timeout asks for.
#define CURFEW_KEEP_ALIVE "keepAlive"

// A background task's number, from 1 on.
typedef unsigned long curfew_task;
// What a refused curfew_begin_background_task returns.
#define CURFEW_INVALID_TASK ((curfew_task)0)

// For curfew_set_minimum_background_fetch_interval: as often as may be, and never, as is usual.
#define CURFEW_BACKGROUND_FETCH_INTERVAL_MINIMUM 0.0
#define CURFEW_BACKGROUND_FETCH_INTERVAL_NEVER ((double)INFINITY)

// The longest payload of a remote notification in bytes, without a NUL.
#define CURFEW_PAYLOAD_MAX 4096

// The change that tells that the time for a request is nearly over: its info.seq is the number of the event to answer.
#define CURFEW_TASK_WILL_EXPIRE "taskWillExpire"

// What an event tells. Values may be added.
enum curfew_event_type {
    CURFEW_EVENT_OTHER,                        // one that this header doesn't know; see its name
    CURFEW_EVENT_DID_FINISH_LAUNCHING,         // once, after the first hello: "launched", "wake", curfew_launch_…
    CURFEW_EVENT_DID_BECOME_ACTIVE,
    CURFEW_EVENT_WILL_RESIGN_ACTIVE,
    CURFEW_EVENT_DID_ENTER_BACKGROUND,         // save now; a task begun before the acknowledgement is open in time
    CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE,  // end `task` within `seconds`, or the app is killed
    CURFEW_EVENT_WILL_ENTER_FOREGROUND,
    CURFEW_EVENT_WILL_TERMINATE,               // end within `seconds`
    CURFEW_EVENT_CHANGE,                       // `name` has changed: posted, or settingsDidChange
    CURFEW_EVENT_WAKE,                         // `name` is why the app runs: acknowledge it once it is handled
    CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING    // free what can be had again, caches first; `level` says how urgent
};

// How urgent a memory warning is. Values may be added.
enum curfew_memory_warning_level {
    CURFEW_MEMORY_WARNING_NONE,     // no memory warning
    CURFEW_MEMORY_WARNING_WARNING,  // the app nears the limit at which it is killed, or the machine runs short
    CURFEW_MEMORY_WARNING_CRITICAL  // the app is past its soft limit, or the machine is about to kill for memory
};

// One event. Everything is in it, so it may be copied and kept. Its text is valid UTF-8.
struct curfew_event {
    enum curfew_event_type type;
    bool ack_required;                 // whether curfew_acknowledge is owed
    unsigned long seq;                 // its number; 0: none
    curfew_task task;                  // the task it is about; 0: none
    double seconds;                    // how long one has from its delivery; INFINITY: no limit
    enum curfew_memory_warning_level level;
    char name[CURFEW_NAME_MAX + 1];    // as on the wire: "didEnterBackground"
    size_t text_length;                // private, and what follows
    char text[CURFEW_LINE_MAX];        // the line's verb, keys and values, decoded, each ended by NUL
};

// Where the app is, with UIKit's numbers.
enum curfew_application_state { CURFEW_STATE_ACTIVE = 0, CURFEW_STATE_INACTIVE = 1, CURFEW_STATE_BACKGROUND = 2 };

// A pair of what travels with a notification.
struct curfew_pair {
    const char *key, *value;
};

// What an app is told, or its user shown, at some moment, whether it runs by then or not: docs/schedules.md. Zeroed but for
// what it has; without a body and a title it only changes the badge.
struct curfew_local_notification {
    const char *identifier;             // one of the same is replaced; NULL: one is made up
    const char *alert_title, *alert_body;
    const char *fire_date;              // as `curfew notify --at` has it, such as "2026-12-01T08:00:00Z"; NULL: at once
    const char *time_zone;              // whose clocks that means: "local", "Europe/Berlin"; NULL: it is a moment
    const char *repeat_interval;        // "daily", "weekly", "monthly", "yearly", or seconds; NULL: it comes once
    const char *alert_action;           // what its button says; NULL: "Open"; "none": it can only be closed
    const char *sound_name;
    long application_icon_badge_number; // the number at the app's name; 0: as it was; below 0: none
    const struct curfew_pair *user_info;
    size_t user_info_count;             // 8 at most
};

// What a request asks for.
enum curfew_task_request_kind {
    CURFEW_TASK_REQUEST_APP_REFRESH,    // some seconds, to be up to date when the app is opened
    CURFEW_TASK_REQUEST_PROCESSING      // minutes, while nobody needs the machine
};

// Asks for time in the background, once, when it suits the machine: docs/schedules.md. Zeroed but for what it has.
struct curfew_task_request {
    enum curfew_task_request_kind kind;
    const char *identifier;             // 1 to 64 letters, digits, `-`, `_` and `.`: the event's info.request
    const char *earliest_begin_date;    // not before that, written as a notification's; NULL: as soon as may be
    bool requires_network_connectivity, requires_external_power;
};

// A notification of the app's that waits, as far as the server tells of it.
struct curfew_pending_notification_request {
    char identifier[CURFEW_NAME_MAX + 1];
    double next_trigger_date;           // when it is due next, in seconds since 1970
    char title[CURFEW_TITLE_MAX + 1];   // cut, and its body where it has none
    char time_zone[CURFEW_NAME_MAX + 1]; // whose clocks its date means; "": it is a moment
    char repeat_interval[CURFEW_NAME_MAX + 1]; // as it was given; "": it comes once
    long application_icon_badge_number; // the number at the app's name; 0: as it was; below 0: none
};

// A request of the app's that waits.
struct curfew_pending_task_request {
    enum curfew_task_request_kind kind;
    char identifier[CURFEW_NAME_MAX + 1];
    double earliest_begin_date;         // in seconds since 1970; 0: as soon as may be
    bool requires_network_connectivity, requires_external_power;
};

// What came of an event such as `fetch`.
enum curfew_fetch_result { CURFEW_FETCH_NEW_DATA, CURFEW_FETCH_NO_DATA, CURFEW_FETCH_FAILED };

// One connection to the supervisor. Zeroed before its first use, private, not to be copied while connected.
struct curfew_client {
    // What signal handlers read: volatile, so that the order of writes is the order they see. `link` is written last
    // when connecting and first when closing.
    volatile int link;                 // CURFEW_IMPL_NONE, CURFEW_IMPL_OPEN, or -errno: why it was lost
    volatile int fd;
    volatile pid_t pid;                // who connected
    volatile dev_t device;             // which socket `fd` was then
    volatile ino_t inode;
    bool is_own;                       // our own connection, to be closed; else the inherited one
    int timeout;                       // milliseconds; 0: the default
    int error;                         // of the last call: 0 or -errno
    char error_code[32];               // the supervisor's word for it
    char app[CURFEW_TITLE_MAX + 1];
    enum curfew_application_state state;
    unsigned long last_id;
    // buffer[start..<sorted] is whole lines of events, buffer[sorted..<end] the beginning of a line.
    size_t start, sorted, end;
    char buffer[CURFEW_BUFFER_SIZE];
};

// What a client is initialised with, where it isn't static: struct curfew_client client = CURFEW_CLIENT_INIT;
#ifdef __cplusplus
#define CURFEW_CLIENT_INIT {}
#else
#define CURFEW_CLIENT_INIT {0}
#endif

// ---- private: what is below is used by the functions at the end, and by nobody else -------------

// Never connected, or closed; and connected. What is below 0 is why a connection was lost.
enum { CURFEW_IMPL_NONE = 0, CURFEW_IMPL_OPEN = 1 };

// A line on its way out: never longer than a hello's or begin's with an id and a name all of escapes.
struct curfew_impl_line {
    size_t length;
    char bytes[1024];
};

// The same of any length that the protocol knows.
struct curfew_impl_long_line {
    size_t length;
    bool is_cut;
    char bytes[CURFEW_LINE_MAX];
};

// Where what is scheduled goes: in one of the two, or nowhere.
struct curfew_impl_pending {
    struct curfew_pending_notification_request *notifications;
    struct curfew_pending_task_request *requests;
    bool is_of_requests;
    size_t capacity, count;
};

// A reply and its decoded text.
struct curfew_impl_reply {
    struct curfew_impl_pending *pending; // NULL: what is scheduled isn't asked for
    char *payload;                      // where the texts of `part` lines go, for a reply that is longer than a line; NULL: nowhere
    size_t payload_size, payload_length;
    size_t length;
    char text[CURFEW_LINE_MAX];
};

// ---- private: time ------------------------------------------------------------------------------

// CLOCK_MONOTONIC in milliseconds.
static inline long long curfew_impl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// When `timeout` milliseconds are over; -1, never, for a negative one.
static inline long long curfew_impl_deadline(int timeout)
{
    // One more, since the clock's fraction of a millisecond is cut: never too early.
    return timeout < 0 ? -1 : timeout == 0 ? curfew_impl_now() : curfew_impl_now() + timeout + 1;
}

static inline bool curfew_impl_is_over(long long deadline)
{
    return deadline >= 0 && curfew_impl_now() >= deadline;
}

// Waits until the descriptor (-1: none) is ready: 1, or 0 at the deadline, or -errno.
static inline int curfew_impl_wait(int fd, short what, long long deadline)
{
    for (;;) {
        struct pollfd item;
        long long left = deadline < 0 ? -1 : deadline - curfew_impl_now();
        int count;
        if (deadline >= 0 && left < 0)
            left = 0;
        item.fd = fd;
        item.events = what;
        item.revents = 0;
        count = poll(&item, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (count > 0)
            return item.revents & POLLNVAL ? -EBADF : 1;
        if (count == 0 && curfew_impl_is_over(deadline))
            return 0;
        if (count < 0 && errno != EINTR)
            return -errno;
    }
}

// ---- private: writing lines; async-signal-safe --------------------------------------------------

// The length of the UTF-8 sequence here, 1 to 4; 0 when it isn't one (RFC 3629: no surrogates, nothing overlong).
static inline size_t curfew_impl_utf8(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf;
    size_t count, index;
    if (length == 0)
        return 0;
    if (byte[0] < 0x80)
        return 1;
    if (byte[0] < 0xc2 || byte[0] > 0xf4)
        return 0;
    count = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    if (byte[0] == 0xe0)
        low = 0xa0;
    if (byte[0] == 0xed)
        high = 0x9f;
    if (byte[0] == 0xf0)
        low = 0x90;
    if (byte[0] == 0xf4)
        high = 0x8f;
    if (length < count || byte[1] < low || byte[1] > high)
        return 0;
    for (index = 2; index < count; index++)
        if ((byte[index] & 0xc0) != 0x80)
            return 0;
    return count;
}

// Appends bytes that are right for a line; what doesn't fit is left out, which `bytes` is large enough never to need.
static inline void curfew_impl_put(struct curfew_impl_line *line, const char *text, size_t length)
{
    size_t index;
    for (index = 0; index < length && line->length < sizeof line->bytes; index++)
        line->bytes[line->length++] = text[index];
}

static inline void curfew_impl_put_text(struct curfew_impl_line *line, const char *text)
{
    curfew_impl_put(line, text, strlen(text));
}

static inline void curfew_impl_put_number(struct curfew_impl_line *line, unsigned long number)
{
    char digits[3 * sizeof number];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    curfew_impl_put(line, digits + at, sizeof digits - at);
}

// A byte that stands for itself only in quotes, or not at all.
static inline bool curfew_impl_is_special(char byte)
{
    return (unsigned char)byte <= ' ' || byte == '"' || byte == '\\' || byte == 0x7f;
}

static inline void curfew_impl_put_escaped(struct curfew_impl_line *line, char byte)
{
    static const char hex[] = "0123456789abcdef";
    char escape[4] = {'\\', byte, 0, 0};
    size_t length = 2;
    switch (byte) {
    case '"':
    case '\\': break;
    case '\n': escape[1] = 'n'; break;
    case '\t': escape[1] = 't'; break;
    case '\r': escape[1] = 'r'; break;
    default:
        escape[1] = 'x';
        escape[2] = hex[(unsigned char)byte >> 4];
        escape[3] = hex[(unsigned char)byte & 15];
        length = 4;
    }
    if (byte == ' ')
        curfew_impl_put(line, &byte, 1);
    else
        curfew_impl_put(line, escape, length);
}

// A value as the protocol wants it: in quotes where needed, `?` for each byte that isn't UTF-8, cut to 128 bytes.
static inline void curfew_impl_put_value(struct curfew_impl_line *line, const char *value)
{
    size_t length = strlen(value), at, step, used = 0;
    bool quoted = length == 0;
    for (at = 0; at < length && !quoted; at++)
        quoted = curfew_impl_is_special(value[at]);
    if (quoted)
        curfew_impl_put(line, "\"", 1);
    for (at = 0; at < length; at += step ? step : 1) {
        step = curfew_impl_utf8(value + at, length - at);
        used += step ? step : 1;
        if (used > CURFEW_TITLE_MAX)
            break;
        if (step == 0)
            curfew_impl_put(line, "?", 1);
        else if (step == 1 && curfew_impl_is_special(value[at]))
            curfew_impl_put_escaped(line, value[at]);
        else
            curfew_impl_put(line, value + at, step);
    }
    if (quoted)
        curfew_impl_put(line, "\"", 1);
}

static inline void curfew_impl_append(struct curfew_impl_long_line *line, const char *text, size_t length)
{
    // Room for the LF stays.
    if (length >= sizeof line->bytes - line->length) {
        line->is_cut = true;
        return;
    }
    memcpy(line->bytes + line->length, text, length);
    line->length += length;
}

// ` PREFIXKEY="VALUE"`, `?` for each byte of the value that isn't UTF-8; nothing for NULL.
static inline void curfew_impl_append_pair(
    struct curfew_impl_long_line *line, const char *prefix, const char *key, const char *value)
{
    size_t length, at, step;
    if (!value)
        return;
    curfew_impl_append(line, " ", 1);
    curfew_impl_append(line, prefix, strlen(prefix));
    curfew_impl_append(line, key, strlen(key));
    curfew_impl_append(line, "=\"", 2);
    length = strlen(value);
    for (at = 0; at < length && !line->is_cut; at += step ? step : 1) {
        struct curfew_impl_line piece;
        piece.length = 0;
        step = curfew_impl_utf8(value + at, length - at);
        if (step == 0)
            curfew_impl_put(&piece, "?", 1);
        else if (step == 1 && curfew_impl_is_special(value[at]))
            curfew_impl_put_escaped(&piece, value[at]);
        else
            curfew_impl_put(&piece, value + at, step);
        curfew_impl_append(line, piece.bytes, piece.length);
    }
    curfew_impl_append(line, "\"", 1);
}

// ---- private: reading lines ---------------------------------------------------------------------

// A line being decoded into NUL-ended pieces, which together are never longer than it was.
struct curfew_impl_scanner {
    const char *at, *end;
    char *out;
};

static inline bool curfew_impl_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
        byte == '_' || byte == '.' || byte == '-';
}

// Whether there is another token.
static inline bool curfew_impl_skip_blanks(struct curfew_impl_scanner *scanner)
{
    while (scanner->at < scanner->end && *scanner->at == ' ')
        scanner->at++;
    return scanner->at < scanner->end;
}

// Copies a verb or a key; false when there is none.
static inline bool curfew_impl_scan_name(struct curfew_impl_scanner *scanner)
{
    const char *start = scanner->at;
    while (scanner->at < scanner->end && curfew_impl_is_name(*scanner->at))
        *scanner->out++ = *scanner->at++;
    *scanner->out++ = '\0';
    return scanner->at > start;
}

// Whether a token ends here.
static inline bool curfew_impl_is_at_blank(const struct curfew_impl_scanner *scanner)
{
    return scanner->at == scanner->end || *scanner->at == ' ';
}

static inline int curfew_impl_hex(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

// Copies what the escape at this backslash stands for; false for none that is known.
static inline bool curfew_impl_scan_escape(struct curfew_impl_scanner *scanner)
{
    int high, low;
    if (scanner->end - scanner->at < 2)
        return false;
    scanner->at += 2;
    switch (scanner->at[-1]) {
    case '"':
    case '\\': *scanner->out++ = scanner->at[-1]; return true;
    case 'n': *scanner->out++ = '\n'; return true;
    case 't': *scanner->out++ = '\t'; return true;
    case 'r': *scanner->out++ = '\r'; return true;
    case 'x': break;
    default: return false;
    }
    if (scanner->end - scanner->at < 2)
        return false;
    high = curfew_impl_hex(scanner->at[0]);
    low = curfew_impl_hex(scanner->at[1]);
    if (high < 0 || high > 7 || low < 0)
        return false;
    scanner->at += 2;
    // A NUL would end the text early.
    *scanner->out++ = high || low ? (char)(high << 4 | low) : '?';
    return true;
}

// Copies one character that stands for itself, `?` for a byte that isn't UTF-8; false for a control character.
static inline bool curfew_impl_scan_character(struct curfew_impl_scanner *scanner)
{
    size_t length = curfew_impl_utf8(scanner->at, (size_t)(scanner->end - scanner->at));
    if ((unsigned char)*scanner->at < ' ' || *scanner->at == 0x7f)
        return false;
    if (length == 0) {
        *scanner->out++ = '?';
        scanner->at++;
    }
    for (; length > 0; length--)
        *scanner->out++ = *scanner->at++;
    return true;
}

static inline bool curfew_impl_scan_quoted(struct curfew_impl_scanner *scanner)
{
    scanner->at++;
    while (scanner->at < scanner->end && *scanner->at != '"')
        if (!(*scanner->at == '\\' ? curfew_impl_scan_escape(scanner) : curfew_impl_scan_character(scanner)))
            return false;
    if (scanner->at == scanner->end)
        return false;
    scanner->at++;
    *scanner->out++ = '\0';
    return curfew_impl_is_at_blank(scanner);
}

static inline bool curfew_impl_scan_value(struct curfew_impl_scanner *scanner)
{
    if (curfew_impl_is_at_blank(scanner))
        return false;
    if (*scanner->at == '"')
        return curfew_impl_scan_quoted(scanner);
    while (!curfew_impl_is_at_blank(scanner))
        if (*scanner->at == '"' || *scanner->at == '\\' || !curfew_impl_scan_character(scanner))
            return false;
    *scanner->out++ = '\0';
    return true;
}

// Decodes a line with its LF, of at most CURFEW_LINE_MAX bytes, into as many at `text`, verb, key, value, key, value,
// each ended by NUL; returns the bytes written, 0 for a blank or malformed line.
static inline size_t curfew_impl_decode(const char *line, size_t length, char *text)
{
    struct curfew_impl_scanner scanner;
    if (length > CURFEW_LINE_MAX || length == 0)
        return 0;
    // Each NUL takes the place of a `=`, a blank or the LF, so `text` can't run over.
    length--;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    scanner.at = line;
    scanner.end = line + length;
    scanner.out = text;
    if (!curfew_impl_skip_blanks(&scanner) || !curfew_impl_scan_name(&scanner) || !curfew_impl_is_at_blank(&scanner))
        return 0;
    while (curfew_impl_skip_blanks(&scanner)) {
        if (!curfew_impl_scan_name(&scanner) || scanner.at == scanner.end || *scanner.at != '=')
            return 0;
        scanner.at++;
        if (!curfew_impl_scan_value(&scanner))
            return 0;
    }
    return (size_t)(scanner.out - text);
}

// The value of the first pair whose key is `prefix` and `key`; NULL when there is none.
static inline const char *curfew_impl_find(const char *text, size_t length, const char *prefix, const char *key)
{
    const char *at = text, *end = text + length;
    size_t prefix_length = strlen(prefix);
    if (length == 0)
        return NULL;
    at += strlen(at) + 1;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (!strncmp(at, prefix, prefix_length) && !strcmp(at + prefix_length, key))
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

// Reads a decimal number; false for anything else (NULL too), and for one that is too large.
static inline bool curfew_impl_number(const char *text, unsigned long *number)
{
    unsigned long sum = 0;
    if (!text || !*text)
        return false;
    for (; *text; text++) {
        unsigned long digit;
        if (*text < '0' || *text > '9')
            return false;
        digit = (unsigned long)(*text - '0');
        if (sum > (ULONG_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

// Reads seconds, `12.345` or `inf`; by hand, since strtod expects the locale's decimal point.
static inline bool curfew_impl_seconds(const char *text, double *seconds)
{
    double sum = 0, unit = 1;
    bool is_fraction = false;
    if (text && !strcmp(text, "inf")) {
        *seconds = (double)INFINITY;
        return true;
    }
    if (!text || *text < '0' || *text > '9')
        return false;
    for (; *text; text++) {
        if (*text == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        sum = sum * 10 + (*text - '0');
        if (is_fraction)
            unit *= 10;
    }
    *seconds = sum / unit;
    return true;
}

// Copies a text, cut at a UTF-8 boundary; "" for NULL.
static inline void curfew_impl_copy(char *to, size_t size, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    if (length > 0)
        memcpy(to, text, length);
    to[length] = '\0';
}

// ---- private: the connection --------------------------------------------------------------------

// What a call returns is also what curfew_error tells.
static inline int curfew_impl_result(struct curfew_client *client, int error)
{
    client->error = error;
    return error;
}

// Starts a call: no error yet.
static inline void curfew_impl_enter(struct curfew_client *client)
{
    client->error = 0;
    client->error_code[0] = '\0';
}

// Whether `fd` is still the socket it was: a program that closes all descriptors may have put another thing there,
// which must neither be written to nor closed. Async-signal-safe.
static inline bool curfew_impl_holds_socket(const struct curfew_client *client)
{
    struct stat status;
    return fstat(client->fd, &status) == 0 && status.st_dev == client->device && status.st_ino == client->inode;
}

// 0 when connected; -ENOTCONN, or why it is lost. Async-signal-safe, but for errno.
static inline int curfew_impl_check(const struct curfew_client *client)
{
    int link = client->link;
    if (link == CURFEW_IMPL_NONE || client->pid != getpid())
        return -ENOTCONN;
    if (link < 0)
        return link;
    return curfew_impl_holds_socket(client) ? 0 : -EBADF;
}

// The connection can't go on. Events that have come whole stay to be taken.
//
// Our own is ended but not closed: a signal handler on another thread may be about to use the number, which must not
// become another file's before curfew_connect or curfew_close.
static inline int curfew_impl_lose(struct curfew_client *client, int error)
{
    if (error == -EPIPE || error == -ENOTCONN)
        error = -ECONNRESET;
    client->link = error;
    if (client->is_own && curfew_impl_holds_socket(client))
        shutdown(client->fd, SHUT_RDWR);
    client->end = client->sorted;
    return error;
}

// As curfew_impl_check, for calls outside signal handlers: what is found lost is marked so.
static inline int curfew_impl_begin_call(struct curfew_client *client)
{
    int error = curfew_impl_check(client);
    curfew_impl_enter(client);
    if (error == -EBADF)
        curfew_impl_lose(client, error);
    return curfew_impl_result(client, error);
}

static inline int curfew_impl_timeout(const struct curfew_client *client)
{
    return client->timeout > 0 ? client->timeout : CURFEW_DEFAULT_TIMEOUT;
}

// Sends a line that has its LF: 0, -EAGAIN when the socket is full, else -errno. Async-signal-safe, but for errno.
//
// In one send: Linux puts up to half a socket's send buffer less 64 bytes, never under 2,000, into one piece that is
// sent wholly or not at all (net/unix/af_unix.c, unix_stream_sendmsg), so neither a signal handler's line nor that of
// another process on the inherited socket can get between.
static inline int curfew_impl_send_bytes(const struct curfew_client *client, const char *bytes, size_t length)
{
    ssize_t sent;
    do
        sent = send(client->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    return (size_t)sent == length ? 0 : -EIO;
}

static inline int curfew_impl_send_once(const struct curfew_client *client, const struct curfew_impl_line *line)
{
    return curfew_impl_send_bytes(client, line->bytes, line->length);
}

// Sends a line that has its LF; waits for room until the deadline.
static inline int curfew_impl_send_whole(
    struct curfew_client *client, const char *bytes, size_t length, long long deadline)
{
    bool is_last = false;
    for (;;) {
        int error = curfew_impl_send_bytes(client, bytes, length);
        if (error == 0)
            return 0;
        if (error == -EAGAIN && is_last)
            return -ETIMEDOUT;
        if (error == -EAGAIN)
            error = curfew_impl_wait(client->fd, POLLOUT, deadline);
        if (error < 0)
            return curfew_impl_lose(client, error);
        is_last = error == 0 || curfew_impl_is_over(deadline);
    }
}

static inline int curfew_impl_send(struct curfew_client *client, struct curfew_impl_line *line, long long deadline)
{
    curfew_impl_put(line, "\n", 1);
    return curfew_impl_send_whole(client, line->bytes, line->length, deadline);
}

// The reply to a `begin` that nobody waits for any more: its task would stay open for ever, so it is ended.
// Only those of this process can be told by their id: b, its pid, a dot, a number.
static inline void curfew_impl_end_abandoned(struct curfew_client *client, const char *text, size_t length)
{
    struct curfew_impl_line own = {0, {0}}, line = {0, {0}};
    const char *id = curfew_impl_find(text, length, "", "id");
    unsigned long task;
    curfew_impl_put_text(&own, "b");
    curfew_impl_put_number(&own, (unsigned long)client->pid);
    curfew_impl_put_text(&own, ".");
    if (!id || strncmp(id, own.bytes, own.length) || strcmp(text, "ok"))
        return;
    if (!curfew_impl_number(curfew_impl_find(text, length, "", "task"), &task) || task == CURFEW_INVALID_TASK)
        return;
    curfew_impl_put_text(&line, "end task=");
    curfew_impl_put_number(&line, task);
    curfew_impl_put_text(&line, "\n");
    curfew_impl_send_once(client, &line);
}

static inline bool curfew_impl_is_event(const char *line, size_t length)
{
    while (length > 0 && *line == ' ') {
        line++;
        length--;
    }
    return length > 6 && !memcmp(line, "event ", 6);
}

// The text of a `part` line; what there is no room for is counted all the same.
static inline void curfew_impl_take_part(struct curfew_impl_reply *reply)
{
    const char *text = curfew_impl_find(reply->text, reply->length, "", "text");
    size_t length = text ? strlen(text) : 0, room;
    if (!reply->payload)
        return;
    room = reply->payload_size > reply->payload_length ? reply->payload_size - reply->payload_length : 0;
    if (length > 0)
        memcpy(reply->payload + reply->payload_length, text, length < room ? length : room);
    reply->payload_length += length;
}

// The value of a pair; NULL when there is none.
static inline const char *curfew_impl_value(const struct curfew_impl_reply *reply, const char *key)
{
    return curfew_impl_find(reply->text, reply->length, "", key);
}

static inline void curfew_impl_read_notification(
    const struct curfew_impl_reply *reply, struct curfew_pending_notification_request *notification)
{
    unsigned long badge;
    memset(notification, 0, sizeof *notification);
    curfew_impl_copy(
        notification->identifier, sizeof notification->identifier, curfew_impl_value(reply, "notification"));
    curfew_impl_seconds(curfew_impl_value(reply, "due"), &notification->next_trigger_date);
    curfew_impl_copy(notification->title, sizeof notification->title, curfew_impl_value(reply, "title"));
    curfew_impl_copy(notification->time_zone, sizeof notification->time_zone, curfew_impl_value(reply, "zone"));
    curfew_impl_copy(
        notification->repeat_interval, sizeof notification->repeat_interval, curfew_impl_value(reply, "repeat"));
    if (curfew_impl_number(curfew_impl_value(reply, "badge"), &badge) && badge <= LONG_MAX)
        notification->application_icon_badge_number = badge > 0 ? (long)badge : -1;
}

static inline void curfew_impl_read_task_request(
    const struct curfew_impl_reply *reply, struct curfew_pending_task_request *request)
{
    memset(request, 0, sizeof *request);
    if (!strcmp(curfew_impl_value(reply, "kind"), "processing"))
        request->kind = CURFEW_TASK_REQUEST_PROCESSING;
    curfew_impl_copy(request->identifier, sizeof request->identifier, curfew_impl_value(reply, "request"));
    curfew_impl_seconds(curfew_impl_value(reply, "earliest"), &request->earliest_begin_date);
    request->requires_network_connectivity = curfew_impl_value(reply, "needs-network") != NULL;
    request->requires_external_power = curfew_impl_value(reply, "needs-power") != NULL;
}

// A `schedule` line; what there is no room for is counted all the same. What the app works on waits no more.
static inline void curfew_impl_take_scheduled(struct curfew_impl_reply *reply)
{
    struct curfew_impl_pending *pending = reply->pending;
    const char *kind = curfew_impl_value(reply, "kind"), *waits = curfew_impl_value(reply, "waits");
    bool is_notification = kind && !strcmp(kind, "notification");
    bool is_request = kind && (!strcmp(kind, "refresh") || !strcmp(kind, "processing"));
    if (!pending || !(pending->is_of_requests ? is_request : is_notification) || (waits && !strcmp(waits, "runs")))
        return;
    if (pending->count < pending->capacity) {
        if (pending->is_of_requests)
            curfew_impl_read_task_request(reply, &pending->requests[pending->count]);
        else
            curfew_impl_read_notification(reply, &pending->notifications[pending->count]);
    }
    pending->count++;
}

// Deals with one line that isn't an event; true when it is the reply to `id`, now in `reply`.
static inline bool curfew_impl_take_reply(
    struct curfew_client *client, const char *line, size_t length, const char *id, struct curfew_impl_reply *reply)
{
    const char *replied;
    // One waited for already is kept.
    struct curfew_impl_reply other, *space = id ? reply : &other;
    space->length = curfew_impl_decode(line, length, space->text);
    if (space->length == 0)
        return false;
    replied = curfew_impl_find(space->text, space->length, "", "id");
    if (id && replied && !strcmp(id, replied) && !strcmp(space->text, "part")) {
        curfew_impl_take_part(space);
        return false;
    }
    if (id && replied && !strcmp(id, replied) && !strcmp(space->text, "schedule")) {
        curfew_impl_take_scheduled(space);
        return false;
    }
    if (id && replied && !strcmp(id, replied) && strcmp(space->text, "task"))
        return true;
    curfew_impl_end_abandoned(client, space->text, space->length);
    return false;
}

// Goes through the lines that have just come: events stay, replies don't.
// Returns 1 when the reply to `id` (may be NULL) was among them, 0 when not, -EPROTO for a line that is too long.
static inline int curfew_impl_sort(struct curfew_client *client, const char *id, struct curfew_impl_reply *reply)
{
    char *buffer = client->buffer;
    size_t read = client->sorted, keep = client->sorted;
    bool found = false;
    const char *feed;
    while ((feed = (const char *)memchr(buffer + read, '\n', client->end - read)) != NULL) {
        size_t length = (size_t)(feed + 1 - (buffer + read));
        if (length > CURFEW_LINE_MAX)
            break;
        if (curfew_impl_is_event(buffer + read, length)) {
            memmove(buffer + keep, buffer + read, length);
            keep += length;
        } else if (curfew_impl_take_reply(client, buffer + read, length, found ? NULL : id, reply)) {
            found = true;
        }
        read += length;
    }
    memmove(buffer + keep, buffer + read, client->end - read);
    client->end -= read - keep;
    client->sorted = keep;
    if (client->end - client->sorted >= CURFEW_LINE_MAX)
        return -EPROTO;
    return found ? 1 : 0;
}

// Room for more bytes, once what was taken is forgotten.
static inline size_t curfew_impl_make_room(struct curfew_client *client)
{
    if (client->start > 0 && sizeof client->buffer - client->end < CURFEW_LINE_MAX) {
        memmove(client->buffer, client->buffer + client->start, client->end - client->start);
        client->sorted -= client->start;
        client->end -= client->start;
        client->start = 0;
    }
    return sizeof client->buffer - client->end;
}

// What a look at the socket brought.
enum curfew_impl_look { CURFEW_IMPL_NOTHING = 0, CURFEW_IMPL_SOMETHING = 1, CURFEW_IMPL_REPLY = 2 };

// Reads what is there without waiting: enum curfew_impl_look, -ENOBUFS when there is no room, or what lost it.
static inline int curfew_impl_look(struct curfew_client *client, const char *id, struct curfew_impl_reply *reply)
{
    size_t room = curfew_impl_make_room(client);
    ssize_t count;
    int found;
    if (room == 0)
        return -ENOBUFS;
    do
        count = recv(client->fd, client->buffer + client->end, room, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return CURFEW_IMPL_NOTHING;
    if (count <= 0)
        return curfew_impl_lose(client, count < 0 ? -errno : -ECONNRESET);
    client->end += (size_t)count;
    found = curfew_impl_sort(client, id, reply);
    if (found < 0)
        return curfew_impl_lose(client, found);
    return found ? CURFEW_IMPL_REPLY : CURFEW_IMPL_SOMETHING;
}

// How many more looks are had after the deadline while each brings something. A process that was suspended while it
// waited finds the deadline past and its answer there, perhaps behind a socket's worth of events; a flood has an end.
#define CURFEW_IMPL_LATE_LOOKS 64

// One wait of a loop that ends at a deadline: 1 go on, 0 the time is over, or what lost the connection.
// `late`: looks since the deadline, 0 before it.
static inline int curfew_impl_wait_more(struct curfew_client *client, int seen, long long deadline, int *late)
{
    int ready;
    if (seen == CURFEW_IMPL_SOMETHING) {
        if (*late > 0 || curfew_impl_is_over(deadline))
            ++*late;
        return *late <= CURFEW_IMPL_LATE_LOOKS;
    }
    if (*late > 0)
        return 0;
    ready = curfew_impl_wait(client->fd, POLLIN, deadline);
    if (ready < 0)
        return curfew_impl_lose(client, ready);
    *late = ready == 0;
    return 1;
}

// ---- private: requests --------------------------------------------------------------------------

// The errno for a word of the supervisor's.
static inline int curfew_impl_refusal(const char *code)
{
    static const struct {
        char code[24];
        int error;
    } known[] = {
        {"expired", -ETIME}, {"terminating", -ESHUTDOWN}, {"too-many-tasks", -EDQUOT}, {"too-many-owners", -EDQUOT}, {"forbidden", -EPERM},
        {"invalid", -EINVAL}, {"unknown", -ENOSYS}, {"unsupported", -ENOTSUP}, {"malformed", -EBADMSG},
        {"too-many-requests", -EDQUOT}, {"no-background-mode", -EPERM}, {"unknown-push", -ENOENT}, {"busy", -EAGAIN},
    };
    size_t index;
    for (index = 0; index < sizeof known / sizeof *known; index++)
        if (!strcmp(known[index].code, code))
            return known[index].error;
    return -EPROTO;
}

// Begins a line: VERB id=ID. The id is `kind`, this process's pid, a dot and a number, unlike that of any other process
// on an inherited socket.
static inline void curfew_impl_start(
    struct curfew_client *client, struct curfew_impl_line *line, const char *verb, const char *kind)
{
    line->length = 0;
    client->last_id++;
    curfew_impl_put_text(line, verb);
    curfew_impl_put_text(line, " id=");
    curfew_impl_put_text(line, kind);
    curfew_impl_put_number(line, (unsigned long)client->pid);
    curfew_impl_put_text(line, ".");
    curfew_impl_put_number(line, client->last_id);
}

// The id of the request begun last, ended by NUL.
static inline void curfew_impl_last_id(const struct curfew_client *client, const char *kind, char *id, size_t size)
{
    struct curfew_impl_line text = {0, {0}};
    curfew_impl_put_text(&text, kind);
    curfew_impl_put_number(&text, (unsigned long)client->pid);
    curfew_impl_put_text(&text, ".");
    curfew_impl_put_number(&text, client->last_id);
    text.bytes[text.length < size ? text.length : size - 1] = '\0';
    memcpy(id, text.bytes, size);
}

static inline int curfew_impl_await(
    struct curfew_client *client, const char *id, struct curfew_impl_reply *reply, long long deadline)
{
    int late = 0;
    for (;;) {
        int seen = curfew_impl_look(client, id, reply), more;
        if (seen < 0)
            return seen;
        if (seen == CURFEW_IMPL_REPLY)
            return 0;
        more = curfew_impl_wait_more(client, seen, deadline, &late);
        if (more <= 0)
            return more < 0 ? more : -ETIMEDOUT;
    }
}

// Sends a request begun with curfew_impl_start and the same `kind`, that has its LF; returns with its reply, or -errno.
static inline int curfew_impl_ask_whole(
    struct curfew_client *client, const char *bytes, size_t size, const char *kind, struct curfew_impl_reply *reply)
{
    long long deadline = curfew_impl_deadline(curfew_impl_timeout(client));
    const char *code;
    char id[64];
    int error;
    reply->length = 0;
    reply->text[0] = '\0';
    curfew_impl_last_id(client, kind, id, sizeof id);
    error = curfew_impl_send_whole(client, bytes, size, deadline);
    if (error == 0)
        error = curfew_impl_await(client, id, reply, deadline);
    if (error < 0)
        return error;
    if (!strcmp(reply->text, "ok"))
        return 0;
    code = curfew_impl_find(reply->text, reply->length, "", "code");
    curfew_impl_copy(client->error_code, sizeof client->error_code, code);
    return curfew_impl_refusal(client->error_code);
}

// The same of a short one, that has no LF yet.
static inline int curfew_impl_ask(
    struct curfew_client *client, struct curfew_impl_line *line, const char *kind, struct curfew_impl_reply *reply)
{
    reply->payload = NULL;
    reply->pending = NULL;
    curfew_impl_put(line, "\n", 1);
    return curfew_impl_ask_whole(client, line->bytes, line->length, kind, reply);
}

// Whether a request can be made whose reply is needed: 0, or why not.
static inline int curfew_impl_begin_request(struct curfew_client *client)
{
    int error = curfew_impl_begin_call(client);
    if (error == 0 && sizeof client->buffer - (client->end - client->start) < CURFEW_LINE_MAX)
        error = curfew_impl_result(client, -ENOBUFS);
    return error;
}

// ---- private: connecting ------------------------------------------------------------------------

static inline int curfew_impl_set_send_timeout(int fd, long long deadline)
{
    struct timeval limit;
    long long left = deadline - curfew_impl_now();
    if (left <= 0)
        return -ETIMEDOUT;
    limit.tv_sec = (time_t)(left / 1000);
    limit.tv_usec = (suseconds_t)(left % 1000 * 1000);
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0 ? -errno : 0;
}

// Connects; where many wait to be accepted that takes until there is room, and SO_SNDTIMEO bounds it.
static inline int curfew_impl_connect(int fd, const struct sockaddr_un *address, long long deadline)
{
    for (;;) {
        int error = curfew_impl_set_send_timeout(fd, deadline);
        if (error < 0)
            return error;
        if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EISCONN)
            return 0;
        if (errno != EINTR && errno != EAGAIN)
            return -errno;
    }
}

// A socket that is none of the three standard ones, even where those are closed: output would go to the supervisor.
static inline int curfew_impl_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), higher;
    if (fd < 0)
        return -errno;
    if (fd > STDERR_FILENO)
        return fd;
    higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0)
        higher = -errno;
    close(fd);
    return higher;
}

// 0 when this user, or root, listens there; else whoever has set the variable may have planted a socket of his own.
static inline int curfew_impl_check_peer(int fd)
{
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;   // struct ucred, which glibc shows by _GNU_SOURCE only
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -errno;
    return peer.uid == geteuid() || peer.uid == getuid() || peer.uid == 0 ? 0 : -EACCES;
}

// A connection of our own through the socket at `path`, or -errno.
static inline int curfew_impl_dial(const char *path, int timeout)
{
    struct sockaddr_un address;
    size_t length = path ? strlen(path) : 0;
    int fd, error;
    if (length == 0)
        return -ENOTCONN;
    if (length >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path, length);
    fd = curfew_impl_socket();
    if (fd < 0)
        return fd;
    error = curfew_impl_connect(fd, &address, curfew_impl_deadline(timeout));
    if (error == 0)
        error = curfew_impl_check_peer(fd);
    if (error < 0)
        close(fd);
    return error < 0 ? error : fd;
}

// The control pipe whose number is `text`, if it is a connected Unix stream socket, else -errno.
static inline int curfew_impl_inherited(const char *text)
{
    struct sockaddr_un peer;
    socklen_t length = sizeof peer;
    unsigned long number;
    int type = 0;
    socklen_t size = sizeof type;
    if (!text || !*text)
        return -ENOTCONN;
    if (!curfew_impl_number(text, &number) || number > INT_MAX)
        return -EBADF;
    if (getsockopt((int)number, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return -errno;
    if (getpeername((int)number, (struct sockaddr *)&peer, &length) < 0)
        return -errno;
    return type == SOCK_STREAM && peer.sun_family == AF_UNIX ? (int)number : -EPROTOTYPE;
}

// Takes a connected descriptor: from now on signal handlers may use it.
static inline int curfew_impl_adopt(struct curfew_client *client, int fd, bool is_own)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -errno;
    client->fd = fd;
    client->pid = getpid();
    client->device = status.st_dev;
    client->inode = status.st_ino;
    client->is_own = is_own;
    client->link = CURFEW_IMPL_OPEN;
    return 0;
}

// Forgets an earlier connection and what came by it, of this process or of the one that forked it.
static inline void curfew_impl_forget(struct curfew_client *client)
{
    bool closes = client->link != CURFEW_IMPL_NONE && client->is_own && curfew_impl_holds_socket(client);
    client->link = CURFEW_IMPL_NONE;
    if (closes)
        close(client->fd);
    client->start = client->sorted = client->end = 0;
    client->app[0] = '\0';
    client->state = CURFEW_STATE_ACTIVE;
}

// ---- private: events ----------------------------------------------------------------------------

static inline enum curfew_event_type curfew_impl_type(const char *name, const char *kind)
{
    static const struct {
        char name[32];
        enum curfew_event_type type;
    } known[] = {
        {"didFinishLaunching", CURFEW_EVENT_DID_FINISH_LAUNCHING},
        {"didBecomeActive", CURFEW_EVENT_DID_BECOME_ACTIVE},
        {"willResignActive", CURFEW_EVENT_WILL_RESIGN_ACTIVE},
        {"didEnterBackground", CURFEW_EVENT_DID_ENTER_BACKGROUND},
        {"backgroundTaskWillExpire", CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE},
        {"willEnterForeground", CURFEW_EVENT_WILL_ENTER_FOREGROUND},
        {"willTerminate", CURFEW_EVENT_WILL_TERMINATE},
        {"didReceiveMemoryWarning", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING},
    };
    size_t index;
    if (kind)
        return !strcmp(kind, "change") ? CURFEW_EVENT_CHANGE : !strcmp(kind, "wake") ? CURFEW_EVENT_WAKE
                                                                                     : CURFEW_EVENT_OTHER;
    for (index = 0; index < sizeof known / sizeof *known; index++)
        if (!strcmp(known[index].name, name))
            return known[index].type;
    return CURFEW_EVENT_OTHER;
}

// A word that this header doesn't know is a warning all the same.
static inline enum curfew_memory_warning_level curfew_impl_level(enum curfew_event_type type, const char *level)
{
    if (type != CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING)
        return CURFEW_MEMORY_WARNING_NONE;
    return level && !strcmp(level, "critical") ? CURFEW_MEMORY_WARNING_CRITICAL : CURFEW_MEMORY_WARNING_WARNING;
}

// Reads an event's line; false when it isn't one.
static inline bool curfew_impl_read_event(const char *line, size_t length, struct curfew_event *event)
{
    const char *name, *ack;
    event->text_length = curfew_impl_decode(line, length, event->text);
    name = curfew_impl_find(event->text, event->text_length, "", "name");
    if (!name || strcmp(event->text, "event"))
        return false;
    ack = curfew_impl_find(event->text, event->text_length, "", "ack");
    curfew_impl_copy(event->name, sizeof event->name, name);
    event->type = curfew_impl_type(name, curfew_impl_find(event->text, event->text_length, "", "kind"));
    if (!curfew_impl_number(curfew_impl_find(event->text, event->text_length, "", "seq"), &event->seq))
        event->seq = 0;
    if (!curfew_impl_number(curfew_impl_find(event->text, event->text_length, "", "task"), &event->task))
        event->task = CURFEW_INVALID_TASK;
    if (!curfew_impl_seconds(curfew_impl_find(event->text, event->text_length, "", "seconds"), &event->seconds))
        event->seconds = (double)INFINITY;
    event->level =
        curfew_impl_level(event->type, curfew_impl_find(event->text, event->text_length, "", "level"));
    event->ack_required = event->seq != 0 && ack && !strcmp(ack, "required");
    return true;
}

static inline void curfew_impl_follow_state(struct curfew_client *client, enum curfew_event_type type)
{
    switch (type) {
    case CURFEW_EVENT_DID_BECOME_ACTIVE: client->state = CURFEW_STATE_ACTIVE; break;
    case CURFEW_EVENT_WILL_RESIGN_ACTIVE:
    case CURFEW_EVENT_WILL_ENTER_FOREGROUND: client->state = CURFEW_STATE_INACTIVE; break;
    case CURFEW_EVENT_DID_ENTER_BACKGROUND: client->state = CURFEW_STATE_BACKGROUND; break;
    default: break;
    }
}

// Takes the first event that waits in the struct; false when there is none.
static inline bool curfew_impl_take_event(struct curfew_client *client, struct curfew_event *event)
{
    while (client->start < client->sorted) {
        const char *line = client->buffer + client->start;
        const char *feed = (const char *)memchr(line, '\n', client->sorted - client->start);
        size_t length = feed ? (size_t)(feed + 1 - line) : client->sorted - client->start;
        client->start += length;
        if (curfew_impl_read_event(line, length, event)) {
            curfew_impl_follow_state(client, event->type);
            return true;
        }
    }
    return false;
}

// What waiting for an event means when none can come: the time passes; without an end to it, the caller is told.
static inline int curfew_impl_pass_time(int timeout)
{
    int error;
    if (timeout < 0)
        return -ENOTCONN;
    error = timeout > 0 ? curfew_impl_wait(-1, 0, curfew_impl_deadline(timeout)) : 0;
    return error < 0 ? error : 0;
}

// ---- connecting ---------------------------------------------------------------------------------

// Connects to the supervisor: by CURFEW_SOCKET, a connection of one's own, else by the inherited CURFEW_FD.
// Returns 0, also when it is connected already; -ENOTCONN when not under Curfew; -errno when neither can be had; -EACCES
// when another user listens at CURFEW_SOCKET.
static inline int curfew_connect(struct curfew_client *client)
{
    int error, fd, inherited;
    curfew_impl_enter(client);
    if (curfew_impl_check(client) == 0)
        return 0;
    curfew_impl_forget(client);
    fd = curfew_impl_dial(getenv("CURFEW_SOCKET"), curfew_impl_timeout(client));
    if (fd >= 0) {
        error = curfew_impl_adopt(client, fd, true);
        if (error < 0)
            close(fd);
        return curfew_impl_result(client, error);
    }
    inherited = curfew_impl_inherited(getenv("CURFEW_FD"));
    if (inherited >= 0)
        return curfew_impl_result(client, curfew_impl_adopt(client, inherited, false));
    return curfew_impl_result(client, fd == -ENOTCONN ? inherited : fd);
}

// Closes the connection (not the inherited descriptor) and forgets the events that wait. Open tasks stay open for as
// long as this process lives.
static inline void curfew_close(struct curfew_client *client)
{
    curfew_impl_enter(client);
    curfew_impl_forget(client);
}

// Whether a supervisor listens: connected, by this process, and not lost. Async-signal-safe.
static inline bool curfew_is_multitasking_supported(const struct curfew_client *client)
{
    int saved = errno;
    bool is_supported = curfew_impl_check(client) == 0;
    errno = saved;
    return is_supported;
}

// The descriptor to poll for reading, -1 when not connected, which poll passes over. Don't read, write or close it.
// Async-signal-safe.
static inline int curfew_fd(const struct curfew_client *client)
{
    return curfew_is_multitasking_supported(client) ? client->fd : -1;
}

// Sets how long a call waits for the supervisor, in milliseconds; 0 or less: 5,000.
static inline void curfew_set_timeout(struct curfew_client *client, int milliseconds)
{
    client->timeout = milliseconds > 0 ? milliseconds : 0;
}

// Why the last call failed, -errno; 0 when it didn't. curfew_next_event without an event hasn't failed.
static inline int curfew_error(const struct curfew_client *client)
{
    return client->error;
}

// The supervisor's word for why it refused the last call, such as "expired"; "" when it didn't.
static inline const char *curfew_error_code(const struct curfew_client *client)
{
    return client->error_code;
}

// ---- background tasks ---------------------------------------------------------------------------

// Begins a background task: while one is open, the app runs on in the background, on its budget.
// `name` is for people; NULL is "", over 128 bytes it is cut, what isn't UTF-8 reads `?`. Returns its number, or
// CURFEW_INVALID_TASK when it is refused or can't be asked for, and curfew_error tells why. A task whose reply comes
// too late, after -ETIMEDOUT, is ended by itself.
static inline curfew_task curfew_begin_background_task(struct curfew_client *client, const char *name)
{
    struct curfew_impl_line line;
    struct curfew_impl_reply reply;
    curfew_task task = CURFEW_INVALID_TASK;
    int error = curfew_impl_begin_request(client);
    if (error < 0)
        return CURFEW_INVALID_TASK;
    curfew_impl_start(client, &line, "begin", "b");
    curfew_impl_put_text(&line, " name=");
    curfew_impl_put_value(&line, name ? name : "");
    error = curfew_impl_ask(client, &line, "b", &reply);
    if (error == 0 && !curfew_impl_number(curfew_impl_find(reply.text, reply.length, "", "task"), &task))
        error = -EPROTO;
    curfew_impl_result(client, error);
    return error < 0 ? CURFEW_INVALID_TASK : task;
}

// Ends a background task: 0 once the supervisor knows, or -errno. Ending one that isn't open, or
// CURFEW_INVALID_TASK, does nothing. The last one ended in the background, the app is suspended, perhaps in this call.
static inline int curfew_end_background_task(struct curfew_client *client, curfew_task task)
{
    struct curfew_impl_line line = {0, {0}};
    struct curfew_impl_reply reply;
    int error = curfew_impl_begin_request(client);
    // Without room for a reply it does without one.
    bool is_answered = error != -ENOBUFS;
    if ((error < 0 && is_answered) || task == CURFEW_INVALID_TASK)
        return curfew_impl_result(client, is_answered ? error : 0);
    if (is_answered)
        curfew_impl_start(client, &line, "end", "r");
    else
        curfew_impl_put_text(&line, "end");
    curfew_impl_put_text(&line, " task=");
    curfew_impl_put_number(&line, task);
    if (!is_answered)
        return curfew_impl_result(
            client, curfew_impl_send(client, &line, curfew_impl_deadline(curfew_impl_timeout(client))));
    error = curfew_impl_ask(client, &line, "r", &reply);
    // Sent it is, and what fills the struct meanwhile doesn't undo it.
    return curfew_impl_result(client, error == -ENOBUFS ? 0 : error);
}

// How long the app may still run in the background, in seconds: INFINITY in the foreground and when not connected;
// 0 when the supervisor doesn't answer, and curfew_error tells why.
static inline double curfew_background_time_remaining(struct curfew_client *client)
{
    struct curfew_impl_line line;
    struct curfew_impl_reply reply;
    double seconds = 0;
    int error = curfew_impl_begin_request(client);
    if (error < 0)
        return error == -ENOBUFS ? 0 : (double)INFINITY;
    curfew_impl_start(client, &line, "remaining", "r");
    error = curfew_impl_ask(client, &line, "r", &reply);
    if (error == 0 && !curfew_impl_seconds(curfew_impl_find(reply.text, reply.length, "", "seconds"), &seconds))
        error = -EPROTO;
    curfew_impl_result(client, error);
    return error < 0 ? 0 : seconds;
}

// ---- keep-alive ---------------------------------------------------------------------------------

// Asks for a keep-alive every so many milliseconds; 0: none.
static inline int curfew_impl_keep_alive(struct curfew_client *client, unsigned long long milliseconds)
{
    struct curfew_impl_line line;
    struct curfew_impl_reply reply;
    char digits[4] = {'.', '0', '0', '0'};
    unsigned int rest = (unsigned int)(milliseconds % 1000);
    int error = curfew_impl_begin_request(client);
    if (error < 0)
        return error;
    digits[1] = (char)('0' + rest / 100);
    digits[2] = (char)('0' + rest / 10 % 10);
    digits[3] = (char)('0' + rest % 10);
    curfew_impl_start(client, &line, "keep-alive", "r");
    curfew_impl_put_text(&line, " seconds=");
    curfew_impl_put_number(&line, (unsigned long)(milliseconds / 1000));
    curfew_impl_put(&line, digits, sizeof digits);
    return curfew_impl_result(client, curfew_impl_ask(client, &line, "r", &reply));
}

// Asks to be woken in the background whenever so many seconds have passed, to see to one's connections: 600 or more,
// divided by --time-scale. Who has said hello is told CURFEW_EVENT_WAKE, its name CURFEW_KEEP_ALIVE, and has 30 s
// (--wake-limit) to acknowledge it; in front nothing is told. It is the app's, whoever asked last, until it is cleared or
// the app has ended. Returns 0, or -errno and what was set before holds: -EINVAL when `seconds` are too few,
// aren't above 0 or have no end, -ENOTSUP when the app's profile has no keep-alive.
static inline int curfew_set_keep_alive_timeout(struct curfew_client *client, double seconds)
{
    // Rather than nothing, which would clear it; and what is no number isn't above anything.
    if (!(seconds >= 0.001 && seconds < 2e9)) {
        curfew_impl_enter(client);
        return curfew_impl_result(client, -EINVAL);
    }
    return curfew_impl_keep_alive(client, (unsigned long long)(seconds * 1000 + 0.5));
}

// Ends what curfew_set_keep_alive_timeout began, whichever process of the app has. Returns 0 or -errno.
static inline int curfew_clear_keep_alive_timeout(struct curfew_client *client)
{
    return curfew_impl_keep_alive(client, 0);
}

// ---- events -------------------------------------------------------------------------------------

// Makes the app aware: its events come on this connection from now on, and those that ask for it must be acknowledged.
// `client_name` is for people, as a task's. Returns 0 or -errno.
static inline int curfew_hello(struct curfew_client *client, const char *client_name)
{
    struct curfew_impl_line line;
    struct curfew_impl_reply reply;
    const char *state;
    int error = curfew_impl_begin_request(client);
    if (error < 0)
        return error;
    curfew_impl_start(client, &line, "hello", "r");
    curfew_impl_put_text(&line, " version=1 client=");
    curfew_impl_put_value(&line, client_name ? client_name : "");
    error = curfew_impl_ask(client, &line, "r", &reply);
    if (error < 0)
        return curfew_impl_result(client, error);
    state = curfew_impl_find(reply.text, reply.length, "", "state");
    client->state = CURFEW_STATE_ACTIVE;
    if (state && !strcmp(state, "inactive"))
        client->state = CURFEW_STATE_INACTIVE;
    if (state && (!strcmp(state, "background") || !strcmp(state, "suspended")))
        client->state = CURFEW_STATE_BACKGROUND;
    curfew_impl_copy(client->app, sizeof client->app, curfew_impl_find(reply.text, reply.length, "", "app"));
    return 0;
}

// The app's name, as the reply to hello gave it; "" before.
static inline const char *curfew_app_name(const struct curfew_client *client)
{
    return client->app;
}

// Where the app is: as the reply to hello had it, then by the events taken. Active before hello and when not
// connected.
static inline enum curfew_application_state curfew_application_state(const struct curfew_client *client)
{
    return curfew_impl_check(client) == 0 ? client->state : CURFEW_STATE_ACTIVE;
}

// Takes the next event: 1 with one in *event; 0 when none has come within `timeout` milliseconds (0: don't wait, below
// 0: no limit); -errno. *event is changed even when there is none. Events that have come are given out before the loss
// of the connection is told. Not connected it waits all the same and returns 0, so that a loop needn't know; without a
// limit it returns -ENOTCONN at once, since none can come.
static inline int curfew_next_event(struct curfew_client *client, struct curfew_event *event, int timeout)
{
    long long deadline = curfew_impl_deadline(timeout);
    int late = timeout == 0, more = 1;
    int error = curfew_impl_begin_call(client);
    if (error == -ENOTCONN)
        return curfew_impl_pass_time(timeout);
    for (;;) {
        if (curfew_impl_take_event(client, event)) {
            client->error = 0;
            return 1;
        }
        if (error < 0 || more == 0)
            return curfew_impl_result(client, error);
        error = curfew_impl_look(client, NULL, NULL);
        if (error < 0)
            continue;
        more = curfew_impl_wait_more(client, error, deadline, &late);
        error = more < 0 ? more : 0;
    }
}

// Tells the supervisor that an event was handled; does nothing for one that doesn't ask for it. Returns 0 once that is
// sent, or -errno. For didEnterBackground: begin what tasks there are to be before, or the app is suspended at once.
static inline int curfew_acknowledge(struct curfew_client *client, const struct curfew_event *event)
{
    struct curfew_impl_line line = {0, {0}};
    int error = curfew_impl_begin_call(client);
    if (error < 0 || !event->ack_required)
        return error;
    curfew_impl_put_text(&line, "ack seq=");
    curfew_impl_put_number(&line, event->seq);
    error = curfew_impl_send(client, &line, curfew_impl_deadline(curfew_impl_timeout(client)));
    return curfew_impl_result(client, error);
}

// The value of any key of the event, such as "launched"; NULL when it has none. It lives as long as *event.
static inline const char *curfew_event_value(const struct curfew_event *event, const char *key)
{
    return curfew_impl_find(event->text, event->text_length, "", key);
}

// The value of the event's info.KEY; NULL when it has none. It lives as long as *event.
static inline const char *curfew_event_info(const struct curfew_event *event, const char *key)
{
    return curfew_impl_find(event->text, event->text_length, "info.", key);
}

// Whether a didFinishLaunching says that the app is to come back as its user left it: its last run was ended without anybody
// having asked for that, for the memory it took, for instance. False for any other event.
static inline bool curfew_launch_is_restored(const struct curfew_event *event)
{
    const char *restored = curfew_event_info(event, "restored");
    return event->type == CURFEW_EVENT_DID_FINISH_LAUNCHING && restored != NULL && !strcmp(restored, "true");
}

// Why the last run was ended, of a didFinishLaunching that is restored: a reason as in a report, such as
// "memory-pressure"; NULL when nobody said, and for any other event. It lives as long as *event.
static inline const char *curfew_launch_ended_because(const struct curfew_event *event)
{
    return event->type == CURFEW_EVENT_DID_FINISH_LAUNCHING ? curfew_event_info(event, "ended") : NULL;
}

// The directory to save in at didEnterBackground, and to restore from when launched: CURFEW_STATE_DIR, with getenv's
// limits. NULL when nobody named one. An app that is ended while it is suspended hears nothing of that; its next run finds the
// directory as it was left.
static inline const char *curfew_state_directory(void)
{
    const char *path = getenv("CURFEW_STATE_DIR");
    return path != NULL && path[0] != '\0' ? path : NULL;
}

// The event's info pairs by number, from 0 on: true with the key, without its "info.", and the value; false when there
// are no more. Both live as long as *event.
static inline bool curfew_event_info_at(
    const struct curfew_event *event, size_t index, const char **key, const char **value)
{
    const char *at = event->text, *end = event->text + event->text_length;
    if (at < end)
        at += strlen(at) + 1;
    while (at < end) {
        const char *found = at + strlen(at) + 1;
        if (!strncmp(at, "info.", 5) && index-- == 0) {
            *key = at + 5;
            *value = found;
            return true;
        }
        at = found + strlen(found) + 1;
    }
    return false;
}

// ---- what is to be done later -------------------------------------------------------------------

// Begins a request of any length, whose reply has no payload: 0 or -errno, which is told already.
static inline int curfew_impl_start_long(
    struct curfew_client *client, struct curfew_impl_long_line *line, struct curfew_impl_reply *reply, const char *verb)
{
    struct curfew_impl_line start;
    int error = curfew_impl_begin_request(client);
    if (error < 0)
        return error;
    curfew_impl_start(client, &start, verb, "r");
    line->length = 0;
    line->is_cut = false;
    curfew_impl_append(line, start.bytes, start.length);
    reply->payload = NULL;
    reply->pending = NULL;
    return 0;
}

// Sends it and awaits the reply; -EMSGSIZE for what can't be a line.
static inline int curfew_impl_ask_long(
    struct curfew_client *client, struct curfew_impl_long_line *line, struct curfew_impl_reply *reply)
{
    if (line->is_cut)
        return -EMSGSIZE;
    line->bytes[line->length++] = '\n';
    return curfew_impl_ask_whole(client, line->bytes, line->length, "r", reply);
}

// VERB KEY=VALUE, whose reply tells nothing but whether it was refused.
static inline int curfew_impl_tell(
    struct curfew_client *client, const char *verb, const char *key, const char *value)
{
    struct curfew_impl_long_line line;
    struct curfew_impl_reply reply;
    int error = curfew_impl_start_long(client, &line, &reply, verb);
    if (error < 0)
        return error;
    curfew_impl_append_pair(&line, "", key, value ? value : "");
    return curfew_impl_result(client, curfew_impl_ask_long(client, &line, &reply));
}

// Has a notification told, to an app in front, or shown when it is due. Returns 0 once it is kept for good, and `identifier`,
// of 65 bytes where it isn't NULL, is its own; or -errno: -EINVAL for what isn't one, -EMSGSIZE for one that is too long,
// -ENOTSUP where no server has the app. Of an app the soonest 64 are kept.
static inline int curfew_schedule_local_notification(
    struct curfew_client *client, const struct curfew_local_notification *notification, char *identifier)
{
    struct curfew_impl_long_line line;
    struct curfew_impl_reply reply;
    struct curfew_impl_line badge = {0, {0}};
    size_t index;
    int error = curfew_impl_start_long(client, &line, &reply, "notify");
    if (identifier)
        identifier[0] = '\0';
    if (error < 0)
        return error;
    if (notification->application_icon_badge_number > 0)
        curfew_impl_put_number(&badge, (unsigned long)notification->application_icon_badge_number);
    else
        curfew_impl_put_text(&badge, "0");
    curfew_impl_put(&badge, "", 1);
    curfew_impl_append_pair(&line, "", "notification", notification->identifier);
    curfew_impl_append_pair(&line, "", "title", notification->alert_title);
    curfew_impl_append_pair(&line, "", "body", notification->alert_body);
    curfew_impl_append_pair(&line, "", "at", notification->fire_date);
    curfew_impl_append_pair(&line, "", "zone", notification->time_zone);
    curfew_impl_append_pair(&line, "", "repeat", notification->repeat_interval);
    curfew_impl_append_pair(&line, "", "action", notification->alert_action);
    curfew_impl_append_pair(&line, "", "sound", notification->sound_name);
    if (notification->application_icon_badge_number != 0)
        curfew_impl_append_pair(&line, "", "badge", badge.bytes);
    for (index = 0; index < notification->user_info_count; index++) {
        const char *key = notification->user_info[index].key, *at;
        for (at = key; *at && curfew_impl_is_name(*at); at++)
            continue;
        if (at == key || *at)
            return curfew_impl_result(client, -EINVAL);
        curfew_impl_append_pair(&line, "info.", key, notification->user_info[index].value);
    }
    error = curfew_impl_ask_long(client, &line, &reply);
    if (error == 0 && identifier)
        curfew_impl_copy(identifier, 65, curfew_impl_find(reply.text, reply.length, "", "notification"));
    return curfew_impl_result(client, error);
}

// It isn't shown any more: 0 or -errno. One that doesn't wait is ignored.
static inline int curfew_cancel_local_notification(struct curfew_client *client, const char *identifier)
{
    return curfew_impl_tell(client, "cancel", "notification", identifier);
}

// None of the app's is shown any more: 0 or -errno.
static inline int curfew_cancel_all_local_notifications(struct curfew_client *client)
{
    return curfew_impl_tell(client, "cancel", "all", "1");
}

// How many there are, or -errno.
static inline int curfew_impl_get_pending(struct curfew_client *client, struct curfew_impl_pending *pending)
{
    struct curfew_impl_long_line line;
    struct curfew_impl_reply reply;
    int error = curfew_impl_start_long(client, &line, &reply, "schedule");
    if (error < 0)
        return error;
    pending->count = 0;
    reply.pending = pending;
    error = curfew_impl_result(client, curfew_impl_ask_long(client, &line, &reply));
    return error < 0 ? error : (int)pending->count;
}

// The app's notifications that wait, the soonest first. Returns how many there are, 64 at most, of which the first `capacity` are
// in `notifications`; or -errno.
static inline int curfew_get_pending_notification_requests(
    struct curfew_client *client, struct curfew_pending_notification_request *notifications, size_t capacity)
{
    struct curfew_impl_pending pending;
    memset(&pending, 0, sizeof pending);
    pending.notifications = notifications;
    pending.capacity = capacity;
    return curfew_impl_get_pending(client, &pending);
}

// How often the app is woken for the event `fetch`, at most, in seconds; the server chooses when, and keeps it. Returns 0, or
// -errno: -EINVAL for less than 0, -EPERM where the app's manifest doesn't name the mode.
static inline int curfew_set_minimum_background_fetch_interval(struct curfew_client *client, double seconds)
{
    struct curfew_impl_line text = {0, {0}};
    if (!(seconds >= 0)) {
        curfew_impl_enter(client);
        return curfew_impl_result(client, -EINVAL);
    }
    if (seconds > 4e9)
        curfew_impl_put_text(&text, "never");
    else if (seconds > 0)
        // Rounded up: it isn't woken sooner.
        curfew_impl_put_number(&text, (unsigned long)seconds + (seconds > (double)(unsigned long)seconds ? 1 : 0));
    else
        curfew_impl_put_text(&text, "minimum");
    curfew_impl_put(&text, "", 1);
    return curfew_impl_tell(client, "fetch-interval", "seconds", text.bytes);
}

// Has the app woken or launched for it, once, when it suits the machine: who has said hello is told CURFEW_EVENT_WAKE, its
// name "refresh" or "processing", its info.request the identifier, and answers by curfew_set_task_completed. Returns 0 once it is
// kept for good, or -errno: -EDQUOT where as many wait as may, one refresh and ten processing requests; -EPERM where the app's
// manifest doesn't name the mode. One of the same identifier is replaced.
static inline int curfew_submit_task_request(
    struct curfew_client *client, const struct curfew_task_request *request)
{
    struct curfew_impl_long_line line;
    struct curfew_impl_reply reply;
    int error = curfew_impl_start_long(client, &line, &reply, "submit");
    if (error < 0)
        return error;
    curfew_impl_append_pair(
        &line, "", "kind", request->kind == CURFEW_TASK_REQUEST_PROCESSING ? "processing" : "refresh");
    curfew_impl_append_pair(&line, "", "request", request->identifier ? request->identifier : "");
    curfew_impl_append_pair(&line, "", "earliest", request->earliest_begin_date);
    if (request->requires_network_connectivity)
        curfew_impl_append_pair(&line, "", "needs-network", "1");
    if (request->requires_external_power)
        curfew_impl_append_pair(&line, "", "needs-power", "1");
    return curfew_impl_result(client, curfew_impl_ask_long(client, &line, &reply));
}

// The app isn't launched for it: 0 or -errno. One that doesn't wait is ignored, and what runs goes on.
static inline int curfew_cancel_task_request(struct curfew_client *client, const char *identifier)
{
    return curfew_impl_tell(client, "cancel", "request", identifier);
}

// The app isn't launched for any: 0 or -errno.
static inline int curfew_cancel_all_task_requests(struct curfew_client *client)
{
    return curfew_impl_tell(client, "cancel", "all", "requests");
}

// The app's requests that wait, the soonest first, without the one that it works on. Returns how many there are, 11 at most, of
// which the first `capacity` are in `requests`; or -errno.
static inline int curfew_get_pending_task_requests(
    struct curfew_client *client, struct curfew_pending_task_request *requests, size_t capacity)
{
    struct curfew_impl_pending pending;
    memset(&pending, 0, sizeof pending);
    pending.requests = requests;
    pending.is_of_requests = true;
    pending.capacity = capacity;
    return curfew_impl_get_pending(client, &pending);
}

// As curfew_acknowledge, with a word of what came of it.
static inline int curfew_impl_complete(
    struct curfew_client *client, const struct curfew_event *event, const char *result)
{
    struct curfew_impl_line line = {0, {0}};
    int error = curfew_impl_begin_call(client);
    if (error < 0 || !event->ack_required)
        return error;
    curfew_impl_put_text(&line, "completed seq=");
    curfew_impl_put_number(&line, event->seq);
    curfew_impl_put_text(&line, result);
    error = curfew_impl_send(client, &line, curfew_impl_deadline(curfew_impl_timeout(client)));
    return curfew_impl_result(client, error);
}

// Acknowledges a `fetch` or `remote-notification`, and says what came of it: the server fetches more or less often by that.
// Returns 0 once that is sent, or -errno.
static inline int curfew_complete_fetch(
    struct curfew_client *client, const struct curfew_event *event, enum curfew_fetch_result result)
{
    static const char *const words[] = {" result=new-data", " result=no-data", " result=failed"};
    return curfew_impl_complete(client, event, words[result]);
}

// Acknowledges a `refresh` or `processing`: the work is over. CURFEW_EVENT_CHANGE, its name CURFEW_TASK_WILL_EXPIRE and its
// info.seq the event's number, tells some seconds before that has to be said. Returns 0 once that is sent, or -errno.
static inline int curfew_set_task_completed(
    struct curfew_client *client, const struct curfew_event *event, bool success)
{
    return curfew_impl_complete(client, event, success ? " success=true" : " success=false");
}

// What was pushed that the event tells of, `remote-notification`, `didReceiveRemoteNotification`, or a launch by one: JSON of
// CURFEW_PAYLOAD_MAX bytes at most, ended by NUL. Returns how many bytes it has, or -errno: -ENOENT where the event tells of
// none, or the server doesn't keep it any more, which the last 64 are; -ENOBUFS where `size` bytes aren't enough.
static inline int curfew_remote_notification(
    struct curfew_client *client, const struct curfew_event *event, char *payload, size_t size)
{
    struct curfew_impl_long_line line;
    struct curfew_impl_reply reply;
    const char *push = curfew_event_info(event, "push");
    int error = curfew_impl_start_long(client, &line, &reply, "payload");
    if (size > 0)
        payload[0] = '\0';
    if (error == 0 && !push)
        error = curfew_impl_result(client, -ENOENT);
    if (error < 0)
        return error;
    reply.payload = payload;
    reply.payload_size = size;
    reply.payload_length = 0;
    curfew_impl_append_pair(&line, "", "push", push);
    error = curfew_impl_ask_long(client, &line, &reply);
    if (error == 0 && reply.payload_length >= size)
        error = -ENOBUFS;
    if (size > 0)
        payload[error == 0 ? reply.payload_length : 0] = '\0';
    curfew_impl_result(client, error);
    return error < 0 ? error : (int)reply.payload_length;
}

// ---- from signal handlers -----------------------------------------------------------------------

// Sends one short line without waiting; errno stays as it was.
static inline int curfew_impl_send_from_signal(
    const struct curfew_client *client, const char *text, unsigned long number)
{
    struct curfew_impl_line line;
    int saved = errno, error = curfew_impl_check(client);
    if (error == 0) {
        line.length = 0;
        curfew_impl_put_text(&line, text);
        curfew_impl_put_number(&line, number);
        curfew_impl_put_text(&line, "\n");
        error = curfew_impl_send_once(client, &line);
    }
    errno = saved;
    return error == -EPIPE ? -ECONNRESET : error;
}

// As curfew_end_background_task, from a signal handler: 0 once it is sent, which is all it does; -EAGAIN when that
// would have to wait; -errno. The supervisor's answer is passed over by the next call that reads.
static inline int curfew_end_background_task_from_signal(const struct curfew_client *client, curfew_task task)
{
    return task == CURFEW_INVALID_TASK ? 0 : curfew_impl_send_from_signal(client, "end task=", task);
}

// As curfew_acknowledge, from a signal handler, for the event of this number: 0 once it is sent; -EAGAIN when that
// would have to wait; -errno. 0 isn't an event's number and does nothing.
static inline int curfew_acknowledge_from_signal(const struct curfew_client *client, unsigned long seq)
{
    return seq == 0 ? 0 : curfew_impl_send_from_signal(client, "ack seq=", seq);
}

#endif
