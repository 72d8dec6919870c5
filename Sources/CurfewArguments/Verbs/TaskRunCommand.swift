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
                1  this isn't a process of the app; COMMAND wasn't run
               64  wrong usage
               69  the app doesn't answer; COMMAND wasn't run
               75  refused, as when the budget is spent; COMMAND wasn't run
              125  curfew itself failed
              126  COMMAND was found but can't be executed
              127  COMMAND wasn't found
            """)

    @Argument(help: ArgumentHelp("What the task is called in reports; names needn't differ.", valueName: "NAME"))
    var name: TaskNameValue

    @OptionGroup var program: CommandOperand
}
