import ArgumentParser
import CurfewCommand

/// `curfew run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program as an app.",
        usage: "curfew run [options] [--] COMMAND [ARG…]",
        discussion: """
            COMMAND and whatever it starts are held together: stopped, resumed and killed as one. When COMMAND exits, \
            what it left behind is sent SIGTERM, and killed after --terminate-limit, unless --wait-all says to wait.

            Examples:
              curfew run -- make -j8
              curfew run --name backup --profile ios13 --report why.json -- ./backup.sh
              curfew run --time-limit 10m --memory 500M -- pytest
              curfew run --memory 500M --background-memory 100M --locks kill -- ./sync
              curfew run --on didEnterBackground=USR1 -- ./server
              curfew run --join -- vim notes.txt

            D is a duration: \(HelpText.durations)
            SIZE is an amount of memory: \(HelpText.sizes)
            PERCENT is such as 80% or 12.5%: of the machine's memory, of the disk, or of one processor.
            EVENT is one of \(HelpText.lifecycle), settingsDidChange, or a NAME that is posted. \(HelpText.eventNames)
            SIGNAL is a name, such as USR1 or SIGUSR1, or a number from 1 to 64.

            Exit status: COMMAND's own (128+n when a signal ended it), or
               64  wrong usage; nothing was started
               69  with --join and --strict: no such server runs; nothing was started
              124  killed for time: a watchdog, the budget, the time limit
              125  curfew itself failed
              126  COMMAND was found but can't be executed
              127  COMMAND wasn't found
              137  killed for memory or another policy, or quit while suspended
            """)

    @OptionGroup(title: "App") var app: RunAppOptions
    @OptionGroup(title: "Background") var background: RunBackgroundOptions
    @OptionGroup(title: "Sleep") var sleep: RunSleepOptions
    @OptionGroup(title: "Limits") var limits: RunLimitOptions
    @OptionGroup(title: "Resources") var resources: RunResourceOptions
    @OptionGroup(title: "Events") var events: RunEventOptions
    @OptionGroup(title: "Enforcement") var enforcement: RunEnforcementOptions
    @OptionGroup(title: "Server") var server: RunServerOptions

    @OptionGroup var program: CommandOperand
}

extension RunCommand: ManualNotes {
    static let manualNotes = """
        In a terminal Ctrl-Z sends the app home, and the shell's `fg` opens it. Streams, environment and the signals of \
        the terminal are COMMAND's own. When it was killed, one line on standard error says why, and `curfew report` \
        more.

        Environment, as COMMAND finds it:
          CURFEW_FD  the descriptor of a connected control channel: requests go out, events and answers come in
          CURFEW_SOCKET  the path of a socket with the same channel, for the rest of what it starts
          CURFEW_STATE_DIR  with --state-dir: that directory, as an absolute path; else as the caller has it
          NOTIFY_SOCKET  where sd_notify's messages are understood
          WATCHDOG_USEC  with --watchdog: its interval in microseconds

        See also: timeout(1), cgroups(7), signal(7), sd_notify(3)
        """
}
