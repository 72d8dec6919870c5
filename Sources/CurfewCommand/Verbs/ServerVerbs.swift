import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// What is asked of a server and not of one of its apps: `switch`, `apps`, `remove`, `history` and `reload`.
enum ServerVerbs {
    /// Brings whoever was in front before to the front again.
    static func `switch`(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try ask(arguments) { client throws(ControlClient.Failure) in
            let answer = try client.request(Message(arguments.verb, [Field("id", "1")]))
            if arguments.has("--json") { Output.print(.object([("app", .string(answer.final["app"] ?? ""))])) }
        }
    }

    static func apps(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        if arguments.has("--sources") { return try sources(arguments) }
        return try ask(arguments) { client throws(ControlClient.Failure) in
            let answer = try client.request(Message("apps", [Field("id", "1")]))
            let apps = answer.items.map(ListedApp.init)
            if let word = answer.final["store"] {
                StandardError.print("curfew: \(arguments.verb): the server's store: \(StoreText.trouble(word))")
            }
            if arguments.has("--json") {
                Output.print(.array(apps.map(\.json)))
            } else {
                Output.print(coloured: ListedApp.table(apps, width: TerminalWidth.columns))
            }
        }
    }

    private static func sources(_ arguments: VerbArguments) throws(UsageError) -> Int32 {
        try ask(arguments) { client throws(ControlClient.Failure) in
            let told = try client.request(Message("server", [Field("id", "1")])).items
            let sources = told.filter { $0.verb == "source" }.map(ListedSource.init)
            if arguments.has("--json") {
                Output.print(.array(sources.map(\.json)))
            } else {
                Output.print(lines: ListedSource.table(sources, width: TerminalWidth.columns))
            }
        }
    }

    /// Ends an app and takes it off the list; returns once that is kept.
    static func remove(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let name = arguments.operands[0]
        let target = try arguments.lookup.target(ofAny: name)
        let status = arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            _ = try client.request(Message(arguments.verb, [Field("id", "1")]), isPatient: true)
            if arguments.has("--json") { DrivingVerbs.printState("notRunning") }
        }
        guard status == ExitStatus.success, arguments.has("--purge") else { return status }
        return purge(target.app ?? name)
    }

    /// Removes what the app has saved. Not by the server: a large directory would hold up all that it enforces.
    private static func purge(_ app: String) -> Int32 {
        guard let directory = StateDirectory.ofApp(app) else { return ExitStatus.success }
        do throws(KernelError) {
            try directory.remove()
            return ExitStatus.success
        } catch {
            StandardError.print("curfew: remove: \(app) is off the list, but its state directory stays: \(error.text)")
            return ExitStatus.failure
        }
    }

    static func history(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let read = try HistoryArguments.parse(reader)
        let arguments = read.common
        let lookup = arguments.lookup
        let target =
            if let app = arguments.operands.first { try lookup.target(ofAny: app) } else { try lookup.serverTarget() }
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let runs = try client.request(read.request).items.map(PastRun.init)
            if arguments.has("--json") {
                Output.print(.array(runs.map(\.json)))
            } else {
                Output.print(lines: PastRun.table(runs))
            }
        }
    }

    static func reload(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let environment = arguments.has("--environment") ? ofThisSession : []
        return try ask(arguments) { client throws(ControlClient.Failure) in
            let answer = try client.request(Message(arguments.verb, [Field("id", "1")] + environment)).final
            if arguments.has("--json") {
                Output.print(reloadJSON(answer))
            } else {
                Output.print(reloadText(answer))
            }
        }
    }

    static func reloadJSON(_ answer: Message) -> JSON {
        var members: [(key: String, value: JSON)] = []
        for key in ["apps", "problems"] { members.append((key, .integer(Int64(answer[key] ?? "") ?? 0))) }
        if let folder = answer["folder"] { members.append(("folder", .string(folder))) }
        return .object(members)
    }

    static func reloadText(_ answer: Message) -> String {
        let apps = answer["apps"] == "1" ? "1 app is defined" : "\(answer["apps"] ?? "0") apps are defined"
        // By itself it looks over the usual folder alone.
        let files = answer["folder"].map { " \($0)/*.toml" } ?? ""
        switch answer["problems"] {
        case nil, "0": return apps
        case "1": return apps + "; there is 1 problem, which `curfew check\(files)` names"
        case let count?: return apps + "; there are \(count) problems, which `curfew check\(files)` names"
        }
    }

    /// What a session's programs need of the one who is logged in now.
    static let sessionVariables = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
    ]

    private static var ofThisSession: [Field] {
        sessionVariables.compactMap { name in
            getenv(name).map { Field("environment." + name, String(cString: $0)) }
        }
    }

    private static func ask(
        _ arguments: VerbArguments, _ body: (inout ControlClient) throws(ControlClient.Failure) -> Void
    ) throws(UsageError) -> Int32 {
        arguments.withClient(of: try arguments.lookup.serverTarget(), body)
    }
}
