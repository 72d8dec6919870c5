// launch [-f] ROUNDS CMD… :: CMD… :: …   Starts every command once a round and prints, for each launch,
//     index wall_us cpu_us status stragglers
// Interleaved, and the first command of a round rotates so that none profits from its neighbour (-f: fixed
// order, for commands that must alternate). Wall ends when the command has been reaped. CPU is the rusage of
// the command, of all it reaped, and of whatever it left behind: we are a subreaper and wait for those too,
// so that a wrapper can't hide work in a process that it doesn't wait for.
#define _GNU_SOURCE
#include "bench.h"

#define WARM_UP 3
#define LAUNCH_LIMIT_S 10

static volatile sig_atomic_t hung;

static void on_alarm(int signal) {
    (void)signal;
    hung = 1;
    kill_children();
    alarm(1);
}

static double cpu_us(const struct rusage *r) {
    return (r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1e6 + r->ru_utime.tv_usec + r->ru_stime.tv_usec;
}

static int status_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static void launch(int index, char **command, bool report) {
    struct rusage usage, extra;
    int status, ignored, stragglers = 0;
    alarm(LAUNCH_LIMIT_S);
    long long start = now_ns();
    pid_t pid = spawn(command);
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {}
    double wall = (now_ns() - start) / 1e3, cpu = cpu_us(&usage);
    for (;;) {
        pid = wait4(-1, &ignored, 0, &extra);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) break;
        cpu += cpu_us(&extra);
        stragglers++;
    }
    alarm(0);
    if (hung) {
        fprintf(stderr, "launch: hung for %d s, or left a process that lives on: %s %s\n", LAUNCH_LIMIT_S,
                command[0], command[1] ? command[1] : "");
        exit(121);
    }
    if (report) printf("%d %.1f %.1f %d %d\n", index, wall, cpu, status_of(status), stragglers);
}

int main(int argc, char **argv) {
    bool fixed = argc > 1 && !strcmp(argv[1], "-f");
    int first = fixed ? 2 : 1;
    char **commands[MAX_COMMANDS];
    if (argc < first + 2) return 64;
    int rounds = atoi(argv[first]), count = split_commands(argc, argv, first + 1, commands);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    for (int round = -WARM_UP; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            int which = fixed ? i : (i + round + WARM_UP) % count;
            launch(which, commands[which], round >= 0);
        }
    return 0;
}
