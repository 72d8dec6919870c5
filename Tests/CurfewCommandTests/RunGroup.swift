import ArgumentParser

@testable import CurfewArguments

/// `run` with one group of its options: what the definitions make of a value doesn't depend on the other groups, and to
/// read a line by all of them takes six times as long.
struct RunGroup<Options: ParsableArguments>: ParsableCommand {
    @OptionGroup var options: Options
    @OptionGroup var program: CommandOperand
}

enum RunGroups {
    private static let all: [any ParsableCommand.Type] = [
        RunGroup<RunAppOptions>.self, RunGroup<RunBackgroundOptions>.self, RunGroup<RunSleepOptions>.self,
        RunGroup<RunLimitOptions>.self,
        RunGroup<RunResourceOptions>.self, RunGroup<RunEventOptions>.self, RunGroup<RunEnforcementOptions>.self,
        RunGroup<RunServerOptions>.self,
    ]

    /// Where each option stands.
    private static let places: [String: Int] = {
        var places: [String: Int] = [:]
        for (place, group) in all.enumerated() {
            for line in group.helpMessage().split(separator: "\n") {
                guard let word = line.split(separator: " ").first, line.hasPrefix("  --") else { continue }
                places[String(word)] = place
            }
        }
        return places
    }()

    /// The one that has `option`.
    static func with(_ option: String) -> (any ParsableCommand.Type)? { places[option].map { all[$0] } }
}
