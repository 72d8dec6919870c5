// waker COMMAND…   The least it takes to continue a stopped server for its own input. Runs COMMAND, and for every line on
//                  stdin stops it, waits for its sockets by duplicates of them, prints 0, and continues it as soon as
//                  something comes by one; what was ready already counts as having come. Ends it at the end of stdin.
#define _GNU_SOURCE
#include "bench.h"
#include <sys/epoll.h>
#include <sys/socket.h>

#define MOST_DESCRIPTORS 4096

static int duplicates[MOST_DESCRIPTORS], duplicate_count;

static bool is_socket(int fd) {
    int type;
    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &(socklen_t){sizeof type});
}

static int watch(int pidfd) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    for (int number = 0; number < MOST_DESCRIPTORS; number++) {
        int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
        if (fd < 0 && errno != EBADF) die("pidfd_getfd");
        if (fd < 0) continue;
        if (!is_socket(fd) || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)) close(fd);
        else duplicates[duplicate_count++] = fd;
    }
    return epoll;
}

static void stop(pid_t pid) {
    siginfo_t info;
    if (kill(pid, SIGSTOP) || waitid(P_PID, (id_t)pid, &info, WSTOPPED)) die("stop");
}

// False at the end of stdin.
static bool sleep_until_needed(pid_t pid, int pidfd) {
    stop(pid);
    struct pollfd ways[] = {{watch(pidfd), POLLIN, 0}, {0, 0, 0}};
    puts("0");
    if (poll(ways, 2, -1) < 0) die("poll");
    close(ways[0].fd);
    kill(pid, SIGCONT);
    while (duplicate_count) close(duplicates[--duplicate_count]);
    return !ways[1].revents;
}

int main(int argc, char **argv) {
    char line[64];
    struct rlimit limit;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 2) return 64;
    pid_t self = getpid(), pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(0);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int pidfd = open_pidfd(pid);
    if (pidfd < 0) die("pidfd_open");
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    printf("%d\n", pid);
    while (fgets(line, sizeof line, stdin) && sleep_until_needed(pid, pidfd)) {}
    return end_children(&pid, 1);
}
