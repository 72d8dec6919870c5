// What of the Swift runtime's start-up this executable does without: each is a static initializer that every start
// would pay for. Measured in docs/adr/0002-launch.md.
#include <stdbool.h>

// swiftrt.o and the runtime's Errors.cpp ask for these two, which brings in Backtrace.cpp: it looks for the
// `swift-backtrace` program, a dozen system calls. Zeroed settings mean "off"; a crash leaves a core as any program's.
bool _swift_backtrace_isThunkFunction(const char *mangled_name);
extern char _swift_backtraceSettings[];

bool _swift_backtrace_isThunkFunction(const char *mangled_name) {
    (void)mangled_name;
    return false;
}

// Larger than the runtime's own structure, of which only `enabled` is read.
char _swift_backtraceSettings[256] = {0};

// The library's Swift code asks for argv by these, which brings in CommandLine.cpp: it looks for argv by reading
// /proc/self/maps. Here main has it.
static char **arguments;
static int argument_count;

void curfew_set_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count);
void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count);

char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) { curfew_set_arguments(count, values); }
