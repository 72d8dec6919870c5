// Single-steps a command and what it forks, up to a further exec, and prints each address executed once, in order.
//
// For a static executable that isn't position-independent: its addresses are the file's.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

enum { LIMIT = 1 << 25 };
static unsigned char seen[LIMIT];

static void note(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0 || registers.rip >= LIMIT || seen[registers.rip]) return;
    seen[registers.rip] = 1;
    printf("%llx\n", registers.rip);
}

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, 0,
           PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, child, 0, 0);
    int executions = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) continue;
        int signal = WSTOPSIG(status);
        int event = status >> 16;
        if (event == PTRACE_EVENT_EXEC && executions++ > 0) {
            ptrace(PTRACE_DETACH, pid, 0, 0);
            continue;
        }
        int passed = event != 0 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
        if (executions > 0) note(pid);
        ptrace(executions > 0 ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0, passed);
    }
    return 0;
}
