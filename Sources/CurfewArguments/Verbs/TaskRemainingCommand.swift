import ArgumentParser

/// `curfew task remaining`.
struct TaskRemainingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remaining",
        abstract: "Print the background time left, in seconds.",
        usage: "curfew task remaining [options]",
        discussion: """
            In the foreground it is `inf`.

            Example:
              curfew task remaining

            \(HelpText.task)
            """)

    @Flag(help: "Print JSON; null in the foreground.")
    var json = false
}
