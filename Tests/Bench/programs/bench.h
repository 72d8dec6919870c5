// Shared by the bench's C programs: the clock, the arena that victims and harness share, small helpers.
#ifndef BENCH_H
#define BENCH_H
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEPARATOR "::"
#define MAX_COMMANDS 16

// One page in a file that the harness and every victim map shared.
struct arena {
    _Atomic int stop;              // set by the harness: every victim leaves by itself
    _Atomic int pid;               // the victim's leader
    _Atomic long long started_ns;  // first statement of the victim's main
    _Atomic long long touched;     // bytes the hog has touched
    _Atomic long long waited_ns;   // how long the victim was ready but had no CPU, until then
};

static inline long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void sleep_ns(long long ns) {
    struct timespec t = {ns / 1000000000LL, ns % 1000000000LL};
    nanosleep(&t, NULL);
}

static inline void die(const char *what) {
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(120);
}

static inline struct arena *map_arena(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) die(path);
    struct arena *arena = mmap(NULL, sizeof *arena, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (arena == MAP_FAILED) die("mmap arena");
    close(fd);
    return arena;
}

static inline void clear_arena(struct arena *arena) {
    arena->stop = 0;
    arena->pid = 0;
    arena->started_ns = 0;
    arena->touched = 0;
    arena->waited_ns = 0;
}

// Splits argv at every "::" into NULL-terminated commands.
static inline int split_commands(int argc, char **argv, int from, char ***commands) {
    int count = 0;
    for (int i = from; i < argc && count < MAX_COMMANDS; i++) {
        commands[count++] = argv + i;
        while (i < argc && strcmp(argv[i], SEPARATOR)) i++;
        argv[i] = NULL;
    }
    return count;
}

static inline int open_pidfd(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// Waits until the process behind a pidfd has ended; false when the deadline came first.
static inline bool ended_by(int pidfd, long long deadline_ns) {
    for (;;) {
        long long left = deadline_ns - now_ns();
        if (left <= 0) return false;
        struct pollfd p = {pidfd, POLLIN, 0};
        int n = poll(&p, 1, (int)(left / 1000000) + 1);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) die("poll pidfd");
    }
}

// A child that does nothing, until it is killed, its parent is gone or its time is over.
static inline pid_t idle_child(unsigned lifetime_s) {
    pid_t leader = getpid(), pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != leader) _exit(0);
        alarm(lifetime_s);
        for (;;) pause();
    }
    return pid;
}

static inline int end_children(const pid_t *pids, int count) {
    for (int i = 0; i < count; i++) kill(pids[i], SIGKILL);
    while (wait(NULL) > 0) {}
    return 0;
}

// The harness is a subreaper, so all that a wrapper leaves behind becomes its child and can be found,
// killed and reaped by pid without touching a stranger. Comets leave because `stop` is set.
static inline void kill_children(void) {
    char path[64], pids[16384];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, pids, sizeof pids - 1);
    close(fd);
    if (n <= 0) return;
    // A list cut short would end in half a pid, a stranger's: only what a space follows counts.
    while (n > 0 && pids[n - 1] != ' ') n--;
    pids[n] = 0;
    // Our own unreaped children: none of these pids can have been given to anyone else.
    for (char *p = strtok(pids, " "); p; p = strtok(NULL, " "))
        if (atoi(p) > 1) kill(atoi(p), SIGKILL);
}

static inline bool clean_up(struct arena *arena) {
    long long deadline = now_ns() + 5000000000LL;
    if (arena) arena->stop = 1;
    while (now_ns() < deadline) {
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {}
        if (pid < 0 && errno == ECHILD) return true;
        kill_children();
        sleep_ns(1000000);
    }
    fprintf(stderr, "bench: children left after 5 s of killing\n");
    return false;
}

static inline pid_t spawn(char **command) {
    pid_t pid = vfork();
    if (pid < 0) die("vfork");
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    return pid;
}

// The victim's pid, once it runs; 0 when it never did.
static inline pid_t await_victim(struct arena *arena, long long deadline_ns) {
    while (!arena->pid && now_ns() < deadline_ns) sleep_ns(200000);
    return arena->pid;
}

static inline int open_in(const char *directory, const char *name, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) die(path);
    return fd;
}
#endif
