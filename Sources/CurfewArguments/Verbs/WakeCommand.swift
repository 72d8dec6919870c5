import ArgumentParser

/// `curfew wake`.
struct WakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wake",
        abstract: "Have an app handle an event in background.",
        usage: "curfew wake [options] APP NAME [KEY=VALUE…]",
        discussion: """
            As a push or a background fetch does: a suspended app is resumed for the event, stays in background, and \
            is suspended again when it has acknowledged it. One that hasn't within --wake-limit is killed; a plain \
            app runs for as long as that, or for its --grace. This returns when the event is delivered.

            NAME is whatever the app knows the event by, and the pairs are what goes with it. \(HelpText.eventNames)

            Examples:
              curfew wake mail fetch
              curfew wake mail push from=ada subject="Lunch?"

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("The event.", valueName: "NAME"))
    var name: PostedNameValue

    @Argument(help: ArgumentHelp("What goes with it: 16 pairs at most.", valueName: "KEY=VALUE"))
    var pairs: [InfoValue] = []

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false

    mutating func validate() throws { try InfoValue.check(pairs, of: name.text) }
}
