import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew quit`: ends an app, or every app.
enum QuitVerb {
    /// `directory`: where supervisors are looked for; nil: this user's.
    static func run(_ reader: ArgumentReader, in directory: RuntimeDirectory? = nil) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, in: directory)
        if arguments.has("--all") {
            if let app = arguments.operands.first {
                throw reader.error(
                    "--all means every app that runs, and \"\(app)\" is one of them; give one or the other")
            }
            return all(arguments)
        }
        guard !arguments.operands.isEmpty else {
            throw reader.error(VerbSyntax.missingOperand(of: "quit", given: 0) + "; --all means each of them")
        }
        return try DrivingVerbs.end(arguments)
    }

    /// All are asked before any is waited for. Who can't be is named, and the status is the first such one's.
    private static func all(_ arguments: VerbArguments) -> Int32 {
        let lookup = arguments.lookup
        var quitting = Quitting(verb: arguments.verb)
        if !lookup.isServerAskedFor {
            for app in lookup.ownSupervisors() { quitting.ask(app.name, lookup.target(app)) }
        }
        for server in lookup.serverTargets() { quitting.askAll(of: server, mayBeGone: !lookup.isServerAskedFor) }
        quitting.wait()
        if arguments.has("--json") {
            Output.print(.object(quitting.ended.sorted().map { ($0, .string("notRunning")) }))
        }
        return quitting.status
    }
}

/// Everybody who was asked to end, and who has.
private struct Quitting {
    let verb: String
    private var asked: [Asked] = []
    private(set) var ended: [String] = []
    private(set) var status = ExitStatus.success

    private struct Asked {
        let target: AppTarget
        let isServer: Bool
        /// Whom it speaks for.
        let apps: [String]
        var client: ControlClient
    }

    init(verb: String) { self.verb = verb }

    /// One that has a supervisor of its own.
    mutating func ask(_ app: String, _ target: AppTarget) {
        do throws(ControlClient.Failure) {
            var client = try ControlClient(target)
            try AppEnd.ask(verb, &client)
            asked.append(Asked(target: target, isServer: false, apps: [app], client: client))
        } catch {
            complain(error, of: target, mayBeGone: true)
        }
    }

    /// Every app of a server.
    mutating func askAll(of server: AppTarget, mayBeGone: Bool) {
        do throws(ControlClient.Failure) {
            var client = try ControlClient(server)
            let listed = try client.request(Message("apps", [Field("id", "1")])).items
            try client.send(Message("quit-all", [Field("id", "2")]))
            let apps = listed.filter { $0["pid"] != nil && $0["joined"] != "1" }.compactMap { $0["name"] }
            asked.append(Asked(target: server, isServer: true, apps: apps, client: client))
        } catch {
            complain(error, of: server, mayBeGone: mayBeGone)
        }
    }

    mutating func wait() {
        for var one in asked {
            do throws(ControlClient.Failure) {
                try Self.wait(for: &one)
                ended += one.apps
            } catch {
                complain(error, of: one.target, mayBeGone: !one.isServer)
            }
        }
    }

    /// A server answers once all have ended, and stays.
    private static func wait(for one: inout Asked) throws(ControlClient.Failure) {
        if !one.isServer { return try AppEnd.await(&one.client) }
        while let message = try one.client.receive(until: nil) {
            if message.verb == "ok" { return }
            if message.verb == "error" { throw .refusal(message) }
        }
        throw .ended
    }

    /// `mayBeGone`: it needn't be there any more.
    private mutating func complain(_ failure: ControlClient.Failure, of target: AppTarget, mayBeGone: Bool) {
        if mayBeGone, failure == .ended || failure.isAbsence { return }
        let (line, failed) = failure.explained(verb, target)
        StandardError.print(line)
        if status == ExitStatus.success { status = failed }
    }
}
