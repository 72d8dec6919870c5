import ArgumentParser

/// `curfew task list`.
struct TaskListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the open background tasks of the app.",
        usage: "curfew task list [options]",
        discussion: """
            One line for each: its number, how long ago it was begun, and its name.

            Example:
              curfew task list --json | jq length

            \(HelpText.task)
            """)

    @Flag(help: "Print JSON; ages in seconds.")
    var json = false
}
