import ArgumentParser

/// `curfew open`.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Bring an app to the foreground.",
        usage: "curfew open [options] APP",
        discussion: """
            A suspended app is resumed, and one that sleeps is woken. In the foreground its budget's clock stands still.

            A server sends home whoever was opened longest ago when its places in front are taken, and launches an app that \
            doesn't run.

            Example:
              curfew open backup

            \(HelpText.driving)
            """)

    @Argument(
        help: ArgumentHelp("The app's name or its pid.", valueName: "APP"), completion: .shellCommand(AppValue.openable)
    )
    var app: AppValue

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
