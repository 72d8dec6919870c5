// holder MODE [leave]   A program that is hard to be rid of.
//
// The first process, the leader, prints `up` once the victim is in place; then it waits, or with `leave` exits 5.
// Every process keeps the descriptor $ALIVE names, a pipe's end: the reader sees its end when the last one is dead.
// $ARENA names a file of two counters that all share: how many were forked, and how far a comet has come.
// Safety: nothing lives longer than 40 s, and no more than 300 (a comet: 400,000 one after another) are forked.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct arena { volatile int forked, steps; };
static struct arena *arena;
static time_t deadline;
static int ready = -1;

static time_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void hold(void) {
    while (now() < deadline) usleep(100000);
    _exit(0);
}

static void tell_ready(void) {
    if (ready >= 0 && write(ready, "x", 1) != 1) _exit(9);
    if (ready >= 0) close(ready);
    ready = -1;
}

static pid_t bounded_fork(int most) {
    if (__sync_add_and_fetch(&arena->forked, 1) > most) return -1;
    return fork();
}

static void victim(void) { tell_ready(); hold(); }

static void ignore(bool all) {
    signal(SIGTERM, SIG_IGN);
    if (!all) return;
    sigset_t set;
    for (int s = 1; s < 65; s++) signal(s, SIG_IGN);
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static void daemonise(void) {
    setsid();
    if (fork() > 0) _exit(0);
    if (chdir("/")) _exit(9);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
}

// Forks and exits for ever: no list of pids stays true.
static void comet(bool new_session) {
    tell_ready();
    for (int step = 0; step < 400000 && now() < deadline; step++) {
        arena->steps++;
        if (new_session) setsid();
        pid_t pid = fork();
        if (pid > 0) _exit(0);
        if (pid < 0) usleep(1000);
    }
    _exit(0);
}

static void vfork_wait(void) {
    if (vfork() == 0) {
        tell_ready();
        while (now() < deadline) usleep(100000);
        _exit(0);
    }
    hold();
}

static void bomb(void) {
    tell_ready();
    while (now() < deadline) {
        pid_t pid = bounded_fork(300);
        if (pid < 0) usleep(20000);
    }
    _exit(0);
}

// Makes cgroups below its own and moves on into them, 3 deep.
static void hop(void) {
    char line[4096], path[8192];
    FILE *file = fopen("/proc/self/cgroup", "r");
    const char *mount = getenv("UNIFIED");
    path[0] = 0;
    while (file && mount && fgets(line, sizeof line, file))
        if (!strncmp(line, "0::", 3)) {
            line[strcspn(line, "\n")] = 0;
            snprintf(path, sizeof path, "%s%s", mount, line + 3);
        }
    for (int depth = 0; depth < 3; depth++) {
        strcat(path, "/deeper");
        if (mkdir(path, 0755)) _exit(9);
        char procs[8300];
        snprintf(procs, sizeof procs, "%s/cgroup.procs", path);
        int fd = open(procs, O_WRONLY);
        if (fd < 0 || write(fd, "0", 1) != 1) _exit(9);
        close(fd);
        if (fork() == 0) hold();
    }
    victim();
}

static void *idle(void *unused) { hold(); return unused; }

static void threads(int count) {
    pthread_t thread;
    for (int i = 0; i < count; i++) pthread_create(&thread, NULL, idle, NULL);
    victim();
}

// 3 children each, 3 deep.
static void grow(int depth) {
    for (int i = 0; i < 3 && depth > 0; i++)
        if (fork() == 0) { grow(depth - 1); __sync_add_and_fetch(&arena->forked, 1); hold(); }
}

static void await_forked(int count) {
    while (arena->forked < count && now() < deadline) usleep(1000);
}

// Children that come and go all the time, so that some exit while they are being stopped.
static void churn(void) {
    tell_ready();
    for (int i = 0; i < 200000 && now() < deadline; i++) {
        arena->steps++;
        pid_t pid = fork();
        if (pid == 0) _exit(0);
        if (pid > 0) waitpid(pid, NULL, 0);
    }
    _exit(0);
}

static void run_victim(const char *mode, char **argv) {
    if (!strcmp(mode, "stopped")) { tell_ready(); while (now() < deadline) raise(SIGSTOP); _exit(0); }
    if (!strcmp(mode, "own-group")) { setpgid(0, 0); victim(); }
    if (!strcmp(mode, "own-session")) { setsid(); victim(); }
    if (!strcmp(mode, "daemon")) { daemonise(); victim(); }
    if (!strcmp(mode, "bare-daemon")) {
        daemonise();
        char number[16];
        snprintf(number, sizeof number, "%d", ready);
        char *arguments[] = {argv[0], "bare", number, NULL}, *none[] = {NULL};
        execve("/proc/self/exe", arguments, none);
        _exit(9);
    }
    if (!strcmp(mode, "comet")) comet(false);
    if (!strcmp(mode, "setsid-comet")) comet(true);
    if (!strcmp(mode, "vfork")) vfork_wait();
    if (!strcmp(mode, "subreaper")) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        if (fork() == 0) { daemonise(); victim(); }
        close(ready);
        while (now() < deadline) { while (waitpid(-1, NULL, WNOHANG) > 0) {} usleep(50000); }
        _exit(0);
    }
    if (!strcmp(mode, "hop")) hop();
    if (!strcmp(mode, "bomb")) bomb();
    if (!strcmp(mode, "threads")) threads(40);
    if (!strcmp(mode, "deep")) { grow(3); await_forked(39); victim(); }
    if (!strcmp(mode, "many")) {
        for (int i = 0; i < 200; i++) if (fork() == 0) { __sync_add_and_fetch(&arena->forked, 1); hold(); }
        await_forked(200);
        victim();
    }
    if (!strcmp(mode, "churn")) churn();
    victim();
}

static void open_arena(void) {
    const char *path = getenv("ARENA");
    int fd = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof *arena)) _exit(9);
    arena = mmap(NULL, sizeof *arena, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
    deadline = now() + 40;
    open_arena();
    if (argc > 2 && !strcmp(argv[1], "bare")) { ready = atoi(argv[2]); victim(); }
    if (argc < 2) return 64;
    const char *mode = argv[1];
    int ends[2];
    if (pipe(ends)) return 9;
    if (!strncmp(mode, "ignore", 6)) ignore(!strcmp(mode, "ignore-all"));
    if (fork() == 0) { close(ends[0]); ready = ends[1]; run_victim(mode, argv); }
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 1) return 9;
    printf("up\n");
    fflush(stdout);
    if (argc > 2 && !strcmp(argv[2], "leave")) return 5;
    // Reaps what comes back to it.
    while (now() < deadline) { while (waitpid(-1, NULL, WNOHANG) > 0) {} usleep(20000); }
    return 0;
}
