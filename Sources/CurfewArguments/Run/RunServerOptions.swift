import ArgumentParser
import CurfewCommand

/// Where an app with a supervisor of its own takes part.
struct RunServerOptions: ParsableArguments {
    @Flag(
        help: """
            Take part in a server's front and task list: who is opened there sends it home, and opened it sends home who is \
            in front there. Where no such server runs, it runs on its own.
            """)
    var join = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("That server (default: $CURFEW_SERVER, else home).", valueName: "NAME"))
    var server: NameValue?

    mutating func validate() throws {
        if server != nil, !join { throw ValidationError("--server needs --join") }
    }
}
