import CurfewCore
import CurfewWire

/// What a client asks for.
struct ControlRequest {
    let session: ControlSession
    let message: Message
    /// What its replies are marked with.
    let id: String?
    /// The how manieth of its session it is.
    let number: Int
    /// What it is about; nil where that is no app.
    var app: AppID?

    init(_ session: ControlSession, _ message: Message) {
        self.session = session
        self.message = message
        id = message["id"]
        number = session.nextRequest()
    }

    /// The line as it is sent to whoever has asked.
    func marked(_ message: Message) -> Message {
        guard let id else { return message }
        var message = message
        message.fields.insert(Field("id", id), at: 0)
        return message
    }
}

/// Requests whose reply hasn't come yet.
struct PendingRequests {
    private struct Pending {
        let number: RequestID
        let request: ControlRequest
    }

    private var pending: [Pending] = []
    private var last = 0

    var count: Int { pending.count }

    /// The number by which the core replies to it.
    mutating func wait(for request: ControlRequest) -> RequestID {
        last += 1
        pending.append(Pending(number: RequestID(last), request: request))
        return RequestID(last)
    }

    /// Nil when its client has gone.
    mutating func take(_ number: RequestID) -> ControlRequest? {
        guard let index = pending.firstIndex(where: { $0.number == number }) else { return nil }
        return pending.remove(at: index).request
    }

    /// Those about an app, whose replies will never come.
    mutating func takeAll(of app: AppID) -> [ControlRequest] {
        let found = pending.filter { $0.request.app == app }.map(\.request)
        if !found.isEmpty { pending.removeAll { $0.request.app == app } }
        return found
    }

    mutating func forget(_ session: ControlSession) { pending.removeAll { $0.request.session === session } }
}
