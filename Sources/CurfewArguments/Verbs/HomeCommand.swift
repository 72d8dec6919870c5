import ArgumentParser

/// `curfew home`.
struct HomeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home",
        abstract: "Send an app to the background.",
        usage: "curfew home [options] [APP]",
        discussion: """
            As Ctrl-Z does for an app in a terminal. With background tasks open it runs on, on its budget; without, \
            it is suspended, and this returns when every process of it has stopped. With `curfew run \
            --exits-on-suspend` it is terminated instead.

            Without a name it is the app that is in front of the server, else the only one that `curfew run` started.

            Examples:
              curfew home backup
              curfew home

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid (default: whichever is in front).", valueName: "APP"))
    var app: AppValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
