import ArgumentParser

/// Which server is meant.
struct ServerOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The server that holds the app (default: whoever has the app's name; else $CURFEW_SERVER, else home).",
            valueName: "NAME"))
    var server: NameValue?
}
