// The least it takes to stop and continue N idle processes. Each mode forks them, then answers every line on stdin by
// stopping and continuing all of them, and prints: stop_us continue_us, each until it is known to have happened.
//
// suspend loop N             kill(2) + waitid(P_PID) for each
// suspend freezer1 DIR N     the cgroup v1 freezer DIR, read until it says FROZEN
// suspend freezer2 DIR N     the cgroup v2 group DIR, whose events are read until they say frozen
//
// suspend serve N SOCKET     the loop behind a socket of the kind that Curfew listens on: `home` and `open` are
//                            answered when done, so that `client` can ask it as it asks Curfew
// suspend app N FILE         the same tree as an app: N processes in all, the leader among them. Their pids are
//                            written to FILE when all run.
#define _GNU_SOURCE
#include "bench.h"
#include <sys/socket.h>
#include <sys/un.h>

#define LIFETIME_S 240
#define FREEZE_LIMIT 8000000000LL

static pid_t *make_children(int count) {
    pid_t *pids = calloc((size_t)count + 1, sizeof *pids);
    for (int i = 0; i < count; i++) pids[i] = idle_child(LIFETIME_S);
    return pids;
}

// The children come to rest before the first figure.
static void settle(void) {
    sleep_ns(100000000);
    puts("ready");
}

static double signal_all(const pid_t *pids, int count, int signal, int event) {
    siginfo_t info;
    long long start = now_ns();
    for (int i = 0; i < count; i++)
        if (kill(pids[i], signal)) die("kill");
    for (int i = 0; i < count; i++)
        if (waitid(P_PID, (id_t)pids[i], &info, event)) die("waitid");
    return (now_ns() - start) / 1e3;
}

static int loop(int count) {
    char line[64];
    pid_t *pids = make_children(count);
    settle();
    while (fgets(line, sizeof line, stdin)) {
        double stop = signal_all(pids, count, SIGSTOP, WSTOPPED);
        printf("%.1f %.1f\n", stop, signal_all(pids, count, SIGCONT, WCONTINUED));
    }
    return end_children(pids, count);
}

static void join_group(const char *directory, const char *procs) {
    int fd = open_in(directory, procs, O_WRONLY);
    if (write(fd, "0", 1) != 1) die(directory);
    close(fd);
}

// Writes `order`, then reads the state until `done` stands in it.
static double freeze(int order_fd, const char *order, int state_fd, const char *done) {
    char text[256];
    long long start = now_ns();
    if (pwrite(order_fd, order, strlen(order), 0) < 0) die(order);
    for (;;) {
        ssize_t n = pread(state_fd, text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = 0;
        if (strstr(text, done)) return (now_ns() - start) / 1e3;
        if (now_ns() > start + FREEZE_LIMIT) errno = ETIMEDOUT, die(order);
    }
}

static int freezer(bool v2, const char *directory, int count) {
    char line[64];
    join_group(directory, "cgroup.procs");
    pid_t *pids = make_children(count);
    join_group(directory, "../cgroup.procs");
    int order = open_in(directory, v2 ? "cgroup.freeze" : "freezer.state", O_RDWR);
    int state = v2 ? open_in(directory, "cgroup.events", O_RDONLY) : order;
    settle();
    while (fgets(line, sizeof line, stdin)) {
        double stop = freeze(order, v2 ? "1" : "FROZEN", state, v2 ? "frozen 1" : "FROZEN");
        printf("%.1f %.1f\n", stop, freeze(order, v2 ? "0" : "THAWED", state, v2 ? "frozen 0" : "THAWED"));
    }
    return end_children(pids, count);
}

static int serve(int count, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char line[4096], reply[64], verb[16];
    int id;
    ssize_t n;
    pid_t *pids = make_children(count);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)) die(path);
    settle();
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (fd >= 0 && (n = read(fd, line, sizeof line - 1)) > 0) {
        line[n] = 0;
        if (sscanf(line, "%15s id=%d", verb, &id) != 2) return 1;
        bool home = !strcmp(verb, "home");
        signal_all(pids, count, home ? SIGSTOP : SIGCONT, home ? WSTOPPED : WCONTINUED);
        int size = snprintf(reply, sizeof reply, "ok id=%d state=%s\n", id, home ? "suspended" : "active");
        if (write(fd, reply, (size_t)size) != size) return 1;
    }
    return end_children(pids, count);
}

static _Noreturn void app(int count, const char *path) {
    char temporary[4096];
    pid_t *pids = make_children(count - 1);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "we");
    if (!file) die(temporary);
    fprintf(file, "%d\n", getpid());
    for (int i = 0; i < count - 1; i++) fprintf(file, "%d\n", pids[i]);
    if (fclose(file) || rename(temporary, path)) die(path);
    for (;;) pause();
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(LIFETIME_S);
    if (argc == 3 && !strcmp(argv[1], "loop")) return loop(atoi(argv[2]));
    if (argc == 4 && !strcmp(argv[1], "freezer1")) return freezer(false, argv[2], atoi(argv[3]));
    if (argc == 4 && !strcmp(argv[1], "freezer2")) return freezer(true, argv[2], atoi(argv[3]));
    if (argc == 4 && !strcmp(argv[1], "serve")) return serve(atoi(argv[2]), argv[3]);
    if (argc == 4 && !strcmp(argv[1], "app")) app(atoi(argv[2]), argv[3]);
    return 64;
}
