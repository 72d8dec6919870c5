// victim ARENA MODE [LOCK MARK]   A program to be killed. Notes the time as the first statement of main.
// With LOCK it holds a shared flock on a file it opened itself: every descendant shares that open file, so
// the lock is free only when all are dead, and no wrapper can hold it by inheritance. MARK only stands in argv.
// Nothing here lives longer than SELF_LIMIT_S, nor after the arena's `stop` is set (a stopped victim can't
// look: the harness, its reaper, kills it by pid).
#define _GNU_SOURCE
#include "bench.h"
#include "group.h"
#include <sys/file.h>

#define SELF_LIMIT_S 20
#define COMET_GENERATIONS 500000

static struct arena *arena;
static long long deadline_ns;

static bool over(void) { return arena->stop || now_ns() > deadline_ns; }

static void hold(void) {
    while (!over()) sleep_ns(5000000);
    _exit(0);
}

static void ignore_all(void) {
    sigset_t all;
    for (int s = 1; s < 65; s++) signal(s, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void stop_self(void) {
    while (!over()) raise(SIGSTOP);
    _exit(0);
}

static void own_group(void) {
    if (fork() == 0) {
        setpgid(0, 0);
        hold();
    }
}

static void write_in(const char *group, const char *name, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", group, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0) die(path);
    close(fd);
}

// A child frozen in a group below ours; the harness removes that.
static void freeze_child(const char *name) {
    char group[512], pid[16];
    make_subgroup(group, sizeof group, name);
    pid_t child = fork();
    if (child == 0) hold();
    snprintf(pid, sizeof pid, "%d", child);
    write_in(group, "cgroup.procs", pid);
    write_in(group, "cgroup.freeze", "1");
}

static void daemonise(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) hold();
        _exit(0);
    }
}

// Forks and exits for ever: no walk of /proc sees the same pid twice.
static void comet(bool new_session) {
    if (fork() != 0) return;
    for (int generation = 0; generation < COMET_GENERATIONS && !over(); generation++) {
        if (new_session) setsid();
        pid_t pid = fork();
        if (pid > 0) _exit(0);
        if (pid < 0) sleep_ns(1000000);
    }
    _exit(0);
}

static void take_lock(const char *path) {
    int fd = open(path, O_RDWR);
    if (fd < 0 || flock(fd, LOCK_SH)) die(path);
}

// Time spent runnable without a CPU: the second number of schedstat. 0 where the kernel doesn't say.
static long long waited(void) {
    long long ran, waiting;
    FILE *file = fopen("/proc/self/schedstat", "re");
    bool known = file && fscanf(file, "%lld %lld", &ran, &waiting) == 2;
    if (file) fclose(file);
    return known ? waiting : 0;
}

int main(int argc, char **argv) {
    long long started = now_ns();
    if (argc < 3) return 64;
    arena = map_arena(argv[1]);
    deadline_ns = started + SELF_LIMIT_S * 1000000000LL;
    alarm(SELF_LIMIT_S);
    if (argc > 3) take_lock(argv[3]);
    const char *mode = argv[2];
    bool comets = false;
    if (!strcmp(mode, "ignore-term")) signal(SIGTERM, SIG_IGN);
    else if (!strcmp(mode, "ignore-all")) ignore_all();
    else if (!strcmp(mode, "own-group")) own_group();
    else if (!strcmp(mode, "frozen") && argc > 4) freeze_child(argv[4]);
    else if (!strcmp(mode, "daemon")) daemonise();
    else if (!strcmp(mode, "comet") || !strcmp(mode, "setsid-comet")) comets = true;
    else if (strcmp(mode, "sleep") && strcmp(mode, "stopped")) return 64;
    arena->started_ns = started;
    arena->waited_ns = waited();
    arena->pid = getpid();
    if (comets) comet(!strcmp(mode, "setsid-comet"));
    if (!strcmp(mode, "stopped")) stop_self();
    if (!strcmp(mode, "sleep")) pause();
    hold();
}
