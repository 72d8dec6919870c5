import CurfewWire

/// An app's end, from being asked for it to its last process.
enum AppEnd {
    /// `quit` or `reclaim`. A server's app is followed first: the channel doesn't end with it.
    static func ask(_ verb: String, _ client: inout ControlClient) throws(ControlClient.Failure) {
        if client.isServers { _ = try client.request(Message("events", [Field("id", "1"), Field("follow", "1")])) }
        try client.send(Message(verb, [Field("id", "2")]))
    }

    /// A supervisor of one app closes the channel with its own end, which can come before an answer does; one that lives and
    /// has closed it was never asked. The answer has a limit, the end has the app's.
    static func await(_ client: inout ControlClient) throws(ControlClient.Failure) {
        var deadline: Int64? = ControlClient.answerDeadline()
        while let message = try client.receive(until: deadline) {
            if message.verb == "ok" { deadline = nil }
            if message.verb == "error" { throw .refusal(message) }
            if client.isServers, message.verb == "event", message["name"] == "didEnd" { return }
        }
        if client.isServers { throw .ended }
        guard deadline == nil || !client.isOtherEndThere() else {
            throw .broken("its supervisor closed the channel, and runs; ask again")
        }
    }
}
