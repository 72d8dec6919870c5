import ArgumentParser

/// `curfew task`.
struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Begin, end and see background tasks, and be kept alive, from inside an app.",
        usage: "curfew task VERB [options] …",
        discussion: """
            A background task is an app's claim: let me finish this. While one is open, the app runs on in \
            background, until its budget is spent.

            Examples, in what `curfew run` starts:
              curfew task run upload -- rsync -a out/ server:
              id=$(curfew task begin cleanup); rm -r cache; curfew task end $id
            """,
        subcommands: [
            TaskBeginCommand.self, TaskEndCommand.self, TaskRemainingCommand.self, TaskListCommand.self,
            TaskRunCommand.self, TaskKeepAliveCommand.self,
            TaskFetchIntervalCommand.self, TaskPayloadCommand.self,
        ])

}
