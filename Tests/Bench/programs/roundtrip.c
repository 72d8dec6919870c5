// roundtrip app COUNT [CPU]     inside an app: asks `remaining` COUNT times over CURFEW_FD, prints each time in us
// roundtrip echo COUNT [CPU]    the same client against a blocking C server on the same kind of socket
// CPU: the client alone moves there; the server stays where it was started.
#define _GNU_SOURCE
#include "bench.h"
#include <sched.h>
#include <sys/socket.h>

#define REPLY_LIMIT_MS 5000
#define WARM_UP 100

static void serve(int fd) {
    char line[4096], reply[64];
    ssize_t n;
    int id;
    while ((n = read(fd, line, sizeof line - 1)) > 0) {
        line[n] = 0;
        if (sscanf(line, "remaining id=%d", &id) != 1) _exit(1);
        int size = snprintf(reply, sizeof reply, "ok id=%d seconds=inf\n", id);
        if (write(fd, reply, (size_t)size) != size) _exit(1);
    }
    _exit(0);
}

static bool starts(const char *line, const char *with) { return !strncmp(line, with, strlen(with)); }

// Reads lines until the reply to `id`; lines that aren't ours (a greeting) are skipped.
static void await_reply(int fd, int id) {
    static char buffer[8192];
    static size_t used;
    char ok[32];
    snprintf(ok, sizeof ok, "ok id=%d ", id);
    for (;;) {
        char *end;
        while ((end = memchr(buffer, '\n', used))) {
            *end = 0;
            bool done = starts(buffer, ok);
            if (starts(buffer, "error")) fprintf(stderr, "roundtrip: %s\n", buffer), exit(121);
            used -= (size_t)(end + 1 - buffer);
            memmove(buffer, end + 1, used);
            if (done) return;
        }
        ssize_t n = read(fd, buffer + used, sizeof buffer - used);
        if (n <= 0) errno = n ? errno : EPIPE, die("the channel was closed or silent");
        used += (size_t)n;
    }
}

// A receive timeout instead of poll(), so that both sides of the comparison cost the client one read.
static void set_limit(int fd) {
    struct timeval limit = {REPLY_LIMIT_MS / 1000, 0};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit)) die("SO_RCVTIMEO");
}

static void use_cpu(const char *cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(atoi(cpu), &one);
    if (sched_setaffinity(0, sizeof one, &one)) die("sched_setaffinity");
}

static void ask(int fd, int count) {
    char line[64];
    double *times = calloc((size_t)count, sizeof *times);
    for (int i = -WARM_UP; i < count; i++) {
        long long start = now_ns();
        int n = snprintf(line, sizeof line, "remaining id=%d\n", i + WARM_UP + 1);
        if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n) die("send");
        await_reply(fd, i + WARM_UP + 1);
        if (i >= 0) times[i] = (now_ns() - start) / 1e3;
    }
    for (int i = 0; i < count; i++) printf("%.2f\n", times[i]);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    int count = atoi(argv[2]), pair[2];
    alarm(60);
    if (!strcmp(argv[1], "app")) {
        const char *fd = getenv("CURFEW_FD");
        if (!fd) return fputs("roundtrip: no CURFEW_FD\n", stderr), 121;
        if (argc > 3) use_cpu(argv[3]);
        set_limit(atoi(fd));
        ask(atoi(fd), count);
        return 0;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) die("socketpair");
    pid_t server = fork();
    if (server == 0) close(pair[0]), serve(pair[1]);
    close(pair[1]);
    if (argc > 3) use_cpu(argv[3]);
    set_limit(pair[0]);
    ask(pair[0], count);
    close(pair[0]);
    waitpid(server, NULL, 0);
    return 0;
}
