// ping PORT N   Holds N connections to the redis-server at 127.0.0.1:PORT, one at least, each of which has been answered. Then
//               for every line on stdin it sends a PING and prints how long the first byte of the answer took, in µs: `new`
//               from the connect(2) of a new connection, `kept` over the first of those it holds. -1: none came within 2 s.
#define _GNU_SOURCE
#include "bench.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define ANSWER_LIMIT_MS 2000

static struct sockaddr_in server = {.sin_family = AF_INET};

static int connect_to_server(void) {
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof server)) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static bool comes(int fd) {
    struct pollfd p = {fd, POLLIN, 0};
    return poll(&p, 1, ANSWER_LIMIT_MS) > 0;
}

// When the first byte of the answer was there; 0 for none.
static long long ask(int fd) {
    char answer[64];
    size_t used = 0;
    long long first = 0;
    while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0) {}  // an answer that came too late
    if (send(fd, "PING\r\n", 6, MSG_NOSIGNAL) != 6) die("send");
    while (used < 7) {
        if (!comes(fd)) return 0;
        ssize_t n = read(fd, answer + used, 7 - used);
        if (!first) first = now_ns();
        if (n <= 0) errno = n ? errno : EPIPE, die("the server closed the connection");
        used += (size_t)n;
    }
    if (memcmp(answer, "+PONG\r\n", 7)) errno = EBADMSG, die("not the answer to PING");
    return first;
}

static double ask_anew(void) {
    long long start = now_ns();
    int fd = connect_to_server();
    long long first = ask(fd);
    close(fd);
    return first ? (first - start) / 1e3 : -1;
}

static double ask_over(int fd) {
    long long start = now_ns(), first = ask(fd);
    return first ? (first - start) / 1e3 : -1;
}

int main(int argc, char **argv) {
    char line[64];
    struct rlimit limit;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 3 || atoi(argv[2]) < 1) return 64;
    server.sin_port = htons((uint16_t)atoi(argv[1]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int kept = connect_to_server();
    for (int fd = kept, left = atoi(argv[2]); left; fd = --left ? connect_to_server() : fd)
        if (!ask(fd)) errno = ETIMEDOUT, die("a connection isn't answered");
    puts("ready");
    while (fgets(line, sizeof line, stdin)) printf("%.1f\n", strcmp(line, "new\n") ? ask_over(kept) : ask_anew());
    return 0;
}
