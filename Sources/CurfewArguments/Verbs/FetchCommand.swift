import ArgumentParser

/// `curfew fetch`.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Have an app of a server fetch now.",
        usage: "curfew fetch [options] NAME",
        discussion: """
            As the server does by itself, shortly before an app is usually opened, for one that asks for it by minimum-fetch-interval: \
            it is woken, or launched into background, for the event fetch, and has --wake-limit to handle it. Neither its interval nor \
            what the machine is short of counts here. This returns when the app was told.

            Example:
              curfew fetch mail && curfew events mail

            \(HelpText.serving)
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
