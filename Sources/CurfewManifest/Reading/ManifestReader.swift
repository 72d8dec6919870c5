import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewWire

/// Reads a manifest, and notes all that is wrong with it.
struct ManifestReader {
    private let document: TOMLDocument
    private var definition: AppDefinition
    private var problems: [DefinitionProblem] = []
    /// What is right by itself, a value each.
    private var options: [(option: RunOption, value: String?)] = []
    private var isLaunchedAtStart: Bool?
    private var restart: RestartCondition?

    /// `path` tells the name.
    static func read(_ bytes: [UInt8], path: String) -> CheckedDefinition {
        guard let name = name(ofFile: path) else {
            return CheckedDefinition(
                path: path, error: "a manifest's file is called NAME.toml; accepted as NAME: \(AppName.accepted)")
        }
        do throws(DefinitionProblem) {
            var reader = ManifestReader(try TOMLDocument(bytes), name: name, path: path)
            reader.read()
            return CheckedDefinition(
                path: path, name: name, definition: reader.definition, problems: reader.problems)
        } catch {
            return CheckedDefinition(path: path, name: name, definition: nil, problems: [error])
        }
    }

    /// What the app of that file is called; nil where none can be called so.
    static func name(ofFile path: String) -> String? {
        let stem = path.split(separator: "/").last.map(String.init) ?? path
        let name = String(stem.dropLast(".toml".count))
        return stem.hasSuffix(".toml") && AppName.isValid(name) ? name : nil
    }

    private init(_ document: TOMLDocument, name: String, path: String) {
        self.document = document
        definition = AppDefinition(name: name, source: .manifest(path), command: [])
    }

    private mutating func read() {
        for entry in document.entries { read(entry.key, entry.value) }
        if !document.entries.contains(where: { $0.key == ManifestKey.command.rawValue }) {
            problems.append(DefinitionProblem("no command; a manifest needs one, such as command = [\"redis-server\"]"))
        }
        applyModes()
        definition.options = RunOptionList.words(options)
        checkTogether()
        checkContinuous()
        warn()
    }

    private mutating func read(_ key: String, _ value: ManifestValue) {
        if let known = ManifestKey(rawValue: key) { return read(known, value) }
        guard let option = RunOption.of(key: key) else { return complain(key, unknown(key)) }
        if let place = option.otherPlace { return complain(key, place) }
        read(option, value)
    }

    private func unknown(_ key: String) -> String {
        let question = NearestWord.question(key, among: ManifestKey.accepted)
        if !question.isEmpty { return "unknown key" + question }
        let own = ManifestKey.allCases.map(\.rawValue).joined(separator: ", ")
        return "unknown key; accepted are \(own), and the options of `curfew run` without their --"
    }

    private mutating func complain(_ key: String, _ text: String) {
        problems.append(DefinitionProblem(line: document.line(of: [key]), key: key, text))
    }

    private mutating func complain(_ key: String, of value: ManifestValue, _ accepted: String) {
        complain(key, "\(value.kind) where \(accepted) is accepted")
    }
}

// MARK: Options of run

extension ManifestReader {
    private mutating func read(_ option: RunOption, _ value: ManifestValue) {
        guard let accepted = RunArguments.accepted(by: option) else { return readFlag(option, value) }
        if option.isRepeatable, case .array(let values) = value {
            for value in values { read(option, value, accepted: accepted) }
        } else {
            read(option, value, accepted: option.isRepeatable ? accepted + ", or an array of such," : accepted)
        }
    }

    private mutating func readFlag(_ option: RunOption, _ value: ManifestValue) {
        guard case .boolean(let isOn) = value else { return complain(option.key, of: value, ManifestKey.flag) }
        if isOn { options.append((option, nil)) }
    }

    private mutating func read(_ option: RunOption, _ value: ManifestValue, accepted: String) {
        guard let word = value.word else { return complain(option.key, of: value, accepted) }
        if let problem = RunArguments.problem(with: word, for: option) { return complain(option.key, problem) }
        options.append((option, word))
    }

    /// What each option is right for by itself may not be together. `run` tells one thing at a time: what it told of is left out,
    /// and the rest is asked for again.
    private mutating func checkTogether() {
        var left = options
        while let problem = RunArguments.problem(with: RunOptionList.words(left) + ["--", "true"]) {
            guard let (option, text) = Self.inWordsOfManifest(problem, among: left.map(\.option)) else {
                problems.append(DefinitionProblem(problem))
                return
            }
            complain(option.key, text)
            left.removeAll { $0.option == option }
        }
    }

    /// Without the dashes, and without the option's name where that stands in front; and which one of those that are there it is about.
    private static func inWordsOfManifest(_ text: String, among given: [RunOption]) -> (RunOption, String)? {
        var about: RunOption?
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let end = word.last == ":" || word.last == "," ? word.suffix(1) : ""
            guard let option = RunOption(rawValue: String(word.dropLast(end.count))) else { return String(word) }
            if about == nil, given.contains(option) { about = option }
            return option.key + end
        }
        guard let about else { return nil }
        let whole = words.joined(separator: " ")
        let front = about.key + ": "
        return (about, whole.hasPrefix(front) ? String(whole.dropFirst(front.count)) : whole)
    }
}

// MARK: The other keys

extension ManifestReader {
    private mutating func read(_ key: ManifestKey, _ value: ManifestValue) {
        switch (key, value) {
        case (.command, .array(let words)): readCommand(words)
        case (.command, .string(let text)): readCommand(text)
        case (.directory, .string(let path)): readDirectory(path)
        case (.environment, .table(let entries)): readEnvironment(entries)
        case (.launchAtStart, .boolean(let isOn)): isLaunchedAtStart = isOn
        case (.restart, .string(let word)): readRestart(word)
        case (.backgroundModes, .array(let modes)): for mode in modes { readMode(mode) }
        case (.minimumFetchInterval, _): readInterval(value)
        default: complain(key.rawValue, of: value, key.values)
        }
    }

    private mutating func readCommand(_ values: [ManifestValue]) {
        for value in values {
            guard case .string(let word) = value else {
                return complain(ManifestKey.command.rawValue, of: value, "a string")
            }
            definition.command.append(word)
        }
        checkCommand()
    }

    private mutating func readCommand(_ text: String) {
        do throws(DefinitionProblem) {
            definition.command = try ShellWords.split(text)
            checkCommand()
        } catch {
            complain(ManifestKey.command.rawValue, error.text)
        }
    }

    private mutating func checkCommand() {
        if definition.command.isEmpty {
            complain(ManifestKey.command.rawValue, "it is empty; a program is needed, such as [\"redis-server\"]")
        } else if definition.command[0].isEmpty {
            complain(ManifestKey.command.rawValue, "its first word is empty, and names no program")
        }
    }

    private mutating func readDirectory(_ path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else {
            let accepted = ManifestKey.directory.values
            return complain(ManifestKey.directory.rawValue, "\"\(path)\" isn't \(accepted); nothing is expanded here")
        }
        definition.directory = path
    }

    private mutating func readEnvironment(_ entries: [ManifestValue.Entry]) {
        let table = ManifestKey.environment.rawValue
        for entry in entries {
            let line = document.line(of: [table, entry.key])
            let key = "\(table).\(entry.key)"
            guard case .string(let text) = entry.value else {
                let problem = "\(entry.value.kind) where a string is accepted"
                problems.append(DefinitionProblem(line: line, key: key, problem))
                continue
            }
            guard !entry.key.isEmpty, !entry.key.contains("=") else {
                problems.append(
                    DefinitionProblem(line: line, key: key, "a variable's name is never empty, and has no ="))
                continue
            }
            definition.environment.append((entry.key, text))
        }
    }

    private mutating func readRestart(_ word: String) {
        restart = RestartCondition(rawValue: word)
        if restart == nil {
            bad(.restart, word, nearest: RestartCondition.allCases.map(\.rawValue))
        }
    }

    private mutating func readMode(_ value: ManifestValue) {
        let names = BackgroundMode.allCases.map(\.rawValue)
        guard case .string(let word) = value else {
            return complain(ManifestKey.backgroundModes.rawValue, of: value, "one of \(names.joined(separator: ", "))")
        }
        guard let mode = BackgroundMode(rawValue: word) else {
            let question = NearestWord.question(word, among: names)
            let accepted = "one of \(names.joined(separator: ", "))"
            return complain(ManifestKey.backgroundModes.rawValue, "\"\(word)\" isn't \(accepted)\(question)")
        }
        definition.backgroundModes.insert(mode)
    }

    private mutating func readInterval(_ value: ManifestValue) {
        guard let word = value.word else {
            return complain(
                ManifestKey.minimumFetchInterval.rawValue, of: value, ManifestKey.minimumFetchInterval.values)
        }
        switch word {
        case "never": definition.minimumFetchInterval = .never
        case "minimum": definition.minimumFetchInterval = .minimum
        default:
            guard let nanoseconds = DurationArgument.parse(word) else {
                return bad(.minimumFetchInterval, word, nearest: ["never", "minimum"])
            }
            let span = Span(nanoseconds: nanoseconds)
            definition.minimumFetchInterval = span.isInfinite ? .never : span == .zero ? .minimum : .every(span)
        }
    }

    private mutating func bad(_ key: ManifestKey, _ word: String, nearest words: [String]) {
        complain(key.rawValue, "\"\(word)\" isn't \(key.values)\(NearestWord.question(word, among: words))")
    }
}

// MARK: What follows

extension ManifestReader {
    private func has(_ option: RunOption) -> Bool { options.contains { $0.option == option } }

    /// What is said by hand goes before what a mode brings.
    private mutating func applyModes() {
        let isVoIP = definition.backgroundModes.contains(.voip)
        if isVoIP, !has(.wakeOn) { options.append((.wakeOn, InputWord.connections)) }
        definition.launchAtStart = isLaunchedAtStart ?? isVoIP
        definition.restart = restart ?? (isVoIP ? .onFailure : .never)
    }

    /// What ends an app, or stops it, where any other is suspended.
    private mutating func checkContinuous() {
        guard definition.backgroundModes.contains(.continuous) else { return }
        for option in [RunOption.exitsOnSuspend, .sleepWhenIdle] where has(option) {
            complain(option.key, "isn't for background-modes = [\"continuous\"]: such an app is never suspended")
        }
    }

    private enum InputWord {
        static let connections = "connections"
    }

    private mutating func warn() {
        let modes = definition.backgroundModes
        if definition.launchAtStart, modes.isEmpty, !has(.aware), !has(.wakeOn), !has(.sleepWhenIdle) {
            warn(
                .launchAtStart,
                "unless it says hello to Curfew, it is suspended once its grace is over, for it starts in background and has no "
                    + "background mode; background-modes = [\"continuous\"] lets it run, aware = true says that it says hello"
            )
        }
        if definition.minimumFetchInterval != .never, !modes.contains(.fetch) {
            warn(.minimumFetchInterval, "nothing is fetched without background-modes = [\"fetch\"]")
        }
        if modes.contains(.voip), let profile, profile.keepAliveMinimum == nil {
            warn(
                .backgroundModes,
                "under profile \(profile.rawValue) there is no keep-alive for voip; up to ios7 there is")
        }
    }

    private var profile: Profile? {
        options.last { $0.option == .profile }?.value.flatMap(Profile.init(rawValue:))
    }

    private mutating func warn(_ key: ManifestKey, _ text: String) {
        let line = document.line(of: [key.rawValue]) ?? document.line(of: [ManifestKey.backgroundModes.rawValue])
        problems.append(DefinitionProblem(line: line, key: key.rawValue, text, isWarning: true))
    }
}
