import ArgumentParser

/// `curfew switch`.
struct SwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Open the app that was in front before.",
        usage: "curfew switch [options]",
        discussion: """
            That is the most recent one that was in front of the server, isn't any more, and runs. With one place in front, done \
            twice it is as it was.

            Example:
              curfew switch

            \(HelpText.serving)
            """)

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print which app is in front now, as JSON.")
    var json = false
}
