// suspend loop N            forks N idle children, then for every line on stdin stops and continues all of them
//                           with kill(2) + waitid(P_PID) each, and prints: stop_us continue_us
// suspend app N FILE        the same tree as an app: N processes in all, the leader among them. Their pids are
//                           written to FILE when all run.
// suspend client SOCKET     connects once, then for every line on stdin sends `home` and `open` and prints the
//                           times until their replies. With "home" or "open" on stdin, only that one.
#define _GNU_SOURCE
#include "bench.h"
#include <sys/socket.h>
#include <sys/un.h>

#define LIFETIME_S 240
#define REPLY_LIMIT_MS 8000

static pid_t idle_child(void) {
    pid_t leader = getpid(), pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != leader) _exit(0);
        alarm(LIFETIME_S);
        for (;;) pause();
    }
    return pid;
}

static pid_t *make_children(int count) {
    pid_t *pids = calloc((size_t)count + 1, sizeof *pids);
    for (int i = 0; i < count; i++) pids[i] = idle_child();
    return pids;
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
    alarm(LIFETIME_S);
    pid_t *pids = make_children(count);
    sleep_ns(100000000);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        double stop = signal_all(pids, count, SIGSTOP, WSTOPPED);
        printf("%.1f %.1f\n", stop, signal_all(pids, count, SIGCONT, WCONTINUED));
    }
    for (int i = 0; i < count; i++) kill(pids[i], SIGKILL);
    while (wait(NULL) > 0) {}
    return 0;
}

static _Noreturn void app(int count, const char *path) {
    char temporary[4096];
    alarm(LIFETIME_S);
    pid_t *pids = make_children(count - 1);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "we");
    if (!file) die(temporary);
    fprintf(file, "%d\n", getpid());
    for (int i = 0; i < count - 1; i++) fprintf(file, "%d\n", pids[i]);
    if (fclose(file) || rename(temporary, path)) die(path);
    for (;;) pause();
}

// True for the reply to our request; events and replies to others are skipped.
static bool replies(const char *line, int id) {
    char ok[32], error[32];
    int n = snprintf(ok, sizeof ok, "ok id=%d", id), m = snprintf(error, sizeof error, "error id=%d", id);
    if (!strncmp(line, error, (size_t)m) || !strncmp(line, "error code", 10)) {
        fprintf(stderr, "suspend: %s\n", line);
        exit(121);
    }
    return !strncmp(line, ok, (size_t)n) && (line[n] == ' ' || line[n] == 0);
}

static void await_reply(int fd, int id) {
    static char buffer[8192];
    static size_t used;
    for (;;) {
        char *end;
        while ((end = memchr(buffer, '\n', used))) {
            *end = 0;
            bool done = replies(buffer, id);
            used -= (size_t)(end + 1 - buffer);
            memmove(buffer, end + 1, used);
            if (done) return;
        }
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, REPLY_LIMIT_MS) <= 0) errno = ETIMEDOUT, die("no reply");
        ssize_t n = read(fd, buffer + used, sizeof buffer - used);
        if (n <= 0) errno = n ? errno : EPIPE, die("the control socket was closed");
        used += (size_t)n;
    }
}

static double request(int fd, const char *verb) {
    static int id;
    char line[64];
    int n = snprintf(line, sizeof line, "%s id=%d\n", verb, ++id);
    long long start = now_ns();
    if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n) die("send");
    await_reply(fd, id);
    return (now_ns() - start) / 1e3;
}

static int client(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char line[64];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die(path);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        if (!strcmp(line, "home\n") || !strcmp(line, "open\n")) {
            line[4] = 0;
            printf("%.1f\n", request(fd, line));
            continue;
        }
        double home = request(fd, "home");
        printf("%.1f %.1f\n", home, request(fd, "open"));
    }
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 3 && !strcmp(argv[1], "loop")) return loop(atoi(argv[2]));
    if (argc == 4 && !strcmp(argv[1], "app")) app(atoi(argv[2]), argv[3]);
    if (argc == 3 && !strcmp(argv[1], "client")) return client(argv[2]);
    return 64;
}
