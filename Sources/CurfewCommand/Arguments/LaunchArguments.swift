import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew launch [options] NAME` and `curfew launch [options] -- COMMAND [ARG…]`, read.
///
/// Options of `curfew run` are checked as there, and handed to the server as they were typed; but files that they name stand where the
/// caller is, and the server is elsewhere.
package struct LaunchArguments {
    /// An app that the server knows; nil where there is a command.
    private(set) var app: String?
    /// What it is to be called; nil: by its name, or its command's.
    private(set) var name: String?
    private(set) var server: String?
    package private(set) var asJSON = false
    /// Nothing is launched: the manifest that the command would be is printed.
    private(set) var printsManifest = false
    /// The words of `run`'s options that say what the app is.
    private(set) var options: [ByteString] = []
    /// The words of all of them.
    private var allOptions: [ByteString] = []
    private var directory: ByteString?
    private(set) var command: [ByteString] = []
    private(set) var inBackground = false
    private(set) var wakingEvent: String?
    private(set) var info: [Info] = []

    /// Every option, as typed: those of `run`, and its own.
    static var options: [String] {
        RunOption.allCases.filter { $0 != .join }.map(\.rawValue) + ["--json", "--print-manifest"]
    }

    /// What its manifest is made of: options of `run`, and the command. A manifest is UTF-8, so what isn't is refused.
    package func manifestWords() throws(UsageError) -> [String] {
        var words: [String] = []
        for word in allOptions + ["--"] + command {
            guard let text = word.exactText else {
                throw UsageError("launch", "\(word.text) isn't UTF-8, and a manifest has to be")
            }
            words.append(text)
        }
        return words
    }

    /// `directory`: the caller's; nil where that is gone.
    package static func parse(
        _ reader: ArgumentReader, in directory: ByteString? = ByteString.currentDirectory
    ) throws(UsageError) -> LaunchArguments {
        var reader = reader
        var arguments = LaunchArguments()
        arguments.directory = directory
        let run = RunArguments()
        while let token = try reader.next() {
            switch token {
            case .option("--server"): arguments.server = try reader.serverName()
            case .option("--json"): arguments.asJSON = true
            case .option("--print-manifest"): arguments.printsManifest = true
            case .option(let text): try arguments.read(text, run, &reader)
            case .operand(let operand):
                if reader.hasEndedOptions {
                    reader.endOptions()
                    return try arguments.reading(commandOf: reader, run)
                }
                if arguments.app != nil { throw reader.error(isCommand(operand)) }
                arguments.app = operand
            }
        }
        return try arguments.checked(reader)
    }

    /// `text` was read last.
    private mutating func read(
        _ text: String, _ run: RunArguments, _ reader: inout ArgumentReader
    ) throws(UsageError) {
        guard let option = RunOption.named(text) else { throw reader.unknown(text) }
        let first = reader.position - 1
        defer { allOptions += words(of: option, reader.words(from: first)) }
        switch option {
        case .name: name = try reader.appName()
        case .background: inBackground = true
        case .wake: wakingEvent = try reader.postedEvent()
        case .launchOption: try reader.addInfo(to: &info)
        case .join: throw reader.error("--join is for `curfew run`: what a server launches is in its front already")
        default:
            try run.read(option, &reader)
            options += words(of: option, reader.words(from: first))
        }
    }

    /// As they mean the same elsewhere. The value is the last of them, or stands behind the first `=`.
    private func words(of option: RunOption, _ typed: [ByteString]) -> [ByteString] {
        guard option.namesFile, let directory, let last = typed.last else { return typed }
        let start = typed.count > 1 ? 0 : option.rawValue.utf8.count + 1
        guard last.bytes.count > start, last.bytes[start] != UInt8(ascii: "/") else { return typed }
        let path = directory.bytes + [UInt8(ascii: "/")] + last.bytes[start...]
        return typed.dropLast() + [ByteString(last.bytes[..<start] + path)]
    }

    private func reading(commandOf reader: ArgumentReader, _ run: RunArguments) throws(UsageError) -> LaunchArguments {
        if let app { throw reader.error(Self.isBoth(app)) }
        try run.check(reader)
        try checkInfo(reader)
        var arguments = self
        arguments.command = reader.remainingWords
        return arguments
    }

    private func checked(_ reader: ArgumentReader) throws(UsageError) -> LaunchArguments {
        guard let app else { throw reader.error(Self.nothing) }
        guard AppName.isValid(app) else {
            throw reader.error("\"\(app)\" isn't an app's name; it is \(AppName.accepted)")
        }
        if let option = printsManifest ? "--print-manifest" : options.first?.text ?? name.map({ _ in "--name" }) {
            let option = option.prefix { $0 != "=" }
            throw reader.error("\(option) is for a COMMAND; what \(app) is, its manifest says")
        }
        try checkInfo(reader)
        return self
    }

    private func checkInfo(_ reader: ArgumentReader) throws(UsageError) {
        do throws(BadValue) { try InfoArgument.checkLaunch(info, wake: wakingEvent) } catch {
            throw reader.error("--launch-option: \(error.problem)")
        }
    }

    package static let nothing =
        "an app's name is needed, or -- and a COMMAND; usage: curfew launch [options] NAME|-- COMMAND [ARG…]"

    private static func isCommand(_ word: String) -> String {
        "\"\(word)\" is one too many; a COMMAND stands behind --"
    }

    private static func isBoth(_ app: String) -> String {
        "\(app) is an app's name, and behind -- is a COMMAND; give one or the other (--name NAME names a COMMAND)"
    }

    // MARK: Requests

    /// `order`: the file with the command, where there is one.
    func request(order: String?) -> Message {
        let subject = order.map { Field("order", $0) } ?? Field("app", app ?? "")
        var fields = [Field("id", "1"), subject]
        if inBackground || wakingEvent != nil { fields.append(Field("background", "1")) }
        if let wakingEvent { fields.append(Field("wake", wakingEvent)) }
        return Message("launch", fields + info.map { Field("option." + $0.key, $0.value) })
    }
}

extension RunOption {
    /// Whether its value is a path, which a relative one is from the caller's directory.
    fileprivate var namesFile: Bool { self == .settings || self == .stateDirectory }
}
