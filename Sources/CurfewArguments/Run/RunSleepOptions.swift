import ArgumentParser
import CurfewCommand

/// When the app sleeps, and what wakes it.
struct RunSleepOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Put it to sleep when it has been idle for this long; with ",force" behind it also one that is seen to run, waits \
            for a disk, a lock or a change of files, has input that can't be waited for, or is over --background-memory.
            """, valueName: "D"))
    var sleepWhenIdle: IdleTimeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The CPU time that is idleness, as a share of one processor (default: 1%).", valueName: "PERCENT"))
    var idleCpu: IdleCPUValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            What wakes it while it is stopped, asleep or at home: connections (connections:PORT: only there), terminal, \
            pipes, timers, parted by commas; all; none (default: none, with --sleep-when-idle connections,terminal,pipes).
            """, valueName: "KINDS"))
    var wakeOn: WakeOnValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long a plain app that was woken at home must have been idle before it is suspended again; and, where \
            another program accepts as well, how long a connection must first wait before it wakes the app (default: 1s).
            """, valueName: "D"))
    var quiet: DurationValue?

    mutating func validate() throws {
        if idleCpu != nil || quiet != nil, sleepWhenIdle == nil, wakeOn == nil {
            throw ValidationError("--idle-cpu and --quiet need --sleep-when-idle or --wake-on")
        }
    }
}

/// How long is idle, read as the fast path reads it.
struct IdleTimeValue: ExpressibleByArgument {
    init?(argument: String) {
        if IdleTimeArgument.parse(argument) == nil { return nil }
    }
}

/// How much is idle, read as the fast path reads it.
struct IdleCPUValue: ExpressibleByArgument {
    init?(argument: String) {
        if IdleCPUArgument.parse(argument) == nil { return nil }
    }
}

/// What wakes, read as the fast path reads it.
struct WakeOnValue: ExpressibleByArgument {
    init?(argument: String) {
        if WakeOnArgument.parse(argument) == nil { return nil }
    }
}
