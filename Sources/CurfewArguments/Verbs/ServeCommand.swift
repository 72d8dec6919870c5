import ArgumentParser
import CurfewCommand
import CurfewLinux

/// `curfew serve`.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Hold many apps, one of them in front.",
        usage: "curfew serve [options]",
        discussion: """
            One server holds many apps: each by the same rules as under `curfew run`, one of them in front. Whoever is \
            opened sends whoever was there home. An app that ends stays in its list, and is launched again when it is \
            opened.

            It runs until SIGTERM, ^C or `curfew serve --stop`, which end every app properly, all at once. Killed, it \
            takes its apps with it: none goes on without limits.

            What apps write is in $XDG_STATE_HOME/curfew/logs/NAME.log.

            A source is a program that asks in its users' stead: which window has the focus, what has come for an app. It is \
            started again when it ends; `curfew apps --sources` shows how it is. Some are in share/curfew/sources.

            Examples:
              curfew serve --foreground 2 &   two apps may be in front
              curfew serve --apps ./apps &    the manifests are these, and not this user's
              curfew serve --stop             ends it, and every app before
              curfew serve --source 'sh mqtt.sh -h broker' --source-apps mail,chat

            Exit status:
               0  it has ended, and every app before it
              64  wrong usage
              69  --stop: no such server is running
              75  a server of that name is running already
             125  it couldn't start, as where DIR can't be read, or was killed
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("One server a user has each name (default: home).", valueName: "NAME"))
    var name: NameValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Read manifests in this folder, in place of $XDG_CONFIG_HOME/curfew/apps.", valueName: "DIR"))
    var apps: DirectoryValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("So many apps may be in front at once (default: 1).", valueName: "N"))
    var foreground: ForegroundValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Memory is short below this: bytes, or a share of the machine's. Warns apps, then ends them.",
            valueName: "SIZE|%"))
    var memoryLow: AmountValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End apps in background while the disk of this folder has less than this left.", valueName: "SIZE|%"))
    var diskLow: AmountValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep so much of what an app writes (default: 4M, at least 16K).", valueName: "SIZE"))
    var logSize: LogSizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What all apps are held by: auto (default), cgroup2, cgroup1 or tree.", valueName: "KIND"))
    var containment: ContainmentKind?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Run CMD; what it writes is requests, one a line: home, open, post, push, wake, warn. Any number.",
            valueName: "CMD"))
    var source: [SourceValue] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The apps that the --source before it may name, or before the first each (default: all).",
            valueName: "NAMES"))
    var sourceApps: [SourceAppsValue] = []

    @Flag(help: "End the server of that name, and wait until it has ended.")
    var stop = false
}

/// How many apps may be in front, read as the fast path reads it.
struct ForegroundValue: ExpressibleByArgument {
    init?(argument: String) {
        if ForegroundPlaces.parse(argument) == nil { return nil }
    }
}

/// A source's command, read as the fast path reads it.
struct SourceValue: ExpressibleByArgument {
    init?(argument: String) {
        if argument.allSatisfy({ $0 == " " || $0 == "\t" || $0 == "\n" }) { return nil }
    }
}

/// A source's apps, read as the fast path reads them.
struct SourceAppsValue: ExpressibleByArgument {
    init?(argument: String) {
        if SourceOptions.apps(argument) == nil { return nil }
    }
}

/// How much output is kept, read as the fast path reads it.
struct LogSizeValue: ExpressibleByArgument {
    init?(argument: String) {
        if LogSize.parse(argument) == nil { return nil }
    }
}
