import ArgumentParser

/// `curfew task begin`.
struct TaskBeginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin",
        abstract: "Begin a background task and print its number.",
        usage: "curfew task begin [options] NAME",
        discussion: """
            It is open until `curfew task end`, or until its owner has ended. One that is open when the budget is \
            over gets the app killed.

            Example:
              id=$(curfew task begin upload) && ./upload; curfew task end $id

            \(HelpText.task)
            """)

    @Argument(help: ArgumentHelp("What the task is called in reports; names needn't differ.", valueName: "NAME"))
    var name: TaskNameValue

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The process of the app whose end releases the task (default: the app's first).", valueName: "PID"))
    var owner: PidValue?

    @Flag(help: "Print the number and the background time left, in seconds, as JSON.")
    var json = false
}
