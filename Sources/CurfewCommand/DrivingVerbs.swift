import CurfewLinux
import CurfewWire

/// `home`, `open` and `quit`: what an operator does to an app.
enum DrivingVerbs {
    static func home(_ reader: ArgumentReader) throws(UsageError) -> Int32 { try drive(reader) }
    static func open(_ reader: ArgumentReader) throws(UsageError) -> Int32 { try drive(reader) }

    private static func drive(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try arguments.withClient { client throws(ControlClient.Failure) in
            let answer = try client.request(Message(arguments.verb, [Field("id", "1")]))
            if arguments.has("--json") {
                Output.print(.object([("state", .string(answer.final["state"] ?? ""))]))
            }
        }
    }

    /// Returns once the app is gone: its supervisor closes the channel with its own end.
    static func quit(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try arguments.withClient { client throws(ControlClient.Failure) in
            do throws(ControlClient.Failure) {
                _ = try client.request(Message("quit", [Field("id", "1")]))
                while try client.receive(until: nil) != nil {}
            } catch .ended {
                // A suspended app is gone before an answer can be.
            }
            if arguments.has("--json") { Output.print(.object([("state", .string("notRunning"))])) }
        }
    }
}
