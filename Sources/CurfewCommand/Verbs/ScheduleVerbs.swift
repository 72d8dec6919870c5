import CurfewEngine
import CurfewLinux
import CurfewWire

/// `notify`, `submit` and `schedule`: what a server is to do when it is time.
enum ScheduleVerbs {
    static func notify(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try NotifyArguments.parse(reader)
        let target = try arguments.common.lookup.target(ofAny: arguments.common.operands[0])
        return arguments.common.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try client.request(arguments.request).final
            if let dropped = answer["dropped"] {
                StandardError.print("curfew: notify: \(dropped) was pushed out: the soonest 64 are kept")
            }
            if answer["ignored"] != nil { StandardError.print("curfew: notify: no notification of that id waits") }
            if arguments.common.has("--json") { return Output.print(json(answer)) }
            if let id = answer["notification"] { Output.print(id) }
        }
    }

    static func json(_ answer: Message) -> JSON {
        var members: [(key: String, value: JSON)] = []
        if let id = answer["notification"] { members.append(("id", .string(id))) }
        if let due = answer["due"] { members.append(("due", Field.seconds(due))) }
        if let dropped = answer["dropped"] { members.append(("dropped", .string(dropped))) }
        return .object(members)
    }

    /// Has an app fetch now; returns once it was told, or launched for it.
    static func fetch(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let target = try arguments.lookup.target(ofAny: arguments.operands[0])
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try client.request(Message(arguments.verb, [Field("id", "1")]))
            if arguments.has("--json") { DrivingVerbs.printState(answer.final["state"] ?? "") }
        }
    }

    /// Has an app launched for some work; returns once that is kept.
    static func submit(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try SubmitArguments.parse(reader)
        let target = try arguments.common.lookup.target(ofAny: arguments.common.operands[0])
        return arguments.common.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try client.request(arguments.request).final
            if answer["ignored"] != nil { StandardError.print("curfew: submit: no request of that id waits") }
            guard arguments.common.has("--json") else { return }
            Output.print(.object(answer["request"].map { [("id", .string($0))] } ?? []))
        }
    }

    static func schedule(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let read = try ScheduleArguments.parse(reader)
        let arguments = read.common
        if let trial = read.trial { return try tryRequest(trial, arguments) }
        let lookup = arguments.lookup
        let target =
            if let app = arguments.operands.first { try lookup.target(ofAny: app) } else { try lookup.serverTarget() }
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let all = try client.request(Message("schedule", [Field("id", "1")])).items.map(ScheduledThing.init)
            if arguments.has("--json") { return Output.print(.array(all.map(\.json))) }
            Output.print(lines: ScheduledThing.table(all, width: TerminalWidth.columns))
        }
    }

    /// Has one of an app's requests run, or expire, now.
    private static func tryRequest(_ trial: Message, _ arguments: VerbArguments) throws(UsageError) -> Int32 {
        let target = try arguments.lookup.target(ofAny: arguments.operands[0])
        return arguments.withClient(of: target) { client throws(ControlClient.Failure) in
            let answer = try client.request(trial).final
            guard arguments.has("--json") else { return }
            if let state = answer["state"] { DrivingVerbs.printState(state) } else { Output.print(.object([])) }
        }
    }
}
