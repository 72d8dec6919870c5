import ArgumentParser
import CurfewCommand

/// `curfew launch`.
struct LaunchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Have a server run an app.",
        usage: "curfew launch [options] NAME\n       curfew launch [options] -- COMMAND [ARG…]",
        discussion: """
            NAME is an app that the server knows: by its manifest, because it has run, or as an installed NAME.desktop. It is \
            launched in front, and whoever was opened longest ago goes home, unless --background says otherwise. Of the options of \
            `curfew run` it takes --wake and --launch-option; its manifest has the others. One that runs already is refused \
            (status 75): `curfew open` is for both.

            COMMAND is run as it would be here, in this directory, with this environment, umask and these limits, and with any \
            option of `curfew run`; where it has no --name, the name that it got is printed. Its output goes to its log.

            Examples:
              curfew launch mail
              curfew launch --background --wake fetch mail
              curfew launch --name build --budget 10m -- make -j8
              curfew launch --print-manifest --budget 10m -- make -j8 > ~/.config/curfew/apps/build.toml

            Exit status:
               0  its program runs
               1  refused for good: what it is isn't valid, its program can't be started, or its manifest doesn't name the
                  mode that --wake needs; a line says why
              64  wrong usage
              69  no server answers, or it knows no such app
              75  refused for now: it runs already, or there are too many
            """)

    @Argument(
        help: ArgumentHelp("An app that the server knows.", valueName: "NAME"),
        completion: .shellCommand(AppValue.known))
    var app: NameValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print its name, its pid and its state, as JSON.")
    var json = false

    @Flag(
        help: """
            Launch nothing, and print the manifest that COMMAND would be: with this directory, and the server's environment \
            in place of this one.
            """)
    var printManifest = false

    @OptionGroup(title: "App") var options: RunAppOptions
    @OptionGroup(title: "Background") var background: RunBackgroundOptions
    @OptionGroup(title: "Sleep") var sleep: RunSleepOptions
    @OptionGroup(title: "Limits") var limits: RunLimitOptions
    @OptionGroup(title: "Resources") var resources: RunResourceOptions
    @OptionGroup(title: "Events") var events: RunEventOptions
    @OptionGroup(title: "Enforcement") var enforcement: RunEnforcementOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("A program and its arguments.", valueName: "PROGRAM"), completion: .file())
    var command: [String] = []

    mutating func validate() throws {
        if app == nil, command.isEmpty { throw ValidationError(LaunchArguments.nothing) }
        if app != nil, !command.isEmpty { throw ValidationError(LaunchArguments.nothing) }
        if app != nil, options.name != nil { throw ValidationError("--name is for a COMMAND") }
        if app != nil, printManifest { throw ValidationError("--print-manifest is for a COMMAND") }
    }
}
