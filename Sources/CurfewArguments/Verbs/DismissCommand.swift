import ArgumentParser

/// `curfew dismiss`.
struct DismissCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss",
        abstract: "Take away what interrupted an app.",
        usage: "curfew dismiss [options] APP",
        discussion: """
            An app that `curfew interrupt` has made inactive becomes active again and is told didBecomeActive. Of any \
            other nothing happens.

            Example:
              curfew dismiss player

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
