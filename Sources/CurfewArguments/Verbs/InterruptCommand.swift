import ArgumentParser

/// `curfew interrupt`.
struct InterruptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Put something in front of an app for a while.",
        usage: "curfew interrupt [options] APP",
        discussion: """
            As a phone call does: an active app becomes inactive, is told willResignActive, and runs on, in the \
            foreground. `curfew dismiss` ends it; `curfew home` sends the app to the background from there. Of an app \
            that isn't active nothing happens.

            Example:
              curfew interrupt player; sleep 5; curfew dismiss player

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
