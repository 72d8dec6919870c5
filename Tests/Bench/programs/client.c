// client SOCKET         connects once, then for every line on stdin sends `home` and `open` and prints the times until
//                       their replies, in µs. With "home" or "open" on stdin, only that one.
// client SOCKET VERB    connects, sends it, waits for the reply: the least that a command for it can do
#define _GNU_SOURCE
#include "bench.h"
#include <sys/socket.h>
#include <sys/un.h>

#define REPLY_LIMIT_MS 8000

// True for the reply to our request; events and replies to others are skipped.
static bool replies(const char *line, int id) {
    char ok[32], error[32];
    int n = snprintf(ok, sizeof ok, "ok id=%d", id), m = snprintf(error, sizeof error, "error id=%d", id);
    if (!strncmp(line, error, (size_t)m) || !strncmp(line, "error code", 10)) {
        fprintf(stderr, "client: %s\n", line);
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

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die(path);
    return fd;
}

static void converse(int fd) {
    char line[64];
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
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2 && argc != 3) return 64;
    int fd = connect_to(argv[1]);
    if (argc == 2) converse(fd);
    else request(fd, argv[2]);
    return 0;
}
