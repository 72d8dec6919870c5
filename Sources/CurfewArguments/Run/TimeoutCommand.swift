import ArgumentParser
import CurfewCommand
import CurfewCore
import CurfewLinux

/// `curfew timeout`.
struct TimeoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeout",
        abstract: "Run a program with a time limit: GNU timeout, and nothing escapes it.",
        usage: """
            curfew timeout [options] DURATION COMMAND [ARG…]
            timeout [options] DURATION COMMAND [ARG…]    (by a link of that name)
            """,
        discussion: """
            Takes the options of GNU timeout and behaves as it does, and once the time is over all that COMMAND has \
            started is ended with it: daemons, other sessions and process groups too. All of it is signalled; once COMMAND has \
            ended, the rest has until --kill-after, or 5 s after the signal. A report says what was ended, and where it was; \
            `curfew report last` shows it.

            Examples:
              curfew timeout 10m make check
              curfew timeout -k 5 1h ./backup.sh
              curfew timeout --memory 500M 2m ./convert
              ln -s "$(command -v curfew)" ~/bin/timeout

            DURATION is a number of seconds, or with a suffix of minutes (m), hours (h) or days (d); 0 is no limit. \
            Others work too: \(HelpText.durations)
            SIZE is an amount of memory: \(HelpText.sizes)
            SIGNAL is a name, such as HUP or SIGHUP, or a number.

            Exit status: COMMAND's own (128+n when a signal ended it), or
              124  the time was over
              125  curfew itself failed, wrong usage included
              126  COMMAND was found but can't be executed
              127  COMMAND wasn't found
              137  COMMAND was killed: by --kill-after, --signal KILL or --memory
            """,
        // -h is refused, as by GNU timeout.
        helpNames: .long)

    @Flag(
        name: [.customShort("f"), .long],
        help: """
            Stay in the caller's process group, so that COMMAND can read the terminal from a script and gets its keys; \
            then only COMMAND itself is signalled, and what it has started is left alone.
            """)
    var foreground = false

    @Option(
        name: [.customShort("k"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Send KILL when COMMAND still runs this long after the first signal (default: 0, never).",
            valueName: "DURATION"))
    var killAfter: TimeoutDurationValue?

    @Flag(
        name: [.customShort("p"), .long],
        help: "Exit with COMMAND's own status even when the time was over.")
    var preserveStatus = false

    @Option(
        name: [.customShort("s"), .long], parsing: .unconditional,
        help: ArgumentHelp("What to send when the time is over (default: TERM).", valueName: "SIGNAL"))
    var signal: TimeoutSignalValue?

    @Flag(
        name: [.customShort("v"), .long],
        help: "Tell each signal that is sent; given twice, also what was ended and where it was.")
    var verbose = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Kill it all once its footprint passes this (default: inf).", valueName: "SIZE"))
    var memory: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write a JSON report of the run to FILE.", valueName: "FILE"), completion: .file())
    var report: PathValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Divide every duration: with 60, ten minutes pass in ten seconds (default: 1).", valueName: "N"))
    var timeScale: ScaleValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Give it a life in background as `curfew run` does, with this profile's numbers: a name, a control channel, \
            background tasks, and stopping is home. Without, nothing of the kind is there.
            """, valueName: "NAME"))
    var profile: Profile?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What holds its processes together (default: auto).", valueName: "KIND"))
    var containment: ContainmentKind?

    @Flag(help: "Print the version.")
    var version = false

    @Argument(help: ArgumentHelp("When the time is over.", valueName: "DURATION"))
    var duration: TimeoutDurationValue

    @OptionGroup var program: CommandOperand
}
