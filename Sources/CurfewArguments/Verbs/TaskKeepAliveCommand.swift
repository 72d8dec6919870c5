import ArgumentParser

/// `curfew task keep-alive`.
struct TaskKeepAliveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep-alive",
        abstract: "Have this app woken every so often, to see to its connections.",
        usage: "curfew task keep-alive D",
        discussion: """
            Whenever D has passed, and the app isn't in front, it is told the event keepAlive, and woken for it if it is \
            suspended; it has --wake-limit for it, and is suspended again. It holds until another D is asked for, \
            until 0 ends it, or until the app has ended.

            The least D is 600 s, divided by --time-scale; under `--profile ios13` there is no keep-alive.

            Examples:
              curfew task keep-alive 10m
              curfew task keep-alive 0      no more

            \(HelpText.task)
            """)

    @Argument(help: ArgumentHelp("How often: a duration such as 600, 10m or 1h30min; 0 for no more.", valueName: "D"))
    var time: DurationValue
}
