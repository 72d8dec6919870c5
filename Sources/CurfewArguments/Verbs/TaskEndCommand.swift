import ArgumentParser

/// `curfew task end`.
struct TaskEndCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End a background task.",
        usage: "curfew task end TASK",
        discussion: """
            The last one to end in background has the app suspended. A task that isn't open is ignored, with a line \
            that says so.

            Example:
              curfew task end 3

            \(HelpText.task)
            """)

    @Argument(help: ArgumentHelp("The number that `curfew task begin` printed.", valueName: "TASK"))
    var task: TaskNumberValue
}
