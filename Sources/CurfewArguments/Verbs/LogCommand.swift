import ArgumentParser
import CurfewCommand

/// `curfew log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show what an app of a server has written.",
        usage: "curfew log [options] NAME",
        discussion: """
            Its standard output and error, in the order in which they were written, as far as the server keeps them: into a pipe or \
            a file as they are, on a terminal without what would change it. What was lost is told on standard error. The times that \
            --since goes by are a minute apart; it begins rather too early.

            Examples:
              curfew log mail -f
              curfew log mail --since 10m
              curfew log mail --run 3 | less

            Exit status:
               0  shown
               1  it has written nothing yet, or its log can't be read
              64  wrong usage
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: NameValue

    @Flag(name: [.customShort("f"), .customLong("follow")], help: "Go on with what it writes from now, until ^C.")
    var follow = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only what was written so long ago at most, such as 10m, or since a moment such as 2026-11-24T12:09:34Z.",
            valueName: "T"))
    var since: LogMomentValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only that run, by its number in `curfew history`.", valueName: "N"))
    var run: LogRunValue?

    @Flag(help: "Print a JSON object a line, with its run and the time of the last mark before it.")
    var json = false
}

/// From when on, read as the fast path reads it.
struct LogMomentValue: ExpressibleByArgument {
    init?(argument: String) {
        if LogMoment.parse(argument, now: 0) == nil { return nil }
    }
}

/// A run's number, read as the fast path reads it.
struct LogRunValue: ExpressibleByArgument {
    init?(argument: String) {
        if LogRunNumber.parse(argument) == nil { return nil }
    }
}
