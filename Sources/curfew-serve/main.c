// The entry of `curfew serve`'s own executable, and its proxy; see Sources/CCurfew/split.c.
#include "ccurfew.h"

#include <stdbool.h>
#include <string.h>

void curfew_serve_main(int argc, char **argv);

// Tells `problem` on standard error; nothing has been started.
static void fail(const char *problem, int error) {
    const char *parts[] = {"curfew: serve: ", problem, ": ", strerror(error), "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) curfew_write(2, parts[i], strlen(parts[i]));
    curfew_exit(125);
}

// Whether it is to answer something, and holds no apps.
static bool only_asks(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--stop") == 0 || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

// Before every initialiser of Swift's and C++'s. Source: GCC manual, constructor priorities: 0 to 100 are reserved.
__attribute__((constructor(101))) static void start(int argc, char **argv) {
    if (only_asks(argc, argv)) return;
    // Without it the server does all it can, and what an app has just written when it is killed is lost.
    curfew_keep_outputs();
    const char *problem;
    int result = curfew_split_off_proxy(&problem);
    if (result < 0) fail(problem, -result);
}

int main(int argc, char **argv) {
    curfew_serve_main(argc, argv);
}
