import ArgumentParser

/// `curfew replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a journal through the rules again.",
        usage: "curfew replay FILE",
        discussion: """
            FILE is what `curfew run --journal FILE` wrote: all that the core was told, and what it decided. Each input \
            is printed with what follows from it now, which is compared with what followed then. A line `measured` is \
            printed as it stands: what the app used when somebody asked, of which the core isn't told. Nothing is \
            started, stopped or killed.

            Examples:
              curfew run --journal life.journal -- ./backup.sh
              curfew replay life.journal | grep kill

            Exit status:
               0  all came out as recorded
               1  something didn't, or FILE is no journal; a line says where
              64  wrong usage
            """)

    @Argument(help: ArgumentHelp("The journal, as `curfew run --journal FILE` wrote it.", valueName: "FILE"))
    var file: PathValue
}
