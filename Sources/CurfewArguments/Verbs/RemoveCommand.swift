import ArgumentParser

/// `curfew remove`.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "End an app and take it off the server's list.",
        usage: "curfew remove [options] NAME",
        discussion: """
            As an app that is swiped away: it is asked to end as by `curfew quit`, is off the list of `curfew apps`, and nothing \
            launches it in background until somebody opens it. Returns once it has ended and that is kept on disk.

            Example:
              curfew remove --purge mail

            \(HelpText.serving)
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue

    @Flag(help: "Remove its state directory, too: what it has saved in CURFEW_STATE_DIR.")
    var purge = false

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
