// crowd PORT N MS   N clients of the redis-server at 127.0.0.1:PORT. Each connects after up to MS ms, at random, sends one to
//                   three PINGs with such a pause before each but the first, and closes; again and again until stdin ends.
//                   Prints: the PINGs that were answered, those that weren't within 10 s, the slowest answer in µs.
#define _GNU_SOURCE
#include "bench.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#define ANSWER_LIMIT_S 10
#define MOST_CLIENTS 250

static struct sockaddr_in server = {.sin_family = AF_INET};
static double most_pause_ns;
static atomic_bool is_over;
static _Atomic long answered, lost;
static _Atomic long long slowest_ns;

struct client {
    pthread_t thread;
    int number;
    unsigned seed;
};

static void pause_at_random(struct client *client) {
    sleep_ns((long long)(most_pause_ns * rand_r(&client->seed) / RAND_MAX));
}

// From an address of its own, so that no closed connection's port is ever in the way.
static int connect_from(int number) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (unsigned)number)};
    struct timeval limit = {.tv_sec = ANSWER_LIMIT_S};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own)) die("bind");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&server, sizeof server)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool ask(int fd) {
    char answer[7];
    return send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6 && recv(fd, answer, 7, MSG_WAITALL) == 7
        && !memcmp(answer, "+PONG\r\n", 7);
}

static void note(long long ns) {
    long long before = slowest_ns;
    answered++;
    while (ns > before && !atomic_compare_exchange_weak(&slowest_ns, &before, ns)) {}
}

static void *run(void *argument) {
    struct client *client = argument;
    while (!is_over) {
        pause_at_random(client);
        long long start = now_ns();
        int fd = connect_from(client->number), left = 1 + rand_r(&client->seed) % 3;
        bool went = fd >= 0;
        for (; went && left; left--) {
            went = ask(fd);
            if (went) note(now_ns() - start);
            if (left > 1) pause_at_random(client);
            start = now_ns();
        }
        if (!went) lost++;
        if (fd >= 0) close(fd);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct client clients[MOST_CLIENTS];
    if (argc != 4 || atoi(argv[2]) > MOST_CLIENTS) return 64;
    int count = atoi(argv[2]);
    server.sin_port = htons((uint16_t)atoi(argv[1]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    most_pause_ns = atof(argv[3]) * 1e6;
    for (int i = 0; i < count; i++) {
        clients[i].number = i;
        clients[i].seed = (unsigned)i;
        if ((errno = pthread_create(&clients[i].thread, NULL, run, clients + i))) die("pthread_create");
    }
    while (getchar() != EOF) {}
    is_over = true;
    for (int i = 0; i < count; i++) pthread_join(clients[i].thread, NULL);
    printf("%ld %ld %.1f\n", answered, lost, slowest_ns / 1e3);
    return 0;
}
