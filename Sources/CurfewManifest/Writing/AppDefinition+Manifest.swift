import CurfewCommand
import CurfewCore
import CurfewEngine

extension AppDefinition {
    /// The definition that a command line of `curfew launch` would be: options of `run`, then a command.
    ///
    /// Throws what `run` would say, and for an option that belongs elsewhere than to an app; `--name` is taken for its name.
    public init(commandLine words: [String]) throws(UsageError) {
        let arguments = OwnedArguments(words)
        defer { withExtendedLifetime(arguments) {} }
        let plan = try RunArguments.parse(arguments.reader(verb: "launch")).manifest
        let command = plan.commandLine
        let end = words[..<(words.count - command.count)]
        let items = RunOptionList.items(Array(end.last == "--" ? end.dropLast() : end))
        for (option, _) in items where option != .name {
            if let place = option.otherPlace { throw UsageError("launch", "\(option.rawValue): \(place)") }
        }
        self.init(name: plan.name ?? "", source: .commandLine, command: command)
        options = RunOptionList.words(items.filter { $0.option != .name }.lastOfEach)
    }

    /// The manifest that says the same, but for the name, which is its file's.
    ///
    /// What its modes bring is in it by its own key.
    public var manifest: String {
        var lines = ["command = " + TOMLText.array(command)]
        if let directory { lines.append("directory = " + TOMLText.string(directory)) }
        lines += RunOptionList.grouped(RunOptionList.items(options)).map { option, values in
            option.key + " = " + TOMLText.value(values, isArray: option.isRepeatable)
        }
        lines += schedule
        if !environment.isEmpty {
            lines += ["", "[environment]"] + environment.map { TOMLText.key($0) + " = " + TOMLText.string($1) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// When it runs, as far as that isn't what a manifest without it says.
    private var schedule: [String] {
        let isVoIP = backgroundModes.contains(.voip)
        var lines: [String] = []
        if launchAtStart != isVoIP { lines.append("launch-at-start = \(launchAtStart)") }
        if restart != (isVoIP ? .onFailure : .never) { lines.append("restart = " + TOMLText.string(restart.rawValue)) }
        let modes = BackgroundMode.allCases.filter(backgroundModes.contains).map(\.rawValue)
        if !modes.isEmpty { lines.append("background-modes = " + TOMLText.array(modes)) }
        switch minimumFetchInterval {
        case .never: break
        case .minimum: lines.append("minimum-fetch-interval = \"minimum\"")
        case .every(let span):
            // To the nanosecond, which HumanText isn't.
            let (seconds, rest) = span.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            let fraction = String(String(rest + 1_000_000_000).dropFirst())
            lines.append("minimum-fetch-interval = " + (rest == 0 ? "\(seconds)" : "\"\(seconds).\(fraction)\""))
        }
        return lines
    }
}

extension [RunOptionList.Item] {
    /// `run` counts the last of an option that isn't for more than one.
    fileprivate var lastOfEach: [RunOptionList.Item] {
        enumerated().filter { index, item in
            item.option.isRepeatable || !self[(index + 1)...].contains { $0.option == item.option }
        }.map(\.element)
    }
}

extension RunOptionList {
    /// The values of each option, in the order of `RunOption`; a flag has none.
    fileprivate static func grouped(_ items: [Item]) -> [(RunOption, [String])] {
        RunOption.allCases.compactMap { option in
            let own = items.filter { $0.option == option }
            return own.isEmpty ? nil : (option, own.compactMap(\.value))
        }
    }
}
