import CurfewWire

/// `curfew advance`: moves the lifecycle time of an app that was started with `--manual-clock`.
enum AdvanceVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try AdvanceArguments.parse(reader)
        return try arguments.common.withClient { client throws(ControlClient.Failure) in
            let answer = try client.request(arguments.request, isPatient: true)
            if arguments.common.has("--json") {
                Output.print(json(answer))
            } else {
                Output.print(lines: answer.items.map(SeeingVerbs.line) + [summary(answer.final)])
            }
        }
    }

    /// `9 min 55 s passed, 5 s are left; background`.
    static func summary(_ final: Message) -> String {
        func duration(_ key: String) -> String {
            HumanText.duration(nanoseconds: final[key].flatMap(Seconds.parse) ?? 0)
        }
        let left = final["left"].flatMap(Seconds.parse) == 0 ? "nothing is left" : "\(duration("left")) left"
        return "\(duration("seconds")) passed, \(left); the app is \(final["state"] ?? "")"
    }

    private static func json(_ answer: ControlClient.Answer) -> JSON {
        let events = answer.items.map { event in
            JSON.object(Message(event.verb, event.fields.filter { $0.key != "id" }).jsonMembers)
        }
        return .object([
            ("seconds", Field("seconds", answer.final["seconds"] ?? "").jsonValue),
            ("left", Field("seconds", answer.final["left"] ?? "").jsonValue),
            ("state", .string(answer.final["state"] ?? "")), ("events", .array(events)),
        ])
    }
}
