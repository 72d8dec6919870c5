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

    private static func summary(_ final: Message) -> String {
        func nanoseconds(_ key: String) -> Int64 { final[key].flatMap(Seconds.parse) ?? 0 }
        return AdvanceText.summary(
            passed: nanoseconds("seconds"), left: nanoseconds("left"), state: final["state"] ?? "")
    }

    static func json(_ answer: ControlClient.Answer) -> JSON {
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
