// Tests of curfew.h against a scripted supervisor: what goes out, what comes in, and everything that goes wrong.
// C99 and C++11, so that both compilers' programs are tested. An argument runs only the tests whose name contains it.
#include <poll.h>

// What the client waits for in this thread: how often, and how long at most, in milliseconds; INT_MAX where for ever.
static __thread int waits, longest_wait;

static inline int noted_poll(struct pollfd *items, nfds_t count, int timeout)
{
    int limit = timeout < 0 ? 0x7fffffff : timeout;
    waits++;
    if (limit > longest_wait)
        longest_wait = limit;
    return poll(items, count, timeout);
}

#define poll(items, count, timeout) noted_poll(items, count, timeout)
#include "curfew.h"
#undef poll

#include "check.h"
#include "fake_supervisor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static struct curfew_client client;
static struct curfew_event event;
static struct fake fake;
static char scratch[64];

static const struct curfew_client pristine = CURFEW_CLIENT_INIT;

#define START_PIPE(steps) fake_start_pipe(&fake, steps, sizeof steps / sizeof *steps)
#define START_SOCKET(steps) fake_start_socket(&fake, steps, sizeof steps / sizeof *steps, scratch)

static void reset(void)
{
    curfew_close(&client);
    client = pristine;
    unsetenv("CURFEW_FD");
    unsetenv("CURFEW_SOCKET");
}

static void finish(void)
{
    curfew_close(&client);
    CHECK(fake_finish(&fake));
    reset();
}

// A control pipe without a supervisor: the other end is returned, `CURFEW_FD` is the client's.
static int open_pipe(int *clients_end)
{
    char number[16];
    int ends[2];
    check_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("CURFEW_FD", number, 1);
    *clients_end = ends[1];
    return ends[0];
}

static void push(int fd, const char *text)
{
    size_t length = strlen(text);
    check_must(send(fd, text, length, MSG_NOSIGNAL) == (ssize_t)length, "send");
}

// Takes an event within 20 s; on failure says what came instead.
static bool take(const char *name)
{
    int result = curfew_next_event(&client, &event, CHECK_DEADLINE_MS);
    return CHECK_EQ(result, 1) && CHECK_TEXT(event.name, name);
}

// Waits for a child that is to exit with 0.
static void reap(pid_t child)
{
    int status = -1;
    check_must(waitpid(child, &status, 0) == child, "waitpid");
    CHECK_EQ(status, 0);
}

// ---- not under Curfew ---------------------------------------------------------------------------

static void check_does_nothing(int error)
{
    int before = waits;
    CHECK(!curfew_is_multitasking_supported(&client));
    CHECK_EQ(curfew_fd(&client), -1);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), error);
    CHECK_EQ(curfew_end_background_task(&client, 1), error);
    CHECK(isinf(curfew_background_time_remaining(&client)));
    CHECK_EQ(curfew_hello(&client, "x"), error);
    CHECK_EQ(curfew_end_background_task_from_signal(&client, 1), error);
    CHECK_EQ(curfew_acknowledge_from_signal(&client, 1), error);
    CHECK_EQ(curfew_application_state(&client), CURFEW_STATE_ACTIVE);
    event.ack_required = true;
    event.seq = 1;
    CHECK_EQ(curfew_acknowledge(&client, &event), error);
    CHECK_EQ(curfew_next_event(&client, &event, 0), error == -ENOTCONN ? 0 : error);
    CHECK_EQ(curfew_next_event(&client, &event, -1), error);
    CHECK_EQ(waits, before);
}

static void test_without_curfew(void)
{
    long long before;
    CHECK_EQ(curfew_connect(&client), -ENOTCONN);
    CHECK_EQ(curfew_error(&client), -ENOTCONN);
    check_does_nothing(-ENOTCONN);
    CHECK_TEXT(curfew_app_name(&client), "");
    // Loops made for Curfew don't spin without it.
    before = check_now();
    CHECK_EQ(curfew_next_event(&client, &event, 50), 0);
    CHECK(check_now() - before >= 50);
    curfew_close(&client);
    check_does_nothing(-ENOTCONN);
}

// ---- connecting ---------------------------------------------------------------------------------

static void test_connects_by_pipe(void)
{
    static const struct fake_step steps[] = {{"remaining id=r*.1", "ok id=$ID seconds=inf\n", FAKE_GO_ON}};
    int inherited;
    START_PIPE(steps);
    inherited = fake.clients_end;
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK(curfew_is_multitasking_supported(&client));
    CHECK_EQ(curfew_fd(&client), inherited);
    CHECK(isinf(curfew_background_time_remaining(&client)));
    CHECK_EQ(curfew_connect(&client), 0);
    curfew_close(&client);
    // It belongs to the whole tree.
    CHECK(fcntl(inherited, F_GETFD) >= 0);
    check_does_nothing(-ENOTCONN);
    finish();
}

static void test_prefers_its_own_connection(void)
{
    static const struct fake_step steps[] = {{"remaining id=*", "ok id=$ID seconds=1.5\n", FAKE_GO_ON}};
    char number[16];
    int fd, ends[2];
    START_SOCKET(steps);
    check_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("CURFEW_FD", number, 1);
    CHECK_EQ(curfew_connect(&client), 0);
    fd = curfew_fd(&client);
    CHECK(fd > 2 && fd != ends[1]);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    CHECK(curfew_background_time_remaining(&client) == 1.5);
    curfew_close(&client);
    CHECK_EQ(fcntl(fd, F_GETFD), -1);
    close(ends[0]);
    close(ends[1]);
    finish();
}

static void test_falls_back_to_the_pipe(void)
{
    static const struct fake_step steps[] = {{"end id=r*.1 task=4", "ok id=$ID\n", FAKE_GO_ON}};
    char path[300];
    int round;
    for (round = 0; round < 2; round++) {
        START_PIPE(steps);
        // Nobody listens there; and longer than any socket's path.
        memset(path, 'x', sizeof path - 1);
        path[sizeof path - 1] = '\0';
        if (round == 0)
            snprintf(path, sizeof path, "%s/nothing.sock", scratch);
        setenv("CURFEW_SOCKET", path, 1);
        CHECK_EQ(curfew_connect(&client), 0);
        CHECK_EQ(curfew_end_background_task(&client, 4), 0);
        unsetenv("CURFEW_FD");
        curfew_close(&client);
        CHECK_EQ(curfew_connect(&client), round == 0 ? -ENOENT : -ENAMETOOLONG);
        finish();
    }
}

static void test_refuses_what_is_no_pipe(void)
{
    static const char *const texts[] = {"", "eight", "-1", "8x", "2147483648", "99999999999999999999999", "1048575"};
    char number[16];
    int fds[2], lone, index;
    for (index = 0; index < (int)(sizeof texts / sizeof *texts); index++) {
        setenv("CURFEW_FD", texts[index], 1);
        CHECK(curfew_connect(&client) == (texts[index][0] ? -EBADF : -ENOTCONN));
        check_does_nothing(-ENOTCONN);
    }
    check_must(pipe(fds) == 0, "pipe");
    snprintf(number, sizeof number, "%d", fds[1]);
    setenv("CURFEW_FD", number, 1);
    CHECK_EQ(curfew_connect(&client), -ENOTSOCK);
    close(fds[0]);
    close(fds[1]);
    check_must(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0, "socketpair");
    snprintf(number, sizeof number, "%d", fds[1]);
    setenv("CURFEW_FD", number, 1);
    CHECK_EQ(curfew_connect(&client), -EPROTOTYPE);
    close(fds[0]);
    close(fds[1]);
    lone = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(number, sizeof number, "%d", lone);
    setenv("CURFEW_FD", number, 1);
    CHECK_EQ(curfew_connect(&client), -ENOTCONN);
    close(lone);
}

// The backlog of a listener that accepts nobody, full.
static int open_full_listener(int *queued, int count)
{
    struct sockaddr_un address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), index;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/full.sock", scratch);
    check_must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check_must(listen(listener, 0) == 0, "listen");
    for (index = 0; index < count; index++) {
        queued[index] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (connect(queued[index], (struct sockaddr *)&address, sizeof address) < 0)
            check_must(errno == EAGAIN, "filling the backlog");
    }
    setenv("CURFEW_SOCKET", address.sun_path, 1);
    return listener;
}

static void test_connecting_ends_in_time(void)
{
    int queued[4], index;
    int listener = open_full_listener(queued, 4);
    long long before = check_now(), took;
    curfew_set_timeout(&client, 200);
    CHECK_EQ(curfew_connect(&client), -ETIMEDOUT);
    took = check_now() - before;
    CHECK(took >= 200);
    check_does_nothing(-ENOTCONN);
    unlink(getenv("CURFEW_SOCKET"));
    for (index = 0; index < 4; index++)
        close(queued[index]);
    close(listener);
}

// Output must never go to the supervisor.
static void test_avoids_the_standard_descriptors(void)
{
    static const struct fake_step steps[] = {{"remaining id=*", "ok id=$ID seconds=inf\n", FAKE_GO_ON}};
    pid_t child;
    START_SOCKET(steps);
    child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        _exit(curfew_connect(&client) == 0 && curfew_fd(&client) > 2 && fcntl(1, F_GETFD) < 0 &&
                    (fcntl(curfew_fd(&client), F_GETFD) & FD_CLOEXEC) &&
                    isinf(curfew_background_time_remaining(&client))
                ? 0
                : 1);
    }
    reap(child);
    finish();
}

// ---- requests -----------------------------------------------------------------------------------

static void test_tasks(void)
{
    static const struct fake_step steps[] = {
        {"begin id=b*.1 name=\"nightly upload\"", "ok id=$ID task=1 remaining=inf\n", FAKE_GO_ON},
        {"begin id=b*.2 name=second", "ok id=$ID task=4294967295 remaining=12.0\n", FAKE_GO_ON},
        {"remaining id=r*.3", "ok id=$ID seconds=571.204\n", FAKE_GO_ON},
        {"end id=r*.4 task=1", "ok id=$ID\n", FAKE_GO_ON},
        {"end id=r*.5 task=1", "ok id=$ID ignored=unknown-task\n", FAKE_GO_ON},
    };
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "nightly upload"), 1);
    CHECK_EQ(curfew_begin_background_task(&client, "second"), 4294967295ul);
    CHECK(fabs(curfew_background_time_remaining(&client) - 571.204) < 1e-9);
    CHECK_EQ(curfew_end_background_task(&client, 1), 0);
    CHECK_EQ(curfew_end_background_task(&client, 1), 0);
    // Nothing goes out for these.
    CHECK_EQ(curfew_end_background_task(&client, CURFEW_INVALID_TASK), 0);
    CHECK_EQ(curfew_end_background_task_from_signal(&client, CURFEW_INVALID_TASK), 0);
    CHECK_EQ(curfew_acknowledge_from_signal(&client, 0), 0);
    finish();
}

static void test_keep_alive(void)
{
    static const struct fake_step steps[] = {
        {"keep-alive id=r*.1 seconds=600.000", "ok id=$ID\n", FAKE_GO_ON},
        {"keep-alive id=r*.2 seconds=1200.250", "ok id=$ID\n", FAKE_GO_ON},
        {"keep-alive id=r*.3 seconds=30.000", "error id=$ID code=invalid minimum=600.000\n", FAKE_GO_ON},
        {"keep-alive id=r*.4 seconds=0.000", "ok id=$ID\nevent name=keepAlive seq=3 kind=wake ack=required\n",
            FAKE_GO_ON},
    };
    static const double bad[] = {0, -1, 0.0001, 1e300, INFINITY, NAN};
    size_t index;
    START_PIPE(steps);
    CHECK_EQ(curfew_set_keep_alive_timeout(&client, 600), -ENOTCONN);
    CHECK_EQ(curfew_clear_keep_alive_timeout(&client), -ENOTCONN);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_set_keep_alive_timeout(&client, 600), 0);
    CHECK_EQ(curfew_set_keep_alive_timeout(&client, 1200.25), 0);
    CHECK_EQ(curfew_set_keep_alive_timeout(&client, 30), -EINVAL);
    CHECK_TEXT(curfew_error_code(&client), "invalid");
    // Nothing goes out for what is no time.
    for (index = 0; index < sizeof bad / sizeof *bad; index++)
        CHECK_EQ(curfew_set_keep_alive_timeout(&client, bad[index]), -EINVAL);
    CHECK_EQ(curfew_error(&client), -EINVAL);
    CHECK_EQ(curfew_clear_keep_alive_timeout(&client), 0);
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_EQ(event.type, CURFEW_EVENT_WAKE);
    CHECK_TEXT(event.name, CURFEW_KEEP_ALIVE);
    CHECK(event.ack_required);
    finish();
}

static void test_notifications(void)
{
    static const struct fake_step steps[] = {
        {"notify id=r*.1 notification=\"tea\" title=\"Tea\" body=\"It \\\"is\\\" ready\" at=\"08:00\" zone=\"local\" repeat=\"daily\" "
         "action=\"Drink\" sound=\"bell\" badge=\"2\" info.kind=\"a b\" info.more=\"\"",
            "ok id=$ID notification=tea due=1796112240.000\n", FAKE_GO_ON},
        {"notify id=r*.2 badge=\"0\"", "ok id=$ID notification=n1 due=1.000\n", FAKE_GO_ON},
        {"notify id=r*.3 body=\"?\"", "error id=$ID code=unsupported message=no\n", FAKE_GO_ON},
        {"cancel id=r*.6 notification=\"tea\"", "ok id=$ID\n", FAKE_GO_ON},
        {"cancel id=r*.7 all=\"1\"", "ok id=$ID ignored=unknown-notification\n", FAKE_GO_ON},
    };
    static const struct curfew_pair pairs[] = {{"kind", "a b"}, {"more", ""}}, bad = {"a b", "c"};
    static char text[2 * CURFEW_LINE_MAX];
    struct curfew_local_notification tea, other;
    char identifier[65] = "unchanged";
    memset(&tea, 0, sizeof tea);
    memset(&other, 0, sizeof other);
    tea.identifier = "tea";
    tea.alert_title = "Tea";
    tea.alert_body = "It \"is\" ready";
    tea.fire_date = "08:00";
    tea.time_zone = "local";
    tea.repeat_interval = "daily";
    tea.alert_action = "Drink";
    tea.sound_name = "bell";
    tea.application_icon_badge_number = 2;
    tea.user_info = pairs;
    tea.user_info_count = 2;
    START_PIPE(steps);
    CHECK_EQ(curfew_schedule_local_notification(&client, &tea, identifier), -ENOTCONN);
    CHECK_TEXT(identifier, "");
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_schedule_local_notification(&client, &tea, identifier), 0);
    CHECK_TEXT(identifier, "tea");
    other.application_icon_badge_number = -1;
    CHECK_EQ(curfew_schedule_local_notification(&client, &other, identifier), 0);
    CHECK_TEXT(identifier, "n1");
    memset(&other, 0, sizeof other);
    other.alert_body = "\xff";
    CHECK_EQ(curfew_schedule_local_notification(&client, &other, identifier), -ENOTSUP);
    CHECK_TEXT(curfew_error_code(&client), "unsupported");
    CHECK_TEXT(identifier, "");
    // Nothing goes out for what can't be a line.
    memset(text, 'x', sizeof text - 1);
    other.alert_body = text;
    CHECK_EQ(curfew_schedule_local_notification(&client, &other, NULL), -EMSGSIZE);
    other.alert_body = "x";
    other.user_info = &bad;
    other.user_info_count = 1;
    CHECK_EQ(curfew_schedule_local_notification(&client, &other, NULL), -EINVAL);
    CHECK_EQ(curfew_cancel_local_notification(&client, "tea"), 0);
    CHECK_EQ(curfew_cancel_all_local_notifications(&client), 0);
    finish();
}

static void test_task_requests(void)
{
    static const struct fake_step steps[] = {
        {"submit id=r*.1 kind=\"refresh\" request=\"inbox\"", "ok id=$ID request=inbox\n", FAKE_GO_ON},
        {"submit id=r*.2 kind=\"processing\" request=\"index\" earliest=\"@1796112000\" needs-network=\"1\" needs-power=\"1\"",
            "error id=$ID code=too-many-requests message=\"ten wait\"\n", FAKE_GO_ON},
        {"submit id=r*.3 kind=\"refresh\" request=\"\"", "error id=$ID code=no-background-mode\n", FAKE_GO_ON},
        {"cancel id=r*.4 request=\"index\"", "ok id=$ID\n", FAKE_GO_ON},
        {"cancel id=r*.5 all=\"requests\"", "error id=$ID code=busy\n", FAKE_GO_ON},
        {"fetch-interval id=r*.6 seconds=\"minimum\"", "ok id=$ID\n", FAKE_GO_ON},
        {"fetch-interval id=r*.7 seconds=\"never\"", "ok id=$ID\n", FAKE_GO_ON},
        {"fetch-interval id=r*.8 seconds=\"7201\"",
            "ok id=$ID\n"
            "event name=processing seq=8 kind=wake ack=required seconds=600.000 info.request=index\n"
            "event name=taskWillExpire seq=9 kind=change seconds=5.000 info.event=processing info.seq=8\n"
            "event name=fetch seq=10 kind=wake ack=required seconds=30.000\n", FAKE_GO_ON},
        {"completed seq=8 success=false", NULL, FAKE_GO_ON},
        {"completed seq=10 result=no-data", NULL, FAKE_GO_ON},
    };
    struct curfew_task_request request;
    struct curfew_event work;
    memset(&request, 0, sizeof request);
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    request.identifier = "inbox";
    CHECK_EQ(curfew_submit_task_request(&client, &request), 0);
    request.kind = CURFEW_TASK_REQUEST_PROCESSING;
    request.identifier = "index";
    request.earliest_begin_date = "@1796112000";
    request.requires_network_connectivity = request.requires_external_power = true;
    CHECK_EQ(curfew_submit_task_request(&client, &request), -EDQUOT);
    CHECK_TEXT(curfew_error_code(&client), "too-many-requests");
    memset(&request, 0, sizeof request);
    CHECK_EQ(curfew_submit_task_request(&client, &request), -EPERM);
    CHECK_EQ(curfew_cancel_task_request(&client, "index"), 0);
    CHECK_EQ(curfew_cancel_all_task_requests(&client), -EAGAIN);
    CHECK_EQ(curfew_set_minimum_background_fetch_interval(&client, CURFEW_BACKGROUND_FETCH_INTERVAL_MINIMUM), 0);
    CHECK_EQ(curfew_set_minimum_background_fetch_interval(&client, CURFEW_BACKGROUND_FETCH_INTERVAL_NEVER), 0);
    CHECK_EQ(curfew_set_minimum_background_fetch_interval(&client, 7200.25), 0);
    CHECK_EQ(curfew_set_minimum_background_fetch_interval(&client, -1), -EINVAL);
    CHECK_EQ(curfew_set_minimum_background_fetch_interval(&client, NAN), -EINVAL);
    CHECK_EQ(curfew_next_event(&client, &work, -1), 1);
    CHECK_TEXT(curfew_event_info(&work, "request"), "index");
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_TEXT(event.name, CURFEW_TASK_WILL_EXPIRE);
    CHECK_EQ(curfew_set_task_completed(&client, &event, true), 0);
    CHECK_EQ(curfew_set_task_completed(&client, &work, false), 0);
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_EQ(curfew_complete_fetch(&client, &event, CURFEW_FETCH_NO_DATA), 0);
    CHECK(fake_await_lines(&fake, 10));
    finish();
}

static void test_remote_notification(void)
{
    static const struct fake_step steps[] = {
        {"remaining *",
            "ok id=$ID seconds=inf\nevent name=remote-notification seq=7 kind=wake info.push=3 info.bytes=20\n"
            "event name=fetch seq=8 kind=wake\n", FAKE_GO_ON},
        {"payload id=r*.2 push=\"3\"",
            "part id=$ID text=\"{\\\"aps\\\":{\\\"al\"\nevent name=x seq=9 kind=change\npart id=$ID text=\"ert\\\":1}}\"\n"
            "part id=other text=no\nok id=$ID bytes=19\n", FAKE_GO_ON},
        {"payload id=r*.3 push=\"3\"", "part id=$ID text=0123456789\npart id=$ID text=abcdef\nok id=$ID bytes=16\n", FAKE_GO_ON},
        {"payload id=r*.4 push=\"3\"", "part id=$ID text=0123456789\npart id=$ID text=abcdef\nok id=$ID bytes=16\n", FAKE_GO_ON},
        {"payload id=r*.5 push=\"3\"", "error id=$ID code=unknown-push message=gone\n", FAKE_GO_ON},
    };
    char payload[CURFEW_PAYLOAD_MAX + 1];
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK(isinf(curfew_background_time_remaining(&client)));
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_EQ(curfew_remote_notification(&client, &event, payload, sizeof payload), 19);
    CHECK_TEXT(payload, "{\"aps\":{\"alert\":1}}");
    CHECK_EQ(curfew_remote_notification(&client, &event, payload, 16), -ENOBUFS);
    CHECK_TEXT(payload, "");
    CHECK_EQ(curfew_remote_notification(&client, &event, payload, 17), 16);
    CHECK_TEXT(payload, "0123456789abcdef");
    CHECK_EQ(curfew_remote_notification(&client, &event, payload, sizeof payload), -ENOENT);
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_EQ(curfew_remote_notification(&client, &event, payload, sizeof payload), -ENOENT);
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_TEXT(event.name, "x");
    finish();
}

#define PENDING \
            "schedule id=$ID app=a kind=processing request=now due=1.000 shown=\"\" waits=runs\n" \
            "schedule id=other app=a kind=refresh request=other due=2.000\n" \
            "schedule id=$ID app=a kind=notification notification=tea due=1796112240.500 shown=\"\" zone=local repeat=daily badge=2 title=\"Tea \\\"x\\\"\"\n" \
            "event name=x seq=9 kind=change\n" \
            "schedule id=$ID app=a kind=fetch due=1796112241.000 shown=\"\" repeat=7200\n" \
            "schedule id=$ID app=a kind=processing request=index due=1796112242.000 shown=\"\" earliest=1796112000.000 needs-network=1 needs-power=1\n" \
            "schedule id=$ID app=a kind=refresh request=inbox due=1796112243.000 shown=\"\" waits=offline\n" \
            "schedule id=$ID app=a kind=notification notification=n1 due=1796112244.000 shown=\"\" badge=0 title=y\n" \
            "schedule id=$ID nonsense=1\nok id=$ID count=6\n"

static void test_pending(void)
{
    static const struct fake_step steps[] = {
        {"schedule id=r*.1", PENDING, FAKE_GO_ON},
        {"schedule id=r*.2", PENDING, FAKE_GO_ON},
        {"schedule id=r*.3", PENDING, FAKE_GO_ON},
        {"schedule id=r*.4", "error id=$ID code=unsupported\n", FAKE_GO_ON},
    };
    struct curfew_pending_notification_request notifications[3];
    struct curfew_pending_task_request requests[3];
    memset(notifications, 1, sizeof notifications);
    memset(requests, 1, sizeof requests);
    CHECK_EQ(curfew_get_pending_task_requests(&client, requests, 3), -ENOTCONN);
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_get_pending_notification_requests(&client, notifications, 3), 2);
    CHECK_TEXT(notifications[0].identifier, "tea");
    CHECK(notifications[0].next_trigger_date == 1796112240.5);
    CHECK_TEXT(notifications[0].title, "Tea \"x\"");
    CHECK_TEXT(notifications[0].time_zone, "local");
    CHECK_TEXT(notifications[0].repeat_interval, "daily");
    CHECK_EQ(notifications[0].application_icon_badge_number, 2);
    CHECK_TEXT(notifications[1].identifier, "n1");
    CHECK_TEXT(notifications[1].time_zone, "");
    CHECK_TEXT(notifications[1].repeat_interval, "");
    CHECK_EQ(notifications[1].application_icon_badge_number, -1);
    // What there is no room for is counted, and not written.
    notifications[1].identifier[0] = '?';
    CHECK_EQ(curfew_get_pending_notification_requests(&client, notifications, 1), 2);
    CHECK_EQ(notifications[1].identifier[0], '?');
    CHECK_EQ(curfew_get_pending_task_requests(&client, requests, 3), 2);
    CHECK_TEXT(requests[0].identifier, "index");
    CHECK_EQ(requests[0].kind, CURFEW_TASK_REQUEST_PROCESSING);
    CHECK(requests[0].earliest_begin_date == 1796112000.0);
    CHECK(requests[0].requires_network_connectivity && requests[0].requires_external_power);
    CHECK_TEXT(requests[1].identifier, "inbox");
    CHECK_EQ(requests[1].kind, CURFEW_TASK_REQUEST_APP_REFRESH);
    CHECK(requests[1].earliest_begin_date == 0);
    CHECK(!requests[1].requires_network_connectivity && !requests[1].requires_external_power);
    CHECK_EQ(curfew_get_pending_task_requests(&client, requests, 3), -ENOTSUP);
    CHECK_EQ(curfew_next_event(&client, &event, -1), 1);
    CHECK_TEXT(event.name, "x");
    finish();
}

static void test_hello(void)
{
    static const struct fake_step steps[] = {
        {"hello id=r*.1 version=1 client=\"up loader\"", "ok id=$ID version=1 app=backup state=background\n",
            FAKE_GO_ON},
    };
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_hello(&client, "up loader"), 0);
    CHECK_TEXT(curfew_app_name(&client), "backup");
    CHECK_EQ(curfew_application_state(&client), CURFEW_STATE_BACKGROUND);
    // Another connection begins anew.
    curfew_close(&client);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_TEXT(curfew_app_name(&client), "");
    CHECK_EQ(curfew_application_state(&client), CURFEW_STATE_ACTIVE);
    finish();
}

static void test_refusals(void)
{
    static const struct {
        const char *word;
        int error;
    } known[] = {
        {"expired", -ETIME}, {"terminating", -ESHUTDOWN}, {"too-many-tasks", -EDQUOT}, {"forbidden", -EPERM},
        {"invalid", -EINVAL}, {"unknown", -ENOSYS}, {"unsupported", -ENOTSUP}, {"malformed", -EBADMSG}, {"too-many-requests", -EDQUOT}, {"no-background-mode", -EPERM}, {"unknown-push", -ENOENT},
        {"busy", -EAGAIN}, {"something-newer", -EPROTO},
    };
    size_t index;
    for (index = 0; index < sizeof known / sizeof *known; index++) {
        char text[128];
        struct fake_step steps[2] = {{"begin *", text, FAKE_GO_ON}, {"remaining *", text, FAKE_GO_ON}};
        snprintf(text, sizeof text, "error id=$ID code=%s message=\"not so\" task=0\n", known[index].word);
        START_PIPE(steps);
        CHECK_EQ(curfew_connect(&client), 0);
        CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
        CHECK_EQ(curfew_error(&client), known[index].error);
        CHECK_TEXT(curfew_error_code(&client), known[index].word);
        CHECK(curfew_background_time_remaining(&client) == 0);
        CHECK_EQ(curfew_error(&client), known[index].error);
        // The next call starts anew.
        CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
        CHECK_EQ(curfew_error(&client), 0);
        CHECK_TEXT(curfew_error_code(&client), "");
        finish();
    }
}

static void test_senseless_answers(void)
{
    static const struct fake_step steps[] = {
        {"begin *", "ok id=$ID\n", FAKE_GO_ON},
        {"begin *", "ok id=$ID task=99999999999999999999999999\n", FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=soon\n", FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=-1\n", FAKE_GO_ON},
        {"remaining *", "error id=$ID\n", FAKE_GO_ON},
        {"remaining *", "task id=$ID name=x\nok id=$ID seconds=3\n", FAKE_GO_ON},
    };
    int index;
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    for (index = 0; index < 2; index++) {
        CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
        CHECK_EQ(curfew_error(&client), -EPROTO);
    }
    for (index = 0; index < 3; index++) {
        CHECK(curfew_background_time_remaining(&client) == 0);
        CHECK_EQ(curfew_error(&client), -EPROTO);
    }
    CHECK(curfew_background_time_remaining(&client) == 3);
    finish();
}

// ---- encoding -----------------------------------------------------------------------------------

#define TEN "xxxxxxxxxx"
#define HUNDRED_AND_TWENTY TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void test_names_on_the_wire(void)
{
    static const struct {
        const char *name, *written;
    } samples[] = {
        {"plain", "plain"},
        {"a=b;c", "a=b;c"},
        {"", "\"\""},
        {NULL, "\"\""},
        {"two words", "\"two words\""},
        {"quote\"back\\", "\"quote\\\"back\\\\\""},
        {"\n\t\r\x01\x1f\x7f", "\"\\n\\t\\r\\x01\\x1f\\x7f\""},
        {"Gr\xc3\xbc\xc3\x9f""e", "Gr\xc3\xbc\xc3\x9f""e"},
        {"\xf0\x9f\x98\x80 ok", "\"\xf0\x9f\x98\x80 ok\""},
        {"\xff\xfe", "??"},
        {"\xc3", "?"},
        {"\xc3(", "?("},
        {"\xc0\xaf", "??"},
        {"\xed\xa0\x80", "???"},
        {"\xe0\x80\x80", "???"},
        {"\xf4\x90\x80\x80", "????"},
        {"\xf0\x8f\xbf\xbf", "????"},
        {HUNDRED_AND_TWENTY "12345678", HUNDRED_AND_TWENTY "12345678"},
        {HUNDRED_AND_TWENTY "123456789", HUNDRED_AND_TWENTY "12345678"},
        {HUNDRED_AND_TWENTY "1234567\xc3\xbc", HUNDRED_AND_TWENTY "1234567"},
        {HUNDRED_AND_TWENTY "123456\xc3\xbcx", HUNDRED_AND_TWENTY "123456\xc3\xbc"},
        {HUNDRED_AND_TWENTY "12345\xf0\x9f\x98\x80", HUNDRED_AND_TWENTY "12345"},
        {HUNDRED_AND_TWENTY "1234567\xff\xff", HUNDRED_AND_TWENTY "1234567?"},
    };
    size_t index;
    for (index = 0; index < sizeof samples / sizeof *samples; index++) {
        char expected[1024];
        struct fake_step steps[2] = {
            {expected, "ok id=$ID task=1\n", FAKE_GO_ON}, {"hello id=* version=1 client=*", "ok id=$ID\n", FAKE_GO_ON}};
        snprintf(expected, sizeof expected, "begin id=b*.1 name=%s", samples[index].written);
        START_PIPE(steps);
        CHECK_EQ(curfew_connect(&client), 0);
        CHECK_EQ(curfew_begin_background_task(&client, samples[index].name), 1);
        CHECK_EQ(curfew_hello(&client, samples[index].name), 0);
        finish();
    }
}

// The longest line there can be, through the smallest send buffer there is, comes whole.
static void test_longest_line(void)
{
    char name[400], expected[1200] = "begin id=b*.1 name=\"";
    struct fake_step steps[1] = {{expected, "ok id=$ID task=1\n", FAKE_GO_ON}};
    int index, smallest = 1;
    memset(name, 1, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (index = 0; index < CURFEW_TITLE_MAX; index++)
        strcat(expected, "\\x01");
    strcat(expected, "\"");
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    check_must(setsockopt(curfew_fd(&client), SOL_SOCKET, SO_SNDBUF, &smallest, sizeof smallest) == 0, "SO_SNDBUF");
    CHECK_EQ(curfew_begin_background_task(&client, name), 1);
    finish();
}

// ---- events -------------------------------------------------------------------------------------

static void test_lifecycle_events(void)
{
    static const struct {
        const char *name;
        enum curfew_event_type type;
        enum curfew_application_state state;
    } known[] = {
        {"didFinishLaunching", CURFEW_EVENT_DID_FINISH_LAUNCHING, CURFEW_STATE_ACTIVE},
        {"willResignActive", CURFEW_EVENT_WILL_RESIGN_ACTIVE, CURFEW_STATE_INACTIVE},
        {"didEnterBackground", CURFEW_EVENT_DID_ENTER_BACKGROUND, CURFEW_STATE_BACKGROUND},
        {"backgroundTaskWillExpire", CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE, CURFEW_STATE_BACKGROUND},
        {"willEnterForeground", CURFEW_EVENT_WILL_ENTER_FOREGROUND, CURFEW_STATE_INACTIVE},
        {"didBecomeActive", CURFEW_EVENT_DID_BECOME_ACTIVE, CURFEW_STATE_ACTIVE},
        {"somethingNewer", CURFEW_EVENT_OTHER, CURFEW_STATE_ACTIVE},
        {"didReceiveMemoryWarning", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING, CURFEW_STATE_ACTIVE},
        {"willTerminate", CURFEW_EVENT_WILL_TERMINATE, CURFEW_STATE_ACTIVE},
    };
    int clients_end, peer = open_pipe(&clients_end);
    size_t index;
    CHECK_EQ(curfew_connect(&client), 0);
    for (index = 0; index < sizeof known / sizeof *known; index++) {
        char text[128];
        snprintf(text, sizeof text, "event name=%s seq=%zu\n", known[index].name, index + 1);
        push(peer, text);
        take(known[index].name);
        CHECK_EQ(event.type, known[index].type);
        CHECK_EQ(event.seq, index + 1);
        CHECK_EQ(event.task, CURFEW_INVALID_TASK);
        CHECK(!event.ack_required);
        CHECK(isinf(event.seconds));
        CHECK_EQ(curfew_application_state(&client), known[index].state);
    }
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    close(peer);
    close(clients_end);
}

// A level this header doesn't know is a warning all the same; no other event has one.
static void test_memory_warnings(void)
{
    static const struct {
        const char *pairs;
        enum curfew_event_type type;
        enum curfew_memory_warning_level level;
    } known[] = {
        {"name=didReceiveMemoryWarning seq=1 level=critical", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING,
         CURFEW_MEMORY_WARNING_CRITICAL},
        {"name=didReceiveMemoryWarning seq=2 level=warning", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING,
         CURFEW_MEMORY_WARNING_WARNING},
        {"name=didReceiveMemoryWarning seq=3 level=later", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING,
         CURFEW_MEMORY_WARNING_WARNING},
        {"name=didReceiveMemoryWarning seq=4", CURFEW_EVENT_DID_RECEIVE_MEMORY_WARNING,
         CURFEW_MEMORY_WARNING_WARNING},
        {"name=didReceiveMemoryWarning seq=5 kind=change level=critical", CURFEW_EVENT_CHANGE,
         CURFEW_MEMORY_WARNING_NONE},
        {"name=didBecomeActive seq=6 level=critical", CURFEW_EVENT_DID_BECOME_ACTIVE, CURFEW_MEMORY_WARNING_NONE},
    };
    int clients_end, peer = open_pipe(&clients_end);
    size_t index;
    CHECK_EQ(curfew_connect(&client), 0);
    for (index = 0; index < sizeof known / sizeof *known; index++) {
        char text[128];
        snprintf(text, sizeof text, "event %s\n", known[index].pairs);
        push(peer, text);
        CHECK_EQ(curfew_next_event(&client, &event, 1000), 1);
        CHECK_EQ(event.seq, index + 1);
        CHECK_EQ(event.type, known[index].type);
        CHECK_EQ(event.level, known[index].level);
        CHECK(!event.ack_required);
    }
    close(peer);
    close(clients_end);
}

static void test_everything_in_an_event(void)
{
    int clients_end, peer = open_pipe(&clients_end);
    const char *key = NULL, *value = NULL;
    struct curfew_event copy;
    CHECK_EQ(curfew_connect(&client), 0);
    push(peer, "event name=fetch seq=12 kind=wake ack=required seconds=29.950 task=3 "
               "info.url=\"a b\\\"c\\\\d\\n\\t\\r\\x41\" "
               "info.empty=\"\" launched=background info.url=second info.gr\xc3\xbc=no\n"
               "event name=fetch seq=13 kind=wake ack=required seconds=29.950 info.url=\"a b\\\"c\\\\d\\n\\t\\r\\x41\" "
               "info.empty=\"\" launched=background info.url=second "
               "info.u-8.x_y=Gr\xc3\xbc\xc3\x9f""e info.nul=\"a\\x00b\"\n");
    // The first has a key that isn't one, and is no event.
    take("fetch");
    memcpy(&copy, &event, sizeof copy);
    memset(&event, 'x', sizeof event);
    CHECK_EQ(copy.type, CURFEW_EVENT_WAKE);
    CHECK_EQ(copy.seq, 13);
    CHECK(copy.ack_required);
    CHECK(fabs(copy.seconds - 29.95) < 1e-9);
    CHECK_TEXT(curfew_event_info(&copy, "url"), "a b\"c\\d\n\t\rA");
    CHECK_TEXT(curfew_event_info(&copy, "empty"), "");
    CHECK_TEXT(curfew_event_info(&copy, "u-8.x_y"), "Gr\xc3\xbc\xc3\x9f""e");
    CHECK_TEXT(curfew_event_info(&copy, "nul"), "a?b");
    CHECK(curfew_event_info(&copy, "launched") == NULL);
    CHECK(curfew_event_info(&copy, "ur") == NULL);
    CHECK_TEXT(curfew_event_value(&copy, "launched"), "background");
    CHECK_TEXT(curfew_event_value(&copy, "info.url"), "a b\"c\\d\n\t\rA");
    CHECK(curfew_event_value(&copy, "event") == NULL);
    CHECK(curfew_event_info_at(&copy, 0, &key, &value));
    CHECK_TEXT(key, "url");
    CHECK(curfew_event_info_at(&copy, 3, &key, &value));
    CHECK_TEXT(key, "u-8.x_y");
    CHECK_TEXT(value, "Gr\xc3\xbc\xc3\x9f""e");
    CHECK(!curfew_event_info_at(&copy, 5, &key, &value));
    close(peer);
    close(clients_end);
}

// What isn't a line of the protocol is passed over, and the next is read.
static void test_malformed_events(void)
{
    static const char *const malformed[] = {
        "event",
        "event ",
        "event seq=1",
        "event name",
        "event name=",
        "event name= seq=1",
        "event =x name=a",
        "event name=a b",
        "event name=a\"b",
        "event name=a\\b",
        "event name=a\tb",
        "event name=a\x01",
        "event name=a\x7f",
        "event name=\"a",
        "event name=\"a\\",
        "event name=\"a\\\"",
        "event name=\"a\"b",
        "event name=\"a\\q\"",
        "event name=\"a\\x4\"",
        "event name=\"a\\x80\"",
        "event name=\"a\\xg0\"",
        "event name=\"a\\x",
        "event name=\"a\tb\"",
        "event\tname=a",
        "events name=a",
        "=",
        "\"event\" name=a",
    };
    int clients_end, peer = open_pipe(&clients_end);
    size_t index;
    CHECK_EQ(curfew_connect(&client), 0);
    for (index = 0; index < sizeof malformed / sizeof *malformed; index++) {
        char text[128];
        int length = snprintf(text, sizeof text, "%s\nevent name=good seq=%zu\n", malformed[index], index + 1);
        check_must(send(peer, text, (size_t)length, 0) == length, "send");
        if (!take("good") || !CHECK_EQ(event.seq, index + 1))
            printf("  after: %s\n", malformed[index]);
        CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    }
    close(peer);
    close(clients_end);
}

static void test_changes(void)
{
    int clients_end, peer = open_pipe(&clients_end);
    CHECK_EQ(curfew_connect(&client), 0);
    push(peer, "event name=settingsDidChange seq=3 kind=change info.exists=false\n"
               "event name=didBecomeActive seq=4 kind=newer\n"
               "event name=didEnterBackground seq=0 ack=required\n"
               "event name=didEnterBackground ack=required seconds=\n"
               "event name=didEnterBackground seq=99999999999999999999999 ack=required\n");
    take("settingsDidChange");
    CHECK_EQ(event.type, CURFEW_EVENT_CHANGE);
    CHECK_TEXT(curfew_event_info(&event, "exists"), "false");
    take("didBecomeActive");
    CHECK_EQ(event.type, CURFEW_EVENT_OTHER);
    // What has no number can't be acknowledged.
    take("didEnterBackground");
    CHECK(!event.ack_required);
    take("didEnterBackground");
    CHECK_EQ(event.seq, 0);
    CHECK(!event.ack_required);
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    close(peer);
    close(clients_end);
}

static void test_restoring(void)
{
    int clients_end, peer = open_pipe(&clients_end);
    CHECK_EQ(curfew_connect(&client), 0);
    push(peer, "event name=didFinishLaunching seq=1 launched=foreground info.restored=true info.ended=memory-pressure\n"
               "event name=didFinishLaunching seq=2 launched=foreground info.restored=true\n"
               "event name=didFinishLaunching seq=3 launched=foreground info.restored=yes\n"
               "event name=didFinishLaunching seq=4 launched=foreground restored=true ended=memory-pressure\n"
               "event name=fetch seq=5 kind=wake info.restored=true info.ended=memory-pressure\n");
    take("didFinishLaunching");
    CHECK(curfew_launch_is_restored(&event));
    CHECK_TEXT(curfew_launch_ended_because(&event), "memory-pressure");
    take("didFinishLaunching");
    CHECK(curfew_launch_is_restored(&event));
    CHECK(curfew_launch_ended_because(&event) == NULL);
    take("didFinishLaunching");
    CHECK(!curfew_launch_is_restored(&event));
    take("didFinishLaunching");
    CHECK(!curfew_launch_is_restored(&event));
    CHECK(curfew_launch_ended_because(&event) == NULL);
    take("fetch");
    CHECK(!curfew_launch_is_restored(&event));
    CHECK(curfew_launch_ended_because(&event) == NULL);
    close(peer);
    close(clients_end);
}

static void test_state_directory(void)
{
    unsetenv("CURFEW_STATE_DIR");
    CHECK(curfew_state_directory() == NULL);
    setenv("CURFEW_STATE_DIR", "", 1);
    CHECK(curfew_state_directory() == NULL);
    setenv("CURFEW_STATE_DIR", "/saved", 1);
    CHECK_TEXT(curfew_state_directory(), "/saved");
    unsetenv("CURFEW_STATE_DIR");
}

static void test_acknowledging(void)
{
    static const struct fake_step steps[] = {
        {"hello *", "ok id=$ID state=active\nevent name=didFinishLaunching seq=1 ack=required seconds=20.000\n"
                    "event name=didBecomeActive seq=2\nevent name=willTerminate seq=3 ack=required seconds=5.000\n",
            FAKE_GO_ON},
        {"ack seq=1", NULL, FAKE_GO_ON},
        {"ack seq=3", NULL, FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=inf\n", FAKE_GO_ON},
    };
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_hello(&client, "x"), 0);
    take("didFinishLaunching");
    CHECK_EQ(curfew_acknowledge(&client, &event), 0);
    take("didBecomeActive");
    CHECK_EQ(curfew_acknowledge(&client, &event), 0);
    take("willTerminate");
    CHECK_EQ(curfew_acknowledge_from_signal(&client, event.seq), 0);
    CHECK(isinf(curfew_background_time_remaining(&client)));
    finish();
}

// Those that come while a request waits are kept, in order, and others' replies are passed over.
static void test_events_while_waiting(void)
{
    static const struct fake_step steps[] = {
        {"begin *",
            "event name=willResignActive seq=1\n\r\n\n"
            "ok\nok id=r1.1 seconds=4\nok id=b1.1 task=77\nerror code=malformed offset=0 message=\"no verb\"\n"
            "event name=didEnterBackground seq=2 ack=required seconds=5.000\r\n"
            "garbage =\nok id=$ID task=5 remaining=2.0\nok id=$ID task=6\nevent name=a seq=3 kind=change\n",
            FAKE_GO_ON},
        // The second reply to one begin is nobody's: its task is ended. That of another process isn't.
        {"end task=6", "ok\n", FAKE_GO_ON},
        {"remaining *", "event name=b seq=4 kind=change\nok id=$ID seconds=1.25\n", FAKE_GO_ON},
    };
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), 5);
    CHECK(curfew_background_time_remaining(&client) == 1.25);
    take("willResignActive");
    take("didEnterBackground");
    CHECK(event.ack_required);
    take("a");
    take("b");
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    finish();
}

static void test_byte_by_byte(void)
{
    static const char text[] = "\n  event  name=didBecomeActive   seq=1  \r\nok\n event name=x seq=2\n";
    int clients_end, peer = open_pipe(&clients_end), events = 0;
    const char *at;
    CHECK_EQ(curfew_connect(&client), 0);
    for (at = text; *at; at++) {
        check_must(send(peer, at, 1, 0) == 1, "send");
        while (curfew_next_event(&client, &event, 0) == 1)
            CHECK_EQ(event.seq, ++events);
    }
    CHECK_EQ(events, 2);
    close(peer);
    close(clients_end);
}

// A line of `length` bytes with its LF.
static void make_event(char *line, size_t length)
{
    static const char start[] = "event name=long seq=1 info.k=";
    memcpy(line, start, sizeof start - 1);
    memset(line + sizeof start - 1, 'v', length - sizeof start);
    line[length - 1] = '\n';
}

static void test_longest_event(void)
{
    static char line[CURFEW_LINE_MAX + 1];
    int clients_end, peer = open_pipe(&clients_end);
    char byte;
    CHECK_EQ(curfew_connect(&client), 0);
    make_event(line, CURFEW_LINE_MAX);
    check_must(send(peer, line, CURFEW_LINE_MAX, 0) == CURFEW_LINE_MAX, "send");
    take("long");
    CHECK_EQ(strlen(curfew_event_info(&event, "k")), CURFEW_LINE_MAX - strlen("event name=long seq=1 info.k=\n"));
    // One byte more breaks the protocol; what came before it is still given out.
    push(peer, "event name=last seq=2\n");
    make_event(line, CURFEW_LINE_MAX + 1);
    check_must(send(peer, line, CURFEW_LINE_MAX + 1, 0) == CURFEW_LINE_MAX + 1, "send");
    take("last");
    CHECK_EQ(curfew_next_event(&client, &event, 0), -EPROTO);
    check_does_nothing(-EPROTO);
    // The inherited descriptor isn't ours to end.
    CHECK_EQ(recv(peer, &byte, 1, MSG_DONTWAIT), -1);
    close(peer);
    close(clients_end);
}

static void test_line_without_end(void)
{
    static const struct fake_step steps[] = {{"remaining *", NULL, FAKE_GO_ON}};
    static char flood[3 * CURFEW_LINE_MAX];
    char byte;
    memset(flood, 'x', sizeof flood);
    START_SOCKET(steps);
    curfew_set_timeout(&client, 50);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK(curfew_background_time_remaining(&client) == 0);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    // However late it has accepted the connection.
    CHECK(fake_await_lines(&fake, 1));
    fake_push(&fake, 0, flood, sizeof flood);
    CHECK_EQ(curfew_next_event(&client, &event, CHECK_DEADLINE_MS), -EPROTO);
    check_does_nothing(-EPROTO);
    // The supervisor sees our own connection's end at once.
    CHECK_EQ(recv(client.fd, &byte, 1, 0), 0);
    finish();
}

// ---- too many events ----------------------------------------------------------------------------

enum { FLOOD = 1200 };

static size_t make_flood(char *text, size_t size)
{
    size_t length = 0;
    int index;
    for (index = 1; index <= FLOOD; index++)
        length += (size_t)snprintf(
            text + length, size - length, "event name=fetch seq=%d kind=wake ack=required info.n=%d\n", index, index);
    check_must(length > 3 * CURFEW_BUFFER_SIZE / 2 && length < size - 64, "making a flood");
    return length;
}

// Not one event is lost when more come than the struct holds, and what needs no reply still works.
static void test_flood_of_events(void)
{
    static char text[4 * 32768];
    static const struct fake_step ends[] = {
        {"end task=5", "ok\n", FAKE_GO_ON},
        {"ack seq=1", NULL, FAKE_GO_ON},
        {"end task=9", "ok\n", FAKE_GO_ON},
        {"begin *", "ok id=$ID task=10\n", FAKE_GO_ON},
    };
    struct fake_step steps[5] = {{"begin *", text, FAKE_GO_ON}, ends[0], ends[1], ends[2], ends[3]};
    int index;
    strcpy(text + make_flood(text, sizeof text), "ok id=$ID task=9\n");
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ENOBUFS);
    CHECK(curfew_background_time_remaining(&client) == 0);
    CHECK_EQ(curfew_error(&client), -ENOBUFS);
    CHECK_EQ(curfew_hello(&client, "x"), -ENOBUFS);
    CHECK_EQ(curfew_end_background_task(&client, CURFEW_INVALID_TASK), 0);
    CHECK_EQ(curfew_end_background_task(&client, 5), 0);
    CHECK(curfew_is_multitasking_supported(&client));
    for (index = 1; index <= FLOOD; index++) {
        if (!take("fetch") || !CHECK_EQ(event.seq, index) || !CHECK(event.ack_required))
            break;
        if (index == 1)
            CHECK_EQ(curfew_acknowledge(&client, &event), 0);
    }
    // The begin that had been given up is undone when its reply comes.
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    CHECK(fake_await_lines(&fake, 4));
    CHECK_EQ(curfew_begin_background_task(&client, "y"), 10);
    finish();
}

// An end that is sent counts, even when its reply is behind more than the struct holds.
static void test_flood_before_the_reply_to_end(void)
{
    static char text[4 * 32768];
    struct fake_step steps[1] = {{"end id=* task=5", text, FAKE_GO_ON}};
    int index;
    strcpy(text + make_flood(text, sizeof text), "ok id=$ID\n");
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_end_background_task(&client, 5), 0);
    for (index = 1; index <= FLOOD; index++)
        if (!take("fetch") || !CHECK_EQ(event.seq, index))
            break;
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    finish();
}

// ---- no answer ----------------------------------------------------------------------------------

static void test_silence(void)
{
    static const struct fake_step steps[] = {
        {"begin id=* name=late", NULL, FAKE_GO_ON},
        {"remaining *", NULL, FAKE_GO_ON},
        {"hello *", NULL, FAKE_GO_ON},
        {"end id=* task=1", NULL, FAKE_GO_ON},
        {"end task=7", "ok\n", FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=8\n", FAKE_GO_ON},
    };
    char id[64], reply[160];
    long long before = check_now(), took;
    START_PIPE(steps);
    curfew_set_timeout(&client, 100);
    CHECK_EQ(curfew_connect(&client), 0);
    longest_wait = 0;
    CHECK_EQ(curfew_begin_background_task(&client, "late"), CURFEW_INVALID_TASK);
    took = check_now() - before;
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    CHECK(took >= 100);
    // The clock's fraction of a millisecond is one more.
    CHECK(longest_wait > 0 && longest_wait <= 101);
    CHECK(fake_await_lines(&fake, 1));
    memcpy(id, fake.last_id, sizeof id);
    CHECK(curfew_background_time_remaining(&client) == 0);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    CHECK_EQ(curfew_hello(&client, "x"), -ETIMEDOUT);
    CHECK_EQ(curfew_end_background_task(&client, 1), -ETIMEDOUT);
    // The task nobody knows of is ended; the other late replies are nothing to anybody.
    snprintf(reply, sizeof reply, "ok id=%.60s task=7 remaining=inf\n", id);
    fake_push_text(&fake, reply);
    CHECK_EQ(curfew_next_event(&client, &event, 0), 0);
    CHECK(fake_await_lines(&fake, 5));
    curfew_set_timeout(&client, 0);
    CHECK(curfew_background_time_remaining(&client) == 8);
    finish();
}

static void test_late_refusal(void)
{
    static const struct fake_step steps[] = {
        {"begin *", NULL, FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=8\n", FAKE_GO_ON},
    };
    char reply[256];
    START_PIPE(steps);
    curfew_set_timeout(&client, 30);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK(fake_await_lines(&fake, 1));
    snprintf(reply, sizeof reply, "error id=%.60s code=expired task=0\nok id=%.60s task=0\n", fake.last_id,
        fake.last_id);
    fake_push_text(&fake, reply);
    curfew_set_timeout(&client, 0);
    CHECK(curfew_background_time_remaining(&client) == 8);
    finish();
}

// Lines that are there count as time passes, but a flood of them doesn't hold a call for ever.
static void *flood_with_replies(void *context)
{
    int peer = *(int *)context;
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text, "ok id=r1.1 seconds=", strlen("ok id=r1.1 seconds="));
    text[sizeof text - 1] = '\n';
    while (send(peer, text, sizeof text, MSG_NOSIGNAL) > 0) {
    }
    return NULL;
}

static void test_flood_of_others_replies(void)
{
    int clients_end, peer = open_pipe(&clients_end);
    long long before;
    pthread_t thread;
    check_must(pthread_create(&thread, NULL, flood_with_replies, &peer) == 0, "pthread_create");
    curfew_set_timeout(&client, 100);
    CHECK_EQ(curfew_connect(&client), 0);
    before = check_now();
    CHECK_EQ(curfew_next_event(&client, &event, 100), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    CHECK(check_now() - before < CHECK_DEADLINE_MS);
    curfew_close(&client);
    shutdown(clients_end, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(peer);
    close(clients_end);
}

// A full socket: the call ends in time, and what did go out is whole lines.
static void test_supervisor_that_does_not_read(void)
{
    static char text[1 << 20];
    int clients_end, peer = open_pipe(&clients_end);
    size_t length = 0, sent = 0, index;
    char expected[64];
    const char *at = text;
    ssize_t count;
    CHECK_EQ(curfew_connect(&client), 0);
    curfew_set_timeout(&client, 100);
    while (curfew_end_background_task_from_signal(&client, (curfew_task)(sent + 1)) == 0)
        sent++;
    CHECK(sent > 10);
    CHECK_EQ(curfew_acknowledge_from_signal(&client, 1), -EAGAIN);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    event.ack_required = true;
    event.seq = 3;
    CHECK_EQ(curfew_acknowledge(&client, &event), -ETIMEDOUT);
    CHECK(curfew_is_multitasking_supported(&client));
    while ((count = recv(peer, text + length, sizeof text - 1 - length, MSG_DONTWAIT)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    for (index = 1; index <= sent; index++) {
        int expected_length = snprintf(expected, sizeof expected, "end task=%zu\n", index);
        if (!CHECK(!strncmp(at, expected, (size_t)expected_length)))
            break;
        at += expected_length;
    }
    CHECK_TEXT(at, "");
    CHECK_EQ(curfew_acknowledge(&client, &event), 0);
    close(peer);
    close(clients_end);
}

// A child that asks, is stopped until long after its time is over, and finds the answer there.
static void test_suspended_while_waiting(void)
{
    static const struct fake_step steps[] = {{"remaining *", NULL, FAKE_GO_ON}};
    struct timespec pause = {0, 700 * 1000 * 1000};
    char reply[256];
    int status = 0;
    pid_t child;
    START_SOCKET(steps);
    child = fork();
    if (child == 0) {
        curfew_set_timeout(&client, 500);
        _exit(curfew_connect(&client) == 0 && curfew_background_time_remaining(&client) == 42 ? 0 : 1);
    }
    CHECK(fake_await_lines(&fake, 1));
    kill(child, SIGSTOP);
    check_must(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status), "stopping the child");
    snprintf(reply, sizeof reply, "event name=didEnterBackground seq=1\nok id=%.60s seconds=42\n", fake.last_id);
    fake_push_text(&fake, reply);
    nanosleep(&pause, NULL); // a while longer than its time
    kill(child, SIGCONT);
    reap(child);
    finish();
}

// ---- dead supervisor, broken descriptor ---------------------------------------------------------

static void test_dies_while_asked(void)
{
    static const struct fake_step steps[] = {
        {"begin *", "event name=willTerminate seq=1 ack=required\nok id=$ID tas", FAKE_CLOSE}};
    START_PIPE(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ECONNRESET);
    // What came whole is given out, then the loss is told, again and again.
    take("willTerminate");
    CHECK_EQ(curfew_error(&client), 0);
    CHECK_EQ(curfew_acknowledge(&client, &event), -ECONNRESET);
    CHECK_EQ(curfew_next_event(&client, &event, 0), -ECONNRESET);
    check_does_nothing(-ECONNRESET);
    finish();
}

static void test_is_dead_already(void)
{
    int clients_end, peer = open_pipe(&clients_end);
    CHECK_EQ(curfew_connect(&client), 0);
    push(peer, "event name=willTerminate seq=1\nevent name=half");
    close(peer);
    // SIGPIPE would end this test.
    errno = E2BIG;
    CHECK_EQ(curfew_end_background_task_from_signal(&client, 1), -ECONNRESET);
    CHECK_EQ(errno, E2BIG);
    CHECK(curfew_is_multitasking_supported(&client));
    take("willTerminate");
    CHECK_EQ(curfew_next_event(&client, &event, -1), -ECONNRESET);
    check_does_nothing(-ECONNRESET);
    close(clients_end);
    curfew_close(&client);
    check_does_nothing(-ENOTCONN);
}

static void test_hangs_up_and_is_back(void)
{
    static const struct fake_step steps[] = {
        {"remaining *", "ok id=$ID seconds=1\n", FAKE_GO_ON},
        {"remaining *", "ok id=$ID seconds=2\n", FAKE_GO_ON},
    };
    int lost;
    START_SOCKET(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    lost = curfew_fd(&client);
    CHECK(curfew_background_time_remaining(&client) == 1);
    fake_hang_up(&fake, 0);
    CHECK_EQ(curfew_next_event(&client, &event, CHECK_DEADLINE_MS), -ECONNRESET);
    CHECK_EQ(curfew_fd(&client), -1);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK(curfew_background_time_remaining(&client) == 2);
    // The lost one was closed: its number is free, and has been used again.
    CHECK_EQ(curfew_fd(&client), lost);
    finish();
}

static void test_descriptor_closed_behind_its_back(void)
{
    int round;
    for (round = 0; round < 2; round++) {
        static const struct fake_step none[] = {{NULL, NULL, FAKE_GO_ON}};
        int fd, strangers[2];
        char byte;
        fake_start_socket(&fake, none, 0, scratch);
        CHECK_EQ(curfew_connect(&client), 0);
        fd = curfew_fd(&client);
        // Else the fake's own end of the connection could be given the number.
        CHECK(fake_await_connections(&fake, 1));
        check_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, strangers) == 0, "socketpair");
        close(fd);
        // The second time a stranger's socket has its number.
        if (round == 1)
            check_must(dup2(strangers[1], fd) == fd, "dup2");
        errno = E2BIG;
        CHECK_EQ(curfew_fd(&client), -1);
        CHECK_EQ(curfew_end_background_task_from_signal(&client, 1), -EBADF);
        CHECK_EQ(errno, E2BIG);
        CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
        CHECK_EQ(curfew_error(&client), -EBADF);
        check_does_nothing(-EBADF);
        CHECK_EQ(recv(strangers[0], &byte, 1, MSG_DONTWAIT), -1);
        curfew_close(&client);
        if (round == 1) {
            CHECK(fcntl(fd, F_GETFD) >= 0);
            CHECK_EQ(send(fd, "x", 1, MSG_NOSIGNAL), 1);
            close(fd);
        }
        close(strangers[0]);
        close(strangers[1]);
        finish();
    }
}

// ---- fork ---------------------------------------------------------------------------------------

// The child's half; returns the line of the first thing that isn't so.
static int be_child(void)
{
    if (curfew_is_multitasking_supported(&client) || curfew_fd(&client) != -1)
        return __LINE__ % 251 + 1;
    if (curfew_begin_background_task(&client, "x") != CURFEW_INVALID_TASK || curfew_error(&client) != -ENOTCONN)
        return __LINE__ % 251 + 1;
    if (curfew_end_background_task_from_signal(&client, 1) != -ENOTCONN)
        return __LINE__ % 251 + 1;
    // The event that waits is the parent's.
    if (curfew_next_event(&client, &event, 0) != 0)
        return __LINE__ % 251 + 1;
    if (curfew_connect(&client) != 0 || curfew_next_event(&client, &event, 0) != 0)
        return __LINE__ % 251 + 1;
    if (curfew_begin_background_task(&client, "child's") != 2)
        return __LINE__ % 251 + 1;
    return 0;
}

static void test_fork(void)
{
    static const struct fake_step steps[] = {
        {"begin *", "event name=didBecomeActive seq=1\nok id=$ID task=1\n", FAKE_GO_ON},
        {"begin id=* name=child's", "ok id=$ID task=2\n", FAKE_GO_ON},
        {"end id=* task=1", "ok id=$ID\n", FAKE_GO_ON},
    };
    pid_t child;
    START_SOCKET(steps);
    CHECK_EQ(curfew_connect(&client), 0);
    CHECK_EQ(curfew_begin_background_task(&client, "parent's"), 1);
    child = fork();
    if (child == 0)
        _exit(be_child());
    reap(child);
    CHECK_EQ(fake_peer(&fake, 0), getpid());
    CHECK_EQ(fake_peer(&fake, 1), child);
    CHECK(curfew_is_multitasking_supported(&client));
    CHECK_EQ(curfew_end_background_task(&client, 1), 0);
    take("didBecomeActive");
    finish();
}

// A child that has closed everything and opened a file of its own must keep it when it connects.
static void test_fork_spares_reused_descriptors(void)
{
    static const struct fake_step none[] = {{NULL, NULL, FAKE_GO_ON}};
    pid_t child;
    fake_start_socket(&fake, none, 0, scratch);
    CHECK_EQ(curfew_connect(&client), 0);
    child = fork();
    if (child == 0) {
        int fd = client.fd;
        close(fd);
        if (open("/dev/null", O_WRONLY) != fd)
            _exit(1);
        _exit(curfew_connect(&client) == 0 && curfew_fd(&client) != fd && write(fd, "x", 1) == 1 ? 0 : 2);
    }
    reap(child);
    finish();
}

// ---- signals ------------------------------------------------------------------------------------

static volatile sig_atomic_t signals_seen, signals_sent, signal_failures;
static volatile curfew_task task_in_handler;

static void count_signal(int number)
{
    (void)number;
    signals_seen = signals_seen + 1;
}

static void end_in_handler(int number)
{
    int saved = errno, ended, acknowledged;
    (void)number;
    errno = E2BIG;
    signals_seen = signals_seen + 1;
    ended = curfew_end_background_task_from_signal(&client, task_in_handler);
    acknowledged = curfew_acknowledge_from_signal(&client, 18);
    // On a busy machine the fake may not read for as long as it takes to fill the socket.
    if (ended == 0 && acknowledged == 0)
        signals_sent = signals_sent + 1;
    if ((ended != 0 && ended != -EAGAIN) || (acknowledged != 0 && acknowledged != -EAGAIN) || errno != E2BIG)
        signal_failures = signal_failures + 1;
    errno = saved;
}

// A process of its own that signals this one as fast as it says, until it is killed: threads would be interrupted too.
static pid_t start_signalling(void (*handler)(int), long nanoseconds)
{
    struct sigaction action;
    pid_t target = getpid(), child;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    signals_seen = signals_sent = signal_failures = 0;
    child = fork();
    if (child == 0) {
        struct timespec pause = {0, 0};
        pause.tv_nsec = nanoseconds;
        // It doesn't outlive the test.
        while (getppid() == target) {
            kill(target, SIGUSR1);
            nanosleep(&pause, NULL); // a moment, as long as it was asked for
        }
        _exit(0);
    }
    return child;
}

static void stop_signalling(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    signal(SIGUSR1, SIG_IGN);
}

static void test_interrupted_waits(void)
{
    static const struct fake_step steps[] = {{"begin *", NULL, FAKE_GO_ON}};
    int queued[4], listener, index;
    long long before, end;
    pid_t child;
    START_PIPE(steps);
    child = start_signalling(count_signal, 1000 * 1000);
    curfew_set_timeout(&client, 300);
    CHECK_EQ(curfew_connect(&client), 0);
    before = check_now();
    CHECK_EQ(curfew_begin_background_task(&client, "x"), CURFEW_INVALID_TASK);
    CHECK_EQ(curfew_error(&client), -ETIMEDOUT);
    CHECK(check_now() - before >= 300);
    CHECK_EQ(curfew_next_event(&client, &event, 300), 0);
    CHECK(check_now() - before >= 600);
    curfew_close(&client);
    // Who signals may have to wait for a processor.
    end = check_now() + CHECK_DEADLINE_MS;
    do {
        before = check_now();
        CHECK_EQ(curfew_next_event(&client, &event, 100), 0);
        CHECK(check_now() - before >= 100);
    } while (signals_seen <= 10 && before < end);
    CHECK(signals_seen > 10);
    signals_seen = 0;
    listener = open_full_listener(queued, 4);
    unsetenv("CURFEW_FD");
    end = check_now() + CHECK_DEADLINE_MS;
    do {
        before = check_now();
        CHECK_EQ(curfew_connect(&client), -ETIMEDOUT);
        CHECK(check_now() - before >= 300 && check_now() - before < CHECK_DEADLINE_MS);
    } while (signals_seen <= 10 && before < end);
    CHECK(signals_seen > 10);
    unlink(getenv("CURFEW_SOCKET"));
    for (index = 0; index < 4; index++)
        close(queued[index]);
    close(listener);
    stop_signalling(child);
    finish();
}

// The fake complains of any line that isn't whole.
static void test_ending_tasks_in_a_handler(void)
{
    int round, rounds = 0;
    pid_t child;
    fake_start_pipe(&fake, NULL, 0);
    CHECK_EQ(curfew_connect(&client), 0);
    task_in_handler = 17;
    child = start_signalling(end_in_handler, 50 * 1000);
    for (round = 0; round < 20000 && (round < 3000 || signals_sent < 200); round++) {
        curfew_task task = curfew_begin_background_task(&client, "with \"quotes\"");
        rounds += task != CURFEW_INVALID_TASK && curfew_background_time_remaining(&client) == 12.5 &&
            curfew_end_background_task(&client, task) == 0;
    }
    stop_signalling(child);
    CHECK_EQ(rounds, round);
    CHECK(signals_sent >= 200);
    CHECK_EQ(signal_failures, 0);
    finish();
}

// ---- threads ------------------------------------------------------------------------------------

static void *ask_in_thread(void *context)
{
    struct curfew_client *own = (struct curfew_client *)context;
    long good = 0;
    int round;
    if (curfew_connect(own) < 0)
        return NULL;
    for (round = 0; round < 2000; round++) {
        curfew_task task = curfew_begin_background_task(own, "x");
        good += task != CURFEW_INVALID_TASK && curfew_end_background_task(own, task) == 0;
    }
    curfew_close(own);
    return (void *)good;
}

// Acknowledges, since the fake, unlike a supervisor, stops reading when its own answers aren't read.
static void *acknowledge_in_thread(void *context)
{
    long good = 0;
    int round;
    for (round = 0; round < 2000; round++) {
        int error;
        // It is faster than the fake reads.
        while ((error = curfew_acknowledge_from_signal((struct curfew_client *)context, 5)) == -EAGAIN)
            sched_yield();
        good += error == 0;
    }
    return (void *)good;
}

static void test_threads(void)
{
    static struct curfew_client own[2];
    pthread_t threads[3];
    void *good[3] = {NULL, NULL, NULL};
    int index, round;
    fake_start_socket(&fake, NULL, 0, scratch);
    CHECK_EQ(curfew_connect(&client), 0);
    for (index = 0; index < 3; index++)
        check_must(pthread_create(&threads[index], NULL, index < 2 ? ask_in_thread : acknowledge_in_thread,
                       index < 2 ? &own[index] : &client) == 0,
            "pthread_create");
    for (round = 0; round < 2000; round++)
        if (!CHECK(curfew_background_time_remaining(&client) == 12.5))
            break;
    for (index = 0; index < 3; index++) {
        pthread_join(threads[index], &good[index]);
        CHECK_EQ((long)good[index], 2000);
    }
    finish();
}

// ---- all ----------------------------------------------------------------------------------------

#define TEST(name) {#name, test_##name}
static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    TEST(without_curfew), TEST(connects_by_pipe), TEST(prefers_its_own_connection), TEST(falls_back_to_the_pipe),
    TEST(refuses_what_is_no_pipe), TEST(connecting_ends_in_time), TEST(avoids_the_standard_descriptors), TEST(tasks),
    TEST(keep_alive), TEST(notifications), TEST(task_requests), TEST(remote_notification), TEST(pending), TEST(hello), TEST(refusals), TEST(senseless_answers), TEST(names_on_the_wire), TEST(longest_line),
    TEST(lifecycle_events), TEST(memory_warnings), TEST(everything_in_an_event), TEST(malformed_events),
    TEST(changes), TEST(restoring), TEST(state_directory), TEST(acknowledging),
    TEST(events_while_waiting), TEST(byte_by_byte), TEST(longest_event), TEST(line_without_end), TEST(flood_of_events),
    TEST(flood_before_the_reply_to_end), TEST(silence), TEST(late_refusal), TEST(flood_of_others_replies),
    TEST(supervisor_that_does_not_read), TEST(suspended_while_waiting), TEST(dies_while_asked), TEST(is_dead_already),
    TEST(hangs_up_and_is_back), TEST(descriptor_closed_behind_its_back), TEST(fork),
    TEST(fork_spares_reused_descriptors), TEST(interrupted_waits), TEST(ending_tasks_in_a_handler), TEST(threads),
};

int main(int count, char **arguments)
{
    const char *directory = getenv("TMPDIR");
    size_t index;
    snprintf(scratch, sizeof scratch, "%s/c-XXXXXX", directory && strlen(directory) < 40 ? directory : "/tmp");
    check_must(mkdtemp(scratch) != NULL, "mkdtemp");
    for (index = 0; index < sizeof tests / sizeof *tests; index++) {
        if (count > 1 && !strstr(tests[index].name, arguments[1]))
            continue;
        checks.subject = tests[index].name;
        reset();
        tests[index].run();
    }
    reset();
    rmdir(scratch);
    return check_finish();
}
