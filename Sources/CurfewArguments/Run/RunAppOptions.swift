import ArgumentParser

/// What the app is called, how it starts and what is left of it.
struct RunAppOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The name other verbs know it by: 1 to 64 letters, digits, . _ + @ and - (default: COMMAND's basename, with \
            -PID if that is taken).
            """, valueName: "NAME"))
    var name: NameValue?

    @Flag(help: "Start in background: with its full budget if it is aware, else for --grace.")
    var background = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start in background for the waking event NAME, which it is told once it has launched.", valueName: "NAME"))
    var wake: PostedNameValue?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Tell it this with didFinishLaunching; up to 16 times, of a KEY given twice the last counts.",
            valueName: "KEY=VALUE"))
    var launchOption: [InfoValue] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Tell it by CURFEW_STATE_DIR to save its state in this directory, and to look there when it is launched; made, \
            mode 0700, if it isn't there.
            """, valueName: "DIR"))
    var stateDir: DirectoryValue?

    @Flag(help: "Demand that it says hello on the control channel within --launch-limit.")
    var aware = false

    @Flag(help: "When COMMAND exits, wait for what it left behind instead of ending it.")
    var waitAll = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write to this file, as JSON, how and why it ended.", valueName: "FILE"))
    var report: PathValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Record in this file all that its supervisor is told and does, for `curfew replay`.", valueName: "FILE"))
    var journal: PathValue?

    mutating func validate() throws { try InfoValue.checkLaunch(launchOption, wake: wake?.text) }
}
