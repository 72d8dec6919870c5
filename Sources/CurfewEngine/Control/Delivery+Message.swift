import CurfewCore
import CurfewWire

extension Delivery {
    /// As a client gets it: `event name=didEnterBackground seq=4 ack=required seconds=5.000`.
    func message(containment: String) -> Message {
        var fields = [Field("name", event.name), Field("seq", String(sequence))]
        if let kind = event.kind { fields.append(Field("kind", kind)) }
        // A waking event in the foreground, and a launch that READY=1 has acknowledged already, have no limit.
        if event.needsAcknowledgement, limit != nil { fields.append(Field("ack", "required")) }
        if let task { fields.append(Field("task", String(task.rawValue))) }
        if let level { fields.append(Field("level", level.rawValue)) }
        if let limit { fields.append(Field("seconds", Seconds.text(nanoseconds: limit.nanoseconds))) }
        if let launch {
            fields.append(Field("launched", launch.inBackground ? "background" : "foreground"))
            if let wakingEvent = launch.wakingEvent { fields.append(Field("wake", wakingEvent)) }
            fields.append(Field("containment", containment))
        }
        return Message("event", fields + info.map { Field($0) })
    }

    /// What a later event makes stale while this one waits to be read; nil for one that each has to be answered.
    var aspect: String? {
        if case .wake = event { return nil }
        if event == .change(LocalNotification.event) || event == .change(RemotePayload.event) { return nil }
        return event.name + (task.map { String($0.rawValue) } ?? "")
    }
}

extension Field {
    /// As `info.KEY=VALUE`, so that no key can stand for one of ours.
    init(_ pair: Info) { self.init("info." + pair.key, pair.value) }
}

extension Message {
    /// The pairs under `info.`.
    var info: [Info] {
        fields.compactMap { field in
            field.key.hasPrefix("info.") ? Info(String(field.key.dropFirst(5)), field.value) : nil
        }
    }
}

extension Event {
    /// Nil for a lifecycle event.
    var kind: String? {
        switch self {
        case .lifecycle: nil
        case .change: "change"
        case .wake: "wake"
        }
    }
}

extension PostedEvent {
    /// Whether its line, with the longest of what else stands there, is one that can be read.
    func fitsOneLine(as event: Event) -> Bool {
        var delivery = Delivery(event: event, sequence: .max, info: info)
        delivery.limit = .infinite
        var bytes: [UInt8] = []
        delivery.message(containment: "").encodeWhole(into: &bytes)
        return bytes.count <= LineReader.maximumLineBytes
    }
}
