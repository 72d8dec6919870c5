// lateness LIMIT_S ARENA VICTIM ROUNDS CMD… :: CMD… :: …   How far from its deadline a victim dies.
// Each CMD ends in `VICTIM ARENA sleep`. Prints, interleaved,
//     kill INDEX death_minus_(first line + limit)_us cpu_us waited_us
//     span exec_to_first_line_us                                once a round
//
// What "the child's start" is. The only start a program can note itself is the first statement of main. The
// kernel commits the exec some hundred microseconds earlier. A supervisor can't know main's time; its vfork
// returns at the exec or, if both share a CPU, as late as after the first line. So the error is taken from the
// first line, observed for every victim, and a kill is *early* only if it came before exec + limit: bench.py
// takes off the median span from exec to first line. The span is calibrated in the same run by launching the
// same victim from here with a close-on-exec pipe, which the kernel closes as it commits the exec; we spin on
// the other end, on another CPU if there is one, since being woken would cost up to the span itself. A victim
// that was slow on its way to main was exec'd earlier by as much: `cpu_us` it used from its fork to its first line,
// and `waited_us` for a CPU, both as it notes itself.
// Death is when the victim's pidfd polls readable here: 0.1 to 0.2 ms after the signal, alike for all wrappers.
#define _GNU_SOURCE
#include "bench.h"
#include <sched.h>

#define SECOND 1000000000LL
#define START_LIMIT (5 * SECOND)
#define OVERTIME (8 * SECOND)

static struct arena *arena;

static void fail(int index, const char *what) {
    fprintf(stderr, "lateness: command %d: %s\n", index, what);
    clean_up(arena);
    exit(121);
}

// Moves us to the n-th CPU we may use, where there is such a one.
static void use_cpu(int n, const cpu_set_t *allowed) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, allowed) && n-- == 0) CPU_SET(cpu, &one);
    if (CPU_COUNT(&one)) sched_setaffinity(0, sizeof one, &one);
}

static long long await_exec(int fd) {
    char byte;
    long long deadline = now_ns() + START_LIMIT;
    while (read(fd, &byte, 1) < 0)
        if (now_ns() > deadline) fail(-1, "the victim did not start");
    return now_ns();
}

static void calibrate(char *victim, char *arena_path) {
    char *command[] = {victim, arena_path, "sleep", NULL};
    cpu_set_t allowed;
    int ends[2];
    clear_arena(arena);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) die("pipe2");
    sched_getaffinity(0, sizeof allowed, &allowed);
    pid_t pid = fork();
    if (pid == 0) {
        use_cpu(1, &allowed);
        execv(victim, command);
        _exit(127);
    }
    use_cpu(0, &allowed);
    close(ends[1]);
    long long exec = await_exec(ends[0]);
    sched_setaffinity(0, sizeof allowed, &allowed);
    close(ends[0]);
    if (!await_victim(arena, now_ns() + START_LIMIT)) fail(-1, "the victim did not start");
    printf("span %.1f\n", (arena->started_ns - exec) / 1e3);
    clean_up(arena);
}

static void measure(int index, char **command, long long limit) {
    clear_arena(arena);
    pid_t wrapper = spawn(command);
    int wrapper_fd = open_pidfd(wrapper);
    pid_t victim = await_victim(arena, now_ns() + START_LIMIT);
    if (!victim) fail(index, "the victim did not start");
    int victim_fd = open_pidfd(victim);
    if (victim_fd < 0) fail(index, "the victim died before it could be watched");
    long long due = arena->started_ns + limit;
    if (!ended_by(victim_fd, due + OVERTIME)) fail(index, "the victim was not killed");
    long long death = now_ns();
    if (!ended_by(wrapper_fd, death + OVERTIME)) fail(index, "the wrapper did not return");
    printf("kill %d %.1f %.1f %.1f\n", index, (death - due) / 1e3, arena->cpu_ns / 1e3, arena->waited_ns / 1e3);
    close(victim_fd);
    close(wrapper_fd);
    if (!clean_up(arena)) exit(121);
}

int main(int argc, char **argv) {
    char **commands[MAX_COMMANDS];
    if (argc < 6) return 64;
    long long limit = (long long)(atof(argv[1]) * SECOND);
    arena = map_arena(argv[2]);
    int rounds = atoi(argv[4]), count = split_commands(argc, argv, 5, commands);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int round = 0; round < rounds; round++) {
        calibrate(argv[3], argv[2]);
        for (int i = 0; i < count; i++) measure((i + round) % count, commands[(i + round) % count], limit);
        fflush(stdout);
    }
    return 0;
}
