import ArgumentParser

/// `curfew reclaim`.
struct ReclaimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reclaim",
        abstract: "End a suspended app as if memory were short.",
        usage: "curfew reclaim [options] APP",
        discussion: """
            What iOS does to whoever is suspended when another app needs memory: SIGKILL without a word, memory-pressure in \
            the report, 137. So a test can show that nothing is lost. An app that isn't suspended is left alone (75).

            Example:
              curfew reclaim backup

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
