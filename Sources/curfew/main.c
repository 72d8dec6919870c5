// The executable's entry, and the proxy of `curfew run`.
//
// The proxy is the process that the caller waits for. It is split off here, before Swift's runtime has initialised
// itself: of what that touches it needs nothing, so it stays small and the supervisor starts without copying pages.
// What it does is in Sources/CCurfew/split.c. See docs/adr/0001-proxy-and-supervisor.md and 0002-launch.md.
#include "ccurfew.h"

#include <string.h>
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

static void split_off_proxy(void) {
    const char *problem;
    int result = curfew_split_off_proxy(&problem);
    if (result < 0) fail(problem, -result);
}

// Before every initialiser of Swift's and C++'s. Source: GCC manual, constructor priorities: 0 to 100 are reserved.
__attribute__((constructor(101))) static void start(int argc, char **argv) {
    int options = curfew_timeout_options(argc, argv);
    if (options > 0) {
        caller = options == 1 ? argv[0] : "curfew: timeout";
        // As timeout(1): a group of its own, so that all of it can be signalled at once.
        if (!curfew_timeout_is_foreground(argc, argv, options)) setpgid(0, 0);
    }
    if (options > 0 || (argc > 1 && strcmp(argv[1], "run") == 0)) split_off_proxy();
}

int main(int argc, char **argv) {
    curfew_set_arguments(argc, argv);
    curfew_main(argc, argv);
}
