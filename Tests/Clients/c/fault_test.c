// Tests of curfew.h with system calls that fail, or act at the worst moment: send, recv, poll and the clock are ours.
// What they do is the test's to say, so that races need no luck.
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// The next results of each call, before the real one: an errno, or what a call's own comment says; 0 ends them.
struct plan {
    int results[16];
    size_t next;
    bool repeats;               // the last result stands for all that follow
    unsigned long calls;
};
static struct plan sends, receives, polls;
static long long clock_offset;  // milliseconds added to the clock
static long long clock_step;    // and to that at each look at it
static const char *late_answer; // what the supervisor sends once poll has found nothing
static int peer = -1;

static int next_result(struct plan *plan)
{
    int result = plan->results[plan->next];
    plan->calls++;
    if (result != 0 && !(plan->repeats && plan->results[plan->next + 1] == 0))
        plan->next++;
    return result;
}

enum { SHORT = -1, FLOOD = -2, READY = -3, OVER = -4, INVALID = -5 };

// SHORT: one byte goes out.
static ssize_t planned_send(int fd, const void *bytes, size_t length, int flags)
{
    int result = next_result(&sends);
    if (result > 0) {
        errno = result;
        return -1;
    }
    return send(fd, bytes, result == SHORT ? 1 : length, flags);
}

// FLOOD: as many lines as fit, none of them for the caller.
static ssize_t planned_recv(int fd, void *bytes, size_t length, int flags)
{
    int result = next_result(&receives);
    if (result > 0) {
        errno = result;
        return -1;
    }
    if (result == FLOOD) {
        memset(bytes, '\n', length);
        return (ssize_t)length;
    }
    return recv(fd, bytes, length, flags);
}

// READY: says so of whatever it is. INVALID: no such descriptor. OVER: the time is over, and then the answer comes.
static int planned_poll(struct pollfd *items, nfds_t count, int timeout)
{
    int result = next_result(&polls);
    if (result > 0) {
        errno = result;
        return -1;
    }
    if (result == READY || result == INVALID) {
        items[0].revents = result == READY ? items[0].events : POLLNVAL;
        return 1;
    }
    if (result == OVER) {
        clock_offset += timeout + 2000;
        if (send(peer, late_answer, strlen(late_answer), MSG_NOSIGNAL) < 0)
            return -1;
        return 0;
    }
    return poll(items, count, timeout);
}

static int planned_clock(clockid_t which, struct timespec *now)
{
    int result = clock_gettime(which, now);
    clock_offset += clock_step;
    now->tv_sec += (time_t)(clock_offset / 1000);
    return result;
}

// The header sees ours instead. Their own headers have been read above, so only calls are meant.
#define send planned_send
#define recv planned_recv
#define poll(items, count, timeout) planned_poll(items, count, timeout)
#define clock_gettime planned_clock
#include "curfew.h"
#undef send
#undef recv
#undef poll
#undef clock_gettime

#include "check.h"

static struct curfew_client client;
static struct curfew_event event;
static const struct curfew_client pristine = CURFEW_CLIENT_INIT;
static const struct plan nothing = {{0}, 0, false, 0};
static int clients_end = -1;

static void connect_client(void)
{
    char number[16];
    int ends[2];
    check_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    peer = ends[0];
    clients_end = ends[1];
    snprintf(number, sizeof number, "%d", clients_end);
    setenv("CURFEW_FD", number, 1);
    client = pristine;
    sends = receives = polls = nothing;
    clock_offset = clock_step = 0;
    check_must(curfew_connect(&client) == 0, "curfew_connect");
}

static void disconnect(void)
{
    curfew_close(&client);
    close(peer);
    close(clients_end);
}

static void plan(struct plan *plan, int first, int second, bool repeats)
{
    *plan = nothing;
    plan->results[0] = first;
    plan->results[1] = second;
    plan->repeats = repeats;
}

// The reply to the next request, sent before it is made.
static const char *next_reply(char kind, const char *rest)
{
    static char text[128];
    snprintf(text, sizeof text, "ok id=%c%ld.%lu %s\n", kind, (long)getpid(), client.last_id + 1, rest);
    return text;
}

static void answer_ahead(char kind, const char *rest)
{
    const char *text = next_reply(kind, rest);
    check_must(send(peer, text, strlen(text), 0) == (ssize_t)strlen(text), "send");
}

// ---- the tests ----------------------------------------------------------------------------------

static void test_interrupted_calls(void)
{
    plan(&sends, EINTR, EINTR, false);
    plan(&receives, EINTR, EAGAIN, false);
    plan(&polls, EINTR, EINTR, false);
    answer_ahead('b', "task=4");
    CHECK_EQ(curfew_begin_background_task(&client, "x"), 4);
    CHECK_EQ(sends.calls, 3);
    CHECK(receives.calls >= 3 && polls.calls >= 3);
    plan(&sends, EINTR, EINTR, false);
    CHECK_EQ(curfew_end_background_task_from_signal(&client, 4), 0);
    CHECK_EQ(sends.calls, 3);
}

// Suspended between poll's return and the look at the clock: hours later the answer is there.
static void test_answer_after_the_deadline(void)
{
    plan(&polls, OVER, 0, false);
    late_answer = next_reply('r', "seconds=7.5");
    CHECK(curfew_background_time_remaining(&client) == 7.5);
    CHECK_EQ(curfew_error(&client), 0);
    plan(&polls, OVER, 0, false);
    late_answer = "event name=didBecomeActive seq=1\n";
    CHECK_EQ(curfew_next_event(&client, &event, 50), 1);
}

static void test_endless_lines(void)
{
    clock_step = 1000;
    plan(&receives, FLOOD, 0, true);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    CHECK(receives.calls > 5 && receives.calls < 200);
    plan(&receives, FLOOD, 0, true);
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    CHECK(receives.calls < 200);
    CHECK(curfew_is_multitasking_supported(&client));
}

static void test_room_that_never_is(void)
{
    clock_step = 1000;
    plan(&sends, EAGAIN, 0, true);
    plan(&polls, READY, 0, true);
    CHECK_EQ(curfew_end_background_task(&client, 1), -ETIMEDOUT);
    CHECK(sends.calls < 20);
    CHECK(curfew_is_multitasking_supported(&client));
    CHECK_EQ(curfew_end_background_task_from_signal(&client, 1), -EAGAIN);
}

// Linux doesn't; but half a line must not be followed by another.
static void test_half_a_line_sent(void)
{
    plan(&sends, SHORT, 0, false);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -EIO);
    CHECK(!curfew_is_multitasking_supported(&client));
    CHECK_EQ(curfew_end_background_task_from_signal(&client, 1), -EIO);
    CHECK_EQ(curfew_next_event(&client, &event, -1), -EIO);
}

static void test_failing_calls(void)
{
    plan(&receives, ENOMEM, 0, false);
    CHECK_EQ(curfew_next_event(&client, &event, -1), -ENOMEM);
    CHECK_EQ(curfew_next_event(&client, &event, -1), -ENOMEM);
    CHECK_EQ(curfew_connect(&client), 0);
    plan(&polls, INVALID, 0, false);
    CHECK_EQ(curfew_next_event(&client, &event, -1), -EBADF);
    CHECK_EQ(curfew_connect(&client), 0);
    plan(&sends, ECONNRESET, 0, false);
    CHECK_EQ(curfew_hello(&client, "x"), -ECONNRESET);
    CHECK_EQ(curfew_connect(&client), 0);
    plan(&sends, EPIPE, 0, false);
    CHECK_EQ(curfew_acknowledge_from_signal(&client, 1), -ECONNRESET);
    CHECK(curfew_is_multitasking_supported(&client));
}

// A second reply to a begin is nobody's: its task is ended.
static void test_abandoned_begin(void)
{
    char line[64] = "";
    // Its own line can't go out at first; the reply is there at once.
    plan(&sends, EAGAIN, 0, false);
    answer_ahead('b', "task=4");
    CHECK_EQ(curfew_begin_background_task(&client, "x"), 4);
    answer_ahead('b', "task=5");
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    CHECK(recv(peer, line, sizeof line - 1, 0) > 0);
    CHECK(strstr(line, "\nend task=5\n") != NULL);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"interrupted calls", test_interrupted_calls}, {"answer after the deadline", test_answer_after_the_deadline},
        {"endless lines", test_endless_lines}, {"room that never is", test_room_that_never_is},
        {"half a line sent", test_half_a_line_sent}, {"failing calls", test_failing_calls},
        {"abandoned begin", test_abandoned_begin},
    };
    size_t index;
    unsetenv("CURFEW_SOCKET");
    for (index = 0; index < sizeof tests / sizeof *tests; index++) {
        checks.subject = tests[index].name;
        connect_client();
        tests[index].run();
        disconnect();
    }
    return check_finish();
}
