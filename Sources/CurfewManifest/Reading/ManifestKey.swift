import CurfewCommand
import CurfewCore

/// The keys of a manifest that are no options of `run`.
enum ManifestKey: String, CaseIterable {
    case command
    case directory
    case environment
    case launchAtStart = "launch-at-start"
    case restart
    case backgroundModes = "background-modes"
    case minimumFetchInterval = "minimum-fetch-interval"

    /// All that a manifest may have.
    static var accepted: [String] {
        allCases.map(\.rawValue) + RunOption.allCases.filter { $0.otherPlace == nil }.map(\.key)
    }

    /// What its value may be, for the message about another.
    var values: String {
        switch self {
        case .command: "an array of strings, or a string quoted as in sh,"
        case .directory: "the absolute path of a directory"
        case .environment: "a table of strings"
        case .launchAtStart: Self.flag
        case .restart: "one of " + RestartCondition.allCases.map(\.rawValue).joined(separator: ", ")
        case .backgroundModes:
            "an array of " + BackgroundMode.allCases.map(\.rawValue).joined(separator: ", ")
        case .minimumFetchInterval: "never, minimum, or " + DurationArgument.accepted
        }
    }

    static let flag = "true or false"
}
