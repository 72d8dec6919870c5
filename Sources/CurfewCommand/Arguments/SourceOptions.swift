import CurfewEngine

/// `--source` and `--source-apps` of `curfew serve`, as they come.
///
/// The apps are those of the source before them; where they stand before the first one, of each that has none of its own.
package struct SourceOptions {
    package static let accepted = "a command, as sh takes it"
    package static let appsAccepted = "names of apps with a comma between them, such as mail,chat"

    private var commands: [(command: String, apps: Set<String>?)] = []
    private var usualApps: Set<String>?

    /// Nil for what isn't a list of names.
    package static func apps(_ text: String) -> Set<String>? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return names.allSatisfy(AppName.isValid) ? Set(names) : nil
    }

    mutating func add(_ command: String, _ reader: ArgumentReader) throws(UsageError) {
        guard command.contains(where: { $0 != " " && $0 != "\t" && $0 != "\n" }) else {
            throw reader.bad(command, Self.accepted)
        }
        guard commands.count < SourcePlan.maximum else {
            throw reader.error("--source: a server has at most \(SourcePlan.maximum) sources")
        }
        commands.append((command, nil))
    }

    /// Given several times, they add up.
    mutating func add(apps: Set<String>) {
        if commands.isEmpty {
            usualApps = (usualApps ?? []).union(apps)
        } else {
            commands[commands.count - 1].apps = (commands[commands.count - 1].apps ?? []).union(apps)
        }
    }

    var plans: [SourcePlan] {
        var plans: [SourcePlan] = []
        for (command, apps) in commands {
            let name = SourcePlan.name(of: command, besides: plans.map(\.name))
            plans.append(SourcePlan(name: name, command: command, apps: apps ?? usualApps))
        }
        return plans
    }
}
