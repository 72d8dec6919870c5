import CurfewWire

/// `curfew open`: brings an app to the foreground; a server launches one that doesn't run.
enum OpenVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let target = try arguments.lookup.target(ofAny: arguments.operands[0])
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try client.request(Message(arguments.verb, [Field("id", "1")]))
            if arguments.has("--json") { DrivingVerbs.printState(answer.final["state"] ?? "") }
        }
    }
}
