import ArgumentParser

/// How a program that doesn't speak the control channel hears of events.
struct RunEventOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Send COMMAND a signal at an event, such as didEnterBackground=USR1; give it once for each. With \
            willTerminate=SIGNAL that is what quit sends instead of SIGTERM. STOP, CONT and KILL are Curfew's own.
            """, valueName: "EVENT=SIGNAL"))
    var on: [EventSignalValue] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Run a command by sh at an event, outside the app; give it once for each.", valueName: "EVENT=COMMAND"))
    var execOn: [EventHookValue] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Post settingsDidChange when this file changes.", valueName: "FILE"))
    var settings: PathValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The same as --on settingsDidChange=SIGNAL; needs --settings.", valueName: "SIGNAL"))
    var settingsSignal: SignalValue?

    mutating func validate() throws {
        if settingsSignal != nil, settings == nil { throw ValidationError("--settings-signal needs --settings") }
    }
}
