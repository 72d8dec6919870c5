// fleet [-r] COUNT COMMAND…   The least that a supervisor of many can do: starts COMMAND so often, one after the other, and
//     prints how many it started a second (-r: each with a process of its own between, as a reaper is). For a line on stdin
//     ends all of them and prints how many ms that took, until the last was reaped.
#define _GNU_SOURCE
#include "bench.h"

#define LIFETIME_S 300

static char **command;

static void execute(void) {
    execv(command[0], command);
    _exit(127);
}

// Between us and the program; ends with it.
static pid_t spawn_below_a_reaper(void) {
    int ready[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC)) die("pipe");
    pid_t reaper = fork();
    if (reaper < 0) die("fork");
    if (reaper == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        setpgid(0, 0);
        pid_t pid = vfork();
        if (pid == 0) execute();
        if (pid < 0 || write(ready[1], "", 1) != 1) _exit(127);
        close(ready[1]);
        while (wait(NULL) >= 0 || errno == EINTR) {}
        _exit(0);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) die("reaper");
    close(ready[0]);
    return reaper;
}

int main(int argc, char **argv) {
    bool reapers = argc > 1 && !strcmp(argv[1], "-r");
    int first = reapers ? 2 : 1;
    if (argc < first + 2) return 64;
    int count = atoi(argv[first]);
    command = argv + first + 1;
    pid_t *pids = calloc((size_t)count, sizeof *pids);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(LIFETIME_S);
    long long start = now_ns();
    for (int i = 0; i < count; i++) pids[i] = reapers ? spawn_below_a_reaper() : spawn(command);
    printf("%.1f\n", count * 1e9 / (double)(now_ns() - start));
    getchar();
    start = now_ns();
    // A reaper's group has its program in it.
    for (int i = 0; i < count; i++) kill(reapers ? -pids[i] : pids[i], SIGTERM);
    siginfo_t info;
    while (!waitid(P_ALL, 0, &info, WEXITED) || errno == EINTR) {}
    printf("%.3f\n", (double)(now_ns() - start) / 1e6);
    free(pids);
    return 0;
}
