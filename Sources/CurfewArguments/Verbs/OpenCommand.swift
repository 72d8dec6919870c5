import ArgumentParser

/// `curfew open`.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Bring an app to the foreground.",
        usage: "curfew open [options] APP",
        discussion: """
            A suspended app is resumed, and one that sleeps is woken. In the foreground its budget's clock stands still.

            Example:
              curfew open backup

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
