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
            RunCommand.self, TimeoutCommand.self, LaunchCommand.self, HomeCommand.self, OpenCommand.self,
            SwitchCommand.self, SleepCommand.self, InterruptCommand.self, DismissCommand.self, WakeCommand.self,
            PostCommand.self, NotifyCommand.self, FetchCommand.self, PushCommand.self, SubmitCommand.self,
            WarnCommand.self,
            PressureCommand.self,
            AdvanceCommand.self,
            ReclaimCommand.self,
            QuitCommand.self, RemoveCommand.self, ReloadCommand.self, PsCommand.self, TopCommand.self, AppsCommand.self,
            HistoryCommand.self, ScheduleCommand.self, LogCommand.self, StatusCommand.self, EventsCommand.self,
            WaitCommand.self,
            ReportCommand.self, ReplayCommand.self, TimelineCommand.self, TestCommand.self, ServeCommand.self,
            CheckCommand.self, DoctorCommand.self, TaskCommand.self,
        ])

    @Flag(help: "Print the version.")
    var version = false

    @Flag(help: "Print the path of the functions that shell scripts use.")
    var shellLibrary = false

    public init() {}
}

extension Curfew: ManualNotes {
    static let manualNotes = """
        An option's value is the next word, or stands behind a = in the same: `--memory 2G`, `--memory=2G`. A verb prints \
        for people; with --json, for programs.

        `curfew --generate-completion-script bash`, zsh or fish prints what has a shell complete all this, where it \
        isn't installed.

        Exit status:
           0  done
           1  refused for good, or standard output can't be written
          64  wrong usage; a line on standard error says what is wrong, and what is accepted
          69  no such app is running, or this isn't inside one
          75  refused for now

        Environment:
          XDG_RUNTIME_DIR  where control sockets are; /tmp/curfew-UID where it isn't set, or is another user's
          XDG_STATE_HOME  where reports of kills are; ~/.local/state where it isn't set, or is another user's
          CURFEW_SERVER  the name of the server that is meant where no app's name says it; home where it isn't set
          CURFEW_SOCKET  set inside an app: its control socket, which `curfew task` speaks to
          NO_COLOR  not empty: no colours, which otherwise a terminal gets
          COLUMNS  how wide a table may be on a terminal, before what that says itself

        Files:
          $XDG_RUNTIME_DIR/curfew/NAME.sock  the control socket of an app
          $XDG_STATE_HOME/curfew/reports/  why apps were killed, for `curfew report`

        See also: timeout(1), nohup(1), cgroups(7)
        """
}
