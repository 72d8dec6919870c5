import ArgumentParser

/// `curfew post`.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Tell an app that something of its world has changed.",
        usage: "curfew post [options] APP NAME [KEY=VALUE…]",
        discussion: """
            An app that runs is told at once. A suspended one is not disturbed: it is told when it next runs, of each \
            NAME only the latest, before didBecomeActive.

            NAME is whatever the app knows the change by, and the pairs are what goes with it. \(HelpText.eventNames)

            Examples:
              curfew post mail networkDidChange online=true
              curfew post mail localeDidChange

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("What has changed.", valueName: "NAME"))
    var name: PostedNameValue

    @Argument(help: ArgumentHelp("What goes with it: 16 pairs at most.", valueName: "KEY=VALUE"))
    var pairs: [InfoValue] = []

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false

    mutating func validate() throws { try InfoValue.check(pairs, of: name.text) }
}
