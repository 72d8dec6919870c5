import CurfewCommand
import CurfewCore

/// An app of a server as its file says it, or a command line of `curfew launch`: in words, its options not yet read.
public struct AppDefinition: Sendable {
    /// What others know it as; valid as `curfew run --name` has it.
    public var name: String
    public var source: Source
    /// The program and its arguments; never empty.
    public var command: [String]
    /// Options of `curfew run` as typed, each value a word of its own, in the order of `RunOption`.
    public var options: [String] = []
    /// An absolute path; nil: the server's own directory.
    public var directory: String?
    /// What its environment has besides the server's, or in place of that.
    public var environment: [(String, String)] = []
    public var launchAtStart = false
    /// Whether it is launched again after its end.
    public var restart = RestartCondition.never
    public var backgroundModes: Set<BackgroundMode> = []
    public var minimumFetchInterval = FetchInterval.never

    public init(name: String, source: Source, command: [String]) {
        self.name = name
        self.source = source
        self.command = command
    }

    /// Where it was found.
    public enum Source: Sendable, Hashable {
        /// The path of a NAME.toml.
        case manifest(String)
        /// The path of an ID.desktop.
        case desktopEntry(String)
        /// A command line of `curfew launch`.
        case commandLine
    }

    /// How often background fetch may come.
    public enum FetchInterval: Sendable, Hashable {
        case never
        /// As often as the server thinks fit.
        case minimum
        case every(Span)
    }

    /// The definition as words behind `curfew run`, which read them into the engine's manifest.
    ///
    /// That has pointers into these words, so they have to live as long as it does.
    public var runArguments: OwnedArguments { OwnedArguments(["--name", name] + options + ["--"] + command) }
}

extension AppDefinition: Equatable {
    public static func == (left: AppDefinition, right: AppDefinition) -> Bool {
        left.name == right.name && left.source == right.source && left.says(as: right)
    }

    /// Whether it says the same, whatever it is called and wherever it was found.
    func says(as other: AppDefinition) -> Bool {
        command == other.command && options == other.options && directory == other.directory
            && environment.elementsEqual(other.environment, by: ==) && launchAtStart == other.launchAtStart
            && restart == other.restart && backgroundModes == other.backgroundModes
            && minimumFetchInterval == other.minimumFetchInterval
    }
}
