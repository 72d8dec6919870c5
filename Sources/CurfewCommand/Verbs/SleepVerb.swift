import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew sleep`: stops an app where it is, until it is needed.
enum SleepVerb {
    /// `directory`: where supervisors are looked for; nil: this user's.
    static func run(_ reader: ArgumentReader, in directory: RuntimeDirectory? = nil) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, in: directory)
        let request = Message(
            "sleep", [Field("id", "1")] + (arguments.has("--stay") ? [Field("stay", "1")] : []))
        if arguments.has("--all") {
            if let app = arguments.operands.first {
                throw reader.error(
                    "--all means every app that runs, and \"\(app)\" is one of them; give one or the other")
            }
            return all(request, arguments)
        }
        guard !arguments.operands.isEmpty else {
            throw reader.error(VerbSyntax.missingOperand(of: "sleep", given: 0) + "; --all means each of them")
        }
        return try arguments.withClient { client throws(ControlClient.Failure) in
            let state = try client.request(request).final["state"] ?? ""
            if arguments.has("--json") { Output.print(.object([("state", .string(state))])) }
        }
    }

    /// Each in turn; who can't sleep is named, and the status is the first such one's.
    private static func all(_ request: Message, _ arguments: VerbArguments) -> Int32 {
        let lookup = arguments.lookup
        var status = ExitStatus.success
        var states: [(String, JSON)] = []
        for app in lookup.all() {
            let target = lookup.target(app)
            do throws(ControlClient.Failure) {
                var client = try ControlClient(target)
                states.append((app.name, .string(try client.request(request).final["state"] ?? "")))
            } catch {
                // It has ended meanwhile, and sleeps for good.
                if case .ended = error { continue }
                let (line, failure) = error.explained("sleep", target)
                StandardError.print("\(line) (\(app.name))")
                if status == ExitStatus.success { status = failure }
            }
        }
        if arguments.has("--json") { Output.print(.object(states)) }
        return status
    }
}
