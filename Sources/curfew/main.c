// The executable's entry, and the front of `curfew run`.
//
// The front is the process that the caller waits for. It is split off here, before Swift's runtime has initialised
// itself: of what that touches it needs nothing, so it stays small and the supervisor starts without copying pages.
// See docs/adr/0001-front-and-supervisor.md and 0002-launch.md.
#include "ccurfew.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void curfew_main(int argc, char **argv);
void curfew_set_arguments(int count, char **values);

// What messages begin with.
static const char *caller = "curfew: run";

// Tells `problem` on standard error; nothing has been started.
static void fail(const char *problem, int error) {
    const char *parts[] = {caller, ": ", problem, ": ", strerror(error), "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) curfew_write(2, parts[i], strlen(parts[i]));
    curfew_exit(125);
}

// Whether the supervisor has ended; tells how.
static bool has_ended(pid_t supervisor, struct curfew_wait_info *end) {
    return curfew_waitid(P_PID, supervisor, WEXITED | WNOHANG | __WALL, end) == 0 && end->pid == supervisor;
}

static bool has_later_wish(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, CURFEW_STOP_SIGNAL) == 1;
}

static bool is_over(pid_t supervisor) {
    struct curfew_wait_info end = {0};
    return curfew_waitid(P_PID, supervisor, WEXITED | WNOHANG | WNOWAIT | __WALL, &end) == 0 && end.pid == supervisor;
}

// Stops as a program does that got the signal, so that the shell says why. SIGSTOP would make it say "signal".
//
// The signal is first made pending. A SIGCONT sent from then on takes it back; what one sent before was for shows in a
// later wish, or in the supervisor's end. In a group that no shell could continue, the kernel drops the signal.
static void stop_by(int signal, pid_t supervisor) {
    curfew_kill(getpid(), signal);
    if (has_later_wish() || is_over(supervisor)) return;
    curfew_set_signal_mask(~(1ull << (signal - 1)), NULL);
    curfew_set_signal_mask(~0ull, NULL);
}

// Passes signals on, and stops when asked to, until the supervisor has ended.
static struct curfew_wait_info wait_for_supervisor(pid_t supervisor) {
    struct curfew_wait_info end = {0};
    struct curfew_signal_info got = {0};
    int stops = 0;
    for (;;) {
        if (curfew_wait_signal(~0ull, &got) < 0) continue;
        // Looked for at every signal: a CONT from the shell and the one at the supervisor's end can have become one, and
        // a stop from the terminal discards a CONT that waits.
        if (has_ended(supervisor, &end)) return end;
        if (got.signal == CURFEW_STOP_SIGNAL && got.pid == supervisor && got.value > 0) {
            stops = (stops + 1) & CURFEW_STOPS_MASK;
            stop_by(got.value, supervisor);
        }
        if (got.signal == SIGCHLD || got.pid == supervisor || got.pid == getpid()) continue;
        int origin = got.code == SI_KERNEL ? CURFEW_FROM_TERMINAL : 0;
        curfew_queue_signal(supervisor, CURFEW_FORWARDED_SIGNAL, got.signal | origin | stops << CURFEW_STOPS_SHIFT);
    }
}

// Dies of the signal the app died of, so that shells see it; with cores off, for the app has left one.
static void die_of(int signal) {
    curfew_disable_core_dumps();
    curfew_signal_default(signal);
    curfew_set_signal_mask(0, NULL);
    curfew_kill(getpid(), signal);
    curfew_exit(128 + signal);
}

// Returns in the supervisor; in the front only when it has to be the keeper, for the supervisor was killed.
static void split_off_front(void) {
    curfew_set_signal_mask(~0ull, &curfew_front()->callers_mask);
    curfew_front()->callers_ignored_child = curfew_signal_default(SIGCHLD) == 1;
    curfew_set_subreaper();
    curfew_front()->page = curfew_map_shared_page();
    curfew_front()->pid = getpid();
    if (curfew_front()->page == NULL) fail("can't share memory with the supervisor", ENOMEM);
    // SIGCONT at the supervisor's end wakes the front from a stop, so that even then it can keep.
    int supervisor = curfew_fork(SIGCONT);
    if (supervisor < 0) fail("can't start the supervisor", -supervisor);
    if (supervisor == 0) {
        curfew_front()->role = CURFEW_ROLE_SUPERVISOR;
        return;
    }
    struct curfew_wait_info end = wait_for_supervisor(supervisor);
    int signal = *(volatile int *)curfew_front()->page;
    if (end.code == CLD_EXITED && signal > 0) die_of(signal);
    if (end.code == CLD_EXITED) curfew_exit(end.status);
    curfew_front()->role = CURFEW_ROLE_KEEPER;
}

// Before every initialiser of Swift's and C++'s. Source: GCC manual, constructor priorities: 0 to 100 are reserved.
__attribute__((constructor(101))) static void start(int argc, char **argv) {
    int options = curfew_timeout_options(argc, argv);
    if (options > 0) {
        caller = options == 1 ? argv[0] : "curfew: timeout";
        // As timeout(1): a group of its own, so that all of it can be signalled at once.
        if (!curfew_timeout_is_foreground(argc, argv, options)) setpgid(0, 0);
    }
    if (options > 0 || (argc > 1 && strcmp(argv[1], "run") == 0)) split_off_front();
}

int main(int argc, char **argv) {
    curfew_set_arguments(argc, argv);
    curfew_main(argc, argv);
}
