import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew home`: sends an app to the background, by its name, or whichever is in front.
enum HomeVerb {
    /// `directory`: where supervisors are looked for; nil: this user's.
    static func run(_ reader: ArgumentReader, in directory: RuntimeDirectory? = nil) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, in: directory)
        // From inside an app its supervisor is asked, and says why not.
        if !arguments.operands.isEmpty || AppLookup.inheritedSocket() != nil {
            return try DrivingVerbs.ask(Message(arguments.verb, [Field("id", "1")]), arguments)
        }
        if let status = try frontOfServer(arguments) { return status }
        let apps = arguments.lookup.ownSupervisors()
        guard apps.count == 1 else { throw unclear(apps, reader) }
        return tell(arguments.lookup.target(apps[0]), arguments)
    }

    /// Nil where there is no server, or nobody is in front there.
    private static func frontOfServer(_ arguments: VerbArguments) throws(UsageError) -> Int32? {
        let lookup = arguments.lookup
        let target = try lookup.serverTarget()
        do throws(ControlClient.Failure) {
            var client = try ControlClient(target)
            show(try client.request(Message("home", [Field("id", "1")])), arguments)
            return ExitStatus.success
        } catch {
            if !lookup.isServerAskedFor, error.meansNobody { return nil }
            let (line, status) = error.explained(arguments.verb, target)
            StandardError.print(line)
            return status
        }
    }

    private static func tell(_ target: AppTarget, _ arguments: VerbArguments) -> Int32 {
        arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            show(try client.request(Message("home", [Field("id", "1")])), arguments)
        }
    }

    private static func show(_ answer: ControlClient.Answer, _ arguments: VerbArguments) {
        if arguments.has("--json") { DrivingVerbs.printState(answer.final["state"] ?? "") }
    }

    private static func unclear(_ apps: [AppStatus], _ reader: ArgumentReader) -> UsageError {
        if apps.isEmpty { return reader.error("no app is in front; `curfew ps` lists those that run") }
        let names = apps.map(\.name).joined(separator: ", ")
        return reader.error("several apps are running; say which goes home: \(names)")
    }
}

extension ControlClient.Failure {
    /// Whether nobody is there who could be meant.
    fileprivate var meansNobody: Bool {
        if case .refused("no-app", _) = self { return true }
        return isAbsence
    }
}
