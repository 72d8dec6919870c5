import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewManifest

/// What apps are: by their manifests, by the desktop entries that are installed; a bare command by its words. All are read
/// as `curfew run` reads its command line, so that names, values and messages are one.
final class ManifestDefinitions: AppDefinitions {
    private var folder: AppDefinitionFolder?
    private let entries: DesktopEntries
    /// The manifests as they were read last, by name.
    private var manifests: [String: CheckedDefinition] = [:]
    /// What was read last.
    private var lastRead: ReadWords?

    init(folder: AppDefinitionFolder? = .ofThisUser(), entries: DesktopEntries = .ofThisUser()) {
        self.folder = folder
        self.entries = entries
    }

    /// `named`: where manifests are read; nil: where this user's are.
    convenience init(in named: String?) {
        if let named {
            self.init(folder: AppDefinitionFolder(path: named, isNamed: true))
        } else {
            self.init()
        }
    }

    // MARK: Reading

    func load() throws(DefinitionRefusal) -> ReloadedDefinitions {
        guard let folder, folder.isNamed else { return reload() }
        do throws(DefinitionProblem) {
            return try read()
        } catch {
            throw DefinitionRefusal("--apps \(error.text(in: folder.path))")
        }
    }

    func reload() -> ReloadedDefinitions {
        do throws(DefinitionProblem) {
            return try read()
        } catch {
            // What was read before goes on to hold.
            return ReloadedDefinitions(
                apps: manifests.values.count { $0.definition != nil },
                problems: folder.map { [error.text(in: $0.path)] } ?? [],
                fetchIntervals: fetchIntervals, folder: namedPath)
        }
    }

    private func read() throws(DefinitionProblem) -> ReloadedDefinitions {
        let checked = try folder?.read() ?? []
        manifests = Dictionary(
            checked.compactMap { file in file.name.map { ($0, file) } }, uniquingKeysWith: { first, _ in first })
        let definitions = checked.compactMap(\.definition)
        return ReloadedDefinitions(
            apps: definitions.count,
            problems: checked.filter { $0.definition == nil }.flatMap(Self.problems),
            warnings: checked.filter { $0.definition != nil }.flatMap(Self.warnings),
            launchedAtStart: definitions.filter(\.launchAtStart).map(\.name),
            fetchIntervals: fetchIntervals, folder: namedPath)
    }

    /// Nil where nobody has named a folder.
    private var namedPath: String? { folder.flatMap { $0.isNamed ? $0.path : nil } }

    /// As manifests said when they were read last.
    private var fetchIntervals: [String: Span] {
        manifests.compactMapValues { $0.definition.flatMap(Self.fetchInterval) }
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

    func manifestDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        try served(manifests[name])
    }

    func desktopDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        try served(entries.definition(id: name))
    }

    private func served(_ file: CheckedDefinition?) throws(DefinitionRefusal) -> ServedDefinition? {
        guard let file else { return nil }
        guard let definition = file.definition else {
            throw DefinitionRefusal(Self.problems(of: file).joined(separator: "; "))
        }
        return try served(definition, command: definition.command.map { ByteString($0) }) { definition.runArguments }
    }

    func definition(of order: LaunchOrder) throws(DefinitionRefusal) -> ServedDefinition {
        let name = order.name ?? AppName.fromCommand(order.command[0].text)
        guard AppName.isValid(name) else {
            throw DefinitionRefusal("name=\(name) isn't a name; accepted: \(AppName.accepted)")
        }
        // What stands there is for people; what its program gets are the order's bytes.
        var definition = AppDefinition(name: name, source: .commandLine, command: order.command.map(\.text))
        definition.options = order.options
        let served = try served(definition, command: order.command) {
            let words = ["--name", name] + order.options + ["--"]
            return OwnedArguments(words.map { ByteString($0) } + order.command)
        }
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

    private func served(
        _ definition: AppDefinition, command: [ByteString], words: () -> OwnedArguments
    ) throws(DefinitionRefusal) -> ServedDefinition {
        let read = try read(definition, command, words)
        let served = ServedDefinition(
            name: definition.name, plan: read.plan, owner: Owner(definition, words: read.words))
        served.source = Self.source(definition.source)
        served.options = definition.options
        served.directory = definition.directory.map { ByteString($0) }
        served.addedEnvironment = definition.environment.map { (key: $0.0, value: $0.1) }
        served.restart = definition.restart
        return served
    }

    /// As `curfew run` reads its options and command. Thousands that say the same have one plan; whose it is their names say.
    private func read(
        _ definition: AppDefinition, _ command: [ByteString], _ makeWords: () -> OwnedArguments
    ) throws(DefinitionRefusal) -> ReadWords {
        // Of what has no manifest nobody has said what it may do.
        var modes: BackgroundModes?
        if case .manifest = definition.source { modes = BackgroundModes(definition.backgroundModes) }
        if let lastRead, lastRead.options == definition.options, lastRead.command == command, lastRead.modes == modes {
            return lastRead
        }
        let words = makeWords()
        do throws(UsageError) {
            let plan = try RunArguments.parse(words.reader(verb: "launch"))
            if let modes { plan.manifest.policy.backgroundModes = modes }
            let read = ReadWords(
                options: definition.options, command: command, modes: modes, words: words, plan: plan)
            lastRead = read
            return read
        } catch {
            throw DefinitionRefusal(error.lines.joined(separator: "; "))
        }
    }

    private static func source(_ source: AppDefinition.Source) -> DefinitionSource {
        switch source {
        case .manifest: .manifest
        case .desktopEntry: .desktop
        case .commandLine: .bare
        }
    }

    /// Words, and the plan that leads into them.
    private struct ReadWords {
        let options: [String]
        let command: [ByteString]
        let modes: BackgroundModes?
        let words: OwnedArguments
        let plan: RunPlan
    }

    /// The words that a plan leads into, and what they came from.
    private final class Owner {
        let definition: AppDefinition
        private let words: OwnedArguments

        init(_ definition: AppDefinition, words: OwnedArguments) {
            self.definition = definition
            self.words = words
        }
    }
}
