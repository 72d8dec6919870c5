import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewManifest

/// What apps are: by their manifests, else by the desktop entries that are installed; a bare command by its words. All are read
/// as `curfew run` reads its command line, so that names, values and messages are one.
final class ManifestDefinitions: AppDefinitions {
    private var folder: AppDefinitionFolder?
    private let entries: DesktopEntries
    /// The manifests as they were read last, by name.
    private var manifests: [String: CheckedDefinition] = [:]

    init(folder: AppDefinitionFolder? = .ofThisUser(), entries: DesktopEntries = .ofThisUser()) {
        self.folder = folder
        self.entries = entries
    }

    // MARK: Reading

    func reload() -> ReloadedDefinitions {
        guard var folder else { return ReloadedDefinitions() }
        defer { self.folder = folder }
        do throws(DefinitionProblem) {
            let checked = try folder.read()
            manifests = Dictionary(
                checked.compactMap { file in file.name.map { ($0, file) } }, uniquingKeysWith: { first, _ in first })
            let definitions = checked.compactMap(\.definition)
            return ReloadedDefinitions(
                apps: definitions.count,
                problems: checked.filter { $0.definition == nil }.flatMap(Self.problems),
                warnings: checked.filter { $0.definition != nil }.flatMap(Self.warnings),
                launchedAtStart: definitions.filter(\.launchAtStart).map(\.name),
                fetchIntervals: Dictionary(
                    definitions.compactMap { app in Self.fetchInterval(of: app).map { (app.name, $0) } },
                    uniquingKeysWith: { first, _ in first }))
        } catch {
            // What was read before goes on to hold.
            return ReloadedDefinitions(apps: manifests.count, problems: [error.text(in: folder.path)])
        }
    }

    /// Nil for one that never fetches.
    private static func fetchInterval(of definition: AppDefinition) -> Span? {
        guard definition.backgroundModes.contains(.fetch) else { return nil }
        switch definition.minimumFetchInterval {
        case .never: return nil
        case .minimum: return .zero
        case .every(let span): return span
        }
    }

    private static func problems(of file: CheckedDefinition) -> [String] {
        file.problems.filter { !$0.isWarning }.map { $0.text(in: file.path) }
    }

    private static func warnings(of file: CheckedDefinition) -> [String] {
        file.problems.filter(\.isWarning).map { $0.text(in: file.path) }
    }

    // MARK: Definitions

    func definition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        guard let file = manifests[name] ?? entries.definition(id: name) else { return nil }
        guard let definition = file.definition else {
            throw DefinitionRefusal(Self.problems(of: file).joined(separator: "; "))
        }
        return try Self.served(definition, definition.runArguments)
    }

    func definition(of order: LaunchOrder) throws(DefinitionRefusal) -> ServedDefinition {
        let name = order.name ?? AppName.fromCommand(order.command[0].text)
        guard AppName.isValid(name) else {
            throw DefinitionRefusal("name=\(name) isn't a name; accepted: \(AppName.accepted)")
        }
        // What stands there is for people; what its program gets are the order's bytes.
        var definition = AppDefinition(name: name, source: .commandLine, command: order.command.map(\.text))
        definition.options = order.options
        let words = ["--name", name] + order.options + ["--"]
        let served = try Self.served(definition, OwnedArguments(words.map { ByteString($0) } + order.command))
        served.directory = order.directory
        served.environment = order.environment
        served.umask = order.umask
        served.limits = order.limits
        return served
    }

    func differs(from definition: ServedDefinition) -> Bool {
        guard let launched = (definition.owner as? Owner)?.definition, launched.source != .commandLine,
            let now = manifests[definition.name]
        else { return false }
        return now.definition != launched
    }

    private static func served(
        _ definition: AppDefinition, _ words: OwnedArguments
    ) throws(DefinitionRefusal) -> ServedDefinition {
        let owner = Owner(definition, words)
        let plan: RunPlan
        do throws(UsageError) {
            plan = try RunArguments.parse(owner.words.reader(verb: "launch"))
        } catch {
            throw DefinitionRefusal(error.lines.joined(separator: "; "))
        }
        // Of what has no manifest nobody has said what it may do.
        if case .manifest = definition.source {
            plan.manifest.policy.backgroundModes = BackgroundModes(definition.backgroundModes)
        }
        let served = ServedDefinition(name: definition.name, plan: plan, owner: owner)
        served.source = source(definition.source)
        served.options = definition.options
        served.directory = definition.directory.map { ByteString($0) }
        served.addedEnvironment = definition.environment.map { (key: $0.0, value: $0.1) }
        served.restart = RestartCondition(rawValue: definition.restart.rawValue) ?? .never
        return served
    }

    private static func source(_ source: AppDefinition.Source) -> DefinitionSource {
        switch source {
        case .manifest: .manifest
        case .desktopEntry: .desktop
        case .commandLine: .bare
        }
    }

    /// The words that a plan leads into, and what they came from.
    private final class Owner {
        let definition: AppDefinition
        let words: OwnedArguments

        init(_ definition: AppDefinition, _ words: OwnedArguments) {
            self.definition = definition
            self.words = words
        }
    }
}
