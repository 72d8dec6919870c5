import ArgumentParser

/// Every verb's definition: the source of help and completions, and what the fast path is held to.
///
/// Nothing is run through it: `curfew` reads its own command line, since this library costs milliseconds once entered.
public struct Curfew: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "curfew",
        abstract: "Treat programs the way iOS treats apps.",
        usage: "curfew VERB [options] …",
        discussion: """
            A program in front runs freely. Sent home, it gets a short, metered chance to finish, and is then stopped, \
            costing no CPU until it is opened again. One that outstays its budget, grows past its memory limit, or \
            hangs in a transition is killed, and a line on standard error says why.

            Examples:
              curfew run -- make -j8             Ctrl-Z is the home button, fg opens it
              curfew run --memory 2G -- ./train  killed beyond 2 GiB, and all of it
              curfew ps                          what runs, and what it has used
              curfew home train                  from another terminal
              curfew report last                 why the last that was killed was killed
              curfew doctor                      what can be enforced on this machine

            An APP is a name, as `curfew ps` shows it, or a pid.
            """,
        subcommands: [
            RunCommand.self, TimeoutCommand.self, HomeCommand.self, OpenCommand.self, InterruptCommand.self,
            DismissCommand.self, WakeCommand.self, PostCommand.self, WarnCommand.self, QuitCommand.self, PsCommand.self,
            StatusCommand.self,
            EventsCommand.self, ReportCommand.self, ReplayCommand.self, DoctorCommand.self, TaskCommand.self,
        ])

    @Flag(help: "Print the version.")
    var version = false

    @Flag(help: "Print the path of the functions that shell scripts use.")
    var shellLibrary = false

    public init() {}
}
