import CurfewLinux
import CurfewWire

/// What an operator does to an app.
enum DrivingVerbs {
    /// `interrupt` and `dismiss`.
    static func drive(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try ask(Message(arguments.verb, [Field("id", "1")]), arguments)
    }

    /// `wake` and `post`.
    static func post(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try PostingArguments.parse(reader)
        return try ask(arguments.request, arguments.common)
    }

    /// `warn` and `pressure`.
    static func warn(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try LevelArguments.parse(reader)
        return try ask(arguments.request, arguments.common)
    }

    static func ask(_ request: Message, _ arguments: VerbArguments) throws(UsageError) -> Int32 {
        try arguments.withClient { client throws(ControlClient.Failure) in
            let answer = try client.request(request)
            if arguments.has("--json") { printState(answer.final["state"] ?? "") }
        }
    }

    /// `quit` and `reclaim` of one app: returns once it is gone.
    static func end(_ arguments: VerbArguments) throws(UsageError) -> Int32 {
        try arguments.withClient { client throws(ControlClient.Failure) in
            try AppEnd.ask(arguments.verb, &client)
            try AppEnd.await(&client)
            if arguments.has("--json") { printState("notRunning") }
        }
    }

    static func printState(_ state: String) { Output.print(.object([("state", .string(state))])) }
}
