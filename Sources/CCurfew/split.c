// The proxy: the process that the caller waits for, split off before Swift's runtime has initialised itself.
//
// It passes signals on, stops as its supervisor wishes, and ends as that does; when its supervisor is killed, it keeps.
// See docs/adr/0001-proxy-and-supervisor.md.
#include "ccurfew.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Whether one of these changes of the supervisor's state has come.
static bool has_come(int changes, pid_t supervisor, struct curfew_wait_info *change) {
    return curfew_waitid(P_PID, supervisor, changes | WNOHANG | __WALL, change) == 0 && change->pid == supervisor;
}

static bool is_over(pid_t supervisor) {
    struct curfew_wait_info end = {0};
    return has_come(WEXITED | WNOWAIT, supervisor, &end);
}

// How the supervisor's state has changed since the last time: CLD_EXITED, CLD_STOPPED and so on; 0: it hasn't.
//
// One that was killed isn't reaped yet: by that others know that somebody goes on for it, until the keeper has its locks.
static int change_of(pid_t supervisor, struct curfew_wait_info *change) {
    if (has_come(WEXITED | WNOWAIT, supervisor, change) && change->code != CLD_EXITED) return change->code;
    return has_come(WEXITED | WSTOPPED, supervisor, change) ? change->code : 0;
}

// What the proxy has heeded of what its supervisor asks through their page.
static struct {
    uint32_t wish, question;
} heeded;

// Told by the page, and a signal that only rings: it can be forged, and come in vain.
static bool tell(pid_t supervisor, int signal, int code, pid_t pid, uint32_t number) {
    struct curfew_news news = {.signal = signal, .code = code, .pid = pid, .number = number};
    if (!curfew_news_put(curfew_proxy()->page, news)) return false;
    curfew_kill(supervisor, CURFEW_DOORBELL);
    return true;
}

// Stops as a program does that got the signal, so that the shell says why. SIGSTOP would make it say "signal".
//
// The signal is first made pending. A SIGCONT sent from then on takes it back; what one sent before was for shows in a
// later wish, or in the supervisor's end. In a group that no shell could continue, the kernel drops the signal.
static void stop_by(int signal, pid_t supervisor) {
    uint32_t number;
    int wished;
    // Its caller may ignore what stops readers; the app doesn't (docs/adr/0021-jobs-of-a-terminal.md).
    if (signal != SIGTSTP) curfew_signal_default(signal);
    curfew_kill(getpid(), signal);
    curfew_wish(curfew_proxy()->page, &number, &wished);
    if (number != heeded.wish || wished != signal || is_over(supervisor)) return;
    curfew_set_signal_mask(~(1ull << (signal - 1)), NULL);
    curfew_set_signal_mask(~0ull, NULL);
}

static void heed(pid_t supervisor) {
    void *page = curfew_proxy()->page;
    uint32_t question = curfew_question(page), wish;
    int signal;
    // Without room for it, the answer is tried again when the supervisor rings for having made some.
    if (question != heeded.question && tell(supervisor, 0, 0, 0, question)) heeded.question = question;
    curfew_wish(page, &wish, &signal);
    if (wish == heeded.wish) return;
    heeded.wish = wish;
    if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) stop_by(signal, supervisor);
}

// A stopped supervisor enforces nothing.
static void let_run(pid_t supervisor) {
    curfew_kill(supervisor, SIGCONT);
    tell(supervisor, SIGSTOP, 0, 0, heeded.wish);
}

// Whether that process has sent it: with other codes a sender writes any pid. Source: rt_sigqueueinfo(2).
static bool is_vouched_for(const struct curfew_signal_info *got, pid_t sender) {
    return got->pid == sender && (got->code == SI_USER || got->code == SI_TKILL);
}

// Passes signals on, and stops when asked to, until the supervisor has ended.
static struct curfew_wait_info wait_for_supervisor(pid_t supervisor) {
    static const uint64_t urgent = 1ull << (SIGCHLD - 1) | 1ull << (SIGCONT - 1) | 1ull << (CURFEW_DOORBELL - 1);
    struct curfew_wait_info change = {0};
    struct curfew_signal_info got = {0};
    for (;;) {
        // Where a flood has left no room, signals wait in the kernel; the supervisor rings once there is some.
        bool is_full = curfew_news_room(curfew_proxy()->page) <= CURFEW_NEWS_RESERVE;
        if (curfew_wait_signal(is_full ? urgent : ~0ull, &got) < 0) continue;
        // Looked for at every signal: a CONT from the shell and the one at the supervisor's end can have become one, and
        // a stop from the terminal discards a CONT that waits.
        int code = change_of(supervisor, &change);
        if (code == CLD_STOPPED) let_run(supervisor);
        else if (code != 0) return change;
        bool is_ours = got.signal == SIGCHLD || is_vouched_for(&got, supervisor) || is_vouched_for(&got, getpid());
        bool is_flood = is_full && got.signal == CURFEW_DOORBELL;
        if (!is_ours && !is_flood) tell(supervisor, got.signal, got.code, got.pid, heeded.wish);
        if (got.signal == CURFEW_DOORBELL) {
            heed(supervisor);
            curfew_take_outputs();
        }
        // Nothing of the app's is below us while its supervisor lives. At each signal: what a child's family has left comes
        // to us without one of its own.
        if (curfew_has_kept_children() && curfew_note_children() && !is_over(supervisor)) curfew_keep_children();
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

// Returns in the supervisor; in the proxy only when it has to be the keeper, for the supervisor was killed.
int curfew_split_off_proxy(const char **problem)
{
    curfew_set_signal_mask(~0ull, &curfew_proxy()->callers_mask);
    curfew_proxy()->callers_ignored_child = curfew_signal_default(SIGCHLD) == 1;
    curfew_set_subreaper();
    curfew_proxy()->page = curfew_map_shared_page();
    curfew_proxy()->pid = getpid();
    *problem = "can't share memory with the supervisor";
    if (curfew_proxy()->page == NULL) return -ENOMEM;
    if (curfew_note_children()) curfew_keep_children();
    // SIGCONT at the supervisor's end wakes the proxy from a stop, so that even then it can keep.
    int supervisor = curfew_fork(SIGCONT);
    *problem = "can't start the supervisor";
    if (supervisor < 0) return supervisor;
    curfew_part_outputs(supervisor != 0);
    if (supervisor == 0) {
        curfew_proxy()->role = CURFEW_ROLE_SUPERVISOR;
        return 0;
    }
    struct curfew_wait_info end = wait_for_supervisor(supervisor);
    int signal = *(volatile int *)curfew_proxy()->page;
    if (end.code == CLD_EXITED && signal > 0) die_of(signal);
    if (end.code == CLD_EXITED) curfew_exit(end.status);
    curfew_proxy()->killed_supervisor = supervisor;
    curfew_proxy()->role = CURFEW_ROLE_KEEPER;
    return 0;
}
