import ArgumentParser

/// `curfew check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look over manifests, without starting anything.",
        usage: "curfew check [options] [FILE…]",
        discussion: """
            A manifest says what an app of a server is: its command, the options of `curfew run` under their own names, and when \
            it runs. Each FILE is a manifest, NAME.toml, or a desktop entry, ID.desktop. Without any, all manifests of this \
            user are looked over, as a server reads them: those in $XDG_CONFIG_HOME/curfew/apps. Those of \
            `curfew serve --apps DIR` are DIR/*.toml.

            Whatever is wrong is told with its line and its key, all of it at once.

            Examples:
              curfew check
              curfew check examples/apps/*.toml
              curfew check --json web.toml | jq '.files[].problems'

            Exit status:
               0  there is no error, though maybe warnings
               1  there is one, or a file can't be read; or standard output can't be written
              64  wrong usage
            """)

    @Argument(
        help: ArgumentHelp(
            "A manifest, or a desktop entry (default: this user's manifests).", valueName: "FILE"))
    var files: [DefinitionPathValue] = []

    @Flag(help: "Print JSON: what each file says, and what is wrong with it.")
    var json = false
}

extension CheckCommand: ManualNotes {
    static let manualNotes = """
        Environment:
          XDG_CONFIG_HOME  where manifests are; ~/.config where it isn't set

        Files:
          $XDG_CONFIG_HOME/curfew/apps/NAME.toml  the manifest of an app
        """
}
