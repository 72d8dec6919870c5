// A supervisor for tests: a thread that reads what a client sends and answers from a script.
#ifndef FAKE_SUPERVISOR_H
#define FAKE_SUPERVISOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is done after a step's answer was sent.
enum fake_action { FAKE_GO_ON, FAKE_CLOSE };

// One line that must come next, and the answer to it.
struct fake_step {
    const char *expected;     // the line without its LF; `*` stands for any bytes
    const char *answer;       // lines, each `$ID` replaced by the line's id; NULL: none
    enum fake_action action;
};

enum { FAKE_CONNECTIONS = 8, FAKE_LOG = 1 << 20 };

struct fake_connection {
    int fd;
    pid_t pid;                // who connected, 0 for a pipe
    size_t length;
    char input[8192];
};

struct fake {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int listener;             // -1 for a pipe
    int wake[2];              // a byte, or the end, stops the thread
    int clients_end;          // of a pipe
    char path[108];
    struct fake_connection connections[FAKE_CONNECTIONS];
    size_t connection_count;
    const struct fake_step *steps;
    size_t step_count, next_step;
    unsigned long tasks;      // begun, in automatic mode
    size_t lines;             // that have come
    char last_id[64];
    char failure[1024];       // the first line that wasn't as expected
    size_t log_length;
    char log[FAKE_LOG];       // the lines that have come
};

// Starts one behind a socket pair; CURFEW_FD has its number, CURFEW_SOCKET is unset.
// Without steps it answers every well-formed request, and takes any other line for a failure.
void fake_start_pipe(struct fake *fake, const struct fake_step *steps, size_t count);

// Starts one behind a socket in `directory`; CURFEW_SOCKET has its path, CURFEW_FD is unset.
void fake_start_socket(struct fake *fake, const struct fake_step *steps, size_t count, const char *directory);

// Sends bytes of its own accord on the connection of this number.
void fake_push(struct fake *fake, size_t connection, const char *bytes, size_t length);
void fake_push_text(struct fake *fake, const char *text);

// Waits until so many lines have come; false after 20 s, having printed what has.
bool fake_await_lines(struct fake *fake, size_t lines);

// Waits until so many connections have been accepted; false after 20 s.
bool fake_await_connections(struct fake *fake, size_t connections);

// Who made the connection of this number.
pid_t fake_peer(struct fake *fake, size_t connection);

// Closes a connection, as a dead supervisor's is.
void fake_hang_up(struct fake *fake, size_t connection);

// Stops it and unsets its variables. True when all lines were as expected and all steps were done; else prints why not.
bool fake_finish(struct fake *fake);

// Whether `text` is `pattern`, where `*` stands for any bytes.
bool fake_matches(const char *pattern, const char *text);

#ifdef __cplusplus
}
#endif

#endif
