import ArgumentParser

/// `curfew task run`.
struct TaskRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Hold a background task while a command runs.",
        usage: "curfew task run NAME [--] COMMAND [ARG…]",
        discussion: """
            Shortly before the budget is over COMMAND gets SIGTERM. Outside an app COMMAND is run all the same, and \
            a line says so.

            Example:
              curfew task run upload -- rsync -a out/ server:

            Exit status: COMMAND's own (128+n when a signal ended it), or
              126  COMMAND was found but can't be executed
              127  COMMAND wasn't found
               75  the task was refused, such as when the budget is spent; COMMAND wasn't run
               64  wrong usage
            125, 69 and 1: curfew itself failed, nobody answers, or this isn't a process of the app.
            """)

    @Argument(help: ArgumentHelp("What the task is called in reports; names needn't differ.", valueName: "NAME"))
    var name: TaskNameValue

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The program and its arguments; its own options are left alone.", valueName: "COMMAND"),
        completion: .file())
    var command: [String]

    mutating func validate() throws { command = try Passthrough.command(command) }
}
