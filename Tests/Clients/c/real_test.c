// Tests of curfew.h against the real binary, the one CURFEW names. Without it everything is skipped.
// `real_test app SCENARIO` is the other half: the app, which says what it sees, a line each, on standard output.
#include "curfew.h"

#include "check.h"

#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

static struct curfew_client client;
static struct curfew_event event;

// ---- the app ------------------------------------------------------------------------------------

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

static const char *state_name(void)
{
    static const char *const names[] = {"active", "inactive", "background"};
    return names[curfew_application_state(&client)];
}

// Until it is killed: pause always returns with an error.
static int wait_for_the_end(void)
{
    while (pause() < 0) {
    }
    return 0;
}

static int be_task_holder(void)
{
    curfew_task first, second;
    say("connected %d", curfew_connect(&client));
    say("supported %d", curfew_is_multitasking_supported(&client));
    first = curfew_begin_background_task(&client, "nightly \"upload\"\n\xff");
    second = curfew_begin_background_task(&client, NULL);
    say("tasks %lu %lu", first, second);
    say("remaining %f", curfew_background_time_remaining(&client));
    say("ended %d %d %d", curfew_end_background_task(&client, first), curfew_end_background_task(&client, second),
        curfew_end_background_task(&client, 4711));
    say("error %d", curfew_error(&client));
    say("keep-alive %d %d %d", curfew_set_keep_alive_timeout(&client, 599) == -EINVAL,
        curfew_set_keep_alive_timeout(&client, 600), curfew_clear_keep_alive_timeout(&client));
    curfew_close(&client);
    // The other way in.
    unsetenv("CURFEW_SOCKET");
    say("connected %d", curfew_connect(&client));
    say("task %lu", curfew_begin_background_task(&client, "through the pipe"));
    return 0;
}

static void say_event(void)
{
    const char *key, *value;
    size_t index;
    say("%s type=%d kind=%s state=%s", event.name, event.type,
        curfew_event_value(&event, "kind") ? curfew_event_value(&event, "kind") : "lifecycle", state_name());
    for (index = 0; curfew_event_info_at(&event, index, &key, &value); index++)
        say("info %s=%s", key, value);
    if (curfew_launch_is_restored(&event))
        say("restored %s", curfew_launch_ended_because(&event) ? "why" : "unsaid why");
    if (event.level != CURFEW_MEMORY_WARNING_NONE)
        say("level %d", event.level);
}

// Begins a task when sent home the first time, and ends it when warned.
static int be_aware(void)
{
    int homes = 0;
    say("socket %s", getenv("CURFEW_SOCKET"));
    if (curfew_connect(&client) < 0 || curfew_hello(&client, "real test") < 0)
        return 9;
    say("app %s", curfew_app_name(&client));
    if (curfew_state_directory())
        say("state %s", curfew_state_directory());
    while (curfew_next_event(&client, &event, -1) > 0) {
        say_event();
        if (event.type == CURFEW_EVENT_DID_ENTER_BACKGROUND && homes++ == 0)
            say("begun %lu", curfew_begin_background_task(&client, "save"));
        if (event.type == CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE) {
            say("left %d", curfew_background_time_remaining(&client) <= event.seconds + 0.1);
            curfew_end_background_task(&client, event.task);
        }
        curfew_acknowledge(&client, &event);
        if (event.type == CURFEW_EVENT_WILL_TERMINATE)
            return 3;
    }
    say("lost %d", curfew_error(&client));
    return 4;
}

static volatile curfew_task held_task;

static void end_held_task(int number)
{
    (void)number;
    curfew_end_background_task_from_signal(&client, held_task);
}

static int be_signalled(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_held_task;
    sigemptyset(&action.sa_mask);
    curfew_connect(&client);
    held_task = curfew_begin_background_task(&client, "until signalled");
    sigaction(SIGUSR1, &action, NULL);
    say("ready %lu %ld", held_task, (long)getpid());
    return wait_for_the_end();
}

static int be_forked(void)
{
    pid_t child;
    int status = 0;
    curfew_connect(&client);
    say("parent's %d", curfew_begin_background_task(&client, "parent's") != CURFEW_INVALID_TASK);
    child = fork();
    if (child == 0) {
        say("child is connected %d", curfew_is_multitasking_supported(&client));
        say("child connects %d", curfew_connect(&client));
        say("child's %d", curfew_begin_background_task(&client, "child's") != CURFEW_INVALID_TASK);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    say("parent is connected %d", curfew_is_multitasking_supported(&client));
    return wait_for_the_end();
}

// ---- driving curfew -----------------------------------------------------------------------------

static const char *curfew;
static const char *self;
static char scratch[64];
static char app[64];
static pid_t proxy;
static FILE *output;            // what the app says
static char last_line[1024];

static void close_output(void)
{
    if (output)
        fclose(output);
    output = NULL;
}

// Starts `arguments`, its standard output in a pipe whose reading end is returned.
static int start(const char *const *arguments, pid_t *pid)
{
    int ends[2];
    check_must(pipe(ends) == 0, "pipe");
    *pid = fork();
    check_must(*pid >= 0, "fork");
    if (*pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    return ends[0];
}

// Runs `curfew VERB APP [OPTION]`; returns its status, and what it said in `text`.
static int ask(const char *verb, const char *option, char *text, size_t size)
{
    const char *arguments[5] = {curfew, verb, app, option, NULL};
    int status = 0, fd;
    size_t length = 0;
    ssize_t count;
    pid_t pid;
    fd = start(arguments, &pid);
    while (length < size - 1 && (count = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(fd);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void drive(const char *verb)
{
    char text[4096];
    int status = ask(verb, NULL, text, sizeof text);
    check_that(status == 0, __FILE__, __LINE__, verb, "status %d, it said: %s", status, text);
}

// Moves the app's time.
static void advance(const char *span)
{
    char text[4096];
    int status = ask("advance", span, text, sizeof text);
    check_that(status == 0, __FILE__, __LINE__, "advance", "status %d, it said: %s", status, text);
}

// Starts the app of this name under curfew. Only `advance` moves its time: on a slow machine nothing comes too late.
static void launch(const char *scenario, const char *option, const char *value)
{
    const char *arguments[16];
    size_t count = 0;
    snprintf(app, sizeof app, "c-client-%.20s-%ld", scenario, (long)getpid());
    arguments[count++] = curfew;
    arguments[count++] = "run";
    arguments[count++] = "--name";
    arguments[count++] = app;
    arguments[count++] = option;
    arguments[count++] = value;
    arguments[count++] = "--expiration-lead";
    arguments[count++] = "1s";
    arguments[count++] = "--manual-clock";
    arguments[count++] = "--";
    arguments[count++] = self;
    arguments[count++] = "app";
    arguments[count++] = scenario;
    arguments[count] = NULL;
    close_output();
    output = fdopen(start(arguments, &proxy), "r");
    check_must(output != NULL, "fdopen");
    // Lines are waited for with poll, so nothing may wait in a buffer.
    setvbuf(output, NULL, _IONBF, 0);
}

// The app's next line, within 20 s; "" at its end.
static const char *hear(void)
{
    struct pollfd item;
    size_t length = 0;
    item.fd = fileno(output);
    item.events = POLLIN;
    last_line[0] = '\0';
    while (length < sizeof last_line - 1 && poll(&item, 1, CHECK_DEADLINE_MS) > 0 &&
        read(item.fd, last_line + length, 1) == 1) {
        if (last_line[length] == '\n')
            break;
        length++;
    }
    last_line[length] = '\0';
    return last_line;
}

#define HEAR(expected) CHECK_TEXT(hear(), expected)

// Passes over lines until one begins so.
static bool hear_until(const char *beginning)
{
    char heard[2048] = "";
    for (;;) {
        const char *line = hear();
        if (!strncmp(line, beginning, strlen(beginning)))
            return true;
        snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", line);
        if (!line[0] || strlen(heard) > sizeof heard - 100)
            return check_that(false, __FILE__, __LINE__, beginning, "waited in vain; heard:\n%s", heard);
    }
}

// Waits until `curfew status` shows a text, or no longer shows it.
static void await_status(const char *text, bool is_shown)
{
    char seen[8192];
    long long end = check_now() + CHECK_DEADLINE_MS;
    struct timespec pause = {0, 20 * 1000 * 1000};
    for (;;) {
        ask("status", "--json", seen, sizeof seen);
        if (seen[0] && (strstr(seen, text) != NULL) == is_shown)
            return;
        if (check_now() > end) {
            check_that(false, __FILE__, __LINE__, text, "waited in vain for it to be %s; status:\n%s",
                is_shown ? "shown" : "gone", seen);
            return;
        }
        nanosleep(&pause, NULL); // a moment, then it is asked again
    }
}

// The status of `curfew run`; ends it if it takes more than 20 s.
static int finish(void)
{
    long long end = check_now() + CHECK_DEADLINE_MS;
    struct timespec pause = {0, 10 * 1000 * 1000};
    int status = 0;
    while (waitpid(proxy, &status, WNOHANG) == 0) {
        if (check_now() > end) {
            kill(proxy, SIGTERM);
            waitpid(proxy, &status, 0);
            proxy = 0;
            return -1;
        }
        nanosleep(&pause, NULL); // a moment, then it is asked again
    }
    proxy = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- the tests ----------------------------------------------------------------------------------

static void test_tasks(void)
{
    launch("tasks", "--budget", "60s");
    HEAR("connected 0");
    HEAR("supported 1");
    HEAR("tasks 1 2");
    HEAR("remaining inf");
    HEAR("ended 0 0 0");
    HEAR("error 0");
    HEAR("keep-alive 1 0 0");
    HEAR("connected 0");
    HEAR("task 3");
    CHECK_EQ(finish(), 0);
}

static void test_lifecycle(void)
{
    launch("aware", "--budget", "2s");
    hear_until("app c-client-aware-");
    HEAR("didFinishLaunching type=1 kind=lifecycle state=active");
    HEAR("didBecomeActive type=2 kind=lifecycle state=active");
    drive("home");
    HEAR("willResignActive type=3 kind=lifecycle state=inactive");
    HEAR("didEnterBackground type=4 kind=lifecycle state=background");
    HEAR("begun 1");
    advance("1s");
    HEAR("backgroundTaskWillExpire type=5 kind=lifecycle state=background");
    HEAR("left 1");
    await_status("\"suspended\"", true);
    drive("open");
    HEAR("willEnterForeground type=6 kind=lifecycle state=inactive");
    HEAR("didBecomeActive type=2 kind=lifecycle state=active");
    drive("warn");
    HEAR("didReceiveMemoryWarning type=10 kind=lifecycle state=active");
    HEAR("level 1");
    drive("quit");
    hear_until("willTerminate type=7 kind=lifecycle");
    CHECK_EQ(finish(), 3);
}

static void test_signal(void)
{
    unsigned long task = 0;
    long pid = 0;
    launch("signalled", "--budget", "60s");
    CHECK_EQ(sscanf(hear(), "ready %lu %ld", &task, &pid), 2);
    CHECK_EQ(task, 1);
    drive("home");
    await_status("\"background\"", true);
    if (pid > 1)
        kill((pid_t)pid, SIGUSR1);
    await_status("\"suspended\"", true);
    drive("quit");
    finish();
}

static void test_fork(void)
{
    launch("forked", "--budget", "60s");
    HEAR("parent's 1");
    HEAR("child is connected 0");
    HEAR("child connects 0");
    HEAR("child's 1");
    HEAR("parent is connected 1");
    // The child's task is the child's: it went with it.
    await_status("child's", false);
    await_status("parent's", true);
    drive("quit");
    finish();
}

// ---- waking and posting, which not every curfew can ---------------------------------------------

// Sends an operator's request to the socket at `path`; what is answered is left in `answer`.
static bool request(const char *path, const char *line, char *answer, size_t size)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd item;
    size_t length = 0;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%.107s", path);
    answer[0] = '\0';
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        send(fd, line, strlen(line), MSG_NOSIGNAL) != (ssize_t)strlen(line)) {
        close(fd);
        return false;
    }
    item.fd = fd;
    item.events = POLLIN;
    while (length < size - 1 && !strchr(answer, '\n') && poll(&item, 1, CHECK_DEADLINE_MS) > 0) {
        ssize_t count = recv(fd, answer + length, size - 1 - length, 0);
        if (count <= 0)
            break;
        length += (size_t)count;
        answer[length] = '\0';
    }
    close(fd);
    return true;
}

// Whether this curfew can: any answer but `unknown`. Skips the rest if not.
static bool can(const char *path, const char *line)
{
    char answer[CURFEW_LINE_MAX], why[CURFEW_LINE_MAX + 100];
    if (!CHECK(request(path, line, answer, sizeof answer)))
        return false;
    if (strstr(answer, "code=unknown")) {
        snprintf(why, sizeof why, "this curfew can't yet: %.60s", line);
        why[strcspn(why, "\n")] = '\0';
        check_skip(why);
        return false;
    }
    return check_that(!strncmp(answer, "ok ", 3), __FILE__, __LINE__, line, "answered %s", answer);
}

static void check_posting(const char *path)
{
    if (!can(path, "post id=1 name=mail.new info.count=3 info.from=\"a b\\\\c\"\n"))
        return;
    HEAR("mail.new type=8 kind=change state=active");
    HEAR("info count=3");
    HEAR("info from=a b\\c");
}

static void check_interruption(const char *path)
{
    if (!can(path, "interrupt id=1\n"))
        return;
    HEAR("willResignActive type=3 kind=lifecycle state=inactive");
    CHECK(can(path, "dismiss id=1\n"));
    HEAR("didBecomeActive type=2 kind=lifecycle state=active");
}

// Homed, without its task, so suspended; then woken, and suspended again once it has acknowledged.
static void check_waking(const char *path)
{
    char seen[8192];
    drive("home");
    advance("1s");
    hear_until("backgroundTaskWillExpire");
    await_status("\"suspended\"", true);
    if (!can(path, "wake id=1 name=fetch info.url=\"http://x/?a=b c\"\n"))
        return;
    hear_until("fetch type=9 kind=wake state=background");
    HEAR("info url=http://x/?a=b c");
    await_status("\"suspended\"", true);
    CHECK_EQ(ask("status", "--json", seen, sizeof seen), 0);
}

static void test_waking_and_posting(void)
{
    char path[256];
    launch("aware", "--budget", "2s");
    snprintf(path, sizeof path, "%s", hear());
    if (!CHECK(!strncmp(path, "socket ", 7)))
        return;
    hear_until("didBecomeActive");
    check_posting(path + 7);
    check_interruption(path + 7);
    check_waking(path + 7);
    drive("quit");
    finish();
}

static void test_restoring(void)
{
    char path[128], line[160];
    struct stat status;
    snprintf(path, sizeof path, "%s/saved", scratch);
    snprintf(line, sizeof line, "state %s", path);
    launch("aware", "--state-dir", path);
    hear_until("app c-client-aware-");
    HEAR(line);
    hear_until("didBecomeActive");
    drive("quit");
    CHECK_EQ(finish(), 3);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_mode & 07777, 0700);
    CHECK_EQ(rmdir(path), 0);
    launch("aware", "--launch-option", "restored=true");
    hear_until("app c-client-aware-");
    HEAR("didFinishLaunching type=1 kind=lifecycle state=active");
    HEAR("info restored=true");
    HEAR("restored unsaid why");
    hear_until("didBecomeActive");
    drive("quit");
    CHECK_EQ(finish(), 3);
}

// ---- a dead supervisor --------------------------------------------------------------------------

// Resumed, the app goes on without Curfew: it is told once that the connection is lost, and ends by itself.
static void test_killed_supervisor(void)
{
    char seen[8192];
    const char *found;
    long supervisor = 0;
    // The keeper continues the app while it ends; LeakSanitizer's look at its threads, which stops them, can then go on for ever.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    launch("aware", "--on-supervisor-exit", "resume");
    unsetenv("ASAN_OPTIONS");
    hear_until("didBecomeActive");
    CHECK_EQ(ask("status", "--json", seen, sizeof seen), 0);
    found = strstr(seen, "\"supervisor\":");
    if (!CHECK(found && sscanf(found, "\"supervisor\": %ld", &supervisor) == 1 && supervisor > 1))
        return;
    kill((pid_t)supervisor, SIGKILL);
    hear_until("lost -104");
    finish();
}

// ---- all ----------------------------------------------------------------------------------------

// What each test leaves in its runtime directory: nothing, but for what a killed supervisor couldn't remove.
static void clean_up(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s/curfew/%s.sock", scratch, app);
    unlink(path);
    snprintf(path, sizeof path, "%s/curfew", scratch);
    checks.subject = "left behind";
    CHECK(rmdir(path) == 0 || errno == ENOENT);
    CHECK_EQ(rmdir(scratch), 0);
}

static int be_app(const char *scenario)
{
    if (!strcmp(scenario, "tasks"))
        return be_task_holder();
    if (!strcmp(scenario, "aware"))
        return be_aware();
    if (!strcmp(scenario, "signalled"))
        return be_signalled();
    return be_forked();
}

#define TEST(name) {#name, test_##name}
static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {TEST(tasks), TEST(lifecycle), TEST(signal), TEST(fork), TEST(waking_and_posting), TEST(restoring),
    TEST(killed_supervisor)};

int main(int count, char **arguments)
{
    static char own_path[4096];
    const char *directory = getenv("TMPDIR");
    size_t index;
    if (count > 2 && !strcmp(arguments[1], "app"))
        return be_app(arguments[2]);
    checks.subject = "the real binary";
    curfew = getenv("CURFEW");
    if (!curfew) {
        check_skip("CURFEW isn't set to the curfew to test");
        return check_finish();
    }
    if (!check_that(access(curfew, X_OK) == 0, __FILE__, __LINE__, "CURFEW", "no program: %s", curfew))
        return check_finish();
    check_must(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0, "readlink");
    self = own_path;
    snprintf(scratch, sizeof scratch, "%s/r-XXXXXX", directory && strlen(directory) < 40 ? directory : "/tmp");
    check_must(mkdtemp(scratch) != NULL, "mkdtemp");
    setenv("XDG_RUNTIME_DIR", scratch, 1);
    unsetenv("CURFEW_FD");
    unsetenv("CURFEW_SOCKET");
    unsetenv("CURFEW_STATE_DIR");
    for (index = 0; index < sizeof tests / sizeof *tests; index++) {
        if (count > 1 && !strstr(tests[index].name, arguments[1]))
            continue;
        checks.subject = tests[index].name;
        tests[index].run();
        if (proxy > 0) {
            kill(proxy, SIGTERM);
            finish();
        }
        close_output();
    }
    clean_up();
    return check_finish();
}
