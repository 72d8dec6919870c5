import ArgumentParser

/// `curfew apps`.
struct AppsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the apps of a server that have run.",
        usage: "curfew apps [options]",
        discussion: """
            The most recent first: each one's name, its state and for how long, its pid, how often it was launched and why it \
            ended last; whether it will be launched again, and whether its manifest has changed since it was launched. An app \
            that has ended stays in the list until `curfew remove` takes it off.

            Example:
              curfew apps --json | jq -r '.[] | select(.ended == "memory-pressure") | .name'

            \(HelpText.serving)
            """)

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "List the server's sources instead: programs that ask it for something.")
    var sources = false

    @Flag(help: "Print a JSON array, an object for each app.")
    var json = false
}
