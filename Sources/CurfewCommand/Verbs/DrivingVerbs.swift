import CurfewLinux
import CurfewWire

/// What an operator does to an app.
enum DrivingVerbs {
    /// `home`, `open`, `interrupt` and `dismiss`.
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

    private static func ask(_ request: Message, _ arguments: VerbArguments) throws(UsageError) -> Int32 {
        try arguments.withClient { client throws(ControlClient.Failure) in
            let answer = try client.request(request)
            if arguments.has("--json") { printState(answer.final["state"] ?? "") }
        }
    }

    /// `quit` and `reclaim`: returns once the app is gone, for its supervisor closes the channel with its own end.
    static func end(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try arguments.withClient { client throws(ControlClient.Failure) in
            do throws(ControlClient.Failure) {
                _ = try client.request(Message(arguments.verb, [Field("id", "1")]))
                while try client.receive(until: nil) != nil {}
            } catch .ended {
                // A suspended app is gone before an answer can be.
            }
            if arguments.has("--json") { printState("notRunning") }
        }
    }

    private static func printState(_ state: String) { Output.print(.object([("state", .string(state))])) }
}
