import ArgumentParser

/// `curfew reload`.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have a server read its manifests again.",
        usage: "curfew reload [options]",
        discussion: """
            A running app keeps what it was launched with, and `curfew apps` says that its manifest differs. What is wrong \
            with a manifest `curfew check` says.

            Example:
              curfew reload --environment

            \(HelpText.serving)
            """)

    @Flag(
        help: """
            Launch apps with DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS and SSH_AUTH_SOCK as they are here, from now on.
            """)
    var environment = false

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print how many apps are defined, and how many problems there are, as JSON.")
    var json = false
}
